"""The lectures: each a list of steps that ask a question and then show one picture of a lesson's section."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pages._shared.sections.bayesian import evidence
from pages._shared.sections.bias_lab import entropy, fit, statistic
from pages._shared.sections.lesson import Subject
from pages._shared.sections.mdl import lessons
from pages._shared.session import Key


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
    draw : callable
        Draws the section.
    picture : str
        The section's picture that is shown, by its name.
    settings : mapping
        Values of the section's widgets, by their keys; they can be changed after the step was opened.
    """

    question: str
    options: tuple[str, ...]
    right: int
    because: str
    draw: Callable[[Subject], None]
    picture: str
    settings: Mapping[str, Any] = field(default_factory=dict)


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
                ("X → Y", "No edge", "Both need as many"),
                0,
                "The edge costs one parameter more (orange: size). The rows then need fewer bits by more than that "
                "(grey: misfit).",
                lessons.worked_section,
                "worked bars",
                {Key.WORKED_ROWS: 4},
            ),
            Step(
                "Four further rows follow the same pattern without exception. How much does the edge save now?",
                ("Less than before", "As much as before", "More than before"),
                2,
                "A parameter costs ½ log₂ N bits, which hardly grows; the bits saved grow with every row.",
                lessons.worked_section,
                "worked bars",
                {Key.WORKED_ROWS: 8},
            ),
            Step(
                "A probability is learned from 1,000 rows. How many different values are worth distinguishing?",
                ("About 30", "About 500", "About 1,000"),
                0,
                "About √N: its standard error is about 1/√N, and finer values are digits that the rows do not "
                "determine. Hence ½ log₂ N bits per parameter.",
                lessons.precision_section,
                "precision",
                {Key.PRECISION_ROWS: 1000},
            ),
            Step(
                "Every row is copied 64 times. Nothing new is known. Does the search find more edges?",
                ("Fewer edges", "As many", "More edges"),
                2,
                "The score takes each copy for a new, independent row: the misfit counts 64 times, the size hardly "
                "more than once.",
                lessons.copies_section,
                "copies edges",
                {Key.COPIES: 64},
            ),
            Step(
                "The prior is given more weight. Does the learned graph have fewer edges, or more?",
                ("Fewer edges", "As many", "More edges"),
                2,
                "The prior counts are spread evenly over the cells. With many of them every table is close to uniform, "
                "and further parents cost hardly anything.",
                evidence.sample_size_section,
                "ess edges",
                {Key.SHOWN_ESS: 100.0},
            ),
            Step(
                "X → Z → Y, X ← Z ← Y, X ← Z → Y and X → Z ← Y: which of them can BIC tell apart from the others?",
                ("None", "The last one", "All four"),
                1,
                "The first three represent the same distributions, so that BIC gives them the same score. Only in the "
                "last, the v-structure, are X and Y independent.",
                evidence.equivalence_section,
                "equivalent bars",
            ),
        ),
    ),
    "bootstrap": Lecture(
        "The bootstrap and its bias",
        "alarm_300",
        (
            Step(
                "A bootstrap replicate draws rows with replacement. Is it more or less spread out than its sample?",
                ("More", "As much, on average", "Less"),
                2,
                "Some states are drawn too often, others too seldom or never. Entropy is concave, so that on average "
                "it is lower (Jensen's inequality).",
                entropy.entropy_section,
                "lab_bias_by_size",
                {Key.LAB_STATES: 8, Key.LAB_ROWS: 50, Key.LAB_SKEW: 0.5, Key.LAB_SCALE: entropy.BIAS},
            ),
            Step(
                "With ten times as many rows, how large is this bias?",
                ("A tenth", "A third, by the square root", "As large as before"),
                0,
                "It is about (|X| − 1) / 2N: multiplied by N, it hardly changes.",
                entropy.entropy_section,
                "lab_bias_by_size",
                {Key.LAB_STATES: 8, Key.LAB_ROWS: 500, Key.LAB_SKEW: 0.5, Key.LAB_SCALE: entropy.SCALED},
            ),
            Step(
                "Two variables are independent. A test at the 5% level finds them dependent in 5% of the data sets. "
                "And in bootstrap replicates of these?",
                ("In fewer", "In 5% as well", "In several times as many"),
                2,
                "A replicate keeps the chance dependence of its data set and adds as much of its own.",
                entropy.spurious_section,
                "lab_g_squared",
                {Key.LAB_SPURIOUS: entropy.PAIR, Key.LAB_ARITIES: (3, 3), Key.LAB_PAIR_ROWS: 200},
            ),
            Step(
                "A statistic is T on the data and ⟨T⟩ on replicates, on average. What is its corrected value?",
                ("⟨T⟩", "½ (T + ⟨T⟩)", "2 T − ⟨T⟩"),
                2,
                "The bias is estimated as ⟨T⟩ − T, with the data in the place of the truth. It is subtracted from T.",
                statistic.statistic_section,
                "lab_resampled",
                {Key.LAB_STATISTIC: "Mutual information"},
            ),
            Step(
                "The correction of a score is half a nat per parameter. Where tables have empty cells, is "
                "this too much?",
                ("Too little", "Just right", "Too much"),
                2,
                "A cell without rows is empty in every replicate: it adds nothing to the fit, and yet its parameter "
                "counts.",
                entropy.sparse_section,
                "lab_added_by_rows",
                {Key.LAB_TRUTH: "asia", Key.LAB_SPARSE_ROWS: 200},
            ),
            Step(
                "The delete-1 jackknife leaves out one row at a time. Is the standard deviation of its replicates a "
                "standard error?",
                ("No, it is far too small", "Yes", "No, it is far too large"),
                0,
                "Two of its replicates differ in one row only. The standard error is √(N − 1) times as large.",
                fit.errors_section,
                "lab_errors",
                {Key.LAB_VARYING: fit.ENTROPY, Key.LAB_TRUTH: "asia", Key.LAB_ERROR_ROWS: 300},
            ),
        ),
        seeded=Key.LAB_SAMPLE,
    ),
}
