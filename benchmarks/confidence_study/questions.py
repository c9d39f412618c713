"""The two questions, and how each is answered from the raw table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from benchmarks.scorer import Choice, chosen, compared, losses

#: The losses that decide, in words.
MEASURE_NAMES = {"pi_error": "Σ |p − π|", "log_loss": "log-loss", "brier": "Brier score"}
#: Settings by rows of the table per free parameter of the true network.
BANDS = ((0.0, 0.3), (0.3, 3.0), (3.0, float("inf")))


@dataclass(frozen=True)
class Question:
    """One of the two questions.

    Attributes
    ----------
    name : str
    measure : str
        The loss that is reported in full.
    deciding : tuple of str
        The losses whose worst regrets decide.
    unit : str
    """

    name: str
    measure: str
    deciding: tuple[str, ...]
    unit: str


FOUND_AGAIN = Question("found again", "pi_error", ("pi_error",), "edges per true edge")
REAL = Question("real", "log_loss", ("log_loss", "brier"), "nats per true edge")
QUESTIONS = (FOUND_AGAIN, REAL)


@dataclass(frozen=True)
class Answer:
    """What a raw table says on a question."""

    question: Question
    frame: pd.DataFrame

    @cached_property
    def losses(self) -> pd.DataFrame:
        """See ``comparison.losses``."""
        return losses(self.frame, self.question.measure)

    @cached_property
    def table(self) -> pd.DataFrame:
        """See ``comparison.compared``."""
        return compared(self.losses)

    @cached_property
    def choice(self) -> Choice:
        """The method with the smallest worst regret."""
        return chosen([losses(self.frame, measure) for measure in self.question.deciding])

    def line(self, method: str) -> pd.Series:
        """Return a method's row of the table."""
        return self.table[self.table["method"] == method].iloc[0]

    def band(self, low: float, high: float) -> pd.DataFrame:
        """Return the losses in settings with so many rows per parameter."""
        x = self.losses["rows_per_parameter"]
        return self.losses[(x >= low) & (x < high)]

    @property
    def n_settings(self) -> int:
        """Settings with any method."""
        return int(self.table["settings"].max())


def band_name(low: float, high: float) -> str:
    """Return a band in words."""
    if low == 0:
        return f"under {high:g}"
    return f"{low:g} and more" if high == float("inf") else f"{low:g} to {high:g}"
