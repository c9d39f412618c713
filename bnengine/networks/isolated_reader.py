"""Read one network file with pyAgrum and save it as arrays: a script that runs in a process of its own.

pyAgrum's parsers trust what a file says of its size: a few changed bytes make them ask for gigabytes or run for
minutes (about one in thirty of 2,000 damaged files; none crashed). Here memory and processor time are bounded where
the operating system can bound them (not on Windows). The arguments are those of ``main``. ``target`` gets either
``error`` or the network's arrays, in NumPy's format without pickles; where a limit is reached the process ends with an
error code.
"""

import contextlib
import sys
from typing import Any

#: Address space, and processor time: 50 MB, the most that is read, take about 3 seconds.
_MEMORY, _SECONDS = 3 * 2**30, 20


def _bound() -> None:
    """Set the limits where the operating system has them."""
    with contextlib.suppress(ImportError):
        import resource

        for what, most in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CPU, _SECONDS), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(what, (most, most))


def main(source: str, suffix: str, target: str, most_cells: str, most_variables: str, order: str) -> None:
    """Write the network in a file, or why it cannot be read, to an npz file.

    Parameters
    ----------
    source, suffix, target : str
        Paths of the network and of the npz file, and the network's format.
    most_cells, most_variables : str
        Limits on the probabilities in all tables and on the variables.
    order : {"reversed", "as_listed"}
        How the parents are ordered, see ``formats.AS_LISTED``.
    """
    import numpy as np
    import pyagrum

    _bound()
    network = pyagrum.BayesNet()
    try:
        getattr(network, f"load{suffix.upper()}")(source, [])
        n_cells = sum(network.cpt(node).domainSize() for node in network.nodes())
        if n_cells > int(most_cells) or network.size() > int(most_variables):
            raise ValueError(
                f"at most {int(most_variables):,} variables and {int(most_cells):,} probabilities are read"
            )
        numbers = {node: v for v, node in enumerate(sorted(network.nodes()))}
        found: dict[str, Any] = {"names": np.array([network.variable(node).name() for node in numbers], dtype=np.str_)}
        for node, v in numbers.items():
            table = network.cpt(node)
            found[f"states{v}"] = np.array(network.variable(node).labels(), dtype=np.str_)
            # axes run from the last variable to the first, which is the child; see ``formats.AS_LISTED``
            listed = table.names[1:] if order == "as_listed" else table.names[:0:-1]
            found[f"parents{v}"] = np.array([numbers[network.idFromName(name)] for name in listed], dtype=np.int64)
            found[f"table{v}"] = table.toarray().reshape(-1, len(found[f"states{v}"]))
    except MemoryError:
        sys.exit(1)
    except Exception as error:
        if "bad_alloc" in str(error):  # C++ has run out of memory
            sys.exit(1)
        found = {"error": np.array(" ".join(str(error)[:2000].replace(source, "").split()), dtype=np.str_)}
    np.savez(target, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
