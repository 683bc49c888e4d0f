"""WASTE containers: manifest, records, codebooks, trunk, reading, caching, writing, kernels."""
