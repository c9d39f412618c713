"""The leaderboard of published networks: what is compared, and its figures worked out by hand."""

import itertools
import sys

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from benchmarks import peers, published


@pytest.fixture
def lines():
    """Two networks of one edge each, and methods of which one has done a single table."""
    answers = {"naive bootstrap": (0.5, 0.2), "sure": (1.0, 0.0), "slow": (0.9, None), published.PI: (0.7, 0.1)}
    about = {"rows": 100, "seed": 1, "pair": 0, "edge": True}
    return pd.DataFrame(
        [
            {"network": name, **about, "method": method, "probability": given}
            for method, both in answers.items()
            for name, given in zip(("first", "second"), both, strict=True)
            if given is not None
        ]
    )


def test_methods_that_have_done_all_tables_are_compared_on_all(lines):
    full, everyone = (published.judged(lines, every) for every in (False, True))
    assert set(full["method"]) == {"naive bootstrap", "sure"}
    assert set(everyone["method"]) == {"naive bootstrap", "slow", "sure"}
    assert (set(full["network"]), set(everyone["network"])) == ({"first", "second"}, {"first"})
    assert full.set_index("network")["pi"].groupby("network").first().to_dict() == {"first": 0.7, "second": 0.1}


def test_log_loss_is_a_true_edge_and_clipped(lines):
    total = published.leaderboard(published.judged(lines, False)).set_index("rows").loc[0]
    losses = -np.log([[0.5, 0.2], [0.999, 0.001]])
    assert total["method"].tolist() == ["naive bootstrap", "sure"]
    assert total["log_loss"].tolist() == pytest.approx(losses.mean(axis=1))
    assert total["log_loss_error"].tolist() == pytest.approx(np.ptp(losses, axis=1) / 2)
    kept = -np.log((200 * np.array([[0.5, 0.2], [1.0, 0.0]]) + 0.5) / 201).mean(axis=1)
    assert total["log_loss_kept_off"].tolist() == pytest.approx(kept)
    assert total["beside_naive_kept_off"].tolist() == pytest.approx([1, kept[1] / kept[0]])
    assert total["brier"].tolist() == pytest.approx([(0.25 + 0.64) / 2, 0.5])
    assert total["replicates"].fillna(0).tolist() == [200, 0]


def test_errors_leave_out_a_study_which_may_have_several_networks(lines):
    again = lines.replace({"network": {"first": "first2"}}).query("network == 'first2'")
    both, alone = (published.leaderboard(published.judged(own, False)) for own in (pd.concat([lines, again]), lines))
    assert both[["networks", "studies"]].iloc[0].tolist() == [3, 2]
    pd.testing.assert_series_equal(both["log_loss_error"], alone["log_loss_error"])  # half of the difference of the two


def test_an_entry_counts_a_pair_that_it_leaves_out_as_0(tmp_path):
    cell = {"network": "metal", "rows": 100, "seed": 1}
    network = published.network_of("metal")
    (first, second), *others = network.edges
    entry = pd.DataFrame([[second, first, 0.9]], columns=["first", "second", "probability"])
    entry.to_csv(tmp_path / "metal-100-1.csv", index=False)
    lines = published.entered(tmp_path, "ours")
    own = lines[lines["method"] == "ours"]
    assert own[list(cell)].drop_duplicates().to_dict("records") == [cell]
    assert own["probability"].sum() == pytest.approx(0.9)
    assert own.loc[own["probability"] > 0, "edge"].tolist() == [True]
    assert own["edge"].sum() == len(network.edges) > len(others)
    with pytest.raises(SystemExit, match=r"none of the 150 files, such as APSsystem-100-1\.csv"):
        published.entered(tmp_path / "nowhere", "ours")


def test_bootstrap_of_another_program_counts_pairs_in_either_direction(tmp_path, monkeypatch):
    (tmp_path / "table.csv").write_text("a,b\n0,1\n1,0\n")
    found = itertools.cycle([[("a", "b")], [("b", "a")], []])
    monkeypatch.setitem(peers.PROGRAMS, "it", (lambda *_: lambda: next(found), ()))
    assert peers._resampled("it", str(tmp_path / "table.csv"), {}, 3) == [("a", "b", pytest.approx(2 / 3))]


def test_why_another_program_gives_nothing_is_said_in_words_and_what_it_gives_before_it_dies_counts(tmp_path):
    data, dies = bn.load_network("cancer").sample(9, rng=1), tmp_path / "python"
    dies.write_text("#!/bin/sh\ncat > /dev/null\necho '{\"edges\": []}'\nexit 3\n")
    dies.chmod(0o700)
    assert peers.ask(str(dies), 60, "any", data) == {"edges": []}
    assert peers.ask(sys.executable, 60, "no such program", data) == {"refused": "KeyError: 'no such program'"}
