"""Criteria between graphs along a path of more and more edges."""

import plotly.graph_objects as go

from bnengine.teaching import CriteriaPath
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import DELETE_D, FRESH, MISFIT, corrected_color, ink

#: The criteria by the path's column.
CRITERIA = {"bic": "BIC", "aic": "AIC", "leave_one_out": "one left out", "dic": "DIC"}
_DEEPEST = 60.0  # nats below its best at which a curve may leave the picture


def _looks(dark: bool) -> dict[str, tuple[str, str]]:
    """Colour and dash of each curve."""
    return {
        "log_likelihood": (MISFIT, "dot"),
        "bic": (DELETE_D, "solid"),
        "aic": (ink(dark), "solid"),
        "leave_one_out": (FRESH, "solid"),
        "dic": (corrected_color(dark), "dash"),
    }


def criteria_figure(path: CriteriaPath, dark: bool) -> go.Figure:
    """Each criterion in nats a row, and the fit that they charge."""
    table, looks = path.table, _looks(dark)
    curves = [
        Curve(name, table["edges"].tolist(), table[column].tolist(), color, dash, "lines", "%{x} edges: %{y:.4f}")
        for column, name in {"log_likelihood": "fit", **CRITERIA}.items()
        for color, dash in [looks[column]]
    ]
    return curves_figure(curves, dark, "edges", "nats a row")


def below_best_figure(path: CriteriaPath, dark: bool) -> go.Figure:
    """Each criterion less its own best, nats in all; a mark at each best."""
    below, looks = path.below_best(), _looks(dark)
    curves = [
        Curve(name, below["edges"].tolist(), below[column].tolist(), color, dash, "lines", "%{x} edges: %{y:.2f} nats")
        for column, name in CRITERIA.items()
        for color, dash in [looks[column]]
    ]
    bic, aic, last = path.best("bic"), path.best("aic"), int(below["edges"].max())
    marks = [Mark(bic, f"BIC: {bic}", left=bic > last / 4), Mark(aic, f"AIC: {aic}", left=aic > 3 * last / 4)]
    return curves_figure(
        curves, dark, "edges", "below its best, nats", y_range=(-_DEEPEST, 0.06 * _DEEPEST), marks=marks
    )
