"""Versions of bnengine, Python and the packages a result may depend on; libraries that are installed only on demand."""

from __future__ import annotations

import platform
from importlib.metadata import version
from importlib.util import find_spec

__version__ = "0.2.0"

PACKAGES = ("numpy", "numba", "pandas", "scipy")


def versions() -> dict[str, str]:
    """Return the versions of Python, of bnengine and of the packages that a result may depend on."""
    return {
        "python": platform.python_version(),
        "bnengine": __version__,
        **{package: version(package) for package in PACKAGES},
    }


# Libraries that are installed only if they are asked for.


def need(library: str, extra: str) -> None:
    """Raise a ModuleNotFoundError, with the command that installs it, if a library is missing.

    Parameters
    ----------
    library : str
        Its name when imported.
    extra : str
        What brings it, such as ``"app"``.
    """
    if find_spec(library) is None:
        text = f'{library} is needed here and not installed; install it with: pip install "bnengine[{extra}]"'
        raise ModuleNotFoundError(text, name=library)
