"""Doubt by cause: searches whose behaviour is known give the variances that theory says."""

import dataclasses

import numpy as np
import pytest

import bnengine as bn
from bnengine.search.result import SearchResult
from bnengine.teaching.local_optima import search_doubt

BOTH = [bn.HillClimbing(), bn.IteratedLocalSearch()]


@dataclasses.dataclass(frozen=True)
class Made:
    """A search that joins the first two columns by name, by ``rule`` from the sample's score or a random number."""

    rule: object
    name: str = "made"
    max_parents: int | None = None

    def find(self, names, scores, space, rng):
        adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
        a, b = names.index("asia"), names.index("bronc")
        adjacency[a, b] = self.rule(scores(a, []), rng)
        return SearchResult(adjacency, 0.0, 0, "converged", np.zeros(1))


@pytest.fixture(scope="module")
def asia():
    return bn.load_network("asia").sample(300, rng=1)


@pytest.mark.slow
def test_a_coin_is_the_searchs_own_doubt(asia):
    """½(a − b)² of two fair coins has mean ¼; limits of 4 standard errors: a false alarm in about 1 of 8,000 seeds."""
    found = search_doubt(asia, bn.BIC(), [Made(lambda _, rng: rng.random() < 0.5)], n=2000).table().iloc[0]
    assert abs(found["of_search"] - 0.25) < 4 * found["of_search_error"] < 0.05
    assert abs(found["of_data"]) < 4 * found["of_data_error"] < 0.05


def test_a_function_of_the_sample_is_all_the_datas(asia):
    level = bn.local_score(asia, "asia", [], bn.BIC())
    found = search_doubt(asia, bn.BIC(), [Made(lambda score, _: score > level)], n=200)
    line, p = found.table().iloc[0], found.joined.mean(axis=(0, 1, 2)).max()
    assert 0.2 < p < 0.8
    assert line["of_search"] == 0
    assert line["share"] == 0
    assert line["of_data"] == pytest.approx(p * (1 - p) * 200 / 199)


def test_the_parts_are_covariances_pair_by_pair(asia):
    found = search_doubt(asia, bn.BIC(), BOTH, n=30)
    for s in range(2):
        covariances = [np.cov(pair.T) for pair in np.moveaxis(found.joined[s].astype(float), 2, 0)]
        assert found._of_data(s).mean() == pytest.approx(sum(c[0, 1] for c in covariances))
        whole = sum((c[0, 0] + c[1, 1]) / 2 for c in covariances)  # of one graph a sample
        first, second = found.joined[s].astype(float).mean(axis=0)
        off = ((first - second) ** 2).sum() / 2  # means that differ by chance
        parts = found._of_data(s).mean() + (found._of_search(s).mean() - off) * 30 / 29
        assert parts == pytest.approx(whole)


def test_the_better_search_doubts_less_and_scores_higher():
    data = bn.load_network("child").sample(300, rng=1)
    climb, best = search_doubt(data, bn.BIC(), BOTH, n=20).table().itertuples()
    assert best.share < climb.share / 2
    assert best.score > climb.score


def test_columns_in_another_order_change_nothing_but_their_order():
    data = bn.load_network("asia").sample(300, rng=1)
    one = search_doubt(data, bn.BIC(), BOTH, n=6)
    other = search_doubt(data.select(data.names[::-1]), bn.BIC(), BOTH, n=6)
    np.testing.assert_array_equal(one.confidence, other.confidence[:, ::-1, ::-1])


@pytest.mark.parametrize("after", [0, 3])
def test_a_stopped_run_keeps_whole_samples(asia, after):
    calls = []

    def stop_soon(done, total):
        calls.append(done)
        return done < after

    found = search_doubt(asia, bn.BIC(), BOTH, n=5000, progress=stop_soon)
    assert calls
    assert found.status == "stopped"
    assert found.n < 5000
    assert found.joined.shape == (2, found.n, 2, 28)


def test_one_sample_is_refused(asia):
    with pytest.raises(ValueError, match="n must be a whole number from 2"):
        search_doubt(asia, bn.BIC(), BOTH, n=1)
