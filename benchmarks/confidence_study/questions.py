"""The two questions, and how each is answered from the raw table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from benchmarks.scorer import BASE, Choice, chosen, compared, losses

#: The losses that decide, in words.
MEASURE_NAMES = {"pi_error": "Σ |p − π|", "log_loss": "log-loss", "brier": "Brier score"}
#: Settings by rows of the table per free parameter of the true network.
BANDS = {"under 0.3": (0.0, 0.3), "0.3 to 3": (0.3, 3.0), "3 and more": (3.0, math.inf)}


def sizes(frame: pd.DataFrame) -> str:
    """Return how many variables and rows the tables have that figures come from, in words."""
    variables, rows = (sorted(frame[column].unique()) for column in ("variables", "rows"))
    of = [f"{n[0]:,} to {n[-1]:,}" if len(n) > 1 else f"{n[0]:,}" for n in (variables, rows)]
    return f"{of[0]} variables and {of[1]} rows"


class Question(NamedTuple):
    """One of the two questions."""

    name: str
    deciding: tuple[str, ...]  # the losses whose worst regrets decide; the first is reported in full
    unit: str


FOUND_AGAIN = Question("found again", ("pi_error",), "edges per true edge")
REAL = Question("real", ("log_loss", "brier"), "nats per true edge")
QUESTIONS = (FOUND_AGAIN, REAL)


@dataclass(frozen=True)
class Answer:
    """What a raw table says on a question."""

    question: Question
    frame: pd.DataFrame

    def against(self, base: str) -> pd.DataFrame:
        """See ``scorer.losses``."""
        return losses(self.frame, self.question.deciding[0], base)

    @cached_property
    def losses(self) -> pd.DataFrame:
        """The losses beside those of the corrected bootstrap."""
        return self.against(BASE)

    @cached_property
    def table(self) -> pd.DataFrame:
        """See ``scorer.compared``; by method."""
        return compared(self.losses).set_index("method", drop=False)

    @cached_property
    def choice(self) -> Choice:
        """The methods by their worst regret."""
        others = [losses(self.frame, measure) for measure in self.question.deciding[1:]]
        return chosen([self.losses, *others])

    @cached_property
    def bands(self) -> dict[str, pd.DataFrame]:
        """The losses in the settings of each band, by its name."""
        x = self.losses["rows_per_parameter"]
        return {name: self.losses[(x >= low) & (x < high)] for name, (low, high) in BANDS.items()}

    @property
    def n_settings(self) -> int:
        """Settings with any method."""
        return int(self.table["settings"].max())

    @property
    def complete(self) -> pd.DataFrame:
        """The methods computed in every setting."""
        return self.table[self.table["settings"] == self.n_settings]
