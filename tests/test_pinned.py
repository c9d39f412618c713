"""Results of fixed seeds, as they were when they were last meant to change: a rebuilding changes none of them.

Where a result is meant to change, ``python -m tests.test_pinned`` writes the file again, and the changelog says why.
"""

import json
from pathlib import Path

import pytest

import bnengine as bn
from bnengine.scores.scores import SCORES

PINNED = Path(__file__).with_name("pinned.json")
SEARCHES = {
    "hill climbing": bn.HillClimbing(),
    "hill climbing, 3 restarts": bn.HillClimbing(restarts=3),
    "tabu": bn.Tabu(tenure=20, patience=20),
    "annealing": bn.SimulatedAnnealing(temperatures=30),
    "annealing, published": bn.SimulatedAnnealing.published(),
    "best-first": bn.BestFirst(patience=5),
    "K2": bn.K2(),
    "fixed ordering": bn.FixedOrdering(max_parents=2),
    "Chow–Liu": bn.ChowLiu(),
    "tree": bn.TreeSearch(max_networks=200),
    "exact": bn.Exact(max_parents=3),
}
PINNED_METHODS = (
    "data",
    "bootstrap_corrected",
    "bootstrap_matched",
    "bootstrap",
    "parametric_corrected",
    "parametric",
)
SCORES = {key: kind() for key, kind in SCORES.items() if key != "bde"} | {"bde": bn.BDe("asia", 5.0)}


def graphs(data):
    """Score and edges by search, under BIC, and by score, under hill climbing."""
    for name, search in SEARCHES.items():
        yield f"learn {name}", bn.learn(data, bn.BIC(), search, rng=1)
    for name, score in SCORES.items():
        yield f"learn {name}", bn.learn(data, score, bn.HillClimbing(max_parents=3), rng=1)


def results():
    """Name and plain value of every pinned result."""
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    found = {name: [graph.score, sorted(map(list, graph.edges))] for name, graph in graphs(data)}
    for key, ensemble in bn.study(
        data, bn.BDeu(1), bn.HillClimbing(), bn.resampling_methods(20, keys=PINNED_METHODS), rng=2
    ).ensembles.items():
        average = bn.averaged_network(ensemble, 0.5)
        found[f"ensemble {key}"] = [ensemble.mean_edges, ensemble.strength, sorted(map(list, average.edges))]
    alarm = bn.Dataset.from_frame(bn.load_sample("alarm_300"))
    found["table 1"] = bn.table1(alarm, [bn.BIC(), bn.BDeu(1)], bn.HillClimbing(), 10, rng=3).to_numpy().tolist()
    calibration = bn.calibrate(
        bn.load_network("asia"), 200, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(10), 2, 20
    )
    found["calibration"] = calibration.table().set_index("method").fillna(-1.0).to_numpy().tolist()
    found["posterior"] = bn.edge_posterior(data, max_parents=3).probability.round(9).tolist()
    found["permutation"] = bn.permutation_threshold(
        data, bn.AIC(), bn.HillClimbing(), bn.Bootstrap(10), n_permutations=3
    ).false_edges.tolist()
    return found


@pytest.fixture(scope="module")
def now():
    return results()


def check(value, expected):
    """Numbers to nine digits, everything else exactly."""
    if isinstance(expected, list):
        assert len(value) == len(expected)
        for one, other in zip(value, expected, strict=True):
            check(one, other)
    elif isinstance(expected, str):
        assert value == expected
    else:
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", json.loads(PINNED.read_text()) if PINNED.is_file() else [])
def test_a_pinned_result_is_unchanged(now, name):
    check(now[name], json.loads(PINNED.read_text())[name])


def test_every_result_is_pinned(now):
    assert set(now) == set(json.loads(PINNED.read_text()))


if __name__ == "__main__":
    PINNED.write_text(json.dumps(results(), indent=1, ensure_ascii=False) + "\n")
