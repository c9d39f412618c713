"""Libraries that are installed only if they are asked for."""

from __future__ import annotations

from importlib.util import find_spec


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
