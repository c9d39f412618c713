"""The controls of the settings."""
