"""What is told of one edge, against counting rows and graphs one by one, and against lists of all equivalent graphs."""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers import explain_edge
from bnengine.answers.edge_sentences import ABSENT, ALONE, COMPELLED, TOGETHER
from bnengine.graphs.dag import cpdag
from bnengine.search.drawn_cells import drawn_once
from bnengine.typing import Study
from tests.naive import all_dags
from tests.strategies import make_data, with_holes

NETWORK = bn.load_network("asia")
PAIRS = list(itertools.combinations(NETWORK.names, 2))
KEYS = ["predictive", "bootstrap"]


@pytest.fixture(scope="module")
def data():
    return NETWORK.sample(500, rng=3)


@pytest.fixture(scope="module")
def study(data):
    return bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), bn.resampling_methods(60, keys=KEYS))


@pytest.fixture(scope="module")
def posterior(data):
    return bn.edge_posterior(data, bn.FNML())


@pytest.mark.slow
def test_gains_are_differences_of_whole_graphs_scores(data, study, posterior):
    score, edges = bn.BIC(), study.reference.edges
    for pair in PAIRS:
        told = explain_edge(data, *pair, score, study, posterior)
        rest = [edge for edge in edges if set(edge) != {told.parent, told.child}]
        for gain in told.gains:
            edge = (gain.parent, gain.child)
            assert gain.alone == pytest.approx(bn.score(data, [edge], score) - bn.score(data, [], score))
            assert set(gain.others) == {parent for parent, child in rest if child == gain.child}
            if gain.cycle:
                with pytest.raises(ValueError, match="cycle"):
                    bn.score(data, [*rest, edge], score)
            else:
                assert gain.beside == pytest.approx(bn.score(data, [*rest, edge], score) - bn.score(data, rest, score))


@pytest.mark.slow
def test_answers_are_shares_of_graphs_and_the_posterior(data, study, posterior):
    place = {name: v for v, name in enumerate(data.names)}
    for pair in PAIRS:
        told = explain_edge(data, *pair, bn.BIC(), study, posterior)
        i, j = place[told.parent], place[told.child]
        assert ((told.parent, told.child) in study.reference.edges) == told.in_data_graph
        assert [one.method for one in told.answers] == [*study.ensembles, "posterior"]
        for one in told.answers[:-1]:
            graphs = study.ensembles[one.method].adjacencies
            assert one.joined == pytest.approx(np.mean(graphs[:, i, j] | graphs[:, j, i]))
            assert one.forward * one.joined == pytest.approx(np.mean(graphs[:, i, j])) or not one.joined
        assert told.answers[-1].joined == pytest.approx(posterior.probability[i, j] + posterior.probability[j, i])
        assert told.sentences["answer"] == told.verdict.sentence(*pair)


@pytest.mark.slow
def test_rivals_are_joined_more_often_where_the_edge_is_missing(data, study):
    graphs, found = study.ensembles["predictive"].adjacencies, 0
    near = graphs | graphs.transpose(0, 2, 1)
    for pair in PAIRS:
        told = explain_edge(data, *pair, bn.BIC(), study)
        i, j = data.index(pair[0]), data.index(pair[1])
        absent = ~near[:, i, j]
        assert (told.n_with, told.n_without) == ((~absent).sum(), absent.sum())
        for rival in told.rivals:
            a, b = data.index(rival.variable), data.index(rival.end)
            assert rival.end in pair
            assert rival.variable not in pair
            assert rival.without_edge == pytest.approx(near[absent, a, b].mean())
            assert rival.with_edge == pytest.approx(near[~absent, a, b].mean())
            assert rival.without_edge > rival.with_edge + 2 * rival.error
            assert rival.variable in told.sentences["rivals"]
        found += len(told.rivals)
    assert found  # else nothing was compared


def test_counts_and_expected_counts_are_those_of_the_rows(data):
    frame = data.to_frame()
    told = explain_edge(data, "smoke", "lung")
    crossed = pd.crosstab(frame[told.parent], frame[told.child], dropna=False)
    assert told.observed.tolist() == crossed.to_numpy().tolist()
    margins = told.observed.sum(axis=1, keepdims=True) * told.observed.sum(axis=0, keepdims=True)
    assert told.expected == pytest.approx(margins / len(frame))
    assert told.g_squared[0] == pytest.approx(2 * (told.observed * np.log(told.observed / told.expected)).sum())
    assert told.freedom[0] == 1


@pytest.mark.slow
def test_the_alternative_is_that_of_all_equivalent_graphs():
    """Of all graphs over four variables: reversible edges, and those whose reversal turns no other edge."""
    data = make_data([2, 2, 2, 2], 40, seed=1)
    graphs = np.array(all_dags(4))
    classes = np.array([cpdag(one) for one in graphs])
    learned = bn.learn(data)
    rng = np.random.default_rng(0)
    seen = set()
    for number in rng.choice(len(graphs), 60, replace=False):
        graph = graphs[number]
        given = dataclasses.replace(learned, adjacency=graph)
        members = graphs[(classes == cpdag(graph)).all(axis=(1, 2))]
        for i, j in np.argwhere(graph).tolist():
            told = explain_edge(data, data.names[i], data.names[j], study=Study(given, {}))
            turned = [int((graph & ~other).sum()) for other in members if other[j, i]]
            expected = COMPELLED if not turned else ALONE if min(turned) == 1 else TOGETHER
            assert told.alternative == expected
            seen.add(expected)
    assert seen == {COMPELLED, ALONE, TOGETHER}


def test_what_constraints_and_experiments_decide_is_said(data):
    def decided(**given):
        constraints = bn.Constraints(**given)
        return explain_edge(data, "smoke", "lung", bn.BIC(), constraints=constraints)

    assert "requires lung → smoke" in decided(required=[("lung", "smoke")]).decided
    both = decided(forbidden=[("lung", "smoke"), ("smoke", "lung")])
    assert "in both directions" in both.decided
    assert both.alternative == ABSENT
    assert "smoke → lung only" in decided(tiers=[["smoke"], ["lung"]]).decided
    assert decided().decided == ""


def test_rows_in_which_the_child_was_set_do_not_count():
    frame = pd.DataFrame({"a": [0, 1] * 30, "b": [0, 1] * 20 + [0, 0] * 10, "set": [""] * 40 + ["b"] * 20})
    data = bn.Dataset.from_frame(frame, interventions="set")
    told = explain_edge(data, "a", "b", bn.BIC())
    assert told.observed.sum() == (20 + 20 if told.child == "b" else 60)
    assert "experiments" in told.decided


def test_rows_with_a_missing_cell_of_the_two_are_not_counted(data):
    holes = with_holes(data, 1, way="complete_families")
    told = explain_edge(holes, "smoke", "lung")
    place = [holes.index(told.parent), holes.index(told.child)]
    seen = ~holes.missing[:, place].any(axis=1)
    expected = np.zeros(told.observed.shape, dtype=int)
    np.add.at(expected, tuple(holes.codes[seen][:, place].T.astype(int)), 1)
    assert told.observed.tolist() == expected.tolist()
    nowhere = bn.Dataset.from_frame(
        pd.DataFrame({"a": ["x", "y", None, None], "b": [None, None, "u", "v"]}), missing="complete_families"
    )
    assert explain_edge(nowhere, "a", "b").observed.sum() == 0


def test_what_is_no_edge_is_refused(data):
    with pytest.raises(ValueError, match="'lung' twice"):
        explain_edge(data, "lung", "lung")
    with pytest.raises(ValueError, match="no variable is named 'nothing'"):
        explain_edge(data, "lung", "nothing")
    with pytest.raises(ValueError, match="posterior must be of the data's variables"):
        explain_edge(data, "lung", "smoke", posterior=bn.edge_posterior(make_data([2, 2], 20, seed=1)))


def test_where_cells_are_drawn_gains_are_those_of_the_draw_that_the_graph_was_learned_from(data):
    holes = with_holes(data, 1, 0.1)
    study = Study(bn.learn(holes, rng=3), {})
    parent, child = study.reference.edges[0]
    told, completed = explain_edge(holes, parent, child, study=study), drawn_once(holes, 3)
    assert told.gains == explain_edge(completed, parent, child, study=study).gains
    seen = ~holes.missing[:, [holes.index(parent), holes.index(child)]].any(axis=1)
    assert told.observed.sum() == seen.sum()
    assert "on one draw of the missing cells" in told.sentences["score"]
    assert "rows in which these variables are observed" in told.sentences["counts"]
