"""Tests of the system graph: GRAPH, SURFACE and EDGE."""
