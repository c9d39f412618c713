"""Background knowledge about the graph: edges by picking variables, tiers in a table, both as a file."""

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine._core.names import bounded_name
from bnengine.experiment.constraints_table import read_constraints, write_constraints
from bnengine.experiment.learning import digest
from pages._shared import session
from pages._shared.format import escaped, listed, sentence
from pages._shared.session import Key, kept

Tiers = tuple[tuple[str, ...], ...]
_SHOWN = 60  # characters of a line that cannot be read


def put(constraints: bn.Constraints) -> None:
    """Show these constraints; their limit on parents is a setting of its own."""
    session.typed.put_edges(Key.REQUIRED, tuple(constraints.required))
    session.typed.put_edges(Key.FORBIDDEN, tuple(constraints.forbidden))
    session.values.put(Key.TIERS, tuple(constraints.tiers))


def constraints_control(data: bn.Dataset | None) -> bn.Constraints:
    """Required and forbidden edges and tiers; lines that are none are named, contradictory constraints not used."""
    with st.expander("Constraints", icon=":material/rule:"):
        if data:
            picked_edges(data)
        for label, key in (("Required", Key.REQUIRED), ("Forbidden", Key.FORBIDDEN)):
            st.text_area(
                f"{label} edges, one per line",
                **kept(key),
                placeholder="A -> B",
                height=80,
                help='A name with an arrow or a comma stands in quotes: "A, B" -> C.',
            )
        tiers = tiers_table(data) if data else session.values.get(Key.TIERS, ())
        (required, odd), (forbidden, others) = map(session.typed.edges, (Key.REQUIRED, Key.FORBIDDEN))
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
        as_file(constraints)
        if problems:
            st.error(" ".join(problems))
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
    edges, unread = session.typed.edges(key)
    picked = [(p, c) for p in session.values.get(Key.PARENTS, []) for c in session.values.get(Key.CHILDREN, [])]
    more = (edge for edge in picked if edge[0] != edge[1])
    session.typed.put_edges(key, tuple(dict.fromkeys([*edges, *more])), unread)
    for ends in (Key.PARENTS, Key.CHILDREN):
        session.values.put(ends, [])


def tiers_table(data: bn.Dataset) -> Tiers:
    """The tiers, with a table of the variables that changes them."""
    tiers: Tiers = session.values.get(Key.TIERS, ())
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
        key=Key.of(Key.TIERS, session.data.table_key(), digest(tiers)),
        placeholder="",
    )
    if edited["tier"].equals(lines["tier"]):  # names that these data lack stay, and are reported
        return tiers
    session.values.put(Key.TIERS, tiers_in(edited))
    st.rerun()


def tiers_in(table: pd.DataFrame) -> Tiers:
    """The tiers of a table of variables, earliest first."""
    given = table.dropna(subset=["tier"]).groupby("tier", sort=True)["variable"]
    return tuple(tuple(members) for _, members in given)


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
        session.settings.set_remark(
            f"{escaped(bounded_name(upload.name))}: {sentence(error)} Your constraints are unchanged."
        )
        return
    put(found)
