"""Edges that coarse bins make: against tables whose truth is built in."""

import io

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.reading import read_named
from bnengine.experiment.binning_check import check_bins, has_bins
from tests import exports


def chain(seed, n=5000):
    """Plan → minutes → gigabytes → cost: every adjacency beyond these three exists by binning alone."""
    rng = np.random.default_rng(seed)
    plan = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    minutes = rng.gamma(4, 10, n) * np.array([0.5, 1.0, 2.0])[plan]
    gigabytes = minutes * rng.uniform(0.085, 0.115, n)
    columns = {"plan": np.array(list("abc"))[plan], "minutes": minutes, "gigabytes": gigabytes}
    return pd.DataFrame(columns | {"cost": gigabytes * rng.uniform(0.7, 1.3, n)})


TRUE = {("minutes", "plan"), ("gigabytes", "minutes"), ("cost", "gigabytes")}


@pytest.mark.parametrize("bins", [2, 3])
def test_every_adjacency_that_binning_made_is_a_suspect_and_no_true_one(bins):
    frame = chain(1)
    experiment = bn.Experiment(bn.Recipe("file", "t.csv", discretization="quantile", bins=bins))
    data = experiment.data.prepare(frame)
    edges = experiment.learn(data).edges
    learned = {tuple(sorted(edge)) for edge in edges}
    assert learned >= TRUE
    assert learned > TRUE  # there is something to find
    found = check_bins(experiment, frame, edges)
    assert set(found.suspects) == learned - TRUE
    assert found.bins == (bins + 2, 2 * bins + 2)
    for pair in learned:
        assert ("by binning alone" in found.about(*pair)) == (pair not in TRUE) == ("gone" in found.about(*pair[::-1]))
    assert all(f"{one} – {other}" in found.sentence for one, other in found.suspects)


@pytest.mark.thorough
def test_exports_have_their_artefacts_marked_and_their_truth_not():
    export = exports.churn(35)
    frame = read_named(io.BytesIO(export.content), export.name)
    recipe = bn.Recipe("file", export.name).suggested(frame)
    recipe = recipe.accepting(frame, [one.step for one in bn.proposals(frame)])
    experiment = bn.Experiment(recipe)
    data = recipe.prepare(frame)
    found = check_bins(experiment, frame, experiment.learn(data).edges)
    assert set(found.suspects) == {("plan", "usage_gb")}
    assert not {frozenset(pair) for pair in found.suspects} & export.truth


def test_columns_cut_by_hand_stay_and_without_bins_nothing_is_tried():
    frame = chain(0, 500)
    by_hand = tuple((name, "hand", "20") for name in ("minutes", "gigabytes", "cost"))
    recipe = bn.Recipe("file", "t.csv", per_column=by_hand)
    found = check_bins(bn.Experiment(recipe), frame, [("plan", "minutes")])
    assert (found.bins, found.suspects, found.about("plan", "minutes")) == ((), {}, "")
    plain = pd.DataFrame({"a": list("xyxy"), "b": list("ppqq")})
    recipe = bn.Recipe("file", "t.csv")
    assert not has_bins(recipe, plain)


def test_it_can_be_stopped_and_says_how_far_it_came():
    frame = chain(0, 500)
    experiment = bn.Experiment(bn.Recipe("file", "t.csv", discretization="quantile"))
    data = experiment.data.prepare(frame)
    edges = experiment.learn(data).edges
    found = check_bins(experiment, frame, edges, lambda done, total: done < 1)
    assert (found.status, found.bins) == ("stopped", (5,))
