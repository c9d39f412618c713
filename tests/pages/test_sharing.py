"""Settings that travel by link and by file come back as they were."""

import dataclasses
import json

import pytest
from hypothesis import given

import bnengine as bn
from bnengine.experiment import experiment as saved
from bnengine.experiment.evaluations import CalibrationSettings, PredictionSettings
from pages.shared import sharing
from pages.shared.keys import Key
from tests.experiment.test_experiment import EXPERIMENTS
from tests.pages.reading import shows, unescaped

ALARM = tuple(bn.load_network("alarm").ordering)
SHARED = [
    bn.Experiment(),
    bn.Experiment(
        bn.Recipe("network", "cancer", n_rows=150, seed=4),
        bn.BDeu(2.5),
        bn.K2(("Smoker", "Pollution", "Cancer", "Xray", "Dyspnoea"), max_parents=2),
        bn.Constraints((("Smoker", "Xray"),), (("Cancer", "Dyspnoea"),), tiers=(("Smoker",), ("Xray", "Cancer"))),
        methods=("bootstrap_corrected", "bootstrap_matched", "bootstrap", "jackknife_delete_d"),
        n=60,
        d=7,
        strength=0.35,
        seed=11,
        edge_penalty=1.5,
        uniform_parent_sizes=True,
    ),
    bn.Experiment(
        bn.Recipe("sample", "alarm_1000"), bn.BDs(3.0), bn.K2(ALARM), n=20, methods=("bootstrap_corrected", "bootstrap")
    ),
    bn.Experiment(
        bn.Recipe("sample", "house_votes_84", missing="own_state"),
        bn.QNML(),
        bn.SimulatedAnnealing(30.0, 70, 30, 0.8, 25, 4, "empty"),
        methods=("data", "bootstrap_corrected", "bootstrap", "parametric"),
        n=20,
    ),
    bn.Experiment(
        bn.Recipe("sample", "asia_1000"), search=bn.SimulatedAnnealing(proposals=500, cooling=0.9, exchanges=False)
    ),
    bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.BDe("asia", 2.0), bn.ChowLiu("smoke"), n=40),
    bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.K2Score(), bn.Tabu(20, 30, 3, restarts=4), n=40),
    bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.AIC(), bn.BestFirst(7, 30, 3), n=40),
    bn.Experiment(
        bn.Recipe("sample", "asia_1000"),
        kind="adjacency",
        averaged="bootstrap",
        rule="l1",
        max_false=2.5,
        calibration=CalibrationSettings("cancer", 250, ("bootstrap", "bootstrap_corrected"), 4, 90, 25),
        prediction=PredictionSettings("lung", "holdout", 7, 0.25, 3.0),
    ),
    bn.Experiment(
        bn.Recipe("network", "cancer", n_rows=90, seed=1), bn.FNML(), bn.TreeSearch(False, 0.5, None, 2), n=20
    ),
]


@pytest.mark.slow
@given(EXPERIMENTS)
def test_an_address_and_a_file_give_any_experiment_back_invariant(experiment):
    assert bn.Experiment.from_link(experiment.to_link()) == experiment
    content = json.dumps({"experiment": experiment.to_dict()}).encode()
    assert bn.Experiment.from_json(content) == experiment
    assert bn.Experiment.from_json(json.dumps(experiment.to_dict()).encode()) == experiment


@pytest.mark.slow
@pytest.mark.parametrize("experiment", SHARED, ids=lambda e: f"{e.score.name} {e.search.name}")
def test_a_link_brings_every_setting(arrive, experiment):
    visitor = arrive(run=experiment.to_link())
    assert in_full(visitor.experiment) == in_full(experiment)
    assert not visitor.warns("settings you opened")
    link = next(block.value for block in visitor.at.code if sharing.PARAMETER in block.value)
    assert in_full(bn.Experiment.from_link(link.split("run=")[1])) == in_full(experiment)


def in_full(experiment):
    """With the runs on the given data named among the methods, where they are learned."""
    return dataclasses.replace(experiment, methods=experiment.methods_run)


def test_settings_saved_before_a_search_had_more_of_them_still_open():
    """Annealing had no exchanges and always numbers; tabu search no restarts."""
    described = bn.Experiment().to_dict()
    numbers = {"start_temperature": 30.0, "proposals": 70, "acceptances": 30, "cooling": 0.8, "temperatures": 25}
    for search, expected in (
        (
            {"kind": "annealing", **numbers, "max_parents": 4, "start": "climbed"},
            bn.SimulatedAnnealing(30.0, 70, 30, 0.8, 25, 4, "climbed"),
        ),
        (
            {"kind": "tabu", "tenure": 9, "patience": 8, "max_parents": None, "max_iterations": 500},
            bn.Tabu(9, 8, None, 500),
        ),
    ):
        opened = bn.Experiment.from_json(json.dumps(described | {"search": search}).encode())
        assert opened.search == expected


@pytest.mark.slow
def test_a_file_of_settings_is_opened(visitor):
    content = json.dumps({"experiment": SHARED[1].to_dict()}).encode()
    visitor.at.file_uploader(key=Key.UPLOAD).set_value(("mine.json", content, "application/json")).run()
    assert visitor.settle().experiment == SHARED[1]
    visitor.choose(Key.SCORE, "aic")  # what was opened does not come back by itself
    assert visitor.experiment.score == bn.AIC()


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", [b"no json", b"[1]", b"{}", b'{"experiment": {"score": {"kind": "best"}}}', b"\xff\xfe", b'{"n": "abc"}']
)
def test_a_file_that_is_none_leaves_the_settings_as_they_are(visitor, content):
    before = visitor.experiment
    visitor.at.file_uploader(key=Key.UPLOAD).set_value(("mine.json", content, "application/json")).run()
    (warning,) = visitor.at.warning
    assert shows(warning.value, "mine.json")
    assert visitor.experiment == before


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x", "abc$", "ÄÖ", "eJwB", bn.Experiment().to_link()[:40]])
def test_a_broken_link_is_said_and_the_first_sample_shown(arrive, text):
    visitor = arrive(run=text)
    assert visitor.at.warning
    assert visitor.experiment == bn.Experiment()


@pytest.mark.slow
def test_a_link_to_a_file_waits_for_it(arrive):
    content = "a;b;c\n" + "x;1;p\ny;2;q\n" * 30
    other = arrive().upload("mine.csv", content)
    wanted = dataclasses.replace(
        bn.Experiment(), data=dataclasses.replace(other.recipe, columns=("a", "b"), missing="own_state"), score=bn.AIC()
    )
    visitor = arrive(run=wanted.to_link())
    assert wanted.data.name in unescaped(visitor.at.warning[0].value)
    assert visitor.experiment.score == bn.AIC()
    for page in ("data", "network", "data"):  # no page shows the sample as if it were the file
        assert "These settings need your file mine.csv." in unescaped(visitor.go(page).finding)
        assert any("mine.csv" in unescaped(one.value) for one in visitor.at.caption)
    visitor.upload("renamed.csv", content)
    assert "renamed.csv is ready" in unescaped(visitor.finding).replace("*", "")
    assert visitor.recipe == dataclasses.replace(wanted.data, name="renamed.csv")
    assert not visitor.at.warning


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"n": "abc"},
        {"n": 0},
        {"seed": -1},
        {"strength": -1},
        {"d": -3},
        {"methods": None},
        {"score": 5},
        {"data": {"source": "sample", "name": "nobody"}},
        {"data": {"source": "network", "name": "nobody", "n_rows": 10}},
        {"data": {"source": "network", "name": "asia", "n_rows": -5}},
        {"data": {"source": "sample", "name": "alarm_300", "bins": "many"}},
    ],
    ids=str,
)
def test_a_link_with_a_setting_that_cannot_be_opens_the_first_sample(arrive, change):
    visitor = arrive(run=saved.to_link(bn.Experiment().to_dict() | change))
    assert len(visitor.at.warning) == 1
    assert visitor.experiment == bn.Experiment()
    assert visitor.go("network").finding


@pytest.mark.slow
def test_the_address_keeps_the_settings(arrive):
    visitor = arrive()
    assert sharing.PARAMETER not in visitor.at.query_params  # the first settings need none
    visitor.go("network").choose(Key.SCORE, "aic")
    assert arrive(run=address(visitor)).experiment == visitor.experiment  # as after loading the page again
    assert arrive().experiment == bn.Experiment()  # another visitor


def test_a_link_that_names_what_is_gone_says_what_stands_in_its_place(arrive):
    older = bn.Experiment().to_dict() | {"methods": ["bootstrap_corrected", "bootstrap", "bootstrap_exact"]}
    visitor = arrive(run=saved.to_link(older))
    assert visitor.warns("The exact correction is gone", "corrected bootstrap")
    assert visitor.experiment.methods == ("bootstrap_corrected", "bootstrap")
    visitor.go("network")
    assert not visitor.at.warning


@pytest.mark.slow
def test_the_address_still_names_the_file_that_is_waited_for(arrive):
    wanted = bn.Experiment(bn.Recipe("file", "mine.csv", fingerprint="0" * 64)).to_link()
    assert address(arrive(run=wanted)) == wanted


def address(visitor):
    """The settings in the address; AppTest holds a parameter as a text or as a list of one."""
    held = visitor.at.query_params[sharing.PARAMETER]
    return held if isinstance(held, str) else held[0]


def saved_session(arrive, with_data):
    """A session about a file, as another person saved it."""
    other = arrive().upload("mine.csv", "a;b;c\n" + "x;1;p\ny;2;q\n" * 30)
    experiment = dataclasses.replace(bn.Experiment(), data=other.recipe, score=bn.AIC(), n=20)
    file = other.at.session_state["contents"].get(other.recipe.fingerprint) if with_data else None
    return experiment, bn.settings.SessionFile(experiment, file=file).to_bytes()


@pytest.mark.slow
def test_a_session_brings_its_data_and_settings(arrive):
    experiment, content = saved_session(arrive, with_data=True)
    visitor = arrive().other_data()
    visitor.at.file_uploader(key=Key.UPLOAD).set_value(("session.zip", content, "application/zip")).run()
    visitor.settle()
    assert visitor.experiment == experiment
    assert not visitor.at.warning
    assert not visitor.at.error
    assert "mine.csv" in unescaped(visitor.finding)
    visitor.choose(Key.SCORE, "bic")  # what was opened does not come back by itself
    assert visitor.experiment.score == bn.BIC()


@pytest.mark.slow
def test_a_session_without_data_asks_for_the_file(arrive):
    experiment, content = saved_session(arrive, with_data=False)
    visitor = arrive().go("data")
    visitor.at.file_uploader(key=Key.UPLOAD).set_value(("session.zip", content, "application/zip")).run()
    visitor.settle()
    assert "mine.csv" in unescaped(visitor.finding)
    assert visitor.experiment.score == experiment.score


@pytest.mark.slow
def test_a_damaged_session_leaves_everything_as_it_is(arrive):
    _, content = saved_session(arrive, with_data=True)
    visitor = arrive().other_data()
    before = visitor.experiment
    broken = content[:300] + bytes(200) + content[500:]
    visitor.at.file_uploader(key=Key.UPLOAD).set_value(("session.zip", broken, "application/zip")).run()
    (warning,) = visitor.at.warning
    assert shows(warning.value, "session.zip")
    assert visitor.experiment == before
