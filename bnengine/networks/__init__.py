"""Bayesian networks: fit, sampling, likelihood, inference, file formats, bundled networks and tables."""
