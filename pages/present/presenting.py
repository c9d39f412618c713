"""Present a lecture: one step at a time, large, the question before its answer; the address holds lecture and step."""

import secrets
from pathlib import Path

import streamlit as st

from pages.present import subjects
from pages.present.lectures import LECTURES, Lecture, Step
from pages.shared import compilation, frame, state
from pages.shared.keys import Key
from pages.shared.lessons import subject_of
from pages.shared.widgets import remote

#: Parameters of the address. A seed of this word gives every student another sample.
LECTURE, STEP, SEED, EACH = "lecture", "step", "seed", "each"
_MOST = 10_000
#: How a step looks: its picture takes the height that is left.
_LARGE = Path(__file__).with_name("lecture.css").read_text(encoding="utf-8")


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
            _options(lecture, step, key)


def _offered() -> None:
    """List the lectures, with the links to hand out."""
    frame.without_settings()
    st.markdown("## Lectures: first a question, then the picture that answers it")
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
    for key, value in lecture.steps[number].drawn.settings.items():
        state.put(key, value)
    if lecture.seeded is not None and seed is not None:
        state.put(lecture.seeded, seed)


def _top(lecture: Lecture, number: int, seed: int | None, key: str, answered: bool) -> None:
    """Say where in the lecture this is; the ways back and on, which the arrow keys take, too, and out."""
    with st.container(horizontal=True, vertical_alignment="center"):
        own = "" if seed is None else f" · your sample: {seed}"
        st.markdown(f"**{lecture.title}** · {number + 1} of {len(lecture.steps)}{own}", width="stretch")
        with st.container(key=Key.LECTURE_BACK, width="content"):
            st.button("Back", shortcut="Left", on_click=_go, args=(max(number, 1),), disabled=number == 0)
        with st.container(key=Key.LECTURE_ON, width="content"):
            if not answered:
                st.button("Show the answer", shortcut="Right", on_click=_give, args=(key, None), type="primary")
            elif number + 1 < len(lecture.steps):
                st.button("Next", shortcut="Right", on_click=_go, args=(number + 2,), type="primary")
        page, title = lecture.steps[number].lesson
        if st.button("Explore", type="tertiary", icon=":material/tune:", help="Open the lesson on the same data."):
            state.put(Key.section(page), title)
            state.open_page(page, st.query_params.to_dict())
        remote.draw(Key.REMOTE)
        st.button("End", type="tertiary", icon=":material/close:", on_click=_leave)


def _options(lecture: Lecture, step: Step, key: str) -> None:
    with st.container(key=Key.LECTURE_OPTIONS, horizontal=True):
        for number, option in enumerate(step.options):
            shortcut = str(number + 1)
            st.button(option, key=Key.of(key, number), shortcut=shortcut, on_click=_give, args=(key, number))
    _subject(lecture, step)


def _subject(lecture: Lecture, step: Step) -> None:
    """Draw what the question is about."""
    state.put(Key.PICTURE, subjects.PICTURE)
    with st.container(key=Key.LECTURE_SUBJECT):
        compilation.wait()
        step.drawn.about(subject_of(lecture.table))


def _answer(lecture: Lecture, step: Step, given: int | None) -> None:
    """Show the right answer beside the one that was given, and the picture."""
    right = step.options[step.right]
    if given is None:
        st.info(f"**{right}.** {step.because}", icon=":material/lightbulb:")
    elif given == step.right:
        st.success(f"**{right}**, as you answered. {step.because}", icon=":material/check:")
    else:
        st.warning(f"**{right}**; you answered: {step.options[given]}. {step.because}", icon=":material/lightbulb:")
    place = st.container()
    if step.drawn.beside:
        left, place = st.columns([1, 4], gap="medium")
        with left:
            _subject(lecture, step)
    state.put(Key.PICTURE, step.picture)
    with place, st.container(key=Key.LECTURE_ANSWER):
        compilation.wait()
        step.drawn.draw(subject_of(lecture.table))


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
