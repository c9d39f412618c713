"""A score of resamples that prefers the same graph at the same frequencies, however many rows are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from bnengine.scores._count_terms import ENTROPY
from bnengine.scores.score_form import ScoreForm, TableScore


@dataclass(frozen=True)
class FixedRegion:
    """A penalized likelihood for resamples of n rows that ranks graphs as if their counts were multiplied by N / n.

    With counts multiplied by N / n, the log-likelihood is multiplied by N / n too, as sum n_jk ln(n_jk / n_j) is
    homogeneous; the penalty is that of N rows. Divided by N / n, which ranks graphs alike: the log-likelihood of the
    resample minus n / N of the penalty. Ties within rounding apart, a search finds the same graph with either.

    Marginal likelihoods and normalized maximum likelihoods are not homogeneous in the counts: a family's score at
    fractional counts is no multiple of any score of the resample. They are refused rather than approximated.

    Parameters
    ----------
    score : score
    n_rows : int
        N, of the data.
    n_drawn : int
        n, of the resamples.
    """

    score: TableScore
    n_rows: int
    n_drawn: int

    @property
    def name(self) -> str:
        """The score's own name with the numbers of rows."""
        return f"{self.score.name}, {self.n_drawn:,} rows as {self.n_rows:,}"

    def form(self, n_rows: int) -> ScoreForm:
        """The score's form for N rows with its penalties times n / N, whatever the sample."""
        form = self.score.form(self.n_rows)
        share = self.n_drawn / self.n_rows
        return form._replace(penalty=form.penalty * share, edge_penalty=form.edge_penalty * share)

    def check(self) -> None:
        """Raise a ValueError if the score is not a likelihood with a penalty per parameter or edge."""
        form = self.score.form(self.n_rows)
        likelihood = form.cell == form.configuration == ENTROPY and form.network is None
        if not likelihood or form.quotient or form.unbias or form.uniform_parent_sizes:
            raise ValueError(
                f"the multiscale bootstrap needs a score that keeps its region when the rows vary in number; "
                f"{self.score.name} has none: use BIC, AIC or the log-likelihood, with a penalty per edge if wanted"
            )
