"""First values of the widgets."""

from typing import Any

import bnengine as bn
from bnengine.scores.correction import LEADING_STRENGTH
from pages._shared.session.keys import Key

#: The settings of an experiment.
SETTINGS: dict[str, Any] = {
    Key.SCORE: "bic",
    Key.ESS: 1.0,
    Key.EDGE_PENALTY: 0.0,
    Key.UNIFORM_SIZES: False,
    Key.SEARCH: "hill_climbing",
    Key.RESTARTS: 0,
    Key.MAX_PARENTS: None,
    Key.TENURE: bn.Tabu().tenure,
    Key.PATIENCE: bn.Tabu().patience,
    Key.FRONTIER: bn.BestFirst().frontier,
    Key.TEMPERATURE: bn.SimulatedAnnealing().start_temperature,
    Key.PROPOSALS: bn.SimulatedAnnealing().proposals,
    Key.ACCEPTANCES: bn.SimulatedAnnealing().acceptances,
    Key.COOLING: bn.SimulatedAnnealing().cooling,
    Key.TEMPERATURES: bn.SimulatedAnnealing().temperatures,
    Key.START: bn.SimulatedAnnealing().start,
    Key.EXCHANGES: bn.SimulatedAnnealing().exchanges,
    Key.IMPROVING: True,
    Key.DEPENDENT: 1.0,
    Key.BEAM: bn.TreeSearch().beam,
    Key.REPLICATES: 200,
    Key.DELETE_D: None,
    Key.SEED: 0,
    Key.KEEP_ORDER: False,
    Key.STRENGTH: LEADING_STRENGTH,
    Key.METHODS: ["jack_1", "jack_d"],
    Key.KIND: "directed",
    Key.MAX_FALSE: 1.0,
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
