"""Prediction of one variable from the others."""
