"""The version of bnengine, and those of Python and of the packages that a result may depend on."""

from __future__ import annotations

import platform
from importlib.metadata import version

__version__ = "0.2.0"

PACKAGES = ("numpy", "numba", "pandas", "scipy")


def versions() -> dict[str, str]:
    """Versions of Python, of bnengine and of the packages that a result may depend on."""
    return {
        "python": platform.python_version(),
        "bnengine": __version__,
        **{package: version(package) for package in PACKAGES},
    }
