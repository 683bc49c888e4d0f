"""Representations: one logical thing in several physical forms, and who chooses among them."""
