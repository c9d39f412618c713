"""Tables that other people make: dialects, encodings, and damaged files that are refused with a remedy."""

import gzip
import io

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core import isolated
from bnengine._core.setting_kinds import composed
from bnengine.data.reading import MAX_BYTES, read_named
from bnengine.data.reading_options import ReadingOptions
from tests.experiment.test_saved import packed
from tests.hostile import parquet as hostile_parquet


def read(content, max_bytes=MAX_BYTES, **settings):
    raw = content.encode() if isinstance(content, str) else content
    return read_named(io.BytesIO(raw), "t.csv", ReadingOptions(**settings), max_bytes)


def columns(frame):
    return {name: frame[name].tolist() for name in frame.columns}


def xlsx(rows=(), **sheets):
    """Bytes of a workbook with these rows, or with several sheets by their titles."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, cells in (sheets or {"Sheet": rows}).items():
        sheet = book.create_sheet(title)
        for row in cells:
            sheet.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def parquet(frame):
    target = io.BytesIO()
    frame.to_parquet(target)
    return target.getvalue()


def feather(frame):
    target = io.BytesIO()
    frame.to_feather(target)
    return target.getvalue()


PLAIN = "word,n\na,1\nb b,2\nü,3\n"
CONTENTS = {
    "csv": PLAIN.encode(),
    "csv, line ends of Windows": PLAIN.replace("\n", "\r\n").encode(),
    "csv, line ends of old Macs": PLAIN.replace("\n", "\r").encode(),
    "csv, no last line end": PLAIN[:-1].encode(),
    "csv, quoted": '"word","n"\n"a","1"\n"b b","2"\n"ü","3"\n'.encode(),
    "csv, blanks around cells": "word , n\n a,1 \nb b, 2\nü ,3\n".encode(),
    "csv, blank last lines": f"{PLAIN}\n\n".encode(),
    **{f"separated by {mark}": PLAIN.replace(",", mark).encode() for mark in ";\t|"},
    **{code: PLAIN.encode(code) for code in ("utf-8-sig", "utf-16", "utf-32", "cp1252")},
    **{code: f"\ufeff{PLAIN}".encode(code) for code in ("utf-16-be", "utf-32-be")},
    "row numbers first": ",word,n\n0,a,1\n1,b b,2\n2,ü,3\n".encode(),
    "row numbers from one": '"","word","n"\n"1","a",1\n"2","b b",2\n"3","ü",3\n'.encode(),
    "xlsx": xlsx([["word", "n"], ["a", 1], ["b b", 2.0], ["ü", 3], [None, None]]),
    "parquet": parquet(pd.DataFrame({"word": ["a", "b b", "ü"], "n": [1, 2, 3]})),
}


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("kind", CONTENTS)
def test_the_same_table_in_many_dresses(kind, zipped):
    content = gzip.compress(CONTENTS[kind]) if zipped else CONTENTS[kind]
    assert columns(read(content)) == {"word": ["a", "b b", "ü"], "n": [1, 2, 3]}


def test_a_path_as_text_or_path(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("x,y\n1,2\n")
    assert columns(bn.read_table(file)) == columns(bn.read_table(str(file))) == {"x": [1], "y": [2]}
    with pytest.raises(bn.DataError, match=r"there is no file .*none\.csv"):
        bn.read_table(tmp_path / "none.csv")


ARFF = """% a comment
@RELATION 'my table'

@attribute 'sepal length' NUMERIC
@ATTRIBUTE class {a,'b c'}
@attribute day date "yyyy-MM-dd"
@DATA
5.1,a,2024-01-01
% another
?,'b c',2024-01-02
4.5,?,?
"""
FEATHER = feather(pd.DataFrame({"a": [1, 2, 3]}))


def nested(cells):
    return hostile_parquet(pa.table({"x": [1, 2], "odd": cells}))


SMALL = [["x", "y"], [1, "a"]]
TWO_SHEETS = xlsx(One=SMALL, Empty=[])
GZ = gzip.compress(CONTENTS["csv"])
BAD = {
    "nothing": (b"", r"t.csv is empty; a table needs a line of column names and at least one row"),
    "only a mark of the encoding": (b"\xef\xbb\xbf", r"t.csv is empty"),
    "blank lines after a mark": ("\n\n".encode("utf-16"), r"t.csv is empty"),
    "blank": (b" \n \n", r"t.csv is empty"),
    "only a header": (b"x,y\n", r"t.csv has column names but no rows"),
    "only a header, xlsx": (xlsx([["x", "y"]]), r"has column names but no rows"),
    "an empty sheet": (xlsx([]), r"the sheet 'Sheet' of t.csv is empty"),
    "a ragged row": (b"x,y\n1,2\n1,2,3\n4,5\n", r"row 2 has 3 cells but the first line names 2 columns .*comma.*stray"),
    "a short row": (b"x,y\n1,2\n1\n4,5\n", r"row 2 has 1 cell but the first line names 2"),
    "names twice": (b"x,x\n1,2\n", r"the column name 'x' occurs 2 times; give each column its own name"),
    "names twice, xlsx": (xlsx([["x", "x"], [1, 2]]), r"the column name 'x' occurs 2 times"),
    "a formula": (b"x,y\n1,2\n3,=A1+B1\n", r"column 'y', line 3 holds a formula \(=A1\+B1\).*paste special"),
    "a letter": (
        b"Dear colleague,\n\nthank you for your letter, the minutes,\nand so on.\n\nYours\n",
        r"t.csv: its lines have 1 to 3 cells but the first line names 2 .*; this does not look like a table: choose",
    ),
    "other files in an archive": (
        packed({"data.csv": "x,y\n1,2\n", "read me.txt": ""}),
        r"t.csv is an archive of other files; unpack it, and choose the table among them",
    ),
    "no workbook": (b"PK\x03\x04" + bytes(range(256)), r"not a readable workbook.*save it again"),
    "half a workbook": (CONTENTS["xlsx"][: len(CONTENTS["xlsx"]) // 2], r"is not a readable workbook .*; open"),
    "an old workbook": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, r"not a readable workbook.*save it again"),
    "half a gzip file": (GZ[: len(GZ) // 2], r"damaged gzip file; pack or download it again"),
    "a gzip file with a changed word": (GZ[:10] + b"\xff" * 10 + GZ[20:], r"damaged gzip file"),
    "a gzip file with a changed sum": (GZ[:-8] + b"\1\2\3\4" + GZ[-4:], r"damaged gzip file"),
    "half a parquet file": (CONTENTS["parquet"][:200], r"not a readable Parquet file .*write it again"),
    "binary junk": (
        bytes(range(256)) * 20,
        r"not a text table; upload CSV, TSV, a workbook \(.xlsx, .xls, .ods\), Parquet",
    ),
    "a number beyond all bounds": (b"x,y\n1e999,2\n", r"column 'x' holds a number too large to read"),
    "two names twice, and none": (
        "x,y,x,,y,y\n1,2,3,4,5,6\n",
        r"name 'x' occurs 2 times, 'y' occurs 3 times and column 4 has no name; give",
    ),
    "no name twice": ("x,,y,,z\n1,2,3,4,5\n", r"t.csv: column 2 has no name and column 4 has no name; give each"),
    "names with markup twice": ('"<b>, ""x""","<b>, ""x"""\n1,2\n', r"'<b>, \"x\"' occurs 2 times"),
    "ids of Qualtrics alone": ('Q1,Q2\nWho?,How?\n"{""ImportId"":1}",\n', "has column names but no rows"),
    "a longer row": ("x,y\n1,2,3\n", "row 1 has 3 cells but the first line names 2"),
    "a title where a name is missing": (
        xlsx([["x", None, "z", "u"], ["a", "b", "c", "d"], ["e", "f", "g", "h"]]),
        "column 2 has no name",
    ),
    "a title above a row of two": (xlsx([["Title", None, None], ["a", "b", None], ["c", "d", "e"]]), "column 2 has no"),
    "prose": ("what was said\nnothing much, really\nno\nyes\n", "check that row for a stray separator"),
    "no such sheet": (TWO_SHEETS, r"t\.csv has no sheet 'Three'; it has One, Empty", {"sheet": "Three"}),
    "the title of an empty sheet": (
        TWO_SHEETS,
        r"sheet 'Empty' of t\.csv is empty; choose another",
        {"sheet": "Empty"},
    ),
    "numbers of two bytes": (np.arange(5000, dtype="<u2").tobytes(), "is not a text table"),
    "half an ARFF file": (ARFF[: ARFF.index("@DATA")], "is cut short"),
    "sparse ARFF": (ARFF.replace("5.1,a", "{0 5.1, 1 a}"), "sparse rows of ARFF"),
    "a short row of ARFF": (f"{ARFF}1,2\n", "row 4 has 2 cells but 3 attributes are declared"),
    "half a Feather file": (FEATHER[:-20], "not a readable Feather file"),
    **{
        f"a {kind} in each cell": (nested(cells), f"column 'odd' holds a {kind} in each cell; give each of its parts")
        for kind, cells in {
            "list": pa.array([[1], [2, 3]]),
            "struct": pa.array([{"u": 1}, {"u": 2}]),
            "map": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
        }.items()
    },
    **{
        f"{what}, not a table, {content[:9]!r}": (content, rf"t.csv holds {what}.*, not a table; (write|download|save)")
        for what, *contents in (
            ("JSON", b'[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]', b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n'),
            (
                "a web page",
                b"<!DOCTYPE html>\n<html><body><p>404</p></body></html>",
                b'<?xml version="1.0"?>\n<a b="1"/>',
            ),
            ("a web page", b"\n<table><tr><td>a</td><td>b</td></tr>\n<tr><td>1</td></tr></table>\n"),
            ("a PDF", b"%PDF-1.4\n1 0 obj\n"),
        )
        for content in contents
    },
    "an open quote": (b'x,y\n"' + b"a" * 200_000, r"not a readable table .*save it as CSV, with all quotes closed"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_say_what_is_wrong_and_what_to_do(kind):
    content, says, *options = BAD[kind]
    with pytest.raises(bn.DataError, match=f"(?s){says}"):
        read(content, **dict(*options))


def test_an_option_that_is_none_is_refused():
    with pytest.raises(ValueError, match="separator must be one of auto, comma, semicolon, tab, bar, space; got ';'"):
        read("x;y\n1;2\n", separator=";")


LONG = b"x,y\n" + b"1,2\n" * 1000
LARGE = {
    "text": LONG,
    "packed text": gzip.compress(LONG),
    "a workbook": xlsx([["x"], *([n] for n in range(5000))]),
    "parquet": parquet(pd.DataFrame({"x": ["a"] * 1_000_000})),
}


@pytest.mark.parametrize("kind", LARGE)
def test_too_large_a_file_is_refused_packed_or_not(kind, tmp_path):
    content, most = LARGE[kind], 2000 if "text" in kind else len(LARGE[kind]) + 10
    file = tmp_path / "large.csv"
    file.write_bytes(content)
    for source in (file, io.BytesIO(content)):
        with pytest.raises(bn.DataError, match=r"larger than .* MB; keep the columns of interest"):
            read_named(source, "large.csv", max_bytes=most)


def test_a_process_that_ended_is_a_sentence_with_the_limit_and_the_remedy(monkeypatch):
    for reason, says in (
        ("memory", "more than 2,048 MB of memory, the limit; keep the columns"),
        ("time", "more than 120 s, the limit; keep the columns"),
        ("killed", "was killed, as where memory runs out; try again, or keep the columns"),
        ("crash", "crashed, perhaps since the file is damaged; write the file again"),
        ("start", "no process could be started"),
    ):

        def ended(*_, reason=reason):
            raise isolated.EndedError(reason)

        monkeypatch.setattr(isolated, "run_isolated", ended)
        with pytest.raises(bn.DataError, match=says):
            read(CONTENTS["parquet"])


TEXT = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]),
    min_size=1,
    max_size=8,
).map(composed)
CELL = TEXT.filter(lambda text: not text.startswith("="))


@pytest.mark.slow
@given(st.lists(CELL, min_size=2, max_size=4, unique=True), st.data())
def test_written_tables_come_back_invariant(names, draws):
    rows = draws.draw(
        st.lists(
            st.lists(CELL.map(lambda c: "w" + c), min_size=len(names), max_size=len(names)), min_size=1, max_size=5
        )
    )
    written = pd.DataFrame(rows, columns=names).to_csv(index=False)
    frame = read(written)
    assert list(frame) == names
    assert frame.to_numpy().tolist() == [[composed(cell) for cell in row] for row in rows]
