"""Versions of Python and of the packages that a result may depend on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("bnengine", "numpy", "numba", "pandas", "scipy")


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that a result may depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a folder, never installed
            from bnengine import __version__

            found[package] = __version__
    return found
