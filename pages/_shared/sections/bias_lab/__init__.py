"""Parts of the Bias lab."""
