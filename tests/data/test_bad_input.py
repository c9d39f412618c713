"""What cannot be used is refused with a sentence that names it and says what to do: by the engine and at the shell."""

import io
import os
import sys
from pathlib import Path

import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.columns import describe

HALF = "caf\udce9"


def frame(name="a", cell="x", **columns):
    """Ten rows; names and cells are objects, since pandas has no strings with halves of characters."""
    found = pd.DataFrame({0: pd.Series([cell, "y"] * 5, dtype=object), "b": list("uvuvv") * 2, **columns})
    found.columns = pd.Index([name, *found.columns[1:]], dtype=object)
    return found


TAKES = {
    "from_frame": bn.Dataset.from_frame,
    "describe": describe,
    "proposals": bn.proposals,
    "prepare": bn.prepare,
    "discretize": bn.discretize,
    "missingness": bn.answers.missingness,
    "learn": bn.learn,
    "recipe": lambda table: bn.Recipe("file", "t.csv").suggested(table).prepare(table),
}


@pytest.mark.parametrize("take", TAKES.values(), ids=TAKES)
@pytest.mark.parametrize(
    ("table", "said"),
    [
        (frame(name=HALF), r"the column name 'caf\\udce9' is not valid Unicode; rename the column"),
        (frame(cell=HALF), r"column 'a' holds a cell that no file can hold: 'caf\\udce9' .*; correct it"),
        (frame(cell=10**400), r"column 'a' holds a whole number of 401 digits, too large .*; correct it, or turn"),
        (frame(cell=-(10**400)), r"column 'a' holds a whole number of 401 digits"),
    ],
)
def test_frames_with_cells_that_cannot_be_used(take, table, said):
    with pytest.raises(bn.DataError, match=said):
        take(table)


@pytest.mark.parametrize(
    ("argument", "cells", "said"),
    [
        ("weights", [-1], "row 1 holds '-1'"),
        ("weights", [None], "row 1 holds nothing"),
        ("weights", ["many"], "row 1 holds 'many'"),
        (
            "weights",
            [1e15],
            "to 2,147,483,647, which count rows; row 1 holds '1000000000000000': correct it, or divide",
        ),
        ("weights", [2e9, 1], "must add up to 1 to 2,147,483,647 rows; they add up to 10,000,000,005: correct it, or"),
        ("weights", [10**400], "column 'n' holds a whole number of 401 digits"),
        ("weights", [float("inf")], "whole numbers from 0 to .*; row 1 holds 'inf'"),
        ("weights", [0.5], "whole numbers from 0 to .*; row 1 holds '0.5'"),
        ("sampling_weights", [1, -1], "must hold numbers of 0 or more; row 2 holds '-1'"),
        ("sampling_weights", [1, None], "row 2 holds nothing"),
        ("sampling_weights", ["1", "x"], "row 2 holds 'x'"),
        ("sampling_weights", [1, float("inf")], "row 2 holds 'inf'"),
        ("sampling_weights", [0], "are all 0"),
        ("clusters", ["x"], "into one cluster, 'x'"),
        ("clusters", ["a", None], "row 2 is empty"),
    ],
)
def test_columns_that_cannot_say_what_rows_are(argument, cells, said):
    table = frame(n=pd.Series((cells * 10)[:10], dtype=object))
    with pytest.raises(bn.DataError, match=said):
        bn.Dataset.from_frame(table, **{argument: "n"})
    with pytest.raises(bn.DataError, match=f"{argument}='u' is no column; there are a, b, n"):
        bn.Dataset.from_frame(frame(n=1), **{argument: "u"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"clusters": "n", "blocks": 2}, "clusters and blocks say two things"),
        ({"weights": "n", "clusters": "n"}, "weights and clusters say two things"),
        ({"weights": "n", "sampling_weights": "n"}, "weights and sampling_weights say two things"),
        ({"clusters": "a", "sampling_weights": "n"}, "clusters and sampling_weights say two things"),
        ({"blocks": 3}, "blocks must be at most a fifth of the 10 rows, 2; got 3"),
    ],
)
def test_answers_that_do_not_go_together(given, said):
    with pytest.raises(bn.DataError, match=said):
        bn.Dataset.from_frame(frame(n=range(10)), **given)


def test_a_name_with_a_semicolon_among_interventions():
    said = "semicolons separate the names in 'set'; rename the column 'a;b' without its semicolon"
    table = frame("a;b", set=["a;b", ""] * 5)
    also = table.assign(a=list("uuvvvuuvuv"))  # then it could be read as a and b
    for one in (table, also):
        with pytest.raises(bn.DataError, match=said):
            bn.Dataset.from_frame(one, interventions="set")
        assert bn.Recipe("file", "t.csv").suggested(one).interventions == ""


@pytest.mark.parametrize("header", ["<DATE>,<OPEN>", "[id],[name]", "{id},{name}", "<5,>5"])
def test_odd_column_names_are_read(header):
    assert list(bn.read_table(io.BytesIO(f"{header}\n1,a\n2,b\n".encode()))) == header.split(",")


@pytest.mark.skipif(sys.platform != "linux", reason="file names of other systems are Unicode")
def test_file_names_that_are_not_utf_8(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    Path(os.fsdecode(path)).write_text("a,b\n1,x\n2,y\n")
    assert bn.read_table(os.fsdecode(path)).shape == (2, 2)
    with pytest.raises(bn.DataError, match="\\\\udce9"):
        bn.read_table(os.fsdecode(os.fsencode(tmp_path) + b"/other\xe9.csv"))
    with pytest.raises(ValueError, match=r"caf\\udce9.csv' is not valid Unicode; correct it, or rename the file"):
        bn.Recipe("file", os.fsdecode(b"caf\xe9.csv"))
