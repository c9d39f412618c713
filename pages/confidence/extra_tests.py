"""Further questions to a study: paths and blankets, the exact posterior."""

from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.relations import relation_table
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.experiment.learning import python_real
from bnengine.posterior import EdgePosterior
from pages.confidence.answer_tables import (
    ERROR_HELP,
    REAL_HELP,
    error_title,
    found_again_titles,
)
from pages.shared import experiments, settings, show
from pages.shared.downloads import take_away
from pages.shared.format import escaped, probability, share
from pages.shared.keys import Key
from pages.shared.widgets.choice import choice, lazy_expander, tabs

_RELATIONS = {"path": "Directed path", "blanket": "Markov blanket", "parent": "Common parent"}
_FROM = {"path": "From", "blanket": "Of", "parent": "Of"}
_TO = {"path": "To", "blanket": "Contains", "parent": "And"}
_SAID = {
    "path": "A directed path from **{a}** to **{b}**",
    "blanket": "**{b}** in the Markov blanket of **{a}**",
    "parent": "A common parent of **{a}** and **{b}**",
}
_LIKELY = 0.5


def features(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, real: EdgePosterior | None) -> None:
    """Offer questions about paths, Markov blankets and common parents."""
    if real is None or not study.ensembles or len(real.names) < 2:
        return
    title = "Beyond single edges: paths, Markov blankets, common parents"
    lazy_expander(title, "features", ":material/route:", lambda: relations(study, experiment, data, real))


def relations(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, real: EdgePosterior) -> None:
    """Show the chosen question, its answers in a sentence, and the same for all other variables in a table."""
    left, middle, right = st.columns([6, 3, 3], gap="medium", vertical_alignment="bottom")
    relation = tabs("Question", _RELATIONS, Key.RELATION, left)
    names = list(real.names)
    one = choice(_FROM[relation], names, Key.RELATION_OF, middle)
    others = [name for name in names if name != one]
    other = choice(_TO[relation], others, Key.RELATION_TO, right)
    table = relation_table(study, settings.shown_method(study), real, relation, one)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        show.note(
            relation_sentence(table, relation, one, other, settings.shown_method(study)),
            "relation",
            small=False,
        )
        if relation == "blanket":
            show.note(blanket_sentence(table, one), "blanket", small=False)
        take_away(
            ("All variables", table, f"{relation}.csv"),
            code=experiment.python_data() + python_real(experiment, data) + _python(relation, one, other),
        )
    with right:
        show.table(table, _titles(study), height=250)


def relation_sentence(table: pd.DataFrame, relation: str, one: str, other: str, method: str) -> str:
    """Say both answers about one relation."""
    line = table[table["variable"] == other].iloc[0]
    said = _SAID[relation].format(a=escaped(one), b=escaped(other))
    return (
        f"{said}: would be found again in {share(float(line['found_again']))} of fresh tables ({TITLES[method]}); real "
        f"with probability {probability(float(line['real']), float(line['real_error']))} (posterior)."
    )


def blanket_sentence(table: pd.DataFrame, one: str) -> str:
    """Name the variables that are more likely in the Markov blanket than not."""
    inside = [escaped(str(name)) for name in table.loc[table["real"] > _LIKELY, "variable"]]
    if not inside:
        return f"No variable is more likely than not in the Markov blanket of {escaped(one)}."
    return f"More likely than not in the Markov blanket of {escaped(one)}: {', '.join(inside)}."


def _titles(study: bn.Study) -> dict[str, Any]:
    return {
        "variable": "Variable",
        **found_again_titles(settings.shown_method(study)),
        "real": ("Real", {"help": REAL_HELP, "format": "%.2f", "width": 80}),
        "real_error": error_title(ERROR_HELP),
    }


def _python(relation: str, one: str, other: str) -> str:
    """Return Python lines for the same question: any function of a graph can be asked about."""
    function = {"path": "descendants", "blanket": "markov_blanket", "parent": "with_common_parent"}[relation]
    return (
        f"from bnengine.posterior.result import {function}\n\n"
        f"one, other = data.names.index({one!r}), data.names.index({other!r})\n"
        f"print(posterior.feature(lambda graph: {function}(graph, one)[other]))\n"
    )


# The posterior that says which edges are real: worked out last, so that nothing else on the page waits for it.


def when_known(real: EdgePosterior | None, experiment: bn.Experiment, data: bn.Dataset, place: Any) -> None:
    """Start the posterior or show its progress in its place; draw the page again once it is known."""
    with place:
        if real is not None:
            if real.warning:
                show.note(f":material/warning: In the posterior, {escaped(real.warning)}.", "chains disagree")
            if real.status == "stopped":
                experiments.real_again(experiment, data)
            return
        if experiments.real_of(experiment, data) is not None:
            st.rerun()
