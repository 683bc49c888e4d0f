"""The verbs of the contract, a module per family."""
