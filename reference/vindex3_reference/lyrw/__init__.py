"""LYRW v2 layer files: expert banks as regions behind a table (lyrw.md)."""
