"""The law: the clauses an implementation is held to and the kinds it refuses with, as data."""
