"""Which scores can be computed where cells are missing, and why others cannot."""

from __future__ import annotations

from bnengine.data.dataset import DataError, Dataset
from bnengine.scores._count_terms import ENTROPY, REGRET, TableScore


def refused_in_families(score: TableScore) -> str | None:
    """Return why a score does not exist for families counted on different rows; None where it does.

    Those that exist are a log-likelihood with a penalty, which can be scaled to all rows (Balov 2013).
    """
    form = score.form(2)
    if form.unbias:
        return "it takes its expectation over resamples of complete rows"
    if form.quotient:
        return "its regret is that of all rows together"
    if form.cell == ENTROPY and form.configuration in (ENTROPY, REGRET):
        return None
    return "a marginal likelihood of some of the rows, scaled to all, is no probability"


def check_way(score: TableScore, data: Dataset) -> None:
    """Raise a DataError unless a score can be computed on data with missing cells as they are."""
    if data.missing_way != "complete_families":
        raise DataError(
            "a score needs every cell, but some of these are missing, and are to be drawn in each replicate; score "
            "them family by family with data.with_missing('complete_families')"
        )
    reason = refused_in_families(score)
    if reason is not None:
        raise DataError(
            f"{score.name} does not exist where families are counted on different rows, since {reason}; use "
            "BIC, AIC or fNML, or let the missing cells be drawn with data.with_missing('drawn')"
        )
