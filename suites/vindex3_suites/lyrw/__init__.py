"""Conformance tests of LYRW v2 layer files."""
