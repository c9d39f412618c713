"""Columns that are functions of others, and columns that together number the rows: found, named, and not by chance."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data import determined
from bnengine.data.determined import functions_of_others, row_keys
from bnengine.data.repairs import by_kind, kind_sentence
from bnengine.experiment.intake import determined_remarks


def people(n=300, seed=1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.choice(["young", "middle", "old"], n), "sex": rng.choice(["f", "m"], n)})
    return frame.assign(stratum=frame["age"] + frame["sex"], smoker=rng.choice(["yes", "no"], n))


def test_a_stratum_is_named_where_people_look():
    prepared = bn.prepare(people())
    (said,) = determined_remarks(prepared.data)
    assert said == "'stratum' is determined by 'age' and 'sex': edges between them may be a definition, not a finding"
    assert said in prepared.remarks
    data = prepared.data
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(10, keys=["predictive"]))
    found = bn.verdict(study, data=data)
    assert found.sentence("age", "stratum").endswith(
        "'stratum' is determined by 'age' and 'sex': this edge may be a definition, not a finding."
    )
    assert found.determined("smoker", "age") == ""
    table = found.table(hidden=True)
    ends = [{line.parent, line.child} for line in table.itertuples()]
    assert table["association"].str.contains("determined").tolist() == [
        "stratum" in pair and "smoker" not in pair for pair in ends
    ]


@pytest.mark.parametrize("seed", range(5))
def test_functions_are_those_found_by_comparing_all_rows(seed):
    rng = np.random.default_rng(seed)
    a, b, c = (rng.integers(0, k, 400) for k in (3, 4, 2))
    columns = {"a": a, "b": b, "c": c, "coarse": b // 2, "both": (a + b) % 3, "either": (c == 1) | (a == 2)}
    names = [list(columns)[k] for k in rng.permutation(6)]
    rows = np.column_stack([columns[name] for name in names]).astype(np.uint16)
    found = functions_of_others(names, rows, np.ones(400, dtype=np.int64))
    for name, given in found.items():
        kinds = pd.DataFrame(columns).groupby(list(given))[name].nunique()
        assert kinds.max() == 1
    assert found["coarse"] == ("b",)
    assert set(found["either"]) == {"a", "c"}
    assert "c" not in found or "either" in found["c"]
    assert {"both", "a", "b"} & set(found)


def test_a_function_of_three_columns_is_found_and_named():
    """Not where a pair suffices, and a function of four is none of three."""
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 2, 500) for name in "abcd"}
    a, b, c, d = columns.values()
    columns |= {"majority": (a + b + c > 1).astype(int), "pair": a & d, "four": (a + b + c + d) % 2}
    data = bn.Dataset.from_frame(pd.DataFrame(columns).astype(str))
    assert data.functions == {"majority": ("a", "b", "c"), "pair": ("a", "d")}
    said = "'majority' is determined by 'a', 'b' and 'c': edges between them may be a definition, not a finding"
    assert said in list(determined_remarks(data))


def test_independent_columns_determine_nothing():
    """A state is predicted in 20 rows by chance in fewer than 1e-6 of pairs; here are 1,200 pairs in all."""
    for seed in range(40):
        data = bn.Dataset.from_frame(pd.DataFrame(np.random.default_rng(seed).integers(0, 12, (150, 5))).astype(str))
        assert data.functions == {}


def test_counts_stand_for_rows():
    frame = people()
    counted = frame.value_counts().reset_index(name="n")
    assert bn.Dataset.from_frame(counted, weights="n").functions == {"stratum": ("age", "sex")}


def test_a_panel_s_keys_are_proposed_to_be_left_out_but_stay():
    rng = np.random.default_rng(1)
    keys = pd.DataFrame([(f"land {k:02}", f"y{t}") for k in range(20) for t in range(12)], columns=["country", "year"])
    frame = keys.assign(**{f"x{v}": rng.choice(["low", "high"], 240) for v in range(4)})
    assert list(row_keys(frame)) == [("country", "year")]
    prepared = bn.prepare(frame)
    assert {"country", "year"} <= set(prepared.data.names)
    (group,) = by_kind([one for one in prepared.repairs if one.kind == "leave_out"])
    said = "'country' and 'year' together number the rows: no two rows are alike in them"
    assert kind_sentence(group) == said
    assert any(said in remark for remark in prepared.remarks)
    left_out = bn.prepare(frame, repairs=[one for one in prepared.repairs if one.column in ("country", "year")])
    assert left_out.data.names == tuple(f"x{v}" for v in range(4))
    assert list(row_keys(frame.iloc[rng.permutation(240)[:200]])) == [("country", "year")]  # some are missing
    assert list(row_keys(frame.assign(month=rng.choice([*"abc"], 240)).sample(240, replace=True, random_state=1))) == []


def test_three_columns_may_number_the_rows():
    frame = pd.DataFrame([(a, b, c) for a in "abcdef" for b in "uvwxy" for c in "123"], columns=["a", "b", "c"])
    assert list(row_keys(frame.assign(x=np.random.default_rng(1).integers(0, 2, 90)))) == [("a", "b", "c")]


def test_the_columns_that_number_the_rows_are_found_among_hundreds():
    """Of 300 columns each pair and triple would be four million; the others leave rows alike."""
    rng = np.random.default_rng(1)
    keys = np.array([(a, b, c) for a in range(10) for b in range(10) for c in range(9)])
    frame = pd.DataFrame(np.hstack([rng.integers(0, 2, (900, 297)), keys])).rename(columns=lambda name: f"x{name:03}")
    assert list(row_keys(frame)) == [("x297", "x298", "x299")]


def test_what_is_looked_at_for_keys_is_bounded(monkeypatch):
    """Of 600 columns of ten states all 180,000 pairs may be part of a key; each is a look at all rows."""
    looks = []
    monkeypatch.setattr(determined, "_MOST_LOOKED_AT", 1_000_000)
    monkeypatch.setattr(determined, "_TURN", 1_000)
    bincount = np.bincount
    monkeypatch.setattr(determined.np, "bincount", lambda *given: looks.append(1) or bincount(*given))
    frame = pd.DataFrame(np.random.default_rng(1).integers(0, 10, (600, 600))).rename(columns=str)
    assert list(row_keys(frame)) == []
    assert 0 < len(looks) <= 1_000_000 // 1_600
