"""Resampling: confidence of edges, its bias and correction, thresholds, calibration."""
