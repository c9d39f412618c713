"""The settings of a test of predictions: the target, the rows to test on, the prior of the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnengine._core.settings import Name, Number, Text, Whole, field, setting

if TYPE_CHECKING:
    from bnengine.prediction.cross_validation import Split


@setting
class PredictionSettings:
    """Which variable is predicted, and how the predictions are tested."""

    target: Name | None = field(
        default=None, none="the last column", label="Target", help="The variable that is predicted from the others."
    )
    testing: Text = field(
        default="folds",
        choices={"folds": "Cross-validation", "holdout": "One split"},
        label="Tested by",
        help="Test on each fold in turn, or once on rows drawn at random.",
    )
    folds: Whole = field(default=10, ge=2, le=1_000, label="Folds", unit="folds", help="Folds of cross-validation.")
    test_share: Number = field(
        default=0.3, gt=0, lt=1, label="Share of rows to test on", help="Share of the rows that one split tests on."
    )
    ess: Number = field(
        default=1.0,
        ge=1e-6,
        le=1e6,
        label="Prior counts of the tables",
        unit="rows",
        help="Prior counts spread evenly over each table of probabilities. Without any, a state that the training rows "
        "do not show would have probability 0 and make the log loss infinite.",
    )

    def splits(self, n_rows: int, seed: int) -> list[Split]:
        """The splits of the rows into training and test rows."""
        from bnengine.prediction.cross_validation import holdout, k_folds

        if self.testing == "folds":
            return k_folds(n_rows, min(self.folds, n_rows), rng=seed)
        return holdout(n_rows, self.test_share, rng=seed)

    @property
    def python(self) -> str:
        """A Python expression for the splits of ``data``, up to the seed."""
        if self.testing == "folds":
            return f"bn.prediction.k_folds(data.n_rows, min({self.folds}, data.n_rows)"
        return f"bn.prediction.holdout(data.n_rows, {self.test_share}"
