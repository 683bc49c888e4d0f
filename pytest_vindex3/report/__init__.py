"""What a run is reported as: rows, pages, the summary and the JSON document. Knows nothing of pytest."""
