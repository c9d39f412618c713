"""The settings of a calibration: the network that is the truth, and how much is drawn from it."""

from __future__ import annotations

from bnengine._core.setting_kinds import shown
from bnengine._core.settings import Names, Text, Whole, field, setting
from bnengine.bootstrap.methods import ALL_KEYS, CALIBRATED_KEYS
from bnengine.bootstrap.resamplers import MOST_REPLICATES
from bnengine.experiment.recipe import MOST_ROWS
from bnengine.networks.bundled import network_names

#: Truths that are not bundled networks: one fitted to the data, one that the user brings in a file.
FITTED, FROM_FILE = "fitted", "file"


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
        default=CALIBRATED_KEYS,
        choices=[key for key in ALL_KEYS if key != "data"],
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
