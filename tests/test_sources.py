"""Every statement of the sources, with the function that shows it and the place on a page where it stands.

The sources are the paper (Steck & Jaakkola, NIPS 2003) and two lectures (``docs/teaching.md``). A statement is an
entry of ``STATEMENTS`` under the place where it stands: a function that calls the engine on a small seeded input, and
words that are found where the place opens. To add one, add an entry, and below ``lesson`` its place if that is new.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.experiment.paper import PUBLISHED, figure1_panel, figure1_panels
from bnengine.typing import Ensemble, Study
from pages.present.lectures import LECTURES
from pages.shared.keys import Key
from tests.pages.conftest import Visitor, arrive, compiled, first_results, visitor  # noqa: F401 (fixtures)


@dataclass(frozen=True)
class Place:
    """A section of a page, and how it is opened where the page is open."""

    page: str
    section: str
    opened: Callable[[Visitor], object] = field(compare=False)


@dataclass(frozen=True)
class Row:
    """A statement with its citation, whether the engine shows it, where it stands, and words that are found there."""

    statement: str
    holds: Callable[[], bool]
    place: Place
    words: tuple[str, ...]


def lesson(page: str, section: str, **widgets: object) -> Place:
    """A section of a lesson, its widgets set by the names of their keys."""
    values = {Key.section(page): section, **{getattr(Key, name): value for name, value in widgets.items()}}

    def opened(at: Visitor) -> None:
        for key, value in values.items():
            at.at.session_state[key] = value
        at.go(page)

    return Place(page, ", ".join([section, *map(str, widgets.values())]), opened)


NAIVE = Place("network", "Naive vs. corrected", lambda at: at.view("naive"))
TABLE_1 = Place("network", "Table 1", lambda at: at.part("methods", Key.METHODS_VIEW, "table1"))
OVERSTATED = Place("network", "Overstated edges", lambda at: at.part("methods", Key.METHODS_VIEW, "overstated"))
SPURIOUS = Place("network", "Spurious edges", lambda at: at.part("methods", Key.METHODS_VIEW, "spurious"))
LENGTHS = Place("network", "Description lengths", lambda at: at.unfold("found by"))
AVERAGED = Place(
    "predict",
    "Accuracy, averaged",
    lambda at: at.turn(Key.PREDICT_SECTION, "Accuracy").turn(Key.AVERAGING, "Averaged over networks"),
)
ACCURACY = Place("predict", "Accuracy", lambda at: at.turn(Key.PREDICT_SECTION, "Accuracy"))
PRIOR = Place("network", "Settings", lambda at: at.choose(Key.SCORE, "bde"))
TREE = Place("predict", "Edge by edge", lambda at: at.turn(Key.PREDICT_SECTION, "Edge by edge"))


def cutting_anew(at: Visitor) -> None:
    columns = tuple(bn.load_sample("regulon_raw").columns[:5])
    recipe = bn.Recipe("sample", "regulon_raw", columns=columns, discretization="quantile")
    at._arrive(**{Key.ADDRESS: bn.Experiment(recipe, n=5, recut=True).to_link()})
    at.go("network")


CUT_ANEW = Place("network", "Settings, numbers cut", cutting_anew)
THE_PAPER = Place("evidence", "The paper", lambda at: at.turn(Key.EVIDENCE, "paper"))
WHICH_METHOD = Place("evidence", "Which method is right?", lambda at: at.turn(Key.EVIDENCE, "methods"))


# Small inputs, the same for all.


@cache
def rows(name: str = "cancer", n_rows: int = 200) -> bn.Dataset:
    return bn.load_network(name).sample(n_rows, rng=1)


@cache
def ensemble(correction: str = "none", resampler: object = None) -> Ensemble:
    data = rows("asia", 300)
    return bn.resample(data, bn.BIC(), bn.HillClimbing(), resampler or bn.Bootstrap(60), correction, rng=1)


@cache
def study() -> Study:
    methods = bn.resampling_methods(200, keys=("bootstrap", "bootstrap_corrected"))
    return bn.study(rows("alarm", 300), bn.BIC(), bn.HillClimbing(), methods, rng=1)


# Whether the engine shows a statement.


def one_correction() -> bool:
    made = bn.teaching.bootstrap_information([[30, 20], [20, 30]], 50)
    return math.isclose(made.corrected, 2 * made.value - made.mean) and made.corrected < made.value < made.mean


def entropy_is_lost() -> bool:
    """By binomial sums as by resampling; four standard errors: false alarm 6e-5."""
    bias = bn.teaching.entropy_bias([20, 15, 10, 5], 2000, rng=1)
    return bias.exact < 0 and abs(bias.monte_carlo - bias.exact) < 4 * bias.monte_carlo_error


def leading_order() -> bool:
    few, many = (bn.teaching.entropy_bias([10 * k] * 4, 2) for k in (1, 100))
    return few.leading == -3 / 80 and abs(many.exact / many.leading - 1) < 0.01 < abs(few.exact / few.leading - 1)


def sample_to_truth_as_resample_to_sample() -> bool:
    made = bn.teaching.repeated_entropy([0.4, 0.3, 0.2, 0.1], 100, 20)
    resampled, plugin, *_ = made.exact_bias.tolist()
    return bool(resampled < plugin < 0) and abs(resampled / plugin - 2) < 0.05


def convex_functions_grow() -> bool:
    convex, linear, concave = (bn.teaching.jensen(name, 30, 100).bias for name in ("p²", "p", "−p ln p"))
    return convex > 0 > concave and abs(linear) < 1e-12


def corrected_twice() -> bool:
    """The exact bias of each estimate of an entropy, and a variance by drawn replicates of replicates."""
    resampled, plugin, once, twice = np.abs(bn.teaching.repeated_entropy([0.4, 0.3, 0.2, 0.1], 100, 20).exact_bias)
    drawn = bn.teaching.iterated_bootstrap(np.array([0.0, 1.0, 5.0]), np.var, n=1000).table()["value"]
    return bool(twice < once < plugin < resampled) and drawn.is_monotonic_increasing


@cache
def gap() -> pd.Series:
    """Means over 60 data sets of 1,000 rows; 21 parameters, none of which is impossible."""
    return bn.teaching.likelihood_gap(bn.load_network("survey"), [1000], 60, rng=1).table().iloc[0]


def near(column: str, expected: float) -> bool:
    """Five standard errors (false alarm 6e-7), and a tenth for the next order."""
    return abs(gap()[column] - expected) < 5 * gap()[f"{column}_se"] + 0.1 * abs(expected)


def dic_is_near_aic() -> bool:
    data, edges = rows("cancer", 5000), bn.load_network("cancer").edges
    return abs(bn.teaching.dic(data, edges) - bn.score(data, edges, bn.AIC())) < 1  # AIC's penalty is 10


def half_of_aic() -> bool:
    data, edges = rows(), bn.load_network("cancer").edges
    penalty = bn.score(data, edges, bn.LogLikelihood()) - bn.score(data, edges, bn.AIC())
    correction = bn.score(data, edges, bn.BIC()) - bn.corrected_score(data, data, edges, bn.BIC())
    return math.isclose(correction, penalty / 2)


def score_in_parts() -> bool:
    data = rows("asia", 300)
    few, many = ([("either", "xray")], [("either", "xray"), ("asia", "xray"), ("smoke", "xray")])
    fair, overfitted = (bn.teaching.decompose(data, edges, bn.BIC()).sum(numeric_only=True) for edges in (few, many))
    total = fair["dependence"] - fair["noise"] - fair["penalty"]
    grows = overfitted["dependence"] > fair["dependence"] and overfitted["score"] < fair["score"]
    return (
        math.isclose(total, bn.score(data, few, bn.BIC()))
        and math.isclose(fair["noise"], overfitted["noise"])
        and grows
    )


def prior_network_counts() -> bool:
    data, edges = rows(), bn.load_network("cancer").edges
    uniform = bn.fit(data, [], ess=1e6)
    same = math.isclose(bn.score(data, edges, bn.BDe(uniform)), bn.score(data, edges, bn.BDeu()), rel_tol=1e-3)
    own = bn.load_network("cancer")
    return same and bn.score(data, edges, bn.BDe(own, 100)) > bn.score(data, edges, bn.BDeu(100))


def g_squared_doubles() -> bool:
    """Means of 1,000 tables: standard error 0.1 and 0.2."""
    made = bn.teaching.spurious_dependence((3, 3), 200, 1000, rng=1).table().set_index("rows")
    g_squared, rejected = made["mean_g_squared"], made["found_dependent"]
    return abs(g_squared["data"] - 4) < 0.5 and abs(g_squared["bootstrap"] - 8) < 1 and rejected["bootstrap"] > 0.2


def fit_rises_by_half_a_parameter() -> bool:
    data, edges = bn.load_network("survey").sample(5000, rng=1), bn.load_network("survey").edges
    families = bn.teaching.bias_by_family(data, edges)
    return abs(families["exact"].sum() / families["leading"].sum() - 1) < 0.05


def half_is_subtracted() -> bool:
    data, edges = rows(), bn.load_network("cancer").edges
    resample = data.take(np.random.default_rng(1).integers(data.n_rows, size=data.n_rows))
    gone = bn.score(resample, edges, bn.BIC()) - bn.corrected_score(data, resample, edges, bn.BIC())
    return math.isclose(gone, 0.5 * bn.teaching.n_parameters(data, edges))


def half_is_too_much_in_sparse_tables() -> bool:
    lines = bn.teaching.bias_by_rows(bn.load_network("asia"), (100, 5000), rng=1)
    return bool((lines["exact"] < lines["leading"]).all()) and lines["exact"].is_monotonic_increasing


def naive_finds_more() -> bool:
    naive, corrected = ensemble(), ensemble("leading")
    return corrected.mean_edges < naive.mean_edges and len(naive.reference.edges) < naive.mean_edges


def edges_are_overstated() -> bool:
    table = study().overstated("bootstrap", "bootstrap_corrected", "adjacency")
    sure = table["difference"][table["difference"].abs() > 2 * table["standard_error"]]
    return bool((sure > 0).mean() > 0.8) and table["difference"].sum() > 1


def spurious_edges_are_counted_by_parents() -> bool:
    truth = bn.load_network("alarm").adjacency
    table = bn.teaching.spurious_edges(study(), truth).set_index(["method", "other_parents"])["spurious"]
    by_method = table.groupby("method").sum()
    return by_method["bootstrap"] > by_method["bootstrap_corrected"] and table["bootstrap"][1] > 0


def figure_1() -> bool:
    panels = figure1_panels(study())
    return ("bootstrap_corrected", "bootstrap") in panels or ("bootstrap", "bootstrap_corrected") in panels


@cache
def annealed() -> Study:
    return bn.paper.annealing_experiment(bn.Recipe("sample", "asia_1000"), n=10).run()


def annealing_has_a_reference_of_runs() -> bool:
    experiment = bn.paper.annealing_experiment(bn.Recipe("sample", "regulon_320"))
    shape = experiment.load()
    return (experiment.n, experiment.score, (shape.n_rows, shape.n_variables)) == (320, bn.BDeu(25), (320, 33)) and (
        annealed().ensembles["data"].n_graphs == 10
    )


def figure_1_of_annealing() -> bool:
    pairs = [("data", "bootstrap_corrected"), ("data", "bootstrap"), ("bootstrap_corrected", "bootstrap")]
    panel = figure1_panel(annealed(), *pairs[0])
    near = abs((panel.x > panel.right).sum() - annealed().mean_edges("data")) <= 2  # as nearly as ties allow
    return bn.paper.figure1_panels(annealed()) == pairs and bool(near)


def cuts_anew() -> bool:
    """The same rows give other states, in as many bins."""
    frame = bn.load_sample("regulon_raw").iloc[:, :4]
    data = bn.Dataset.from_frame(bn.discretize(frame))
    learning = data, bn.BIC(), bn.HillClimbing()
    fixed, anew = (
        bn.resample(*learning, one, "leading", rng=1).confidence
        for one in (bn.Bootstrap(40), bn.CutAnew(bn.Bootstrap(40), frame))
    )
    return not np.array_equal(fixed, anew) and np.abs(fixed - anew).max() < 0.5


def table_1_is_repeated() -> bool:
    title, one = next(iter(bn.paper.alarm_experiments(n=3).items()))
    table = bn.paper.paper_table(bn.paper.run_experiments({title: one})).set_index("method")
    return table["paper_mean"]["data"] == PUBLISHED[title]["data"][0] and table["mean"]["data"] > 30


def delete_1_hardly_varies() -> bool:
    jackknife = ensemble(resampler=bn.Jackknife())
    return jackknife.sd_edges < ensemble().sd_edges and abs(
        jackknife.mean_edges - len(jackknife.reference.edges)
    ) < abs(ensemble().mean_edges - len(jackknife.reference.edges))


def jackknife_variance_is_inflated() -> bool:
    x = np.random.default_rng(1).normal(size=50)
    without_each = (x.sum() - x) / 49
    return math.isclose(bn.teaching.jackknife_error(without_each, 50), x.std(ddof=1) / math.sqrt(50))


def delete_d_varies_more() -> bool:
    return ensemble(resampler=bn.Jackknife()).sd_edges < ensemble(resampler=bn.DeleteD(60, 60)).sd_edges


def size_and_misfit() -> bool:
    data = bn.Dataset.from_frame(bn.load_sample("lecture_4"))
    length = bn.mdl(data, [("X", "Y")])
    return (length.size_bits, -length.log2_likelihood, length.mdl) == pytest.approx((3, 6, 9))


def precision() -> bool:
    best = {
        n: table.loc[table["total_bits"].idxmin(), "values"]
        for n in (100, 10_000)
        for table in [bn.teaching.parameter_precision(n)]
    }
    return bool(5 < best[10_000] / best[100] < 15)


def copies_give_edges() -> bool:
    edges = bn.teaching.graphs_from_copies(rows("asia", 300), (1, 64)).table["edges"]
    return bool(edges.iloc[1] > edges.iloc[0])


def greedy_gets_stuck() -> bool:
    return bn.teaching.compare_with_greedy(bn.teaching.parity_sample(300, 0.1)).stuck


def single_changes_improve() -> bool:
    data = rows("asia", 300)
    best = bn.teaching.single_changes(data, [])[0]
    edges = bn.teaching.change_edge(data.names, [], best.kind, best.parent, best.child)
    return best.bits < 0 and math.isclose(bn.mdl(data, edges).mdl - bn.mdl(data, []).mdl, best.bits)


def walk_is_a_part_of_all_graphs() -> bool:
    walk = bn.teaching.walk_tree(rows().select(rows().names[:4]), bn.TreeSearch(False, 0.5, None))
    return walk.n_visited < bn.teaching.n_dags(4) == 543


def order_of_tosses() -> bool:
    one, other = (bn.teaching.dirichlet_evidence(tosses, [1, 1]).evidence for tosses in ([0, 1, 0, 1], [0, 0, 1, 1]))
    return math.isclose(one, other) and math.isclose(one, 1 / 30)


def bdeu_follows_bic() -> bool:
    truth = bn.load_network("survey")
    table = bn.teaching.score_growth(truth, bn.teaching.graphs_around(truth), (100, 10_000), repeats=2, rng=1)
    return bn.teaching.rows_until_first_wins(table) == 10_000


def prior_makes_edges() -> bool:
    edges = bn.teaching.graphs_by_ess(rows("asia", 300), (1.0, 100.0)).table["edges"]
    return bool(edges.iloc[1] > edges.iloc[0])


def equivalent_graphs_score_alike() -> bool:
    table = bn.teaching.equivalence_table(rows(), rows().names[:3])
    spread = bn.teaching.spread_within_classes(table, ["BIC", "BDeu(1)", "K2"])
    return spread["BIC"] < 1e-9 and spread["BDeu(1)"] < 1e-9 < spread["K2"]


def bic_is_mdl_in_bits() -> bool:
    data, edges = rows(), bn.load_network("cancer").edges
    return math.isclose(bn.mdl(data, edges).mdl, -bn.score(data, edges, bn.BIC()) / math.log(2))


def tree_from_its_root() -> bool:
    plan = bn.prediction.edge_plan(rows(), root="Cancer")
    return plan.ordering[0] == "Cancer" and plan.tree[0][0] == "Cancer" and bool((np.diff(plan.information) <= 0).all())


def absolute_error() -> bool:
    data = rows()
    splits = bn.prediction.k_folds(data.n_rows, 2, rng=1)
    made = bn.prediction.compare_predictions(data, "Cancer", {"base rate": bn.prediction.base_rate}, splits)
    one = made.predictions["base rate"]
    of_the_observed = one.probabilities[np.arange(data.n_rows), one.observed]
    error = np.abs(one.probabilities - np.eye(2)[one.observed]).mean()
    return math.isclose(one.summary()["mean"]["absolute_error"], error) and math.isclose(
        error, 1 - of_the_observed.mean()
    )


def averaged_over_graphs() -> bool:
    """A mean over draws of graphs, which one graph alone is not."""
    data = rows()
    graphs = bn.edge_posterior(data, bn.BDeu(1.0), rng=1).graphs()
    mixture = bn.prediction.averaged(data, graphs, 1.0, n_networks=1_000)
    alone = [bn.prediction.predict(network, data, "Cancer") for network in mixture.networks]
    made = bn.prediction.predict(mixture, data, "Cancer")
    within = np.min(alone, axis=0) - 1e-12 <= made
    return len(mixture.networks) > 1 and bool((within & (made <= np.max(alone, axis=0) + 1e-12)).all())


def found_again_is_not_real() -> bool:
    """Two effects of a common cause that nobody measured."""
    sachs = bn.load_network("sachs")
    names = [name for name in sachs.names if name not in ("PKA", "PKC")]
    seen = sachs.sample(1000, rng=1).select(names)
    found = bn.resample(seen, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20), "leading", rng=1).confidence
    one, other = names.index("Jnk"), names.index("P38")
    return found[one, other] + found[other, one] > 0.8 and not {("Jnk", "P38"), ("P38", "Jnk")} & set(sachs.edges)


def bits_are_odds() -> bool:
    data, edges = rows(), bn.load_network("cancer").edges
    costs = bn.teaching.edge_costs(data, edges)
    first = next(edge for edge in edges if " → ".join(edge) == costs["edge"][0])
    longer = bn.mdl(data, [edge for edge in edges if edge != first]).mdl - bn.mdl(data, edges).mdl
    return math.isclose(costs["odds"][0], 2**longer, rel_tol=1e-6)


def pairs_without_an_edge_are_dependent() -> bool:
    table = bn.teaching.pair_dependence(rows("asia", 1000), bn.load_network("asia").edges)
    return bool((table["dependent"] & ~table["edge"]).any())


def an_arrow_can_be_reversed() -> bool:
    arrows = bn.teaching.reversals(rows("asia", 300), bn.load_network("asia").edges).set_index("edge")
    return not arrows["compelled"]["asia → tub"] and abs(arrows["bits"]["asia → tub"]) < 1e-9


def a_hidden_cause_gives_an_edge() -> bool:
    seen = bn.teaching.hidden_cause().sample(2000, 1).select(("A", "X", "Y", "B"))
    return {frozenset(edge) for edge in bn.learn(seen).edges} >= {frozenset("XY")}


#: The statements of each place, each with what shows it and words that are found there.
STATEMENTS: list[tuple[Place, dict[str, tuple[Any, ...]]]] = [
    # Steck & Jaakkola (2003)
    (lesson("bias_lab", "Any statistic", LAB_STATISTIC="Mutual information"), {
        "Section 2: the bias is estimated as ⟨T⟩ − T, and the corrected statistic is 2 T − ⟨T⟩":
            (one_correction, "corrected value", r"\langle I\rangle_b - I(D)"),
    }),
    (lesson("bias_lab", "Entropy"), {
        "Section 3.1, Eq. 3: the plug-in entropy of a resample is smaller, on average, by a sum over binomial counts":
            (entropy_is_lost, "Eq. 3", r"\mathrm{Binomial}(N,\, n_x/N)"),
        "Section 3.1, Eq. 4: to leading order by (|X| − 1) / 2N": (leading_order, "(|X| − 1) / 2N (Eq. 4)"),
    }),
    (lesson("bias_lab", "Any statistic", LAB_STATISTIC="Jensen's inequality"), {
        "Section 3.1: the entropy is concave in the counts, and the maximum likelihood convex (Jensen's inequality)":
            (convex_functions_grow, "The maximum log-likelihood is convex in the counts"),
    }),
    (lesson("bias_lab", "Corrected entropy"), {
        "Section 3.1: a resample is to the sample what the sample is to the truth, so that the bias comes twice":
            (sample_to_truth_as_resample_to_sample,
             "Resampling repeats the bias of the sample", r"T_{BC} = 2\,T(D) - \langle T\rangle_b"),
        "Section 2: bootstrapping the bootstrap gives a correction of higher order":
            (corrected_twice, "Bootstrapping the bootstrap", r"T_{BC}^{(2)} = 3\,T(D) - 3\,\langle T\rangle_b"),
    }),
    (lesson("bias_lab", "Spurious dependence"), {
        "Section 3.2: resampling makes spurious dependence: G² of independent variables is twice as large":
            (g_squared_doubles, r"\mathbb{E}_b\,G^2 \approx 2\,(r-1)(c-1)", "keeps the chance dependence"),
    }),
    (lesson("bias_lab", "Sparse tables", LAB_TRUTH="asia"), {
        "Section 3.2: resampling adds half a nat per free parameter to the maximum log-likelihood":
            (fit_rises_by_half_a_parameter, r"\tfrac12|\theta|"),
        "Section 3.2: cells without rows stay empty, so that ½|θ| corrects sparse tables too much":
            (half_is_too_much_in_sparse_tables, "assumes that no cell is empty"),
    }),
    (NAIVE, {
        "Section 3.2, Eq. 7: ½|θ| is subtracted from the score of a resample":
            (half_is_subtracted, "Strength of the correction, nats per free parameter"),
        "Section 5, Figure 1: the confidence of each edge, naive against corrected": (figure_1, "One mark per edge"),
    }),
    (TABLE_1, {
        "Section 3.2: graphs learned from resamples have too many edges, and fewer once the score is corrected":
            (naive_finds_more, "Edges that naive replicates have beyond the graph of the given data are the bias"),
    }),
    (SPURIOUS, {
        "Section 3.2: where the extra edges go, by the number of parents of the variable that they point at":
            (spurious_edges_are_counted_by_parents,
             "A family with more parameters gains more from spurious dependence (Section 3.2)", "more parents than"),
    }),
    (lesson("bias_lab", "Replicates"), {
        "Section 3.2, one replicate after the other: more edges than the given data's graph, fewer once corrected":
            (naive_finds_more, "bootstrap replicates **", "on average, with the bias corrected"),
    }),
    (lesson("bias_lab", "Training and test", LAB_TRUTH="survey"), {
        "Section 4, Eq. 8: the test error is larger than the true network's by |θ| / 2N":
            (lambda: near("test", gap()["half"]) and gap()["half"] == 21 / 2000,
             "a test error that is too large (Eq. 8)"),
        "Section 4, Eq. 9: the training error is smaller by as much":
            (lambda: near("training", -gap()["half"]), "a training error that is too small (Eq. 9)"),
        "Section 4, Eq. 10: the training error, corrected by the bootstrap's optimism, estimates the test error":
            (lambda: near("corrected", gap()["half"]),
             "The corrected error (Eq. 10)", r"\langle\text{optimism}\rangle_b"),
        "Section 4, Eq. 11: the optimism is −|θ| / N, half of it from each side":
            (lambda: near("optimism", -2 * gap()["half"]) and near("estimated_optimism", -2 * gap()["half"]),
             "Half of the optimism (Eq. 11)", r"\approx -\frac{|\theta|}{N}"),
        "Section 4: AIC and cross-validation agree with many rows":
            (lambda: near("aic", gap()["half"]) and near("leave_one_out", gap()["half"]),
             "leaving out one row at a time (cross-validation, Stone 1977)", r"\text{AIC: }"),
        "Section 4: DIC is the Bayesian relative of the corrected error": (dic_is_near_aic, "as DIC does"),
        "Section 4: the correction of a score is half of AIC's penalty": (half_of_aic, "AIC corrects for both halves"),
    }),
    (THE_PAPER, {
        "Section 5, Table 1: numbers of edges on ALARM by method, beside the published ones":
            (table_1_is_repeated, "values reported in the paper"),
        "Section 5, Table 1: annealing under BDeu (α = 25) on 33 variables; 320 runs on the data are the reference":
            (annealing_has_a_reference_of_runs,
             "simulated annealing", "(320 in the paper)", "Run the second experiment"),
        "Section 5, Figure 1: runs on the data, corrected and naive bootstrap against one another, with thresholds":
            (figure_1_of_annealing, "Figure 1 compares it with both bootstraps"),
    }),
    (OVERSTATED, {
        "Section 5: the naive bootstrap is overconfident of edges":
            (edges_are_overstated, "is more confident than the"),
    }),
    (lesson("bias_lab", "Jackknife", LAB_TRUTH="cancer"), {
        "Section 5: the delete-1 jackknife has no such bias and hardly varies":
            (delete_1_hardly_varies, "Two delete-1 replicates differ in one of"),
        "Section 5: for a standard error the variance of its replicates is inflated by N − 1":
            (jackknife_variance_is_inflated, r"\mathrm{se}_1 = \sqrt{"),
        "Section 5: where the statistic jumps, several rows are deleted (delete-d)":
            (delete_d_varies_more, r"\mathrm{se}_d = \sqrt{\tfrac{N-d}{d}}"),
    }),
    # The lecture on description lengths
    (lesson("mdl", "Worked example", WORKED_ROWS=4), {
        "The description length is size, ½ log₂ N bits per free parameter, plus misfit":
            (size_and_misfit, r"3 + 6 = \mathbf{9}", "Grey: misfit"),
    }),
    (lesson("mdl", "Cost of a parameter"), {
        "A probability learned from N rows is worth about √N values, hence ½ log₂ N bits":
            (precision, "minimal near", "½ log₂N"),
    }),
    (lesson("mdl", "Search by hand"), {
        "Greedy search makes the best change of one edge at a time":
            (single_changes_improve, "a negative ΔMDL is an improvement", "then the parent to reverse it"),
    }),
    (lesson("mdl", "Replicated data"), {
        "Copied rows are no evidence, and yet give more edges": (copies_give_edges, r"\mathrm{MDL}_k"),
    }),
    (lesson("mdl", "Search space"), {
        "There are far too many graphs to look at all: a search walks a part of their tree":
            (walk_is_a_part_of_all_graphs, "directed acyclic graphs over"),
    }),
    (LENGTHS, {
        "Minus BIC in bits is the description length": (bic_is_mdl_in_bits, "minus BIC in bits"),
    }),
    # The lecture on Bayesian scores
    (lesson("bayesian", "Coin tosses"), {
        "The marginal likelihood is a product of predictions and does not depend on their order":
            (order_of_tosses, "The product does not depend on the order of the tosses"),
    }),
    (lesson("bayesian", "BDeu and BIC"), {
        "BDeu tends to BIC plus a bounded term: the true graph wins once there are rows enough":
            (bdeu_follows_bic, r"\mathrm{BIC} + O(1)"),
    }),
    (lesson("bayesian", "Prior strength"), {
        "A stronger prior gives more edges": (prior_makes_edges, "pull every table towards the uniform distribution"),
    }),
    (lesson("bayesian", "Parts of the score"), {
        "The score is M Σ I − M Σ H − ½ log M Dim, and the likelihood alone overfits":
            (score_in_parts,
             r"M\sum_i I(X_i;\mathrm{Pa}_i) - M\sum_i H(X_i) - \tfrac12\ln M",
             "without a penalty the likelihood overfits"),
    }),
    (PRIOR, {
        "BDe takes its prior counts from a prior network of one's own":
            (prior_network_counts, "Prior network of your own", "BDe(cancer, 1)"),
    }),
    (lesson("bayesian", "Equivalence"), {
        "Equivalent graphs have equal scores under BIC and BDeu, not under K2":
            (equivalent_graphs_score_alike, "BIC and BDeu give them equal scores, K2 does not"),
    }),
    # What students get wrong
    (lesson("mdl", "Worth of an edge"), {
        "Only differences of description lengths count: each bit doubles the odds":
            (bits_are_odds, "only differences count", r"2^{\,\mathrm{MDL}(G') - \mathrm{MDL}(G)}"),
    }),
    (lesson("bayesian", "Pairs without an edge"), {
        "No edge is not no relation": (pairs_without_an_edge_are_dependent, "No edge means", "dependent all the same"),
    }),
    (lesson("bayesian", "Arrows"), {
        "An arrow is not a cause": (an_arrow_can_be_reversed, "in an equivalent graph", "it is a cause only if"),
    }),
    (lesson("bayesian", "Hidden cause"), {
        "A hidden common cause gives an edge between its effects":
            (a_hidden_cause_gives_an_edge, "neither is a cause of the other"),
    }),
    (lesson("bayesian", "Local optima"), {
        "Greedy search ends where no single change helps": (greedy_gets_stuck, "Greedy search stops at"),
    }),
    (TREE, {
        "Sucar's tree: variables in their order from its root, then the most dependent pairs joined first":
            (tree_from_its_root, "Sucar's procedure", "from its root", "Root of the tree"),
    }),
    (ACCURACY, {
        "Predictions are compared by their mean absolute error, |P′ − D|": (absolute_error, "|P′ − D|"),
    }),
    (AVERAGED, {
        "Bayesian prediction averages over graphs: P(x | D) = Σ_G P(x | D, G) P(G | D)":
            (averaged_over_graphs, r"\sum_G P(x \mid D, G)\,P(G \mid D)", "drawn from the posterior, the Brier score"),
    }),
    (WHICH_METHOD, {
        "An edge can be found again in every table and not be real": (found_again_is_not_real, "nearer the truth"),
    }),
    # The paper again; it comes last, since its place has a table of its own
    (CUT_ANEW, {
        "Section 3, footnote 5: cut points and graph are both optimized anew in each resample, and the score corrected":
            (cuts_anew, "cuts learned in every replicate"),
    }),
]  # fmt: skip

ROWS = [Row(text, shown[0], place, shown[1:]) for place, found in STATEMENTS for text, shown in found.items()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.statement)
def test_the_engine_shows_it(row):
    assert row.holds()


def text_of(at: Visitor) -> str:
    """All that stands on a page: sentences, formulas, labels of widgets, headings of tables."""
    kinds = ("markdown", "caption", "title", "header", "subheader", "info", "warning")
    values = [text.value for kind in kinds for text in getattr(at.at, kind)]
    labels = [
        one.label
        for kind in ("slider", "select_slider", "selectbox", "button", "file_uploader")
        for one in getattr(at.at, kind)
    ]
    return "\n".join([*values, *labels])


@pytest.mark.slow
@pytest.mark.parametrize("page", dict.fromkeys(row.place.page for row in ROWS))
def test_it_stands_on_the_page(page, visitor):  # noqa: F811
    visitor.on("cancer", 200, 1).go(page)
    for place in dict.fromkeys(row.place for row in ROWS if row.place.page == page):
        place.opened(visitor)
        text = text_of(visitor)
        found = {row.statement: [word in text for word in row.words] for row in ROWS if row.place == place}
        assert all(map(all, found.values())), (place.section, found, text)


@pytest.mark.parametrize("name", LECTURES)
def test_every_step_of_a_lecture_leads_to_the_place_of_a_statement(name):
    places = {(row.place.page, row.place.section.partition(",")[0]) for row in ROWS}
    steps = {step.question: step.lesson for step in LECTURES[name].steps}
    assert {question: place for question, place in steps.items() if place not in places} == {}
