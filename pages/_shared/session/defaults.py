"""First values of the widgets."""

from typing import Any

import bnengine as bn
from bnengine._core.settings import setting_of, settings_of, tag_of
from bnengine.experiment.calibration_settings import COMPARED
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from pages._shared.session.keys import Key


def _declared() -> dict[str, Any]:
    """First values of the declared settings: numbers, switches and choices."""
    values: dict[str, Any] = {}
    owners = [(tag_of(kind), kind) for kind in (bn.Experiment, *SCORES.values(), *SEARCHES.values())]
    owners += [(part, setting_of(bn.Experiment, part).part) for part in Key.PARTS]
    for owner, kind in owners:
        for one in settings_of(kind):
            if one.kind in ("int", "float", "bool", "choice"):
                values.setdefault(Key.setting(one.name, owner), one.default)
    return values


#: The settings of an experiment, and those of Table 1.
SETTINGS: dict[str, Any] = _declared() | {
    Key.SCORE: "bic",
    Key.SEARCH: "hill_climbing",
    Key.MAX_PARENTS: None,  # the search's default
    Key.METHODS: ["predictive", "jack_1", "jack_d"],  # in addition to both bootstraps
    Key.PAPER_RUNS: 320,
    Key.PAPER_ESS: 25.0,
    Key.PAPER_SCORES: ["bic", "bdeu"],
    Key.CALIBRATED: list(COMPARED),
    Key.TRUTH: None,
    Key.TARGET: None,
}

#: The widgets of the Bias lab and the Predict page, which are not part of the experiment.
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
    Key.LAB_MULTISCALE_ROWS: 200,
    Key.MEASURE: "absolute_error",
    Key.SLACK: 1.0,
    Key.ENOUGH_VALUE: 0.3,
    Key.EDGE_PARENTS: 3,
}
