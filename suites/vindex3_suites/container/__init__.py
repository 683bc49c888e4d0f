"""Conformance tests of containers: index, segments, writing and verifying."""
