"""Bundled networks."""

from __future__ import annotations

from pathlib import Path

from bnengine._core.validation import validated
from bnengine.networks.bif import read_bif
from bnengine.networks.network import BayesianNetwork

_PACKAGE = Path(__file__).parents[1]
#: The folder of bundled files: inside an installed package, next to it in a checkout.
SAMPLES = next(root / "sample_data" for root in (_PACKAGE, _PACKAGE.parent) if (root / "sample_data").exists())


def network_names() -> list[str]:
    """Return the names of the bundled networks in alphabetical order."""
    return sorted(path.name.removesuffix(".bif") for path in (SAMPLES / "networks").glob("*.bif"))


@validated
def load_network(name: str) -> BayesianNetwork:
    """Return a bundled network by name, such as ``"alarm"``.

    Raises
    ------
    ValueError
        If there is no such network; the message lists the names.

    Examples
    --------
    >>> import bnengine as bn
    >>> alarm = bn.load_network("alarm")
    >>> len(alarm.names), len(alarm.edges), alarm.n_parameters
    (37, 46, 509)
    """
    if name not in network_names():
        raise ValueError(f"no bundled network is named '{name}'; there are {', '.join(network_names())}")
    return read_bif(SAMPLES / "networks" / f"{name}.bif", title=name)
