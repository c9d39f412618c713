"""A session in a file comes back as it was; a file that is none, or hostile, gives one sentence."""

import dataclasses
import gzip
import hashlib
import io
import json
import zipfile

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
    content = bn.settings.SessionFile(experiment, raw).to_bytes()
    assert is_session(content)
    assert content == bn.settings.SessionFile(experiment, raw).to_bytes()
    assert raw in members(content).values()
    again = bn.settings.SessionFile.from_bytes(content)
    assert (again.experiment, again.file) == (experiment, raw)
    pd.testing.assert_frame_equal(again.frame(), bn.read_table(io.BytesIO(raw), **recipe.reading))


def test_data_that_are_not_the_file_of_the_settings_are_refused():
    raw, recipe = file_and_recipe()
    other = bn.Experiment(dataclasses.replace(recipe, fingerprint=sha256(b"another file")))
    with pytest.raises(bn.DataError, match="not the file that its settings name"):
        bn.settings.SessionFile(other, raw).to_bytes()
    parts = members(bn.settings.SessionFile(bn.Experiment(recipe), raw).to_bytes())
    forged = parts[SETTINGS].replace(recipe.fingerprint.encode(), other.data.fingerprint.encode())
    assert forged != parts[SETTINGS]
    with pytest.raises(bn.DataError, match="not the file that its settings name"):
        bn.settings.SessionFile.from_bytes(packed(parts | {SETTINGS: forged}))


def test_an_older_session_is_opened_with_the_fingerprint_of_its_table():
    """It held the table that was read from the file of its settings."""
    _, recipe = file_and_recipe()
    settings = json.loads(members(bn.settings.SessionFile(bn.Experiment(recipe)).to_bytes())[SETTINGS])
    settings["experiment"]["data"] |= {"fingerprint": sha256(b"the text it was read from"), "decimal": "comma"}
    again = bn.settings.SessionFile.from_bytes(packed({SETTINGS: json.dumps(settings).encode(), DATA: as_parquet()}))
    assert again.experiment.data == dataclasses.replace(recipe, fingerprint=sha256(as_parquet()))
    pd.testing.assert_frame_equal(again.frame(), bn.read_table(io.BytesIO(as_parquet())))


def test_without_the_data_no_row_of_them_is_in_the_file():
    _, recipe = file_and_recipe()
    content = bn.settings.SessionFile(bn.Experiment(recipe)).to_bytes()
    assert bn.settings.SessionFile.from_bytes(content).frame() is None
    assert set(members(content)) == {SETTINGS, "repeat.py", "repeat.R"}
    assert b"Bonn" not in b"".join(members(content).values())


def test_what_is_for_people_can_be_read_by_other_programs():
    raw, recipe = file_and_recipe()
    tables = {"learned_edges": pd.DataFrame({"parent": ["a"], "child": ["b"]})}
    parts = members(bn.settings.SessionFile(bn.Experiment(recipe), raw, tables).to_bytes())
    assert set(parts) == {SETTINGS, "data.csv", "learned_edges.csv", "repeat.py", "repeat.R"}
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(parts["learned_edges.csv"])), tables["learned_edges"])
    assert bn.Experiment.from_json(parts[SETTINGS]).data == recipe
    compile(parts["repeat.py"], "repeat.py", "exec")


def test_only_a_file_is_kept_and_tables_only_under_plain_names():
    with pytest.raises(ValueError, match="file must be None"):
        bn.settings.SessionFile(bn.Experiment(), TABLE.encode()).to_bytes()
    for name in ("../up", "a/b", "", "A b", "x" * 50):
        with pytest.raises(ValueError, match="tables must have names"):
            bn.settings.SessionFile(bn.Experiment(), None, {name: pd.DataFrame()}).to_bytes()


def parts_with_parquet():
    """The members of a session whose file is a Parquet file."""
    recipe = dataclasses.replace(file_and_recipe()[1], fingerprint=sha256(as_parquet()))
    return members(bn.settings.SessionFile(bn.Experiment(recipe), as_parquet()).to_bytes())


def test_no_more_is_unpacked_than_is_allowed(monkeypatch):
    parts = parts_with_parquet()
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
    with pytest.raises(ValueError, match=words) as refused:
        bn.settings.SessionFile.from_bytes(packed(parts_with_parquet() | change))
    assert len(str(refused.value)) < 500


def test_other_files_are_no_sessions():
    assert not is_session(b"")
    assert not is_session(b"PK\x03\x04 an Excel file")
    assert not is_session(json.dumps(bn.Experiment().to_dict()).encode())
    for raw in (b"", b"PK", b"no zip", packed({"other.txt": b"x"}), packed({SETTINGS: b"{}"}, zipfile.ZIP_LZMA)):
        with pytest.raises(ValueError, match="session"):
            bn.settings.SessionFile.from_bytes(raw)
