"""Workbooks of other kinds than xlsx, and files of SPSS, Stata and SAS with their labels."""

import datetime as dt
import gzip
import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data import reading_options
from tests.data.test_reading import columns, read
from tests.data.test_reading_decisions import remarks

#: Written by one of Excel's older siblings: word, n and when; a, 1 and ü, 2.5 with dates.
OLD_WORKBOOK = Path(__file__).with_name("old_workbook.xls").read_bytes()
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def open_document(rows):
    """Bytes of a workbook of LibreOffice; each cell is its markup's attributes and text."""
    body = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell {kind}><text:p>{text}</text:p></table:table-cell>" for kind, text in row)
        + "</table:table-row>"
        for row in rows
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr(
            "META-INF/manifest.xml", '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        )
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{OFFICE}" xmlns:table="{TABLE}" xmlns:text="{TEXT}">'
            f'<office:body><office:spreadsheet><table:table table:name="Data">{body}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return target.getvalue()


def word(text):
    return 'office:value-type="string"', text


def number(text):
    return f'office:value-type="float" office:value="{text}"', text


def day(text):
    return f'office:value-type="date" office:date-value="{text}"', text


def test_workbooks_of_older_excel_and_of_libreoffice():
    rows = [
        [word("word"), word("n"), word("when")],
        [word("a"), number("1"), day("2024-02-29")],
        [word("ü"), number("2.5"), day("2024-03-01")],
    ]
    for content in (OLD_WORKBOOK, open_document(rows)):
        assert columns(read(content)) == {"word": ["a", "ü"], "n": [1, 2.5], "when": ["2024-02-29", "2024-03-01"]}


def test_a_sheet_of_libreoffice_that_repeats_its_cells_beyond_bounds_is_refused():
    rows = [[word("x"), word("y")], [('table:number-columns-repeated="16384" office:value-type="string"', "a")] * 2]
    rows += [rows[1]] * 125
    with pytest.raises(bn.DataError, match="more than 2,000,000 cells, the limit for Excel"):
        read(open_document(rows))


SCALE = {1: "agree", 2: "rather agree", 3: "neither", 4: "rather disagree", 5: "disagree"}
ANSWERS = pd.DataFrame(
    {
        "q1": [5.0, 1, 2, 99, np.nan, 4],
        "fruit": ["b", "a", "a", "k", "", "b"],
        "ends": [1.0, 2, 3, 4, 5, 3],
        "age": [30.0, 41, 52, 63, 74, np.nan],
        "day": [dt.date(2024, 2, 29), dt.date(2024, 3, 1), None, None, None, None],
        "Größe": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
    }
)
LABELS = {
    "q1": SCALE | {99: "no answer"},
    "fruit": {"a": "Äpfel", "b": "Birnen", "k": "keine Angabe"},
    "ends": {1: "never", 5: "always"},
}


def written(frame, ending, folder, **settings):
    """Bytes of a file that pyreadstat wrote."""
    pyreadstat = pytest.importorskip("pyreadstat")
    file = folder / f"t.{ending}"
    kinds = {"zsav": ("write_sav", {"compress": True}), "xpt": ("write_xport", {})}
    name, more = kinds.get(ending, (f"write_{ending}", {}))
    getattr(pyreadstat, name)(frame, str(file), **settings, **more)
    return file.read_bytes()


@pytest.mark.parametrize("ending", ["sav", "zsav"])
def test_labels_and_missing_answers_of_spss(ending, tmp_path):
    content = written(
        ANSWERS,
        ending,
        tmp_path,
        variable_value_labels=LABELS,
        missing_ranges={"q1": [{"lo": 90, "hi": 99}], "fruit": ["k"]},
    )
    for raw in (content, gzip.compress(content)):
        frame = read(raw)
        assert frame["q1"].cat.ordered
        assert frame["q1"].cat.categories.tolist() == list(SCALE.values())
        assert frame["q1"].astype(object).fillna("-").tolist() == [
            *("disagree", "agree", "rather agree", "-", "-", "rather disagree")
        ]
        assert frame["fruit"].cat.categories.tolist() == ["Äpfel", "Birnen"]
        assert frame["fruit"].isna().tolist() == [False, False, False, True, True, False]
        assert frame["ends"].tolist() == [1, 2, 3, 4, 5, 3]
        assert frame["age"].dropna().tolist() == [30, 41, 52, 63, 74]
        assert str(frame["age"].dtype) == "Int64"
        assert frame["day"].dropna().astype(str).tolist() == ["2024-02-29", "2024-03-01"]
        assert frame["Größe"].tolist() == ANSWERS["Größe"].tolist()
        assert frame.attrs["reading"].form == "SPSS"
        assert "most values of 'ends' have no label, so they were read as numbers" in remarks(frame)
    made = bn.prepare(frame[["q1", "fruit"]].dropna())
    assert made.data.states == (tuple(SEEN), ("Äpfel", "Birnen"))


#: The labels of the codes that some row has, in their order: those that none has are no states.
SEEN = [label for label in SCALE.values() if label != "neither"]


def test_labels_and_missing_answers_of_stata(tmp_path):
    frame = pd.DataFrame({"q1": [5, "a", 1, 3], "y": [1.5, 2, 3, 4]})
    content = written(
        frame,
        "dta",
        tmp_path,
        variable_value_labels={"q1": SCALE | {"a": "no answer"}},
        missing_user_values={"q1": ["a"]},
    )
    found = read(content)
    assert found["q1"].cat.categories.tolist() == list(SCALE.values())
    assert found["q1"].isna().tolist() == [False, True, False, False]
    assert found.attrs["reading"].form == "Stata"


@pytest.mark.parametrize("ending", ["por", "xpt"])
def test_files_without_labels(ending, tmp_path):
    frame = pd.DataFrame({"X": [1.0, 2, np.nan], "Y": ["a", "", "b"]})
    found = read(written(frame, ending, tmp_path))
    assert found["X"].dropna().tolist() == [1, 2]
    assert found["Y"].fillna("-").tolist() == ["a", "-", "b"]
    assert found.attrs["reading"] == bn.data.reading.Reading({"por": "SPSS", "xpt": "SAS"}[ending])


def test_labels_that_are_repeated_and_values_without_one(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": [1.0, 2, 3, 4]})
    labels = {"x": {1: "other", 2: "red", 3: "other"}}
    found = read(written(frame, "sav", tmp_path, variable_value_labels=labels))
    assert found["x"].tolist() == ["1 other", "red", "3 other", "4"]


def test_a_damaged_file_of_each_program_is_refused(tmp_path):
    for ending, program in {"sav": "SPSS", "dta": "Stata", "xpt": "SAS"}.items():
        content = written(ANSWERS[["q1"]], ending, tmp_path)
        with pytest.raises(bn.DataError, match=f"t.csv is not a readable file of {program} .*save it as CSV"):
            read(content[: min(len(content) // 2, 200)])


def test_too_large_a_file_of_a_program_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading_options, "LIMITS", reading_options.Limits(cells=9))
    monkeypatch.setattr("bnengine._core.isolated.in_worker", lambda: True)
    frame = pd.DataFrame({"x": np.arange(5.0), "y": np.arange(5.0)})
    for ending in ("sav", "dta", "xpt"):
        with pytest.raises(bn.DataError, match="more than 9 cells, the limit"):
            read(written(frame, ending, tmp_path))


def test_without_pyreadstat_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    content = written(ANSWERS[["q1"]], "sav", tmp_path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    monkeypatch.setattr("bnengine._core.isolated.in_worker", lambda: True)
    with pytest.raises(
        bn.DataError, match=r"a file of SPSS, which needs pyreadstat: pip install 'bnengine\[formats\]'"
    ):
        read(content)


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_codes_that_no_row_has_or_that_are_no_answer_are_no_states(ending, tmp_path):
    """As panel studies write them: ten labels for every question, and codes of no answer that are not declared so."""
    rng = np.random.default_rng(1)
    codes = {-8: "question not asked", -3: "invalid", -2: "trifft nicht zu", -1: "keine Angabe"}
    frame = pd.DataFrame(
        {
            "work": rng.choice([1, 2], 60).astype(float),
            "happy": rng.choice([1, 2, 3, 8], 60).astype(float),
            "age": [988888.0, 999999.0, *rng.integers(18, 80, 58).astype(float)],
        }
    )
    labels = {
        "work": codes | {1: "yes", 2: "no"},
        "happy": {1: "low", 2: "middle", 3: "high", 8: "Don't know"},
        "age": {988888: "No answer", 999999: "Refused"},
    }
    if ending == "dta":
        frame = frame.astype("int32")
    found = read(written(frame, ending, tmp_path, variable_value_labels=labels))
    assert found["work"].cat.categories.tolist() == ["question not asked", "invalid", "yes", "no"]
    [unseen] = [one for one in bn.proposals(found) if one.kind == "unseen"]
    assert unseen.is_sure
    assert unseen.sentence == "'work' declares 2 states that no row has."
    assert found["happy"].cat.categories.tolist() == ["low", "middle", "high"]
    assert found["happy"].isna().sum() == (frame["happy"] == 8).sum()
    assert found["age"].isna().tolist() == [True, True, *[False] * 58]
    assert found["age"].max() < 80
