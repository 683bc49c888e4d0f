"""Pinned containers and their expected observations: data, and nothing else."""
