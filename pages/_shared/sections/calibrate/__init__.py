"""Parts of the Calibrate page."""
