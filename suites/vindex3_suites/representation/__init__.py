"""Conformance tests of stored forms: selection, authority, eligibility, precision maps, promotion, packs."""
