"""Scores, the compiled local score behind them, and their bias correction."""
