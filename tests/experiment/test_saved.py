"""Settings in files and links: those of an older version open, and whatever else is read gives one sentence."""

import dataclasses
import gzip
import hashlib
import io
import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import bnengine as bn
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS
from bnengine.experiment import archives, saved
from bnengine.experiment.archives import DATA, SETTINGS, is_session, opened
from bnengine.experiment.experiment import CalibrationSettings, PredictionSettings
from bnengine.experiment.saved import REPLACED
from bnengine.settings import SessionFile

VERSION_1, VERSION_2, VERSION_3 = (
    json.loads((Path(__file__).parent / f"saved_by_version_{number}.json").read_text(encoding="utf-8"))
    for number in (1, 2, 3)
)
OTHERS = {"methods": ("bootstrap_corrected", "bootstrap_matched", "bootstrap", "jackknife_delete_d"), "n": 60, "d": 7}
OTHERS |= {"strength": 0.35, "seed": 11, "edge_penalty": 1.5, "uniform_parent_sizes": True}
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
        **OTHERS,
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


THEN = bn.Experiment(search=bn.HillClimbing(), methods=(*TABLE1_KEYS, "predictive"), kind="directed")  # by default


@pytest.mark.parametrize(("number", "expected"), [(1, OLD), (2, (THEN, FULL))])
def test_files_and_links_of_earlier_versions_open(number, expected):
    """Version 1 had no version in it; in version 2 resampling methods had short keys, such as boot_bc."""
    written = (VERSION_1, VERSION_2)[number - 1]
    assert "boot_bc" in json.dumps(written)
    for one, experiment in zip(written, expected, strict=True):
        assert bn.Experiment.from_dict(one["saved"]) == experiment
        assert bn.Experiment.from_json(json.dumps({"experiment": one["saved"], "version": "0.1.0"})) == experiment
        assert bn.Experiment.from_link(one["link"]) == experiment


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


@pytest.mark.parametrize("inner", ["methods", "data", "version", "score"])
def test_what_a_stranger_nests_is_a_sentence(inner):
    nested = 0
    for _ in range(700):
        nested = [nested]
    for value in (nested, {"kind": nested}):
        with pytest.raises(ValueError, match="nested too deep"):
            bn.Experiment.from_link(saved.to_link({**bn.Experiment().to_dict(), inner: value}))


def test_what_was_saved_when_measurements_were_cut_by_default_opens_with_its_cuts():
    """As it was written then for a file whose proposed treatment nobody had changed."""
    frame = pd.DataFrame({"dose": [k / 7 for k in range(40)], "ward": [*"ab"] * 20})
    given = {"source": "file", "name": "t.csv", "discretization": "quantile"}
    default = bn.Experiment().to_dict()
    then = default | {"version": 3, "data": default["data"] | given}
    opened = (bn.Experiment.from_dict(then), bn.Experiment.from_link(saved.to_link(then)))
    of_session = SessionFile.from_bytes(SessionFile(opened[0]).to_bytes()).experiment
    for recipe in (one.data for one in (*opened, of_session)):
        for later in (recipe, recipe.accepting(frame, ())):  # whatever is then done to the table
            data = later.prepare(frame)
            assert (data.numbers, data.arities.tolist()) == ((), [3, 2])
    assert bn.Recipe("file", "t.csv").suggested(frame).prepare(frame).numbers == ("dose",)


GONE_METHOD = bn.Experiment(n=5).to_dict() | {
    "methods": ["bootstrap_corrected", "bootstrap_exact", "predictive"],
    "averaged": "bootstrap_exact",
}


def test_what_names_the_exact_correction_opens_with_the_corrected_bootstrap_and_says_so():
    found = bn.Experiment.from_link(saved.to_link(GONE_METHOD))
    assert found.methods == ("bootstrap_corrected", "predictive")
    assert found.averaged == "bootstrap_corrected"
    assert saved.up_to_date(GONE_METHOD)[1] == REPLACED["bootstrap_exact"][1]
    default = bn.Experiment().to_dict()
    methods = default["calibration"]["methods"]
    compared = [*methods[:2], "bootstrap_exact", *methods[2:]]  # by default, then
    former = default | {"calibration": default["calibration"] | {"methods": compared}}
    assert bn.Experiment.from_dict(former) == bn.Experiment()
    assert saved.up_to_date(former)[1] == saved.up_to_date(default)[1] == ""


def test_a_session_says_what_stands_in_the_place_of_what_is_gone():
    content = SessionFile(bn.Experiment.from_dict(GONE_METHOD)).to_bytes()
    parts = members(content)
    about = json.loads(parts[SETTINGS]) | {"experiment": {"version": 3} | GONE_METHOD}
    found = opened(packed(parts | {SETTINGS: json.dumps(about).encode()}))
    assert found.remark == opened(json.dumps(GONE_METHOD).encode()).remark == REPLACED["bootstrap_exact"][1]
    assert found.experiment.methods == ("bootstrap_corrected", "predictive")
    assert opened(content).remark == ""


@pytest.mark.parametrize(
    "content", [b'[{"id": 0, "mood": "ok"}]', b'{"rows": [1]}', b'{"columns": ["a"], "data": [[1]]}']
)
def test_of_json_that_is_a_table_it_is_said_what_was_expected(content):
    with pytest.raises(ValueError, match=r"JSON without saved settings; if it holds a table, write the table as CSV"):
        opened(content)


@pytest.mark.parametrize(
    ("word", "said"), [("dic", "DIC is no score"), ("corrected", "The corrected likelihood is gone")]
)
def test_scores_that_are_gone_open_as_aic_and_say_so(word, said):
    old = bn.Experiment().to_dict() | {"score": {"kind": word}}
    assert bn.Experiment.from_dict(old).score == bn.AIC()
    assert saved.up_to_date(old)[1].startswith(said)


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


# A session in a file comes back as it was; a file that is none, or hostile, gives one sentence.


TABLE = (
    "person;rating;income;town;=x\n"
    + "1;4;1.500,5;Köln;yes\n2;;2.000,0;Bonn;no\n3;5;;;NA\n" * 5
    + "4;2;900,0;NA;007\n5;1;12,25;;None\n"
)


def sha256(raw):
    return hashlib.sha256(raw).hexdigest()


def file_and_recipe():
    """A table with missing cells, text, whole and broken numbers, and its recipe."""
    raw = TABLE.encode()
    recipe = bn.Recipe("file", "mine.csv", fingerprint=sha256(raw), missing="own_state")
    return raw, dataclasses.replace(recipe, discretization="quantile", bins=2)


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def packed(parts, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def as_parquet():
    frame = bn.read_table(io.BytesIO(TABLE.encode()))
    frame.attrs.clear()  # how it was read
    return frame.to_parquet()


@pytest.mark.parametrize("packed_up", ["as text", "gzipped", "Parquet"])
def test_a_file_goes_along_as_it_is_and_is_read_as_the_settings_say(packed_up):
    raw = {"as text": TABLE.encode(), "gzipped": gzip.compress(TABLE.encode()), "Parquet": as_parquet()}[packed_up]
    recipe = bn.Recipe("file", "mine.csv", fingerprint=sha256(raw), encoding="windows-1252", missing="own_state")
    experiment = bn.Experiment(recipe, bn.BDeu(3), bn.Tabu(), n=12, methods=("bootstrap",))
    content = SessionFile(experiment, raw).to_bytes()
    assert is_session(content)
    assert content == SessionFile(experiment, raw).to_bytes()
    assert raw in members(content).values()
    again = SessionFile.from_bytes(content)
    assert (again.experiment, again.file) == (experiment, raw)
    pd.testing.assert_frame_equal(again.frame(), bn.read_table(io.BytesIO(raw), **recipe.reading))


def test_data_that_are_not_the_file_of_the_settings_are_refused():
    raw, recipe = file_and_recipe()
    other = bn.Experiment(dataclasses.replace(recipe, fingerprint=sha256(b"another file")))
    with pytest.raises(bn.DataError, match="not the file that its settings name"):
        SessionFile(other, raw).to_bytes()
    parts = members(SessionFile(bn.Experiment(recipe), raw).to_bytes())
    forged = parts[SETTINGS].replace(recipe.fingerprint.encode(), other.data.fingerprint.encode())
    assert forged != parts[SETTINGS]
    with pytest.raises(bn.DataError, match="not the file that its settings name"):
        SessionFile.from_bytes(packed(parts | {SETTINGS: forged}))


def test_an_older_session_is_opened_with_the_fingerprint_of_its_table():
    """It held the table that was read from the file of its settings."""
    _, recipe = file_and_recipe()
    settings = json.loads(members(SessionFile(bn.Experiment(recipe)).to_bytes())[SETTINGS])
    settings["experiment"]["data"] |= {"fingerprint": sha256(b"the text it was read from"), "decimal": "comma"}
    again = SessionFile.from_bytes(packed({SETTINGS: json.dumps(settings).encode(), DATA: as_parquet()}))
    assert again.experiment.data == dataclasses.replace(recipe, fingerprint=sha256(as_parquet()))
    pd.testing.assert_frame_equal(again.frame(), bn.read_table(io.BytesIO(as_parquet())))


def test_without_the_data_no_row_of_them_is_in_the_file():
    _, recipe = file_and_recipe()
    content = SessionFile(bn.Experiment(recipe)).to_bytes()
    assert SessionFile.from_bytes(content).frame() is None
    assert set(members(content)) == {SETTINGS, "repeat.py", "repeat.R"}
    assert b"Bonn" not in b"".join(members(content).values())


def test_what_is_for_people_can_be_read_by_other_programs():
    raw, recipe = file_and_recipe()
    tables = {"learned_edges": pd.DataFrame({"parent": ["a"], "child": ["b"]})}
    parts = members(SessionFile(bn.Experiment(recipe), raw, tables).to_bytes())
    assert set(parts) == {SETTINGS, "data.csv", "learned_edges.csv", "repeat.py", "repeat.R"}
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(parts["learned_edges.csv"])), tables["learned_edges"])
    assert bn.Experiment.from_json(parts[SETTINGS]).data == recipe
    compile(parts["repeat.py"], "repeat.py", "exec")


def test_only_a_file_is_kept_and_tables_only_under_plain_names():
    with pytest.raises(ValueError, match="file must be None"):
        SessionFile(bn.Experiment(), TABLE.encode()).to_bytes()
    for name in ("../up", "a/b", "", "A b", "x" * 50):
        with pytest.raises(ValueError, match="tables and documents must have plain names"):
            SessionFile(bn.Experiment(), None, {name: pd.DataFrame()}).to_bytes()


def parts_with_parquet():
    """The members of a session whose file is a Parquet file."""
    recipe = dataclasses.replace(file_and_recipe()[1], fingerprint=sha256(as_parquet()))
    return members(SessionFile(bn.Experiment(recipe), as_parquet()).to_bytes())


def test_no_more_is_unpacked_than_is_allowed(monkeypatch):
    parts = parts_with_parquet()
    for name in (SETTINGS, DATA):
        monkeypatch.setattr(archives, "LIMITS", dataclasses.replace(archives.LIMITS, megabytes=2))
        bomb = packed(parts | {name: bytes(8_000_000)})
        assert len(bomb) < 100_000
        with pytest.raises(bn.DataError, match=f"more than 2.* MB in {name}"):
            SessionFile.from_bytes(bomb)
    with pytest.raises(bn.DataError, match="larger than 2 MB"):
        SessionFile.from_bytes(bytes(3_000_000))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({SETTINGS: b"{}"}, "settings cannot be read"),
        ({SETTINGS: b"[1]"}, "settings cannot be read"),
        ({SETTINGS: b"[" * 100_000}, "settings cannot be read"),
        ({SETTINGS: b'{"session": 2}'}, "update bnengine"),
        ({SETTINGS: b'{"session": true}'}, "update bnengine"),
        ({SETTINGS: b'{"session": 1}'}, "unknown|must be|no setting|session"),
        ({DATA: b"a,b\n1,2\n"}, "not a Parquet file"),
        ({DATA: b"\x1f\x8b" + bytes(30)}, "not a Parquet file"),
        ({DATA: b"PAR1" + bytes(30) + b"PAR1"}, "not the file that its settings name"),
        ({DATA: b""}, "not a Parquet file"),
    ],
    ids=str,
)
def test_a_session_with_a_wrong_part_gives_one_sentence(change, words):
    with pytest.raises(ValueError, match=words) as refused:
        SessionFile.from_bytes(packed(parts_with_parquet() | change))
    assert len(str(refused.value)) < 500


def test_other_files_are_no_sessions():
    assert not is_session(b"")
    assert not is_session(b"PK\x03\x04 an Excel file")
    assert not is_session(json.dumps(bn.Experiment().to_dict()).encode())
    for raw in (b"", b"PK", b"no zip", packed({"other.txt": b"x"}), packed({SETTINGS: b"{}"}, zipfile.ZIP_LZMA)):
        with pytest.raises(ValueError, match="session"):
            SessionFile.from_bytes(raw)
