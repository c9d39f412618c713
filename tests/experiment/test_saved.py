"""Settings in files and links: those of an older version open, and whatever else is read gives one sentence."""

import dataclasses
import io
import json
import zipfile
from pathlib import Path

import pytest

import bnengine as bn
from bnengine._core.settings import REPLACED
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS
from bnengine.experiment import experiment as saved
from bnengine.experiment.archives import SETTINGS, opened
from bnengine.experiment.evaluations import CalibrationSettings, PredictionSettings

VERSION_1, VERSION_2 = (
    json.loads((Path(__file__).parent / f"saved_by_version_{number}.json").read_text(encoding="utf-8"))
    for number in (1, 2)
)
OLD = [
    bn.Experiment(search=bn.HillClimbing(), methods=TABLE1_KEYS),
    bn.Experiment(
        bn.Recipe(
            "network",
            "cancer",
            n_rows=150,
            seed=4,
            columns=("Smoker", "Cancer"),
            discretization="quantile",
            bins=4,
            per_column=(("Smoker", "none"),),
            missing="own_state",
        ),
        bn.BDeu(2.5),
        bn.K2(("Smoker", "Cancer"), max_parents=2),
        bn.Constraints((("Smoker", "Cancer"),), (("Cancer", "Smoker"),), 3, tiers=(("Smoker",), ("Cancer",))),
        methods=("bootstrap_corrected", "bootstrap_matched", "bootstrap", "jackknife_delete_d"),
        n=60,
        d=7,
        strength=0.35,
        seed=11,
        edge_penalty=1.5,
        uniform_parent_sizes=True,
        ties="columns",
    ),
]
FULL = dataclasses.replace(
    OLD[1],
    search=bn.Tabu(5),
    kind="compelled",
    averaged="bootstrap",
    rule="permutation",
    threshold=0.25,
    shuffles=7,
    max_false=0.5,
    calibration=CalibrationSettings("asia", 100, ("bootstrap",), 3, 50, 20),
    prediction=PredictionSettings("Cancer", "holdout", 5, 0.25, 2.0),
)


@pytest.mark.parametrize(("written", "experiment"), list(zip(VERSION_1, OLD, strict=True)), ids=["default", "full"])
def test_files_and_links_of_version_1_open(written, experiment):
    """Written by the release before the format had a version."""
    assert bn.Experiment.from_dict(written["saved"]) == experiment
    assert bn.Experiment.from_json(json.dumps({"experiment": written["saved"], "version": "0.1.0"})) == experiment
    assert bn.Experiment.from_link(written["link"]) == experiment


def test_files_and_links_of_version_2_open():
    """Written when resampling methods had short keys, such as boot_bc."""
    assert "boot_bc" in json.dumps(VERSION_2)
    table1 = (*TABLE1_KEYS, "predictive")  # what ran by default then
    expected = (bn.Experiment(search=bn.HillClimbing(), methods=table1, kind="directed"), FULL)
    for written, experiment in zip(VERSION_2, expected, strict=True):
        assert bn.Experiment.from_dict(written["saved"]) == experiment
        assert bn.Experiment.from_link(written["link"]) == experiment


@pytest.mark.parametrize("experiment", [*OLD, FULL])
def test_files_and_links_give_the_experiment_back(experiment):
    assert bn.Experiment.from_dict(experiment.to_dict()) == experiment
    assert bn.Experiment.from_json(experiment.to_json().encode("utf-8-sig")) == experiment
    assert bn.Experiment.from_link(experiment.to_link()) == experiment


@pytest.mark.parametrize(
    "settings",
    [
        {"n": 0},
        {"seed": -1},
        {"strength": float("nan")},
        {"methods": "bootstrap"},
        {"score": bn.WithPrior(bn.BIC())},
        {"threshold": 1.5},
        {"data": {"source": "sample", "name": "nowhere"}},
        {"data": {"source": "network", "name": "asia", "n_rows": -5}},
        {"data": {"bins": "many"}},
        {"score": {"kind": "bdeu", "ess": 5e-324}},
        {"data": {"per_column": [["a", "\ud800"]]}},
    ],
    ids=str,
)
def test_an_invalid_experiment_cannot_be_made(settings):
    with pytest.raises(ValueError, match=next(iter(settings))) as refused:
        bn.Experiment(**settings)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"data":' * 100_000, "1" * 5000, "", "null", "[1]", "{}", '"x"', "NaN", '{"n": 1e999}']
)
def test_text_that_is_no_experiment_is_refused(content):
    for written in (content, content.encode("utf-16")):
        with pytest.raises(ValueError, match=r"^[^\n]{1,700}$"):
            bn.Experiment.from_json(written)


GONE_METHOD = bn.Experiment(n=5).to_dict() | {
    "methods": ["bootstrap_corrected", "bootstrap_exact", "predictive"],
    "averaged": "bootstrap_exact",
}


def test_what_names_the_exact_correction_opens_with_the_corrected_bootstrap_and_says_so():
    found = bn.Experiment.from_link(saved.to_link(GONE_METHOD))
    assert found.methods == ("bootstrap_corrected", "predictive")
    assert found.averaged == "bootstrap_corrected"
    assert saved.replaced_in(GONE_METHOD) == REPLACED["bootstrap_exact"][1]
    default = bn.Experiment().to_dict()
    methods = default["calibration"]["methods"]
    compared = [*methods[:2], "bootstrap_exact", *methods[2:]]  # by default, then
    former = default | {"calibration": default["calibration"] | {"methods": compared}}
    assert bn.Experiment.from_dict(former) == bn.Experiment()
    assert saved.replaced_in(former) == saved.replaced_in(default) == saved.replaced_in([1]) == ""


def test_a_session_says_what_stands_in_the_place_of_what_is_gone():
    content = bn.settings.SessionFile(bn.Experiment.from_dict(GONE_METHOD)).to_bytes()
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(held, "w") as older:
        for name in packed.namelist():
            about = packed.read(name)
            if name == SETTINGS:
                about = json.dumps(json.loads(about) | {"experiment": {"version": 3} | GONE_METHOD}).encode()
            older.writestr(name, about)
    found = opened(held.getvalue())
    assert found.remark == opened(json.dumps(GONE_METHOD).encode()).remark == REPLACED["bootstrap_exact"][1]
    assert found.experiment.methods == ("bootstrap_corrected", "predictive")
    assert opened(content).remark == ""


@pytest.mark.parametrize(
    ("word", "said"), [("dic", "DIC is no score"), ("corrected", "The corrected likelihood is gone")]
)
def test_scores_that_are_gone_open_as_aic_and_say_so(word, said):
    old = bn.Experiment().to_dict() | {"score": {"kind": word}}
    assert bn.Experiment.from_dict(old).score == bn.AIC()
    assert saved.replaced_in(old).startswith(said)


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
