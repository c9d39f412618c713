"""One fence around numba: compiled functions, kept code, records and vectors."""
