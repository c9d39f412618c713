"""Columns that speak of rows: which one says what an experiment set, which one says how often a row occurs."""

import dataclasses

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.settings import setting_of
from pages._shared import session
from pages._shared.format import counted, escaped, listed
from pages._shared.session import Key

_NONE = {"interventions": "None: all rows were observed", "weights": "None: each row occurs once"}
_KEYS = {"interventions": Key.SET_BY, "weights": Key.COUNTED_BY}


def about_rows(frame: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Draw the choice of both columns in a popover; return the recipe with them."""
    chosen = {field: getattr(now, field) for field in _NONE}
    verbs = zip(("Set by", "Counted by"), chosen.values(), strict=True)
    said = [f"{verb} {escaped(name)}" for verb, name in verbs if name]
    with st.popover(", ".join(said) or "Experiments, counts", icon=":material/science:"):
        found = {field: _column(field, list(map(str, frame.columns)), now) for field in _NONE}
        if found["interventions"] and found["interventions"] == found["weights"]:
            st.error("One column cannot say both; choose another one.")
            return now
    return dataclasses.replace(now, interventions=found["interventions"], weights=found["weights"])


def _column(field: str, names: list[str], now: bn.Recipe) -> str:
    declared, chosen = setting_of(bn.Recipe, field), getattr(now, field)
    options = ["", *names]
    return st.selectbox(
        declared.label,
        options,
        index=options.index(chosen) if chosen in options else 0,
        format_func=lambda name: name or _NONE[field],
        help=declared.help,
        key=Key.of(_KEYS[field], session.data.table_key(), chosen, session.data.n_undone()),
    )


def experiments_sentence(data: bn.Dataset) -> str:
    """Return in how many rows experiments set what, and what this means for learning."""
    rows = [(targets, n) for targets, n in zip(data.targets, data.rows_of_experiments.tolist(), strict=True) if n]
    said = [f"{escaped(' and '.join(targets))} in {n:,}" for targets, n in rows if targets]
    observed = sum(n for targets, n in rows if not targets)
    return (
        f"Experiments set {listed(said, 8)} of {counted(data.n_rows, 'row')}; {observed:,} were only observed. A row "
        "does not count for the parents of what was set in it, so experiments decide directions that observation "
        "leaves open."
    )
