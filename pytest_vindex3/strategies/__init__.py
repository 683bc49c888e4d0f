"""Hypothesis strategies for containers of the VINDEX3 family, for suites and for anybody's own tests."""
