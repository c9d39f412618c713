"""Background knowledge about the graph: edges, tiers; actions on a clicked edge, parts of a network."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.execution import digest
from bnengine.plots.network_drawing import MOST_DRAWN, NetworkPicture, around, hubs, part_of
from bnengine.plots.verdict_drawing import HUBS
from bnengine.text import short_label
from pages.shared import in_use, state, typed_lists
from pages.shared.format import counted, escaped, listed, sentence
from pages.shared.keys import Key
from pages.shared.run import run_state
from pages.shared.state import persistent
from pages.shared.widgets.choice import tabs

Tiers = tuple[tuple[str, ...], ...]
_SHOWN = 60  # characters of a line that cannot be read
_SHOWN_NAME = 34  # characters of a variable's name


def constraints_control(data: bn.Dataset | None) -> tuple[bn.Constraints, list[str]]:
    """Draw the controls of required and forbidden edges and tiers.

    Return what is wrong with them, too: lines that are none are named, contradictory constraints not used.
    """
    place = st.expander("Constraints", icon=":material/rule:", key=Key.opened("constraints"), on_change="rerun")
    with place:
        for label, key in (("Required", Key.REQUIRED), ("Forbidden", Key.FORBIDDEN)):
            st.text_area(
                f"{label} edges, one per line",
                **persistent(key),
                placeholder="A -> B",
                height=80,
                help='A name with an arrow or a comma stands in quotes: "A, B" -> C.',
            )
        tiers = tiers_table(data) if data and place.open else state.get(Key.TIERS, ())
        (required, odd), (forbidden, others) = map(typed_lists.edges, (Key.REQUIRED, Key.FORBIDDEN))
        problems, constraints = [], bn.Constraints()
        if odd or others:
            lines = [f"'{line[:_SHOWN]}'" for line in (*odd, *others)]
            problems.append(f"Not read as edges: {escaped(listed(lines, 3))}. Write parent -> child.")
        if data:
            names = set(data.names)
            strange = [f"{p} → {c}" for p, c in (*required, *forbidden) if not {p, c} <= names]
            required, forbidden = (tuple(edge for edge in own if {*edge} <= names) for own in (required, forbidden))
            if strange:
                problems.append(f"Not used, since these data lack a variable: {escaped(listed(strange, 3))}.")
        try:
            constraints = bn.Constraints(required=required, forbidden=forbidden, tiers=tiers)
            if data:
                constraints.resolve(data.names)
        except ValueError as error:
            problems.append(f"{sentence(error)} No constraints are used.")
            constraints = bn.Constraints()
    return constraints, problems


def tiers_table(data: bn.Dataset) -> Tiers:
    """Draw the tiers in a table of the variables, where they can be changed."""
    tiers: Tiers = state.get(Key.TIERS, ())
    place = {name: number for number, tier in enumerate(tiers, start=1) for name in tier}
    lines = pd.DataFrame({"variable": list(data.names), "tier": [place.get(name) for name in data.names]})
    lines["tier"] = lines["tier"].astype("Int64")
    st.markdown("Tiers", help="No edge leads from a later tier to an earlier one; variables in no tier are free.")
    edited = st.data_editor(
        lines,
        hide_index=True,
        disabled=["variable"],
        column_config={
            "variable": "Variable",
            "tier": st.column_config.NumberColumn("Tier", min_value=1, max_value=len(lines), step=1, width=60),
        },
        height=min(38 + 35 * len(lines), 220),
        key=Key.of(Key.TIERS, in_use.table_key(), digest(tiers)),
        placeholder="",
    )
    if edited["tier"].equals(lines["tier"]):  # names that these data lack stay, and are reported
        return tiers
    state.put(Key.TIERS, tiers_in(edited))
    st.rerun()


def tiers_in(table: pd.DataFrame) -> Tiers:
    """Return the tiers of a table of variables, earliest first."""
    given = table.dropna(subset=["tier"]).groupby("tier", sort=True)["variable"]
    return tuple(tuple(members) for _, members in given)


# What can be done with the edge that was clicked in a network: require it, forbid it, or take that back.


def edge_actions(ends: tuple[str, str], constraints: bn.Constraints) -> None:
    """Draw buttons that make an edge between two variables, in the direction that is chosen, a constraint.

    Parameters
    ----------
    ends : (parent, child)
        The direction that is chosen at first.
    constraints : Constraints
        Those of the experiment; one that holds between the two can be lifted instead.
    """
    held = {edge: "required" for edge in constraints.required} | {edge: "forbidden" for edge in constraints.forbidden}
    edges = {f"{escaped(parent)} → {escaped(child)}": (parent, child) for parent, child in (ends, ends[::-1])}
    for named, edge in edges.items():
        if edge in held:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(f"{named} is {held[edge]}.", width="content")  # so that the button stays in place
                _button("Lift the constraint", ":material/lock_open:", Key.FREE, edge, None)
            return
    edge = edges[tabs("Direction", list(edges), Key.of(Key.DIRECTION, *ends))]
    with st.container(horizontal=True, vertical_alignment="center"):
        _button("Require this edge", ":material/lock:", Key.REQUIRE, edge, Key.REQUIRED)
        _button("Forbid this edge", ":material/block:", Key.FORBID, edge, Key.FORBIDDEN)
        st.caption("Constraints hold in this graph and in every replicate. They are listed with the settings.")


def _button(label: str, icon: str, key: str, edge: tuple[str, str], how: str | None) -> None:
    st.button(label, icon=icon, key=key, on_click=run_state.constrain, args=(edge, how))


# Which part of a network is shown: all of it, or a variable with its Markov blanket; of a large one what matters.

_FEW = 12  # nodes: no choice is needed
_MANY = 40  # nodes: at first, the picture is of one variable's Markov blanket


def chosen_part(
    picture: NetworkPicture, name: str, place: Any = None, parts: Mapping[str, Sequence[int]] = MappingProxyType({})
) -> NetworkPicture:
    """Let the user choose a part of a network.

    Parameters
    ----------
    picture : NetworkPicture
    name : str
        Unique on the page.
    place : container, optional
    parts : mapping from str to sequence of int, optional
        Nodes that matter, by what they are called, of more variables than are drawn at once; the hubs are first.
    """
    if len(picture.names) <= _FEW:
        return picture
    large = len(picture.names) > MOST_DRAWN
    wholes = {HUBS: hubs(picture.arranging), **parts} if large else {f"All {len(picture.names)} variables": []}
    first = next(iter(wholes))
    if _MANY < len(picture.names) <= MOST_DRAWN:
        first = picture.names[next(iter(hubs(picture.arranging)), 0)]
    key = Key.of(Key.AROUND, name, in_use.key())
    options = [*wholes, *picture.names]
    state.among(key, options, first)
    about = "A variable's Markov blanket: its parents, its children and their other parents. Type to search."
    shown = (place or st).selectbox(
        "Variables shown", options, format_func=lambda one: one if one in wholes else f"Around {one}",
        **persistent(key), help=about,
    )  # fmt: skip
    if shown not in wholes:
        return around(picture, picture.names.index(shown))
    if not large:
        return picture
    chosen = picture.chosen if isinstance(picture.chosen, tuple) else ()  # an edge of the list, too, is drawn
    return part_of(picture, list(dict.fromkeys([*chosen, *wholes[shown]]))[:MOST_DRAWN])


def part_shown(picture: NetworkPicture, whole: NetworkPicture) -> str:
    """Say how much of the network the picture shows; empty if all of it."""
    if len(picture.names) == len(whole.names):
        return ""
    centre = None if picture.centre is None else short_label(picture.names[picture.centre], _SHOWN_NAME)
    around = "" if centre is None else f"{escaped(centre)} and its neighbours: "
    drawn = f"{len(picture.names):,} of {len(whole.names):,} variables"
    edges = f"{len(picture.edges):,} of {counted(len(whole.edges), 'edge')}"
    way = "choose others under *Variables shown*" if len(whole.names) > MOST_DRAWN else "*Picture* shows all"
    return f"**{around}{drawn} and {edges} are drawn**; {way}."


def show_around(name: str, variable: str) -> None:
    """Show a variable with its Markov blanket, or all variables; call it before the choice is drawn."""
    state.put(Key.of(Key.AROUND, name, in_use.key()), variable)
