"""What leaves as CSV may be opened by a spreadsheet."""

import io
import re

import pandas as pd
import pytest

from bnengine.data.csv_export import csv_text


@pytest.mark.parametrize(
    "word", ["=cmd|' /C calc'!A0", "+SUM(A1)", "-2+3", "@SUM(A1)", "\tx", "\nx", "--", "+1-1", "-inf"]
)
def test_formulas_are_defused_in_headers_and_cells(word):
    text = csv_text(pd.DataFrame({word: [word, "a"], "kept": pd.Categorical([word, "b"])}))
    again = pd.read_csv(io.StringIO(text, newline=""), keep_default_na=False)
    assert list(again) == [f"'{word}", "kept"]
    assert again.iloc[0].tolist() == [f"'{word}"] * 2
    assert again.iloc[1].tolist() == ["a", "b"]


def test_numbers_stay_numbers_and_the_frame_stays_as_it_is():
    cells = {"n": [-1, 2], "x": [-0.1, 1e-300], "word": ["-1.5e-3", "+2"], "sign": ["+", "-"], "none": [None, "="]}
    frame = pd.DataFrame(cells)
    before = frame.copy()
    assert csv_text(frame) == "n,x,word,sign,none\n-1,-0.1,-1.5e-3,+,\n2,1e-300,+2,-,=\n"
    pd.testing.assert_frame_equal(frame, before)


def test_no_cell_begins_a_row_of_its_own():
    text = csv_text(pd.DataFrame({"x\r=a()": ["b\r=c()", "\r=d()"]}))
    assert text == '"x\n\'=a()"\n"b\n\'=c()"\n"\'\n\'=d()"\n'


@pytest.mark.parametrize("hidden", [" ", "\ufeff", "\u200b", "\u2060", "\x01", '"', "x;", "x;  ", "x\t", "x\n"])
@pytest.mark.parametrize("formula", ["=1+1", "@SUM(A1)", "-A1", "+A1", "＝1+1"])
def test_formulas_behind_blanks_invisible_characters_and_separators(hidden, formula):
    word = hidden + formula
    cell = pd.read_csv(io.StringIO(csv_text(pd.DataFrame({"x": [word]})), newline="")).loc[0, "x"]
    assert cell != word
    for part in re.split("[;\t\n]", cell):
        assert part.lstrip('\ufeff\u200b\u2060\x01 "')[:1] not in tuple("=@-+＝")


def test_columns_of_one_name_each_keep_their_cells():
    frame = pd.DataFrame([["=a()", "=b()"]], columns=["x", "x"])
    assert csv_text(frame) == "x,x\n'=a(),'=b()\n"
