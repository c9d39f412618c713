"""Parents that gain only together: found by the default search, by replicates and by the sampled posterior."""

import itertools

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.search import _joint_sets
from bnengine.search._joint_sets import QUICK, joint_sets
from bnengine.search.learning import joint_sets_of

N_BLOCKS = 7


def blocks(seed, deterministic=False, n_rows=800):
    """Seven exclusive ors of three fair coins, 5 % of them wrong, and two columns: coins, or ors of two coins."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, (N_BLOCKS, 3, n_rows))
    wrong = rng.random((N_BLOCKS, n_rows)) < 0.05
    columns = [row for three, off in zip(coins, wrong, strict=True) for row in (*three, three.sum(axis=0) % 2 ^ off)]
    columns += [coins[k, 0] ^ coins[k, 1] if deterministic else rng.integers(0, 2, n_rows) for k in range(2)]
    names = (*(f"v{k}{place}" for k in range(N_BLOCKS) for place in range(4)), "e0", "e1")
    return bn.Dataset(names, (("0", "1"),) * len(names), np.column_stack(columns).astype(np.uint16))


TRUE_EDGES = [(f"v{k}{place}", f"v{k}3") for k in range(N_BLOCKS) for place in range(3)]


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_default_search_reaches_the_true_graph_of_blocks_that_no_pair_shows(seed, deterministic):
    data = blocks(seed, deterministic)
    exact = [(f"v{k}{place}", f"e{k}") for k in range(2) for place in range(2)]
    for score in (bn.BIC(), bn.BDeu(1)):
        true = bn.score(data, TRUE_EDGES + exact * deterministic, score)
        assert bn.learn(data, score, rng=seed).score >= true


def test_the_graph_of_blocks_is_within_a_nat_of_the_best_against_the_certificate():
    data = blocks(5)
    found = bn.learn(data, bn.BIC())
    proved = bn.answers.certify(data, bn.BIC(), found)
    assert proved.status == "optimal"
    assert proved.graph.score - found.score < 1.0


def test_replicates_find_what_no_pair_shows():
    data = blocks(1)
    made = bn.resample(data, bn.BIC(), bn.IteratedLocalSearch(), bn.Bootstrap(12), "leading", rng=1)
    for k in range(N_BLOCKS):
        first = data.names.index(f"v{k}0")
        joined = made.adjacencies[:, first : first + 4, first : first + 4]
        assert (joined.sum(axis=(1, 2)) >= 3).all()
        assert len(np.unique(joined, axis=0)) > 1  # the four are alike: none is the child in every replicate


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "deterministic"), [(0, False), (0, True), (1, False), (1, True)])
def test_real_of_two_seeds_agrees_or_a_warning_names_the_edge(seed, deterministic):
    data = blocks(seed, deterministic)
    one, two = (bn.edge_posterior(data, bn.FNML(), rng=rng) for rng in (0, 1))
    apart = abs(one.pair_probability - two.pair_probability)
    told = f"{one.warning} {two.warning}"
    far = apart > 2 * np.hypot(one.pair_error, two.pair_error) + 0.02
    for i, j in np.argwhere(np.triu(far)):
        assert f"{data.names[i]} – {data.names[j]}" in told


@pytest.mark.thorough
@pytest.mark.slow
def test_parents_that_gain_only_together_are_real():
    """In each block of four, of which any one is the parity of the rest, two pairs at least, whatever the seed."""
    data = blocks(1)
    for rng in (0, 1):
        pairs = bn.edge_posterior(data, effort=bn.posterior.Effort(n_bags=2), rng=rng).pair_probability
        for k in range(N_BLOCKS):
            first = data.names.index(f"v{k}0")
            assert pairs[first : first + 4, first : first + 4].sum() / 2 > 2.5


def test_every_joint_set_of_a_small_table_is_found_against_all_families():
    """Three states of each of four variables, the last of them the sum of the others modulo three."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, (500, 5))
    codes[:, 3] = codes[:, :3].sum(axis=1) % 3
    data = bn.Dataset(tuple("abcde"), (("0", "1", "2"),) * 5, codes.astype(np.uint16))
    scores = LocalScores(data, bn.BIC())
    found = joint_sets(scores, bn.Constraints().resolve(data.names))
    listed = {(c, tuple(np.flatnonzero(p))) for c, p in zip(found.children.tolist(), found.parents, strict=True)}
    best = set()
    for child, size in itertools.product(range(5), (2, 3)):
        for members in itertools.combinations([v for v in range(5) if v != child], size):
            if scores(child, members) > scores(child) and size == 3:
                best.add((child, members))
    assert listed == best
    assert len(best) == 4


def test_constraints_hold_for_joint_sets():
    data = blocks(4)
    constraints = bn.Constraints(required=[("v03", "v02"), ("e0", "v13")], forbidden=[("v20", "v23")], max_parents=3)
    edges = set(bn.learn(data, bn.BIC(), constraints=constraints).edges)
    assert set(constraints.required) <= edges
    assert not set(constraints.forbidden) & edges
    sets = joint_sets_of(data, bn.BIC(), constraints.resolve(data.names))
    two = joint_sets_of(data, bn.BIC(), constraints.resolve(data.names)._replace(max_parents=2))
    assert sets.parents.sum(axis=1).max() == 3
    assert not len(two.children) or two.parents.sum(axis=1).max() <= 2


def test_more_clear_families_than_there_is_room_for_leave_the_clearest(monkeypatch):
    data = blocks(6)
    scores, space = LocalScores(data, bn.BIC()), bn.Constraints().resolve(data.names)
    whole = joint_sets(scores, space)
    monkeypatch.setattr(_joint_sets, "_MOST_SCORED", 3)
    assert 0 < len(joint_sets(scores, space).children) <= 3 < len(whole.children)


def test_with_too_many_variables_only_pairs_are_looked_at():
    """Beyond the limit on groups of four, an exclusive or of two is found and one of three is not."""
    rng = np.random.default_rng(1)
    coins = rng.integers(0, 2, (400, 6))
    columns = np.column_stack([coins, coins[:, 0] ^ coins[:, 1], coins[:, 2] ^ coins[:, 3] ^ coins[:, 4]])
    data = bn.Dataset(tuple("abcdefgh"), (("0", "1"),) * 8, columns.astype(np.uint16))
    scores, space = LocalScores(data, bn.BIC()), bn.Constraints().resolve(data.names)
    sizes = [joint_sets(scores, space, QUICK._replace(most_fours=most)).parents.sum(axis=1) for most in (70, 69)]
    assert set(sizes[0].tolist()) == {2, 3}
    assert set(sizes[1].tolist()) == {2}
