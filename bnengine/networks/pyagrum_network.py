"""Networks as pyAgrum's."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from bnengine._core.extras import need
from bnengine.networks.network import BayesianNetwork

if TYPE_CHECKING:
    import pyagrum


def import_pyagrum() -> Any:
    """Import pyAgrum with warnings off: where these are errors, its bindings bring the whole interpreter down."""
    need("pyagrum", "formats")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import pyagrum
    return pyagrum


def pyagrum_network(network: BayesianNetwork, as_listed: bool = False) -> pyagrum.BayesNet:
    """Return the network as pyAgrum's; the ids of its nodes are the variables' numbers.

    Parameters
    ----------
    network : BayesianNetwork
    as_listed : bool
        Keep the parents in our order, although pyAgrum takes the first of them to vary fastest and here it varies
        slowest. Only for the writers that list the parents in this order, see ``formats``.
    """
    library = import_pyagrum()
    made = library.BayesNet(re.sub(r"[^A-Za-z0-9_]", "_", network.title) or "network")
    for name, states in zip(network.names, network.states, strict=True):
        variable = library.LabelizedVariable(name, "", 0)
        for state in states:
            variable.addLabel(state)
        made.add(variable)
    for v, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
        for parent in parents if as_listed else reversed(parents):  # the one added last varies slowest
            made.addArc(parent, v)
        made.cpt(v).fillWith(table.ravel())
    return made
