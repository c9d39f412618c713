"""Rows needed: two variables against brute force, the curve against its definition, and what must not matter."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.rows_needed import SIZE_FACTORS, RowsNeeded, _rows_at
from bnengine.search.drawn_cells import drawn_once
from tests.strategies import with_holes

PAIR = bn.BayesianNetwork(
    ("a", "b"), (("0", "1"), ("0", "1")), ((), (0,)), (np.array([[0.5, 0.5]]), np.array([[0.6, 0.4], [0.4, 0.6]]))
)
ASIA = bn.load_network("asia")
TALL = {"score": bn.BIC(), "search": bn.HillClimbing(), "sizes": [50, 100, 400], "n": 20}


@pytest.fixture
def every_table(monkeypatch):
    """No size is done before all of its tables are."""
    monkeypatch.setattr("bnengine.answers.rows_needed.ERROR", 0.0)


def share_by_brute_force(n_rows, n_tables, rng):
    """How often BIC joins the pair: where the gain in log-likelihood is more than half a logarithm of the rows."""
    counts = rng.multinomial(n_rows, [0.3, 0.2, 0.2, 0.3], size=n_tables).reshape(n_tables, 2, 2)
    expected = counts.sum(axis=2, keepdims=True) * counts.sum(axis=1, keepdims=True) / n_rows
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.nansum(counts * np.log(counts / expected), axis=(1, 2))
    return float((gain > np.log(n_rows) / 2).mean())


@pytest.mark.slow
def test_two_variables_against_brute_force(every_table):
    n, sizes = 600, [30, 100, 300]
    rows, counts = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([3, 2, 2, 3]) * 10_000
    data = bn.Dataset(PAIR.names, PAIR.states, rows, counts=counts)  # their posterior leaves no other network possible
    found = bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), sizes=sizes, n=n)  # which of two variables is exact
    exact = np.array([share_by_brute_force(size, 100_000, np.random.default_rng(size)) for size in sizes])
    errors = np.sqrt(exact * (1 - exact) * (1 / n + 1 / 100_000))
    # a difference of more than 4.5 standard errors in any of three: false alarm in about one of 50,000 runs
    assert (np.abs(found.found_again[:, 0, 1] - exact) < 4.5 * errors).all()
    (line,) = found.table().to_dict("records")
    assert line["fewest"] <= line["rows"] <= line["most"]
    assert sizes[1] < line["rows"] <= sizes[2]
    assert not line["extrapolated"]
    assert dataclasses.replace(found, n_rows=100).table()["extrapolated"].all()


@pytest.mark.slow
def test_the_data_s_own_size_is_the_predictive_bootstrap(every_table):
    """Shares of 400 tables each; differences above 5 standard errors in one of 28 pairs: one run in 60,000."""
    data, score, search, n = ASIA.sample(300, rng=2), bn.BIC(), bn.HillClimbing(), 400
    posterior = bn.edge_posterior(data)
    here = bn.rows_needed(data, score, search, posterior=posterior, sizes=[300], n=n).found_again[0]
    drawn = bn.PredictiveBootstrap(n, posterior.of_data())
    predictive = bn.resample(data, score, search, drawn, rng=5).adjacency_confidence
    pooled = (here + predictive) / 2
    assert (np.abs(here - predictive) <= 5 * np.sqrt(2 * pooled * (1 - pooled) / n + 1e-3)).all()


@pytest.mark.slow
def test_from_fewest_to_most_holds_the_rows_that_fresh_tables_of_the_true_network_need():
    """Of the tables from which the edge is learned; each of 30 has it if 90 % do: fewer than 80 % once in 30 runs."""
    sizes = [round(150 * times) for times in SIZE_FACTORS]
    shares = [share_by_brute_force(size, 20_000, np.random.default_rng(size)) for size in sizes]
    truth, held, widths = _rows_at(np.array(sizes), np.array(shares), 0.5), [], []
    for seed in range(40):
        found = bn.rows_needed(PAIR.sample(150, rng=seed), bn.BIC(), bn.HillClimbing(), 0.5, n=25, rng=seed)
        for line in found.table().query("in_network").fillna(np.inf).to_dict("records"):
            assert line["fewest"] <= line["rows"] <= line["most"]
            held.append((line["fewest"] <= max(truth, sizes[0])) & (truth <= line["most"]))
            widths.append(min(line["most"], 2 * sizes[-1]) / line["fewest"])
    assert len(held) >= 20
    assert np.mean(held) >= 0.8
    assert np.median(widths) < 64  # both ends beyond the sizes that were tried


def test_at_the_data_s_own_rows_curves_go_through_the_share_found_again():
    data, score, search = ASIA.sample(200, rng=3), bn.BIC(), bn.HillClimbing()
    again = bn.resample(data, score, search, bn.PredictiveBootstrap(30))
    share = again.adjacency_confidence
    for sizes in ([50, 200, 400], [50, 400], [400]):  # at its place also where these rows were not tried
        found = bn.rows_needed(data, score, search, sizes=sizes, n=10)
        through = found.through(again)
        assert through.sizes.tolist() == sorted({*sizes, 200})
        for size, before in zip(found.sizes, found.found_again, strict=True):
            now = through.found_again[through.sizes == size][0]
            bound = np.minimum if size < 200 else np.maximum
            assert (now == (share if size == 200 else bound(before, share))).all()
        line = through.table().iloc[0]
        one, other = data.names.index(line["parent"]), data.names.index(line["child"])
        assert line["found_again"] == share[one, other]
        assert through.tables[through.sizes == 200] == 30
    others = [bn.resample(ASIA.sample(100, rng=3), score, search, bn.PredictiveBootstrap(2))]
    for ensemble in (*others, bn.resample(data, score, search, bn.Bootstrap(2))):
        with pytest.raises(ValueError, match="of the predictive bootstrap of the same data"):
            found.through(ensemble)


def test_the_curve_is_interpolated_in_the_logarithm_of_the_rows():
    sizes = np.array([100, 200, 400])
    assert _rows_at(sizes, np.array([0.2, 0.6, 1.0]), 0.8) == pytest.approx(np.sqrt(200 * 400))
    assert _rows_at(sizes, np.array([0.9, 0.95, 1.0]), 0.8) == 100
    assert np.isnan(_rows_at(sizes, np.array([0.1, 0.2, 0.7]), 0.8))
    dented = _rows_at(sizes, np.array([0.85, 0.7, 1.0]), 0.8)  # made increasing: 0.775, 0.775, 1
    assert dented == pytest.approx(np.exp(np.log(200) + np.log(2) * (0.8 - 0.775) / 0.225))


@pytest.mark.slow
def test_neither_workers_nor_the_order_of_columns_matter(one_worker):
    data = ASIA.sample(200, rng=3)
    found = bn.rows_needed(data, **TALL)
    alone = bn.rows_needed(data, **TALL, executor=one_worker)
    assert (found.found_again == alone.found_again).all()
    names = data.names[::-1]
    turned = bn.rows_needed(data.select(names), **TALL)
    back = [names.index(name) for name in data.names]
    assert (found.found_again == turned.found_again[:, back][:, :, back]).all()
    assert (found.edges == turned.edges[back][:, back]).all()


def test_curves_and_table_say_the_same():
    found = bn.rows_needed(ASIA.sample(200, rng=3), **TALL)
    curves, table = found.curves(), found.table()
    assert len(curves) == 3 * len(table)
    here = curves[curves["rows"] == 100].set_index(["parent", "child"])["found_again"]  # of 50, 100, 400 next to 200
    nearest = table.set_index(["parent", "child"])["found_again"]
    assert here.sort_index().equals(nearest.sort_index())
    whole = found.network_curve()
    inside = table[table["in_network"]].set_index(["parent", "child"]).index
    at_first = curves[curves["rows"] == 50].set_index(["parent", "child"]).loc[inside, "found_again"]
    assert whole["found_again"][0] == pytest.approx(at_first.mean())
    assert "edges" in found.sentence


@pytest.mark.parametrize(
    ("rows", "said"), [((50, 80), "Both edges are"), ((50,), "The only edge is"), ((50, 300, 300), "1 of 3 edges is")]
)
def test_one_edge_is_and_two_are(rows, said):
    table = pd.DataFrame({"in_network": True, "rows": rows})
    found = SimpleNamespace(table=lambda: table, n_rows=100, wanted=0.9, sizes=[400])
    assert RowsNeeded._finding(found).startswith(f"{said} found again in 90% of fresh tables of 100 rows")


def test_a_stopped_run_keeps_the_sizes_that_are_finished(asked_after_each):
    data, calls = ASIA.sample(200, rng=3), []

    def tell(done, total):
        calls.append(total)
        return done < 41  # 20 for the posterior, 20 tables of the first size, and some of the second

    found = bn.rows_needed(data, **TALL, progress=tell)
    assert found.status == "stopped"
    assert found.sizes.tolist() == [50]
    assert set(calls) == {80}
    assert found.tables.tolist() == [20]
    nothing = bn.rows_needed(data, **TALL, progress=lambda done, total: False)
    assert not len(nothing.sizes)
    assert nothing.table()["rows"].isna().all()


def test_the_ladder_of_the_data_and_one_that_cannot_be():
    data = ASIA.sample(80, rng=3)
    found = bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), n=2)
    assert isinstance(found, RowsNeeded)
    assert found.sizes.tolist() == [round(80 * times) for times in SIZE_FACTORS]
    for sizes in ([], [3], [0, 50]):
        with pytest.raises(ValueError, match="sizes"):
            bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), sizes=sizes)
    with pytest.raises(bn.DataError, match="at most"):
        bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), sizes=[10**9])


@pytest.mark.slow
def test_a_size_is_done_once_its_shares_are_known(monkeypatch):
    data = ASIA.sample(1000, rng=4)
    asked = {"score": bn.BIC(), "search": bn.HillClimbing(), "sizes": [100, 8000], "n": 80}
    monkeypatch.setattr("bnengine.answers.rows_needed.ERROR", 0.05)
    found = bn.rows_needed(data, **asked)
    monkeypatch.setattr("bnengine.answers.rows_needed.ERROR", 0.0)
    whole = bn.rows_needed(data, **asked)
    assert (whole.tables == 80).all()
    assert found.tables[1] < found.tables[0]  # in large tables most edges are certain
    for k, n in enumerate(found.tables.tolist()):
        own = found.curves()
        inside = own.set_index(["parent", "child"]).index.isin(
            set(found.table().query("in_network")[["parent", "child"]].itertuples(index=False, name=None))
        )
        shares = own[inside & (own["rows"] == found.sizes[k]).to_numpy()]["found_again"].to_numpy()
        p = (shares * n + 2) / (n + 4)  # Agresti & Coull (1998)
        assert n == 80 or np.sqrt(p * (1 - p) / (n + 4)).mean() <= 0.05
        assert (np.abs(found.found_again[k] * n - np.round(found.found_again[k] * n)) < 1e-6).all()
    # the same tables first: a share of all 80 differs by what the remaining ones add
    rest = whole.tables - found.tables
    low = found.found_again * found.tables[:, None, None] / 80
    assert ((whole.found_again >= low - 1e-9) & (whole.found_again <= low + (rest / 80)[:, None, None] + 1e-9)).all()


@pytest.mark.slow
def test_missing_cells_are_drawn_once_and_it_is_said():
    data = with_holes(ASIA.sample(200, rng=3), 1, 0.1)
    how = {"sizes": [200, 400], "n": 4, "rng": 2}
    posterior = bn.edge_posterior(data, effort=bn.posterior.Effort(n_draws=2))
    found = bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), posterior=posterior, **how)
    completed = drawn_once(data, 2)
    alone = bn.rows_needed(completed, bn.BIC(), bn.HillClimbing(), posterior=posterior, **how)
    assert (found.found_again == alone.found_again).all()
    assert (found.edges == alone.edges).all()
    assert found.missing == data.missing.mean()
    assert "The fresh tables have no missing cells; of yours 10% are missing." in found.sentence
    assert "missing" not in alone.sentence


def test_a_posterior_of_other_variables_is_refused_before_anything_is_learned():
    data = bn.load_network("asia").sample(60, rng=1)
    other = bn.edge_posterior(bn.load_network("cancer").sample(60, rng=1), bn.BDeu())
    with pytest.raises(ValueError, match="posterior must be of these data's variables; 'Cancer'"):
        bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), posterior=other)
