"""Description lengths of candidate networks, how many networks there are, and search by hand."""

from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.curves import length_figure
from bnengine.plots.lessons import tree_figure
from bnengine.plots.network_drawing import NetworkPicture, arrows
from bnengine.plots.palette import ink
from pages.shared import show, state
from pages.shared.format import counted, escaped, integer, listed, short, tex
from pages.shared.keys import Key
from pages.shared.lessons import Subject, computed
from pages.shared.state import persistent
from pages.shared.widgets import network_view
from pages.shared.words import MDL as WORDS

OWN = "your own"
#: Column titles of description lengths; the likelihoods are hidden.
LENGTHS = WORDS["lengths"] | dict.fromkeys(("log2_likelihood", "likelihood"))
Networks = dict[str, list[tuple[str, str]]]
Changes = list[bn.teaching.EdgeChange]


def searched(subject: Subject) -> Networks:
    """Return the networks that the searches find, and the true one if it is known."""
    name = subject.experiment.data.network
    true = bn.load_network(name) if name else None
    return computed(bn.teaching.candidate_networks, subject.data, true)


def all_candidates(subject: Subject) -> Networks:
    """Return the candidates, with your own network once it has been edited."""
    history = own_history(subject.key)
    return {**searched(subject), **({OWN: history[-1]} if len(history) > 1 else {})}


def phrase(name: str) -> str:
    """Return how a sentence calls a candidate of that name."""
    return escaped(WORDS["phrases"].get(name, f"the network of {name}"))


def mdl_formula(line: Any, n_rows: int) -> str:
    """Return one line of ``bn.teaching.description_lengths`` as |B| log2(N) / 2 - log2 L."""
    size, misfit, total = lengths(line)
    parameters, rows = tex(line["parameters"]), tex(n_rows)
    return (
        rf"\underbrace{{{parameters}\cdot\tfrac{{\log_2 {rows}}}{{2}}}}_{{\text{{size }} {size}}} + "
        rf"\underbrace{{{misfit}}}_{{-\log_2 L}} = {total}\text{{ bits}}"
    )


def lengths(line: Any) -> tuple[str, str, str]:
    """Return size, misfit and their sum in bits, with four digits so that a reader can add them up."""
    size, misfit, total = (tex(line[part], 4) for part in ("size_bits", "misfit_bits", "mdl_bits"))
    return size, misfit, total


# How many networks there are, and how few of them a pruned search visits.

_MOST_WALKED = 4
_MOST_COUNTED = 60


def space_section(subject: Subject) -> None:
    """Show the numbers of graphs over n variables, and the tree searched over up to four of the data's variables."""
    head, data = st.container(), subject.data
    n_counted = counts()
    show.note(WORDS["hardness"], "hardness", small=False)
    if data.n_variables < 2:
        return
    names = computed(bn.teaching.most_dependent, data, max(2, min(n_counted, _MOST_WALKED)))
    left, right = st.columns([13, 6], gap="medium")
    with right:
        search = rules()
    n = len(names)
    walk = computed(bn.teaching.walk_tree, data.select(names), search)
    show.finding(
        f"The search visits **{walk.n_visited}** of {bn.teaching.n_dags(n):,} directed acyclic graphs over {n} "
        f"variables of {subject.title}; the best network it finds takes "
        f"{short(float(walk.mdl_bits[walk.best]), 4)} bits.",
        head,
    )
    with left:
        alt = f"Tree of {counted(walk.n_visited, 'visited network')}"
        show.chart(tree_figure(walk, state.dark()), "search tree", alt)
    st.caption(WORDS["tree"].format(n=n, names=listed([escaped(name) for name in names], n)))


def counts() -> int:
    """Show how many graphs there are over n variables; return n."""
    columns = st.columns([5, 9, 11, 6], vertical_alignment="bottom")
    n = int(columns[0].number_input("Variables n", 1, _MOST_COUNTED, 8, **persistent(Key.SPACE_N)))
    columns[1].metric("Undirected graphs", integer(bn.teaching.n_undirected_graphs(n)))
    columns[2].metric("Directed acyclic graphs", integer(bn.teaching.n_dags(n)))
    columns[3].metric("Trees", integer(bn.teaching.n_trees(n)))
    st.caption(WORDS["counts"])
    return n


def rules() -> bn.TreeSearch:
    """Return the search with the pruning rules that are switched on."""
    about = "A network must have a shorter description than the one above it."
    improving = st.toggle("Improvements only", value=True, **persistent(Key.WALK_IMPROVING), help=about)
    about = "Edges join only the half of the pairs of variables with the largest mutual information."
    pairs = st.toggle("Dependent pairs only", **persistent(Key.WALK_PAIRS), help=about)
    about = "Below each network, only a few branches are entered, the best first."
    best = st.toggle("Best branches only", value=True, **persistent(Key.WALK_BEST), help=about)
    beam = st.slider("Branches entered", 1, 6, 2, **persistent(Key.WALK_BEAM), disabled=not best)
    return bn.TreeSearch(improving, 0.5 if pairs else 1.0, int(beam) if best else None, max_networks=10_000)


# Search by hand: add, delete and reverse edges, and see what every single change would do.

_REFUSED = "refused_change"
_NONE = 1e-6  # bits; smaller differences are rounding errors


def own_history(about: str) -> list[list[tuple[str, str]]]:
    """Return the edges of the network that the visitor builds over the table of that key, after each change."""
    return state.get_or_put(Key.of("own_network", about), [[]])  # type: ignore[no-any-return]


def editor_section(subject: Subject) -> None:
    """Show the finding, the controls, your network next to its possible changes, and the candidates."""
    data, edges = subject.data, own_history(subject.key)[-1]
    changes = computed(bn.teaching.single_changes, data, edges)
    lengths = computed(bn.teaching.description_lengths, data, {**searched(subject), OWN: edges})
    own = lengths[lengths["network"] == OWN].iloc[0]
    show.finding(_editor_sentence(own, lengths, changes))
    controls = st.container()
    with controls:
        buttons(subject, changes)
        if refused := state.pop(_REFUSED, ""):
            st.warning(f"Not possible: {escaped(refused)}.")
    left, right = st.columns([5, 4], gap="medium")
    with left:
        canvas(subject, edges)
    with right:
        best = lengths[lengths["network"] != OWN].head(1)
        both = pd.concat([lengths[lengths["network"] == OWN], best])
        show.chart(length_figure(both, state.dark()), "own length", "Description lengths of your network and the best")
        change_table(changes)
    show.formula(mdl_formula(own, data.n_rows))
    show.table(lengths, LENGTHS, decimals=1)


def canvas(subject: Subject, edges: list[tuple[str, str]]) -> None:
    """Draw your network over all variables, to add, reverse and delete edges."""
    names = subject.data.names
    mine, first = (
        arrows(names, one, ink(state.dark()), 1.8) for one in (edges, next(iter(searched(subject).values())))
    )
    picture = NetworkPicture(names, mine, arrange=list(first), width_hint=560)
    key = Key.chart("own network")
    network_view.draw(picture, key, "Your network", on_pair=lambda *ends: _connect(subject, *ends))
    st.caption(WORDS["canvas"])


def _editor_sentence(own: pd.Series, lengths: pd.DataFrame, changes: Changes) -> str:
    """Return the length of your network, and the best step from there."""
    text = f"Your network has {counted(int(own['edges']), 'edge')} and needs **{short(own['mdl_bits'], 4)} bits**"
    rival = lengths[lengths["network"] != OWN].iloc[0]
    name, difference = phrase(str(rival["network"])), float(own["mdl_bits"] - rival["mdl_bits"])
    if abs(difference) > _NONE:
        text += f", {short(abs(difference))} {'more' if difference > 0 else 'fewer'} than {name}"
    else:
        text += f", as many as {name}"
    if not changes:
        return text + "."
    best = changes[0]
    if best.bits < -_NONE:
        step = f"{best.kind} {escaped(best.parent)} → {escaped(best.child)}"
        return f"{text}. The best step, {step}, saves {short(-best.bits)}."
    return f"{text}. No single change shortens it: greedy search stops here."


def change_table(changes: Changes) -> None:
    """Show the changes."""
    shown = [{"change": f"{one.kind} {one.parent} → {one.child}", "mdl_bits": one.bits} for one in changes]
    titles = {
        "change": st.column_config.TextColumn(f"{counted(len(changes), 'single change')}", width="medium"),
        "mdl_bits": st.column_config.NumberColumn("ΔMDL, bits", format="%+.2f", width="small"),
    }
    show.table(shown, titles, height=215)
    st.caption("Best first; a negative ΔMDL is an improvement.")


def buttons(subject: Subject, changes: Changes) -> None:
    """Apply the best change, undo, or start from another network."""
    improves = bool(changes) and changes[0].bits < -_NONE
    best = (subject.key, subject.data.names, changes[0].kind, changes[0].parent, changes[0].child) if improves else ()
    looks: dict[str, Any] = {"type": "primary", "icon": ":material/trending_up:", "disabled": not improves}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("Apply the best change", on_click=_apply, args=best, **looks)
        history = own_history(subject.key)
        st.button("Undo", icon=":material/undo:", disabled=len(history) == 1, on_click=_undo, args=(subject.key,))
        with st.popover("Start from …"):
            for name, start in searched(subject).items():
                st.button(name, key=Key.start(name), on_click=history.append, args=(start,), width="stretch")


def _undo(about: str) -> None:
    own_history(about).pop()


def _connect(subject: Subject, first: str, second: str) -> None:
    """Delete the edge from the first variable to the second, reverse the one from the second, or add one."""
    edges = own_history(subject.key)[-1]
    ends = (second, first) if (second, first) in edges else (first, second)
    kind = "delete" if (first, second) in edges else "reverse" if (second, first) in edges else "add"
    _apply(subject.key, subject.data.names, kind, *ends)


def _apply(about: str, names: tuple[str, ...], kind: str, parent: str, child: str) -> None:
    history = own_history(about)
    try:
        history.append(bn.teaching.change_edge(names, history[-1], kind, parent, child))
    except ValueError as error:
        state.put(_REFUSED, str(error))
