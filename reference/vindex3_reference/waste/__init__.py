"""WASTE v0: directories of a trunk, banks of vector-quantised experts and their codebooks (waste.md)."""
