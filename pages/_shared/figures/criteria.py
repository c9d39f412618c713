"""Criteria of graphs along a path of more and more edges."""

import pandas as pd
import plotly.graph_objects as go

from bnengine.teaching import CriteriaPath
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import DELETE_D, FRESH, MISFIT, corrected_color, ink

#: The criteria by the path's column.
CRITERIA = {"bic": "BIC", "aic": "AIC", "leave_one_out": "leave-one-out", "dic": "DIC"}
_DEEPEST = 60.0  # nats below its maximum at which a curve may leave the picture


def criteria_figure(path: CriteriaPath, dark: bool) -> go.Figure:
    """Draw each criterion, and the log-likelihood that they penalize."""
    curves = [_curve(path.table, column, "%{y:.4f}", dark) for column in ("log_likelihood", *CRITERIA)]
    return curves_figure(curves, dark, "edges", "nats per row")


def below_best_figure(path: CriteriaPath, dark: bool) -> go.Figure:
    """Draw each criterion minus its maximum, in nats over all rows, and mark where it is reached."""
    below = path.below_best()
    bic, aic, last = path.best("bic"), path.best("aic"), int(below["edges"].max())
    marks = [Mark(bic, f"BIC: {bic}", left=bic > last / 4), Mark(aic, f"AIC: {aic}", left=aic > 3 * last / 4)]
    curves = [_curve(below, column, "%{y:.2f} nats", dark) for column in CRITERIA]
    return curves_figure(curves, dark, "edges", "nats", y_range=(-_DEEPEST, 0.06 * _DEEPEST), marks=marks)


def _curve(table: pd.DataFrame, column: str, shown: str, dark: bool) -> Curve:
    looks = {
        "log_likelihood": (MISFIT, "dot"),
        "bic": (DELETE_D, "solid"),
        "aic": (ink(dark), "solid"),
        "leave_one_out": (FRESH, "solid"),
        "dic": (corrected_color(dark), "dash"),
    }
    name = CRITERIA.get(column, "log-likelihood")
    return Curve(name, table["edges"], table[column], *looks[column], "lines", f"edges: %{{x}}<br>{shown}")
