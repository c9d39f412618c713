"""The search with its settings."""

import re
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine._core.settings import label_of, setting_of, settings_of
from bnengine.search import SEARCHES, Search
from pages._shared import session
from pages._shared.format import escaped, listed, short
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice
from pages._shared.widgets.declared import declared, made

#: Two sentences on each search, in the order of the list.
ABOUT = {
    "hill_climbing": (
        "From no edges, makes the one change (add, delete, reverse) that gains most until none gains. "
        "It may stop at a local optimum; restarts shake the best graph and climb again."
    ),
    "tabu": (
        "Goes on through worse graphs where none gains, but never back to one it has just left. "
        "So it crosses plateaus and leaves local optima; the best graph met is kept. "
        "Restarts shake that graph and search again."
    ),
    "annealing": (
        "Makes random changes and accepts a losing one the more readily the hotter it is, while it cools. "
        "Other seeds may end in other local optima. A variable has at most five parents unless you set another limit."
    ),
    "best_first": (
        "Of all graphs met but not yet expanded it expands the best, and comes back to others when that leads nowhere. "
        "The frontier is bounded: the worst graphs make room."
    ),
    "k2": (
        "Goes through the variables in a given order and adds, greedily, the earlier variables that gain most. "
        "Fast and never cyclic, but only as good as the ordering."
    ),
    "fixed_ordering": (
        "Tries every parent set among the earlier variables up to a size and keeps the best. "
        "It finds pairs of parents that gain only together; the optimum holds for this ordering."
    ),
    "chow_liu": (
        "Finds the best graph in which each variable has at most one parent: a tree or a forest. "
        "The optimum is exact, the restriction severe."
    ),
    "tree": (
        "Walks the tree of networks depth first from the empty one, an edge more at each level, and prunes it. "
        "Made to be understood: use it on few variables."
    ),
    "exact": (
        "Finds the provably best graph within the limit on parents, by branch and bound over sets of variables. "
        "Takes a second for 20 variables, and often little more for 30 with 3 parents; at worst each doubles the work."
    ),
}
TRUE_ORDER, COLUMN_ORDER, OWN_ORDER = "of the true network", "of the columns", "typed below"
_FEW_VARIABLES, _NETWORKS_OF_MANY = 5, 1000
_LIMIT_FOR_FIT = 3  # without a limit the log-likelihood would join everything to everything


def search_control(recipe: bn.Recipe, data: bn.Dataset | None) -> Search:
    """Search and its parameters."""
    tag = choice("search", {tag: label_of(SEARCHES[tag]) for tag in ABOUT}, Key.SEARCH)
    st.caption(ABOUT[tag])
    kind = SEARCHES[tag]
    names = {one.name for one in settings_of(kind)}
    given: dict[str, Any] = {}
    if "root" in names:
        given["root"] = root_control(data)
    if "max_parents" in names:
        given["max_parents"] = parents_control(kind)
    if "ordering" in names:
        given["ordering"] = ordering_control(recipe, data)
    if kind is bn.TreeSearch and data is not None and data.n_variables > _FEW_VARIABLES:
        session.values.at_most(Key.setting("max_networks", tag), _NETWORKS_OF_MANY)
    search: Search = made(kind, **given)
    if kind is bn.SimulatedAnnealing:
        for label, schedule in (
            ("Schedule from the data", bn.SimulatedAnnealing()),
            ("Schedule as published, 1995", bn.SimulatedAnnealing.published()),
        ):
            st.button(label, on_click=_set_schedule, args=(schedule,), width="stretch")
    work_told(search, data)
    return search


def _set_schedule(search: bn.SimulatedAnnealing) -> None:
    for one in settings_of(bn.SimulatedAnnealing):
        if one.name not in ("max_parents", "start"):
            session.values.put(Key.setting(one.name, "annealing"), getattr(search, one.name))


def work_told(search: Search, data: bn.Dataset | None) -> None:
    """How much an exact search has to do, before it starts."""
    if data is None:
        return
    if isinstance(search, bn.FixedOrdering):
        st.caption(f"{search.n_families(data.n_variables):,} families to try.")
    if isinstance(search, bn.Exact) and data.n_variables <= 40:
        memory = min(search.memory(data.n_variables), search.max_memory) / 2**20
        size = f"{short(memory)} MB" if memory < 1024 else f"{short(memory / 1024)} GB"
        st.caption(f"Up to {search.n_families(data.n_variables):,} families to count, at most {size} of memory.")


def root_control(data: bn.Dataset | None) -> str | None:
    """The root of a tree; None for one that is drawn."""
    names, one = list(data.names) if data else [], setting_of(bn.ChowLiu, "root")
    if session.values.get(Key.ROOT) not in names:
        session.values.put(Key.ROOT, None)
    return st.selectbox(one.label, names, placeholder=one.none, help=one.help, **kept(Key.ROOT))


def parents_control(kind: Any) -> int | None:
    """The limit on parents; left empty, it is the search's own, or one that the score needs."""
    one = setting_of(kind, "max_parents")
    suggested = one.default
    if suggested is None and session.values.get(Key.SCORE) == "loglik":
        suggested = _LIMIT_FOR_FIT
    limit = declared(one, placeholder=one.none if suggested is None else str(suggested))
    return suggested if limit is None else int(limit)


def ordering_control(recipe: bn.Recipe, data: bn.Dataset | None) -> tuple[str, ...] | None:
    """The ordering a search is given; None for the column order."""
    network = bn.load_network(recipe.network) if recipe.network is not None else None
    known = network is not None and data is not None and set(data.names) <= set(network.names)
    chosen = choice("ordering", [*([TRUE_ORDER] if known else []), COLUMN_ORDER, OWN_ORDER], Key.ORDERING)
    if chosen == TRUE_ORDER and network is not None:
        return tuple(name for name in network.ordering if data is None or name in data.names)
    if chosen == OWN_ORDER and data is not None:
        return typed_ordering(data)
    return None


def typed_ordering(data: bn.Dataset) -> tuple[str, ...] | None:
    """An ordering typed by the user; None, with the reason, where it does not fit."""
    if not session.values.get(Key.ORDERING_TEXT):
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
        what = f"lacks {listed(missing, 3)}"
    elif unknown:
        what = f"has {listed(unknown, 3)}, which is no variable"
    else:
        what = "names a variable twice"
    st.warning(f"The ordering {escaped(what)}; the column order is used.")
    return None
