"""Bundled networks and sample tables."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from bnengine._core.environment import pd
from bnengine._core.validation import validated
from bnengine.data.reading import read_table
from bnengine.graphs.dag import Edge
from bnengine.networks.bif import read_bif
from bnengine.networks.network import BayesianNetwork

_PACKAGE = Path(__file__).parents[1]
#: The folder of bundled files: inside an installed package, next to it in a checkout.
SAMPLES = next(root / "sample_data" for root in (_PACKAGE, _PACKAGE.parent) if (root / "sample_data").exists())


@cache
def network_names() -> tuple[str, ...]:
    """Return the names of the bundled networks in alphabetical order.

    Examples
    --------
    >>> network_names()[:3]
    ('alarm', 'andes', 'asia')
    """
    return tuple(sorted(path.name.removesuffix(".bif") for path in (SAMPLES / "networks").glob("*.bif")))


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
    return _read(name)


@lru_cache(maxsize=8)  # networks do not change, and a page asks for the same one several times
def _read(name: str) -> BayesianNetwork:
    return read_bif(SAMPLES / "networks" / f"{name}.bif", title=name)


@dataclass(frozen=True)
class SampleTable:
    """A bundled table: a description, and the network, or the edges of the equations, that it was simulated from.

    ``cut`` is the method by which its measurements are cut by default, where a lesson needs states.
    """

    title: str
    about: str
    network: str | None = None
    edges: tuple[Edge, ...] = ()
    cut: str = ""


#: The bundled tables by name: that of their file in ``sample_data/``.
SAMPLE_TABLES = {
    name: SampleTable(**about | {"edges": tuple(map(tuple, about.get("edges", ())))})
    for name, about in tomllib.loads((SAMPLES / "tables.toml").read_text(encoding="utf-8")).items()
}


@validated
def load_sample(name: str) -> pd.DataFrame:
    """Return a bundled table by name.

    A table simulated from a network declares all states of the network, including those that do not occur.

    Parameters
    ----------
    name : str
        Such as ``"titanic"``; an unknown one is answered with a list.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        If there is no such table.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.load_sample("titanic").shape
    (2201, 4)
    """
    if name not in SAMPLE_TABLES:
        raise ValueError(f"no sample table is named '{name}'; there are {', '.join(SAMPLE_TABLES)}")
    sample = SAMPLE_TABLES[name]
    frame = read_table(next(SAMPLES.glob(f"{name}.csv*")))
    if sample.network is not None:
        network = load_network(sample.network)
        for variable, states in zip(network.names, network.states, strict=True):
            words = frame[variable].astype(str)
            frame[variable] = pd.Categorical(words, categories=list(states))
    return frame
