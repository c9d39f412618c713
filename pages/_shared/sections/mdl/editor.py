"""One's own network: add, delete and reverse edges, and see what every legal single change would do."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.format import counted, escaped, short
from pages._shared.sections.mdl.candidates import LENGTHS, OWN, drawing, lengths_of, searched
from pages._shared.sections.mdl.formula import mdl_formula
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_KINDS = {"add": "Add", "delete": "Delete", "reverse": "Reverse"}


@st.cache_data(max_entries=48, show_spinner=False)
def changes_of(key: str, _data: bn.Dataset, edges: list[tuple[str, str]]) -> pd.DataFrame:
    """Every legal single change, the best first."""
    changes = bn.teaching.single_changes(_data, edges)
    return pd.DataFrame(
        {
            "change": [change.kind for change in changes],
            "from": [change.parent for change in changes],
            "to": [change.child for change in changes],
            "mdl_bits": [change.bits for change in changes],
        }
    )


def editor(data: bn.Dataset) -> None:
    """Sentence, picture and table of changes side by side, the controls that act on them, and the candidates."""
    edges = session.own_network.edges()
    table = changes_of(session.data.key(), data, edges)
    others = searched(session.data.key(), data, session.data.recipe().network)
    lengths = lengths_of(session.data.key(), data, {**others, OWN: edges})
    own = lengths[lengths["network"] == OWN].iloc[0]
    show.finding(sentence(own, lengths, table))
    actions, picking = st.container(), st.container()
    left, right = st.columns(2, gap="medium")
    with right:
        chosen = change_table(table, edges)
    with actions:
        buttons(data, table, chosen)
    with picking:
        edge_controls(data)
        refused = session.own_network.refusal()
        if refused:
            st.warning(f"Refused: {escaped(refused)}.")
    with left:
        show.formula(mdl_formula(own, data.n_rows))
        drawing(data, edges, "own network", 400)
    show.table(lengths, LENGTHS, decimals=1)
    take_away(
        ("Single changes", table, "single_changes.csv"),
        ("Your edges", pd.DataFrame(edges, columns=["parent", "child"]), "own_network.csv"),
    )


def sentence(own: pd.Series, lengths: pd.DataFrame, changes: pd.DataFrame) -> str:  # type: ignore[type-arg]
    """Where one stands, and the best step from there."""
    edges = int(own["edges"])
    text = f"Your network has {counted(edges, 'edge')} and needs **{short(own['mdl_bits'], 4)} bits**"
    rival = lengths[lengths["network"] != OWN].iloc[0]
    if own["above_best_bits"] > 1e-6:
        text += f", {short(own['above_best_bits'])} more than {escaped(str(rival['network']))}"
    elif rival["above_best_bits"] > 1e-6:
        text += f", {short(rival['above_best_bits'])} fewer than {escaped(str(rival['network']))}"
    else:
        text += f", as few as {escaped(str(rival['network']))}"
    if not len(changes):
        return text + "."
    best = changes.iloc[0]
    step = f"{best['change']} {escaped(best['from'])} → {escaped(best['to'])}"
    if best["mdl_bits"] < -1e-6:
        return f"{text}. The best step, {step}, saves {short(-best['mdl_bits'])}."
    return f"{text}. No single change saves a bit: here greedy search stops."


def change_table(table: pd.DataFrame, edges: list[tuple[str, str]]) -> int | None:
    """The sorted changes; the row that was picked, if any."""
    shown = pd.DataFrame(
        {
            "change": [
                f"{kind} {parent} → {child}"
                for kind, parent, child in zip(table["change"], table["from"], table["to"], strict=True)
            ],
            "mdl_bits": table["mdl_bits"],
        }
    )
    event = show.table(
        shown,
        {
            "change": st.column_config.TextColumn(f"{len(table):,} legal single changes", width="medium"),
            "mdl_bits": st.column_config.NumberColumn("ΔMDL, bits", format="%+.2f", width="small"),
        },
        height=330,
        on_select="rerun",
        selection_mode="single-row",
        key=Key.of(Key.CHANGES, session.data.key(), edges),
    )
    st.caption("Best first; below zero is better. Tick a row to pick it.")
    rows = event.selection.rows
    return int(rows[0]) if rows and rows[0] < len(table) else None


def buttons(data: bn.Dataset, table: pd.DataFrame, chosen: int | None) -> None:
    """Apply, undo, start from another network."""
    best = _step(table, 0 if len(table) and table["mdl_bits"].iloc[0] < -1e-6 else None)
    picked = _step(table, chosen)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            "Apply the best change",
            type="primary",
            icon=":material/trending_up:",
            disabled=best is None,
            on_click=_apply,
            args=(data.names, *(best or ())),
        )
        st.button(
            "Apply the picked row",
            icon=":material/check:",
            disabled=picked is None,
            on_click=_apply,
            args=(data.names, *(picked or ())),
        )
        st.button(
            "Undo",
            icon=":material/undo:",
            disabled=not session.own_network.changed(),
            on_click=session.own_network.undo,
        )
        with st.popover("Start from …"):
            for name, start in searched(session.data.key(), data, session.data.recipe().network).items():
                st.button(
                    name, key=Key.start(name), on_click=session.own_network.change, args=(start,), width="stretch"
                )


def _step(table: pd.DataFrame, row: int | None) -> tuple[str, str, str] | None:
    """The change in a row of the table: kind, parent, child."""
    if row is None:
        return None
    line = table.iloc[row]
    return str(line["change"]), str(line["from"]), str(line["to"])


def edge_controls(data: bn.Dataset) -> None:
    """Pick an edge; add, delete or reverse it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = list(data.names)
        start, end = f"edge from {session.data.key()}", f"edge to {session.data.key()}"
        choice("from", names, start, width=190)
        st.selectbox("to", names, index=min(1, len(names) - 1), **kept(end), width=190)
        for kind, label in _KINDS.items():
            st.button(
                label, key=Key.of(Key.EDGE_ACTION, kind), on_click=_apply_picked, args=(data.names, kind, start, end)
            )


def _apply_picked(names: tuple[str, ...], kind: str, start: str, end: str) -> None:
    _apply(names, kind, str(session.values.get(start, names[0])), str(session.values.get(end, names[-1])))


def _apply(names: tuple[str, ...], kind: str, parent: str, child: str) -> None:
    try:
        session.own_network.change(bn.teaching.change_edge(names, session.own_network.edges(), kind, parent, child))
    except ValueError as error:
        session.own_network.refuse(str(error))
