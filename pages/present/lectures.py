"""The lectures: steps that ask a question about something that is shown, and then answer it with one picture.

Their texts stand in ``lectures.toml``, in the order of what is drawn here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pages.bayesian import evidence, graphs
from pages.bayesian.page import SECTIONS as BAYESIAN
from pages.bias_lab import entropy, fit, replicates, statistic
from pages.bias_lab.page import SECTIONS as BIAS_LAB
from pages.mdl import lessons
from pages.mdl.page import SECTIONS as MDL
from pages.present import subjects
from pages.shared.keys import Key
from pages.shared.lessons import Subject
from pages.shared.words import words


@dataclass(frozen=True)
class Drawn:
    """What a step draws.

    Attributes
    ----------
    about : callable
        Draws what the question is about.
    draw : callable
        Draws the section that answers it.
    settings : mapping
        Values of the section's widgets, by their keys; they can be changed after the step was opened.
    beside : bool
        Whether what the question is about stays beside the answer.
    """

    about: Callable[[Subject], None]
    draw: Callable[[Subject], None]
    settings: Mapping[str, Any] = field(default_factory=dict)
    beside: bool = False


@dataclass(frozen=True)
class Step:
    """A question, and the section that answers it.

    Attributes
    ----------
    drawn : Drawn
    lesson : (str, str)
        Where the section is explored: the page and the title of its section. It runs on the same table.
    question : str
    options : list of str
        What can be answered.
    right : int
        The number of the right option.
    because : str
        The reason, in a sentence or two.
    picture : str
        The section's picture that is shown, by its name.
    """

    drawn: Drawn
    lesson: tuple[str, str]
    question: str
    options: list[str]
    right: int
    because: str
    picture: str


@dataclass(frozen=True)
class Lecture:
    """A title, the bundled table that it runs on, its steps, and the key of the widget that takes a student's seed."""

    title: str
    table: str
    steps: tuple[Step, ...]
    seeded: str | None = None


_SHARES = {Key.LAB_STATES: 8, Key.LAB_SKEW: 0.5}
_FEW_ROWS = _SHARES | {Key.LAB_ROWS: 50, Key.LAB_SCALE: entropy.BIAS}
_MANY_ROWS = _SHARES | {Key.LAB_ROWS: 500, Key.LAB_SCALE: entropy.SCALED}
_PAIR = {Key.LAB_ARITIES: (3, 3), Key.LAB_PAIR_ROWS: 200}
_JACKKNIFE = {Key.LAB_VARYING: fit.ENTROPY, Key.LAB_TRUTH: "asia", Key.LAB_ERROR_ROWS: 300}
_SURVEY = {Key.GROWTH_NETWORK: "survey", Key.GROWTH_ESS: 1.0}
_SPREAD = Drawn(
    subjects.measurements, statistic.statistic_section, {Key.LAB_STATISTIC: "Variance", Key.LAB_MEASURED: 10}
)
_STEPS = {
    "mdl": (
        Drawn(subjects.rows_of("lecture_4"), lessons.worked_section, {Key.WORKED_ROWS: 4}, True),
        Drawn(subjects.rows_of("lecture_8"), lessons.worked_section, {Key.WORKED_ROWS: 8}, True),
        Drawn(subjects.two_lengths, lessons.differences_section),
        Drawn(subjects.counts, lessons.precision_section, {Key.PRECISION_ROWS: 1000}),
        Drawn(subjects.graph, lessons.copies_section, {Key.COPIES: 64}),
        Drawn(subjects.graph, evidence.sample_size_section, {Key.SHOWN_ESS: 100.0}),
        Drawn(subjects.three_columns, evidence.equivalence_section),
    ),
    "bootstrap": (
        Drawn(subjects.replicate, replicates.replicates_section),
        _SPREAD,
        _SPREAD,
        Drawn(subjects.state_shares, entropy.entropy_section, _FEW_ROWS),
        Drawn(subjects.state_shares, entropy.entropy_section, _MANY_ROWS),
        Drawn(subjects.g_squared, entropy.spurious_section, _PAIR | {Key.LAB_FOUND: entropy.ALL_TABLES}),
        Drawn(subjects.g_squared, entropy.spurious_section, _PAIR | {Key.LAB_FOUND: entropy.FOUND}),
        Drawn(subjects.information, statistic.statistic_section, {Key.LAB_STATISTIC: "Mutual information"}),
        Drawn(subjects.sparse, entropy.sparse_section, {Key.LAB_TRUTH: "asia", Key.LAB_SPARSE_ROWS: 200}),
        Drawn(subjects.without_one, fit.errors_section, _JACKKNIFE),
    ),
    "graphs": (
        Drawn(subjects.true_network("survey"), evidence.growth_section, _SURVEY),
        Drawn(subjects.graph, graphs.pairs_section),
        Drawn(subjects.graph, graphs.arrows_section),
        Drawn(subjects.true_network("hidden"), graphs.hidden_section, {Key.HIDDEN_ROWS: 2000, Key.ROWS_SEED: 0}),
    ),
}
_TEXTS = words("present/lectures")
_LESSONS = {
    draw: (page, title)
    for page, sections in (("mdl", MDL), ("bayesian", BAYESIAN), ("bias_lab", BIAS_LAB))
    for title, draw in sections.items()
}
#: By their names in the address.
LECTURES = {
    name: Lecture(
        _TEXTS[name]["title"],
        _TEXTS[name]["table"],
        tuple(Step(one, _LESSONS[one.draw], **texts) for one, texts in zip(drawn, _TEXTS[name]["steps"], strict=True)),
        Key.LAB_SAMPLE if name == "bootstrap" else None,
    )
    for name, drawn in _STEPS.items()
}
