"""Parts of the Predict page."""
