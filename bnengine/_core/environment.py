"""The libraries and versions around a run. Those of tables are imported at their first use, as learning needs none."""

from __future__ import annotations

import platform
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
else:

    class LazyModule:
        """Stands for a module, and remembers what was asked of it."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            vars(self)[attribute] = found = getattr(import_module(self._name), attribute)
            return found

    pa, pc, pd = map(LazyModule, ("pyarrow", "pyarrow.compute", "pandas"))

__version__ = "0.2.0"

PACKAGES = ("numpy", "numba", "pandas", "scipy")


def versions() -> dict[str, str]:
    """Return the versions of Python, of bnengine and of the packages that a result may depend on."""
    return {"python": platform.python_version(), "bnengine": __version__, **{name: version(name) for name in PACKAGES}}


def need(library: str, extra: str) -> None:
    """Raise a ModuleNotFoundError, with the command that installs ``extra``, such as "app", if a library is missing."""
    if find_spec(library) is None:
        text = f'{library} is needed here and not installed; install it with: pip install "bnengine[{extra}]"'
        raise ModuleNotFoundError(text, name=library)


__all__ = ["pa", "pc", "pd"]
