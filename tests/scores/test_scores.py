"""Every score against its definition."""

import gzip
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores._count_terms import LARGEST_TABULATED
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from tests import naive, naive_orders
from tests.strategies import dags, datasets, families, make_data, make_score


def any_score(data):
    """Every score of the registry with its settings varied, plain, corrected and with a structure prior."""
    with_ess = [kind for kind in sorted(SCORES) if hasattr(SCORES[kind], "ess")]
    ess = st.sampled_from([0.01, 0.5, 1.0, 10.0])
    plain = st.one_of(
        st.sampled_from(sorted(SCORES)).map(lambda kind: make_score(kind, data)),
        st.builds(lambda kind, ess: make_score(kind, data, ess=ess), st.sampled_from(with_ess), ess),
    )
    return st.one_of(
        plain,
        st.builds(bn.teaching.LeadingCorrection, plain, st.sampled_from([0.0, 0.5, 1.5])),
        st.builds(bn.WithPrior, plain, st.sampled_from([0.0, 0.7]), st.booleans()),
    )


@pytest.mark.slow
@given(datasets(max_variables=4, max_rows=60, max_arity=4), st.data())
def test_local_scores_against_naive(data, draws):
    score = draws.draw(any_score(data))
    child, parents = draws.draw(families(data))
    expected = naive.local_score(score, data, child, parents)
    assert LocalScores(data, score)(child, parents) == pytest.approx(expected, abs=1e-9, rel=1e-11)


#: Blocks keep the given data's floor and indicators in a resample; ``test_blocks`` has the definition.
COUNTED = sorted(kind for kind in SCORES if kind != "gaussian")


@pytest.mark.parametrize("kind", COUNTED)
@pytest.mark.parametrize("wrapped", [False, True])
def test_every_score_of_a_resample_against_naive(kind, wrapped, mixed):
    """A state or configuration that the resample has lost still counts, as if its rows had been copied."""
    score = make_score(kind, mixed)
    if wrapped:
        score = bn.teaching.LeadingCorrection(bn.WithPrior(bn.teaching.LeadingCorrection(score, 0.25), 0.7, True))
    rows = np.random.default_rng(4).integers(0, 20, 40)
    scores = LocalScores(mixed, score)
    scores.reweigh(np.bincount(mixed.distinct_row_of[rows], minlength=mixed.multiplicities.size).astype(np.int32))
    copied = mixed.take(rows)
    for child, parents in [(0, []), (1, [0]), (2, [0, 1]), (3, [1, 2])]:
        expected = naive.local_score(score, copied, child, parents)
        assert scores(child, parents) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", COUNTED)
def test_scores_that_are_asked_for_again_are_the_same_to_the_last_digit_invariant(kind, asia):
    """Otherwise a replicate could depend on what its worker learned from before."""
    scores, wanted = LocalScores(asia, make_score(kind, asia)), np.arange(8) > 1
    first, again = (scores.with_one_more(0, [1], wanted) for _ in range(2))
    assert (first == again).all()


@pytest.mark.slow
@given(datasets(min_variables=4, max_variables=4, max_rows=60, max_arity=3), dags(4), st.sampled_from(sorted(SCORES)))
def test_graph_score_is_the_sum_of_its_families_invariant(data, dag, kind):
    score = make_score(kind, data)
    edges = [(data.names[i], data.names[j]) for i, j in np.argwhere(dag)]
    families_ = [([data.names[p] for p in naive.parents_in(dag, v)], data.names[v]) for v in range(4)]
    total = sum(bn.local_score(data, child, parents, score) for parents, child in families_)
    assert bn.score(data, edges, score) == pytest.approx(total, abs=1e-9)
    assert bn.score(data, edges, score) == pytest.approx(naive.graph_score(score, data, dag), abs=1e-9)


@pytest.mark.slow
def test_counts_beyond_the_table_against_naive():
    """Counts above LARGEST_TABULATED are computed, not looked up: a mistake would be an overrun, not a rounding."""
    data = make_data([2, 3], 3 * LARGEST_TABULATED + 11, seed=2, dependence=0.1)
    for kind in ("bic", "bdeu", "k2"):  # one of each form of a count's function; the oracle of regrets takes minutes
        score = make_score(kind, data)
        for child, parents in [(0, []), (1, []), (1, [0])]:
            expected = naive.local_score(score, data, child, parents)
            assert LocalScores(data, score)(child, parents) == pytest.approx(expected, abs=1e-6, rel=1e-12)


def guarded(function):
    """A count function of one row whose table lies in a larger array full of tens; and that array."""
    around = np.full(function.values.size + 64, 10.0)
    values = around[: function.values.size].reshape(function.values.shape)
    values[:] = np.nan
    return function._replace(values=values), around


@pytest.mark.parametrize("n_rows", [LARGEST_TABULATED - 1, LARGEST_TABULATED, LARGEST_TABULATED + 1])
def test_counts_at_the_edge_of_the_table_against_naive(n_rows):
    data = bn.Dataset(("x",), (("a", "b"),), np.zeros((n_rows, 1), dtype=int))
    assert LocalScores(data, bn.K2Score())(0) == pytest.approx(-math.log(n_rows + 1), abs=1e-9)
    scores = LocalScores(data, bn.LogLikelihood())
    cell, around_cell = guarded(scores.context.cell)
    configuration, around_configuration = guarded(scores.context.configuration)
    around_cell[cell.values.size :] = 20.0
    scores.change(cell=cell, configuration=configuration)
    assert scores(0) == pytest.approx(0, abs=1e-9)
    assert (around_cell[cell.values.size :] == 20).all()
    assert (around_configuration[configuration.values.size :] == 10).all()


class GrowingPrior:
    """BDeu with a hundredth of the rows as its equivalent sample size."""

    name = "growing prior"

    def form(self, n_rows):
        return bn.BDeu(n_rows / 100).form(n_rows)


def test_a_prior_that_grows_with_the_rows_is_that_of_the_resample(asia):
    scores = LocalScores(asia, GrowingPrior())
    families = [(v, [p for p in (0, 1) if p != v]) for v in range(4)]
    given = [scores(*family) for family in families]
    for times in (2, 1):
        scores.reweigh((times * asia.multiplicities).astype(np.int32))
        copied = asia.take(np.tile(np.arange(asia.n_rows), times))
        expected = [naive.bdeu(copied, *family, copied.n_rows / 100) for family in families]
        assert [scores(*family) for family in families] == pytest.approx(expected)
    assert [scores(*family) for family in families] == given


ARITIES = [2, 3, 4, 2]


def prior_over(data, seed, edge_share=0.6):
    """A random prior network over the data's variables and states."""
    return naive_orders.random_network(np.random.default_rng(seed), data.arities.tolist(), edge_share)


def uniform_over(data):
    tables = tuple(np.full((1, arity), 1 / arity) for arity in data.arities)
    return bn.BayesianNetwork(data.names, data.states, ((),) * data.n_variables, tables, "uniform")


@pytest.fixture(scope="module", params=[8, 60])
def sparse(request):
    """Few rows, so that most configurations are unseen; some declared states are, too."""
    data = make_data(ARITIES, request.param, seed=15, unseen=0.6)
    assert (data.codes.max(axis=0) + 1 < data.arities).any()
    return data


# Markov equivalence


def spread_within_classes(score, data):
    """Largest difference of the score between Markov-equivalent graphs, over all 543 DAGs on four variables."""
    table = naive_orders.engine_table(score, data)

    def total(dag):
        return sum(table[v, sum(1 << p for p in naive.parents_in(dag, v))] for v in range(4))

    classes = naive.equivalence_classes(naive.all_dags(4))
    assert len(classes) == 185  # Andersson, Madigan & Perlman (1997)
    return max(max(map(total, dags)) - min(map(total, dags)) for dags in classes)


EQUIVALENT = [
    *(bn.LogLikelihood(), bn.AIC(), bn.BIC(), bn.BDeu(1), bn.BDeu(10), bn.QNML()),
    *(bn.BDe("asia", 0.5), bn.BDe("asia", 20), bn.WithPrior(bn.QNML(), edge_penalty=2.0, uniform_parent_sizes=True)),
]


@pytest.mark.parametrize("score", EQUIVALENT, ids=lambda score: score.name)
def test_equal_on_equivalent_graphs_against_theory(sparse, score):
    """Turning a covered edge swaps the sizes of two parent sets, so what depends on sizes only stays the same."""
    score = bn.BDe(prior_over(sparse, 1), score.ess) if isinstance(score, bn.BDe) else score
    assert spread_within_classes(score, sparse) < 1e-9


@pytest.mark.parametrize(
    "score",
    [bn.FNML(), bn.BDs(10), bn.WithPrior(bn.BDs(1), uniform_parent_sizes=True), bn.K2Score()],
    ids=lambda score: score.name,
)
def test_the_others_tell_equivalent_graphs_apart_against_theory(sparse, score):
    """The negative control: what the tests above could see."""
    assert spread_within_classes(score, sparse) > 1e-3


def test_qnml_is_equal_on_equivalent_graphs_beyond_the_exact_regrets_against_theory():
    """Five variables of eight states: 32,768 joint configurations, so that both forms of the regret take part."""
    data = make_data([8, 8, 8, 8, 8], 120, seed=3)
    names = data.names
    chain = list(itertools.pairwise(names))
    full = list(itertools.combinations(names, 2))
    for edges in (chain, full):
        turned = [(child, parent) for parent, child in edges]
        assert bn.score(data, edges, bn.QNML()) == pytest.approx(bn.score(data, turned, bn.QNML()), abs=1e-8)


# BDe and its prior network


@pytest.mark.parametrize("ess", [0.2, 1, 50])
def test_uniform_prior_network_gives_bdeu_against_theory(sparse, ess):
    bde, bdeu = LocalScores(sparse, bn.BDe(uniform_over(sparse), ess)), LocalScores(sparse, bn.BDeu(ess))
    for child, parents in naive.all_families(4):
        assert bde(child, parents) == pytest.approx(bdeu(child, parents), abs=1e-9)


def test_columns_states_and_further_variables_of_the_prior_may_be_ordered_otherwise_invariant(sparse):
    """The data's columns and states by name; a variable of the prior alone is summed out."""
    prior = prior_over(sparse, 6)
    columns = [sparse.names[v] for v in (2, 0, 3)]
    picked = sparse.select(columns)
    reversed_states = tuple(states[::-1] for states in picked.states)
    turned = bn.Dataset(picked.names, reversed_states, picked.arities - 1 - picked.codes.astype(int))
    plain, same = LocalScores(sparse, bn.BDe(prior, 7)), LocalScores(turned, bn.BDe(prior, 7))
    for child, parents in naive.all_families(3):
        original = [sparse.index(columns[p]) for p in parents]
        assert same(child, parents) == pytest.approx(plain(sparse.index(columns[child]), original), abs=1e-9)


IMPOSSIBLE = bn.BayesianNetwork(
    ("a", "b", "c"),
    (("0", "1"),) * 3,
    ((), (0,), ()),
    (np.array([[0.5, 0.5]]), np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.5, 0.5]])),
    "a and never b",
)
AGAINST_IT = bn.Dataset(IMPOSSIBLE.names, IMPOSSIBLE.states, [[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1], [1, 1, 0]])


def test_what_neither_data_nor_prior_show_costs_nothing_against_the_explicit_joint():
    shown = AGAINST_IT.take([0, 1, 2])
    scores = LocalScores(shown, bn.BDe(IMPOSSIBLE, 2))
    for child, parents in naive.all_families(3):
        expected = naive.local_score(bn.BDe(IMPOSSIBLE, 2), shown, child, parents)
        assert scores(child, parents) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", sorted(SEARCHES))
def test_no_search_ends_with_what_the_prior_holds_for_impossible_invariant(kind):
    found = bn.learn(AGAINST_IT, bn.BDe(IMPOSSIBLE, 2), SEARCHES[kind]())
    assert math.isfinite(found.score)
    assert found.score == pytest.approx(bn.score(AGAINST_IT, found.edges, bn.BDe(IMPOSSIBLE, 2)), abs=1e-9)


# What is refused


@pytest.mark.parametrize("suffix", ["bif", "BIF", "Bif.gz", "BIF.GZ"])
def test_a_prior_network_is_read_from_a_file_whatever_the_case_of_its_suffix(tmp_path, suffix):
    path, network = tmp_path / f"mine.{suffix}", bn.load_network("cancer")
    bn.write_bif(network, path)
    if suffix.lower().endswith("gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    data = network.sample(50, rng=1)
    assert bn.score(data, [], bn.BDe(str(path))) == bn.score(data, [], bn.BDe("cancer"))
    assert bn.BDe(str(path)).network.title == "mine"


def test_errors_of_a_prior_network_name_what_does_not_match(sparse):
    prior = prior_over(sparse, 1)
    stranger = bn.Dataset(("v0", "z"), sparse.states[:2], sparse.codes[:, :2])
    with pytest.raises(ValueError, match="the prior network has no variable 'z'; it has v0, v1, v2, v3"):
        bn.score(stranger, [], bn.BDe(prior))
    states = (sparse.states[0], ("s0", "s1", "s3"), *sparse.states[2:])
    renamed = bn.Dataset(sparse.names, states, sparse.codes)
    with pytest.raises(
        ValueError, match="'v1' has the states s0, s1, s3 in the data but s0, s1, s2 in the prior network; declare"
    ):
        bn.score(renamed, [], bn.BDe(prior))


# Structure priors


def test_fair_prior_gives_each_size_the_same_mass_against_theory():
    """Over all parent sets of one child, exp(-charge) sums to 1 for each size."""
    data = make_data([2] * 6, 30, seed=1)
    plain, fair = LocalScores(data, bn.BDeu()), LocalScores(data, bn.WithPrior(bn.BDeu(), uniform_parent_sizes=True))
    for size in range(6):
        masses = [
            math.exp(fair(2, parents) - plain(2, parents)) for parents in itertools.combinations([0, 1, 3, 4, 5], size)
        ]
        assert math.fsum(masses) == pytest.approx(1, abs=1e-9)
        assert masses[0] == pytest.approx(1 / math.comb(5, size), abs=1e-9)


# What theory says of the likelihoods


def test_fnml_of_a_family_sums_to_one_over_all_columns_against_theory():
    """A normalised maximum likelihood is a distribution of the child's column given the parents' columns."""
    parents_column = [0, 0, 1, 0, 1]
    total = 0.0
    for column in itertools.product(range(3), repeat=5):
        data = bn.Dataset(("p", "x"), (("0", "1"), ("a", "b", "c")), list(zip(parents_column, column, strict=True)))
        total += math.exp(bn.local_score(data, "x", ["p"], bn.FNML()))
    assert total == pytest.approx(1, abs=1e-12)


@pytest.mark.slow
def test_qnml_of_a_full_graph_sums_to_one_over_all_tables_against_theory():
    """A full graph's qNML is the normalised maximum likelihood of the joint table."""
    total = 0.0
    for rows in itertools.product(list(itertools.product(range(2), range(3))), repeat=3):
        data = bn.Dataset(("x", "y"), (("0", "1"), ("a", "b", "c")), rows)
        total += math.exp(bn.score(data, [("x", "y")], bn.QNML()))
    assert total == pytest.approx(1, abs=1e-12)


def test_bde_is_the_probability_of_the_next_row_against_theory(sparse):
    """The score of N rows less that of N - 1 is ln of a probability: over the last row's values they sum to 1."""
    score, edges = bn.BDe(prior_over(sparse, 3), 2.5), [("v0", "v1"), ("v1", "v3"), ("v0", "v2")]
    base = bn.score(sparse.take(range(sparse.n_rows - 1)), edges, score)
    total = 0.0
    for row in np.ndindex(*sparse.arities):
        codes = np.vstack([sparse.codes[:-1], row])
        total += math.exp(bn.score(bn.Dataset(sparse.names, sparse.states, codes), edges, score) - base)
    assert total == pytest.approx(1, abs=1e-9)
