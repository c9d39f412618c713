"""pandas, imported when it is first used: it takes a third of a second, and learning does without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["pd"]

if TYPE_CHECKING:
    import pandas as pd
else:

    class _Pandas:
        """Stands for the module."""

        def __getattr__(self, name: str) -> Any:
            import pandas

            return getattr(pandas, name)

    pd = _Pandas()
