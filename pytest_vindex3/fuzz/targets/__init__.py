"""The targets: each module of this package has one, as its attribute `target`."""
