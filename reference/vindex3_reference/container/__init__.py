"""The container: one root document, segments of bytes, and what joins them (container.md)."""
