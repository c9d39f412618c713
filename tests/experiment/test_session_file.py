"""A session in a file comes back as it was; a file that is none, or hostile, gives one sentence."""

import dataclasses
import gzip
import hashlib
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.experiment import archives
from bnengine.experiment.archives import DATA, SETTINGS, is_session

TABLE = (
    "person;rating;income;town;=x\n"
    + "1;4;1.500,5;Köln;yes\n2;;2.000,0;Bonn;no\n3;5;;;NA\n" * 5
    + "4;2;900,0;NA;007\n5;1;12,25;;None\n"
)


def sha256(raw):
    return hashlib.sha256(raw).hexdigest()


def opened_from_csv():
    """A table with missing cells, text, whole and broken numbers, and its recipe."""
    raw = TABLE.encode()
    frame = bn.read_table(io.BytesIO(raw), name="mine.csv")
    recipe = bn.Recipe("file", "mine.csv", fingerprint=sha256(raw), missing="own_state")
    return dataclasses.replace(recipe, discretization="quantile", bins=2), frame


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def packed(parts, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "sachs_raw", "house_votes_84"])
def test_settings_and_data_come_back_as_they_were(name):
    recipe, frame = opened_from_csv()
    frame = bn.load_sample(name) if name else frame
    experiment = bn.Experiment(recipe, bn.BDeu(3), bn.Tabu(), n=12, methods=("bootstrap",))
    content = bn.settings.SessionFile(experiment, frame).to_bytes()
    assert is_session(content)
    again = bn.settings.SessionFile.from_bytes(content)
    its_file = sha256(members(content)[DATA])  # the table became a file of its own
    assert again.experiment == about(experiment, fingerprint=its_file)
    pd.testing.assert_frame_equal(again.frame, frame)
    one, other = recipe.prepare(frame), recipe.prepare(again.frame)
    assert (one.names, one.states) == (other.names, other.states)
    assert np.array_equal(one.to_frame().to_numpy(), other.to_frame().to_numpy())
    assert content == bn.settings.SessionFile(experiment, frame).to_bytes()


def about(experiment, **recipe):
    return dataclasses.replace(experiment, data=dataclasses.replace(experiment.data, **recipe))


@pytest.mark.parametrize("packed_up", ["as text", "gzipped"])
def test_a_file_goes_along_as_it_is_and_is_read_as_the_settings_say(packed_up):
    raw = TABLE.encode() if packed_up == "as text" else gzip.compress(TABLE.encode())
    recipe = bn.Recipe("file", "mine.csv", fingerprint=sha256(raw), encoding="windows-1252", missing="own_state")
    frame = bn.read_table(io.BytesIO(raw), name="mine.csv", **recipe.reading)
    experiment = bn.Experiment(recipe)
    content = bn.settings.SessionFile(experiment, frame, {}, raw).to_bytes()
    assert raw in members(content).values()
    again = bn.settings.SessionFile.from_bytes(content)
    assert (again.experiment, again.file) == (experiment, raw)
    pd.testing.assert_frame_equal(again.frame, frame)


def test_data_that_are_not_the_file_of_the_settings_are_refused():
    recipe, frame = opened_from_csv()
    raw, experiment = TABLE.encode(), bn.Experiment(recipe)
    other = bn.Experiment(dataclasses.replace(recipe, fingerprint=sha256(b"another file")))
    with pytest.raises(bn.DataError, match="not the file that its settings name"):
        bn.settings.SessionFile(other, frame, {}, raw).to_bytes()
    for content in (
        bn.settings.SessionFile(experiment, file=raw).to_bytes(),
        bn.settings.SessionFile(experiment, frame).to_bytes(),
    ):
        parts = members(content)
        named = bn.settings.SessionFile.from_bytes(content).experiment.data.fingerprint
        forged = parts[SETTINGS].replace(named.encode(), other.data.fingerprint.encode())
        assert forged != parts[SETTINGS]
        with pytest.raises(bn.DataError, match="not the file that its settings name"):
            bn.settings.SessionFile.from_bytes(packed(parts | {SETTINGS: forged}))


def test_an_older_session_is_opened_with_the_fingerprint_of_its_table():
    recipe, frame = opened_from_csv()
    parts = members(bn.settings.SessionFile(bn.Experiment(recipe), frame).to_bytes())
    older = json.loads(parts[SETTINGS])
    del older["data"]
    older["experiment"]["data"] |= {"fingerprint": sha256(b"the text it was read from"), "decimal": "comma"}
    again = bn.settings.SessionFile.from_bytes(packed(parts | {SETTINGS: json.dumps(older).encode()}))
    assert again.experiment.data == dataclasses.replace(recipe, fingerprint=sha256(parts[DATA]))
    pd.testing.assert_frame_equal(again.frame, frame)


def test_without_the_data_no_row_of_them_is_in_the_file():
    recipe, _ = opened_from_csv()
    content = bn.settings.SessionFile(bn.Experiment(recipe)).to_bytes()
    assert bn.settings.SessionFile.from_bytes(content).frame is None
    assert b"Bonn" not in b"".join(members(content).values())
    assert DATA not in members(content)


def test_what_is_for_people_can_be_read_by_other_programs():
    recipe, frame = opened_from_csv()
    tables = {"learned_edges": pd.DataFrame({"parent": ["a"], "child": ["b"]})}
    parts = members(bn.settings.SessionFile(bn.Experiment(recipe), frame, tables).to_bytes())
    assert set(parts) == {SETTINGS, DATA, "learned_edges.csv", "repeat.py", "repeat.R"}
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(parts["learned_edges.csv"])), tables["learned_edges"])
    assert len(pd.read_parquet(io.BytesIO(parts[DATA]))) == len(frame)
    assert bn.Experiment.from_json(parts[SETTINGS]).data == dataclasses.replace(recipe, fingerprint=sha256(parts[DATA]))
    compile(parts["repeat.py"], "repeat.py", "exec")


def test_only_a_table_from_a_file_is_kept_and_only_under_a_plain_name():
    _, frame = opened_from_csv()
    with pytest.raises(ValueError, match="frame must be None"):
        bn.settings.SessionFile(bn.Experiment(), frame).to_bytes()
    for name in ("../up", "a/b", "", "A b", "x" * 50):
        with pytest.raises(ValueError, match="tables must have names"):
            bn.settings.SessionFile(bn.Experiment(), None, {name: frame}).to_bytes()


def test_no_more_is_unpacked_than_is_allowed(monkeypatch):
    recipe, frame = opened_from_csv()
    parts = members(bn.settings.SessionFile(bn.Experiment(recipe), frame).to_bytes())
    for name in (SETTINGS, DATA):
        monkeypatch.setattr(archives, "LIMITS", dataclasses.replace(archives.LIMITS, megabytes=2))
        bomb = packed(parts | {name: bytes(8_000_000)})
        assert len(bomb) < 100_000
        with pytest.raises(bn.DataError, match=f"more than 2.* MB in {name}"):
            bn.settings.SessionFile.from_bytes(bomb)
    with pytest.raises(bn.DataError, match="larger than 2 MB"):
        bn.settings.SessionFile.from_bytes(bytes(3_000_000))


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
    recipe, frame = opened_from_csv()
    parts = members(bn.settings.SessionFile(bn.Experiment(recipe), frame).to_bytes())
    with pytest.raises(ValueError, match=words) as refused:
        bn.settings.SessionFile.from_bytes(packed(parts | change))
    assert len(str(refused.value)) < 500


def test_other_files_are_no_sessions():
    assert not is_session(b"")
    assert not is_session(b"PK\x03\x04 an Excel file")
    assert not is_session(json.dumps(bn.Experiment().to_dict()).encode())
    for raw in (b"", b"PK", b"no zip", packed({"other.txt": b"x"}), packed({SETTINGS: b"{}"}, zipfile.ZIP_LZMA)):
        with pytest.raises(ValueError, match="session"):
            bn.settings.SessionFile.from_bytes(raw)
