"""What cannot be known from a file is decided in the open: the table, and the sentence that says so."""

import datetime as dt

import pandas as pd
import pyarrow as pa
import pytest

import bnengine as bn
from bnengine.data.reading import Reading
from tests.data.test_reading import columns, read, xlsx
from tests.data.test_reading import parquet as frame_parquet
from tests.hostile import parquet, workbook


def remarks(frame):
    return "; ".join(frame.attrs["reading"].remarks)


def test_a_plain_table_needs_no_remark():
    assert read("x,y\n1,a\n2,b\n0.0,c\n-0.0,d\n").attrs["reading"] == Reading("text (UTF-8), comma-separated")
    assert read("x;y\n1;ä\n".encode("cp1252")).attrs["reading"].form == ("text (Windows-1252), semicolon-separated")


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("<c><f>A2*2</f></c>", True),
        ('<c r="B2" s="1"><f t="array" ref="B2">SUM(A2:A3)</f><v /></c>', True),
        ("<c><f>A2</f><v></v></c>", True),
        ('<c t="str"><f>IF(A2=1,"","a")</f><v></v></c>', False),  # its value is an empty text
        ("<c><f>A2*2</f><v>2</v></c>", False),
    ],
)
def test_a_formula_whose_value_was_not_saved_is_an_empty_cell_with_a_remark(formula, told):
    names = '<row><c t="str"><v>x</v></c><c t="str"><v>y</v></c></row>'
    frame = read(workbook([names, f"<row><c><v>1</v></c>{formula}</row>", "<row><c><v>2</v></c><c><v>4</v></c></row>"]))
    assert frame["y"].isna()[0] == ("<v>2</v>" not in formula)
    assert ("formulas whose values were not saved" in remarks(frame)) == told


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_decimal_commas_whatever_stands_between_cells(separator):
    frame = read("x;y\n1,5;a\n 2,25 ;b\n;c\n".replace(";", separator))
    assert frame["x"].dropna().tolist() == [1.5, 2.25]
    assert remarks(frame) == "commas in 'x' were read as decimal points"


def test_a_comma_that_may_stand_between_thousands_is_not_guessed():
    frame = read('x,y\n"1,500",a\n"2,250",b\n')
    assert frame["x"].tolist() == ["1,500", "2,250"]
    assert "commas in 'x' may be decimal or thousands separators" in remarks(frame)
    assert read("x;y\n1,500;a\n2,250;b\n")["x"].tolist() == [1.5, 2.25]


@pytest.mark.parametrize(
    ("cells", "numbers", "remark"),
    [
        (["500", "900", "1.000", "2.500"], [500, 900, 1000, 2500], "points in 'x' were read as thousands separators"),
        (["7", "50", "1.000"], [7, 50, 1000], "points in 'x' were read as thousands separators"),
        (["500", "1.234.567"], [500, 1234567], "points in 'x' were read as thousands separators"),
        (["1", "1.333", "1.667", "2"], [1, 1.333, 1.667, 2], "points in 'x' may be thousands separators"),
        (["450", "512.333", "530"], [450, 512.333, 530], "points in 'x' may be thousands separators"),
        (["1500", "2.500"], [1500, 2.5], ""),  # who separates thousands does so in 1500, too
        (["0.125", "1.250"], [0.125, 1.25], ""),
    ],
)
@pytest.mark.parametrize("separator", [";", ","])
def test_points_between_thousands_are_read_so_or_asked_about(cells, numbers, remark, separator):
    """500; 900; 1.000 was read as 500, 900 and 1 without a word."""
    frame = read(f"x{separator}y\n" + "".join(f"{cell}{separator}a\n" for cell in cells))
    assert frame["x"].tolist() == numbers
    assert remarks(frame).startswith(remark)
    assert bool(remarks(frame)) == bool(remark)


def test_points_separate_thousands_where_commas_are_decimal_marks():
    frame = read("x;y\n1.000;1,5\n2.500;2,25\n")
    assert columns(frame) == {"x": [1000, 2500], "y": [1.5, 2.25]}
    assert "points in 'x' were read as thousands separators" in remarks(frame)
    assert columns(read("x;y\n1.025;a\n1.030;b\n")) == {"x": [1.025, 1.03], "y": ["a", "b"]}
    assert "may be thousands separators and were read as decimal points" in remarks(read("x;y\n1.025;a\n1.030;b\n"))


@pytest.mark.parametrize(
    ("cells", "marks"),
    [
        (["1.000 €", "2.500 €"], ["comma"]),
        (["500 kg", "1.000 kg"], ["comma"]),
        (["€1,500", "€2,250"], ["point"]),
        (["$1.000", "$2.500"], ["comma"]),
        (["1,250 kg", "2,500 kg"], ["comma", "point"]),
        (["1.250 kg", "2.500 kg"], ["point"]),
    ],
)
def test_marks_between_thousands_in_text_are_repaired_or_asked_about(cells, marks):
    frame = read("x\ty\n" + "".join(f"{cell}\ta\n" for cell in cells * 3))
    (one,) = [one for one in bn.proposals(frame) if one.kind == "number"]
    assert [one.details[0], one.is_sure] == [marks[0], len(marks) == 1]
    assert [choice[0] for choice in one.choices] == (marks if len(marks) > 1 else [])
    assert ("may be decimal marks or separate thousands" in one.sentence) == (len(marks) > 1)


@pytest.mark.parametrize(("one", "other"), [("1.1", "1.10"), ("1E5", "100000"), ("7", "+7")])
def test_words_that_are_the_same_number_are_told(one, other):
    frame = read(f"code,y\n{one},a\n{other},b\n3,c\n")
    assert frame["code"].nunique() == 2
    assert f"same number were merged: {one} and {other} in 'code'; " in remarks(frame)


def test_remarks_do_not_grow_with_the_number_of_columns():
    names = [f"x{k}" for k in range(100)]
    frame = read("\t".join(names) + "\n" + "\t".join(["1,5"] * 100) + "\n")
    assert remarks(frame) == "commas in 'x0', 'x1', 'x2' and 97 more columns were read as decimal points"


def test_tables_of_r_without_a_name_for_the_row_names():
    frame = read('"mpg" "cyl"\n"Mazda RX4" 21.0 6\n"Datsun 710" 22.8 4\n')
    assert columns(frame) == {"row name": ["Mazda RX4", "Datsun 710"], "mpg": [21.0, 22.8], "cyl": [6, 4]}
    written = read('"","mpg","cyl"\n"Mazda RX4",21.0,6\n"Datsun 710",22.8,4\n')  # by write.csv
    assert columns(written) == columns(frame)
    assert "the first column has no name; it is 'row name'" in remarks(written) == remarks(frame)
    shuffled = read(",x\n7,a\n2,b\n")
    assert columns(shuffled) == {"row name": [7, 2], "x": ["a", "b"]}
    assert list(read("x\ty\n1\t5\t6\n2\t7\t8\n3\t7\t8\n")) == ["x", "y"]
    with pytest.raises(bn.DataError, match="row 1 has 3 cells but the first line names 2"):
        read("x,y\n1,2,3\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"x" "y"\n"1" "a b" 1\n', {"x": ["a b"], "y": [1]}),
        ('"x"\n"1" "a b"\n"2" "c, d"\n', {"x": ["a b", "c, d"]}),
        ('"x" "y"\n"1" "a \\"b\\"" 1\n"2" "c" 2\n', {"x": ['a "b"', "c"], "y": [1, 2]}),
        ("x y\nu 1 a\nv 2 b\n", {"row name": ["u", "v"], "x": [1, 2], "y": ["a", "b"]}),
        ("  id  mass kind\n   1   2.5 a\n 113  14.0 b\n", {"id": [1, 113], "mass": [2.5, 14], "kind": ["a", "b"]}),
        ("x y\n1 \ta\n2 b\n", {"x": [1, 2], "y": ["a", "b"]}),
        ("what was said\nnothing much, really\nno\nyes\n", None),
    ],
)
def test_tables_between_blanks(text, found):
    """R's write.table leaves out the name of the row names, quotes texts and writes a quote in one as \\"."""
    if found is None:
        with pytest.raises(bn.DataError, match="check that row for a stray separator"):
            read(text)
    else:
        assert columns(read(text)) == found


XY = {"x": [1, 2], "y": ["a", "b"]}
NUMBERED = {"column 1": [1, 2], "column 2": ["a", "b"]}


@pytest.mark.parametrize(
    ("content", "options", "found"),
    [
        ('a, b\n"x", "y,z"\n"u", "v"\n', {}, {"a": ["x", "u"], "b": ["y,z", "v"]}),
        ("x,y\n1,a,\n2,b,\n", {}, XY),
        ("x,y\n1,a\n\n2,b\n\n", {}, XY),
        ("# one, two\nx,y\n1,a\n2,b\n", {}, XY),
        ("# x y\n1 a\n2 b\n", {}, XY),
        ("##made=2024\n#x\ty\n1\ta\n2\tb\n", {}, XY),
        ("#grp,kind\nu,v\nw,v\n", {}, {"grp": ["u", "w"], "kind": ["v", "v"]}),
        ("# x y\n1.0e+00 2.5e+00\n2.0e+00 3.5e+00\n", {}, {"x": [1, 2], "y": [2.5, 3.5]}),
        ("% made by hand\nx,y\n1,a\n% a break\n2,b\n", {"comment": "percent"}, XY),
        ("#x,y\n#1,a\n", {"comment": "none"}, {"#x": ["#1"], "y": ["a"]}),
        ("1,a\n2,b\n", {"header": False}, NUMBERED),
        ("\n1,a\n2,b\n", {"header": False}, NUMBERED),
        (xlsx([[1, "a"], [2, "b"]]), {"header": False}, NUMBERED),
        ('"a\nb",1\nc,2\n', {"header": False}, {"column 1": ["a\nb", "c"], "column 2": [1, 2]}),
        ("a;b,c\n1;2,3\n", {"separator": "semicolon"}, {"a": [1], "b,c": [2.3]}),
        ("a;b,c\n1;2,3\n", {"separator": "comma"}, {"a;b": ["1;2"], "c": [3]}),
        ("x;y\n1,5;a\nhigh;b\n", {"decimal": "comma"}, {"x": ["1,5", "high"], "y": ["a", "b"]}),
        ("x;y\n007;a\n1,5;b\n", {"decimal": "comma"}, {"x": ["007", "1,5"], "y": ["a", "b"]}),
        ("Ort\nЁлка\n".encode("cp1251"), {"encoding": "windows-1251"}, {"Ort": ["Ёлка"]}),
        (xlsx([["x", "y"], [1e18, True], [2.5e20, False]]), {}, {"x": [1e18, 2.5e20], "y": ["True", "False"]}),
        (
            xlsx([["x", "y"], [dt.date(2024, 2, 29), "007"], [dt.datetime(2024, 1, 1, 12, 30), "01"]]),
            {},
            {"x": ["2024-02-29", "2024-01-01 12:30:00"], "y": ["007", "01"]},
        ),
    ],
)
def test_tables_as_they_are_read(content, options, found):
    assert columns(read(content, **options)) == found


def test_comments_before_and_among_the_rows():
    frame = read("# measured in May, by hand\n# all rights reserved\nx,y\n1,a\n# a break\n2,b\n")
    assert columns(frame) == {"x": [1, 2], "y": ["a", "b"]}
    assert "skipped 2 comment lines (#) before the table" in remarks(frame)
    assert "skipped 1 comment line (#) among the rows" in remarks(frame)


def test_blank_lines_in_a_single_column_are_empty_cells():
    frame = read("x\n1\n\n\n3\n\n")
    assert frame["x"].isna().tolist() == [False, True, True, False]
    assert "read 2 blank lines among the rows as empty cells" in remarks(frame)


def test_an_index_in_parquet_is_a_column_if_it_has_a_name():
    frame = read(frame_parquet(pd.DataFrame({"x": [1, 2]}, index=pd.Index(["u", "v"], name="site"))))
    assert {name: frame[name].tolist() for name in frame} == {"x": [1, 2], "site": ["u", "v"]}
    nameless = read(frame_parquet(pd.DataFrame({"x": [1, 2]}, index=["u", "v"])))
    assert list(nameless) == ["x"]
    assert "the row index, which has no name, was dropped" in remarks(nameless)


@pytest.mark.parametrize("names", [[0, 1], [("a", "b"), ("a", "c")]])
def test_names_in_parquet_are_words(names):
    frame = pd.DataFrame({"x": [1, 2], "y": ["u", "v"]})
    frame.columns = names if isinstance(names[0], int) else pd.MultiIndex.from_tuples(names)
    read_again = read(frame_parquet(frame))
    assert list(read_again) == [str(name) for name in names]
    assert bn.Dataset.from_frame(read_again).names == tuple(map(str, names))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pa.array([[1], [2, 3]]), "list"),
        (pa.array([{"u": 1}, {"u": 2}]), "struct"),
        (pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())), "map"),
    ],
)
def test_nested_columns_of_parquet_are_refused_by_name(cells, kind):
    with pytest.raises(bn.DataError, match=f"column 'odd' holds a {kind} in each cell; give each of its parts"):
        read(parquet(pa.table({"x": [1, 2], "odd": cells})))


def test_large_integers_in_parquet_beside_missing_cells_stay_different():
    table = pa.table({"x": pa.array([2**53, 2**53 + 1, None]), "y": pa.array([2**64 - 1, 1, 2], pa.uint64())})
    frame = read(parquet(table))
    assert frame["x"].nunique() == 2
    assert frame["x"].dropna().tolist() == [2**53, 2**53 + 1]
    assert frame["y"].tolist() == [2**64 - 1, 1, 2]


def test_declared_states_survive_parquet_in_any_number_of_batches():
    kept = pd.DataFrame({"x": pd.Categorical(["a", "b"] * 3, ["b", "a", "never"], ordered=True), "w": ["u", "v"] * 3})
    frame = read(frame_parquet(kept))
    assert frame["x"].cat.categories.tolist() == ["b", "a", "never"]
    assert frame["w"].tolist() == ["u", "v"] * 3
    table = pa.Table.from_pandas(kept)
    assert read(parquet(table, row_group_size=1))["x"].astype(str).tolist() == ["a", "b"] * 3


TITLED = [
    *(["Follow-up 2023", None, None], [None, None, None], ["Patient", "Dose", "Response"], ["a", 1, "yes"]),
    ["b", 2, "no"],
]


def test_a_title_above_a_table_is_skipped_and_told():
    printed = "\n".join(";".join("" if cell is None else str(cell) for cell in row) for row in TITLED)
    for content in (xlsx(TITLED), xlsx([[None, *row] for row in TITLED]), printed.replace("\n;;\n", "\n;;\n;;\n")):
        frame = read(content)
        assert columns(frame) == {"Patient": ["a", "b"], "Dose": [1, 2], "Response": ["yes", "no"]}
        assert "above the column names ('Follow-up 2023')" in remarks(frame)
    assert remarks(read(xlsx(TITLED))) == "skipped 2 lines above the column names ('Follow-up 2023')"


def test_blank_lines_and_columns_around_a_sheet_s_table_are_no_part_of_it():
    frame = read(xlsx([[None, None, None], [None, "x", "y"], [None, 1, "a"], [None, 2, "b"]]))
    assert columns(frame) == {"x": [1, 2], "y": ["a", "b"]}
    assert remarks(frame) == "skipped 1 line above the column names"


@pytest.mark.parametrize(
    "rows",
    [
        [["x", None, "z", "u"], ["a", "b", "c", "d"], ["e", "f", "g", "h"]],  # a name is missing
        [["Title", None, None], ["a", "b", None], ["c", "d", "e"]],  # a row with more than half of the cells
    ],
)
def test_a_column_without_a_name_is_not_taken_for_a_title(rows):
    with pytest.raises(bn.DataError, match="column 2 has no name"):
        read(xlsx(rows))


# What is said about a file goes before what would be detected.


SMALL = [["x", "y"], [1, "a"], [2, "b"]]


def test_a_table_on_the_second_sheet_is_found_and_said():
    for first in ([], [["Survey of 2024"]], [["Notes"], ["by hand"]]):
        frame = read(xlsx(About=first, Data=SMALL))
        assert columns(frame) == {"x": [1, 2], "y": ["a", "b"]}
        assert frame.attrs["reading"].remarks == ("of 2 sheets only 'Data' was read",)


def test_a_sheet_is_chosen_by_its_title():
    raw = xlsx(One=SMALL, Two=[["z", "w"], [3, 4]], Empty=[])
    assert columns(read(raw, sheet="Two")) == {"z": [3], "w": [4]}
    assert read(raw, sheet="Two").attrs["reading"].remarks == ()
    with pytest.raises(bn.DataError, match=r"t\.csv has no sheet 'Three'; it has One, Two, Empty"):
        read(raw, sheet="Three")
    with pytest.raises(bn.DataError, match=r"the sheet 'Empty' of t\.csv is empty; choose another sheet"):
        read(raw, sheet="Empty")


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


def test_an_option_that_is_none_is_refused():
    with pytest.raises(ValueError, match="separator must be one of auto, comma, semicolon, tab, bar, space; got ';'"):
        read("x;y\n1;2\n", separator=";")
