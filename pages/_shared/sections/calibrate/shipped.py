"""The evidence: the shipped benchmark of all methods on known networks, for both questions."""

import math
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import evidence, session, show
from pages._shared.downloads import take_away
from pages._shared.figures.evidence import evidence_figure
from pages._shared.format import counted, percent, short
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import tabs
from pages._shared.widgets.later import later

_HEADINGS = {"found again": "Found again: error against π", "real": "Real: error against the true network"}

_FIRST = 8  # methods with the smallest error
_ALWAYS = ("own", "naive", "leading")


def shipped(data: bn.Dataset | None) -> None:
    """Which method for which question: sentence, a picture for each question, tables and downloads."""
    found = evidence.evidence()
    if found is None:
        st.info("This copy has no benchmark results. `benchmarks/which_confidence.py` computes them.")
        return
    top, pictures = st.container(), st.container()
    part = _part(found)
    band = _band(found, data)
    show.finding(sentence(found, part), top)
    tables = {question: evidence.lines(found, part, question, band) for question in evidence.QUESTIONS}
    with pictures:
        more = st.toggle(f"Show all {most_methods(tables)} methods", **kept(Key.EVIDENCE_MORE))
        for column, (question, table) in zip(st.columns(2, gap="large"), tables.items(), strict=True):
            with column:
                unit = found["parts"][part]["questions"][question]["unit"]
                _picture(question, table if more else the_first(table), unit)
    later("All numbers of the evidence", "evidence", ":material/table_rows:", lambda: numbers(tables))
    show.note(about(found, part), "evidence")


def sentence(found: dict[str, Any], part: str) -> str:
    """The method with the smallest worst regret for each question, unless other networks would lead to another."""
    parts = []
    for question in evidence.QUESTIONS:
        chosen = evidence.choice_of(found, part, question)
        best, second = (evidence.title_of(found, key) for key in (chosen.default, chosen.runner_up))
        # in quotes, since these names hold commas and "and"
        which = f"the {best} has the smallest worst regret" if chosen.clear else ""
        parts.append(f"*{question}*: {which or f'no clear winner between “{best}” and “{second}”'}")
    return f"On {counted(len(found['parts'][part]['networks']), 'known network')}, {'; '.join(parts)}."


def most_methods(tables: dict[str, pd.DataFrame]) -> int:
    """The number of methods that the questions were asked of."""
    return max(len(table) for table in tables.values())


def the_first(table: pd.DataFrame) -> pd.DataFrame:
    """The methods with the smallest error, and those that everything is compared with."""
    return table[(table.index < _FIRST) | table["key"].isin(_ALWAYS)]


def numbers(tables: dict[str, pd.DataFrame]) -> None:
    """The table of each question."""
    for question, table in tables.items():
        _table(question, table)


def _part(found: dict[str, Any]) -> str:
    """The networks: those that the methods were chosen by, or others."""
    titles = {part: f"Networks: {part}" for part in found["parts"]}
    return str(tabs("Networks", titles, Key.EVIDENCE_PART)) if len(titles) > 1 else next(iter(titles))


def _band(found: dict[str, Any], data: bn.Dataset | None) -> int | None:
    """The chosen band of rows per parameter; None for all."""
    options: dict[int, str] = {-1: "All settings"}
    for number, (low, high) in enumerate(evidence.bands(found)):
        options[number] = f"{short(low)} or more" if math.isinf(high) else f"{short(low)} to {short(high)}"
    own = _own_ratio(data)
    chosen = tabs("Rows per free parameter", options, Key.EVIDENCE_BAND, label_visibility="visible")
    if own is not None:
        st.caption(
            f"Your data have {counted(own, 'row')} per free parameter of the graph learned from them: "
            f"*{options[evidence.band_of(found, own)]}*."
        )
    return None if chosen == -1 else int(chosen)


def _own_ratio(data: bn.Dataset | None) -> float | None:
    """Rows of the data per free parameter of the graph learned from them, if it was learned."""
    known = session.results.graph(session.settings.experiment()) if data is not None else None
    if data is None or known is None:
        return None
    return data.n_rows / max(bn.n_parameters(data, known[0].edges), 1)


def _picture(question: str, table: pd.DataFrame, unit: str) -> None:
    """One question: each method's error minus that of the corrected bootstrap."""
    st.markdown(f"**{_HEADINGS[question]}**")
    if not len(table):
        st.caption("No setting of the benchmark is in this band.")
        return
    alt = f"{_HEADINGS[question]}: difference of each method to the corrected bootstrap"
    name = f"evidence_{question.replace(' ', '_')}"
    show.chart(evidence_figure(table, unit, session.dark()), name, alt)
    st.caption("Minus the error of the corrected bootstrap; left of the line is better.")


def _table(question: str, table: pd.DataFrame) -> None:
    """One question: the numbers."""
    st.markdown(f"**{_HEADINGS[question]}**")
    titles = {
        "key": None,
        "difference": ("Difference", 3),
        "error": ("± SE", 3),
        "regret": ("Mean regret", 3),
        "worst": ("Worst regret", 3),
    }
    show.table(table, titles, height=300)
    take_away((f"Evidence, {question}", table, f"evidence_{question.replace(' ', '_')}.csv"))


def about(found: dict[str, Any], part: str) -> str:
    """What was run."""
    ran, how = found["parts"][part], found["about"]
    tables = ran["tables"]
    least = "" if tables[0] == tables[-1] else f"{tables[0]} to "
    settings = evidence.choice_of(found, part, "found again").settings
    shares = "; ".join(
        f"{question}: {percent(evidence.choice_of(found, part, question).share)}" for question in evidence.QUESTIONS
    )
    return (
        f"Networks: {', '.join(ran['networks'])}. Rows: {', '.join(f'{n:,}' for n in ran['rows'])}. Scores: "
        f"{', '.join(ran['scores'])}; {how['search']}; {how['replicates']} replicates; π from {how['fresh']} fresh "
        f"tables; {least}{counted(tables[-1], 'table')} per setting. Differences: mean over networks ± standard error. "
        "Regret: excess over the best method of a setting. Named above: the smallest worst regret, of the methods that "
        f"were run in all {settings} settings. Share of resampled sets of networks that lead to the same choice: "
        f"{shares}."
    )
