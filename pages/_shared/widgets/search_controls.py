"""Widgets for the search and the constraints on graphs."""

import re
from collections.abc import Callable

import streamlit as st

import bnengine as bn
from bnengine.search import Search
from pages._shared import session
from pages._shared.format import escaped
from pages._shared.session import Key, kept
from pages._shared.widgets.annealing_control import FIVE_PARENTS, annealing_control

#: Title and two sentences on each search, in the order of the list.
SEARCHES = {
    "hill_climbing": (
        "hill climbing",
        "From no edges, makes the one change (add, delete, reverse) that gains most until none gains. "
        "It may stop at a local optimum; restarts shake the best graph and climb again.",
    ),
    "tabu": (
        "tabu search",
        "Goes on through worse graphs where none gains, but never back to one it has just left. "
        "So it crosses plateaus and leaves local optima; the best graph met is kept. "
        "Restarts shake that graph and search again.",
    ),
    "annealing": (
        "simulated annealing",
        "Makes random changes and accepts a losing one the more readily the hotter it is, while it cools. "
        "Other seeds may end in other local optima. A variable has at most five parents unless you set another limit.",
    ),
    "best_first": (
        "best-first",
        "Of all graphs met but not yet expanded it expands the best, and comes back to others when that leads nowhere. "
        "The frontier is bounded: the worst graphs make room.",
    ),
    "k2": (
        "K2, given an ordering",
        "Goes through the variables in a given order and adds, greedily, the earlier variables that gain most. "
        "Fast and never cyclic, but only as good as the ordering.",
    ),
    "fixed_ordering": (
        "exact, given an ordering",
        "Tries every parent set among the earlier variables up to a size and keeps the best. "
        "It finds pairs of parents that gain only together; the optimum holds for this ordering.",
    ),
    "chow_liu": (
        "Chow–Liu tree",
        "Finds the best graph in which each variable has at most one parent: a tree or a forest. "
        "The optimum is exact, the restriction severe.",
    ),
    "tree": (
        "tree of networks",
        "Walks the tree of networks depth first from the empty one, an edge more at each level, and prunes it. "
        "Made to be understood: use it on few variables.",
    ),
    "exact": (
        "exact",
        "Finds the provably best graph within the limit on parents, by branch and bound over sets of variables. "
        "Takes a second for 20 variables, and often little more for 30 with 3 parents; at worst each doubles the work.",
    ),
}
_FEW_VARIABLES, _NETWORKS_OF_MANY = 5, 1000
TRUE_ORDER, COLUMN_ORDER, OWN_ORDER = "of the true network", "of the columns", "typed below"


def search_control(recipe: bn.Recipe, data: bn.Dataset | None) -> Search:
    """Search and its parameters."""
    key = st.selectbox("search", list(SEARCHES), format_func=lambda word: SEARCHES[word][0], **kept(Key.SEARCH))
    st.caption(SEARCHES[key][1])
    if key == "chow_liu":
        names = list(data.names) if data else []
        if session.values.get(Key.ROOT) not in names:
            session.values.put(Key.ROOT, None)
        return bn.ChowLiu(st.selectbox("root", names, placeholder="drawn with the seed", **kept(Key.ROOT)))
    limit = parents_control(key)
    if key == "k2":
        return bn.K2(ordering_control(recipe, data), max_parents=limit)
    if key == "fixed_ordering":
        return fixed_ordering_control(recipe, data, limit)
    if key == "exact":
        return exact_control(data, limit)
    builders: dict[str, Callable[[int | None], Search]] = {
        "hill_climbing": lambda limit: bn.HillClimbing(
            restarts=whole("restarts", Key.RESTARTS, 0, 1000), max_parents=limit
        ),
        "tabu": tabu_control,
        "annealing": annealing_control,
        "best_first": best_first_control,
        "tree": lambda limit: tree_control(data, limit),
    }
    return builders[key](limit)


def whole(label: str, key: str, least: int, most: int, help: str | None = None) -> int:
    """A whole number that survives changing pages."""
    return int(st.number_input(label, min_value=least, max_value=most, **kept(key), help=help))


def parents_control(search: str) -> int | None:
    """The limit on parents; without one, the searches that need a limit suggest their own."""
    suggested = {"annealing": 5, "fixed_ordering": 3, "exact": 4}.get(search)
    if suggested is None and session.values.get(Key.SCORE) == "loglik":
        suggested = 3  # without a limit this score would join everything to everything
    limit = st.number_input(
        "most parents of a variable",
        min_value=1,
        max_value=50,
        placeholder="no limit" if suggested is None else str(suggested),
        **kept(Key.MAX_PARENTS),
        help=FIVE_PARENTS if search == "annealing" else None,
    )
    return suggested if limit is None else int(limit)


def fixed_ordering_control(recipe: bn.Recipe, data: bn.Dataset | None, limit: int | None) -> Search:
    """Exact search given an ordering, with its work told before it starts."""
    search = bn.FixedOrdering(ordering_control(recipe, data), max_parents=limit)
    if data:
        st.caption(f"{search.n_families(data.n_variables):,} families to try.")
    return search


def exact_control(data: bn.Dataset | None, limit: int | None) -> Search:
    """Exact search, with its work and memory told before it starts."""
    search = bn.Exact(max_parents=limit)
    if data and data.n_variables <= 40:
        memory = min(search.memory(data.n_variables), search.max_memory) / 2**20
        size = f"{memory:,.0f} MB" if memory < 1024 else f"{memory / 1024:,.1f} GB"
        st.caption(f"Up to {search.n_families(data.n_variables):,} families to count, at most {size} of memory.")
    return search


def tabu_control(limit: int | None) -> Search:
    """Tabu search."""
    tenure = whole("tenure", Key.TENURE, 1, 10_000, "How many graphs back count as recent.")
    patience = whole("patience", Key.PATIENCE, 1, 10_000, "Moves without a new best graph that end the search.")
    restarts = whole("restarts", Key.RESTARTS, 0, 1000)
    return bn.Tabu(tenure, patience, max_parents=limit, restarts=restarts)


def best_first_control(limit: int | None) -> Search:
    """Best-first search."""
    frontier = whole("frontier", Key.FRONTIER, 1, 5_000, "How many unexpanded graphs are kept.")
    patience = whole("patience", Key.PATIENCE, 1, 10_000, "Expansions without a new best graph that end the search.")
    return bn.BestFirst(frontier, patience, max_parents=limit)


def tree_control(data: bn.Dataset | None, limit: int | None) -> Search:
    """The lecture's tree search with its three pruning rules."""
    few = data is None or data.n_variables <= _FEW_VARIABLES
    if not few:
        st.caption(f"Stops after {_NETWORKS_OF_MANY:,} networks: the tree is wide with so many variables.")
    improving = st.checkbox("drop what is not better than its parent", **kept(Key.IMPROVING))
    share = st.slider("share of pairs that may be joined", 0.05, 1.0, step=0.05, **kept(Key.DEPENDENT))
    beam = st.number_input("branches entered at each network", 1, 1000, placeholder="all", **kept(Key.BEAM))
    networks = bn.TreeSearch().max_networks if few else _NETWORKS_OF_MANY
    return bn.TreeSearch(bool(improving), float(share), int(beam) if beam else None, limit, networks)


def ordering_control(recipe: bn.Recipe, data: bn.Dataset | None) -> tuple[str, ...] | None:
    """The ordering a search is given; None for the column order."""
    options = [COLUMN_ORDER, OWN_ORDER]
    network = bn.load_network(recipe.network) if recipe.network is not None else None
    if network is not None and data is not None and set(data.names) <= set(network.names):
        options.insert(0, TRUE_ORDER)
    if session.values.get(Key.ORDERING) not in options:
        session.values.put(Key.ORDERING, options[0])
    choice = st.selectbox("ordering", options, **kept(Key.ORDERING))
    if choice == TRUE_ORDER and network is not None:
        return tuple(name for name in network.ordering if data is None or name in data.names)
    if choice == OWN_ORDER and data is not None:
        return typed_ordering(data)
    return None


def typed_ordering(data: bn.Dataset) -> tuple[str, ...] | None:
    """An ordering typed by the person; None, with the reason, where it does not fit."""
    if session.values.get(Key.ORDERING_TEXT) is None:
        session.values.put(Key.ORDERING_TEXT, ", ".join(data.names))
    text = st.text_area(
        "variables, causes first", **kept(Key.ORDERING_TEXT), help="Separated by commas or lines; each variable once."
    )
    typed = [name for name in re.split(r"\s*[,\n]\s*", text.strip()) if name]
    if sorted(typed) == sorted(data.names):
        return tuple(typed)
    missing = [name for name in data.names if name not in typed]
    unknown = [name for name in typed if name not in data.names]
    if missing:
        what = f"lacks {', '.join(missing[:3])}"
    elif unknown:
        what = f"has {', '.join(unknown[:3])}, which is no variable"
    else:
        what = "names a variable twice"
    st.warning(f"The ordering {escaped(what)}; the column order is used.")
    return None


def constraints_control(data: bn.Dataset | None) -> bn.Constraints:
    """Required and forbidden edges and tiers; what contradicts itself is told and left out."""
    with st.expander("Constraints", icon=":material/rule:"):
        example = f"{data.names[0]} -> {data.names[-1]}" if data and data.n_variables > 1 else "A -> B"
        required = st.text_area("required edges, one a line", **kept(Key.REQUIRED), placeholder=example, height=80)
        forbidden = st.text_area("forbidden edges, one a line", **kept(Key.FORBIDDEN), placeholder=example, height=80)
        tiers = st.text_area(
            "tiers, earliest first, one a line",
            **kept(Key.TIERS),
            placeholder="A, B\nC",
            height=80,
            help="No edge leads from a later tier to an earlier one; variables in no tier are free.",
        )
        try:
            constraints = bn.Constraints(
                required=_typed_edges(required), forbidden=_typed_edges(forbidden), tiers=_typed_tiers(tiers)
            )
            if data:
                constraints.resolve(data.names)
        except ValueError as error:
            st.error(f"{escaped(str(error))}. No constraint is used.")
            return bn.Constraints()
    return constraints


def _typed_edges(text: str) -> tuple[tuple[str, str], ...]:
    edges = []
    for line in filter(None, map(str.strip, text.splitlines())):
        ends = re.split(r"\s*(?:->|→)\s*", line)
        if len(ends) != 2 or not all(ends):
            raise ValueError(f"'{line}' is no edge; write it as parent -> child")
        edges.append((ends[0], ends[1]))
    return tuple(edges)


def _typed_tiers(text: str) -> tuple[tuple[str, ...], ...]:
    lines = filter(None, map(str.strip, text.splitlines()))
    return tuple(tuple(name.strip() for name in line.split(",") if name.strip()) for line in lines)
