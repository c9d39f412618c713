"""Libraries of tables, imported when they are first used: they take a third of a second, and learning needs none."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["pa", "pc", "pd"]

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
else:

    class _Later:
        """Stands for a module."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(import_module(self._name), attribute)

    pa, pc, pd = map(_Later, ("pyarrow", "pyarrow.compute", "pandas"))
