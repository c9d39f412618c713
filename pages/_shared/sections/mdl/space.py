"""How many networks there are, and how few of them a pruned search visits."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.search_tree import tree_figure
from pages._shared.format import short, whole
from pages._shared.session import Key, kept
from pages._shared.widgets.variables import picked_variables

_MOST_WALKED = 4
_MOST_COUNTED = 60
_MOST_PARENTS = 3


@st.cache_data(max_entries=48, show_spinner=False)
def walked(key: str, _data: bn.Dataset, names: list[str], search: bn.TreeSearch) -> bn.teaching.SearchWalk:
    """The visited networks over the picked variables."""
    return bn.teaching.walk_tree(_data.select(names), search)


@st.cache_data(max_entries=48, show_spinner=False)
def visits(key: str, _data: bn.Dataset, names: list[str], search: bn.TreeSearch) -> dict[str, int]:
    """How many networks each rule leaves to visit."""
    return bn.teaching.visits_by_rule(_data.select(names), search)


@st.cache_data(max_entries=24, show_spinner=False)
def dependent(key: str, _data: bn.Dataset) -> list[str]:
    """The variables that are picked at first."""
    return bn.teaching.most_dependent(_data, _MOST_WALKED)


def space(data: bn.Dataset) -> None:
    """The counts for n variables, and the tree that is walked on four of the data's variables."""
    head = st.empty()
    n_counted = counts()
    hardness(n_counted)
    names = picked_variables(data, "walked", dependent(session.data.key(), data), 2, _MOST_WALKED)
    if names is None:
        return
    left, right = st.columns([13, 6], gap="medium")
    with right:
        search = rules()
    walk = walked(session.data.key(), data, names, search)
    by_rule = visits(session.data.key(), data, names, search)
    n = len(names)
    with head.container():
        show.finding(
            f"Over {n} variables there are {bn.teaching.n_dags(n):,} directed acyclic networks "
            f"({bn.teaching.n_undirected_graphs(n):,} undirected); with these rules the search visits "
            f"**{walk.n_visited}** and finds one of {short(float(walk.mdl_bits[walk.best]), 4)} bits."
        )
    with left:
        show.chart(tree_figure(walk, session.dark(), 330), "search tree", f"Tree of {walk.n_visited} visited networks")
    with right:
        show.table([{"pruned by": name, "visited": count} for name, count in by_rule.items()])
    st.caption(
        "Each circle is a network with one edge more than the one above it; bluer means a shorter description. The "
        "orange way leads to the best one found. Numbers give the order of the visit; point at a circle for its edges. "
        "A network met on another branch is not entered twice."
    )
    csv_button("Visited networks", walk.table(), "visited.csv")


def counts() -> int:
    """How many graphs there are over n variables; returns n."""
    columns = st.columns([5, 9, 11, 6], vertical_alignment="bottom")
    n = int(columns[0].number_input("variables n", 1, _MOST_COUNTED, 8, **kept(Key.SPACE_N)))
    columns[1].metric("undirected graphs", whole(bn.teaching.n_undirected_graphs(n)), help="2^(n(n−1)/2)")
    columns[2].metric("directed acyclic graphs", whole(bn.teaching.n_dags(n)), help="Counted by Robinson's recursion.")
    columns[3].metric("trees", whole(bn.teaching.n_trees(n)), help="n^(n−2), Cayley.")
    return n


def hardness(n: int) -> None:
    """What can be found exactly in a number of steps that is a power of n, and what takes more, as far as is known."""
    show.note(
        "Finding the best network is **NP-hard**, already with at most two parents a variable (Chickering 1996), and "
        "stays so however many rows there are, with three (Chickering, Heckerman & Meek 2004): no method is known "
        "whose work grows only as a power of n. So searches are greedy, random or pruned. Some restricted problems are "
        "easy:",
        "hardness",
        small=False,
    )
    show.table(
        [
            {
                "best among": problem.among,
                "found exactly by": problem.method,
                "steps grow as": f"{problem.growth}, {'easy' if problem.polynomial else 'hard'}",
                f"steps, n = {n}": whole(problem.steps),
            }
            for problem in bn.teaching.exact_problems(n, _MOST_PARENTS)
        ]
    )


def rules() -> bn.TreeSearch:
    """The pruning rules, each with its switch."""
    improving = st.toggle(
        "improving only",
        value=True,
        **kept(Key.WALK_IMPROVING),
        help="A network must have a shorter description than the one above it.",
    )
    pairs = st.toggle(
        "dependent pairs only",
        **kept(Key.WALK_PAIRS),
        help="Edges join only the half of the pairs that depend on each other most.",
    )
    best = st.toggle(
        "best branches only",
        value=True,
        **kept(Key.WALK_BEST),
        help="Of the networks below one only so many are entered.",
    )
    beam = st.slider("branches entered", 1, 6, 2, **kept(Key.WALK_BEAM), disabled=not best)
    return bn.TreeSearch(improving, 0.5 if pairs else 1.0, int(beam) if best else None, max_networks=10_000)
