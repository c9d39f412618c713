"""The repairs that are proposed for the table, each with what it would change: one click makes it or takes it back."""

import dataclasses
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.repairs import Repair
from bnengine.settings import setting_of
from pages.shared import in_use
from pages.shared.format import counted, escaped, listed
from pages.shared.keys import Key

# Columns that speak of rows: which one says what an experiment set, which one says how often a row occurs.

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
        key=Key.of(_KEYS[field], in_use.table_key(), chosen, in_use.n_undone()),
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


#: Repairs that are shown at once; the others are in an expander.
_SHOWN = 12


def proposed_repairs(now: bn.Recipe) -> bn.Recipe:
    """Draw the proposed repairs, and return the recipe with those that are wanted."""
    found = in_use.proposals()
    if not found:
        return now
    made = [one for one in found if in_use.is_made(one, now)]
    wanted = {(one.kind, one.column): step_made(one, now) for one in made}
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Proposed repairs: {len(made)} of {len(found)} made**")
            sure = [one for one in found if one.is_sure or one in made]
            if len(made) < len(sure) and st.button(
                "Accept all" if len(sure) == len(found) else f"Accept the {len(sure)} that are sure",
                type="primary",
                icon=":material/done_all:",
                key=Key.ACCEPT_ALL,
            ):
                return _accepting(now, found, {(one.kind, one.column): _step(one, wanted) for one in sure})
            if in_use.can_undo() and st.button("Undo", icon=":material/undo:", key=Key.UNDO_REPAIR):
                in_use.undo()
                st.rerun()
        new = _choices(found[:_SHOWN], wanted)
        if len(found) > _SHOWN:
            with st.expander(counted(len(found) - _SHOWN, "more repair")):
                new |= _choices(found[_SHOWN:], wanted)
    if new == wanted:
        return now
    return _accepting(now, found, new)


def _accepting(now: bn.Recipe, found: Sequence[Repair], wanted: dict[tuple[str, str], tuple[str, ...]]) -> bn.Recipe:
    """Return the recipe with these of the proposed repairs; those that were not proposed stay."""
    names = [(one.kind, one.column) for one in found]
    others = [step for step in now.repairs if tuple(step[:2]) not in names]
    return now.accepting(in_use.raw(), [*others, *(wanted[name] for name in names if name in wanted)])


def step_made(one: Repair, now: bn.Recipe) -> tuple[str, ...]:
    """Return the repair as the recipe has it, perhaps with other details than the proposed ones."""
    held = (tuple(step) for step in now.repairs if tuple(step[:2]) == (one.kind, one.column))
    return next(held, one.step)


def _step(one: Repair, wanted: dict[tuple[str, str], tuple[str, ...]]) -> tuple[str, ...]:
    return wanted.get((one.kind, one.column), one.step)


def _choices(
    found: Sequence[Repair], wanted: dict[tuple[str, str], tuple[str, ...]]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Draw a box for each repair, and return the steps of those that are ticked."""
    new = {}
    place = (in_use.table_key(), in_use.n_undone())
    for one in found:
        name, step = (one.kind, one.column), _step(one, wanted)
        choosing = name in wanted and len(one.choices) > 1
        with st.container(horizontal=choosing, vertical_alignment="center"):
            key = Key.of(Key.REPAIR, *place, *name, name in wanted)
            if st.checkbox(_label(one), name in wanted, key=key):
                new[name] = step
            if choosing and (details := _details_chosen(one, step[2:], place)) and name in new:
                new[name] = (*name, *details)
    return new


def _details_chosen(one: Repair, now: tuple[str, ...], place: tuple[object, ...]) -> tuple[str, ...]:
    """Draw a box with the details that a repair may have, and return the chosen ones."""
    options = list(dict.fromkeys((*one.choices, now)))
    chosen = st.selectbox(
        f"Keep of {one.column}",
        options,
        options.index(now),
        format_func=partial(_title, one.kind),
        label_visibility="collapsed",
        width=230,
        key=Key.of(Key.REPAIR, *place, one.kind, one.column, "details", now),
    )
    return now if chosen is None else tuple(chosen)


def _label(one: Repair) -> str:
    change = f"{escaped(one.before)} → {escaped(one.after)}" if one.kind != "leave_out" else "left out"
    count = "" if one.kind in ("missing", "leave_out") else f" ({counted(one.count, 'cell')})"  # the others say it
    doubt = "" if one.is_sure else " Tick it only if that is right for your data."
    return f"{escaped(one.sentence)} **{change}**{count}{doubt}"


def _title(kind: str, details: tuple[str, ...]) -> str:
    if kind == "rare":
        return f"keep the {len(details)} most common"
    if kind == "missing":
        return ", ".join(details)
    if kind == "spellings":
        return f"join {counted(len(details) // 2, 'spelling')}"
    if kind == "number":
        return f"decimal {details[0]}"
    return " ".join(details[1:3])
