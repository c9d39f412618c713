"""Cutting columns of numbers into ordered states."""
