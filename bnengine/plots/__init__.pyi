"""What ``bnengine.plots`` makes public, and where it stands."""

from .results import calibration, edge, figure1, missing_cells, network, posterior, save, two_answers, verdict

__all__ = ["calibration", "edge", "figure1", "missing_cells", "network", "posterior", "save", "two_answers", "verdict"]
