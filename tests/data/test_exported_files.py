"""Files as programs and people export them: encodings, lines that are no rows, names over two lines, formats."""

import csv
import io

import numpy as np
import openpyxl
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.encodings import decoded, encoding_of
from tests.data.test_reading import read, xlsx

WORDS = {
    "cp1252 German": ("cp1252", "männlich weiblich Köln Straße für später"),
    "cp1252 French": ("cp1252", "élevé très être déjà garçon modéré"),
    "cp1252 Spanish": ("cp1252", "año niño sí más corazón mujer"),
    "cp1252 Portuguese": ("cp1252", "não coração São mulher três"),
    "cp1252 Danish": ("cp1252", "mænd kvinder på før høj ja"),
    "cp1250 Czech": ("cp1250", "pohlaví muž žena město souhlasí spíše"),
    "cp1250 Polish": ("cp1250", "płeć mężczyzna wieś średnio wyższe żółty"),
    "cp1251 Russian": ("cp1251", "пол мужской женский город хорошо"),
    "shift_jis Japanese": ("shift_jis", "性別 満足 男性 女性 東京 いいえ"),
    "gb18030 Chinese": ("gb18030", "性别 男 女 城市 满意 不满意"),
}


def table_of(words, n_rows=60, seed=1):
    rng = np.random.default_rng(seed)
    words = words.split()
    return pd.DataFrame({f"{words[0]} {k}": rng.choice(words, n_rows) for k in range(3)})


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_encoding_is_told_by_the_letters(language, seed):
    encoding, words = WORDS[language]
    frame = table_of(words, seed=seed)
    for written in (encoding, "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        found = bn.read_table(io.BytesIO(frame.to_csv(index=False).encode(written)))
        assert found.to_dict("list") == frame.to_dict("list"), (written, found.attrs["reading"])


@pytest.mark.parametrize("language", WORDS)
def test_a_byte_that_is_not_utf8_is_named_and_the_rest_read_as_utf8(language):
    text = table_of(WORDS[language][1]).to_csv(index=False)
    raw = text.encode() + b"caf\xe9,x,y\n"
    found, remark = encoding_of(raw, "t.csv")
    assert decoded(raw, found) == text + "café,x,y\n"
    assert "byte 0xE9 in line 62" in remark


ROWS = "".join(f"{k % 3},{'ab'[k % 2]},{k % 7}\n" for k in range(40))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("sep=,\nx,y,z\n", ""),
        ('"sep=,"\nx,y,z\n', ""),
        ("x,y,z,\n", ""),
        ("x,y,z,,\n", ""),
        ("x,y,z\n", ",,\n"),
        ("x,y,z\n", ",,\n,,\n"),
        ("sep=,\n,,\nx,y,z\n", ",,\n"),
    ],
)
def test_what_spreadsheets_write_besides_is_no_row_and_no_column(before, after):
    found = read(before + ROWS + after)
    pd.testing.assert_frame_equal(found, read("x,y,z\n" + ROWS), check_exact=True)


OPTIONS = [
    (["Id", "Which do you own?", "", "", "Sex"], ["", "Car", "Bike", "Boat", "Response"]),
    (["Id", "Q1", "", "Q2", ""], ["", "a", "b", "a", "b"]),
    (["Region", "2024", "", "2025", ""], ["", "sold", "lost", "sold", "lost"]),
]
NAMES = [
    ["Id", "Which do you own?: Car", "Which do you own?: Bike", "Which do you own?: Boat", "Sex"],
    ["Id", "Q1: a", "Q1: b", "Q2: a", "Q2: b"],
    ["Region", "2024: sold", "2024: lost", "2025: sold", "2025: lost"],
]


@pytest.mark.parametrize(("header", "names"), [*zip(OPTIONS, NAMES, strict=True)])
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_names_over_two_lines_are_joined(header, names, form):
    rows = [[k, "yes", "no", "yes" if k % 2 else "", "no"] for k in range(1, 30)]
    file = io.StringIO()
    csv.writer(file).writerows([*header, *rows])
    content = file.getvalue()
    if form == "xlsx":
        content = xlsx([[cell if cell != "" else None for cell in row] for row in [*header, *rows]])
    found = read(content)
    assert list(found.columns) == names
    assert len(found) == 29


def book_of(*sheets):
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for title, rows, state, merged in sheets:
        sheet = book.create_sheet(title)
        sheet.sheet_state = state
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
    book.save(file)
    return io.BytesIO(file.getvalue())


def test_a_visible_sheet_comes_before_a_hidden_one_and_either_can_be_named():
    small = [["sex", "age"], *[["f", k] for k in range(5)]]
    large = [["zip", "city"], *[[k, "A"] for k in range(90)]]
    for state in ("hidden", "veryHidden"):
        book = book_of(("lookup", large, state, ()), ("Survey", small, "visible", ()))
        assert list(bn.read_table(book).columns) == ["sex", "age"]
        assert list(bn.read_table(io.BytesIO(book.getvalue()), sheet="lookup").columns) == ["zip", "city"]


def test_a_cell_that_is_merged_over_rows_is_that_of_each():
    rows = [
        ["Region", "Quarter", "Sales"],
        *[[f"R{k // 4}" if k % 4 == 0 else None, f"Q{k % 4}", k] for k in range(12)],
    ]
    found = bn.read_table(book_of(("Sheet", rows, "visible", ("A2:A5", "A6:A9", "A10:A13"))))
    assert found["Region"].tolist() == [f"R{k // 4}" for k in range(12)]


def test_gobnilp_s_line_of_numbers_of_states_is_no_row_and_rows_of_codes_stay():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, [2, 3, 4], (50, 3))
    rows = "\n".join(" ".join(map(str, row)) for row in codes)
    assert len(read(f"a b c\n2 3 4\n{rows}\n")) == 50
    assert len(read(f"a b c\n{rows}\n")) == 50
    assert len(read(f"a,b,c\n2,3,4\n{rows.replace(' ', ',')}\n")) == 51  # in other dialects nothing says so


def codes_of(values, odd, seed=1):
    rng = np.random.default_rng(seed)
    return rng.choice(values, 300 - len(odd)).astype(str).tolist() + odd


@pytest.mark.parametrize("odd", [["89+"] * 3, ["~45"], ["Refused"] * 2, [">89", "90 +"], ["ca. 50", "no comment"]])
def test_a_few_words_among_numbers_make_no_states_of_them(odd):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": codes_of(np.arange(18, 89), odd), "sex": rng.choice(["f", "m"], 300)})
    found = bn.prepare(frame)
    assert (found.data.numbers, found.data.arities[1]) == (("age",), 2)
    n_missing = sum(not any(digit in word for digit in "0123456789") for word in odd)
    assert found.recipe.repaired(frame)["age"].isna().sum() == n_missing


@pytest.mark.parametrize("mark", ["*", "-", "–", "/"])
def test_what_is_missing_among_numbers_is_missing_among_words(mark):
    rng = np.random.default_rng(2)
    numbers = rng.integers(0, 50, 300).astype(str).tolist()
    words = rng.choice(["yes", "no"], 300).tolist()
    numbers[::40], words[5::40] = [mark] * 8, [mark] * 8
    frame = pd.DataFrame({"x": numbers, "smoker": words})
    assert bn.prepare(frame).data.states[1] == ("no", "yes")
    alone = bn.prepare(frame.assign(x=rng.normal(size=300)))
    assert mark in alone.data.states[1]  # in words alone it may be a state
    assert any("missing:smoker" in remark for remark in alone.remarks)
    asked = bn.prepare(frame.assign(x=rng.normal(size=300)), repairs=["all", "missing:smoker"])
    assert asked.data.states[1] == ("no", "yes")


def test_a_repair_that_is_not_proposed_is_refused_with_those_that_are():
    frame = pd.DataFrame({"smoker": ["yes", "no", "*"] * 30, "x": range(90)})
    with pytest.raises(ValueError, match=r"or one of this table: missing:smoker.*; got 'number:age'"):
        bn.prepare(frame, repairs=["number:age"])


RNG = np.random.default_rng(3)
MEASURED = pd.DataFrame(
    {
        "id": range(1, 61),
        "sex": RNG.choice(["f", "m"], 60),
        "mass": RNG.integers(40, 90, 60),
        "height": RNG.normal(170, 9, 60).round(1),
    }
)


def lines_of(frame):
    return [repair for repair in bn.proposals(frame) if repair.kind == "line"]


@pytest.mark.parametrize(
    "line",
    [
        ["Interview number", "Sex of the person", "Body mass", "Height"],
        ["", "", "kg", "cm"],
        ["int", "text", "int", "float"],
    ],
)
def test_a_line_of_labels_under_the_names_is_no_row(line):
    text = MEASURED.to_csv(index=False).splitlines()
    text.insert(1, ",".join(line))
    frame = read("\n".join(text) + "\n")
    (found,) = lines_of(frame)
    assert found.is_sure
    prepared = bn.prepare(frame)
    assert prepared.data.n_rows == 60
    assert any("has words where all others have numbers" in remark for remark in prepared.remarks)
    again = prepared.recipe.repaired(prepared.recipe.repaired(frame))
    assert again["mass"].tolist() == MEASURED["mass"].tolist()
    assert bn.prepare(frame, repairs="none").recipe.repaired(frame).shape == (61, 4)


@pytest.mark.parametrize(
    "notes", [["Source: own"], ["* provisional", "Source: our own numbers, 2026"], ["a note, quoted"]]
)
def test_notes_below_a_table_are_no_rows(notes):
    frame = MEASURED.drop(columns="id")
    text = frame.to_csv(index=False) + "\n" + "".join(f'"{note}",,\n' for note in notes)
    (found,) = lines_of(read(text))
    assert sorted(found.details) == sorted(notes)
    assert bn.prepare(read(text)).data.n_rows == 60


def test_rows_are_no_lines_of_labels_or_notes():
    assert not lines_of(MEASURED)
    holes = MEASURED.astype(object)
    holes.loc[58:, ["sex", "mass", "height"]] = None  # persons of whom only the number is known
    assert not lines_of(read(holes.to_csv(index=False)))
    words = pd.DataFrame({"a": ["unknown", *RNG.choice(["x", "y"], 40)], "b": RNG.choice(["u", "v"], 41)})
    assert not lines_of(words)
    limits = MEASURED.astype(object)
    limits.loc[0, ["mass", "height"]] = ["n/a", "<150"]
    assert not lines_of(read(limits.to_csv(index=False)))
