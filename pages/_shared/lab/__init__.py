"""The sections of the Bias lab."""
