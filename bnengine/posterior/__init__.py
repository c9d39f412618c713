"""Posterior probabilities of edges."""
