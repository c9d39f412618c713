"""Sections of the MDL page."""
