"""The leaderboard of published networks: what is compared, and its figures worked out by hand."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import peers, published
from benchmarks.report import MEASURED


@pytest.fixture
def folder(tmp_path):
    """Two networks of one edge each, and methods of which one has done a single table."""
    answers = {"naive bootstrap": (0.5, 0.2), "sure": (1.0, 0.0), "slow": (0.9, None), published.PI: (0.7, 0.1)}
    for part in ("tables", "edges", *(f"probabilities/{method}" for method in answers)):
        (tmp_path / part).mkdir(parents=True)
    for place, name in enumerate(("first", "second")):
        (tmp_path / "tables" / f"{name}-100-1.csv").write_text("b,a\n")
        (tmp_path / "edges" / f"{name}.csv").write_text("from,to\na,b\n")
        for method, given in answers.items():
            if given[place] is not None:
                file = tmp_path / "probabilities" / method / f"{name}-100-1.csv"
                published.write(file, [("a", "b", given[place])])
    return tmp_path


def test_methods_that_have_done_all_tables_are_compared_on_all(folder):
    full, everyone = published.complete(folder)
    assert (full, everyone) == (["naive bootstrap", "sure"], ["naive bootstrap", "slow", "sure"])
    assert set(published.judged(folder, full)["network"]) == {"first", "second"}
    assert set(published.judged(folder, everyone)["network"]) == {"first"}


def test_log_loss_is_a_true_edge_and_clipped(folder):
    total = published.leaderboard(published.judged(folder, ["naive bootstrap", "sure"])).set_index("rows").loc[0]
    losses = -np.log([[0.5, 0.2], [0.999, 0.001]])
    assert total["method"].tolist() == ["naive bootstrap", "sure"]
    assert total["log_loss"].tolist() == pytest.approx(losses.mean(axis=1))
    assert total["log_loss_error"].tolist() == pytest.approx(np.ptp(losses, axis=1) / 2)
    kept = -np.log((200 * np.array([[0.5, 0.2], [1.0, 0.0]]) + 0.5) / 201).mean(axis=1)
    assert total["log_loss_kept_off"].tolist() == pytest.approx(kept)
    assert total["beside_naive_kept_off"].tolist() == pytest.approx([1, kept[1] / kept[0]])
    assert total["brier"].tolist() == pytest.approx([(0.25 + 0.64) / 2, 0.5])
    assert total["replicates"].fillna(0).tolist() == [200, 0]


def test_what_pages_quote_is_the_shipped_leaderboard():
    board = pd.read_csv(published.FILE).query("rows == 0 and among == 'complete'").set_index("method")
    quoted = json.loads(MEASURED.read_text(encoding="utf-8"))["published"]["methods"]
    assert list(quoted) == list(board.index)
    for method, figures in quoted.items():
        assert board.loc[method, list(figures)].to_dict() == pytest.approx(figures, rel=1e-3, abs=1e-4), method


def test_bootstrap_of_another_program_counts_pairs_in_either_direction(tmp_path, monkeypatch):
    (tmp_path / "table.csv").write_text("a,b\n0,1\n1,0\n")
    found = itertools.cycle([[("a", "b")], [("b", "a")], []])
    monkeypatch.setitem(peers.PROGRAMS, "it", (lambda *_: lambda: next(found), ()))
    assert peers._resampled("it", str(tmp_path / "table.csv"), {}, 3) == [("a", "b", pytest.approx(2 / 3))]
