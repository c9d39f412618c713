"""The score with its settings, the structure prior, and the search with its settings."""

from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.networks.bundled import network_names
from bnengine.networks.network_files import SUFFIXES
from bnengine.scores.local_score import default_score, needs_states
from bnengine.scores.scores import SCORES, TableScore
from bnengine.search import SEARCHES, Search
from bnengine.search.exact import MOST_VARIABLES
from bnengine.search.restricted import LARGEST_SEARCH
from bnengine.settings import entry_of, label_of, setting_of, settings_of, tag_of
from bnengine.text import bounded_name
from pages.shared import in_use, state, typed_lists
from pages.shared.format import escaped, listed, sentence
from pages.shared.keys import Key
from pages.shared.run.run_state import COLUMN_ORDER, OWN_ORDER, TRUE_ORDER
from pages.shared.state import persistent
from pages.shared.widgets.choice import build_from_widgets, choice, declared


def score_title(key: str) -> str:
    """Name a score with its group."""
    return f"{label_of(SCORES[key])} · {entry_of(SCORES[key]).group}"


def score_control(data: bn.Dataset | None) -> TableScore:
    """Draw the choice of score and of its parameters."""
    offered = dict(SCORES) if in_use.awaited() else scores_for(data)
    _suit_score(data)
    about = "\n\n".join(f"**{score_title(key)}**: {entry_of(kind).help}" for key, kind in offered.items())
    key = choice("Score", {key: score_title(key) for key in offered}, Key.SCORE, help=about)
    if data is not None and data.numbers:
        st.caption("Scores of states, such as K2 and BDeu, are not offered: some columns are kept as numbers.")
    if key != "bde":
        return build_from_widgets(SCORES[key])  # type: ignore[no-any-return]
    ess = declared(setting_of(bn.BDe, "ess"))
    network = prior_network_control(data)
    return bn.BDeu(ess) if network is None else bn.BDe(network, ess)


def scores_for(data: bn.Dataset | None) -> dict[str, type[TableScore]]:
    """Return the scores that these data can have, by tag."""
    if data is None or not data.numbers:
        return {key: kind for key, kind in SCORES.items() if kind is not bn.GaussianBIC}
    return {key: kind for key, kind in SCORES.items() if kind is not bn.BDe and not needs_states(kind())}


def _suit_score(data: bn.Dataset | None) -> None:
    """Turn from one default score to the other when the data turn to numbers or back to states; not when opened."""
    if data is None or in_use.awaited():
        return
    suited, before = tag_of(default_score(data)), state.get(Key.SUITED)
    if before and before != suited and state.get(Key.SCORE) == before:
        state.put(Key.SCORE, suited)
    state.put(Key.SUITED, suited)


def prior_network_control(data: bn.Dataset | None) -> bn.BayesianNetwork | str | None:
    """Draw the choice of a prior network, a bundled one or that of a file; None, with the reason, if none fits."""
    bundled = _networks_over(data.names, tuple(map(frozenset, data.states))) if data else []
    known: dict[Any, str] = {name: name for name in bundled}
    about = "A network with the variables and states of these data: BIF, DSC, BIFXML, NET or XDSL."
    file = st.file_uploader("Prior network of your own", type=SUFFIXES, key=Key.OWN_PRIOR, help=about)
    try:
        if file is not None and file.file_id != state.get(_TAKEN):
            state.put(Key.PRIOR_NETWORK, bn.read_network(file, title=bounded_name(file.name)))
            state.put(_TAKEN, file.file_id)
        own = state.get(Key.PRIOR_NETWORK)
        if isinstance(own, bn.BayesianNetwork) and data is not None:
            own.check_states(data, "prior network")
            known = {own: own.title, **known}
    except ValueError as error:
        st.error(sentence(error))
    if not known:
        st.info("No bundled network has these variables and states, so that BDeu is used: its prior is uniform.")
        return None
    chosen: bn.BayesianNetwork | str = choice("Prior network", known, Key.PRIOR_NETWORK)
    return chosen


_TAKEN = "own_prior_taken"  # which uploaded file the prior network was read from


@st.cache_data(max_entries=64, show_spinner=False)
def _networks_over(names: tuple[str, ...], states: tuple[frozenset[str], ...]) -> list[str]:
    """Return the bundled networks over these variables with these states."""
    found = []
    for title in network_names():
        network = bn.load_network(title)
        declared = dict(zip(network.names, map(frozenset, network.states), strict=True))
        if set(names) == set(declared) and all(declared[n] == s for n, s in zip(names, states, strict=True)):
            found.append(title)
    return found


# The search with its settings.

_FEW_VARIABLES, _NETWORKS_OF_MANY = 5, 1000
_LIMIT_FOR_FIT = 3  # without a limit the log-likelihood gives a complete graph


def search_control(recipe: bn.Recipe, data: bn.Dataset | None) -> Search:
    """Draw the choice of search, and below it its parameters."""
    refused = {tag: why for tag in SEARCHES if (why := reason_against(tag, data))}
    tag = choice("Search", {tag: label_of(SEARCHES[tag]) for tag in SEARCHES if tag not in refused}, Key.SEARCH)
    with st.expander("Details of the search", icon=":material/search:"):
        st.caption(entry_of(SEARCHES[tag]).help)
        for each, why in refused.items():
            st.caption(f":material/block: {label_of(SEARCHES[each])} is not offered: {why}.")
        return search_details(SEARCHES[tag], recipe, data)


def search_details(kind: Any, recipe: bn.Recipe, data: bn.Dataset | None) -> Search:
    """Draw the parameters of a kind of search."""
    names = {one.name for one in settings_of(kind)}
    given: dict[str, Any] = {}
    if "root" in names:
        given["root"] = root_control(data)
    if "max_parents" in names:
        given["max_parents"] = parents_control(kind)
    if "ordering" in names:
        given["ordering"] = ordering_control(recipe, data)
    if kind is bn.TreeSearch and data is not None and data.n_variables > _FEW_VARIABLES:
        state.within(Key.setting("max_networks", tag_of(kind)), 1, _NETWORKS_OF_MANY)
    search: Search = build_from_widgets(kind, **given)
    if data is not None and isinstance(search, bn.FixedOrdering | bn.Exact):
        st.caption(f"At most {search.n_families(data.n_variables):,} families to score.")
    return search


def reason_against(tag: str, data: bn.Dataset | None) -> str:
    """Return the reason why a search cannot run on these data, however it is set; empty if it can."""
    if data is None:
        return ""
    n = data.n_variables
    if tag == "exact" and n > MOST_VARIABLES:
        return f"it is for up to {MOST_VARIABLES} variables, and these are {n:,}"
    if tag == "fixed_ordering" and bn.FixedOrdering(max_parents=1).n_families(n) > LARGEST_SEARCH:
        return f"even with one parent per variable, {n:,} variables have more than {LARGEST_SEARCH:,} families"
    return ""


def root_control(data: bn.Dataset | None) -> str | None:
    """Draw the choice of the root of a tree; None for a random one."""
    names, one = list(data.names) if data else [], setting_of(bn.ChowLiu, "root")
    if state.get(Key.ROOT) not in names:
        state.put(Key.ROOT, None)
    root: str | None = st.selectbox(one.label, names, placeholder=one.none, help=one.help, **persistent(Key.ROOT))
    return root


def parents_control(kind: Any) -> int | None:
    """Draw the limit on parents; if empty, the search's default, or one that the score needs."""
    one = setting_of(kind, "max_parents")
    suggested = one.default
    if suggested is None and state.get(Key.SCORE) == "loglik":
        suggested = _LIMIT_FOR_FIT
    limit = declared(one, placeholder=one.none if suggested is None else str(suggested))
    return suggested if limit is None else int(limit)


def ordering_control(recipe: bn.Recipe, data: bn.Dataset | None) -> tuple[str, ...] | None:
    """Draw the choice of an ordering of the variables; None for the column order."""
    network = bn.load_network(recipe.network) if recipe.network is not None else None
    known = network is not None and data is not None and set(data.names) <= set(network.names)
    chosen = choice("Ordering", [*([TRUE_ORDER] if known else []), COLUMN_ORDER, OWN_ORDER], Key.ORDERING)
    if chosen == TRUE_ORDER and network is not None:
        return tuple(name for name in network.ordering if data is None or name in data.names)
    if chosen == OWN_ORDER and data is not None:
        return typed_ordering(data)
    return None


def typed_ordering(data: bn.Dataset) -> tuple[str, ...] | None:
    """Draw the ordering typed by the user; None, with the reason, if it is not one of the variables."""
    if not state.get(Key.ORDERING_TEXT):
        typed_lists.put_names(Key.ORDERING_TEXT, data.names)
    st.text_area(
        "Variables, causes before effects",
        **persistent(Key.ORDERING_TEXT),
        help="Separated by commas or line breaks; a name that holds one stands in quotes.",
    )
    try:
        typed = typed_lists.names(Key.ORDERING_TEXT)
    except ValueError as error:
        st.warning(f"The ordering cannot be read: {sentence(error, as_is=True)} The column order is used.")
        return None
    if sorted(typed) == sorted(data.names):
        return typed
    given, known = set(typed), set(data.names)
    missing = [name for name in data.names if name not in given]
    unknown = [name for name in typed if name not in known]
    if missing:
        what = f"lacks {listed(missing, 3)}"
    elif unknown:
        what = f"contains {listed(unknown, 3)}, not found among the variables"
    else:
        what = "contains a variable twice"
    st.warning(f"The ordering {escaped(what)}; the column order is used.")
    return None
