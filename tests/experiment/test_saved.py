"""Settings in files and links: those of an older version open, and whatever else is read gives one sentence."""

import base64
import copy
import dataclasses
import io
import json
import random
import zipfile
import zlib
from pathlib import Path

import pytest

import bnengine as bn
from bnengine._core.gone import REPLACED
from bnengine._core.settings import SettingError
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS
from bnengine.experiment import experiment as saved
from bnengine.experiment.archives import SETTINGS, opened
from bnengine.experiment.experiment import CalibrationSettings, PredictionSettings

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
    expected = (bn.Experiment(search=bn.HillClimbing(), methods=table1), FULL)
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
        {"n": 10**9},
        {"seed": -1},
        {"strength": -1},
        {"strength": float("nan")},
        {"d": -3},
        {"methods": None},
        {"methods": "bootstrap"},
        {"score": 5},
        {"score": bn.WithPrior(bn.BIC())},
        {"search": None},
        {"kind": "all"},
        {"threshold": 1.5},
        {"ties": "random"},
        {"data": {"source": "sample", "name": "nowhere"}},
        {"data": {"source": "network", "name": "nowhere", "n_rows": 5}},
        {"data": {"source": "network", "name": "asia", "n_rows": -5}},
        {"data": {"source": "network", "name": "asia", "n_rows": 20_000_000}},
        {"data": {"bins": "many"}},
        {"score": {"kind": "bdeu", "ess": 1e308}},
        {"score": {"kind": "bdeu", "ess": 5e-324}},
        {"data": {"per_column": [["a", "\ud800"]]}},
    ],
    ids=str,
)
def test_an_invalid_experiment_cannot_be_made(settings):
    with pytest.raises(ValueError, match=next(iter(settings))) as refused:
        bn.Experiment(**settings)
    assert "\n" not in str(refused.value)


def test_what_only_shows_a_study_does_not_change_its_key():
    shown = dataclasses.replace(FULL, kind="directed", threshold=None, calibration=CalibrationSettings(), shuffles=20)
    assert shown.key == FULL.key
    assert shown.graph_key == FULL.graph_key
    assert shown.calibration_key != FULL.calibration_key
    assert dataclasses.replace(FULL, n=61).graph_key == FULL.graph_key
    assert dataclasses.replace(FULL, n=61).key != FULL.key


@pytest.mark.slow
def test_a_compressed_flood_is_refused_unread():
    flood = base64.urlsafe_b64encode(zlib.compress(b" " * 10**8, 9)).decode()
    with pytest.raises(ValueError, match="too long"):
        bn.Experiment.from_link(flood)


# ---- mutations

ODD = [
    None, True, False, 0, -1, 1, 2.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), 10**30, 10**400, "", "x",
    "ä\0", "\ud800", "𝔵" * 2000, [], {}, [[]], [[[]]], [None], [1], ["a", "a"], [["a", "b", "c"]], {"kind": "tabu"},
    {"kind": []}, {"kind": "bde", "prior_network": {"title": "x", "bif": "network x {"}}, {"": 1},
    {"title": "x", "bif": "network x {"}, {"title": 1, "bif": 2}, {"\ud800": 1},
]  # fmt: skip


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def places(value, path=()):
    """Every place in plain settings."""
    found = [path] if path else []
    if isinstance(value, dict):
        found += [place for key in value for place in places(value[key], (*path, key))]
    if isinstance(value, list):
        found += [place for number in range(len(value)) for place in places(value[number], (*path, number))]
    return found


def mutated(plain, random):
    """Plain settings with one to three places changed, removed or added."""
    plain = json.loads(json.dumps(plain))
    for _ in range(random.randint(1, 3)):
        path = random.choice(places(plain))
        owner = plain
        for key in path[:-1]:
            owner = owner[key]
        what = random.random()
        if what < 0.6:
            owner[path[-1]] = copy.deepcopy(random.choice([*ODD, nested(random.choice([3, 200]))]))
        elif what < 0.8:
            del owner[path[-1]]
        elif isinstance(owner, dict):
            owner[random.choice(["kind", "version", "n", "experiment", "colour", "\ud800", ""])] = copy.deepcopy(
                random.choice(ODD)
            )
        else:
            owner.append(copy.deepcopy(random.choice(ODD)))
        if not places(plain):
            break
    return plain


def flipped(text, random):
    """Text with a few letters changed, removed or doubled."""
    letters = list(text)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(letters))
        letters[place] = random.choice(
            [chr(ord((letters[place] or "x")[0]) ^ (1 << random.randrange(7))), "", "ä", letters[place] * 2]
        )
    return "".join(letters)


def read_or_refused(read, content):
    """The experiment, or None where a sentence refused it; anything else fails."""
    refused = None
    try:
        experiment = read(content)
    except ValueError as error:
        refused = error
    if refused is not None:
        sentence = str(refused)
        assert type(refused) in (ValueError, bn.DataError, SettingError)
        assert 0 < len(sentence) < 700
        assert "\n" not in sentence
        sentence.encode()
        return None
    assert isinstance(experiment, bn.Experiment)
    assert bn.Experiment.from_dict(json.loads(json.dumps(experiment.to_dict()))) == experiment
    return experiment


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_2000_mutated_files_and_links_give_an_experiment_or_a_sentence(seed):
    rng = random.Random(seed)
    own = dataclasses.replace(OLD[0], score=bn.BDe(bn.load_network("cancer"), 2.0))
    bases = [VERSION_1[0]["saved"], VERSION_1[1]["saved"], OLD[0].to_dict(), FULL.to_dict(), own.to_dict()]
    given = 0
    for number in range(250):
        plain = mutated(rng.choice(bases), rng)
        if number % 5 == 0:
            given += read_or_refused(bn.Experiment.from_dict, plain) is not None
        elif number % 5 == 1:
            given += read_or_refused(bn.Experiment.from_json, json.dumps({"experiment": plain}).encode()) is not None
        elif number % 5 == 2:
            given += read_or_refused(bn.Experiment.from_link, saved.to_link(plain)) is not None
        elif number % 5 == 3:
            given += read_or_refused(bn.Experiment.from_json, flipped(json.dumps(plain), rng)) is not None
        else:
            given += read_or_refused(bn.Experiment.from_link, flipped(FULL.to_link(), rng)) is not None
    assert given > 0


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"data":' * 100_000, "1" * 5000, "", "null", "[1]", "{}", '"x"', "NaN", '{"n": 1e999}']
)
def test_text_that_is_no_experiment_is_refused(content):
    assert read_or_refused(bn.Experiment.from_json, content) is None
    assert read_or_refused(bn.Experiment.from_json, content.encode("utf-16")) is None


GONE_METHOD = bn.Experiment(n=5).to_dict() | {
    "methods": ["bootstrap_corrected", "bootstrap_exact", "predictive"],
    "averaged": "bootstrap_exact",
}


def test_what_names_the_exact_correction_opens_with_the_corrected_bootstrap_and_says_so():
    calibration = GONE_METHOD["calibration"] | {"methods": ["bootstrap_exact"]}
    for methods in (["bootstrap_corrected", "bootstrap_exact", "predictive"], ["bootstrap_exact", "predictive"]):
        plain = GONE_METHOD | {"methods": methods, "calibration": calibration}
        link = saved.to_link(plain)
        for found in (bn.Experiment.from_dict(plain), bn.Experiment.from_link(link)):
            assert found.methods == ("bootstrap_corrected", "predictive")
            assert found.averaged == "bootstrap_corrected"
            assert found.calibration.methods == ("bootstrap_corrected",)
        said = saved.replaced_in(saved.from_link(link))
        assert said == REPLACED["bootstrap_exact"][1]
    assert saved.replaced_in(GONE_METHOD | {"methods": ["boot_exact"], "averaged": None}) == said


def test_settings_whose_calibration_compared_the_exact_correction_by_default_open_as_the_default_without_a_word():
    default = bn.Experiment().to_dict()
    methods = default["calibration"]["methods"]
    former = default | {
        "calibration": default["calibration"] | {"methods": [*methods[:2], "bootstrap_exact", *methods[2:]]}
    }
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
