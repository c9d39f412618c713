"""Settings of the two ways to test an experiment: calibration on tables of a known network, and prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnengine._core.setting_kinds import shown
from bnengine._core.settings import Name, Names, Number, Text, Whole, field, setting
from bnengine.bootstrap.resamplers import MOST_REPLICATES
from bnengine.bootstrap.resampling_methods import CALIBRATED_KEYS, OF_THE_SEARCH, RESAMPLING_METHODS
from bnengine.experiment.recipe import MOST_ROWS
from bnengine.networks.bundled import network_names

if TYPE_CHECKING:
    from bnengine.prediction.cross_validation import Split

#: Truths that are not bundled networks: one fitted to the data, one that the user brings in a file.
FITTED, FROM_FILE = "fitted", "file"

#: Key of the posterior, which answers whether an edge is real.
POSTERIOR = "posterior"
#: What a calibration compares unless told otherwise.
COMPARED = (*CALIBRATED_KEYS, "predictive", POSTERIOR)


@setting
class CalibrationSettings:
    """What a calibration draws from which network, and which methods it compares."""

    truth: Text | None = field(
        default=None,
        none="the network that the data were drawn from, or else one fitted to them",
        label="The true network",
        help="Name of a bundled network; fitted for one fitted to the data; file for one from a file.",
    )
    n_rows: Whole | None = field(
        default=None,
        ge=1,
        le=MOST_ROWS,
        none="as many as the data have",
        label="Rows of a table",
        unit="rows",
        help="Rows of each table drawn from the network.",
    )
    methods: Names = field(
        default=COMPARED,
        choices=[key for key, entry in RESAMPLING_METHODS.items() if entry.question != OF_THE_SEARCH],
        label="Methods",
        help="The methods that are compared, in addition to the graph learned from each table.",
    )
    n_tables: Whole = field(
        default=6, ge=1, le=10_000, label="Tables", unit="tables", help="Tables that every method is applied to."
    )
    n_fresh: Whole = field(
        default=400,
        ge=1,
        le=1_000_000,
        label="Fresh samples",
        unit="tables",
        help="Fresh samples from which each edge's inclusion probability is estimated.",
    )
    n: Whole = field(
        default=100,
        ge=1,
        le=MOST_REPLICATES,
        label="Replicates",
        unit="replicates",
        help="Replicates of each method on each table.",
    )

    def __post_init__(self) -> None:
        known = (FITTED, FROM_FILE, *network_names())
        if self.truth is not None and self.truth not in known:
            raise ValueError(f"truth must be one of {', '.join(known)}; got {shown(self.truth)}")


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
        """Return the splits of the rows into training and test rows."""
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
