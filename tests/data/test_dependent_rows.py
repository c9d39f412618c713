"""Rows that depend on each other: how many rows they are worth, and that they are drawn together."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnengine as bn
from bnengine.bootstrap.permutation_threshold import check_copies
from bnengine.bootstrap.resamplers import PredictiveBootstrap, replicate_generators
from bnengine.data.dependent_rows import DependentRows
from bnengine.data.drawn_rows import drawn_with, drawn_without
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from tests import naive
from tests.strategies import datasets, make_score


def make_data(codes, arities):
    names = [f"c{v}" for v in range(len(arities))]
    return bn.Dataset(names, [[f"s{k}" for k in range(arity)] for arity in arities], codes)


def with_units(data, of_row, block=None):
    dependent = DependentRows(np.asarray(of_row), block)
    return bn.Dataset(data.names, data.states, data.codes, missing_way=data.missing_way, dependent=dependent)


def persons(n=40, visits=4, arities=(2, 3, 2, 4), kept=0.7, seed=3):
    """Visits of persons: each cell is the person's own, or drawn anew."""
    rng, of_row = np.random.default_rng(seed), np.tile(np.arange(n), visits)
    own, fresh = (rng.integers(0, arities, (size, len(arities))) for size in (n, n * visits))
    codes = np.where(rng.random(fresh.shape) < kept, own[of_row], fresh)
    codes[: max(arities)] = np.arange(max(arities))[:, None] % arities  # every state is there
    return with_units(make_data(codes, arities), of_row)


def series(n=300, n_columns=6, kept=0.8, seed=1):
    """A series of independent columns: each cell is that of the row before, or drawn anew."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n, n_columns))
    for i in range(1, n):
        codes[i] = np.where(rng.random(n_columns) < kept, codes[i - 1], codes[i])
    return make_data(codes, (3,) * n_columns)


def learned(data, resampler, executor=None):
    return bn.resample(data, bn.BIC(), bn.HillClimbing(), resampler, executor=executor)


@pytest.mark.parametrize("kind", sorted(SCORES))
def test_rows_pasted_several_times_score_as_once(kind, mixed):
    pasted = bn.Dataset(
        mixed.names, mixed.states, np.tile(mixed.codes, (3, 1)),
        dependent=DependentRows(np.tile(np.arange(mixed.n_rows), 3)),
    )  # fmt: skip
    assert (pasted.design_effect, pasted.effective_rows) == (3.0, mixed.n_rows)
    score = make_score(kind, mixed)
    thrice, once = LocalScores(pasted, score), LocalScores(mixed, score)
    for child, parents in [(0, []), (1, [0]), (2, [0, 1]), (3, [0, 2])]:
        assert thrice(child, parents) == pytest.approx(once(child, parents), abs=1e-9)
        gains = [scores.with_one_more(child, parents, np.ones(4, dtype=np.bool_)) for scores in (thrice, once)]
        assert gains[0] == pytest.approx(gains[1], abs=1e-9)


@pytest.mark.parametrize(
    "score", [bn.BIC(), bn.AIC(), bn.BDeu(1), bn.BDeu(10), bn.QNML()], ids=lambda score: score.name
)
@pytest.mark.parametrize("block", [None, 4])
def test_equivalent_graphs_score_alike_and_scores_are_sums_of_families(score, block):
    """One design effect holds for the table, so turning covered edges round changes nothing."""
    data = persons()
    if block is not None:
        by_person = data.take(np.argsort(data.dependent.of_row))
        data = with_units(by_person, np.arange(data.n_rows) // block, block)
    assert data.design_effect > 1.05
    chains = [[(0, 1), (1, 2), (2, 3)], [(1, 0), (1, 2), (2, 3)], [(1, 0), (2, 1), (2, 3)], [(1, 0), (2, 1), (3, 2)]]
    named = [[(data.names[i], data.names[j]) for i, j in chain] for chain in chains]
    totals = [bn.score(data, edges, score) for edges in named]
    assert totals == pytest.approx([totals[0]] * 4, abs=1e-8)
    families = {v: [i for i, j in chains[0] if j == v] for v in range(4)}
    assert totals[0] == pytest.approx(sum(LocalScores(data, score)(v, of) for v, of in families.items()), abs=1e-9)


@settings(max_examples=25)
@given(datasets(min_variables=2, max_variables=4, max_rows=40, max_arity=3), st.data())
def test_any_clusters_keep_equivalent_graphs_equal_and_columns_in_any_order(data, draws):
    of_row = draws.draw(st.lists(st.integers(0, 5), min_size=data.n_rows, max_size=data.n_rows))
    data = with_units(data, np.unique(of_row, return_inverse=True)[1])
    one, other = data.names[:2]
    for score in (bn.BIC(), bn.BDeu(2.0), bn.QNML()):
        assert bn.score(data, [(one, other)], score) == pytest.approx(bn.score(data, [(other, one)], score), abs=1e-8)
    assert data.select(data.names[::-1]).design_effect == data.design_effect >= 1.0
    assert 1 <= data.effective_rows <= data.n_rows


def naive_design_effect(data):
    """By its definition: products of centred indicators of two columns, near rows beside those far apart."""
    n, codes, near, far = data.n_rows, data.codes.astype(int), {}, {}
    unit, block = data.dependent.of_row, data.dependent.block
    kernels = []
    for v, arity in enumerate(data.arities):
        indicators = np.eye(arity)[codes[:, v]]
        indicators -= indicators.mean(axis=0)
        kernels.append(indicators @ indicators.T / (indicators**2).sum() * n)
    products = sum(x * y for x, y in itertools.combinations(kernels, 2))
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    if block is None:
        weights = (unit[:, None] == unit) * 1.0
        near, counted = weights > 0, weights
    else:
        near, weights = apart < 2 * block, np.clip(2.0 - apart / block, 0.0, 1.0)
        counted = weights / np.maximum(1, n - apart) * n
    far = products[~near].mean()
    off = ~np.eye(n, dtype=bool)
    return 1 + (products - far)[off & near] @ counted[off & near] / (products - far)[~off].sum()


def test_design_effect_against_naive():
    by_person = persons()
    assert by_person.design_effect == pytest.approx(naive_design_effect(by_person), abs=1e-6)
    few = with_units(by_person, np.arange(160) % 3)  # clusters of more rows than are compared one by one
    assert few.design_effect == pytest.approx(max(1.0, naive_design_effect(few)), abs=1e-6)
    data = series(150, 4)
    of_time = with_units(data, np.arange(150) // 12, 12)
    assert of_time.design_effect == pytest.approx(naive_design_effect(of_time), abs=1e-6)


def test_design_effect_is_that_of_theory():
    """Cells of visits agree with probability kept², so the product of two columns has 1 + (visits - 1) kept⁴.

    Of 20 tables, the mean; its standard error is 0.02.
    """
    found = [persons(100, 5, (3,) * 6, seed=seed).design_effect for seed in range(20)]
    assert np.mean(found) == pytest.approx(1 + 4 * 0.7**4, abs=0.08)
    fresh = [persons(100, 5, (3,) * 6, kept=0.0, seed=seed).design_effect for seed in range(20)]
    assert max(fresh) < 1.1
    of_time = [with_units(series(seed=seed), np.arange(300) // 14, 14).design_effect for seed in range(20)]
    assert 3.4 < np.mean(of_time) < 4.8  # 1 + 2 Σ 0.8^(2 l) = 4.6, less what 300 rows do not show


def test_nothing_depends_on_the_order_of_columns_or_of_the_rows_of_clusters():
    data = persons()
    order = np.random.default_rng(0).permutation(data.n_rows)
    turned = data.take(order).select(data.names[::-1])
    assert turned.design_effect == data.design_effect
    one, other = (bn.edge_posterior(table, effort=bn.posterior.Effort(n_bags=2)) for table in (data, turned))
    assert np.array_equal(other.probability[::-1, ::-1], one.probability)


def test_no_result_depends_on_the_number_of_workers(one_worker):
    data = persons()
    assert np.array_equal(*(learned(data, bn.Bootstrap(12), used).confidence for used in (None, one_worker)))


def test_whole_clusters_are_drawn():
    data = persons(visits=3)
    of_distinct = [np.bincount(data.distinct_row_of[data.dependent.of_row == c], minlength=data.multiplicities.size)
                   for c in range(40)]  # fmt: skip
    rng = np.random.default_rng(1)
    for draw, n_rows in ((drawn_with, 120), (drawn_with, 240), (drawn_without, 30)):
        weights = draw(data, n_rows, rng)
        assert weights.sum() == n_rows
        times = np.linalg.lstsq(np.array(of_distinct, dtype=float).T, weights, rcond=None)[0]
        assert np.array(of_distinct).T @ times.round() == pytest.approx(weights)
        assert times.round().sum() == n_rows / 3


def test_blocks_of_neighbouring_rows_are_drawn():
    """A column that numbers the rows shows which are drawn; each is as likely as another."""
    codes = np.column_stack([np.arange(60), np.zeros(60, dtype=int)])
    data = with_units(make_data(codes, (60, 2)), np.arange(60) // 6, 6)
    weights = np.array([drawn_with(data, 60, np.random.default_rng(seed)) for seed in range(400)])
    assert (weights.sum(axis=1) == 60).all()
    alone = (weights > 0) & (np.roll(weights, 1, axis=1) == 0) & (np.roll(weights, -1, axis=1) == 0)
    assert not alone.any()
    assert np.abs(weights.mean(axis=0) - 1.0).max() < 5 * np.sqrt(1 / 400)  # 5 standard errors: 60 × 6e-7


def test_jackknife_leaves_out_a_cluster_at_a_time():
    data = persons(visits=3)
    jackknife = bn.Jackknife()
    assert jackknife.n_replicates(data) == 40
    left = [data.multiplicities - jackknife.replicate(data, number, None).weights for number in range(40)]
    assert {int(one.sum()) for one in left} == {3}
    assert np.array_equal(np.sum(left, axis=0), data.multiplicities)


def test_predictive_bootstrap_draws_the_rows_that_these_are_worth():
    data = persons()
    (rng,) = replicate_generators(0, 1)
    drawn = PredictiveBootstrap(1, np.zeros((1, 4, 4), dtype=int)).replicate(data, 0, rng)
    assert drawn.data.n_rows == data.effective_rows < data.n_rows
    assert drawn.data.design_effect == 1.0


def test_shuffled_copies_keep_clusters_together():
    """A column of the person's own state has it in all visits after its persons have changed places, too."""
    data = persons(visits=5, kept=1.0, arities=(2, 3, 2, 4))
    own = with_units(data, data.dependent.of_row)
    seen = []
    check_copies(own, lambda table, seed, tell: seen.append(table) or 0, 2)
    assert len(seen) == 2  # none is rotated: the order of the rows means nothing
    for table in seen:
        assert table.design_effect > 4.0
        assert not np.array_equal(table.codes, own.codes)


def test_clusters_and_blocks_of_a_frame():
    data, ordinary = persons(), persons().to_frame()
    frame = ordinary.assign(person=[f"p{k}" for k in data.dependent.of_row])
    read = bn.Dataset.from_frame(frame, clusters="person")
    assert read.names == data.names
    assert (read.design_effect, read.digest != bn.Dataset.from_frame(ordinary).digest) == (data.design_effect, True)
    assert bn.Dataset.from_frame(frame.assign(person=range(160)), clusters="person").dependent is None
    assert bn.Dataset.from_frame(ordinary, blocks=4).dependent.n_units == 40
    assert bn.Dataset.from_frame(ordinary, blocks=1).dependent is None
    assert bn.Dataset.from_frame(ordinary).rows_taken == "Rows are taken as independent of each other."
    assert read.rows_taken.startswith("160 rows of 40 units are worth ")


def test_random_walks_are_refused_as_a_series():
    """Six walks have no effective rows; stationary columns do. Of 1,000 walks, 77 % of tables of six are recognized."""
    steps = np.random.default_rng(5).normal(size=(300, 6))
    walks = pd.DataFrame(np.cumsum(steps, axis=0), columns=list("abcdef")).apply(lambda c: pd.qcut(c, 3, labels=False))
    with pytest.raises(bn.DataError, match="drift like random walks"):
        bn.Dataset.from_frame(walks, blocks=20)
    differences = pd.DataFrame(steps, columns=list("abcdef")).apply(lambda c: pd.qcut(c, 3, labels=False))
    assert bn.Dataset.from_frame(differences, blocks=20).design_effect < 1.3


def test_missing_cells_of_clusters_count_as_much():
    data = persons()
    holes = np.random.default_rng(0).random(data.codes.shape) < 0.1
    holed = bn.Dataset(data.names, data.states, np.where(holes, 65_535, data.codes), dependent=data.dependent)
    assert 1.0 < holed.design_effect < data.design_effect
    for way in ("drawn", "complete_families"):
        found = learned(holed.with_missing(way), bn.Bootstrap(2))
        assert found.n_graphs == 2
    completed = bn.prediction.draw_missing(bn.fit(data, []), holed)
    assert completed.design_effect == holed.design_effect
    assert holed.with_missing("listwise").dependent.n_units <= 40


def test_tables_without_clusters_are_learned_from_as_before(mixed):
    """A cluster for each row changes nothing, to the last digit."""
    alone = with_units(mixed, np.arange(mixed.n_rows))
    for kind in sorted(SCORES):
        one, other = (LocalScores(table, make_score(kind, mixed)) for table in (mixed, alone))
        assert [one(*family) for family in naive.all_families(4)] == [
            other(*family) for family in naive.all_families(4)
        ]


def test_the_number_of_a_visit_does_not_hide_how_alike_a_person_s_rows_are():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {name: np.repeat(rng.integers(0, 2, 60), 5) for name in "abc"} | {"person": np.repeat(range(60), 5)}
    )
    alone = bn.Dataset.from_frame(frame, clusters="person")
    beside = bn.Dataset.from_frame(frame.assign(visit=[*range(5)] * 60), clusters="person")
    assert beside.design_effect == alone.design_effect
    assert alone.design_effect > 4
