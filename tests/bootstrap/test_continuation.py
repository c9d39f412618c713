"""Replicates added to a finished ensemble."""

import dataclasses

import pytest

import bnengine as bn
from tests.strategies import make_data

DATA = make_data([2, 3, 2, 2], 80, seed=6)
SETTINGS = (bn.BDeu(1), bn.HillClimbing())


@pytest.mark.parametrize(
    ("method", "correction"),
    [
        (bn.Bootstrap(7), "none"),
        (bn.Bootstrap(7), "leading"),
        (bn.Bootstrap(7), "exact"),
        (bn.Bootstrap(7, size=40), "leading"),
        (bn.ParametricBootstrap(7), "none"),
        (bn.PredictiveBootstrap(7), "none"),
        (bn.DeleteD(n=7), "none"),
        (bn.RepeatedSearch(7), "none"),
        (bn.Jackknife(), "none"),
    ],
)
def test_a_continued_ensemble_is_that_of_all_replicates_at_once(method, correction):
    more = dataclasses.replace(method, n=12) if hasattr(method, "n") else method
    few = bn.resample(DATA, *SETTINGS, method, correction, rng=4)
    done = []
    both = bn.resample(
        DATA, *SETTINGS, more, correction, rng=4, continued=few, progress=lambda n, of: done.append((n, of))
    )
    whole = bn.resample(DATA, *SETTINGS, more, correction, rng=4)
    assert (both.packed_graphs == whole.packed_graphs).all()
    assert (both.multiplicities == whole.multiplicities).all()
    for name in ("n_planned", "status", "seed", "strength", "score", "search", "resampler", "n_graphs"):
        assert getattr(both, name) == getattr(whole, name)
    assert isinstance(method, bn.Jackknife | bn.PredictiveBootstrap) or {of for _, of in done} == {5}


def test_a_study_learns_the_further_replicates_only():
    keys = ("boot_bc", "boot", "boot_matched", "jack_1", "predictive")
    few = bn.study(DATA, *SETTINGS, bn.methods(5, keys=keys), rng=4)
    both = bn.study(DATA, *SETTINGS, bn.methods(9, keys=keys), rng=4, continued=few.ensembles)
    whole = bn.study(DATA, *SETTINGS, bn.methods(9, keys=keys), rng=4)
    for key in keys:
        assert (both.ensembles[key].packed_graphs == whole.ensembles[key].packed_graphs).all()


def test_an_ensemble_of_other_data_or_settings_is_not_continued():
    few = bn.resample(DATA, *SETTINGS, bn.Bootstrap(7), rng=4)

    def refused(match, data=DATA, score=SETTINGS[0], search=SETTINGS[1], method=None, continued=few, rng=4, **settings):
        with pytest.raises(ValueError, match=match):
            bn.resample(data, score, search, method or bn.Bootstrap(12), rng=rng, continued=continued, **settings)

    codes = DATA.codes.copy()
    codes[:, 1] = codes[::-1, 1]
    refused("data must be those of the continued ensemble", bn.Dataset(DATA.names, DATA.states, codes))
    refused("data must be as for .*, n_rows = 80; got 79", DATA.take(range(79)))
    refused("data must be as for .*, names =", DATA.select(DATA.names[::-1]))
    refused("score must be as for", score=bn.BDeu(2))
    refused("search must be as for", search=bn.Tabu())
    refused("resampler must be as for .*'bootstrap'", method=bn.Bootstrap(12, size=70))
    refused("correction must be as for .* = 'none'; got 'leading'", correction="leading")
    refused("rng must be as for .*, seed = 4; got 5", rng=5)
    refused("learned with other settings: replicate", constraints=bn.Constraints(max_parents=0))
    refused("n must be at least 7", method=bn.Bootstrap(6))
    refused("must be a finished ensemble", continued=dataclasses.replace(few, status="stopped"))
    refused("whole number as rng", continued=dataclasses.replace(few, seed=None))
    matched = bn.resample(DATA, *SETTINGS, bn.Bootstrap(5), "matched", rng=4)
    refused("'matched' finds it from all of them", continued=matched, correction="matched")


def test_a_continuation_can_be_stopped():
    data = bn.load_network("asia").sample(200, rng=1)
    few = bn.resample(data, *SETTINGS, bn.Bootstrap(7), rng=4)
    found = bn.resample(data, *SETTINGS, bn.Bootstrap(5000), rng=4, continued=few, progress=lambda n, _: n < 20)
    assert found.status == "stopped"
    assert 7 < found.n_graphs < 5000 == found.n_planned
    assert (found.packed_graphs[:7] == few.packed_graphs).all()
