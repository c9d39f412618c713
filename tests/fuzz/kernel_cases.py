"""A random table, resampled: its scores against the definitions, and a search on it."""

import numpy as np

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from tests import naive
from tests.strategies import make_data, make_score

SEARCHES = (
    bn.HillClimbing(restarts=1),
    bn.Tabu(patience=3),
    bn.IteratedLocalSearch(patience=3),
    bn.ChowLiu(),
    bn.Exact(max_parents=2),
    bn.BestFirst(patience=3),
)


def case(rng: np.random.Generator) -> None:
    """One data set, resampled; some families under each way to count, and a search."""
    arities, n_rows = rng.integers(2, 7, rng.integers(2, 6)).tolist(), int(rng.integers(1, 130))
    data = make_data(arities, n_rows, int(rng.integers(2**31)), unseen=0.4)
    score = make_score(sorted(SCORES)[rng.integers(len(SCORES))], data)
    rows = rng.integers(0, n_rows, n_rows)
    scores, resampled = LocalScores(data, score), data.take(rows)
    scores.reweigh(np.bincount(data.distinct_row_of[rows], minlength=data.multiplicities.size).astype(np.int32))
    for _ in range(3):
        child = int(rng.integers(data.n_variables))
        others = [v for v in range(data.n_variables) if v != child]
        parents = sorted(rng.permutation(others)[: rng.integers(0, len(others) + 1)].tolist())
        assert np.isclose(scores(child, parents), naive.local_score(score, resampled, child, parents), atol=1e-6)
        wanted = np.array([v != child and v not in parents for v in range(data.n_variables)])
        more = scores.with_one_more(child, parents, wanted)
        for v in np.flatnonzero(wanted).tolist():
            assert np.isclose(more[v], scores(child, [*parents, v]), atol=1e-6)
    search = SEARCHES[rng.integers(len(SEARCHES))]
    graph = bn.learn(data, score, search, rng=int(rng.integers(1000)))
    assert np.isclose(graph.score, bn.score(data, graph.edges, score), atol=1e-6)
