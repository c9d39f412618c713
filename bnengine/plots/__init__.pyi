"""What ``bnengine.plots`` makes public, and where it stands."""

from .results import calibration, edge, figure1, missing_cells, network, save, two_answers

__all__ = ["calibration", "edge", "figure1", "missing_cells", "network", "save", "two_answers"]
