"""Guided walks: lectures, whose steps ask a question and then show one picture, and two paths through the pages."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

import bnengine as bn
from pages.bayesian import evidence
from pages.bias_lab import entropy, fit, replicates, statistic
from pages.mdl import lessons
from pages.shared import compilation, frame, redraws, state
from pages.shared.keys import Key
from pages.shared.lessons import Subject, subject_of


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
    lesson : (str, str, str)
        Where the section is explored: the page, and the key and the title of its section. It runs on the same table.
    settings : mapping
        Values of the section's widgets, by their keys; they can be changed after the step was opened.
    rows : str
        The bundled table that the question is about, which is shown with it; empty for none.
    """

    question: str
    options: tuple[str, ...]
    right: int
    because: str
    draw: Callable[[Subject], None]
    picture: str
    lesson: tuple[str, str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    rows: str = ""


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
                lessons.worked_section,
                "worked bars",
                ("mdl", Key.MDL_SECTION, "Worked example"),
                {Key.WORKED_ROWS: 4},
                rows="lecture_4",
            ),
            Step(
                "Four further rows follow the same pattern without exception. How much does the edge save now?",
                ("Less than before", "As much as before", "More than before"),
                2,
                "A parameter costs ½ log₂ N bits, which hardly grows; the bits saved grow with every row.",
                lessons.worked_section,
                "worked bars",
                ("mdl", Key.MDL_SECTION, "Worked example"),
                {Key.WORKED_ROWS: 8},
                rows="lecture_8",
            ),
            Step(
                "A probability is learned from 1,000 rows. How many distinct values do the rows justify?",
                ("About 30", "About 500", "About 1,000"),
                0,
                "About √N: its standard error is about 1/√N, and finer values are digits that the rows do not "
                "determine. Hence ½ log₂ N bits per parameter.",
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
                replicates.replicates_section,
                redraws.REDRAWS,
                ("bias_lab", Key.LAB_SECTION, "Replicates"),
            ),
            Step(
                "A bootstrap replicate draws rows with replacement. Is it more or less spread out than its sample?",
                ("More", "As much, on average", "Less"),
                2,
                "Some states are drawn too often, others too seldom or never. Entropy is concave, so that on average "
                "it is lower (Jensen's inequality).",
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
                entropy.spurious_section,
                "lab_g_squared",
                ("bias_lab", Key.LAB_SECTION, "Spurious dependence"),
                {Key.LAB_ARITIES: (3, 3), Key.LAB_PAIR_ROWS: 200},
            ),
            Step(
                "A statistic is T on the data and ⟨T⟩ on replicates, on average. What is its corrected value?",
                ("⟨T⟩", "½ (T + ⟨T⟩)", "2 T − ⟨T⟩"),
                2,
                "The bias is estimated as ⟨T⟩ − T, with the data in the place of the truth. It is subtracted from T.",
                statistic.statistic_section,
                "lab_resampled",
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
                fit.errors_section,
                "lab_errors",
                ("bias_lab", Key.LAB_SECTION, "Jackknife"),
                {Key.LAB_VARYING: fit.ENTROPY, Key.LAB_TRUTH: "asia", Key.LAB_ERROR_ROWS: 300},
            ),
        ),
        seeded=Key.LAB_SAMPLE,
    ),
}


# Present a lecture: one step at a time, large, the question before its answer; the address holds lecture and step.

#: Parameters of the address. A seed of this word gives every student another sample.
LECTURE, STEP, SEED, EACH = "lecture", "step", "seed", "each"
_MOST = 10_000
_CONTROLS = ", ".join(
    f"[data-testid=st{kind}]" for kind in ("Slider", "NumberInput", "Selectbox", "MultiSelect", "ButtonGroup")
)
_ANSWER = ".st-key-lecture_answer"
#: The picture comes right after the finding, the controls after the picture; tables and downloads stay on the lesson.
_LARGE = f"""
[data-testid=stHeader], [data-testid=stSidebar], [data-testid=stExpandSidebarButton],
.st-key-head, .st-key-glossary,
  [data-testid=stLayoutWrapper]:has(> [class*=st-key-lecture_keys]) {{display: none !important}}
.stMainBlockContainer {{padding-top: 1.2rem !important; max-width: 100rem; margin: 0 auto}}
@media (min-width: 900px) {{html {{font-size: clamp(17px, .72vw + 9px, 24px)}}}}
h1.page {{position: absolute; clip-path: inset(50%)}}
.st-key-lecture_step h2 {{font-size: 1.55rem; line-height: 1.3}}
{_ANSWER} h2 {{font-size: 1.15rem}}
{_ANSWER} :is([data-testid=stCaptionContainer], [data-testid=stDataFrame], [data-testid=stDownloadButton],
  [data-testid=stPopover], [data-testid=stExpander]) {{display: none}}
{_ANSWER} [data-testid=stHorizontalBlock]:has([data-testid=stPlotlyChart])
  > [data-testid=stColumn]:not(:has([data-testid=stPlotlyChart])) {{display: none}}
:is({_ANSWER}, {_ANSWER} [data-testid=stVerticalBlock])
  > :is([data-testid=stElementContainer], [data-testid=stLayoutWrapper]):has({_CONTROLS}):not(
  :has([data-testid=stPlotlyChart])) {{order: 1}}
.st-key-lecture_options button p {{font-size: 1.15rem}}
"""


def present() -> None:
    """Draw the step of the address."""
    name = st.query_params.get(LECTURE, "")
    if name not in LECTURES:
        _offered()
        return
    st.html(f"<style>{_LARGE}</style>")
    lecture = LECTURES[name]
    number, seed = _step(lecture), _seed(lecture)
    step = lecture.steps[number]
    _begin(lecture, name, number, seed)
    key = f"{name} {number}"
    answers: dict[str, int | None] = state.get(Key.ANSWERS, {})
    _top(lecture, number, seed, key, key in answers)
    with st.container(key=Key.LECTURE_STEP):
        st.markdown(f"## {step.question}")
        if key in answers:
            _answer(lecture, step, answers[key])
        else:
            _options(step, key)


def _offered() -> None:
    """List the lectures, with the links to hand out."""
    frame.without_settings()
    st.markdown("## Two lectures: first a question, then the picture that answers it")
    st.markdown(
        "The arrow keys, Page Down, Page Up and a presenter's remote control lead on and back; the keys 1 to 3 answer. "
        "A link opens the lecture for a class."
    )
    address = (st.context.url or "").split("?")[0]
    for column, (name, lecture) in zip(st.columns(len(LECTURES), border=True), LECTURES.items(), strict=True):
        with column:
            st.markdown(f"### {lecture.title}")
            label, key = "Present", Key.start(name)
            st.button(label, icon=":material/slideshow:", type="primary", key=key, on_click=_go, args=(1, name))
            st.markdown("\n".join(f"{number}. {step.question}" for number, step in enumerate(lecture.steps, 1)))
            st.caption("The link for a class, in which all see the same:")
            st.code(f"{address}?{LECTURE}={name}", language=None, wrap_lines=True)
            if lecture.seeded is not None:
                st.caption("The link with which every student has a random sample of their own:")
                st.code(f"{address}?{LECTURE}={name}&{SEED}={EACH}", language=None, wrap_lines=True)


def _step(lecture: Lecture) -> int:
    """Return the step of the address, from 0; the nearest there is."""
    text = st.query_params.get(STEP, "1")
    number = int(text) if text.isdecimal() and len(text) < 4 else 1
    return min(max(number, 1), len(lecture.steps)) - 1


def _seed(lecture: Lecture) -> int | None:
    """Return the seed of the address; where everybody is to have their own, draw one and put it there."""
    text = st.query_params.get(SEED, "")
    if lecture.seeded is None or not text:
        return None
    if text == EACH:
        text = str(secrets.randbelow(_MOST) + 1)
        st.query_params[SEED] = text
    return min(int(text), _MOST) if text.isdecimal() and len(text) < 10 else None


def _begin(lecture: Lecture, name: str, number: int, seed: int | None) -> None:
    """Set the widgets of a step when it is opened."""
    now = (name, number, seed)
    if state.get(Key.LECTURE_NOW) == now:
        return
    state.put(Key.LECTURE_NOW, now)
    for key, value in lecture.steps[number].settings.items():
        state.put(key, value)
    if lecture.seeded is not None and seed is not None:
        state.put(lecture.seeded, seed)


def _top(lecture: Lecture, number: int, seed: int | None, key: str, answered: bool) -> None:
    """Say where in the lecture this is; the ways back and on, which the arrow keys take, too, and out."""
    with st.container(horizontal=True, vertical_alignment="center"):
        own = "" if seed is None else f" · your sample: {seed}"
        st.markdown(f"**{lecture.title}** · {number + 1} of {len(lecture.steps)}{own}", width="stretch")
        _turning("Back", ("Left", "PageUp"), _go, max(number, 1), disabled=number == 0)
        if not answered:
            _turning("Show the answer", ("Right", "PageDown", "Space"), _give, key, None, type="primary")
        elif number + 1 < len(lecture.steps):
            _turning("Next", ("Right", "PageDown", "Space"), _go, number + 2, type="primary")
        page, section, title = lecture.steps[number].lesson
        if st.button("Explore", type="tertiary", icon=":material/tune:", help="Open the lesson on the same data."):
            state.put(section, title)
            state.open_page(page, st.query_params.to_dict())
        st.button("End", type="tertiary", icon=":material/close:", on_click=_leave)


def _turning(label: str, keys: tuple[str, ...], turn: Callable[..., None], *args: object, **looks: Any) -> None:
    """Draw a button that several keys press, those of a presenter's remote control among them.

    Streamlit takes one key a button; the buttons of the others are there, but not seen.
    """
    st.button(label, shortcut=keys[0], on_click=turn, args=args, **looks)
    with st.container(key=Key.of(Key.LECTURE_KEYS, label)):
        for number, key in enumerate(keys[1:]):
            st.button(label, key=Key.of(Key.LECTURE_KEYS, label, number), shortcut=key, on_click=turn, args=args)


def _options(step: Step, key: str) -> None:
    with st.container(key=Key.LECTURE_OPTIONS, horizontal=True):
        for number, option in enumerate(step.options):
            shortcut = str(number + 1)
            st.button(option, key=Key.of(key, number), shortcut=shortcut, on_click=_give, args=(key, number))
    if step.rows:
        st.table(bn.Dataset.from_frame(bn.load_sample(step.rows)).to_frame(), hide_index=True, width="content")


def _answer(lecture: Lecture, step: Step, given: int | None) -> None:
    """Show the right answer beside the one that was given, and the picture."""
    right = step.options[step.right]
    if given is None:
        st.info(f"**{right}.** {step.because}", icon=":material/lightbulb:")
    elif given == step.right:
        st.success(f"**{right}**, as you answered. {step.because}", icon=":material/check:")
    else:
        st.warning(f"**{right}**; you answered: {step.options[given]}. {step.because}", icon=":material/lightbulb:")
    state.put(Key.PICTURE, step.picture)
    with st.container(key=Key.LECTURE_ANSWER):
        compilation.wait()
        step.draw(subject_of(lecture.table))


def _give(key: str, number: int | None) -> None:
    state.put(Key.ANSWERS, {**state.get(Key.ANSWERS, {}), key: number})


def _go(step: int, name: str | None = None) -> None:
    if name is not None:
        st.query_params[LECTURE] = name
        state.put(Key.ANSWERS, {})
    st.query_params[STEP] = str(step)


def _leave() -> None:
    for parameter in (LECTURE, STEP, SEED):
        st.query_params.pop(parameter, None)
