"""Settings that travel by link and by file come back as they were."""

import dataclasses
import json
import os
import threading

import pytest

import bnengine as bn
from bnengine.experiment import experiment as saved
from bnengine.experiment.experiment import CalibrationSettings, PredictionSettings
from pages.shared import jobs
from pages.shared.keys import Key
from pages.shared.run import link
from tests.experiment.test_saved import FULL, OLD, OTHERS, VERSION_1, VERSION_2, VERSION_3
from tests.pages.reading import shows

ASIA = bn.Recipe("sample", "asia_1000")
GENES = tuple(bn.load_sample("regulon_raw").columns[:5])
SHARED = [
    bn.Experiment(
        bn.Recipe("network", "cancer", n_rows=150, seed=4),
        bn.BDeu(2.5),
        bn.K2(("Smoker", "Pollution", "Cancer", "Xray", "Dyspnoea"), max_parents=2),
        bn.Constraints((("Smoker", "Xray"),), (("Cancer", "Dyspnoea"),), tiers=(("Smoker",), ("Xray", "Cancer"))),
        **OTHERS,
    ),
    bn.Experiment(ASIA, bn.QNML(), bn.SimulatedAnnealing(30.0, 70, 30, 0.8, 25, 4, "empty")),
    bn.Experiment(ASIA, bn.BDe("asia", 2.0), bn.ChowLiu("smoke"), n=40),
    bn.Experiment(bn.Recipe("sample", "lecture_8"), bn.BDe(bn.fit(bn.load_sample("lecture_4"), [("X", "Y")], ess=1))),
    bn.Experiment(
        ASIA,
        kind="directed",
        averaged="bootstrap",
        rule="l1",
        threshold=0.7,
        shuffles=7,
        max_false=2.5,
        size=250,
        ties="columns",
        calibration=CalibrationSettings("cancer", 250, ("bootstrap", "bootstrap_corrected"), 4, 90, 25),
        prediction=PredictionSettings("lung", "holdout", 7, 0.25, 3.0, network="averaged"),
    ),
    bn.Experiment(bn.Recipe("sample", "regulon_raw", columns=GENES, discretization="quantile"), n=20, recut=True),
]


@pytest.mark.parametrize("part", [None, "calibration", "prediction"])
def test_no_setting_is_missing_from_the_links_tried(part):
    """The threshold was lost from links, and no test had one."""
    parts = [one if part is None else getattr(one, part) for one in SHARED]
    same = [name for name in vars(parts[0]) if len({repr(getattr(one, name)) for one in parts}) == 1]
    assert not same


@pytest.mark.slow
@pytest.mark.parametrize("experiment", SHARED, ids=lambda e: f"{e.score.name} {e.search.name}")
def test_a_link_brings_every_setting(arrive, experiment):
    visitor = arrive(run=experiment.to_link())
    assert in_full(visitor.experiment) == in_full(experiment)
    assert not visitor.warns("settings you opened")
    drawn = next(block.value for block in visitor.at.code if link.PARAMETER in block.value)
    assert in_full(bn.Experiment.from_link(drawn.split("run=")[1])) == in_full(experiment)


def on_a_page(experiment, **changed):
    """As the widgets hold it, which have the limit on parents with the search."""
    return dataclasses.replace(
        experiment, constraints=dataclasses.replace(experiment.constraints, max_parents=None), **changed
    )


#: Addresses that older versions wrote: what the page holds once they are opened. Each version's links are kept as they
#: were written; an address without a view, or with one that is gone, opens the verdict.
LAST = dataclasses.replace(FULL.prediction, target=None)  # the last column, which is the default
OLD_ADDRESSES = {
    "version 1": ({"run": VERSION_1[1]["link"]}, on_a_page(OLD[1]), "verdict"),
    "version 2, a view": ({"view": "naive", "run": VERSION_2[1]["link"]}, on_a_page(FULL, prediction=LAST), "naive"),
    "version 3, typed lists": ({"run": VERSION_3[0]}, SHARED[0], "verdict"),
    "version 3, a threshold": ({"run": VERSION_3[1], "view": "threshold"}, SHARED[4], "threshold"),
    "a view that is gone": ({"run": VERSION_3[1], "view": "heat map"}, SHARED[4], "verdict"),
    "no settings": ({"view": "learned"}, bn.Experiment(), "learned"),
}


@pytest.mark.parametrize(("address", "experiment", "view"), OLD_ADDRESSES.values(), ids=OLD_ADDRESSES)
def test_old_addresses_open(arrive, address, experiment, view):
    visitor = arrive(**address)
    held = visitor.at.session_state["run state"]
    assert (in_full(held.experiment), held.view) == (in_full(experiment), view)


def in_full(experiment):
    """With the runs on the given data named among the methods, where they are learned."""
    return dataclasses.replace(experiment, methods=experiment.methods_run)


@pytest.mark.slow
def test_a_file_of_settings_is_opened(visitor):
    content = json.dumps({"experiment": SHARED[0].to_dict()}).encode()
    visitor.at.file_uploader(key=Key.UPLOAD).set_value(("mine.json", content, "application/json")).run()
    assert visitor.settle().experiment == SHARED[0]
    visitor.choose(Key.SCORE, "aic")  # what was opened does not come back by itself
    assert visitor.experiment.score == bn.AIC()


def test_the_case_of_a_suffix_does_not_matter():
    assert link.is_saved("X.JSON", b"{}")
    assert not link.is_saved("X.CSV", b"{}")


@pytest.mark.slow
def test_the_address_keeps_the_settings(arrive):
    visitor = arrive()
    assert link.PARAMETER not in visitor.at.query_params  # the first settings need none
    visitor.on("asia_1000").choose(Key.SCORE, "aic")
    assert arrive(run=address(visitor)).experiment == visitor.experiment  # as after loading the page again
    assert arrive().experiment == bn.Experiment()  # another visitor


def test_a_link_that_names_what_is_gone_says_what_stands_in_its_place(arrive):
    older = bn.Experiment().to_dict() | {"methods": ["bootstrap_corrected", "bootstrap", "bootstrap_exact"]}
    visitor = arrive(run=saved.to_link(older))
    assert visitor.warns("The exact correction is gone", "corrected bootstrap")
    assert visitor.experiment.methods == ("bootstrap_corrected", "bootstrap")
    assert not visitor.open("data").at.warning


def address(visitor):
    """The settings in the address; AppTest holds a parameter as a text or as a list of one."""
    held = visitor.at.query_params[link.PARAMETER]
    return held if isinstance(held, str) else held[0]


BROKEN = [
    "ÄÖ",
    saved.to_link(bn.Experiment().to_dict() | {"data": {"source": "network", "name": "nobody", "n_rows": 10}}),
]


@pytest.mark.slow
@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_link_is_said_and_the_first_sample_shown(arrive, text):
    visitor = arrive(run=text)
    assert len(visitor.at.warning) == 1
    assert visitor.experiment == bn.Experiment()


SESSION = bn.settings.SessionFile(bn.Experiment(bn.Recipe("sample", "titanic"))).to_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mine.json", b'{"experiment": {"score": {"kind": "best"}}}'),
        ("session.zip", SESSION[:300] + bytes(200) + SESSION[500:]),
    ],
)
def test_a_file_that_is_none_leaves_the_settings_as_they_are(visitor, name, content):
    before = visitor.experiment
    visitor.at.file_uploader(key=Key.UPLOAD).set_value((name, content, "application/octet-stream")).run()
    (warning,) = visitor.at.warning
    assert shows(warning.value, name)
    assert visitor.experiment == before


@pytest.mark.slow
def test_many_rows_of_a_network_are_drawn_in_the_background(arrive, monkeypatch):
    monkeypatch.setattr(jobs, "GRACE", 0.0)
    begun, load = [], bn.Recipe.load
    monkeypatch.setattr(
        bn.Recipe, "load", lambda self, *path: begun.append(threading.current_thread().name) or load(self, *path)
    )
    recipe = bn.Recipe("network", "alarm", n_rows=30_000, seed=int.from_bytes(os.urandom(3)))
    visitor = arrive(run=bn.Experiment(recipe).to_link())
    assert visitor.data.n_rows == 30_000
    assert len(begun) == 1
    assert begun[0].startswith("job ")
