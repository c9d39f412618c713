"""Search by hand: add, delete and reverse edges, and see what every single change would do."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.format import counted, escaped, short
from pages._shared.section import computed
from pages._shared.sections.mdl.candidates import LENGTHS, OWN, draw, lengths_of, mdl_formula, searched
from pages._shared.session import Key
from pages._shared.widgets.choice import choice

_KINDS = {"add": "Add", "delete": "Delete", "reverse": "Reverse"}
_NONE = 1e-6  # bits; smaller differences are rounding errors


def section(data: bn.Dataset) -> None:
    """Show the finding, the controls, your network next to its possible changes, and the candidates."""
    edges = session.own_network.edges()
    table = computed("changes", lambda: changes_of(data, edges), edges)
    lengths = lengths_of(data, {**searched(data), OWN: edges})
    own = lengths[lengths["network"] == OWN].iloc[0]
    show.finding(sentence(own, lengths, table))
    controls = st.container()
    left, right = st.columns(2, gap="medium")
    with right:
        picked = change_table(table, edges)
    with controls:
        buttons(data, table, picked)
        edge_controls(data)
        refused = session.own_network.refusal()
        if refused:
            st.warning(f"Not possible: {escaped(refused)}.")
    with left:
        show.formula(mdl_formula(own, data.n_rows))
        draw(data, edges, "own network", 400)
    show.table(lengths, LENGTHS, decimals=1)
    take_away(
        ("Single changes", table, "single_changes.csv"),
        ("Your edges", pd.DataFrame(edges, columns=["parent", "child"]), "own_network.csv"),
    )


def changes_of(data: bn.Dataset, edges: list[tuple[str, str]]) -> pd.DataFrame:
    """Return every single change that keeps the graph acyclic, the best first."""
    changes = bn.teaching.single_changes(data, edges)
    lines = [(change.kind, change.parent, change.child, change.bits) for change in changes]
    return pd.DataFrame(lines, columns=["change", "from", "to", "mdl_bits"])


def sentence(own: pd.Series, lengths: pd.DataFrame, changes: pd.DataFrame) -> str:  # type: ignore[type-arg]
    """Return the length of your network, and the best step from there."""
    text = f"Your network has {counted(int(own['edges']), 'edge')} and needs **{short(own['mdl_bits'], 4)} bits**"
    rival = lengths[lengths["network"] != OWN].iloc[0]
    name, difference = escaped(str(rival["network"])), float(own["mdl_bits"] - rival["mdl_bits"])
    if abs(difference) > _NONE:
        text += f", {short(abs(difference))} {'more' if difference > 0 else 'fewer'} than {name}"
    else:
        text += f", as many as {name}"
    if not len(changes):
        return text + "."
    best = changes.iloc[0]
    if best["mdl_bits"] < -_NONE:
        step = f"{best['change']} {escaped(best['from'])} → {escaped(best['to'])}"
        return f"{text}. The best step, {step}, saves {short(-best['mdl_bits'])}."
    return f"{text}. No single change shortens it: greedy search stops here."


def change_table(table: pd.DataFrame, edges: list[tuple[str, str]]) -> int | None:
    """Show the changes; return the row that was picked, if any."""
    shown = pd.DataFrame(
        {
            "change": [f"{line.change} {line[2]} → {line.to}" for line in table.itertuples()],
            "mdl_bits": table["mdl_bits"],
        }
    )
    event = show.table(
        shown,
        {
            "change": st.column_config.TextColumn(f"{counted(len(table), 'single change')}", width="medium"),
            "mdl_bits": st.column_config.NumberColumn("ΔMDL, bits", format="%+.2f", width="small"),
        },
        height=330,
        on_select="rerun",
        selection_mode="single-row",
        key=Key.of(Key.CHANGES, session.data.key(), edges),
    )
    st.caption("Best first; a negative ΔMDL is an improvement. Tick a row to pick it.")
    rows = event.selection.rows
    return int(rows[0]) if rows and rows[0] < len(table) else None


def buttons(data: bn.Dataset, table: pd.DataFrame, picked: int | None) -> None:
    """Apply the best or the picked change, undo, or start from another network."""
    improves = len(table) > 0 and table["mdl_bits"].iloc[0] < -_NONE
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, icon, row in (
            ("Apply the best change", "trending_up", 0 if improves else None),
            ("Apply the picked change", "check", picked),
        ):
            step: tuple[str, ...] = () if row is None else tuple(table.iloc[row, :3].astype(str))
            st.button(
                label,
                type="primary" if icon == "trending_up" else "secondary",
                icon=f":material/{icon}:",
                disabled=row is None,
                on_click=_apply,
                args=(data.names, *step),
            )
        undo = session.own_network.undo
        st.button("Undo", icon=":material/undo:", disabled=not session.own_network.changed(), on_click=undo)
        with st.popover("Start from …"):
            for name, start in searched(data).items():
                change = session.own_network.change
                st.button(name, key=Key.start(name), on_click=change, args=(start,), width="stretch")


def edge_controls(data: bn.Dataset) -> None:
    """Pick an edge; add, delete or reverse it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = list(data.names)
        start, end = f"edge from {session.data.key()}", f"edge to {session.data.key()}"
        choice("From", names, start, width=190)
        choice("To", names, end, first=names[min(1, len(names) - 1)], width=190)
        for kind, label in _KINDS.items():
            key = Key.of(Key.EDGE_ACTION, kind)
            st.button(label, key=key, on_click=_apply_picked, args=(data.names, kind, start, end))


def _apply_picked(names: tuple[str, ...], kind: str, start: str, end: str) -> None:
    _apply(names, kind, str(session.values.get(start, names[0])), str(session.values.get(end, names[-1])))


def _apply(names: tuple[str, ...], kind: str, parent: str, child: str) -> None:
    try:
        session.own_network.change(bn.teaching.change_edge(names, session.own_network.edges(), kind, parent, child))
    except ValueError as error:
        session.own_network.refuse(str(error))
