"""Sections of the page on the Bayesian score."""
