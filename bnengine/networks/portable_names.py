"""Names of variables and states changed, injectively, into names that a file format can hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from bnengine.networks.network import BayesianNetwork


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
        taken = {word for word in words if holds(word)}
        made = []
        for word in words:
            new = word
            if not holds(word):
                stem = replaced(word)
                new = next(name for k in itertools.count(1) if (name := stem if k == 1 else f"{stem}_{k}") not in taken)
                taken.add(new)
                changed[prefix + word] = new
            made.append(new)
        return tuple(made)

    names = unique(network.names, "")
    states = tuple(unique(words, f"{name}=") for name, words in zip(network.names, network.states, strict=True))
    return BayesianNetwork(names, states, network.parents, network.tables, network.title), changed
