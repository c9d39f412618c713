"""Results as figures: ``bn.plots.figure1(study)`` and its like give plotly figures, ``save`` writes them for print.

The pages show the same figures. They need plotly, which ``bnengine[app]`` brings; nothing else in the engine does.
"""

from typing import Any

import lazy_loader

from bnengine._core.environment import need

_declared, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        need("plotly", "app")
    return _declared(name)
