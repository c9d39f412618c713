"""Settings that travel by link and by file come back as they were."""

import dataclasses
import json

import pytest
from hypothesis import given

import bnengine as bn
from pages._shared import session, sharing
from tests.experiment.test_experiment import EXPERIMENTS

ALARM = tuple(bn.load_network("alarm").ordering)
SHARED = [
    bn.Experiment(),
    bn.Experiment(
        bn.Recipe("network", "cancer", n_rows=150, seed=4),
        bn.BDeu(2.5),
        bn.K2(("Smoker", "Pollution", "Cancer", "Xray", "Dyspnoea"), max_parents=2),
        bn.Constraints((("Smoker", "Xray"),), (("Cancer", "Dyspnoea"),), tiers=(("Smoker",), ("Xray", "Cancer"))),
        methods=("boot_bc", "boot_matched", "boot", "jack_d"),
        n=60,
        d=7,
        strength=0.35,
        seed=11,
        edge_penalty=1.5,
        uniform_parent_sizes=True,
    ),
    bn.Experiment(bn.Recipe("sample", "alarm_1000"), bn.BDs(3.0), bn.K2(ALARM), n=20, methods=("boot_bc", "boot")),
    bn.Experiment(
        bn.Recipe("sample", "house_votes_84", missing="own_state"),
        bn.QNML(),
        bn.SimulatedAnnealing(30.0, 70, 30, 0.8, 25, 4, "empty"),
        methods=("data", "boot_bc", "boot", "para"),
        n=20,
    ),
    bn.Experiment(
        bn.Recipe("sample", "asia_1000"), search=bn.SimulatedAnnealing(proposals=500, cooling=0.9, exchanges=False)
    ),
    bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.BDe("asia", 2.0), bn.ChowLiu("smoke"), n=40),
    bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.K2Score(), bn.Tabu(20, 30, 3, restarts=4), n=40),
    bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.AIC(), bn.BestFirst(7, 30, 3), n=40),
    bn.Experiment(
        bn.Recipe("network", "cancer", n_rows=90, seed=1), bn.FNML(), bn.TreeSearch(False, 0.5, None, 2), n=20
    ),
]


@given(EXPERIMENTS)
def test_an_address_and_a_file_give_any_experiment_back_invariant(experiment):
    assert sharing.decoded(sharing.encoded(experiment)) == experiment
    saved = json.dumps({"experiment": experiment.to_dict()}).encode()
    assert sharing.opened(saved) == experiment
    assert sharing.opened(json.dumps(experiment.to_dict()).encode()) == experiment


@pytest.mark.parametrize("experiment", SHARED, ids=lambda e: f"{e.score.name} {e.search.name}")
def test_a_link_brings_every_setting(arrive, experiment):
    visitor = arrive(run=sharing.encoded(experiment))
    assert in_full(visitor.experiment) == in_full(experiment)
    assert not visitor.at.sidebar.warning
    link = next(block.value for block in visitor.at.sidebar.code if sharing.PARAMETER in block.value)
    assert in_full(sharing.decoded(link.split("run=")[1])) == in_full(experiment)


def in_full(experiment):
    """With the runs on the given data named among the methods, where they are learned."""
    return dataclasses.replace(experiment, methods=experiment.methods_run)


def test_settings_saved_before_a_search_had_more_of_them_still_open():
    """Annealing had no exchanges and always numbers; tabu search no restarts."""
    described = bn.Experiment().to_dict()
    numbers = {"start_temperature": 30.0, "proposals": 70, "acceptances": 30, "cooling": 0.8, "temperatures": 25}
    for saved, expected in (
        (
            {"kind": "annealing", **numbers, "max_parents": 4, "start": "climbed"},
            bn.SimulatedAnnealing(30.0, 70, 30, 0.8, 25, 4, "climbed"),
        ),
        (
            {"kind": "tabu", "tenure": 9, "patience": 8, "max_parents": None, "max_iterations": 500},
            bn.Tabu(9, 8, None, 500),
        ),
    ):
        opened = sharing.opened(json.dumps(described | {"search": saved}).encode())
        assert opened.search == expected


def test_the_schedules_of_annealing_are_a_press_away(visitor):
    visitor.choose(session.SEARCH, "annealing")
    assert visitor.experiment.search == bn.SimulatedAnnealing()
    for label, search in (
        ("Schedule as published, 1995", bn.SimulatedAnnealing.published()),
        ("Schedule from the data", bn.SimulatedAnnealing()),
    ):
        next(button for button in visitor.at.sidebar.button if button.label == label).click()
        visitor.run()
        assert visitor.experiment.search == search


def test_a_link_keeps_its_settings_from_page_to_page(arrive):
    experiment = SHARED[1]
    visitor = arrive(run=sharing.encoded(experiment)).go("confidence")
    assert visitor.experiment == experiment
    assert visitor.go("learn").go("data").go("confidence").experiment == experiment


def test_a_file_of_settings_is_opened(visitor):
    saved = json.dumps({"experiment": SHARED[1].to_dict()}).encode()
    visitor.at.file_uploader(key=session.SAVED).set_value(("mine.json", saved, "application/json")).run()
    assert visitor.settle().experiment == SHARED[1]
    visitor.choose(session.SCORE, "aic")  # what was opened does not come back by itself
    assert visitor.experiment.score == bn.AIC()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no json", "the settings are no JSON"),
        (b"[1]", "no description of an experiment"),
        (b"{}", "must be given"),
        (b'{"experiment": {"score": {"kind": "best"}}}', "must be given"),
    ],
)
def test_a_file_that_is_none_leaves_the_settings_as_they_are(visitor, content, says):
    before = visitor.experiment
    visitor.at.file_uploader(key=session.SAVED).set_value(("mine.json", content, "application/json")).run()
    (warning,) = visitor.at.sidebar.warning
    assert says in warning.value.replace("\\", "")
    assert visitor.experiment == before


@pytest.mark.parametrize("text", ["x", "abc$", "ÄÖ", "eJwB", sharing.encoded(bn.Experiment())[:40]])
def test_a_broken_link_is_said_and_the_first_sample_shown(arrive, text):
    visitor = arrive(run=text)
    assert visitor.at.sidebar.warning
    assert visitor.experiment == bn.Experiment()


def test_a_link_to_a_file_waits_for_it(arrive):
    content = "a;b;c\n" + "x;1;p\ny;2;q\n" * 30
    other = arrive().upload("mine.csv", content)
    wanted = dataclasses.replace(
        bn.Experiment(), data=dataclasses.replace(other.recipe, columns=("a", "b"), missing="own_state"), score=bn.AIC()
    )
    visitor = arrive(run=sharing.encoded(wanted))
    assert "upload it on the Data page" in visitor.at.sidebar.warning[0].value
    assert visitor.experiment.score == bn.AIC()
    visitor.upload("renamed.csv", content)
    assert visitor.recipe == dataclasses.replace(wanted.data, name="renamed.csv")
    assert not visitor.at.sidebar.warning


def test_what_the_sidebar_cannot_hold_is_said(arrive):
    visitor = arrive(run=sharing.encoded(bn.Experiment(n=15, strength=7.0, search=bn.HillClimbing(perturbation=9))))
    assert "cannot be set here" in visitor.at.sidebar.warning[0].value
    assert (visitor.experiment.n, visitor.experiment.strength) == (20, 2.0)
