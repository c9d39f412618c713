"""The Confidence page opens with the verdict: network, list and headline are the engine's, and come as it is known."""

import threading
import time

import numpy as np
import pytest

import bnengine as bn
from bnengine.answers.verdict import DOUBTFUL, FOUND, REAL, VERDICTS
from bnengine.experiment.learning import real_posterior
from bnengine.plots.verdict_drawing import verdict_look, verdict_picture
from bnengine.report.report_sentences import verdict_in_words
from pages.shared.experiments import STUDY
from pages.shared.format import counted
from pages.shared.keys import Key
from tests.patience import HANG

pytestmark = pytest.mark.slow


@pytest.fixture
def few(visitor):
    """A visitor who asks for few resamples of a small table."""
    return visitor.on("asia_1000").go("confidence")


def engine(visitor):
    """The verdict that the page must show."""
    experiment = visitor.experiment
    data = experiment.load()
    study, posterior = experiment.run(data), real_posterior(experiment, data)
    return bn.verdict(study, visitor.method, posterior, experiment.constraints)


def named(line):
    return f"{line.parent} {'→' if line.direction == 'settled' else '–'} {line.child}"


def test_network_list_and_headline_are_the_engine_s(few):
    found = engine(few)
    table, listed = found.table(), few.edges_listed
    assert list(listed) == [named(line) for line in table.itertuples()]
    for line in table.itertuples():
        shown = listed[named(line)]
        assert shown["text"] == found.sentence(line.parent, line.child)
        assert shown["group"].lower().startswith(line.verdict)
    assert few.shows(verdict_in_words(found, "**{}**".format))
    (network,) = few.networks
    names = [node["name"] for node in network["nodes"]]
    drawn = {tuple(names[v] for v in edge["ends"]): edge["arrow"] for edge in network["edges"]}
    assert drawn == {(line.parent, line.child): line.direction == "settled" for line in table.itertuples()}


def test_another_method_and_constraints_lead_to_their_own_verdict(few):
    few.choose(Key.AVERAGED, "bootstrap")
    found = engine(few)
    assert found.answers.method == "bootstrap"
    assert list(few.edges_listed) == [named(line) for line in found.table().itertuples()]
    assert few.shows(verdict_in_words(found, "**{}**".format))
    few.write(Key.FORBIDDEN, "bronc -> smoke")
    assert few.experiment.constraints.forbidden == (("bronc", "smoke"),)
    assert "smoke → bronc" in few.edges_listed  # the other direction is not left


def test_the_known_network_is_laid_over_list_and_picture(visitor):
    visitor.on("cancer", 2000, 1).go("confidence")
    visitor.at.toggle(key=Key.TRUTH_OVER).set_value(True).run()
    truth = {frozenset(edge) for edge in bn.load_network("cancer").edges}
    found, listed = engine(visitor), visitor.edges_listed
    for line in found.table().itertuples():
        assert listed[named(line)]["mark"] == ("✓" if {line.parent, line.child} in truth else "✗")
    (network,) = visitor.networks
    names = [node["name"] for node in network["nodes"]]
    drawn = {frozenset(names[v] for v in edge["ends"]) for edge in network["edges"]}
    assert truth <= drawn  # what was missed is drawn, too
    told = visitor.note("verdict")
    assert counted(len(truth), "adjacency") in told
    assert f"{found.truths(bn.load_network('cancer').edges)[REAL]} " in told


def test_the_learned_graph_is_shown_before_anything_is_known_of_its_edges(visitor, monkeypatch):
    run, go = bn.Experiment.run, threading.Event()

    def later(self, *args, **options):
        assert go.wait(HANG)
        return run(self, *args, **options)

    monkeypatch.setattr(bn.Experiment, "run", later)
    visitor.on("asia_1000").go("learn").open("confidence")
    graph = visitor.experiment.learn(visitor.experiment.load())
    assert visitor.has(Key.stop(STUDY))
    assert visitor.shows(counted(len(graph.edges), "edge"))
    (network,) = visitor.networks
    assert len(network["edges"]) == len(graph.edges)
    assert not visitor.edges_listed
    go.set()
    visitor.settle()
    assert visitor.edges_listed
    assert visitor.shows(verdict_in_words(engine(visitor), "**{}**".format))


def test_numbers_are_shown_as_they_come(visitor):
    visitor.few(60_000).sample("lecture_4").open("confidence")
    end, job = time.monotonic() + HANG, None
    while not (job is not None and job.so_far):
        assert time.monotonic() < end
        visitor.run()
        job = visitor.at.session_state["jobs"].get(STUDY) if "jobs" in visitor.at.session_state else None
    visitor.run()
    assert visitor.waiting
    assert job.running
    assert "so far" in visitor.finding
    ensemble = job.so_far[0].ensembles["bootstrap_corrected"]
    assert ensemble.n_graphs == ensemble.n_planned / 4
    assert all(line["group"].lower().startswith(FOUND) for line in visitor.edges_listed.values())
    assert Key.AVERAGED not in visitor.at.session_state or visitor.at.session_state[Key.AVERAGED] is None


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_s_colours_and_dashes_tell_verdicts_apart(dark):
    looks = [verdict_look(kind, dark) for kind in VERDICTS]
    assert len({(look.color, look.dash) for look in looks}) == len(VERDICTS)
    assert len({look.dash for look in looks[:3]}) == 3  # without colours, too
    data = bn.load_network("asia").sample(500, rng=1)
    study = bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), bn.resampling_methods(20, keys=["predictive"]))
    found = bn.verdict(study, posterior=bn.edge_posterior(data))
    picture = verdict_picture(found, dark)
    for line in found.table().itertuples():
        style = picture.edges[found.names.index(line.parent), found.names.index(line.child)]
        assert (style.color, style.dash) == (
            verdict_look(line.verdict, dark).color,
            verdict_look(line.verdict, dark).dash,
        )
        assert style.arrow == (line.direction == "settled")
    labels, marks = bn.plots.verdict(found, dark=dark).data
    assert list(labels.text) == list(found.names)
    assert len(marks.customdata) == len(found.table())
    assert DOUBTFUL in [text.split(" ", 1)[1] for text, _ in picture.legend]
    assert np.array_equal(found.drawn.sum(), len(found.table()))
