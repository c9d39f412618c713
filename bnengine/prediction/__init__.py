"""Prediction of one variable from the others, what evidence changes, and how well a network predicts."""

from bnengine.networks.inference import EvidenceError, Posteriors, changes, posteriors, rows_with, what_if
from bnengine.networks.missing_cells import draw_missing, fit_drawn
from bnengine.networks.mixture import NetworkMixture, averaged
from bnengine.networks.network import log_probabilities, row_probabilities
from bnengine.prediction.cross_validation import (
    MEASURES,
    Detection,
    PredictionComparison,
    Predictions,
    base_rate,
    compare_predictions,
    detection,
    holdout,
    k_folds,
    naive_bayes,
    predict,
)
from bnengine.prediction.edge_by_edge import EdgeCurve, EdgePlan, edge_curve, edge_plan

__all__ = [
    "MEASURES",
    "Detection",
    "EdgeCurve",
    "EdgePlan",
    "EvidenceError",
    "NetworkMixture",
    "Posteriors",
    "PredictionComparison",
    "Predictions",
    "averaged",
    "base_rate",
    "changes",
    "compare_predictions",
    "detection",
    "draw_missing",
    "edge_curve",
    "edge_plan",
    "fit_drawn",
    "holdout",
    "k_folds",
    "log_probabilities",
    "naive_bayes",
    "posteriors",
    "predict",
    "row_probabilities",
    "rows_with",
    "what_if",
]
