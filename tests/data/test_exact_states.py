"""Distinct values stay distinct states, and equal names and states are one, however their letters are encoded."""

import gzip
import io
import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.data.reading import read_named
from bnengine.experiment.experiment import PredictionSettings
from bnengine.graphs.constraints import read_edge_list
from tests.data.test_reading import parquet, read, xlsx

COMPOSED, DECOMPOSED = "é", unicodedata.normalize("NFD", "é")


@pytest.mark.parametrize(
    ("cells", "options"),
    [
        (["123456789012345678", "123456789012345679", "1.5"], {}),
        (["9007199254740993", "0.5", "9007199254740993.0"], {}),
        (["12345678901234567", "2.5", "2.5"], {}),
        (["123.456.789.012.345.678", "123.456.789.012.345.679", "1,5"], {"decimal": "comma", "separator": "semicolon"}),
    ],
    ids=str,
)
def test_numbers_that_would_lose_digits_stay_as_they_are_written(cells, options):
    frame = read("id;x\n" + "".join(f"{cell};{k % 2}\n" for k, cell in enumerate(cells * 3)), **options)
    assert frame["id"].tolist() == cells * 3
    assert set(bn.Dataset.from_frame(frame).states[0]) == set(cells)


@pytest.mark.parametrize(
    "cells", [["123456789012345678", "123456789012345679"], ["1.5", "900719925474099"], ["0.1", "1e300"]]
)
def test_numbers_that_keep_their_digits_stay_numbers(cells):
    frame = read("id;x\n" + "".join(f"{cell};{k % 2}\n" for k, cell in enumerate(cells * 3)))
    assert frame["id"].dtype.kind in "if"
    assert not frame.attrs["reading"].remarks


@pytest.mark.slow
@given(st.lists(st.decimals(-(10**12), 10**12, places=2), min_size=2, max_size=6, unique=True))
def test_as_many_states_as_distinct_numbers(numbers):
    frame = read("a;b\n" + "".join(f"{number};{k % 2}\n" for k, number in enumerate(numbers)))
    assert frame["a"].nunique() == len(numbers)
    assert bn.Dataset.from_frame(frame.astype({"b": object})).arities[0] == len(numbers)


def in_csv(names, rows):
    return "\n".join(",".join(row) for row in [names, *rows]).encode()


FORMS = {
    "csv": in_csv,
    "gz": lambda *table: gzip.compress(in_csv(*table)),
    "workbook": lambda names, rows: xlsx([names, *rows]),
    "parquet": lambda names, rows: parquet(pd.DataFrame(rows, columns=names)),
    "categories": lambda names, rows: parquet(pd.DataFrame(rows, columns=names).astype("category")),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_letters_with_accents_are_composed_on_reading(form):
    rows = [[f"caf{COMPOSED}", "1"], [f"caf{DECOMPOSED}", "x"], ["tea", "1"]]
    frame = read_named(io.BytesIO(form(["a", DECOMPOSED], rows)), "mine")
    assert list(frame.columns) == ["a", COMPOSED]
    assert [str(cell) for cell in frame["a"]] == [f"caf{COMPOSED}", f"caf{COMPOSED}", "tea"]
    assert bn.Dataset.from_frame(frame).states[0] == (f"caf{COMPOSED}", "tea")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_two_columns_of_one_name_are_refused(form):
    with pytest.raises(bn.DataError, match=f"'{COMPOSED}' occurs 2 times"):
        read_named(io.BytesIO(form([COMPOSED, DECOMPOSED], [["1", "2"], ["2", "3"]])), "mine")


@pytest.mark.parametrize("name", [COMPOSED, DECOMPOSED], ids=["composed", "decomposed"])
def test_names_match_wherever_they_are_given(name):
    data = bn.Dataset.from_frame(pd.DataFrame({DECOMPOSED: list("xyxy"), "b": list("xxyy")}))
    assert data.names == bn.Dataset((DECOMPOSED, "b"), data.states, data.codes).names == (COMPOSED, "b")
    assert data.index(name) == 0
    assert bn.local_score(data, name, ["b"], bn.BIC()) == bn.local_score(data, COMPOSED, ["b"], bn.BIC())
    assert bn.local_score(data, "b", [name], bn.BIC()) == bn.local_score(data, "b", [COMPOSED], bn.BIC())
    assert bn.learn(data, constraints=bn.Constraints(required=[(name, "b")])).edges == [(COMPOSED, "b")]
    assert (COMPOSED, "b") not in bn.learn(data, constraints=bn.Constraints(tiers=[["b"], [name]])).edges
    assert bn.learn(data, search=bn.K2([name, "b"])).edges == bn.learn(data, search=bn.K2([COMPOSED, "b"])).edges
    assert read_edge_list(f"{name} -> b\n".encode())[1] == ((COMPOSED, "b"),)
    assert bn.fit(data, [(name, "b")]).names == (COMPOSED, "b")


def test_recipes_match_the_table_that_was_read():
    table = read(f"{DECOMPOSED},b\ncaf{DECOMPOSED},1\ntea,2\ntea,1\n", separator="comma")
    for letter in (COMPOSED, DECOMPOSED):
        recipe = bn.Recipe(
            "file", "mine.csv", columns=(letter, "b"), where=((letter, "is", f"caf{letter}", "tea"),),
            states=((letter, "tea", f"caf{letter}"),), renamed=(("b", f"b{letter}"),),
        )  # fmt: skip
        data = recipe.prepare(table)
        assert data.names == (COMPOSED, f"b{COMPOSED}")
        assert data.states[0] == ("tea", f"caf{COMPOSED}")
        assert PredictionSettings(target=letter).target == COMPOSED


def test_a_network_has_composed_names():
    net = bn.BayesianNetwork((DECOMPOSED, "b"), ((DECOMPOSED, "n"), ("x", "y")), ((), ()), (np.full((1, 2), 0.5),) * 2)
    assert (net.names, net.states[0]) == ((COMPOSED, "b"), (COMPOSED, "n"))
    buffer = io.BytesIO()
    bn.write_bif(net, buffer)
    again = bn.read_bif(io.BytesIO(unicodedata.normalize("NFD", buffer.getvalue().decode()).encode()))
    assert (again.names, again.states) == (net.names, net.states)
