"""Parts of the Bayesian score page."""
