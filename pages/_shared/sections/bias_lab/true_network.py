"""The network from which a section draws rows: a bundled one, or one fitted to the session's data."""

from dataclasses import dataclass
from typing import Any

import bnengine as bn
from pages._shared import session
from pages._shared.jobs import experiments
from pages._shared.session import Key
from pages._shared.widgets.choice import choice

OWN = "learned from your data"
_NETWORKS = ("asia", "survey", "cancer", "earthquake", "sachs", "child", "alarm")
_LARGE = 12  # variables; computations with more are repeated less often


@dataclass(frozen=True)
class TrueNetwork:
    """A network and how sentences, cache keys and Python code refer to it."""

    network: bn.BayesianNetwork
    title: str
    key: str
    code: str

    @property
    def large(self) -> bool:
        """Whether computations with it are repeated less often."""
        return len(self.network.names) > _LARGE


def network_control(place: Any) -> str:
    """Return the name of the chosen network."""
    data, _ = session.data.dataset()
    titles = {name: name.upper() for name in _NETWORKS} | ({OWN: OWN.capitalize()} if data else {})
    return str(choice("True network", titles, Key.LAB_TRUTH, place))


def true_network(name: str) -> TrueNetwork | None:
    """Return the network of that name; None while your own is being learned."""
    data, _ = session.data.dataset()
    if name != OWN or data is None:
        code = f"import bnengine as bn\n\ntruth = bn.load_network({name!r})\n"
        return TrueNetwork(bn.load_network(name), name.upper(), name, code)
    experiment = session.settings.experiment()
    graph = experiments.graph_of(experiment, data)
    if graph is None:
        return None
    code = experiment.python_learn() + "truth = bn.fit(data, graph.edges, ess=1.0)\n"
    fitted = bn.fit(data, graph.edges, ess=1.0)
    return TrueNetwork(fitted, "a network learned from your data", experiment.graph_key, code)
