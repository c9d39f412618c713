"""Found again and real on the Confidence page: both numbers are the engine's, in picture, table and sentence."""

import dataclasses
import json

import numpy as np
import pytest

import bnengine as bn
from bnengine.answers.edge_answers import (
    EdgeAnswers,
    disagreements,
    expected_false,
    pair_answers,
    two_answers,
)
from bnengine.answers.relations import relation_table
from bnengine.answers.thresholds import again_remark, ends_sentence, false_remark, real_remark
from bnengine.experiment.learning import real_posterior
from bnengine.report.report_sentences import MEANINGS
from pages.calibrate.evidence import sentence
from pages.confidence.answer_tables import REAL_HELP, how_right
from pages.shared import benchmark_results
from pages.shared.format import plus_minus, probability, share, short
from pages.shared.keys import Key


@pytest.fixture
def few(visitor):
    """A visitor who asks for few resamples of a small table."""
    return visitor.on("asia_1000").go("confidence")


def engine(visitor):
    """The study, the posterior and both answers that the page must show."""
    experiment = visitor.experiment
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    study, posterior = experiment.run(data), real_posterior(experiment, data)
    return study, posterior, two_answers(study, visitor.method, experiment.kind, posterior)


def tables(visitor, *columns):
    return [frame.value for frame in visitor.at.main.dataframe if set(columns) <= set(frame.value)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["directed", "adjacency", "compelled"])
def test_every_edge_has_both_numbers(few, kind):
    few.view("answers").choose(Key.KIND, kind)
    _, _, answers = engine(few)
    shown = tables(few, "edge", "found_again", "real", "real_error")[0]
    expected = answers.table(0.01)
    for column in ("found_again", "found_again_error", "real", "real_error"):
        assert shown[column].tolist() == expected[column].tolist()


@pytest.mark.slow
def test_the_chosen_edge_s_sentence_has_the_engine_s_numbers(few):
    study, posterior, answers = engine(few.view("answers"))
    few.at.session_state["chosen_edge"] = ("bronc", "dysp")
    few.run()
    i, j = answers.names.index("bronc"), answers.names.index("dysp")
    sentence = few.note("chosen edge")
    assert "bronc → dysp" in sentence
    assert share(float(study.confidence(few.method)[i, j])) in sentence
    assert probability(float(posterior.probability[i, j]), float(posterior.error[i, j])) in sentence
    few.choose(Key.AVERAGED, "bootstrap")
    assert share(float(study.confidence("bootstrap")[i, j])) in few.note("chosen edge")


def test_no_probability_is_rounded_to_certainty():
    assert share(0.004) == "less than 1%"
    assert share(0.999) == "more than 99%"
    assert (share(0), share(1)) == ("0%", "100%")
    assert probability(0.9999, 0.0001) == "above 0.99 (± less than 0.01)"
    assert probability(0.91, 0.02) == "0.91 (± 0.02)"
    assert probability(0.5) == probability(0.5, float("nan")) == "0.50"


@pytest.mark.slow
def test_false_edges_and_disagreements_at_the_threshold(few):
    study, posterior, _ = engine(few.view("network").unfold("disagreements"))
    slider = next(s for s in few.at.slider if s.key.startswith(Key.THRESHOLD))
    slider.set_value(0.1).run()
    few.settle()
    network = study.averaged(few.method, 0.1)
    pairs = pair_answers(study, few.method, "directed", posterior)
    false, error = expected_false(posterior, network.adjacency, "adjacency")
    note = few.note("expected")
    assert f"**{plus_minus(false, error, 2)} false edges** expected" in note
    assert false_remark() in note
    assert probability(1 - false / len(network.edges), error / len(network.edges)) in note
    assert short(float(pairs.found_again[network.adjacency].sum())) in note
    (edges,) = tables(few, "edge", "direction")
    assert len(edges) == len(network.edges)
    assert set(edges["edge"]) == {f"{parent} → {child}" for parent, child in network.edges}
    expected = disagreements(study.reference.adjacency, network, pairs)
    shown = tables(few, "edge", "only_in", "real")  # none where they agree
    assert [table["real"].tolist() for table in shown] == [expected["real"].tolist()] * (len(expected) > 0)


@pytest.mark.slow
def test_questions_beyond_one_edge(few):
    study, posterior, _ = engine(few)
    few.unfold("features")
    few.at.segmented_control(key=Key.RELATION).set_value("blanket").run()
    few.choose(Key.RELATION_OF, "smoke").choose(Key.RELATION_TO, "bronc")
    expected = relation_table(study, few.method, posterior, "blanket", "smoke")
    (shown,) = tables(few, "variable", "real")
    assert shown["real"].tolist() == expected["real"].tolist()
    line = expected.set_index("variable").loc["bronc"]
    assert probability(line["real"], line["real_error"]) in few.note("relation")
    (code,) = [block.value for block in few.at.code if "markov_blanket" in block.value]
    names = {"print": lambda *shown: found.append(shown[0])}
    found = []
    exec(compile(code, "script", "exec"), names)
    assert found[-1].probability == pytest.approx(line["real"])


@pytest.mark.slow
def test_a_stopped_posterior_says_so_and_can_be_computed_again(few):
    results = few.at.session_state["results"]
    key = next(key for key in results._values if key.startswith("real "))
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    calls = []
    stopped = bn.edge_posterior(
        data, n_steps=500_000_000, progress=lambda done, total: calls.append(done) or len(calls) < 2
    )
    assert stopped.status == "stopped"
    results.keep(key, stopped)
    few.run()
    assert few.at.warning
    few.at.button(key=Key.again("real")).click().run()
    few.settle()
    assert not few.at.warning
    assert results.get(key).status == "converged"


# the shipped evidence


@pytest.fixture
def shipped(monkeypatch, tmp_path):
    """A small file of results, as the benchmark writes it."""
    stats = {"settings": 4, "regret": 0.1, "worst": 0.2, "won": 3, "lost": 1}
    better, worse = {"difference": -0.25, "error": 0.1} | stats, {"difference": 0.5, "error": 0.2} | stats
    question = {
        "measure": "pi_error", "unit": "edges per true edge", "default": "leading", "runner_up": "naive",
        "share": 0.99, "settings": 4, "by_measure": {"pi_error": {"naive": worse, "leading": better}},
        "by_rows_per_parameter": [{"naive": better}, {"naive": worse}],
    }  # fmt: skip
    unclear = question | {"default": "post_fnml", "share": 0.6, "unit": "nats per true edge"}
    part = {"networks": ["asia", "alarm"], "rows": [100], "scores": ["BIC"], "tables": [2, 4]}
    titles = {"naive": "naive bootstrap", "leading": "corrected bootstrap", "post_fnml": "posterior, fNML"}
    content = {
        "about": {"replicates": 200, "fresh": 500, "seed": 0, "search": "hill climbing", "bands": [[0, 1], [1, None]]},
        "methods": {key: {"title": title, "target": "both"} for key, title in titles.items()},
        "parts": {"chosen by": part | {"questions": {"found again": question, "real": unclear}}},
    }
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(content))
    monkeypatch.setattr(benchmark_results, "_FILE", file)
    benchmark_results.evidence.cache_clear()
    yield content
    benchmark_results.evidence.cache_clear()


@pytest.mark.slow
def test_the_evidence_names_a_winner_only_if_it_is_clear(shipped, visitor):
    visitor.open("calibrate").at.segmented_control(key=Key.CALIBRATE_SECTION).set_value("evidence").run()
    visitor.unfold("evidence")
    named = "**Found again?** Corrected bootstrap. **Real?** Posterior, fNML."
    assert f"{named} Differences among the best are within error." in visitor.finding
    clear = shipped["parts"]["chosen by"]["questions"]["real"] | {"share": 0.99}
    questions = {**shipped["parts"]["chosen by"]["questions"], "real": clear}
    parts = {"chosen by": shipped["parts"]["chosen by"] | {"questions": questions}}
    assert sentence(shipped | {"parts": parts}, "chosen by") == named
    shown = [frame.value for frame in visitor.at.main.dataframe if "worst" in frame.value]
    assert [frame["difference"].tolist() for frame in shown] == [[-0.25, 0.5]] * 2
    visitor.at.segmented_control(key=Key.EVIDENCE_BAND).set_value(1).run()
    shown = [frame.value for frame in visitor.at.main.dataframe if "worst" in frame.value]
    assert [frame["difference"].tolist() for frame in shown] == [[0.5]] * 2


def test_the_shipped_evidence_can_be_shown():
    found = benchmark_results.evidence()
    if found is None:
        pytest.skip("no results are shipped")
    for part in found["parts"]:
        for question in benchmark_results.QUESTIONS:
            assert len(benchmark_results.lines(found, part, question))
            assert benchmark_results.choice_of(found, part, question).settings > 0


def test_how_sure_and_how_right_real_was_at_its_ends_is_said_beside_it():
    """In help, sentences and report; tests/answers counts it."""
    assert ends_sentence() in REAL_HELP
    assert ends_sentence() in dict(MEANINGS)["Real"]
    found, probable = (np.array([[0.0, one], [one, 0.0]]) for one in (0.85, 0.97))
    pair = EdgeAnswers(
        ("a", "b"), "adjacency", "bootstrap", found, found > 0.5, probable, np.zeros((2, 2)), score="BDeu(1)"
    )
    assert how_right(pair, 0, 1) == f"{again_remark('bootstrap', 'BDeu(1)', 0.85)} {real_remark(0.97)}"
    assert how_right(dataclasses.replace(pair, score="AIC"), 0, 1) == real_remark(0.97)
    assert how_right(dataclasses.replace(pair, kind="directed"), 0, 1) == ""
