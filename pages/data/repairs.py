"""The repairs proposed for the table, and the states joined: one click makes each or takes it back."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.repairs import REPAIR_KINDS, by_kind, kind_sentence
from bnengine.data.repairs.kinds import LEFT_OUT, Repair
from bnengine.experiment.intake import is_made, joinings
from bnengine.settings import setting_of
from pages.shared import in_use
from pages.shared.format import counted, escaped, listed, sentence
from pages.shared.keys import Key
from pages.shared.words import DATA as WORDS

# Columns that speak of rows: what an experiment set, how often a row occurs, how many others it stands for.

_NONE = WORDS["none"]
_KEYS = {"interventions": Key.SET_BY, "weights": Key.COUNTED_BY, "sampling_weights": Key.WEIGHTED_BY}


def about_rows(frame: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Draw the choice of these columns in a popover; return the recipe with them."""
    chosen = {field: getattr(now, field) for field in _NONE}
    verbs = zip(("Set by", "Counted by", "Weighted by"), chosen.values(), strict=True)
    roles = [f"{verb} {escaped(name)}" for verb, name in verbs if name]
    with st.popover(", ".join(roles) or "Experiments, counts, weights", icon=":material/science:"):
        found = {field: _column(field, list(map(str, frame.columns)), now) for field in _NONE}
        named = list(filter(None, found.values()))
        if len(set(named)) < len(named) or (found["weights"] and found["sampling_weights"]):
            st.error("One column cannot say both, and rows have either counts or weights; choose another one.")
            return now
    kept = tuple(name for name in now.leave_out if name not in named or name in chosen.values())
    new: dict[str, Any] = {**found, "leave_out": kept}
    return dataclasses.replace(now, **new)


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
    set_in = [f"{escaped(' and '.join(targets))} in {n:,}" for targets, n in rows if targets]
    observed = sum(n for targets, n in rows if not targets)
    return (
        f"Experiments set {listed(set_in, 8)} of {counted(data.n_rows, 'row')}; {observed:,} were only observed. A row "
        "does not count for the parents of what was set in it, so experiments decide directions that observation "
        "leaves open."
    )


Steps = dict[tuple[str, str], tuple[str, ...]]


def proposed_repairs(now: bn.Recipe) -> bn.Recipe:
    """Draw the proposed repairs, a line for each kind, and return the recipe with those that are wanted."""
    found = [*in_use.proposals(), *joinings(now, in_use.dataset()[0])]
    if not found:
        return now
    made = {(one.kind, one.column): step_made(one, now) for one in found if is_made(one, now)}
    with st.container(border=True):
        wanted = dict(made)
        for group in by_kind(found):
            _kind_box(group, wanted)
        with st.expander("Column by column"):
            chosen = _choices(found, made)
    wanted = chosen if wanted == made else wanted
    if wanted == made:
        return now
    for _, column in [name for name in wanted if name not in made and name[0] != "leave_out"]:
        wanted.pop(("leave_out", column), None)  # what is repaired stays
    names = [(one.kind, one.column) for one in found]
    others = [step for step in now.repairs if tuple(step[:2]) not in names]
    return now.accepting(in_use.raw(), [*others, *(wanted[name] for name in names if name in wanted)])


def step_made(one: Repair, now: bn.Recipe) -> tuple[str, ...]:
    """Return the repair as the recipe has it, perhaps with other details than the proposed ones."""
    held = (tuple(step) for step in now.repairs if tuple(step[:2]) == (one.kind, one.column))
    return next(held, one.step)


def _kind_box(group: Sequence[Repair], wanted: Steps) -> None:
    """Draw one box for the repairs of one kind; add them to those that are wanted, or take them away."""
    names = [(one.kind, one.column) for one in group]
    n_made = sum(name in wanted for name in names)
    some = f" ({n_made} of {len(names)} made)" if 0 < n_made < len(names) else ""
    doubt = "" if group[0].is_sure else " Tick it only if that is right for your data."
    label = f"{sentence(kind_sentence(group))}{doubt}{some}"
    key = Key.of(Key.REPAIR, "kind", in_use.table_key(), in_use.n_undone(), group[0].kind, group[0].is_sure, n_made)
    every = n_made == len(names)
    if st.checkbox(label, every, key=key) != every:
        for one, name in zip(group, names, strict=True):
            if every:
                wanted.pop(name)
            else:
                wanted.setdefault(name, one.step)


def _choices(found: Sequence[Repair], wanted: Steps) -> Steps:
    """Draw a box for each repair, and return the steps of those that are ticked."""
    new = {}
    place = (in_use.table_key(), in_use.n_undone())
    for one in found:
        name = (one.kind, one.column)
        step = wanted.get(name, one.step)
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
        format_func=REPAIR_KINDS[one.kind].choice,
        label_visibility="collapsed",
        width=230,
        key=Key.of(Key.REPAIR, *place, one.kind, one.column, "details", now),
    )
    return now if chosen is None else tuple(chosen)


def _label(one: Repair) -> str:
    change = "left out" if one.after == LEFT_OUT else escaped(one.change)
    count = f"({counted(one.count, 'cell')})" if REPAIR_KINDS[one.kind].counts_cells else ""
    doubt = "" if one.is_sure else "Tick it only if that is right for your data."
    return " ".join(filter(None, [escaped(one.sentence), change and f"**{change}**", count, doubt]))
