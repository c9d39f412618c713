"""The verdict on each adjacency against counting its graphs one by one, and against networks that are known."""

import importlib
import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.edge_answers import EdgeAnswers, relation_table
from bnengine.answers.verdict import (
    DOUBTFUL,
    FOUND,
    NEITHER,
    NOT_FOUND,
    REAL,
    REQUIRED,
    SETTLED,
    TOO_LITTLE,
    UNSURE,
    Verdict,
)
from bnengine.answers.views import learned_view, threshold_view, verdict_view, with_methods
from bnengine.graphs.dag import adjacency_of, cpdag, is_dag
from bnengine.networks.inference import posteriors
from bnengine.plots.verdict_drawing import view_picture
from bnengine.report.paper_kit import methods_paragraph
from bnengine.report.report_sentences import verdict_in_words

METHOD = "predictive"
verdict_module = importlib.import_module("bnengine.answers.verdict")  # bnengine.answers has a function of this name


@pytest.fixture(scope="module")
def data():
    return bn.load_network("asia").sample(1000, rng=3)


@pytest.fixture(scope="module")
def study(data):
    return bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), bn.resampling_methods(40, keys=[METHOD, "bootstrap"]))


@pytest.fixture(scope="module")
def posterior(data):
    return bn.edge_posterior(data)


def by_hand(study, posterior, i, j):
    """Verdict and share compelled i → j of one pair, graph by graph."""
    ensemble = study.ensembles[METHOD]
    joined = compelled = 0
    for graph in ensemble.adjacencies:
        if graph[i, j] or graph[j, i]:
            joined += 1
            classes = cpdag(graph)
            compelled += bool(classes[i, j] and not classes[j, i])
    again = joined / len(ensemble.adjacencies) > 0.5
    real = posterior.probability[i, j] + posterior.probability[j, i] > 0.5
    word = {(1, 1): REAL, (1, 0): DOUBTFUL, (0, 1): TOO_LITTLE, (0, 0): NEITHER}[again, real]
    reach = [*posterior.pair_interval[:, i, j], *(one[i, j] + one[j, i] for one in posterior.under_each_prior)]
    if min(reach) < 0.5 < max(reach):
        word = UNSURE
    return word, compelled / max(joined, 1)


@pytest.mark.slow
def test_every_pair_is_judged_as_by_counting_graphs(study, posterior):
    found = bn.verdict(study, posterior=posterior)
    assert found.answers.method == METHOD
    names, counted = found.names, dict.fromkeys((REAL, DOUBTFUL, TOO_LITTLE, UNSURE, NEITHER), 0)
    listed = {frozenset((line.parent, line.child)): line for line in found.table().itertuples()}
    for i, j in itertools.combinations(range(len(names)), 2):
        word, forward = by_hand(study, posterior, i, j)
        _, backward = by_hand(study, posterior, j, i)
        counted[word] += 1
        assert found.kinds[found.codes[i, j]] == found.kinds[found.codes[j, i]] == word
        assert found.compelled[i, j] == pytest.approx(forward)
        line = listed.pop(frozenset((names[i], names[j])), None)
        assert (line is None) == (word == NEITHER)
        if line is not None:
            settled = max(forward, backward) >= SETTLED
            assert (line.verdict, line.direction) == (word, "settled" if settled else "open")
            if settled:
                assert (line.parent, line.child) == (
                    (names[i], names[j]) if forward >= SETTLED else (names[j], names[i])
                )
            elif study.reference.adjacency[i, j] or study.reference.adjacency[j, i]:
                assert (line.parent, line.child) in study.reference.edges
    assert listed == {}
    assert found.counts() == counted
    assert str(counted[REAL]) in verdict_in_words(found)


@pytest.mark.slow
def test_reversible_true_edges_are_real_with_an_open_direction():
    """Two dependent variables: the data cannot direct their edge, which must not be called doubtful for that."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 500)
    second = np.where(rng.random(500) < 0.9, first, 1 - first)
    data = bn.Dataset.from_frame(pd.DataFrame({"a": first, "b": second}).astype(str))
    study = bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), bn.resampling_methods(30, keys=[METHOD]))
    assert study.confidence(METHOD, "directed").max() < 1  # each direction is found in a part of the replicates only
    found = bn.verdict(study, posterior=bn.edge_posterior(data))
    (line,) = found.table().itertuples()
    assert (line.verdict, line.direction) == (REAL, "open")
    assert "direction open" in found.sentence("a", "b")
    one_way = bn.verdict(study, posterior=bn.edge_posterior(data), constraints=bn.Constraints(forbidden=[("a", "b")]))
    (line,) = one_way.table().itertuples()
    assert (line.parent, line.child, line.direction) == ("b", "a", "settled")


def test_no_verdict_is_given_on_what_constraints_demand():
    """Two independent columns: their edge is in every graph, so that its numbers are 1."""
    data, required = bn.load_network("cancer").sample(200, rng=1), bn.Constraints(required=[("Pollution", "Smoker")])
    methods = bn.resampling_methods(20, keys=[METHOD])
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), methods, constraints=required)
    posterior = bn.edge_posterior(data, constraints=required)
    plain = bn.verdict(study, posterior=posterior)
    found = bn.verdict(study, posterior=posterior, constraints=required, data=data)
    assert plain.counts()[REAL] == found.counts()[REAL] + 1
    assert found.counts()[REQUIRED] == 1
    line = found.table().set_index(["parent", "child"]).loc[("Pollution", "Smoker")]
    assert (line["verdict"], line["direction"], line["close"]) == (REQUIRED, "settled", False)
    assert found.sentence("Pollution", "Smoker").startswith("Required by a constraint, so its numbers")
    assert verdict_in_words(found).endswith("1 more is required by constraints.")
    explained = bn.answers.explain_edge(data, "Pollution", "Smoker", bn.BIC(), study, posterior, constraints=required)
    assert not {"answer", "direction", "rivals", "measured"} & set(explained.sentences)
    assert "look independent" not in explained.sentences["counts"]
    text, _ = methods_paragraph(bn.Experiment(constraints=required), data, study, verdict_view(found), posterior)
    assert "Constraints held in every graph: required edges (Pollution → Smoker)." in text


def made(again, real, half=0.0, **more):
    """A verdict on the pair a, b alone; the interval of *real* has this half width, that of the share has none."""
    both = [np.array([[0.0, value], [value, 0.0]]) for value in (again, real, half)]
    ends = np.array([both[1] - both[2], both[1] + both[2]]), np.array([both[0], both[0]])
    learned = np.array([[False, True], [False, False]])
    answers = EdgeAnswers(("a", "b"), METHOD, both[0], learned | learned.T, both[1], *ends, real_range=ends[0])
    return Verdict(answers, np.zeros((2, 2)), learned, np.zeros((2, 2), dtype=bool), **more)


@pytest.mark.parametrize(
    ("again", "real", "word", "says"),
    [
        (0.97, 0.99, REAL, "Found again in 97% of fresh tables, and real with probability 0.99; direction open."),
        (0.98, 0.001, DOUBTFUL, "Found again in 98% of fresh tables, but real with probability below 0.01 only"),
        (0.23, 0.9, TOO_LITTLE, "Real with probability 0.90, but found again in 23% of fresh tables only"),
        (0.5, 0.5, NEITHER, "Found again in 50% of fresh tables, and real with probability 0.50 only"),
    ],
)
def test_one_plain_sentence_per_adjacency(again, real, word, says):
    found = made(again, real)
    assert found.kinds[found.codes[0, 1]] == word
    assert found.sentence("a", "b").startswith(says)
    assert len(found.table()) == (word != NEITHER)
    assert len(found.table(hidden=True)) == 1
    with pytest.raises(ValueError, match="child must be one of a, b"):
        found.sentence("a", "c")


@pytest.mark.parametrize(("again", "real"), [(0.9, 0.6), (0.1, 0.6), (0.9, 0.45), (0.1, 0.45)])
def test_where_one_half_lies_within_the_interval_the_data_cannot_say(again, real):
    sure, unsure = made(again, real, 0.02), made(again, real, 0.12)
    assert not sure.close.any()
    assert sure.counts()[UNSURE] == 0
    assert unsure.counts()[UNSURE] == 1
    assert unsure.n_both_high == sure.n_both_high == (again > 0.5 < real)
    assert unsure.table()["close"].all()
    assert unsure.table()["verdict"].tolist() == [UNSURE]
    assert (
        f"real with probability {real:.2f} ({real - 0.12:.2f} to {real + 0.12:.2f} by seed and prior)"
        in unsure.sentence("a", "b")
    )
    assert "for 1 the data cannot say" in verdict_in_words(unsure)
    assert "cannot say" not in verdict_in_words(sure)


def test_a_share_close_to_one_half_is_marked_where_real_is_certain():
    found = made(0.5, 0.9)
    ends = np.array([found.answers.found_again - 0.05, found.answers.found_again + 0.05])
    again = replace(found, answers=replace(found.answers, found_again_interval=ends))
    assert again.kinds[again.codes[0, 1]] == TOO_LITTLE
    assert "Borderline: a different seed could flip this verdict." in again.sentence("a", "b")
    assert "Borderline" not in found.sentence("a", "b")


def level_of(found):
    """Of R pairs drawn of m: 1 - 0.05 R / m."""
    return 1 - 0.05 * found.drawn.sum() / math.comb(len(found.names), 2)


@pytest.mark.slow
def test_strength_is_that_of_a_line_by_itself_and_of_an_arrow_beside_the_other_parents(data, study, posterior):
    found = bn.verdict(study, method=METHOD, posterior=posterior, data=data)
    table = found.table(hidden=True)
    arrows = 0
    for line in table.itertuples():
        settled = line.direction == "settled"
        parents = [a for a, b in study.reference.edges if b == line.child and a != line.parent] if settled else []
        effect = bn.answers.edge_effect(data, line.parent, line.child, parents, level=level_of(found))
        assert (line.effect, line.effect_low, line.effect_high) == (effect.value, *effect.interval)
        assert line.effect_measure == effect.measure
        about = found.determined(line.parent, line.child)
        assert line.association == f"{effect.sentence} {about}".strip()
        own = found.effect(line.parent, line.child)
        assert own is found.effect(line.child, line.parent)
        explained = bn.answers.explain_edge(data, line.child, line.parent, None, study, posterior, method=METHOD)
        assert own == effect == explained.effect
        arrows += bool(parents)
    assert arrows
    twice = pd.concat([table, table])
    pd.testing.assert_frame_equal(found.with_effects(twice), twice)
    pd.testing.assert_series_equal(found.with_effects(table.head(0)).dtypes, table.dtypes)
    pd.testing.assert_frame_equal(
        table[list(bn.verdict(study, method=METHOD, posterior=posterior).table())],
        bn.verdict(study, method=METHOD, posterior=posterior).table(hidden=True),
    )


@pytest.mark.slow
def test_without_a_posterior_nothing_is_said_of_what_is_real(study):
    found = bn.verdict(study, method=METHOD)
    assert found.kinds == (FOUND, NOT_FOUND)
    assert set(found.table()["verdict"]) == {FOUND}
    assert "real" not in found.table()
    assert "real" not in found.sentence("smoke", "bronc")
    assert "real" not in verdict_in_words(found)


@pytest.mark.slow
def test_a_script_that_names_no_method_says_what_the_pages_say():
    experiment = bn.Experiment(bn.Recipe("sample", "asia_1000"), n=20)
    data = experiment.data.prepare(experiment.data.load())
    methods = bn.resampling_methods(experiment.n)
    by_hand = bn.study(data, experiment.score, experiment.search, methods, rng=experiment.seed)
    assert {*experiment.methods_run} - {"data"} == {method.key for method in methods}
    shown, said = bn.verdict(experiment.run(data)), bn.verdict(by_hand)
    pd.testing.assert_frame_equal(said.table(), shown.table())


def test_a_table_for_files_has_six_digits():
    data = bn.load_network("asia").sample(300, rng=1)
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(7, keys=["bootstrap"]))
    table = bn.verdict(study, data=data).table()
    written = with_methods(table, study)
    assert len(written) > 3
    numbers = written.select_dtypes("float")
    assert (numbers.map(lambda value: len(f"{value:.15g}".strip("-0.").replace(".", ""))) <= 6).all(axis=None)
    pd.testing.assert_frame_equal(written[list(table)], table, rtol=1e-5)


def test_the_stronger_an_edge_is_chosen_the_wider_is_its_interval(data, study):
    """One pair of many that is drawn is chosen more sharply than all of them."""
    every = bn.verdict(study, method=METHOD, data=data)
    again = every.answers.found_again
    few = replace(every, answers=replace(every.answers, found_again=again * (again > 0.99)))
    assert 0 < few.drawn.sum() < every.drawn.sum()
    parent, child = few.table()[["parent", "child"]].iloc[0]
    narrow, wide = (one.effect(parent, child).interval for one in (every, few))
    assert wide[0] < narrow[0] < narrow[1] <= wide[1]


def test_an_unknown_variable_and_what_is_of_other_variables_are_named(data, study, posterior):
    found = bn.verdict(study, method=METHOD, data=data)
    for ask in (found.effect, found.sentence):
        with pytest.raises(ValueError, match=f"child must be one of {data.names[0]}, .*; got 'nope'"):
            ask(data.names[0], "nope")
    with pytest.raises(ValueError, match="variable must be one of"):
        relation_table(study, METHOD, posterior, "blanket", "nope")
    with pytest.raises(ValueError, match="name must be one of"):
        posteriors(bn.load_network("asia"))["nope"]
    other = bn.load_network("cancer").sample(50, rng=1)
    for given, what in (({"data": other}, "data"), ({"posterior": bn.edge_posterior(other)}, "posterior")):
        with pytest.raises(ValueError, match=f"{what} must be of the study's variables"):
            bn.verdict(study, method=METHOD, **given)
    with pytest.raises(ValueError, match="parametric"):
        bn.verdict(study, method="parametric")


def test_a_picture_measures_no_strength_that_it_does_not_show(data, study, monkeypatch):
    """Each takes milliseconds: of ten thousand edges a page would wait for a minute."""
    view = verdict_view(bn.verdict(study, data=data))
    monkeypatch.setattr(verdict_module, "edge_effect", None)
    assert len(view_picture(view, False).edges) == len(view.rows()) > 3
    with pytest.raises(TypeError):
        view_picture(replace(view, signed=True), False)


# A view's edges, as a file of a network holds them.


@pytest.mark.parametrize("threshold", [None, 0.5, 0.02])
def test_the_edges_of_a_view_join_its_pairs_without_a_cycle(threshold):
    data = bn.load_network("asia").sample(300, rng=1)
    methods = bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected"))
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), methods, rng=0)
    found = bn.verdict(study, data=data)
    view = verdict_view(found) if threshold is None else threshold_view(found, threshold)
    table = view.table()
    assert {frozenset(edge) for edge in view.edges} == {
        frozenset(pair) for pair in zip(table["parent"], table["child"], strict=True)
    }
    assert is_dag(adjacency_of(data.names, view.edges))
    assert set(learned_view(found, study.reference).edges) == set(study.reference.edges)
