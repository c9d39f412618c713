"""Repairs of raw tables: what is proposed, that nothing is proposed in vain, and that it is made as it was said."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import bnengine as bn
from bnengine.data.columns import numbers_of
from bnengine.data.reading import read_named
from bnengine.data.repairs import REPAIR_KINDS, by_kind, kind_sentence, unused_columns
from bnengine.data.repairs.cells import number_repair
from bnengine.data.repairs.finding import accepted
from bnengine.data.repairs.making import repaired
from bnengine.data.repairs.unused_columns import repeated_columns
from bnengine.experiment.saved import up_to_date
from bnengine.networks.bundled import SAMPLE_TABLES, network_names
from tests import exports

SEEDS = {"export_de.csv": 3, "encuesta.csv": 2}
ROWS = 60


def repair(frame, accept="all"):
    """The table with these repairs made."""
    return repaired(frame, accepted(frame, accept))


def column(*cells, times=None):
    """A column of these cells, each as often as said, beside one with nothing to repair."""
    times = times or [ROWS // len(cells)] * len(cells)
    x = [cell for cell, n in zip(cells, times, strict=True) for _ in range(n)]
    return pd.DataFrame({"x": pd.Series(x), "y": np.resize(["a", "b", "c"], len(x))})


def proposed(frame, kind=None):
    return [one for one in bn.proposals(frame) if one.column == "x" and kind in (None, one.kind)]


def read(export):
    return read_named(io.BytesIO(export.content), export.name)


@pytest.mark.parametrize(
    ("cells", "left"),
    [
        (["JA", "Ja", "ja", "j", "1", "nein", "n", "0"], {"JA", "nein"}),
        (["yes", "Y", "no", "N", "1"], {"yes", "no"}),
        (["yes", "no", "No", "NO", "perhaps"], {"NO", "yes", "perhaps"}),
        (["sí", "si", "Sí", "no"], {"Sí", "no"}),
        (["oui", "o", "non", "n"], {"oui", "non"}),
        (["Müller", "Schmidt", "schmidt"], {"Müller", "Schmidt"}),
        (["non-smoker", "Non smoker", "smoker"], {"Non smoker", "smoker"}),
        (["m", "male", "f", "female"], {"male", "female"}),
        (["F", "female", "M"], {"female", "M"}),
        (["Female", "woman", "M", "m"], {"Female", "M"}),
        (["weiblich", "W", "MÄNNLICH", "männlich"], {"weiblich", "MÄNNLICH"}),
        (["femme", "F", "homme", "H", "autre"], {"femme", "homme", "autre"}),
        (["masculino", "M", "femenino", "F"], {"masculino", "femenino"}),
        (["mujer", "M", "hombre", "H"], {"mujer", "hombre"}),
        (["uomo", "donna", "UOMO", "Donna"], {"UOMO", "Donna"}),
        (["men", "male", "women", "Women"], {"male", "Women"}),
        (["Not at all", "NOT AT ALL", "Often"], {"NOT AT ALL", "Often"}),
        (["Pas du tout", "PAS DU TOUT", "Un peu"], {"PAS DU TOUT", "Un peu"}),
        (["Acme Co", "ACME CO", "Gas Co", "Gas CO"], {"ACME CO", "Gas Co", "Gas CO"}),
        (["low", "L", "high", "H"], {"low", "high"}),
        (["S", "single", "m", "Married", "d", "divorced"], {"single", "Married", "divorced"}),
    ],
)
def test_spellings_of_one_value_become_one(cells, left):
    frame = column(*cells)
    (one,) = proposed(frame, "spellings")
    assert set(repair(frame)["x"]) == left
    assert one.count == len(frame) - sum((frame["x"] == state).sum() for state in left)


WORDS = ["k.A.", "n/a", "?", "NA", "#N/A", "onbekend", "NS/NC", "sin respuesta", "inconnu", "."]


@pytest.mark.parametrize(
    "cells",
    [
        *([["low", "high", word] for word in WORDS]),
        *(["AA", "AG", "GG", "NA"], ["CC", "CT", "TT", "NA"], ["YES", "NO", "NA"], ["SI", "NO", "NA"]),
        ["LOW", "HIGH", "NA"],
    ],
)
def test_words_for_missing_values_among_words_and_genotypes(cells):
    (one,) = proposed(column(*cells), "missing")
    assert (one.details, one.count, one.is_sure) == ((cells[-1],), ROWS // len(cells), True)
    assert repair(column(*cells))["x"].isna().sum() == ROWS // len(cells)


@pytest.mark.parametrize(
    "cells",
    [
        *(["+", "-"], ["DE", "FR", "NA", "ZA", "BW", "AO"], ["DE", "FR", "NA", "US"], ["DE", "FR", "NA", "Other"]),
        *(["EMEA", "APAC", "NA"], ["LATAM", "EMEA", "NA", "Asia", "Oceania"], ["None", "Mild", "Severe"]),
        ["yes", "n/a"],  # then nothing would be left to learn from
        ["01/02/2024", "03/04/2024", "05/06/2024"],  # a day that may be a month
    ],
)
def test_what_may_mean_something_else_is_not_guessed(cells):
    assert proposed(column(*cells)) == []


@pytest.mark.parametrize("cells", [["aspirin", "ibuprofen", "-"], ["ns", "*", "**"]])
def test_what_may_be_a_state_is_made_missing_by_name_only(cells):
    """No drug, and a level of significance."""
    frame = column(*cells)
    (one,) = proposed(frame)
    assert (one.kind, one.is_sure) == ("missing", False)
    assert "may stand for missing values" in one.sentence
    for accept in ("all", "missing"):
        assert repair(frame, accept).equals(frame)
    assert repair(frame, [one])["x"].isna().any()
    (sure,) = proposed(column("aspirin", "ibuprofen", "-", "k.A."))
    assert (sure.details, sure.choices) == (("k.A.",), (("k.A.",), ("-", "k.A.")))


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([*range(11), 99], ("99",)),
        ([1, 2, 9], ("9",)),
        ([0, 1, -9], ("-9",)),
        ([1, 2, 3, 98, 99], ("98", "99")),
        ([*range(1, 10)], None),  # a scale from 1 to 9
        ([*range(60, 100)], None),  # weights up to 99
        ([-1, 0, 1], None),
        ([-20.5, 3.2, 7.0, 9.0, 35.0], None),
        ([-20.5, 3.2, 7.1, 35.0, -999], ("-999",)),
        ([*range(11), 99, np.inf], ("99",)),
        ([*map(str, range(11)), "99", "inf"], ("99",)),
    ],
)
def test_numbers_for_missing_values_stand_apart(values, codes):
    found = proposed(column(*values, times=[5] * len(values)), "missing")
    assert [one.details for one in found] == ([] if codes is None else [codes])


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["$9.75", "$1,024.50", "$12.00"], [9.75, 1024.5, 12]),
        (["47.9%", "3.1%", "0.0%"], [47.9, 3.1, 0]),
        (["1.250 €", "980 €", "2.400 €"], [1250, 980, 2400]),
        (["1,234", "999", "12,500"], [1234, 999, 12500]),
        (["0,7", "12,5", "<0,6"], [0.7, 12.5, 0.55]),
        (["70 kg", "82kg", "91 Kg"], [70, 82, 91]),
        (["1'200.5", "3'400.0", "900.2"], [1200.5, 3400, 900.2]),
        (["1 200,5", "3 400,0", "900,2"], [1200.5, 3400, 900.2]),
        (["-1.5", "2.5", "−0.5", ">9.5"], [-1.5, 2.5, -0.5, 9.55]),
        (["3 Stk.", "12 Stk.", "7 Stk"], [3, 12, 7]),
        (["1 month", "3 months", "1.5 Monate"], [1, 3, 1.5]),
        (["1 Tag", "3 Tage", "2 d"], [1, 3, 2]),
        (["69 J.", "71 yrs", "80 Jahre", "1 year"], [69, 71, 80, 1]),
        (["1 lb", "3 lbs"], [1, 3]),
        (["1 h", "2 hrs", "3 hours"], [1, 2, 3]),
        (["$5", "7 USD", "9 $"], [5, 7, 9]),
        (["1 Portion", "2,5 Portionen", "3 Portionen"], [1, 2.5, 3]),
        (["90 mL/min/1.73m²", "60 ml/min/1,73 m²"], [90, 60]),
        (["4.5 ×10⁹/l", "5 x10^9/L", "6.5 10*9/l", "1.5 10E9/L"], [4.5, 5, 6.5, 1.5]),
        (["250 10^3/µL", "1,250 10^3/µL", "980 10^3/µL"], [250, 1250, 980]),
        (["4,5 10*9/l", "5,5 10*9/l"], [4.5, 5.5]),
        (["2 Mio.", "500 TSD", "1.5 Mio", "900k", "700"], [2e6, 5e5, 1.5e6, 9e5, 700]),
        (["2.5e-3", "1.5", "-4E2"], [0.0025, 1.5, -400]),
        (["5 µg/l", "7 μg/L"], [5, 7]),
        (["79+", "12", "30"], [79.5, 12, 30]),
    ],
)
def test_numbers_with_their_marks_are_read(cells, numbers):
    frame = column(*cells)
    (one,) = proposed(frame, "number")
    assert sorted(set(repair(frame)["x"])) == sorted(numbers)
    assert one.count == len(frame)


@pytest.mark.parametrize(
    "unit",
    [
        *("kg/m²", "kg/m2", "kg/m^2", "kg·m⁻²", "/min", "mg/d", "beats/min", "cm H2O", "mmol/l", "°C", "°", "%"),
        *("% TS", "J.", "log10 copies/ml", "years old", "mL/min/1.73m²", "x10^9/l", "× 10⁹/L", "kcal/100 g", "cm^-1"),
    ],
)
@pytest.mark.parametrize("between", ["", " "])
def test_what_follows_every_number_is_its_unit(unit, between):
    values = [24.3, 19.9, 31, 5]
    frame = column(*(f"{value:g}{between}{unit}" for value in values))
    (one,) = proposed(frame, "number")
    assert one.is_sure
    assert sorted(set(repair(frame)["x"])) == sorted(values)
    assert number_repair(frame["x"]) == one


def test_cells_that_are_no_numbers_do_not_hide_the_unit_from_who_asks_for_numbers():
    frame = column("24.3 kg/m²", "31 kg/m²", "19 kg/m²", "refused to be weighed", times=[20, 20, 20, 20])
    assert proposed(frame, "number") == []
    assert number_repair(frame["x"]).step == ("number", "x", "point")


@pytest.mark.parametrize(
    "cells",
    [
        *(["5 kg", "5 cm", "6 kg"], ["€5", "$5", "€7"], ["5%", "5", "0.5"], ["5 kg", "500 g"], ["5 days", "7 weeks"]),
        *(["280", "281 K"], ["<7.5", ">=7.5"], ["10-12", "12-14", "14-16"], ["1/4", "2/4", "3/4"]),
        *(["120/80 mmHg", "130/80 mmHg", "140/80 mmHg"], ["12/05/20", "13/05/20", "14/05/20"]),
        *(["12 May 2020", "13 May 2020", "14 May 2020"], ["12/May/2020", "13/May/2020", "14/May/2020"]),
        *(["1 to 10", "2 to 10", "3 to 10"], ["3 x 5 mg", "2 x 5 mg", "1 x 5 mg"]),
        *(["5 kg-8 kg", "6 kg-8 kg", "7 kg-8 kg"], ["1.2.3", "1.2.4", "1.2.5"], ["10²", "11²", "12²"]),
        *(["01234", "20095", "10115"], ["18-25", "26-40"], ["A1", "A2"], ["2D", "3D"], ["1A", "2A"]),
        *(["2 x10", "3 x10", "4 x10"], ["4.5 ×10", "5.5 ×10", "6.5 ×10"], ["4.5 x109/l", "5.5 x109/l", "6.5 x109/l"]),
        ["2 doors", "3 beds", "4 rooms"],
    ],
)
def test_what_is_no_number_or_is_in_several_units_stays_text(cells):
    assert proposed(column(*cells), "number") == []
    assert repair(column(*cells), ["missing", "spellings"]).equals(column(*cells))


def test_a_saved_step_reads_every_spelling_of_the_unit_and_few_values():
    for cells in (["1 month", "3 months"], ["2 Kisten", "1 Kiste"], ["1 day", "2 Tage"]):
        assert repair(column(*cells), [("number", "x", "point")])["x"].notna().all()


@pytest.mark.parametrize(
    ("cells", "lost"),
    [
        (["1,5", "2,5", "4,0", "hämolytisch"], "without one (hämolytisch)"),
        (["24.3 kg/m²", "31 kg/m2", "25 kg/m2", "70 kg"], "without one, or in another unit (70 kg)"),
    ],
)
def test_cells_without_a_number_in_the_columns_unit_are_named_and_counted(cells, lost):
    frame = column(*cells, times=[30, 30, 38, 2])
    (one,) = proposed(frame)
    assert f"2 cells {lost} would be missing" in one.sentence
    assert repair(frame).equals(frame)  # what is lost is no word for a missing value, so it is made by name only
    assert repair(frame, [one])["x"].isna().sum() == 2


@pytest.mark.parametrize("unit", ["", " mg"])
@pytest.mark.parametrize("word", ["inf", "-Inf", "Infinity", "∞"])
def test_infinite_cells_of_a_text_file_are_named_and_counted(word, unit):
    cells = [*(f"{value / 8}{unit}" for value in range(98)), word, word]
    text = pd.DataFrame({"dose": cells, "ward": [*"ab"] * 50}).to_csv(index=False)
    found = bn.prepare(bn.read_table(io.BytesIO(text.encode())))
    assert "infinite cells count as missing: 2 in 'dose'" in found.remarks
    assert (found.data.numbers, found.data.missing.sum()) == (("dose",), 2)
    cut = bn.prepare(found.frame, bins=3)
    assert "infinite cells count as missing: 2 in 'dose'" in cut.remarks
    assert cut.data.missing.sum() == 2


DAYS = pd.date_range("2021-03-01", periods=ROWS, freq="23D")


@pytest.mark.parametrize(
    "form", ["", "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M"]
)
def test_dates_in_any_order_are_read_alike(form):
    frame = pd.DataFrame({"x": DAYS.strftime(form) if form else DAYS, "y": np.resize(["a", "b"], ROWS)})
    (one,) = proposed(frame)
    assert one.details[1] == "year"
    for (_, part), value in zip(
        one.choices, (DAYS.year, "Q" + DAYS.quarter.astype(str), DAYS.month, DAYS.day_name()), strict=False
    ):
        made = repair(frame, [("date", "x", one.details[0], part)])[f"x ({part})"]
        assert [str(cell)[2:] if part == "weekday" else cell for cell in made] == list(value)


def test_a_part_of_a_date_takes_a_name_that_is_free():
    frame = pd.DataFrame({"x": DAYS, "x (year)": np.resize(["a", "b", "c"], ROWS)})
    made = repair(frame)
    assert list(made) == ["x (year) 2", "x (year)"]
    assert list(made["x (year) 2"]) == list(DAYS.year)
    recipe = bn.Recipe("file", "f.csv", columns=("x (year) 2",), repairs=(("date", "x", "", "year"),))
    assert recipe.absent(frame) == recipe.absent(made) == []
    assert recipe.absent(frame.drop(columns="x (year)")) == ["x (year) 2"]


def test_sums_and_means_of_other_columns_are_left_out_and_said_of_which():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(1, 6, (200, 6)), columns=[f"q{k}" for k in range(1, 7)])
    frame["somatic"] = frame["q1"] + frame["q2"] + (6 - frame["q3"])
    frame["mood"] = frame[["q4", "q5", "q6"]].mean(axis=1).round(2)
    frame["total"] = frame[[f"q{k}" for k in range(1, 7)]].sum(axis=1)
    frame["noisy"] = frame["total"] + rng.integers(0, 2, 200)
    reasons = {one.column: one.sentence for one in bn.proposals(frame) if one.is_sure}
    assert reasons == {
        "somatic": "'somatic' is the sum of q1, q2 and q3.",
        "mood": "'mood' is the mean of q4, q5 and q6.",
        "total": "'total' is the sum of q1, q2, q3 and 3 more.",
    }
    assert set(repair(frame)) == set(frame) - set(reasons)


@pytest.mark.parametrize(("last", "sure"), [(465, True), (31, False)])
@pytest.mark.parametrize("word", ["Total", "Summe", "Total général"])
def test_a_last_row_of_totals_is_left_out_where_it_adds_up_the_others(word, last, sure):
    frame = pd.DataFrame({"x": [*"abc" * 10, word], "visits": [*range(1, 31), last], "site": [*"AB" * 15, None]})
    (one,) = proposed(frame, "total")
    assert one.is_sure == sure
    assert kind_sentence([one]).startswith(f"The last row, '{word}' in 'x', ")
    made = repair(frame, [one])
    assert made.equals(frame.iloc[:-1])
    assert repaired(made, [one.step]).equals(made)
    assert not proposed(frame.iloc[::-1], "total")


@pytest.mark.parametrize(
    "others",
    [
        {"paid": [*["$1,200", "$900.50"] * 15, "$31,507.50"]},
        {"visits": [*range(1, 31), 465], "age": [*range(31, 61), None], "weight": [*range(41, 71), None]},
        {"visits": [*range(1, 31), 465], "age": [*(f"{age} J." for age in range(31, 61)), None]},
    ],
)
def test_totals_are_sums_of_amounts_in_text_too_and_empty_cells_say_nothing(others):
    (one,) = proposed(pd.DataFrame({"x": [*"abc" * 10, "Total"], **others}), "total")
    assert one.is_sure


def test_columns_without_use_are_left_out():
    rng = np.random.default_rng(1)
    n = 400
    kind, celsius = rng.choice(["north", "south", "west"], n), rng.normal(15, 8, n)
    frame = pd.DataFrame(
        {
            "kind": kind,
            "code": pd.Series(kind).map({"north": 1, "south": 2, "west": 3}),
            "celsius": celsius,
            "fahrenheit": celsius * 1.8 + 32,
            "other": rng.normal(size=n),
            "site": "A",
            "PatientNr": np.arange(n) * 7 + 1003,
            "rare": rng.random(n) < 0.03,
        }
    )
    assert set(repair(frame)) == {"kind", "celsius", "fahrenheit", "other", "rare"}
    reasons = {one.column: one.sentence for one in bn.proposals(frame)}
    assert reasons["code"] == "'code' is the same as 'kind'."
    assert reasons["site"] == "'site' has a single value, so it can have no edges."


@pytest.mark.parametrize(
    ("made", "out"),
    [
        (lambda x: x, {"x"}),
        (np.log, set()),
        (lambda x: x * 2.2046, set()),
        (lambda x: np.ceil(x / 40), set()),
        (lambda x: (x > 60).map({True: 2, False: 1}), set()),
    ],
)
@pytest.mark.parametrize("values", [range(1, 101), [1, 2, 5, 10]])
def test_numbers_are_the_same_only_where_they_are_equal(made, out, values):
    x = pd.Series(np.resize(values, 200), dtype="float64")
    assert set(repeated_columns(pd.DataFrame({"a": made(x), "x": x, "y": np.resize([0, 1, 2], 200)}))) == out


@pytest.mark.parametrize(
    ("one", "other"), [(["a", "b", "c"], [1, 2, 3]), ([0, 1], [2, 1]), (["a", "b", "none"], ["a", "b", None])]
)
def test_states_by_other_names_are_the_same_and_the_one_with_fewer_missing_cells_stays(one, other):
    frame = pd.DataFrame(
        {"b": np.resize(one, 90), "a": pd.Series(np.resize(np.array(other, object), 90)).convert_dtypes()}
    )
    out, kept = ("b", "a") if other == [2, 1] else ("a", "b")
    assert repeated_columns(frame) == {out: kept}


def test_each_column_of_distinct_numbers_is_looked_at_once_however_many_there_are(monkeypatch):
    """Columns without equal cells all tell the same rows apart: their values decide, and not pair by pair."""
    looked_at = []
    monkeypatch.setattr(unused_columns, "numbers_of", lambda column: looked_at.append(1) or numbers_of(column))
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 40)), columns=[f"g{k}" for k in range(40)])
    assert repeated_columns(frame.assign(again=frame["g7"])) == {"g7": "again"}
    assert len(looked_at) == 41


@pytest.mark.parametrize("name", SAMPLE_TABLES)
def test_nothing_is_proposed_for_the_bundled_tables(name):
    assert {one.kind for one in bn.proposals(bn.load_sample(name))} <= {"unseen"}


@pytest.mark.parametrize("name", network_names())
def test_states_of_the_bundled_networks_are_never_taken_for_something_else(name):
    """Columns that are equal in all rows, constant, or of digits in quotes, are what they are called.

    Four measurements of one quantity in WATER are asked about, as a scale.
    """
    rows = bn.load_network(name).sample(1000, rng=1).to_frame().astype(object)
    for one in bn.proposals(rows):
        asked = one.kind == "scale" and not one.is_sure
        assert asked or one.kind == "leave_out" or (one.kind == "number" and rows[one.column].str.isdigit().all())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [*SEEDS.items()])
def test_neither_order_matters_nothing_is_left_and_nothing_is_touched(name, seed):
    frame = read(exports.EXPORTS[name](seed))
    before, found = frame.copy(deep=True), bn.proposals(frame)
    made = repair(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert bn.proposals(made) == []
    pd.testing.assert_frame_equal(repair(made), made)
    again = repair(made, found)  # steps that were made change nothing
    pd.testing.assert_frame_equal(again, made)
    rng = np.random.default_rng(7)
    rows, columns = rng.permutation(len(frame)), rng.permutation(frame.columns)
    moved = frame.iloc[rows][list(columns)].reset_index(drop=True)
    assert set(bn.proposals(moved)) == set(found)
    pd.testing.assert_frame_equal(repair(moved)[list(made.columns)], made.iloc[rows].reset_index(drop=True))


CELLS = ["99", "99 kg", "9", "70 kg", "1,5", "1.5", "ja", "JA", "-", "Total", "2024-03-01", "01.02.2023", None]
TEXTS = st.sampled_from(CELLS[:-1])
PART = st.sampled_from(["year", "weekday", "hour"])
#: Details of each kind.
DETAILS = {
    **dict.fromkeys(["line", "missing", "none"], st.tuples(TEXTS, TEXTS)),
    **dict.fromkeys(["fill", "ticked", "unseen", "joined", "leave_out"], st.just(())),
    "total": st.tuples(TEXTS),
    "spellings": st.tuples(TEXTS, TEXTS, TEXTS, TEXTS),
    "number": st.sampled_from([("point",), ("comma",)]),
    "date": st.tuples(st.sampled_from(["", "dmy"]), PART) | st.tuples(st.just("dmy"), PART, st.just("month")),
    "set": st.tuples(st.sampled_from(",;"), TEXTS, TEXTS),
    "scale": st.permutations(["+a", "-b"]).map(lambda items: ("mean", *items)),
}
STEPS = st.sampled_from([*REPAIR_KINDS]).flatmap(
    lambda kind: st.tuples(st.just(kind), st.sampled_from("ab"), DETAILS[kind]).map(lambda one: (*one[:2], *one[2]))
)


@given(
    st.lists(st.tuples(st.sampled_from(CELLS), st.sampled_from([*CELLS[4:], 9, 99, 1.5])), min_size=1, max_size=12),
    st.lists(STEPS, max_size=5),
    st.booleans(),
)
def test_making_repairs_twice_is_making_them_once(rows, steps, numeric):
    """A code that was missing once, 99, took with it what had been written 99 kg when it was made again."""
    frame = pd.DataFrame(rows, columns=["a", "b"], dtype=object)
    if numeric:
        frame["b"] = pd.to_numeric(frame["b"], errors="coerce")
    try:
        once = repaired(frame, steps)
    except bn.DataError:  # items whose answers have no order
        assert any(step[0] == "scale" for step in steps)
        reject()
    pd.testing.assert_frame_equal(repaired(once, steps), once)
    pd.testing.assert_frame_equal(repaired(once[list(once.columns)].copy(), steps), once)
    if not any(step[0] == "leave_out" for step in steps):
        recipe = bn.Recipe("file", "t.csv", repairs=steps)
        assert recipe.absent(once) == recipe.absent(frame)


def test_dates_that_the_last_file_held_as_dates_are_read_from_text():
    """A saved recipe for a workbook, whose cells were dates, ended in a KeyError with the same table as text."""
    assert repaired(column("13.02.2021", "14.03.2022"), [("date", "x", "", "year")])["x (year)"].nunique() == 2


def test_a_code_does_not_take_the_numbers_written_otherwise_with_it():
    frame = pd.DataFrame({"w": ["99 kg"] * 40 + ["99"] * 10 + ["70 kg"] * 50, "x": [*"ab"] * 50})
    recipe = bn.Recipe("file", "t.csv", repairs=(("missing", "w", "99"), ("number", "w", "point")))
    assert recipe.prepare(frame).n_rows == recipe.prepare(recipe.repaired(frame)).n_rows == 90
    numbers = repaired(frame, [("number", "w", "point")])  # a code named later is one
    assert int(repaired(numbers, [("missing", "w", "99")])["w"].isna().sum()) == 50


def test_accept_says_which_are_made():
    frame = column("ja", "JA", "nein", "k.A.")
    assert repair(frame, "none").equals(frame)
    assert set(repair(frame, "missing")["x"].dropna()) == {"ja", "JA", "nein"}
    assert set(repair(frame, ["missing", "spellings"])["x"].dropna()) == {"JA", "nein"}
    assert repair(frame, bn.proposals(frame)).equals(repair(frame))
    assert repair(frame, [one.step for one in bn.proposals(frame)]).equals(repair(frame))
    with pytest.raises(ValueError, match="repairs must name kinds, or hold repairs or their steps; got 'None'"):
        repair(frame, [None])
    with pytest.raises(ValueError, match="repairs must be all, none, or one of line, total, fill, missing"):
        repair(frame, "everything")
    with pytest.raises(ValueError, match="a repair is"):
        repair(frame, [("missing", "x")])
    with pytest.raises(bn.DataError, match="no column 'z'"):
        repair(frame, [("missing", "z", "99")])


@pytest.mark.parametrize(("name", "seed"), [*SEEDS.items(), pytest.param("churn.xlsx", 5, marks=pytest.mark.thorough)])
def test_the_built_in_adjacencies_are_found_after_the_repairs(name, seed):
    """Each effect is strong: fixed seeds, no rate of false alarms."""
    export = exports.EXPORTS[name](seed)
    raw = read(export)
    frame = repair(raw)
    data = bn.Recipe("file", export.name).suggested(frame).prepare(frame)
    found = {frozenset(edge) for edge in bn.learn(data, bn.BIC()).edges}
    assert export.truth <= found
    assert raw.shape == export.shape


@pytest.mark.parametrize("dash", ["-", "–"])
def test_a_drug_that_most_did_not_take_is_not_missing(dash):
    frame = column(dash, "aspirin", "ibuprofen", times=[75, 15, 10])
    recipe = bn.Recipe("file", "f.csv").accepting(frame, accepted(frame, "all"))
    assert recipe.prepare(frame).states[0] == tuple(sorted([dash, "aspirin", "ibuprofen"]))
    (ticked,) = proposed(frame)
    assert (ticked.step, kind_sentence([ticked])) == (("missing", "x", dash), f"'{dash}' may count as missing in 'x'")
    assert recipe.accepting(frame, [ticked.step]).prepare(frame).missing[:, 0].sum() == 75


def test_dashes_among_numbers_are_a_state_where_another_column_says_the_same():
    rng = np.random.default_rng(5)
    drug = rng.choice(["-", "aspirin", "ibuprofen"], 300, p=[0.4, 0.3, 0.3])
    dose = np.where(drug == "-", "-", rng.choice(["5 mg", "10 mg", "20 mg"], 300))
    frame = pd.DataFrame({"Drug": drug, "Dose": dose, "Ward": rng.choice(["A", "B"], 300)})
    found = {one.column: one for one in bn.proposals(frame) if one.kind in ("missing", "none")}
    assert {name: (one.kind, one.is_sure) for name, one in found.items()} == {
        "Drug": ("missing", False),
        "Dose": ("none", True),
    }
    assert "in the rows where 'Drug' is -; otherwise they are missing" in found["Dose"].sentence
    data = bn.Recipe("file", "f.csv").accepting(frame, accepted(frame, "all")).prepare(frame)
    assert data.states[:2] == (("-", "aspirin", "ibuprofen"), ("5", "10", "20", "(missing)"))


def test_dashes_beside_empty_cells_are_a_state_by_name_only():
    """Otherwise the empty cells would be joined with them."""
    frame = column("-", "5 mg", "10 mg", None, times=[40, 40, 40, 5]).assign(
        z=lambda f: f["x"].map({"-": "no"}).fillna("a")
    )
    found = {one.kind: one.is_sure for one in proposed(frame)}
    assert found == {"missing": True, "none": False, "number": True}


@pytest.mark.parametrize(("n_dashes", "asked"), [(3, False), (20, True)])
def test_dashes_among_numbers_are_missing_unless_they_are_kept_as_a_state_by_name(n_dashes, asked):
    """A dose of those who had no drug, or a measurement that was not taken: nobody but its owner knows."""
    frame = column("5 mg", "10 mg", "-", times=[100, 80, n_dashes])
    found = {one.kind: one for one in proposed(frame)}
    assert (found["missing"].is_sure, "none" in found) == (True, asked)
    if not asked:
        return
    none = found["none"]
    assert (none.step, none.is_sure) == (("none", "x", "-"), False)
    recipe = bn.Recipe("file", "f.csv").accepting(frame, accepted(frame, "all"))
    assert recipe.missing_in == ()
    assert recipe.prepare(frame).missing[:, 0].sum() == n_dashes
    kept = recipe.accepting(frame, [*recipe.repairs, none.step])
    assert kept.missing_in == (("x", "own_state"),)
    assert kept.prepare(frame).states[0] == ("5", "10", "(missing)")
    assert kept.accepting(frame, recipe.repairs) == recipe
    assert "none" not in {one.kind for one in proposed(column("5 mg", "10 mg", "-", "k.A."))}


def test_a_line_for_a_kind_names_columns():
    frame = column("low", "high", "99", "k.A.").assign(
        z=lambda f: f["x"], w=lambda f: np.resize(["n/a", "1", "0"], len(f))
    )
    missing, *_ = [kind_sentence(group) for group in by_kind(bn.proposals(frame)) if group[0].kind == "missing"]
    assert missing == "'99' and 'k.A.' count as missing in 'x' and 'z'; 'n/a' in 'w'"
    many = pd.DataFrame({f"q{k}": np.resize(["1", "2", "3", "n/a"], 60) for k in range(6)})
    missing, numbers = (kind_sentence(group) for group in by_kind(bn.proposals(many)) if group[0].kind != "leave_out")
    assert missing == "'n/a' counts as missing in 'q0', 'q1', 'q2' and 3 more columns"
    assert numbers == "6 columns: numbers written as text"
    crp = many.assign(crp=np.resize(["<5", "7.5", "8.1"], 60))
    numbers = next(kind_sentence(group) for group in by_kind(bn.proposals(crp)) if group[0].kind == "number")
    assert numbers == "7 columns: numbers written as text, limits as values just beyond them, such as <5 → 4.95"
    assert {one.change for one in bn.proposals(many) if one.kind == "number"} == {""}


def test_steps_of_earlier_versions_are_made_as_near_as_can_be():
    steps = [["total", "w", "Sum"], ["none", "x", "-"], ["rare", "x", "a"], ["date", "x", "ymd", "days since", "y", ""]]
    old = {"source": "file", "name": "f.csv", "transposed": True, "repairs": steps}
    plain = bn.Experiment().to_dict() | {"data": old}
    assert bn.Experiment.from_dict(plain).data.repairs == (*map(tuple, steps[:2]), ("date", "x", "ymd", "year"))
    said = up_to_date(plain)[1]
    assert bn.Experiment.from_dict(plain).data.cases == "columns"
    for sentence in ("Rare states are not joined", "The time between two dates"):
        assert said.count(sentence) == 1
