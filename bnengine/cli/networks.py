"""Networks named on the command line: bundled ones and BIF files."""

from __future__ import annotations

from pathlib import Path

from click import UsageError

from bnengine.data.dataset import DataError
from bnengine.experiment.command_line import SOURCE_PREFIXES
from bnengine.networks.bif import read_bif
from bnengine.networks.bundled import load_network, network_names
from bnengine.networks.network import BayesianNetwork


def network_of(text: str) -> BayesianNetwork:
    """The network that an argument names."""
    prefix = SOURCE_PREFIXES["network"]
    if text.startswith(prefix):
        name = text.removeprefix(prefix)
        if name not in network_names():
            raise UsageError(f"no bundled network is named '{name}'; there are {', '.join(network_names())}")
        return load_network(name)
    path = Path(text.removeprefix(SOURCE_PREFIXES["file"]))
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a BIF file in it")
    if not path.exists():
        known = f"; did you mean {prefix}{text}?" if text in network_names() else ""
        raise DataError(f"there is no file {path}{known}")
    try:
        return read_bif(path)
    except ValueError as error:
        raise DataError(f"{path} is not a network in BIF: {error}") from None
