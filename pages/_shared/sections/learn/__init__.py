"""Parts of the Learn page."""
