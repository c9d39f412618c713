"""Tables as people export them whose cells hold answers, groups or times: each kind in three siblings or more.

A file is read by ``bn.prepare`` and by the command line; what is asked is answered by the name that the remark gives.
"""

import json

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.experiment.intake import read_upload
from tests.commands import answer
from tests.data.test_reading import read, xlsx

N = 120


def csv(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def several(options, mark, most, seed):
    """Up to so many of the options in a cell; the first goes with a sex."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], N)
    cells = [rng.choice(options, rng.integers(1, most + 1), replace=False) for _ in range(N)]
    cells = [sorted({*cell, options[0]}) if one == "f" else sorted(cell) for cell, one in zip(cells, sex, strict=True)]
    return pd.DataFrame({"sex": sex, "Q7": [mark.join(cell[:most]) for cell in cells]})


SEVERAL = {
    "codes": ([*"12345"], ",", 2),
    "three codes": ([*"12345"], ",", 3),
    "semicolons": ([*"1234"], ";", 2),
    "words": (["Bike", "Bus", "Car", "Train"], ", ", 3),
    "words in brackets": (["Bus (city, coach)", "Car (own, leased)", "Train"], ", ", 2),
    "bars": (["a b", "c", "d", "e"], "|", 3),
}


@pytest.mark.parametrize("kind", SEVERAL)
@pytest.mark.parametrize("separator", [",", ";"])
def test_several_answers_in_a_cell_become_a_yes_or_no_each(kind, separator):
    options, mark, most = SEVERAL[kind]
    frame = several(options, mark, most, seed=len(kind))
    found = bn.prepare(read(csv(frame, sep=separator)))
    assert found.data.names == ("sex", *(f"Q7: {option}" for option in options))
    expected = [["yes" if one in cell.split(mark) else "no" for cell in frame["Q7"]] for one in options]
    if "bracket" not in kind:
        assert found.recipe.repaired(found.frame).iloc[:, 1:].T.to_numpy().tolist() == expected
    assert found.data.arities.tolist() == [2] * (1 + len(options))
    assert found.recipe.absent(found.recipe.repaired(found.frame)) == []
    kept = bn.prepare(found.frame, repairs=["all", "-set:Q7"])
    assert kept.data.names == ("sex", "Q7")


@pytest.mark.parametrize(
    "cells",
    [
        *(["1", "1,5", "2", "2,5", "3", "3,5", "4"], ["1,0", "1,3", "1,7", "2,0", "2,3", "3,1"]),
        *(["0,1", "0,2", "1", "2", "1,2", "2,1", "0,4"], ["1", "2", "3", "4", "5", "1,2", "2,3", "3,3"]),
        *(["Smith, John", "Smith, Jane", "Doe, John", "Doe, Jane"], ["yes", "no", "yes, often", "no, never"]),
    ],
)
def test_decimals_names_and_qualified_answers_are_no_sets(cells):
    frame = read(csv(pd.DataFrame({"x": np.resize(cells, N), "y": np.resize([*"abc"], N)})))
    assert not [one for one in bn.proposals(frame) if one.kind == "set"]


BOXES = {
    "words in the names": ({"own_car": "Car", "own_bike": "Bike"}, "no"),
    "crosses": ({"fever": "x", "cough": "x", "rash": "x"}, "no"),
    "ones": ({"a": "1", "b": "1"}, "0"),
    "options of a question": ({"q3_1": "Radio", "q3_2": "TV", "q3_3": "Paper"}, "no"),
    "in another language": ({"Fieber": "ja", "Husten": "ja"}, "no"),
}


@pytest.mark.parametrize("kind", BOXES)
def test_empty_boxes_mean_no_beside_like_columns_and_are_asked_about_alone(kind):
    boxes, no = BOXES[kind]
    rng = np.random.default_rng(len(kind))
    ticked = {name: np.where(rng.random(N) < 0.4, word, "") for name, word in boxes.items()}
    frame = read(csv(pd.DataFrame({**ticked, "sex": rng.choice(["f", "m"], N)})))
    found = bn.prepare(frame)
    assert found.data.names == (*boxes, "sex")
    assert all(set(states) == {str(boxes[name]), no} for name, states in zip(boxes, found.data.states, strict=False))
    assert found.data.holes is None
    alone = frame[[*list(boxes)[:1], "sex"]].assign(age=rng.choice(["old", "young"], N))
    asked, name = bn.prepare(alone), next(iter(boxes))
    assert name not in asked.data.names
    assert any(f"(repair ticked:{name})" in remark for remark in asked.remarks)
    assert bn.prepare(alone, repairs=["all", f"ticked:{name}"]).data.names == (name, "sex", "age")


def grouped(sizes, seed=1):
    rng = np.random.default_rng(seed)
    groups = np.repeat([f"R{k}" for k in range(len(sizes))], sizes)
    frame = pd.DataFrame({"region": groups, "item": [f"i{k}" for size in sizes for k in range(size)]})
    return frame.assign(sold=rng.choice(["high", "low"], len(frame)))


@pytest.mark.parametrize(
    ("sizes", "sure"), [([4] * 12, True), ([2] * 20, True), ([3, 5, 4, 6, 2, 9], False), ([10, 11, 12], False)]
)
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_groups_that_are_written_once_are_filled_down_or_asked_about(sizes, sure, form):
    frame = grouped(sizes)
    once = frame.assign(region=frame["region"].where(frame["region"] != frame["region"].shift(), ""))
    content = csv(once)
    if form == "xlsx":
        content = xlsx([list(once.columns), *once.astype(object).replace("", None).to_numpy().tolist()])
    found = bn.prepare(read(content), repairs=["all"] if sure else ["all", "fill:region"])
    assert found.recipe.repaired(found.frame)["region"].tolist() == frame["region"].tolist()
    if not sure:
        assert any("(repair fill:region)" in remark for remark in bn.prepare(read(content)).remarks)


def test_groups_stay_filled_where_a_code_is_missing_and_columns_with_holes_are_no_groups():
    frame = grouped([4] * 12)
    once = frame.assign(region=frame["region"].where(frame["region"] != frame["region"].shift()).replace("R3", "k.A."))
    found = bn.prepare(once)
    repaired = found.recipe.repaired(once)
    assert repaired["region"].isna().sum() == 4
    pd.testing.assert_frame_equal(found.recipe.repaired(repaired), repaired)
    rng = np.random.default_rng(2)
    holes = frame.assign(
        region=frame["region"].where(rng.random(len(frame)) < 0.4), note=[f"a b c d {k}" for k in range(len(frame))]
    )
    assert not [one for one in bn.proposals(holes) if one.kind == "fill"]


#: A time or a duration with its minutes left open, and the hour.
TIMES = {
    "7:{}": 7,
    "07:{}:30": 7 + 1 / 120,
    "12:{} am": 0,
    "1:{} PM": 13,
    "1 h {} min": 1,
    "2h{}": 2,
    "3 Std. {} Min.": 3,
    "26:{}": 26,
}


@pytest.mark.parametrize("form", TIMES)
def test_times_and_durations_are_hours(form):
    minutes = [(3 * k) % 60 for k in range(N)]
    frame = read(csv(pd.DataFrame({"time": [form.format(f"{one:02}") for one in minutes], "x": [*"ab"] * 60})))
    found = bn.prepare(frame)
    assert found.recipe.repaired(frame)["time"].tolist() == pytest.approx([TIMES[form] + one / 60 for one in minutes])
    assert (found.data.numbers, found.data.arities.tolist()) == (("time",), [20, 2])


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M", "%m/%d/%Y %H:%M:%S"])
def test_the_hour_of_a_time_stamp_stands_beside_its_date(form):
    rng = np.random.default_rng(1)
    times = pd.Timestamp("2025-01-13") + pd.to_timedelta(rng.integers(0, 200 * 24 * 60, 400), "min")
    status = np.where(times.hour < 12, "late", "ok")
    found = bn.prepare(read(csv(pd.DataFrame({"at": times.strftime(form), "status": status}))))
    assert found.data.names == ("at (quarter)", "at (hour)", "status")
    assert {frozenset(edge) for edge in bn.learn(found.data).edges} == {frozenset({"at (hour)", "status"})}
    (repair,) = [one for one in found.repairs if one.kind == "date"]
    assert [details[1:] for details in repair.choices][:2] == [("quarter", "hour"), ("quarter",)]
    days = bn.prepare(read(csv(pd.DataFrame({"at": times.strftime(form.partition(" ")[0]), "status": status}))))
    assert days.data.names == ("at (quarter)", "status")


def genes(above, samples, seed=1):
    levels = np.random.default_rng(seed).normal(8, 1, (8, len(samples)))
    frame = pd.DataFrame(levels.round(3), columns=samples)
    frame.insert(0, above, ["TP53", "MYC", "RB1", "IL6", "BAX", "ACTB", "B2M", "KLF1"])
    return frame


@pytest.mark.parametrize("form", ["tsv", "csv", "semicolons"])
@pytest.mark.parametrize("above", ["ID_REF", "Gene symbol", "probe", "protein id"])
def test_a_table_with_its_cases_in_columns_is_turned(above, form):
    frame = genes(above, [f"GSM{4510000 + k}" for k in range(40)])
    text = csv(frame, **{"tsv": {"sep": "\t"}, "csv": {}, "semicolons": {"sep": ";", "decimal": ","}}[form])
    found = read(text)
    assert found.shape == (40, 9)
    assert found.drop(columns=above).to_numpy() == pytest.approx(frame.iloc[:, 1:].to_numpy().T)
    assert "the table was turned" in " ".join(found.attrs["reading"].remarks)
    assert bn.prepare(found).data.n_variables == 8
    assert read(text, cases="rows").shape == (8, 41)


def test_cases_that_may_stand_in_columns_are_asked_about():
    asked = read(csv(genes("name", [f"S{k}" for k in range(40)])))
    assert asked.attrs["reading"].remarks == (
        "the cases may stand in columns; choose cases 'columns' if that is right",
    )
    assert read(csv(genes("name", [f"S{k}" for k in range(40)])), cases="columns").shape == (40, 9)
    rows = pd.DataFrame(np.arange(300).reshape(30, 10), columns=[f"gene{k}" for k in range(10)])
    assert not read(csv(rows.assign(x="a")[["x", *rows.columns]])).attrs["reading"].remarks
    patients = rows.set_axis([f"P{k}" for k in range(30)]).reset_index(names="gene")
    assert read(csv(patients)).shape == (30, 11)  # numbered rows are cases
    people = [f"{first}{last}" for first in ("Ada", "Bo", "Cy", "Di", "Ed") for last in ("Ash", "Bay", "Cole", "Dow")]
    for above in ("", "name", "Sample"):  # many more columns than rows: asked about whatever the columns are called
        found = read(csv(genes(above, [f"{one} {k} at home" for k in "ab" for one in people])))
        assert found.shape == (8, 41)
        assert "choose cases 'columns'" in " ".join(found.attrs["reading"].remarks)
    wide = genes("sample", [f"{one} {k} at home" for k in "ab" for one in people])
    alike = wide.assign(sample=[f"P{k}" for k in range(8)]), wide.iloc[:, :30], wide.assign(**{wide.columns[9]: "low"})
    for frame in alike:  # numbered rows, not so many more columns, a column of words
        assert not [one for one in read(csv(frame)).attrs["reading"].remarks if "cases" in one]
    with pytest.raises(bn.DataError, match="leaves some without a name, or has one twice"):
        read("x,y,z\na,1,2\na,3,4\n", cases="columns")


@pytest.mark.parametrize("n_unseen", [1, 3, 8])
def test_declared_states_that_no_row_has_count_only_if_that_is_wanted(n_unseen):
    """A yes or no with ten declared answers lost two certain edges without a word."""
    rng = np.random.default_rng(4)
    work = rng.choice(["no", "yes"], 60)
    frame = pd.DataFrame(
        {"work": work, "member": np.where(rng.random(60) < 0.85, work, "no"), "x": rng.choice([*"ab"], 60)}
    )
    states = ["no", "yes", *(f"reason {k}" for k in range(n_unseen))]
    declared = frame.astype({name: pd.CategoricalDtype(states) for name in ("work", "member")})
    found = bn.prepare(declared)
    assert found.data.arities.tolist() == [2, 2, 2]
    assert bn.learn(found.data).edges == bn.learn(frame).edges != []
    assert "2 columns: declared states that no row has do not count" in found.remarks
    assert bn.prepare(declared, repairs=["all", "-unseen"]).data.arities.tolist() == [2 + n_unseen] * 2 + [2]


@pytest.mark.parametrize(
    ("words", "share"),
    [(["Refused"], 0.1), (["never"], 0.3), (["never", "rarely"], 0.2), (["Don't know", "Refused"], 0.12)],
)
def test_words_in_many_cells_make_no_words_of_a_column_of_numbers(words, share):
    rng = np.random.default_rng(5)
    numbers = rng.integers(1, 90, 400).astype(str)
    frame = pd.DataFrame({"x": np.where(rng.random(400) < share, rng.choice(words, 400), numbers), "y": [*"ab"] * 200})
    found = bn.prepare(read(csv(frame)))
    silent = "never" not in words  # otherwise they are a state, beside three of the numbers
    assert found.data.numbers == (("x",) if silent else ())
    assert found.data.arities[1] == 2
    assert silent or found.data.arities[0] == 4
    assert (found.data.holes is not None) == silent


@pytest.mark.parametrize(
    ("frame", "options", "names"),
    [
        (several(*SEVERAL["codes"], seed=1), (), ["sex", *(f"Q7: {k}" for k in range(1, 6))]),
        (several(*SEVERAL["codes"], seed=1), ("--repair", "-set:Q7"), ["sex", "Q7"]),
        (several(*SEVERAL["codes"], seed=1), ("--decimal", "comma", "--separator", "comma"), ["sex", "Q7"]),
        (genes("ID_REF", [f"GSM{k}" for k in range(40)]).iloc[:5], (), ["TP53", "MYC", "RB1", "IL6", "BAX"]),
        (grouped([3, 5, 4, 6]).assign(region=["A", *2 * [""], "B", *4 * [""], "C", *3 * [""], "D", *5 * [""]]),
         ("--repair", "fill:region"), ["region", "item", "sold"]),
        (pd.DataFrame({"ill": ["x", "", ""] * 20, "sex": [*"fm"] * 30, "age": [*"abc"] * 20}),
         ("--repair", "ticked:ill"), ["ill", "sex", "age"]),
    ],
)  # fmt: skip
def test_the_command_line_and_the_page_read_what_a_script_reads(frame, options, names, tmp_path, capsys):
    path, out = tmp_path / "t.csv", tmp_path / "out.json"
    path.write_bytes(csv(frame))
    code, _, err = answer(capsys, "learn", path, *options, "--out", out)
    assert code == 0, err
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["data"]["variables"] == names
    recipe = bn.Experiment.from_dict(written["experiment"]).data
    assert recipe.prepare(recipe.load(str(path))).names == tuple(names)
    if not options:
        assert read_upload(path.read_bytes(), bn.Recipe("file", "t.csv")).data.names == tuple(names)
