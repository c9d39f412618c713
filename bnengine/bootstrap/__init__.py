"""Resampling: edge confidence, its bias and correction, thresholds, calibration."""
