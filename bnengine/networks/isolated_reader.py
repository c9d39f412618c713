"""Read one network file with pyAgrum, in the isolated process of ``bnengine._core.isolated``.

pyAgrum's parsers trust what a file says of its size: a few changed bytes make them ask for gigabytes or run for
minutes (about one in thirty of 2,000 damaged files; none crashed).
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from bnengine.data import limits


def read(raw: bytes, suffix: str, as_listed: bool) -> tuple[str, bytes]:
    """Return why a network cannot be read, or nothing, and its arrays in NumPy's format without pickles.

    ``as_listed`` tells how the parents are ordered, see ``formats.AS_LISTED``.
    """
    import numpy as np
    import pyagrum

    most = limits.LIMITS
    network = pyagrum.BayesNet()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"network.{suffix}"
        source.write_bytes(raw)
        try:
            getattr(network, f"load{suffix.upper()}")(str(source), [])
            n_cells = sum(network.cpt(node).domainSize() for node in network.nodes())
            if n_cells > most.table_cells or network.size() > most.columns:
                return f"at most {most.columns:,} variables and {most.table_cells:,} probabilities are read", b""
        except MemoryError:
            raise
        except Exception as error:
            if "bad_alloc" in str(error):  # C++ has run out of memory
                raise MemoryError from None
            return " ".join(str(error)[:2000].replace(str(source), "").split()) or type(error).__name__, b""
    numbers = {node: v for v, node in enumerate(sorted(network.nodes()))}
    found: dict[str, Any] = {"names": np.array([network.variable(node).name() for node in numbers], dtype=np.str_)}
    for node, v in numbers.items():
        table = network.cpt(node)
        found[f"states{v}"] = np.array(network.variable(node).labels(), dtype=np.str_)
        # axes run from the last variable to the first, which is the child; see ``formats.AS_LISTED``
        listed = table.names[1:] if as_listed else table.names[:0:-1]
        found[f"parents{v}"] = np.array([numbers[network.idFromName(name)] for name in listed], dtype=np.int64)
        found[f"table{v}"] = table.toarray().reshape(-1, len(found[f"states{v}"]))
    target = io.BytesIO()
    np.savez(target, **found)
    return "", target.getvalue()
