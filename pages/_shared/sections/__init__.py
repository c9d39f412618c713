"""The parts of the longer pages."""
