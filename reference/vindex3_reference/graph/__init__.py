"""The system graph: what a model consists of, and which states flow between its parts (graph.md)."""
