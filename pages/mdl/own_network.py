"""The networks that a visitor builds by hand, one over each table (``about`` identifies it), with their history."""

from pages.shared import state
from pages.shared.keys import Key

_REFUSED = "refused_change"


def edges(about: str) -> list[tuple[str, str]]:
    """Return the network's edges; none at first."""
    return _history(about)[-1]


def change(about: str, new: list[tuple[str, str]]) -> None:
    """Change the network."""
    _history(about).append(list(new))


def undo(about: str) -> None:
    """Undo the last change."""
    if can_undo(about):
        _history(about).pop()


def can_undo(about: str) -> bool:
    """Return whether a change can be undone."""
    return len(_history(about)) > 1


def _history(about: str) -> list[list[tuple[str, str]]]:
    history: list[list[tuple[str, str]]] = state.get_or_put(Key.of("own_network", about), [[]])
    return history


def refusal() -> str:
    """Return the reason why the last change was refused; empty otherwise, and after it was shown."""
    return str(state.pop(_REFUSED, ""))


def refuse(reason: str) -> None:
    """Remember why a change was refused, until it is shown."""
    state.put(_REFUSED, reason)
