"""First values of the widgets."""

from typing import Any

import bnengine as bn
from bnengine._core.settings import settings_of, tag_of
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from pages._shared.session.keys import Key


def _declared() -> dict[str, Any]:
    """First values of the declared settings: numbers, switches and choices."""
    values: dict[str, Any] = {}
    for owner in (bn.Experiment, *SCORES.values(), *SEARCHES.values()):
        for one in settings_of(owner):
            if one.kind in ("int", "float", "bool", "choice"):
                values.setdefault(Key.setting(one.name, tag_of(owner)), one.default)
    return values


#: The settings of an experiment; those of Table 1 and Calibrate are no part of it.
SETTINGS: dict[str, Any] = _declared() | {
    Key.SCORE: "bic",
    Key.SEARCH: "hill_climbing",
    Key.MAX_PARENTS: None,  # the search's own
    Key.METHODS: ["jack_1", "jack_d"],  # in addition to both bootstraps
    Key.PAPER_RUNS: 320,
    Key.PAPER_ESS: 25.0,
    Key.PAPER_SCORES: ["bic", "bdeu"],
    Key.TABLES: 6,
    Key.FRESH: 400,
    Key.CALIBRATION_N: 100,
    Key.CALIBRATED: ["boot_bc", "boot_exact", "boot_matched", "boot", "para", "jack_d"],
}

#: The widgets of the Bias lab and the Predict page, which are no part of the experiment.
PAGES: dict[str, Any] = {
    Key.LAB_STATES: 8,
    Key.LAB_ROWS: 50,
    Key.LAB_SKEW: 0.5,
    Key.LAB_SAMPLE: 5,
    Key.LAB_ORDER: 2,
    Key.LAB_MEASURED: 20,
    Key.LAB_SHARE: 0.4,
    Key.LAB_DRAWS: 5,
    Key.LAB_ARITIES: (3, 3),
    Key.LAB_PAIR_ROWS: 200,
    Key.LAB_TIED_ROWS: 50,
    Key.LAB_ESS: 1.0,
    Key.LAB_SPARSE_ROWS: 200,
    Key.LAB_PATH_PARENTS: 5,
    Key.LAB_ERROR_ROWS: 300,
    Key.TEST_SHARE: 0.3,
    Key.FOLDS: 10,
    Key.TABLE_ESS: 1.0,
    Key.MEASURE: "absolute_error",
    Key.SLACK: 1.0,
    Key.ENOUGH_VALUE: 0.3,
    Key.EDGE_PARENTS: 3,
}
