"""Parts of the Table 1 page."""
