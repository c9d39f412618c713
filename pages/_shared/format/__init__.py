"""How numbers and texts are written."""
