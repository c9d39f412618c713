"""What is said about a file goes before what would be detected."""

import io

import openpyxl
import pytest

import bnengine as bn
from bnengine.data import reading_options
from bnengine.data.reading import read_named
from bnengine.data.reading_options import ReadingOptions
from tests.data.test_reading import columns


def read(content, **options):
    raw = content.encode() if isinstance(content, str) else content
    return read_named(io.BytesIO(raw), "t.csv", ReadingOptions(**options))


def workbook(**sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


TABLE = [["x", "y"], [1, "a"], [2, "b"]]


def test_a_table_on_the_second_sheet_is_found_and_said():
    for first in ([], [["Survey of 2024"]], [["Notes"], ["by hand"]]):
        frame = read(workbook(About=first, Data=TABLE))
        assert columns(frame) == {"x": [1, 2], "y": ["a", "b"]}
        assert frame.attrs["reading"].remarks == ("of 2 sheets only 'Data' was read",)


def test_a_sheet_is_chosen_by_its_title():
    raw = workbook(One=TABLE, Two=[["z", "w"], [3, 4]], Empty=[])
    assert columns(read(raw, sheet="Two")) == {"z": [3], "w": [4]}
    assert read(raw, sheet="Two").attrs["reading"].remarks == ()
    with pytest.raises(bn.DataError, match=r"t\.csv has no sheet 'Three'; it has One, Two, Empty"):
        read(raw, sheet="Three")
    with pytest.raises(bn.DataError, match=r"the sheet 'Empty' of t\.csv is empty; choose another sheet"):
        read(raw, sheet="Empty")


def test_a_file_without_names():
    for text in ("1,a\n2,b\n", "\n1,a\n2,b\n"):
        assert columns(read(text, header=False)) == {"column 1": [1, 2], "column 2": ["a", "b"]}
    assert columns(read('"a\nb",1\nc,2\n', header=False)) == {"column 1": ["a\nb", "c"], "column 2": [1, 2]}
    assert columns(read(workbook(One=[[1, "a"], [2, "b"]]), header=False)) == {
        "column 1": [1, 2],
        "column 2": ["a", "b"],
    }


def test_the_separator_is_taken_as_given():
    assert list(read("a;b,c\n1;2,3\n", separator="semicolon")) == ["a", "b,c"]
    assert list(read("a;b,c\n1;2,3\n", separator="comma")) == ["a;b", "c"]


@pytest.mark.parametrize(
    ("cell", "decimal", "number"),
    [
        ("1,500", "comma", 1.5),
        ("1,500", "point", 1500),
        ("1.500", "comma", 1500),
        ("1.500", "point", 1.5),
        ("1.234.567,5", "comma", 1234567.5),
        ("-1,234,567.5", "point", -1234567.5),
    ],
)
def test_the_decimal_mark_is_taken_as_given(cell, decimal, number):
    assert read(f"x;y\n{cell};a\n7;b\n", decimal=decimal)["x"].tolist() == [number, 7]


def test_what_is_no_number_stays_text_under_any_mark():
    assert read("x;y\n1,5;a\nhigh;b\n", decimal="comma")["x"].tolist() == ["1,5", "high"]
    assert read("x;y\n007;a\n1,5;b\n", decimal="comma")["x"].tolist() == ["007", "1,5"]


def test_the_encoding_is_taken_as_given():
    text = "Ort\nЁлка\nМосква\n".encode("cp1251")
    frame = read(text, encoding="windows-1251")
    assert frame["Ort"].tolist() == ["Ёлка", "Москва"]
    assert frame.attrs["reading"].form == "text (windows-1251), one column"


def test_comment_lines_by_another_mark_or_none():
    assert columns(read("% made by hand\nx,y\n1,a\n% a break\n2,b\n", comment="percent")) == {
        "x": [1, 2],
        "y": ["a", "b"],
    }
    assert list(read("#x,y\n#1,a\n#2,b\n", comment="none")) == ["#x", "y"]


def test_an_option_that_is_none_is_refused():
    with pytest.raises(ValueError, match="separator must be one of auto, comma, semicolon, tab, bar, space; got ';'"):
        read("x;y\n1;2\n", separator=";")


def test_variables_in_rows(monkeypatch):
    lines = [["gene", "s1", "s2", "s3"], ["a", 1.5, 2, None], ["b", "x", "y", "x"]]
    for content in (workbook(One=lines), "gene;s1;s2;s3\na;1,5;2;\nb;x;y;x\n", "s1\ts2\ts3\na\t1.5\t2\t\nb\tx\ty\tx\n"):
        frame = read(content, transposed=True)
        assert list(frame)[1:] == ["a", "b"]
        assert frame.iloc[:, 0].tolist() == ["s1", "s2", "s3"]
        assert frame["a"].dropna().tolist() == [1.5, 2]
        assert frame["b"].tolist() == ["x", "y", "x"]
    monkeypatch.setattr(reading_options, "LIMITS", reading_options.Limits(columns=2))
    with pytest.raises(bn.DataError, match="more than 2 columns, the limit"):
        read("g,s\na,1\nb,2\nc,3\n", transposed=True)


def test_a_table_that_may_have_its_variables_in_rows_is_told():
    def remark(names, kind):
        lines = [
            ["gene", *(f"s{j}" for j in range(12))],
            *([name, *[f"{i}.{kind}"] * 12] for i, name in enumerate(names)),
        ]
        return read("\n".join("\t".join(map(str, line)) for line in lines)).attrs["reading"].remarks

    genes = [f"YAL{i}W" for i in range(15)]
    assert remark(genes, "5") == (
        "each line was read as one observation; if 'gene' names the variables, read the file with variables in rows "
        "(transposed)",
    )
    assert remark(["a", "b", "c"] * 5, "5") == remark(genes, "x") == remark(genes[:5], "5") == ()
