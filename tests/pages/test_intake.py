"""A page, a command and ``bn.prepare`` make the same data set of a table: rows, states and treatment."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.cli.experiments import load, recipe_named
from bnengine.cli.terminal import Terminal
from tests import exports

pytestmark = pytest.mark.slow


def voters(n=300):
    """As R's write.csv writes a survey: row numbers, factors in quotes, NA in numbers and words."""
    rng = np.random.default_rng(1)
    opinion = np.round(rng.normal(size=n), 5)
    frame = pd.DataFrame(
        {
            "region": rng.choice(list("NCSM"), n),
            "income": rng.choice([2500.0, 7500.0, 15000.0, 35000.0], n),
            "age": rng.integers(18, 71, n).astype(float),
            "statusquo": opinion,
            "vote": np.where(opinion > 0, "Y", "N"),
        },
        index=range(1, n + 1),
    ).astype({"vote": object})
    for name in ("income", "statusquo", "vote"):
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame.to_csv(na_rep="NA", quoting=csv.QUOTE_NONNUMERIC, index_label="")


def hostile(n=200):
    """Two header rows' worth of trouble: a constant, an identifier, a copy, markup, quotes, commas, holes."""
    rng = np.random.default_rng(2)
    kind = rng.choice(["a;b", 'say "x"', "<b>*x*</b>"], n)
    frame = pd.DataFrame(
        {
            "Nr.": np.arange(1001, 1001 + n),
            "Art": kind,
            "Kode": pd.Series(kind).map({"a;b": 1, 'say "x"': 2, "<b>*x*</b>": 3}),
            "Wert": [f"{value:.2f}".replace(".", ",") for value in rng.normal(5, 2, n)],
            "Dauer": [f"{days} Tage" for days in rng.integers(1, 30, n)],
            "leer": "",
            "immer": "ja",
            "Angabe": rng.choice(["ja", "JA ", "nein", "k.A.", "-"], n),
        }
    )
    return frame.to_csv(index=False, sep=";")


def workbook():
    out = io.BytesIO()
    rng = np.random.default_rng(3)
    days = pd.date_range("2021-01-01", periods=60, freq="17D")
    frame = pd.DataFrame({"seen": days, "dose": rng.normal(size=60), "cured": rng.choice(["yes", "no", None], 60)})
    frame.to_excel(out, index=False)
    return out.getvalue()


EXPORT = exports.hospital("de", 21)
TABLES = {
    "voters.csv": voters().encode(),
    "hostile.csv": hostile().encode(),
    "book.xlsx": workbook(),
    EXPORT.name: EXPORT.content,
    "plain.csv": bn.load_sample("titanic").to_csv(index=False).encode(),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_same_data_set_everywhere(visitor, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(TABLES[name])
    prepared = bn.prepare(path)
    assert prepared.data.n_rows == len(prepared.frame)  # holes are kept, no row is lost
    settings = bn.Experiment(recipe_named(str(path), None, 0))
    _, of_a_command = load(settings, Terminal(), suggest=True)
    visitor.upload(name, TABLES[name])
    of_a_page = visitor.at.session_state["dataset"][1][0]
    assert of_a_page.digest == of_a_command.digest == prepared.data.digest
    assert "ready" in visitor.finding
