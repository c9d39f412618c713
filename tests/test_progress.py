"""Progress never runs backwards and ends at the whole; a search can be stopped while it runs."""

import functools
import inspect

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.bootstrap.permutation_threshold import permutation_threshold
from bnengine.bootstrap.resample import ResampleTask
from bnengine.experiment.evaluations import run_prediction
from tests.fuzz.public import arguments_of, calls, function_of, parameters_of

REPORTING = {name: thing for name, thing in calls().items() if "progress" in parameters_of(name, thing)}

ASIA = bn.load_network("asia")
DATA = ASIA.sample(100, rng=1)
LEARNING = (DATA, bn.BIC(), bn.HillClimbing())
TABLE = pd.DataFrame(np.random.default_rng(1).normal(size=(120, 3)), columns=[*"abc"])
#: A search that nobody waits for.
ENDLESS = bn.SimulatedAnnealing(1e9, 10_000_000, 10_000_000, 0.999, 10_000_000)
#: Calls whose work has parts that the plain ones above do not have.
FURTHER = {
    "calibrate, other answers too": functools.partial(
        bn.calibrate,
        *(ASIA, 100, bn.BIC(), bn.HillClimbing()),
        [
            *bn.resampling_methods(10, keys=("bootstrap",)),
            bn.settings.OtherAnswer(
                "posterior", functools.partial(bn.edge_posterior, score=bn.BDeu(1), method="order", n_steps=2_000)
            ),
            bn.settings.OtherAnswer(
                "real", functools.partial(bn.edge_posterior, effort=bn.posterior.Effort(n_bags=2), n_steps=2_000)
            ),
        ],
        bn.settings.Tables(3, 20),
    ),
    "permutation_threshold, matched": functools.partial(
        permutation_threshold, ResampleTask(*LEARNING, bn.Bootstrap(10), "matched"), n_permutations=3
    ),
    "resample, matched": functools.partial(bn.resample, *LEARNING, bn.Bootstrap(30), "matched"),
    "resample, predictive": functools.partial(bn.resample, *LEARNING, bn.PredictiveBootstrap(30)),
    "rows_needed": functools.partial(bn.rows_needed, *LEARNING, sizes=(50, 100, 200), n=20),
    "edge_posterior, orderings": functools.partial(bn.edge_posterior, DATA, bn.BDeu(1), method="order", n_steps=5_000),
    "edge_posterior, real": functools.partial(
        bn.edge_posterior, DATA, method="order", effort=bn.posterior.Effort(n_bags=2), n_steps=5_000
    ),
    "edge_posterior, real summed": functools.partial(bn.edge_posterior, DATA, effort=bn.posterior.Effort(n_bags=2)),
    "edge_posterior, numbers": functools.partial(
        bn.edge_posterior,
        bn.Dataset.from_frame(TABLE.assign(d=[*"uv"] * 60), numbers=[*"abc"]),
        effort=bn.posterior.Effort(n_bags=1),
    ),
    "permutation_threshold, predictive": functools.partial(
        permutation_threshold, ResampleTask(*LEARNING, bn.PredictiveBootstrap(4)), n_permutations=5
    ),
    "Recipe.cuts, mutual information": functools.partial(
        bn.Recipe("file", "t.csv", discretization="hartemink").cuts, TABLE
    ),
    "Recipe.cuts, score": functools.partial(bn.Recipe("file", "t.csv", discretization="score").cuts, TABLE),
    "run_prediction": functools.partial(run_prediction, bn.Experiment(n=2), DATA),
    "study, all methods": functools.partial(
        bn.study, *LEARNING, bn.resampling_methods(10, keys=("bootstrap", "bootstrap_matched", "predictive"))
    ),
}


@pytest.mark.parametrize("name", sorted(REPORTING | FURTHER))
def test_the_share_done_never_decreases_and_reaches_the_whole(name, monkeypatch):
    monkeypatch.setattr("bnengine.answers.noise.COPIES", 3)
    shares = []

    def progress(done, total):
        assert 0 <= done <= total
        shares.append(done / total)

    if name in FURTHER:
        call = FURTHER[name]
    else:
        call = functools.partial(function_of(REPORTING[name]), **arguments_of(name, REPORTING[name]))
        with pytest.raises(ValueError, match="progress must be a function, or None"):
            call(progress=[progress])
    call(progress=progress)
    assert shares == sorted(shares)
    assert shares[-1:] in ([], [1.0])  # none where the work was done before the first look at it


def test_calls_with_progress_are_among_those_tried():
    assert {"calibrate", "resample", "study", "edge_posterior", "Experiment.run"} <= set(REPORTING)
    for name, thing in REPORTING.items():
        function = getattr(*thing) if isinstance(thing, tuple) else thing
        assert inspect.signature(function).parameters["progress"].default is None, name


@pytest.mark.parametrize(
    "call",
    [
        functools.partial(run_prediction, bn.Experiment(search=ENDLESS), DATA),
        functools.partial(bn.resample, DATA, bn.BIC(), ENDLESS, bn.Bootstrap(5)),
    ],
    ids=["run_prediction", "resample"],
)
def test_a_search_is_stopped_while_it_runs(call):
    """Stop was asked between graphs only; if it still were, this would not end."""
    assert call(progress=lambda *_: False).status == "stopped"


def test_the_whole_is_not_reported_of_work_that_was_stopped():
    told = []
    bn.teaching.compare_searches(
        DATA, bn.BIC(), [bn.HillClimbing(), bn.Tabu()], progress=lambda *of: told.append(of) or False
    )
    assert (2, 2) not in told
