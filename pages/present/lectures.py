"""The lectures: steps that ask a question about something that is shown, and then answer it with one picture."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pages.bayesian import evidence, graphs
from pages.bias_lab import entropy, fit, replicates, statistic
from pages.mdl import lessons
from pages.present import subjects
from pages.shared import redraws
from pages.shared.keys import Key
from pages.shared.lessons import Subject


@dataclass(frozen=True)
class Step:
    """A question, and the section that answers it.

    Attributes
    ----------
    question : str
    options : tuple of str
        What can be answered.
    right : int
        The number of the right option.
    because : str
        The reason, in a sentence or two.
    about : callable
        Draws what the question is about.
    draw : callable
        Draws the section.
    picture : str
        The section's picture that is shown, by its name.
    lesson : (str, str, str)
        Where the section is explored: the page, and the key and the title of its section. It runs on the same table.
    settings : mapping
        Values of the section's widgets, by their keys; they can be changed after the step was opened.
    beside : bool
        Whether what the question is about stays beside the answer.
    """

    question: str
    options: tuple[str, ...]
    right: int
    because: str
    about: Callable[[Subject], None]
    draw: Callable[[Subject], None]
    picture: str
    lesson: tuple[str, str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    beside: bool = False


@dataclass(frozen=True)
class Lecture:
    """A title, the bundled table that it runs on, its steps, and the key of the widget that takes a student's seed."""

    title: str
    table: str
    steps: tuple[Step, ...]
    seeded: str | None = None


#: By their names in the address.
LECTURES: dict[str, Lecture] = {
    "mdl": Lecture(
        "MDL and the Bayesian score",
        "asia_1000",
        (
            Step(
                "Four rows, two networks: X → Y, and no edge. Which one describes the rows with fewer bits?",
                ("X → Y", "No edge", "Both need the same"),
                0,
                "The edge costs one parameter more (orange: size). The rows then need fewer bits by more than that "
                "(grey: misfit).",
                subjects.rows_of("lecture_4"),
                lessons.worked_section,
                "worked bars",
                ("mdl", Key.MDL_SECTION, "Worked example"),
                {Key.WORKED_ROWS: 4},
                beside=True,
            ),
            Step(
                "Four further rows follow the same pattern without exception. How much does the edge save now?",
                ("Less than before", "As much as before", "More than before"),
                2,
                "A parameter costs ½ log₂ N bits, which hardly grows; the bits saved grow with every row.",
                subjects.rows_of("lecture_8"),
                lessons.worked_section,
                "worked bars",
                ("mdl", Key.MDL_SECTION, "Worked example"),
                {Key.WORKED_ROWS: 8},
                beside=True,
            ),
            Step(
                "Without one of its edges, the shortest description of 1,000 rows becomes 1% longer. How strongly do "
                "the rows speak for the edge?",
                ("Hardly: 1% is little", "About 100 to 1", "More than a billion to 1"),
                2,
                "Only the difference counts, whatever the length: every bit doubles the odds.",
                subjects.two_lengths,
                lessons.differences_section,
                "edge costs",
                ("mdl", Key.MDL_SECTION, "Worth of an edge"),
            ),
            Step(
                "A probability is learned from 1,000 rows. How many distinct values do the rows justify?",
                ("About 30", "About 500", "About 1,000"),
                0,
                "About √N: its standard error is about 1/√N, and finer values are digits that the rows do not "
                "determine. Hence ½ log₂ N bits per parameter.",
                subjects.counts,
                lessons.precision_section,
                "precision",
                ("mdl", Key.MDL_SECTION, "Cost of a parameter"),
                {Key.PRECISION_ROWS: 1000},
            ),
            Step(
                "Every row is copied 64 times. Nothing new is known. Does the search find more edges?",
                ("Fewer edges", "As many", "More edges"),
                2,
                "The score takes each copy for a new, independent row: the misfit counts 64 times, the size hardly "
                "more than once.",
                subjects.graph,
                lessons.copies_section,
                "copies edges",
                ("mdl", Key.MDL_SECTION, "Replicated data"),
                {Key.COPIES: 64},
            ),
            Step(
                "The prior is given more weight. Does the learned graph have fewer edges, or more?",
                ("Fewer edges", "As many", "More edges"),
                2,
                "The prior counts are spread evenly over the cells. With many of them every table is close to uniform, "
                "and further parents cost hardly anything.",
                subjects.graph,
                evidence.sample_size_section,
                "ess edges",
                ("bayesian", Key.BAYES_SECTION, "Prior strength"),
                {Key.SHOWN_ESS: 100.0},
            ),
            Step(
                "X → Z → Y, X ← Z ← Y, X ← Z → Y and X → Z ← Y: which of them can BIC tell apart from the others?",
                ("None", "The last one", "All four"),
                1,
                "The first three represent the same distributions, so that BIC gives them the same score. Only in the "
                "last, the v-structure, are X and Y independent.",
                subjects.three_columns,
                evidence.equivalence_section,
                "equivalent bars",
                ("bayesian", Key.BAYES_SECTION, "Equivalence"),
            ),
        ),
    ),
    "bootstrap": Lecture(
        "The bootstrap and its bias",
        "alarm_300",
        (
            Step(
                "A bootstrap replicate is drawn from the rows of a table, with replacement. Does its graph have more "
                "edges than the graph of the table, or fewer?",
                ("Fewer", "As many, on average", "More"),
                2,
                "Draw one, and ten more: nearly every replicate has more edges. It repeats the chance dependence of "
                "its table and adds as much of its own.",
                subjects.replicate,
                replicates.replicates_section,
                redraws.REDRAWS,
                ("bias_lab", Key.LAB_SECTION, "Replicates"),
            ),
            Step(
                "A thousand replicates of one sample are drawn, and a thousand new samples. Around which value do the "
                "variances of the replicates lie?",
                ("The truth", "The variance of their sample", "The mean of the new samples"),
                1,
                "A replicate is not a new sample: it is drawn from the sample, and knows of the truth only what the "
                "sample knows. Draw one, ten, a thousand.",
                subjects.measurements,
                statistic.statistic_section,
                statistic.PILE,
                ("bias_lab", Key.LAB_SECTION, "Any statistic"),
                {Key.LAB_STATISTIC: "Variance", Key.LAB_MEASURED: 10},
            ),
            Step(
                "Ten replicates of a sample have been drawn. A thousand are drawn instead. How much nearer to the "
                "truth is their mean?",
                ("Ten times", "No nearer", "A hundred times"),
                1,
                "More replicates are not more rows: their mean becomes more precise, but it is that of the sample.",
                subjects.measurements,
                statistic.statistic_section,
                statistic.PILE,
                ("bias_lab", Key.LAB_SECTION, "Any statistic"),
                {Key.LAB_STATISTIC: "Variance", Key.LAB_MEASURED: 10},
            ),
            Step(
                "A bootstrap replicate draws rows with replacement. Is it more or less spread out than its sample?",
                ("More", "As much, on average", "Less"),
                2,
                "Some states are drawn too often, others too seldom or never. Entropy is concave, so that on average "
                "it is lower (Jensen's inequality).",
                subjects.state_shares,
                entropy.entropy_section,
                "lab_bias_by_size",
                ("bias_lab", Key.LAB_SECTION, "Entropy"),
                {Key.LAB_STATES: 8, Key.LAB_ROWS: 50, Key.LAB_SKEW: 0.5, Key.LAB_SCALE: entropy.BIAS},
            ),
            Step(
                "With ten times as many rows, how large is this bias?",
                ("A tenth", "A third, by the square root", "As large as before"),
                0,
                "It is about (|X| − 1) / 2N: multiplied by N, it hardly changes.",
                subjects.state_shares,
                entropy.entropy_section,
                "lab_bias_by_size",
                ("bias_lab", Key.LAB_SECTION, "Entropy"),
                {Key.LAB_STATES: 8, Key.LAB_ROWS: 500, Key.LAB_SKEW: 0.5, Key.LAB_SCALE: entropy.SCALED},
            ),
            Step(
                "Two variables are independent. A test at the 5% level finds them dependent in 5% of the data sets. "
                "How often does it do so in bootstrap replicates of them?",
                ("Less often", "Also in 5%", "Several times as often"),
                2,
                "A replicate keeps the chance dependence of its data set and adds as much of its own.",
                subjects.g_squared,
                entropy.spurious_section,
                "lab_g_squared",
                ("bias_lab", Key.LAB_SECTION, "Spurious dependence"),
                {Key.LAB_ARITIES: (3, 3), Key.LAB_PAIR_ROWS: 200, Key.LAB_FOUND: entropy.ALL_TABLES},
            ),
            Step(
                "Two variables are independent, but the test finds them dependent in these data sets, by chance. In "
                "how many replicates of the data sets does it find them dependent again?",
                ("In 5%", "In half", "In most"),
                2,
                "Found again is not real: replicates repeat what is in the data, chance included.",
                subjects.g_squared,
                entropy.spurious_section,
                "lab_g_squared",
                ("bias_lab", Key.LAB_SECTION, "Spurious dependence"),
                {Key.LAB_ARITIES: (3, 3), Key.LAB_PAIR_ROWS: 200, Key.LAB_FOUND: entropy.FOUND},
            ),
            Step(
                "A statistic is T on the data and ⟨T⟩ on replicates, on average. What is its corrected value?",
                ("⟨T⟩", "½ (T + ⟨T⟩)", "2 T − ⟨T⟩"),
                2,
                "The bias is estimated as ⟨T⟩ − T, with the data in the place of the truth. It is subtracted from T.",
                subjects.information,
                statistic.statistic_section,
                statistic.PILE,
                ("bias_lab", Key.LAB_SECTION, "Any statistic"),
                {Key.LAB_STATISTIC: "Mutual information"},
            ),
            Step(
                "The correction of a score is half a nat per parameter. Where tables have empty cells, is "
                "this too much?",
                ("Too little", "Just right", "Too much"),
                2,
                "A cell without rows is empty in every replicate: it adds nothing to the fit, and yet its parameter "
                "counts.",
                subjects.sparse,
                entropy.sparse_section,
                "lab_added_by_rows",
                ("bias_lab", Key.LAB_SECTION, "Sparse tables"),
                {Key.LAB_TRUTH: "asia", Key.LAB_SPARSE_ROWS: 200},
            ),
            Step(
                "The delete-1 jackknife leaves out one row at a time. Is the standard deviation of its replicates a "
                "standard error?",
                ("No, it is far too small", "Yes", "No, it is far too large"),
                0,
                "Two of its replicates differ in one row only. For a smooth statistic, such as this entropy, the "
                "standard error is √(N − 1) times as large.",
                subjects.without_one,
                fit.errors_section,
                "lab_errors",
                ("bias_lab", Key.LAB_SECTION, "Jackknife"),
                {Key.LAB_VARYING: fit.ENTROPY, Key.LAB_TRUTH: "asia", Key.LAB_ERROR_ROWS: 300},
            ),
        ),
        seeded=Key.LAB_SAMPLE,
    ),
    "graphs": Lecture(
        "Reading a learned graph",
        "asia_1000",
        (
            Step(
                "Twenty rows are drawn from this network of six edges. Which graph has the best BIC?",
                ("The true one", "One with an edge missing", "One with an edge too many"),
                1,
                "Few rows do not pay for the parameters of a weak edge. An edge that is not found with 20 rows may "
                "well exist.",
                subjects.true_network("survey"),
                evidence.growth_section,
                "growth ahead",
                ("bayesian", Key.BAYES_SECTION, "BDeu and BIC"),
                {Key.GROWTH_NETWORK: "survey", Key.GROWTH_ESS: 1.0},
            ),
            Step(
                "Many pairs of variables have no edge in this graph. Are any of them dependent?",
                ("None", "Some"),
                1,
                "No edge is not no relation: the pair is independent given other variables, such as those on a path "
                "between the two.",
                subjects.graph,
                graphs.pairs_section,
                "pairs",
                ("bayesian", Key.BAYES_SECTION, "Pairs without an edge"),
            ),
            Step(
                "The graph has the arrow lung → smoke. Do the data show that lung cancer is a cause of smoking?",
                ("Yes", "No, that smoking is a cause of lung cancer", "Neither: they cannot tell"),
                2,
                "An arrow is not a cause: with this one reversed, the graph represents the same distributions and has "
                "the same score.",
                subjects.graph,
                graphs.arrows_section,
                "compelled",
                ("bayesian", Key.BAYES_SECTION, "Arrows"),
            ),
            Step(
                "H is a cause of X and of Y, but nobody measured it. What does the search draw between X and Y from "
                "2,000 rows without H?",
                ("Nothing", "An edge that can be reversed", "An arrow that cannot be reversed"),
                2,
                "The dependence of X and Y has to be explained by what is in the table. A compelled arrow is a cause "
                "only if no common cause is hidden.",
                subjects.true_network("hidden"),
                graphs.hidden_section,
                "hidden",
                ("bayesian", Key.BAYES_SECTION, "Hidden cause"),
                {Key.HIDDEN_ROWS: 2000, Key.ROWS_SEED: 0},
            ),
        ),
    ),
}
