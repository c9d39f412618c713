"""The lessons: every section draws on its table and on the visitor's, and shows the engine's own numbers."""

import math

import pytest

import bnengine as bn
from pages.bias_lab import fit, statistic
from pages.shared.keys import Key
from tests.pages.reading import shows

pytestmark = pytest.mark.slow

LESSONS = {
    "mdl": ("Worked example", "Cost of a parameter", "Search by hand", "Replicated data", "Search space"),
    "bayesian": ("Coin tosses", "BDeu and BIC", "Prior strength", "Parts of the score", "Equivalence", "Local optima"),
    "bias_lab": (
        *("Entropy", "Spurious dependence", "Any statistic", "Corrected entropy", "Sparse tables"),
        *("Training and test", "Jackknife"),
    ),
}
SAMPLE = statistic.FIRST_SAMPLE


def turn_to(visitor, section):
    """Open the lesson that has a section, at that section."""
    page = next(page for page, sections in LESSONS.items() if section in sections)
    visitor.at.session_state[Key.section(page)] = section
    return visitor.go(page)


def pick(visitor, key, value):
    """Set a slider over options."""
    visitor.at.select_slider(key=key).set_value(value).run()
    return visitor.settle()


def formulas(visitor):
    """All formulas, which are running text."""
    return " ".join(text.value for text in visitor.at.markdown if "\\" in text.value)


def data_of(name):
    return bn.Dataset.from_frame(bn.load_sample(name))


@pytest.mark.parametrize("page", ["mdl", "bayesian"])
def test_every_section_on_the_visitor_s_table(visitor, page):
    visitor.on("lecture_4").own()
    for section in LESSONS[page]:
        turn_to(visitor, section)
        assert visitor.finding or visitor.messages, section
        assert not visitor.at.error, section
        assert not visitor.at.warning, section


def test_a_lesson_stays_as_it_is_until_the_visitor_turns_it(visitor):
    turn_to(visitor.on("titanic"), "Prior strength")
    assert visitor.shows("ASIA")
    (switch,) = [toggle for toggle in visitor.at.toggle if toggle.key == Key.USE_OWN]
    assert "Titanic" in switch.label
    switch.set_value(True).run()
    assert visitor.settle().shows("Titanic")
    assert visitor.open("mdl").open("bayesian").settle().shows("Titanic")  # it holds for every lesson
    visitor.upload("mine.csv", "only\na\na\n")  # which cannot be learned from
    assert turn_to(visitor.own(False), "Prior strength").shows("ASIA")


# MDL


def test_the_worked_example_shows_the_notes_numbers(visitor):
    assert turn_to(visitor, "Worked example").shows(9)
    assert r"0.25\cdot 0.25\cdot 0.5\cdot 0.5 = 0.0156" in formulas(visitor)
    assert r"3 + 6 = \mathbf{9}" in formulas(visitor)
    assert "= 0.00659" in formulas(visitor)
    visitor.turn(Key.WORKED_ROWS, 8)
    assert visitor.shows("15.75", "18.64")
    assert r"3\cdot\tfrac{\log_2 8}{2} - \log_2 L = 4.5 + 11.25 = \mathbf{15.75}" in formulas(visitor)


def test_climbing_by_hand_ends_where_hill_climbing_ends(visitor):
    turn_to(visitor, "Search by hand")
    data = data_of("asia_1000")
    steps = 0
    while not next(b for b in visitor.at.button if b.label == "Apply the best change").disabled:
        visitor.button("Apply the best change")
        steps += 1
        assert steps < 20
    own = visitor.frame("above_best_bits").set_index("network").loc["your own"]
    assert own["mdl_bits"] == pytest.approx(bn.mdl(data, bn.learn(data, ties="columns").edges).mdl)
    assert "greedy search stops here" in visitor.finding
    visitor.button("Undo")
    assert "greedy search stops here" not in visitor.finding
    assert visitor.open("network").open("mdl").shows(steps - 1)  # the network stays


def prices():
    table = bn.teaching.parameter_precision(300)
    best = table.loc[table["total_bits"].idxmin()]
    return int(best["values"]), best["cost_bits"], 0.5 * math.log2(300)


def visits():
    data = data_of("asia_1000")
    part = data.select(bn.teaching.most_dependent(data, 4))
    return (bn.teaching.walk_tree(part, bn.TreeSearch(False, 0.5, None)).n_visited,)


def first_win():
    network = bn.load_network("survey")
    sizes = (30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
    table = bn.teaching.score_growth(network, bn.teaching.graphs_around(network), sizes, 1.0, 10, 0)
    return (bn.teaching.rows_until_first_wins(table),)


def entropies():
    sizes, p = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000], bn.teaching.skewed_distribution(12, 1.5)
    line = bn.teaching.entropy_bias_by_size(p, sizes, rng=3).set_index("n_rows").loc[20]
    return -line["exact"], line["plugin"], -line["leading"]


def informations():
    table = bn.teaching.contingency_table(data_of("alarm_300"), "HR", "CO")
    made = bn.teaching.bootstrap_information(table, 1000, rng=0)
    return made.value, made.mean, made.corrected


def sparse():
    asia = bn.load_network("asia")
    families = bn.teaching.bias_by_family(asia.sample(5000, SAMPLE).take(range(100)), asia.edges)
    return families["leading"].sum(), families["exact"].sum(), int(families["empty_cells"].sum()), 36


def jackknife():
    made = bn.teaching.resampling_errors(bn.load_network("cancer"), 100, fit.STATISTICS[fit.EDGES], 200, rng=SAMPLE)
    lines = made.table().set_index("method")
    return lines["sd"]["new samples"], lines["standard_error"]["jackknife, delete 1"], 99


def training_and_test():
    cancer = bn.load_network("cancer")
    line = bn.teaching.likelihood_gap(cancer, (50, 100, 200, 500, 1000, 2000, 5000), 20, rng=3).table().iloc[3]
    assert line["n_rows"] == 500
    return -line["training"], line["test"], cancer.n_parameters / 1000


def parts():
    data, search = data_of("asia_1000"), bn.HillClimbing(max_parents=3)
    graphs = [bn.learn(data, score, search).edges for score in (bn.BIC(), bn.LogLikelihood())]
    totals = [bn.teaching.decompose(data, edges, bn.BIC()).sum(numeric_only=True) for edges in graphs]
    return [total[part] for total in totals for part in ("dependence", "penalty")]


def gains():
    table = bn.teaching.gains_of_numbers(100, rng=SAMPLE)
    return [*table["excess"].iloc[[0, -1]], *table["expected"].iloc[[0, -1]]]


def jensen(function, words):
    """The replicates' mean of a convex function is above its value on the data, that of a concave one below."""
    widgets = {Key.LAB_STATISTIC: "Jensen's inequality", Key.LAB_FUNCTION: function, Key.LAB_SHARE: 0.4}
    return widgets, lambda: (words,)


#: By section: values of its widgets, and the numbers that the engine alone finds for them, in the sentence on top.
NUMBERS = {
    "Cost of a parameter": ({Key.PRECISION_ROWS: 300}, prices),
    "Search space": ({Key.WALK_IMPROVING: False, Key.WALK_PAIRS: True, Key.WALK_BEST: False}, visits),
    "Coin tosses": (
        {Key.SEQUENCE: "hht"},
        lambda: (bn.teaching.dirichlet_evidence([0, 0, 1], [1, 1]).evidence, "0.0833", 0.6),
    ),
    "BDeu and BIC": ({}, first_win),
    "Local optima": (
        {},
        lambda: (bn.teaching.compare_with_greedy(bn.teaching.parity_sample(500, 0.1)).behind["hill climbing"],),
    ),
    "Entropy": ({Key.LAB_STATES: 12, Key.LAB_SKEW: 1.5, Key.LAB_ROWS: 20, Key.LAB_SAMPLE: 3}, entropies),
    "Any statistic": (
        {Key.LAB_STATISTIC: "Mutual information", Key.LAB_FIRST: "HR", Key.LAB_SECOND: "CO"},
        informations,
    ),
    "Any statistic: gains": ({Key.LAB_STATISTIC: "Gain of numbers", Key.LAB_GAINS: 100}, gains),
    "Any statistic: p²": jensen("p²", "above"),
    "Any statistic: p": jensen("p", "exactly"),
    "Any statistic: √p": jensen("√p", "below"),
    "Corrected entropy": (
        {Key.LAB_ROWS: 10},
        lambda: bn.teaching.repeated_entropy(
            bn.teaching.skewed_distribution(8, 0.5), 10, 400, rng=SAMPLE
        ).exact_bias.tolist(),
    ),
    "Spurious dependence": (
        {Key.LAB_ARITIES: (4, 4), Key.LAB_PAIR_ROWS: 500},
        lambda: bn.teaching.spurious_dependence((4, 4), 500, rng=SAMPLE).table()["mean_g_squared"].tolist(),
    ),
    "Sparse tables": ({Key.LAB_TRUTH: "asia", Key.LAB_SPARSE_ROWS: 100}, sparse),
    "Training and test": ({Key.LAB_TRUTH: "cancer", Key.LAB_GAP_ROWS: 500, Key.LAB_SAMPLE: 3}, training_and_test),
    "Parts of the score": ({}, parts),
    "Jackknife": ({Key.LAB_VARYING: fit.EDGES, Key.LAB_TRUTH: "cancer", Key.LAB_ERROR_ROWS: 100}, jackknife),
}


@pytest.mark.parametrize("section", NUMBERS)
def test_the_sentence_on_top_has_the_engine_s_numbers(visitor, section):
    widgets, numbers = NUMBERS[section]
    for key, value in widgets.items():
        visitor.at.session_state[key] = value
    assert turn_to(visitor, section.partition(":")[0]).shows(*numbers()), visitor.finding


def test_tosses_that_are_none_are_named(visitor):
    assert turn_to(visitor, "Coin tosses").at.text_input(key=Key.SEQUENCE).set_value("HHX$").run().warning
    assert not visitor.at.text_input(key=Key.SEQUENCE).set_value("").run().warning
    assert visitor.shows(0.5)


def test_prior_strength_is_the_engine_s(visitor):
    turn_to(visitor, "Prior strength")
    table = bn.teaching.graphs_by_ess(data_of("asia_1000")).table
    assert visitor.shows(int(table["edges"].iloc[0]), int(table["edges"].iloc[-1]))
    pick(visitor, Key.SHOWN_ESS, 100.0)
    assert shows(visitor.note("prior weight"), 100, int(table["edges"].iloc[-1]))


def test_lessons_name_the_search_that_ran(visitor):
    """With so few variables iterated local search leaves it to the exact search."""
    found = bn.teaching.graphs_by_ess(data_of("asia_1000"), [1.0])
    assert found.search == bn.Exact().name
    assert f"(search: {found.search};" in turn_to(visitor, "Prior strength").note("prior weight")
    assert f"The search ({found.search}) finds" in turn_to(visitor, "Replicated data").finding


def test_equivalence_is_the_engines(visitor):
    turn_to(visitor.on("titanic").own(), "Equivalence")
    data = data_of("titanic")

    def chosen(*names):
        next(box for box in visitor.at.multiselect if box.key.startswith("equivalent")).set_value(list(names)).run()
        return visitor.settle()

    first = bn.teaching.most_dependent(data, 3)
    shown, scored = visitor.frame("equivalence_class"), bn.teaching.equivalence_table(data, first)
    assert shown.drop(columns="graph").equals(scored.drop(columns="graph"))
    assert shown["graph"].tolist() == list(bn.teaching.small_graphs(("X", "Z", "Y")))
    assert visitor.shows(*(f"{letter}: {name}" for letter, name in zip("XZY", first, strict=True)))
    chosen("Survived", "Sex", "Class")
    assert visitor.shows("X: Survived, Z: Sex, Y: Class")
    assert chosen("Survived", "Sex").warns("Choose three variables")
