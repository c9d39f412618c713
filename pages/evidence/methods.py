"""Which method is right: the shipped benchmark of all methods on known networks, for both questions."""

from typing import Any

import pandas as pd
import streamlit as st

from bnengine.answers.reliability import dated
from bnengine.plots.methods import evidence_figure
from pages.evidence import calibration
from pages.shared import benchmark_results, frame, show, state
from pages.shared.benchmark_results import QUESTIONS
from pages.shared.downloads import csv_button
from pages.shared.format import counted, percent, short
from pages.shared.keys import Key
from pages.shared.widgets.choice import lazy_expander, tabs
from pages.shared.words import EVIDENCE as WORDS

#: The two questions as a person asks them.
_ASKED = {"found again": "Would it be found again?", "real": "Is it real?"}
#: The method whose number the pages show, for each question.
_SHOWN = {"found again": "predictive", "real": "real"}
_UNITS = {"edges per true edge": "wrong edges per true edge"}
_NETWORKS = {"chosen by": "Networks that the methods were chosen by", "held out": "Networks held out from that choice"}
_TITLES = {
    **{"bias": ("Bias", 3), "bias_error": ("± SE", 3), "missed": ("Intervals that miss", 3), "width": ("Width", 3)},
    "without_edge": "Pairs without an edge",
    "missed_without_edge": ("Of these, intervals that miss", 3),
}
_OWN = "own network"
_FIRST = 8  # methods with the smallest error
_ALWAYS = ("own", "naive", "leading")


def draw() -> None:
    """Show which method suits which question: a sentence, a picture for each question; the details closed."""
    found = benchmark_results.shipped("evidence")
    if not state.get(Key.opened(_OWN)):
        frame.without_settings()
    show.finding(WORDS["headline"])
    st.markdown(f"{in_numbers(found)}\n\n{benchmark_results.on_real_cells()}")
    part = next(iter(found["parts"]))
    for column, question in zip(st.columns(2, gap="large"), QUESTIONS, strict=True):
        with column:
            _picture(found, part, question)
    lazy_expander("All methods, by networks", "evidence", ":material/table_rows:", details)
    title = "Strengths and directions of the edges that are drawn"
    lazy_expander(title, "drawn edges", ":material/straighten:", drawn_edges)
    title = "Which method is right for your data, or on a network of your choice?"
    place = st.expander(title, icon=":material/verified:", key=Key.opened(_OWN), on_change="rerun")
    if place.open:  # the settings are shown then, too
        with place:
            calibration.draw()


def in_numbers(found: dict[str, Any]) -> str:
    """Say how far each of our numbers was behind the best method at worst, the naive bootstrap beside it."""
    n_networks = sum(len(part["networks"]) for part in found["parts"].values())
    sentences = []
    for question in QUESTIONS:
        behind = [worst_regret(found, question, key) for key in (_SHOWN[question], "naive")]
        ours, naive = (short(worst) + (f" ± {short(error, 2)}" if error else "") for worst, error in behind)
        unit = next(iter(found["parts"].values()))["questions"][question]["unit"]
        sentences.append(
            f"*{question.capitalize()}* was never more than **{ours}** {_UNITS.get(unit, unit)} behind the best "
            f"method, the naive bootstrap up to **{naive}**."
        )
    known = f"{counted(n_networks, 'known network')} (± standard error over tables)"
    return f"On tables from {known}: {' '.join(sentences)} {WORDS['of_paper']}"


def worst_regret(found: dict[str, Any], question: str, key: str) -> tuple[float, float]:
    """Return how far a method is behind the best one where it is furthest, and the standard error over tables."""
    asked = [part["questions"][question] for part in found["parts"].values()]
    lines = [one["by_measure"][one["measure"]][key] for one in asked]
    return max((float(line["worst"]), float(line["worst_error"] or 0.0)) for line in lines)


def _picture(found: dict[str, Any], part: str, question: str) -> None:
    """Draw each method's error minus that of the corrected bootstrap, for one question."""
    table = benchmark_results.lines(found, part, question)
    table = table[(table.index < _FIRST) | table["key"].isin((*_ALWAYS, _SHOWN[question]))]
    unit = found["parts"][part]["questions"][question]["unit"]
    st.markdown(f"**{_ASKED[question]}**")
    alt = f"{_ASKED[question]} Difference of each method to the corrected bootstrap"
    show.chart(
        evidence_figure(table, unit, state.dark(), _SHOWN[question]), f"evidence_{question.replace(' ', '_')}", alt
    )
    st.caption(
        "Error minus that of the corrected bootstrap; left of the line is better. Diamond: the Network page's number."
    )


def details() -> None:
    """Show the numbers of every method, on the networks that are chosen."""
    found = benchmark_results.shipped("evidence")
    part = str(tabs("Networks", {name: _NETWORKS[name] for name in found["parts"]}, Key.EVIDENCE_PART))
    numbered = {"difference": "Difference", "error": "± SE", "regret": "Mean regret", "worst": "Worst regret"}
    numbered["worst_error"] = "± SE over tables"
    titles = {"key": None, **{column: (title, 3) for column, title in numbered.items()}}
    for question in QUESTIONS:
        table = benchmark_results.lines(found, part, question)
        st.markdown(f"**{_ASKED[question]}**")
        show.table(table, titles, height=300)
        csv_button(f"Evidence, {question}", table, f"evidence_{question.replace(' ', '_')}.csv")
    show.note(about(found, part), "evidence")


def drawn_edges() -> None:
    """Show how true the strengths and the directions of drawn edges were, by the number of rows."""
    st.markdown(f"{benchmark_results.on_strengths()} {benchmark_results.on_directions()}")
    measured = benchmark_results.shipped("measured")
    found = measured["drawn_edges"]
    for lines in (found["strengths_by_network"], found["directions"], measured["no_effects"]):
        table = pd.DataFrame(lines)
        show.table(table, {name: _TITLES.get(name, name.capitalize()) for name in table})
    show.note(WORDS["drawn_edges"], "drawn edges")


def about(found: dict[str, Any], part: str) -> str:
    """Say what was run, and which method comes out best."""
    ran, how = found["parts"][part], found["about"]
    tables = ran["tables"]
    least = "" if tables[0] == tables[-1] else f"{tables[0]} to "
    best = "; ".join(_best(found, part, question) for question in QUESTIONS)
    settings = ran["questions"]["real"]["settings"]
    smallest = f"The smallest worst regret of the methods that were run in all {settings} settings: {best}."
    return (
        f"Networks: {', '.join(ran['networks'])}. Rows: {', '.join(f'{n:,}' for n in ran['rows'])}. Scores: "
        f"{', '.join(ran['scores'])}; {how['search']}; {how['replicates']} replicates; {how['fresh']} fresh tables "
        f"say how often an edge is found again; {least}{counted(tables[-1], 'table')} per setting. Differences: mean "
        "over networks ± standard error. Regret: error above that of the best method of a setting, which is never a "
        "method that was applied to only one of several tables. "
        f"{dated('pages/shared/evidence.json', smallest)} {benchmark_results.on_replicates()}"
    )


def _best(found: dict[str, Any], part: str, question: str) -> str:
    """Say which method has the smallest worst regret of the table, and of all measures by which it was chosen."""
    asked, table = found["parts"][part]["questions"][question], benchmark_results.lines(found, part, question)
    whole = table[table["settings"] == asked["settings"]]
    first = str(whole.loc[whole["worst"].idxmin(), "method"])
    chosen, both = benchmark_results.title_of(found, asked["default"]), ""
    if len(asked["by_measure"]) > 1:
        both = f"by this and the Brier score together {'also this one' if first == chosen else f'the {chosen}'}, "
    sure = f"in {percent(asked['share'])} of sets of networks drawn from these at random"
    return f"{first} for *{question}* ({both}{sure})"
