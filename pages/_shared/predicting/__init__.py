"""The sections of the Predict page."""
