"""Discretization: numeric columns cut into ordered states."""
