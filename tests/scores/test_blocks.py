"""Scores by blocks of features, for tables with numbers, against definitions, a peer, brute force and resamples."""

import math

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive, naive_orders

PENALTY = {"BIC": lambda n: math.log(n) / 2, "AIC": lambda n: 1.0, "log-likelihood": lambda n: 0.0}


def mixed_frame(n_rows, seed):
    """Two numbers with a curve between them, a rounded one, and two columns of states."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_rows)
    b = a**2 + rng.normal(size=n_rows)
    c = np.where(a + rng.normal(size=n_rows) > 0.3, "yes", "no")
    d = np.exp(0.6 * b + (c == "yes") + rng.normal(size=n_rows)).round(1)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": rng.choice(list("uvw"), n_rows)})


def mixed(n_rows=120, seed=1):
    return bn.Dataset.from_frame(mixed_frame(n_rows, seed), numbers=["a", "b", "d"])


@pytest.mark.parametrize("score", [bn.BIC(), bn.AIC(), bn.LogLikelihood(), bn.GaussianBIC()], ids=lambda s: s.name)
def test_every_family_against_the_definition(score):
    data = mixed()
    scores, degree = LocalScores(data, score), getattr(score, "degree", 1)
    penalty = PENALTY.get(score.name, PENALTY["BIC"])(data.n_rows)
    for child, parents in naive.all_families(5):
        expected = naive.gaussian(data, child, parents, degree, penalty)
        assert scores(child, parents) == pytest.approx(expected, abs=1e-6)
        others = ~np.isin(np.arange(5), [child, *parents])
        with_one = scores.with_one_more(child, parents, others)
        for v in np.flatnonzero(others).tolist():
            assert with_one[v] == pytest.approx(scores(child, [*parents, v]), abs=1e-8)


def test_corrections_and_priors_are_those_of_every_score():
    data, family = mixed(), ("d", ["b", "c"])
    plain = bn.local_score(data, *family, bn.GaussianBIC())
    size = naive.of_blocks(data, [3, 1, 2], 2)[1] - naive.of_blocks(data, [1, 2], 2)[1]
    corrected = bn.local_score(data, *family, bn.teaching.LeadingCorrection(bn.GaussianBIC()))
    assert plain - corrected == pytest.approx(size / 2)
    assert plain - bn.local_score(data, *family, bn.WithPrior(bn.GaussianBIC(), 0.7)) == pytest.approx(1.4)
    for score in (bn.BIC(), bn.GaussianBIC()):
        edges = [("b", "d"), ("c", "d"), ("a", "b")]
        without = bn.score(data, edges, score) - bn.score(data, edges, bn.teaching.LeadingCorrection(score))
        assert bn.teaching.n_parameters(data, edges, score) == pytest.approx(2 * without)


def test_equivalent_graphs_score_alike_whatever_their_edges():
    data = mixed()
    one = [("a", "b"), ("a", "c"), ("b", "d"), ("a", "d"), ("c", "d")]
    turned = [("b", "a"), ("a", "c"), ("b", "d"), ("a", "d"), ("c", "d")]
    for score in (bn.BIC(), bn.GaussianBIC()):
        assert bn.score(data, one, score) == pytest.approx(bn.score(data, turned, score), abs=1e-7)


def test_likelihood_gains_against_a_peer():
    """Without floors they are those of Gaussian BIC on normal scores, bnlearn's bic-g."""
    pybnlearn = pytest.importorskip("pybnlearn")
    a, b, c = np.random.default_rng(4).normal(size=(3, 200))
    numbers = pd.DataFrame({"a": a, "b": 0.5 * a + 0.5 * c + b, "c": c})
    ranks = (numbers.rank() - 0.5) / 200
    scores = ranks.apply(naive.norm.ppf)
    data = bn.Dataset.from_frame(numbers, numbers=list("abc"))

    def of_peer(model):
        return float(pybnlearn.score(pybnlearn.model2network(model), scores, type="bic-g"))

    for edges, model in ([("a", "b")], "[a][c][b|a]"), ([("a", "b"), ("c", "b")], "[a][c][b|a:c]"):
        gain = bn.score(data, edges, bn.BIC()) - bn.score(data, [], bn.BIC())
        # a floor of about 1.2 / N of each variance takes about 1.2 r² / (1 - r²) nats
        assert gain == pytest.approx(of_peer(model) - of_peer("[a][b][c]"), rel=0.02)


def test_weights_are_repeated_rows():
    data = mixed()
    weights = np.random.default_rng(2).multinomial(data.n_rows, np.full(data.n_rows, 1 / data.n_rows)).astype(np.int32)
    scores = LocalScores(data, bn.GaussianBIC())
    scores.reweigh(weights)
    blocks = [naive.block(data, v, 2) for v in (3, 1)]
    rows = np.repeat(np.hstack([features for features, _ in blocks]), weights, axis=0)
    floor = np.diag(np.zeros(4))
    for place, (_, own) in zip((0, 2), blocks, strict=True):
        floor[place : place + 2, place : place + 2] = own
    covariance = np.cov(rows.T, bias=True) + floor
    n, log_det = len(rows), lambda part: np.linalg.slogdet(part)[1]
    fit = -n / 2 * (log_det(covariance) - log_det(covariance[2:, 2:]) + 2 * (1 + math.log(2 * math.pi)))
    assert scores(3, [1]) == pytest.approx(fit - math.log(n) / 2 * (2 + 4 + 3), abs=1e-7)


def test_interventions_leave_out_the_rows_in_which_the_child_was_set():
    frame = mixed_frame(150, 3)
    frame["set"] = np.where(np.arange(150) % 3 == 0, "a", "")
    data = bn.Dataset.from_frame(frame, numbers=["a", "b", "d"], interventions="set")
    scores = LocalScores(data, bn.BIC())
    features = np.hstack([naive.block(data, v, 1)[0] for v in (0, 1)])
    floor = np.diag([naive.block(data, v, 1)[1][0, 0] for v in (0, 1)])
    for child, kept in ((0, np.arange(150) % 3 > 0), (1, np.ones(150, dtype=bool))):
        covariance, n = np.cov(features[kept].T, bias=True) + floor, int(kept.sum())
        given = np.linalg.det(covariance) / covariance[1 - child, 1 - child]
        expected = -n / 2 * (math.log(given) + 1 + math.log(2 * math.pi)) - 3 * math.log(n) / 2
        assert scores(child, [1 - child]) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_the_exact_searches_find_the_best_of_all_graphs_over_five_variables(seed):
    """Bounds on counts do not hold here: "optimal" must be true under a penalty that is large, small or none."""
    data, score = mixed(40, seed), [bn.BIC(), bn.LogLikelihood(), bn.GaussianBIC()][seed % 3]
    table = naive_orders.engine_table(score, data)
    some = naive_orders.random_constraints(np.random.default_rng(seed), data.names)
    for constraints in (bn.Constraints(max_parents=2), some):
        masks = naive_orders.legal_masks(5, constraints.resolve(data.names))
        found = bn.learn(data, score, bn.Exact(), constraints=constraints)
        assert found.status == "optimal"
        assert found.score == pytest.approx(naive_orders.totals(masks, table).max(), abs=1e-7)
    masks = naive_orders.legal_masks(5, bn.Constraints(max_parents=3).resolve(data.names))
    found = bn.learn(data, score, bn.FixedOrdering(data.names, 3))
    forward = masks[naive_orders.fits(masks, range(5))]
    assert found.score == pytest.approx(naive_orders.totals(forward, table).max(), abs=1e-7)


def test_nothing_depends_on_the_order_of_columns_or_the_number_of_workers(one_worker):
    frame = mixed_frame(100, 5)
    numbers, turned = ["a", "b", "d"], frame[list("dbeca")]
    one, other = (bn.Dataset.from_frame(each, numbers=numbers) for each in (frame, turned))
    score, search = bn.GaussianBIC(), bn.IteratedLocalSearch()
    few = bn.resample(one, score, search, bn.Bootstrap(20), "leading", rng=2, executor=one_worker)
    many = bn.resample(other, score, search, bn.Bootstrap(20), "leading", rng=2)
    assert (many.confidence[np.ix_([4, 1, 3, 0, 2], [4, 1, 3, 0, 2])] == few.confidence).all()
    assert sorted(bn.learn(one, score).edges) == sorted(bn.learn(other, score).edges)


@pytest.mark.parametrize(("kind", "n_parameters"), [("normal", 2), ("skewed", 2), ("states", 3), ("squares", 8)])
def test_the_papers_correction_holds_for_blocks(kind, n_parameters):
    """Resamples gain half a nat a parameter more than the data: 30 tables, the mean within 4 standard errors.

    False alarms: 1 in 8,000 (Student's t with 29 degrees of freedom beyond 4.5, since 10 % of the bias is left out).
    """
    rng, excess = np.random.default_rng(7), []
    score = bn.GaussianBIC(2) if kind == "squares" else bn.BIC()
    for _ in range(30):
        c, a, b = rng.normal(size=(3, 200))
        frame = pd.DataFrame({"a": a, "b": b, "c": c + 0.2 * a + 0.2 * b})
        if kind == "skewed":
            frame = np.exp(frame)
        if kind == "states":
            frame = frame.assign(a=pd.cut(a, [-9, -0.5, 0.5, 9]).codes, b=np.where(b > 0, "x", "y"))
        data = bn.Dataset.from_frame(frame, numbers=[name for name in "abc" if kind != "states" or name == "c"])
        scores, times = LocalScores(data, score), data.multiplicities
        of_data = scores(2, [0, 1]) - scores(2)
        gains = []
        for _ in range(50):
            scores.reweigh(rng.multinomial(200, times / 200).astype(np.int32))
            gains.append(scores(2, [0, 1]) - scores(2))
        excess.append(np.mean(gains) - of_data)
    mean, error = np.mean(excess), np.std(excess, ddof=1) / math.sqrt(30)
    assert error < 0.1 * n_parameters
    assert abs(mean - n_parameters / 2) < 4 * error + 0.05 * n_parameters


def test_coincidences_of_rare_states_gain_no_more_than_those_of_common_ones():
    """Without a floor 3 % gain more than 3 nats, with it 0.3 %, which are more than 4 of 300 in 1 of 400 runs."""
    rng, gains = np.random.default_rng(3), []
    for _ in range(300):
        x, y = (np.isin(np.arange(300), rng.choice(300, 3, replace=False)) for _ in range(2))
        scores = LocalScores(bn.Dataset.from_frame(pd.DataFrame({"x": x, "y": y})), bn.GaussianBIC())
        gains.append(scores(1, [0]) - scores(1))
    assert np.mean(np.array(gains) > 3.0) <= 0.015


@pytest.mark.parametrize(("shared", "low", "high"), [(2, -20, 0), (9, 15, 40)])
def test_coincidences_among_many_zeros_are_worth_little(shared, low, high):
    """Nine rows of 300 are not 0 in either column; two in common gained 16 nats where squares had almost no floor."""
    x, y = np.zeros((2, 300))
    x[:9], y[9 - shared : 18 - shared] = np.arange(1, 10), np.arange(9, 0, -1)
    scores = LocalScores(bn.Dataset.from_frame(pd.DataFrame({"x": x, "y": y}), numbers=["x", "y"]), bn.GaussianBIC())
    assert low < scores(1, [0]) - scores(1) < high


def test_outliers_and_units_do_not_matter():
    frame = mixed_frame(60, 2)
    wild = frame.assign(a=np.exp(9 * frame["a"]), b=1e6 * frame["b"] - 3)
    wild.loc[wild["d"].idxmax(), "d"] = 1e12
    one, other = (
        LocalScores(bn.Dataset.from_frame(f, numbers=["a", "b", "d"]), bn.GaussianBIC()) for f in (frame, wild)
    )
    assert [one(v, [0, 1][: v + 1]) for v in (2, 3, 4)] == [other(v, [0, 1][: v + 1]) for v in (2, 3, 4)]


def test_a_rounded_copy_gains_a_bounded_amount_and_a_column_that_a_resample_makes_constant_none():
    rng = np.random.default_rng(4)
    a = rng.normal(size=300)
    few = np.zeros(300)
    few[7] = 1.0
    frame = pd.DataFrame({"a": a, "copy": a.round(3), "few": few, "half": np.where(rng.random(300) < 0.5, 0.0, a)})
    data = bn.Dataset.from_frame(frame, numbers=list(frame))
    scores = LocalScores(data, bn.BIC())
    assert 300 < scores(1, [0]) - scores(1) < 150 * math.log(300)  # a floor of 1 / N and more; without one 2,449
    assert scores(3, [0]) - scores(3) > 10
    weights = np.ones(300, dtype=np.int32)
    weights[[7, 8]] = 0, 2
    scores.reweigh(weights)
    assert scores(0, [2]) - scores(0) == pytest.approx(-math.log(300) / 2, abs=0.01)  # the price of its coefficient
    assert np.isfinite(scores(2, [0, 1, 3]))


def test_families_with_as_many_features_as_rows_are_no_evidence():
    """Two columns that number the rows, as country and year in a panel, and numbers that depend on neither."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"country": np.repeat([*"abcdefghijkl"], 3), "year": [*range(3)] * 12})
    frame[["x", "y"]] = rng.normal(size=(36, 2))
    data = bn.Dataset.from_frame(frame.astype({"year": str}), numbers=["x", "y"])
    for found in (bn.learn(data, bn.GaussianBIC()).adjacency, bn.learn(data, bn.AIC()).adjacency):
        assert not found[0, 2:].any()
        assert not found[2:, 0].any()
    assert bn.edge_posterior(data, effort=bn.posterior.Effort(n_bags=2)).pair_probability.max() < 0.5


def test_copies_sums_and_constants_are_scored():
    frame = mixed_frame(80, 2)
    frame = frame.assign(copy=frame["a"], total=frame["a"] + frame["b"], one=1.0)
    data = bn.Dataset.from_frame(frame, numbers=["a", "b", "d", "copy", "total", "one"])
    graph = bn.learn(data, bn.GaussianBIC())
    assert np.isfinite(graph.score)
    assert graph.adjacency[0, 5] or graph.adjacency[5, 0]
    assert not graph.adjacency[7].any()
    assert not graph.adjacency[:, 7].any()


@pytest.mark.parametrize("score", [bn.BDeu(1), bn.K2Score(), bn.FNML(), bn.QNML()], ids=lambda s: s.name)
def test_scores_that_need_states_say_so(score):
    with pytest.raises(bn.DataError, match="needs states, but these columns are kept as numbers: a, b, d; use BIC"):
        bn.learn(mixed(), score)


def test_rows_that_depend_on_each_other_count_as_the_rows_they_are_worth():
    once = mixed_frame(40, 6)
    repeated = pd.concat([once] * 5).assign(person=[*range(40)] * 5)
    data = bn.Dataset.from_frame(repeated, numbers=["a", "b", "d"], clusters="person")
    assert data.effective_rows == pytest.approx(40, abs=8)
    gains = [
        bn.local_score(rows, "b", ["a"], bn.GaussianBIC()) - bn.local_score(rows, "b", [], bn.GaussianBIC())
        for rows in (data, bn.Dataset.from_frame(once, numbers=["a", "b", "d"]))
    ]
    assert gains[0] == pytest.approx(gains[1], rel=0.3)


def test_a_variable_that_is_in_the_family_reaches_no_memory_of_others():
    data = mixed()
    scores = LocalScores(data, bn.GaussianBIC())
    assert np.isfinite(scores(1, [0, 0, 1, 4, 4]))
    every = np.ones(5, dtype=np.bool_)
    assert scores.with_one_more(1, [0, 2, 3, 4], every)[1] == -np.inf
    assert np.isfinite(scores.with_one_more(1, [], every)).tolist() == [True, False, True, True, True]


def test_features_that_do_not_fit_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr("bnengine.data.blocks.free_bytes", lambda: 1_000)
    with pytest.raises(bn.DataError, match=r"different rows need .*; take fewer rows, .* data\.cut\(3\)"):
        bn.learn(mixed(), bn.GaussianBIC())


def test_moments_are_added_up_in_parts(monkeypatch):
    data = mixed()
    whole = LocalScores(data, bn.GaussianBIC())
    monkeypatch.setattr("bnengine.data.blocks._AT_ONCE", 7)
    assert LocalScores(data, bn.GaussianBIC())(3, [1, 2]) == pytest.approx(whole(3, [1, 2]), abs=1e-8)


def test_a_method_that_draws_from_tables_of_probabilities_says_what_to_do():
    network = bn.fit(mixed().cut(), [])
    with pytest.raises(ValueError, match=r"leave out network, .* data\.cut\(3\)"):
        bn.resample(mixed(), resampler=bn.ParametricBootstrap(2, network))
