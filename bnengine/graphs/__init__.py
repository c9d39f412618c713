"""Directed graphs as boolean matrices, constraints on them, and how many there are."""
