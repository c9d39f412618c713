"""Beyond single edges: paths, Markov blankets, common parents."""

from typing import Any

import pandas as pd
import streamlit as st

from bnengine.answers.edge_answers import relation_table
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.experiment.learning import python_real
from pages.network.run import Run
from pages.shared import show
from pages.shared.downloads import take_away
from pages.shared.format import escaped, percent, probability
from pages.shared.keys import Key
from pages.shared.widgets.choice import choice, tabs
from pages.shared.words import NETWORK as WORDS

#: What can be asked: its title, what the two choices are called, and the claim about them.
_RELATIONS = WORDS["relations"]
_LIKELY, _ENDS = 0.5, {"low": "from", "high": "to"}


def relations(run: Run) -> None:
    """Show the chosen question, its answers in a sentence, and the same for all other variables in a table."""
    real = run.real
    if real is None or len(real.names) < 2:
        st.caption("This follows once it is known which edges are real.")
        return
    left, middle, right = st.columns([6, 3, 3], gap="medium", vertical_alignment="bottom")
    relation = tabs("Question", {key: one["title"] for key, one in _RELATIONS.items()}, Key.RELATION, left)
    names = list(real.names)
    one = choice(_RELATIONS[relation]["of"], names, Key.RELATION_OF, middle)
    others = [name for name in names if name != one]
    other = choice(_RELATIONS[relation]["to"], others, Key.RELATION_TO, right)
    table = relation_table(run.study, run.method, real, relation, one)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        show.note(relation_sentence(table, relation, one, other, run.method), "relation", small=False)
        if relation == "blanket":
            show.note(blanket_sentence(table, one), "blanket", small=False)
        take_away(
            ("All variables", table, f"{relation}.csv"),
            code=run.experiment.data.python() + python_real(run.experiment, run.data) + _python(relation, one, other),
        )
    with right:
        written: dict[str, Any] = dict.fromkeys(("found_again", "found_again_low", "found_again_high"), percent)
        written |= dict.fromkeys(("real", "real_low", "real_high"), probability)
        show.table(table, _titles(run.method), height=250, written=written)


def relation_sentence(table: pd.DataFrame, relation: str, one: str, other: str, method: str) -> str:
    """Say both answers about one relation."""
    line = table[table["variable"] == other].iloc[0]
    claim = _RELATIONS[relation]["claim"].format(a=escaped(one), b=escaped(other))
    return (
        f"{claim}: would be found again in {percent(float(line['found_again']))} of fresh tables ({TITLES[method]}); "
        f"real with probability {probability(line['real'], (line['real_low'], line['real_high']))} (posterior)."
    )


def blanket_sentence(table: pd.DataFrame, one: str) -> str:
    """Name the variables that are more likely in the Markov blanket than not."""
    inside = [escaped(str(name)) for name in table.loc[table["real"] > _LIKELY, "variable"]]
    if not inside:
        return f"No variable is more likely than not in the Markov blanket of {escaped(one)}."
    return f"More likely than not in the Markov blanket of {escaped(one)}: {', '.join(inside)}."


def _titles(method: str) -> dict[str, Any]:
    about = {"help": "A 95% interval of what infinitely many replicates, or graphs, would give.", "width": 95}
    ends = {f"{one}_{end}": (title, about) for one in ("found_again", "real") for end, title in _ENDS.items()}
    real = "How probably it is so in the network that the data came from."
    again = {"found_again": ("Found again", {"help": f"By: {TITLES[method]}.", "width": 105})}
    return {"variable": "Variable", **again, "real": ("Real", {"help": real, "width": 95}), **ends}


def _python(relation: str, one: str, other: str) -> str:
    """Return Python lines for the same question: any function of a graph can be asked about."""
    function = {"path": "descendants", "blanket": "markov_blanket", "parent": "with_common_parent"}[relation]
    return (
        f"from bnengine.posterior.result import {function}\n\n"
        f"one, other = data.names.index({one!r}), data.names.index({other!r})\n"
        f"print(posterior.feature(lambda graph: {function}(graph, one)[other]))\n"
    )
