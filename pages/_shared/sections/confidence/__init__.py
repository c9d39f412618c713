"""Parts of the Confidence page."""
