"""Table 1: the paper's experiments with its values next to ours, and several scores side by side."""

import streamlit as st

import bnengine as bn
from bnengine.experiment.paper import published_beside
from pages.shared import in_use, jobs, settings, show
from pages.shared.downloads import take_away
from pages.shared.experiments import progress_of
from pages.shared.format import escaped
from pages.shared.keys import Key
from pages.shared.own_data import own_data
from pages.shared.widgets.choice import tabs
from pages.table1.experiments import (
    EXPLAINED,
    FIRST,
    SECOND,
    chosen_experiments,
    on_annealing,
    pictures,
    sentence,
    why_ours_differ,
)


def main() -> None:
    """Draw the page."""
    which = tabs("Experiment", list(EXPLAINED), Key.PAPER_SECTION)
    data = own_data() if which != FIRST else None
    if which != FIRST and data is None:
        return
    experiments, lines = chosen_experiments(which, settings.experiment())
    if not experiments:
        st.info("Choose a score.")
        return
    tables = None if which == FIRST or data is None else dict.fromkeys(experiments, data)
    of = (tables, {title: one.key for title, one in experiments.items()})
    heading = st.empty()
    show.finding(f"Table 1: {which}", heading)
    studies = jobs.result_of(
        "table1",
        of,
        lambda progress: bn.paper.run_experiments(experiments, tables, progress=progress),
        "graphs",
        None if which == FIRST else ("Run the experiment", EXPLAINED[which]),
        for_all=complete if which == FIRST else None,
    )
    if studies is None:
        return
    if not complete(studies):
        done = "; ".join(f"{escaped(title)}: {progress_of(study)}" for title, study in studies.items())
        jobs.offer_again("table1", of, f"Stopped early. The partial result is shown: {done}.")
    beside = {}
    if which == SECOND and data is not None:
        title = published_beside(data, in_use.recipe())
        beside = dict.fromkeys(experiments, title) if title else {}
    table = bn.paper.paper_table(studies, beside)
    show.finding(sentence(table), heading)
    st.caption(f"{EXPLAINED[which]} The correction has the paper's strength, ½ nat per parameter.")
    pictures(table)
    if which == FIRST:
        why_ours_differ(experiments)
    elif which == SECOND:
        on_annealing(bool(beside))
    take_away(("Table", table, "table1.csv"), code=lines)


def complete(studies: dict[str, bn.Study]) -> bool:
    """Return whether all replicates of all experiments were learned."""
    return not any(study.status == "stopped" for study in studies.values())


main()
