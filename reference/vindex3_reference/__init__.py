"""The reference implementation of the VINDEX3 family: minimal, readable, complete."""
