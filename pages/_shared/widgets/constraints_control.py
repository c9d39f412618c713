"""Background knowledge about the graph: edges by picking variables, tiers in a table, both as a file."""

import re
from collections.abc import Iterable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.experiment.constraints_table import read_constraints, write_constraints
from bnengine.experiment.options import read_names, write_names
from pages._shared import session
from pages._shared.format import escaped, sentence
from pages._shared.session import Key, kept


def written(constraints: bn.Constraints) -> dict[str, str]:
    """The constraints as text for the widgets."""

    def edges(pairs: Iterable[tuple[str, str]]) -> str:
        return "\n".join(f"{parent} -> {child}" for parent, child in pairs)

    tiers = "\n".join(write_names(tier) for tier in constraints.tiers)
    return {Key.REQUIRED: edges(constraints.required), Key.FORBIDDEN: edges(constraints.forbidden), Key.TIERS: tiers}


def constraints_control(data: bn.Dataset | None) -> bn.Constraints:
    """Required and forbidden edges and tiers; contradictory constraints are reported and not used."""
    with st.expander("Constraints", icon=":material/rule:"):
        if data:
            picked_edges(data)
        required, forbidden = (
            st.text_area(f"{label} edges, one per line", **kept(key), placeholder="A -> B", height=80)
            for label, key in (("Required", Key.REQUIRED), ("Forbidden", Key.FORBIDDEN))
        )
        tiers = tiers_table(data) if data else str(session.values.get(Key.TIERS, ""))
        problem, constraints = "", bn.Constraints()
        try:
            constraints = bn.Constraints(
                required=_typed_edges(required), forbidden=_typed_edges(forbidden), tiers=_typed_tiers(tiers)
            )
            if data:
                constraints.resolve(data.names)
        except ValueError as error:
            problem = f"{escaped(str(error))}. No constraints are used."
        as_file(bn.Constraints() if problem else constraints)
        if problem:
            st.error(problem)
            return bn.Constraints()
    return constraints


def picked_edges(data: bn.Dataset) -> None:
    """Pick parents and children; every edge from one to the other is required or forbidden by a button."""
    names = list(data.names)
    for key in (Key.PARENTS, Key.CHILDREN):
        session.values.put(key, [name for name in session.values.get(key, []) if name in names])
    st.multiselect("From", names, **kept(Key.PARENTS), placeholder="Parents")
    st.multiselect("To", names, **kept(Key.CHILDREN), placeholder="Children")
    with st.container(horizontal=True):
        for label, key in (("Require", Key.REQUIRED), ("Forbid", Key.FORBIDDEN)):
            st.button(label, on_click=_add, args=(key,), key=Key.of(Key.CONSTRAIN, key))


def _add(key: str) -> None:
    """Add the edges between the picked variables to the required or the forbidden ones, and clear the picks."""
    lines = [line for line in str(session.values.get(key, "")).splitlines() if line.strip()]
    for parent in session.values.get(Key.PARENTS, []):
        for child in session.values.get(Key.CHILDREN, []):
            line = f"{parent} -> {child}"
            lines += [line] if parent != child and line not in lines else []
    session.values.put(key, "\n".join(lines))
    for picked in (Key.PARENTS, Key.CHILDREN):
        session.values.put(picked, [])


def tiers_table(data: bn.Dataset) -> str:
    """The table of variables with their tiers; the tiers as text, one per line."""
    text = str(session.values.get(Key.TIERS, ""))
    try:
        tiers = _typed_tiers(text)
    except ValueError:
        tiers = ()
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
        key=Key.of(Key.TIERS, session.data.table_key(), text),
        placeholder="",
    )
    if edited["tier"].equals(lines["tier"]):  # names that these data lack stay, and are reported
        return text
    session.values.put(Key.TIERS, tiers_text(edited))
    st.rerun()


def tiers_text(table: pd.DataFrame) -> str:
    """The tiers of a table of variables, one per line, earliest first."""
    given = table.dropna(subset=["tier"])
    return "\n".join(write_names(given["variable"][given["tier"] == tier]) for tier in sorted(given["tier"].unique()))


def as_file(constraints: bn.Constraints) -> None:
    """Constraints to take along, and to read from such a file."""
    with st.popover("As a file", icon=":material/swap_vert:"):
        st.download_button(
            "Save (CSV)",
            write_constraints(constraints),
            "constraints.csv",
            "text/csv",
            on_click="ignore",
            key=Key.download("constraints.csv"),
        )
        st.file_uploader("Open constraints (CSV)", type="csv", key=Key.CONSTRAINTS_FILE, on_change=_open)


def _open() -> None:
    upload = session.values.get(Key.CONSTRAINTS_FILE)
    if upload is None:
        return
    try:
        found = read_constraints(upload.getvalue())
    except ValueError as error:
        session.settings.set_remark(f"{escaped(upload.name)}: {sentence(error)} Your constraints are unchanged.")
        return
    for key, text in written(found).items():
        session.values.put(key, text)


def _typed_edges(text: str) -> tuple[tuple[str, str], ...]:
    edges = []
    for line in filter(None, map(str.strip, text.splitlines())):
        ends = re.split(r"\s*(?:->|→)\s*", line)
        if len(ends) != 2 or not all(ends):
            raise ValueError(f"'{line}' is not an edge; write parent -> child")
        edges.append((ends[0], ends[1]))
    return tuple(edges)


def _typed_tiers(text: str) -> tuple[tuple[str, ...], ...]:
    tiers = (tuple(name.strip() for name in line if name.strip()) for line in read_names(text))
    return tuple(tier for tier in tiers if tier)
