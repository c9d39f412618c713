"""Results of fixed seeds, as they were when they were last meant to change: a rebuilding changes none of them.

Where a result is meant to change, ``python -m tests.test_pinned`` writes the file again, and the changelog says why.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.permutation_threshold import permutation_threshold
from bnengine.bootstrap.resample import ResampleTask
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS
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
PINNED_METHODS = ("data", "bootstrap_corrected", "bootstrap_matched", "bootstrap", "parametric_corrected", "parametric")
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
    found = {name: learned(graph) for name, graph in graphs(data)}
    for key, ensemble in bn.study(
        data, bn.BDeu(1), bn.HillClimbing(), bn.resampling_methods(20, keys=PINNED_METHODS), rng=2
    ).ensembles.items():
        average = bn.answers.averaged_network(ensemble, 0.5)
        found[f"ensemble {key}"] = [ensemble.mean_edges, ensemble.strength, sorted(map(list, average.edges))]
    alarm = bn.Dataset.from_frame(bn.load_sample("alarm_300"))
    found["table 1"] = bn.table1(alarm, [bn.BIC(), bn.BDeu(1)], bn.HillClimbing(), 10, rng=3).to_numpy().tolist()
    calibration = bn.calibrate(
        bn.load_network("asia"),
        200,
        bn.BIC(),
        bn.HillClimbing(),
        bn.resampling_methods(10, keys=TABLE1_KEYS),
        bn.settings.Tables(2, 20),
    )
    found["calibration"] = calibration.table().set_index("method").fillna(-1.0).to_numpy().tolist()
    found["permutation"] = permutation_threshold(
        ResampleTask(data, bn.AIC(), bn.HillClimbing(), bn.Bootstrap(10)), n_permutations=3
    ).false_edges.tolist()
    return found | answers(data, alarm) | special_rows(data)


def answers(data, alarm):
    """The default search, what fresh tables would show, the posteriors under a score, the verdict, and rows needed."""
    found = {f"default search {name}": learned(bn.learn(table)) for name, table in (("asia", data), ("alarm", alarm))}
    found["posterior"] = bn.edge_posterior(data, bn.BDeu(1), max_parents=3).probability.round(9).tolist()
    found["real"] = (
        bn.edge_posterior(data, max_parents=3, effort=bn.posterior.Effort(n_bags=4), rng=8)
        .probability.round(9)
        .tolist()
    )
    for name, score in (("BDeu(10)", bn.BDeu(10)), ("fNML", bn.FNML())):
        found[f"posterior {name}"] = bn.edge_posterior(data, score, max_parents=3).probability.round(9).tolist()
    sampled = bn.edge_posterior(alarm, bn.BDeu(1), method="order", n_steps=50_000, rng=4)
    found["posterior sampled"] = [float(sampled.probability.sum()), sampled.probability.max(axis=0).round(9).tolist()]
    methods = bn.resampling_methods(20, keys=["predictive"])
    study = bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), methods, rng=5)
    found["predictive bootstrap"] = study.confidence("predictive", "adjacency").round(9).tolist()
    verdict = bn.verdict(study, posterior=bn.edge_posterior(data, bn.FNML(), max_parents=3))
    shown = verdict.table(hidden=True)[["parent", "child", "verdict", "found_again", "real", "direction", "compelled"]]
    found["verdict"] = shown.to_numpy().tolist()
    needed = bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), n=20, sizes=[500, 1000], rng=6)
    found["rows needed"] = needed.found_again.round(9).tolist()
    return found


def special_rows(data):
    """Tables with holes, with weights, and with rows of an experiment."""
    generator = np.random.default_rng(7)
    frame = data.to_frame()
    holes = bn.Dataset.from_frame(frame.mask(generator.random(frame.shape) < 0.05), missing="keep")
    weighted = bn.Dataset.from_frame(frame.assign(n=generator.integers(0, 4, len(frame))), weights="n")
    set_in_row = np.where(generator.random(len(frame)) < 0.3, "smoke", "")
    experiment = bn.Dataset.from_frame(frame.assign(INT=set_in_row), interventions="INT")
    found = {}
    for name, table in (("holes", holes), ("weights", weighted), ("interventions", experiment)):
        found[f"learn with {name}"] = learned(bn.learn(table, bn.BIC(), rng=1))
        ensemble = bn.resample(table, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20), "leading", rng=2)
        found[f"bootstrap with {name}"] = [ensemble.mean_edges, ensemble.confidence.round(9).tolist()]
        whole = table.with_missing("complete_families") if name == "holes" else table
        found[f"local score with {name}"] = bn.local_score(whole, "dysp", ["bronc", "either"], bn.BIC())
    return found


def learned(graph):
    return [graph.score, sorted(map(list, graph.edges))]


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
