"""What cannot be known from a file is decided in the open: the table, and the sentence that says so."""

import datetime as dt

import pandas as pd
import pyarrow as pa
import pytest

import bnengine as bn
from bnengine.data.reading import Reading
from tests.data.test_reading import ARFF, columns, feather, read, xlsx
from tests.data.test_reading import parquet as frame_parquet
from tests.hostile import parquet, workbook


def remarks(frame):
    return "; ".join(frame.attrs["reading"].remarks)


def test_a_plain_table_needs_no_remark():
    assert read("x,y\n1,a\n2,b\n0.0,c\n-0.0,d\n").attrs["reading"] == Reading("text (UTF-8), comma-separated")
    assert read("x;y\n1;ä\n".encode("cp1252")).attrs["reading"].form == ("text (Windows-1252), semicolon-separated")


def lines(*cells, separator=";"):
    """A column x of these cells beside one of words."""
    return f"x{separator}y\n" + "".join(f"{cell}{separator}a\n" for cell in cells)


def x(*values):
    return {"x": [*values], "y": ["a"] * len(values)}


XY = {"x": [1, 2], "y": ["a", "b"]}
SMALL = [["x", "y"], [1, "a"], [2, "b"]]
TABLE = "x,y\n1,a\n2,b\n"
NUMBERED = {"column 1": [1, 2], "column 2": ["a", "b"]}
CARS = {"row name": ["Mazda RX4", "Datsun 710"], "mpg": [21.0, 22.8], "cyl": [6, 4]}
NAMES = [f"x{k}" for k in range(100)]
SEPARATED, ASKED = "points in 'x' were read as thousands separators", "points in 'x' may be thousands separators"
WORDS = ["None", "NA", "null", "NULL", "nan", "N/A", "-", "?", "inf", "TRUE"]
TITLED = [
    *(["Follow-up 2023", None, None], [None, None, None], ["Patient", "Dose", "Response"], ["a", 1, "yes"]),
    ["b", 2, "no"],
]
BELOW_TITLE = {"Patient": ["a", "b"], "Dose": [1, 2], "Response": ["yes", "no"]}
QUALTRICS = [
    *(["Q1", "Q2", "note"], ["How are you?", "How old\nare you?", None]),
    *(['{"ImportId":"QID1"}', '{"ImportId":"QID2","timeZone":"UTC"}', None], ["well", 31, "x"], ["ill", 40, "y"]),
]
ANSWERED, IDS = {"Q1": ["well", "ill"], "Q2": [31, 40], "note": ["x", "y"]}, "skipped the second and third line"
IRIS = {"sepal length": [5.1, None, 4.5], "class": ["a", "b c", None], "day": ["2024-01-01", "2024-01-02", None]}
ORANGE = {"age": [31, 32, 33], "sex": ["f", "m", "f"], "group": ["x", "y", "x"]}
HOLES = {"x": ["a", None, "b"], "y": [1, 2, None], "z": [None, 0.5, 1.5]}
FORMULAS = xlsx(Data=[["x"], [1], [2]], Sums=[["a", "b"], [1, "=SUM(Data!A2:A3)"], [2, 5]])
#: What is read, the options, the table it is, and how the remark on it begins: none if there is nothing to say.
READ = {
    **{
        f"words that look missing stay states, {form}": (content, {}, {"x": WORDS, "y": [1] * 10}, "")
        for form, content in {
            "csv": "x,y\n" + "".join(f"{word},1\n" for word in WORDS),
            "xlsx": xlsx([["x", "y"], *([word, 1] for word in WORDS)]),
            "parquet": frame_parquet(pd.DataFrame({"x": WORDS, "y": 1})),
        }.items()
    },
    "only empty cells are missing": ("x,y,z\na,1,\n,2,0.5\nb,,1.5\n", {}, HOLES, ""),
    "only empty cells of a sheet are missing": (
        *(xlsx([["x", "y", "z"], ["a", 1, None], [None, 2, 0.5], ["b", None, 1.5]]), {}, HOLES, ""),
    ),
    **{
        f"numbers, {', '.join(map(str, cells))}": (lines(*cells), {}, x(*values), "")
        for cells, values in (
            *((["007", "01"], ["007", "01"]), (["0", "0.5"], [0, 0.5]), (["1e3", "-2.5E-1"], [1000, -0.25])),
            *((["+1", ".5"], [1, 0.5]), (["1", "x"], ["1", "x"]), (["1_000", "2"], ["1_000", "2"])),
            *((["00", "0"], ["00", "0"]), (["12345678901234567", "1"], [12345678901234567, 1])),
            *((["0.125", "1.250"], [0.125, 1.25]), (["1500", "2.500"], [1500, 2.5])),  # 1500 has no separator, either
        )
    },
    **{
        f"points, {', '.join(cells)} {separator}": (lines(*cells, separator=separator), {}, x(*values), remark)
        for cells, values, remark in (
            (["500", "900", "1.000", "2.500"], [500, 900, 1000, 2500], SEPARATED),
            (["7", "50", "1.000"], [7, 50, 1000], SEPARATED),
            (["500", "1.234.567"], [500, 1234567], SEPARATED),
            (["1", "1.333", "1.667", "2"], [1, 1.333, 1.667, 2], ASKED),
            (["450", "512.333", "530"], [450, 512.333, 530], ASKED),
        )
        for separator in ";,"
    },
    "points beside commas": ("x;y\n1.000;1,5\n2.500;2,25\n", {}, {"x": [1000, 2500], "y": [1.5, 2.25]}, SEPARATED),
    "points beside words": (lines("1.025", "1.030"), {}, x(1.025, 1.03), f"{ASKED} and were read as decimal points"),
    **{
        f"decimal commas {mark}": (
            *("x;y\n1,5;a\n 2,25 ;b\n;c\n".replace(";", mark), {}, {"x": [1.5, 2.25, None], "y": [*"abc"]}),
            "commas in 'x' were read as decimal points",
        )
        for mark in ";\t|"
    },
    "commas of thousands": ('x,y\n"1,500",a\n', {}, x("1,500"), "commas in 'x' may be decimal or thousands separators"),
    "decimal commas of three digits": (lines("1,500", "2,250"), {}, x(1.5, 2.25), "commas in 'x' were read as decimal"),
    "one remark on 100 columns": (
        *("\t".join(NAMES) + "\n" + "\t".join(["1,5"] * 100) + "\n", {}, {name: [1.5] for name in NAMES}),
        "commas in 'x0', 'x1', 'x2' and 97 more columns were read as decimal points",
    ),
    **{
        f"the decimal mark {decimal} of {cell}": (lines(cell, "7"), {"decimal": decimal}, x(number, 7), "")
        for cell, decimal, number in (
            *(("1,500", "comma", 1.5), ("1,500", "point", 1500), ("1.500", "comma", 1500), ("1.500", "point", 1.5)),
            *(("1.234.567,5", "comma", 1234567.5), ("-1,234,567.5", "point", -1234567.5)),
        )
    },
    **{
        f"{one} and {other} are one number": (
            *(lines(one, other, "3"), {}, x(float(one), float(other), 3)),
            f"different spellings of the same number were merged: {one} and {other} in 'x'; ",
        )
        for one, other in (("1.1", "1.10"), ("1E5", "100000"), ("7", "+7"))
    },
    "decimal commas and words": (
        "x;y\n1,5;a\nhigh;b\n",
        {"decimal": "comma"},
        {"x": ["1,5", "high"], "y": [*"ab"]},
        "",
    ),
    "decimal commas and codes": ("x;y\n007;a\n1,5;b\n", {"decimal": "comma"}, {"x": ["007", "1,5"], "y": [*"ab"]}, ""),
    "names with markup": (
        *('"<b>name</b>","a, b"\n"<i>x</i>","1, 2"\n"y","3"\n', {}),
        *({"<b>name</b>": ["<i>x</i>", "y"], "a, b": ["1, 2", "3"]}, ""),
    ),
    "ids of Qualtrics": (
        '"' + '"\n"'.join('","'.join(str(c or "").replace('"', '""') for c in row) for row in QUALTRICS) + '"\n',
        *({}, ANSWERED, IDS),
    ),
    "ids of Qualtrics, xlsx": (xlsx(QUALTRICS), {}, ANSWERED, IDS),
    "no ids of Qualtrics": ("Q1,Q2\nwell,ImportId\nill,x\n", {}, {"Q1": ["well", "ill"], "Q2": ["ImportId", "x"]}, ""),
    "row numbers with a name": ("id,x\n0,a\n1,b\n", {}, {"id": [0, 1], "x": ["a", "b"]}, ""),
    "row numbers of some rows": (
        *(pd.DataFrame({"x": list("abc")}, index=[5, 6, 11]).to_csv(), {}, {"x": [*"abc"]}),
        "the first column has no name and numbers the rows; it was dropped",
    ),
    "row names of R": (
        *('"mpg" "cyl"\n"Mazda RX4" 21.0 6\n"Datsun 710" 22.8 4\n', {}, CARS),
        "the first column has no name; it is 'row name'",
    ),
    "row names of R's write.csv": (
        *('"","mpg","cyl"\n"Mazda RX4",21.0,6\n"Datsun 710",22.8,4\n', {}, CARS),
        "the first column has no name; it is 'row name'",
    ),
    "row numbers in another order": (",x\n7,a\n2,b\n", {}, {"row name": [7, 2], "x": ["a", "b"]}, "the first column"),
    "row numbers of tabs": ("x\ty\n1\t5\t6\n2\t7\t8\n3\t7\t8\n", {}, {"x": [5, 7, 7], "y": [6, 8, 8]}, "the first"),
    "blanks and quotes": ('"x" "y"\n"1" "a b" 1\n', {}, {"x": ["a b"], "y": [1]}, "the first column"),
    "one column of R": ('"x"\n"1" "a b"\n"2" "c, d"\n', {}, {"x": ["a b", "c, d"]}, "the first column"),
    "a quote of R": (
        *('"x" "y"\n"1" "a \\"b\\"" 1\n"2" "c" 2\n', {}, {"x": ['a "b"', "c"], "y": [1, 2]}),
        "the first column",
    ),
    "row names and blanks": ("x y\nu 1 a\nv 2 b\n", {}, {"row name": ["u", "v"]} | XY, "the first column has no name"),
    "aligned": (
        *("  id  mass kind\n   1   2.5 a\n 113  14.0 b\n", {}),
        *({"id": [1, 113], "mass": [2.5, 14], "kind": ["a", "b"]}, ""),
    ),
    "blanks and tabs": ("x y\n1 \ta\n2 b\n", {}, XY, ""),
    "blanks before quotes": ('a, b\n"x", "y,z"\n"u", "v"\n', {}, {"a": ["x", "u"], "b": ["y,z", "v"]}, ""),
    "separators at the ends": ("x,y\n1,a,\n2,b,\n", {}, XY, ""),
    "blank lines": ("x,y\n1,a\n\n2,b\n\n", {}, XY, ""),
    "blank lines of one column": (
        *("x\n1\n\n\n3\n\n", {}, {"x": [1, None, None, 3]}, "read 2 blank lines among the rows as empty cells"),
    ),
    "a row without values": (f"{TABLE},\n", {}, XY, "1 row without any value was left out"),
    "a comment": (f"# one, two\n{TABLE}", {}, XY, "skipped 1 comment line (#) before the table"),
    "comments": (
        *("# measured in May, by hand\n# all rights reserved\nx,y\n1,a\n# a break\n2,b\n", {}, XY),
        "skipped 2 comment lines (#) before the table; skipped 1 comment line (#) among the rows",
    ),
    "comments of another mark": (
        *("% made by hand\nx,y\n1,a\n% a break\n2,b\n", {"comment": "percent"}, XY),
        "skipped 1 comment line (%) before the table; skipped 1 comment line (%) among the rows",
    ),
    "names in a comment": ("# x y\n1 a\n2 b\n", {}, XY, ""),
    "names in the last comment": ("##made=2024\n#x\ty\n1\ta\n2\tb\n", {}, XY, "skipped 1 comment line (#)"),
    "names of words in a comment": ("#grp,kind\nu,v\nw,v\n", {}, {"grp": ["u", "w"], "kind": ["v", "v"]}, ""),
    "names of numpy": ("# x y\n1.0e+00 2.5e+00\n2.0e+00 3.5e+00\n", {}, {"x": [1, 2], "y": [2.5, 3.5]}, ""),
    "no comment": ("#x,y\n#1,a\n", {"comment": "none"}, {"#x": ["#1"], "y": ["a"]}, ""),
    "no names": ("1,a\n2,b\n", {"header": False}, NUMBERED, ""),
    "no names after a blank line": ("\n1,a\n2,b\n", {"header": False}, NUMBERED, ""),
    "no names in a sheet": (xlsx(SMALL[1:]), {"header": False}, NUMBERED, ""),
    "no names, and two lines in a cell": (
        *('"a\nb",1\nc,2\n', {"header": False}, {"column 1": ["a\nb", "c"], "column 2": [1, 2]}, ""),
    ),
    "semicolons by name": ("a;b,c\n1;2,3\n", {"separator": "semicolon"}, {"a": [1], "b,c": [2.3]}, "commas in 'b,c'"),
    "commas by name": ("a;b,c\n1;2,3\n", {"separator": "comma"}, {"a;b": ["1;2"], "c": [3]}, ""),
    **{f"sep={mark}": (f"sep={mark}\n{TABLE.replace(',', mark)}", {}, XY, "") for mark in ";\t|,"},
    "an encoding by name": ("Ort\nЁлка\n".encode("cp1251"), {"encoding": "windows-1251"}, {"Ort": ["Ёлка"]}, ""),
    "large numbers and truth in a sheet": (
        *(xlsx([["x", "y"], [1e18, True], [2.5e20, False]]), {}, {"x": [1e18, 2.5e20], "y": ["True", "False"]}, ""),
    ),
    "dates and codes in a sheet": (
        xlsx([["x", "y"], [dt.date(2024, 2, 29), "007"], [dt.datetime(2024, 1, 1, 12, 30), "01"]]),
        *({}, {"x": ["2024-02-29", "2024-01-01 12:30:00"], "y": ["007", "01"]}, ""),
    ),
    "a title": (xlsx(TITLED), {}, BELOW_TITLE, "skipped 2 lines above the column names ('Follow-up 2023')"),
    "a title beside a blank column": (xlsx([[None, *row] for row in TITLED]), {}, BELOW_TITLE, "skipped 2 lines above"),
    "a title in text": (
        "\n".join(";".join("" if cell is None else str(cell) for cell in row) for row in TITLED).replace(
            "\n;;", "\n;;" * 2
        ),
        *({}, BELOW_TITLE, "skipped 3 lines above the column names ('Follow-up 2023')"),
    ),
    "blank lines and columns around a sheet": (
        *(xlsx([[None] * 3, *([None, *row] for row in SMALL)]), {}, XY, "skipped 1 line above the column names"),
    ),
    **{
        f"the second sheet, after {len(first)} lines": (
            *(xlsx(About=first, Data=SMALL), {}, XY, "of 2 sheets only 'Data' was read"),
        )
        for first in ([], [["Survey of 2024"]], [["Notes"], ["by hand"]])
    },
    "a sheet beside formulas": (FORMULAS, {"sheet": "Data"}, {"x": [1, 2]}, ""),
    "a sheet of formulas": (
        *(FORMULAS, {"sheet": "Sums"}, {"a": [1, 2], "b": [None, 5]}),
        "the sheet 'Sums' holds formulas whose values were not saved, so that their cells are empty; open the workbook",
    ),
    "a sheet by its title": (xlsx(One=TITLED, Two=SMALL), {"sheet": "Two"}, XY, ""),
    "an index with a name in parquet": (
        *(frame_parquet(pd.DataFrame(XY, index=pd.Index(["u", "v"], name="site"))), {}, XY | {"site": ["u", "v"]}, ""),
    ),
    "an index without a name in parquet": (
        *(frame_parquet(pd.DataFrame(XY, index=["u", "v"])), {}, XY, "the row index, which has no name, was dropped"),
    ),
    "numbers as names in parquet": (frame_parquet(pd.DataFrame({0: [1, 2]})), {}, {"0": [1, 2]}, ""),
    "pairs as names in parquet": (frame_parquet(pd.DataFrame({("a", "b"): [1]})), {}, {"('a', 'b')": [1]}, ""),
    "feather": (feather(pd.DataFrame(HOLES)), {}, HOLES, ""),
    "ARFF": (ARFF, {}, IRIS, ""),
    **{
        f"Orange, {roles}": (
            *(f"age\tsex\tgroup\nc\td\tdiscrete\n{roles}31\tf\tx\n32\tm\ty\n33\tf\tx\n", {}, ORANGE),
            "skipped the lines below the names that declare types, as Orange writes them",
        )
        for roles in ("\t\tclass\n", "meta\tignore\tclass\n", "")
    },
}


@pytest.mark.parametrize(("content", "options", "found", "remark"), READ.values(), ids=READ)
def test_files_are_read_as_these_tables_with_these_remarks(content, options, found, remark):
    frame = read(content, **options)
    assert columns(frame.astype(object).where(frame.notna(), None)) == found
    assert remarks(frame).startswith(remark)
    assert bool(remarks(frame)) == bool(remark)
    assert set(bn.Dataset.from_frame(frame, missing="keep").names) == set(found)


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
