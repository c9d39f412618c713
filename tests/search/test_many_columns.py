"""Many columns for few rows: the sentence before the work, and which columns to keep."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.cli import main
from bnengine.data.columns import most_varied
from bnengine.search import many_columns
from bnengine.search.many_columns import n_columns_worth, size_remark


def noise(rows, columns, states=3, seed=0):
    frame = pd.DataFrame(np.random.default_rng(seed).integers(0, states, (rows, columns))).add_prefix("g")
    return bn.Dataset.from_frame(frame.astype(str))


def by_chance(data):
    """How many pairs of these columns a parent makes better, by the score itself."""
    alone = [bn.local_score(data, name, [], bn.BIC()) for name in data.names]
    pairs = [(a, b) for b in range(data.n_variables) for a in range(b)]
    return sum(bn.local_score(data, data.names[b], [data.names[a]], bn.BIC()) > alone[b] for a, b in pairs)


def test_the_number_of_pairs_that_chance_joins_is_that_of_the_score():
    """Within five standard deviations of a Poisson number: a false alarm in 10**6."""
    data = noise(400, 70, 2)
    expected = many_columns._by_chance(data)
    assert expected > 30
    assert abs(by_chance(data) - expected) < 5 * np.sqrt(expected)


def test_a_column_of_numbers_counts_as_one_slope():
    """As above; under independence a correlation is judged by the same distribution."""
    frame = pd.DataFrame(np.random.default_rng(2).normal(size=(60, 100))).add_prefix("g")
    data = bn.Dataset.from_frame(frame, numbers=list(frame))
    expected = many_columns._by_chance(data)
    assert expected == pytest.approx(many_columns._by_chance(noise(60, 100, 2)))
    squared = np.corrcoef(data.to_frame().to_numpy().T)[np.triu_indices(100, 1)] ** 2
    found = int((-60 * np.log(1 - squared) > np.log(60)).sum())
    assert abs(found - expected) < 5 * np.sqrt(expected) + 0.1 * expected  # the latter since 60 rows are few


def test_few_columns_or_many_rows_need_no_remark():
    assert size_remark(noise(60, 50)) == ""
    assert size_remark(noise(3000, 120)) == ""
    assert "50 rows stand against 79,800 pairs of columns" in size_remark(noise(50, 400))


def test_so_many_columns_are_worth_keeping_that_chance_hardly_joins_them():
    data = noise(50, 400)
    kept = bn.Dataset.from_frame(data.to_frame().iloc[:, : n_columns_worth(data)])
    assert many_columns._by_chance(kept) <= 0.1 * kept.n_variables
    assert size_remark(kept) == ""


def test_a_long_search_is_announced_before_it_starts(monkeypatch):
    monkeypatch.setattr(many_columns, "_LONG", 1e-5)
    with pytest.warns(many_columns.ManyColumnsWarning, match=r"One graph takes about .* GB of memory and seconds"):
        bn.learn(noise(20, 100), search=bn.ChowLiu())


def test_words_are_kept_and_numbers_that_vary_most():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({f"gene{k}": rng.normal(0, 1 + k, 40) for k in range(6)}).assign(sex=["f", "m"] * 20)
    assert most_varied(frame, 3) == ["gene4", "gene5", "sex"]
    words = pd.DataFrame({"rare": ["a"] + ["b"] * 9, "even": ["a", "b"] * 5, "three": [*"abcabcabca"]})
    assert most_varied(words, 2) == ["even", "three"]
    found = bn.prepare(frame, columns=3)
    assert found.data.names == ("gene4", "gene5", "sex")
    assert bn.prepare(frame, columns=["sex", "gene0"]).data.names == ("sex", "gene0")
    with pytest.raises(ValueError, match="how many to keep, at least 2; got 0"):
        bn.prepare(frame, columns=0)


def test_columns_are_chosen_at_the_command_line(capsys):
    assert main(["learn", "sample:asia_1000", "--columns", "xray, either,lung"]) == 0
    assert {*capsys.readouterr().out.replace("\n", ",").split(",")} & {"smoke", "xray", "either"} == {"xray", "either"}
    assert main(["learn", "sample:asia_1000", "--columns", "xray,nothing"]) == 1
    assert "has no column 'nothing'" in capsys.readouterr().err
