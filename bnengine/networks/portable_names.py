"""Names of variables and states changed, injectively, into names that a file format can hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from bnengine.networks.network import BayesianNetwork


def distinct_words(
    words: Sequence[str], holds: Callable[[str], bool], replaced: Callable[[str], str]
) -> dict[str, str]:
    """The words, all different, with those that a format cannot hold replaced; numbers keep the new ones apart."""
    taken = {word for word in words if holds(word)}
    tried = Counter[str]()
    made = {}
    for word in words:
        made[word] = word
        if not holds(word):
            stem = new = replaced(word)
            while new in taken:
                tried[stem] += 1
                new = f"{stem}_{tried[stem] + 1}"
            taken.add(new)
            made[word] = new
    return made


def renamed(
    network: BayesianNetwork, holds: Callable[[str], bool], replaced: Callable[[str], str]
) -> tuple[BayesianNetwork, dict[str, str]]:
    """Rename the variables and states that a format cannot hold.

    Parameters
    ----------
    network : BayesianNetwork
    holds : callable
        Whether the format can hold a name.
    replaced : callable
        A similar name that it can hold; if that is taken, a number is appended.

    Returns
    -------
    BayesianNetwork
    dict from str to str
        New name of each variable that was renamed, and new state under ``"variable=state"`` (old names).
    """
    changed: dict[str, str] = {}

    def unique(words: tuple[str, ...], prefix: str) -> tuple[str, ...]:
        made = distinct_words(words, holds, replaced)
        changed.update({prefix + word: new for word, new in made.items() if word != new})
        return tuple(made.values())

    names = unique(network.names, "")
    states = tuple(unique(words, f"{name}=") for name, words in zip(network.names, network.states, strict=True))
    return BayesianNetwork(names, states, network.parents, network.tables, network.title), changed
