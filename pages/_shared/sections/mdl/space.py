"""How many networks there are, and how few of them a pruned search visits."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.search_tree import tree_figure
from pages._shared.format import counted, escaped, listed, short, whole
from pages._shared.section import computed
from pages._shared.session import Key, kept
from pages._shared.widgets.variables import most_dependent

_MOST_WALKED = 4
_MOST_COUNTED = 60
_MOST_PARENTS = 3


def section(data: bn.Dataset) -> None:
    """Show the numbers of graphs over n variables, and the tree searched over up to four of the data's variables."""
    head = st.container()
    n_counted = counts()
    hardness(n_counted)
    if data.n_variables < 2:
        return
    names = most_dependent(data, max(2, min(n_counted, _MOST_WALKED)))
    left, right = st.columns([13, 6], gap="medium")
    with right:
        search = rules()
    part, n = data.select(names), len(names)
    walk = computed("walk", lambda: bn.teaching.walk_tree(part, search), names, search)
    by_rule = computed("visits", lambda: bn.teaching.visits_by_rule(part, search), names, search)
    show.finding(
        f"The search visits **{walk.n_visited}** of {bn.teaching.n_dags(n):,} directed acyclic graphs over {n} "
        f"variables of {session.data.title()}; the best network it finds takes "
        f"{short(float(walk.mdl_bits[walk.best]), 4)} bits.",
        head,
    )
    with left:
        show.chart(
            tree_figure(walk, session.dark(), 330),
            "search tree",
            f"Tree of {counted(walk.n_visited, 'visited network')}",
        )
    with right:
        show.table([{"Rules": name, "Visited": count} for name, count in by_rule.items()])
    st.caption(
        f"Over the {n} variables that depend most on each other, {listed([escaped(name) for name in names], n)}: "
        "a larger tree could not be drawn. Each circle is a network with one more edge than the one above it; the "
        "darker, the shorter its description. The orange path leads to the best network found. Numbers give the order "
        "of the visits; hover over a circle for its edges. A network that was visited on another branch is skipped."
    )
    csv_button("Visited networks", walk.table(), "visited.csv")


def counts() -> int:
    """Show how many graphs there are over n variables; return n."""
    columns = st.columns([5, 9, 11, 6], vertical_alignment="bottom")
    n = int(columns[0].number_input("Variables n", 1, _MOST_COUNTED, 8, **kept(Key.SPACE_N)))
    columns[1].metric("Undirected graphs", whole(bn.teaching.n_undirected_graphs(n)), help="2^(n(n−1)/2)")
    columns[2].metric("Directed acyclic graphs", whole(bn.teaching.n_dags(n)), help="Robinson's recursion (1973).")
    columns[3].metric("Trees", whole(bn.teaching.n_trees(n)), help="n^(n−2), Cayley's formula.")
    return n


def hardness(n: int) -> None:
    """Show which problems are solved exactly in polynomial time, as far as is known, and which are not."""
    show.note(
        "Finding the best network is **NP-hard**, even with at most two parents per variable (Chickering 1996), and "
        "remains so, with three, however many rows there are (Chickering, Heckerman & Meek 2004): no algorithm with "
        "polynomial running time is known. Practical searches are therefore greedy, random or pruned. Some restricted "
        "problems are easy:",
        "hardness",
        small=False,
    )
    show.table(
        [
            {
                "Best among": problem.among,
                "Found exactly by": problem.method,
                "Steps grow as": f"{problem.growth}, {'easy' if problem.polynomial else 'hard'}",
                f"Steps, n = {n}": whole(problem.steps),
            }
            for problem in bn.teaching.exact_problems(n, _MOST_PARENTS)
        ]
    )


def rules() -> bn.TreeSearch:
    """Return the search with the pruning rules that are switched on."""
    improving = st.toggle(
        "Improvements only",
        value=True,
        **kept(Key.WALK_IMPROVING),
        help="A network must have a shorter description than the one above it.",
    )
    pairs = st.toggle(
        "Dependent pairs only",
        **kept(Key.WALK_PAIRS),
        help="Edges join only the half of the pairs of variables with the largest mutual information.",
    )
    best = st.toggle(
        "Best branches only",
        value=True,
        **kept(Key.WALK_BEST),
        help="Below each network, only a few branches are entered, the best first.",
    )
    beam = st.slider("Branches entered", 1, 6, 2, **kept(Key.WALK_BEAM), disabled=not best)
    return bn.TreeSearch(improving, 0.5 if pairs else 1.0, int(beam) if best else None, max_networks=10_000)
