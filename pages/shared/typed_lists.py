"""Lists of edges, names and numbers that are typed as text: kept as what they are, the text being only their form.

A text is read when it was typed. What comes from a link, a file or a button is kept as it came, and its text is made
from it, so that no name has to survive a way through text. Lines that cannot be read stay in the text and are named;
the others count.
"""

import re

from bnengine.graphs.constraints import read_edge, read_names, write_edge, write_names
from pages.shared import state

_DECIMAL_COMMA = re.compile(r"[-+]?\d{1,18},\d{1,18}")


def plain_number(text: str) -> str:
    """Return a typed number with a point in place of its decimal comma; any other text as it is.

    >>> plain_number("1,5"), plain_number("1,5,2")
    ('1.5', '1,5,2')
    """
    return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text


Edges = tuple[tuple[str, str], ...]
_EDGES = "typed_edges"


def edges(key: str) -> tuple[Edges, tuple[str, ...]]:
    """Return the edges in the text of that key, and the lines that are none."""
    text = str(state.get(key, ""))
    held = state.get_or_put(_EDGES, {}).get(key)
    if held is None or held[0] != text:
        known = {} if held is None else {_line(edge): edge for edge in held[1]}
        lines = [line for line in map(str.strip, text.split("\n")) if line]
        read = {line: known.get(line) or read_edge(line) for line in lines}
        found = tuple(dict.fromkeys(edge for edge in read.values() if edge is not None))
        held = (text, found, tuple(line for line, edge in read.items() if edge is None))
        state.get(_EDGES)[key] = held
    return held[1], held[2]


def put_edges(key: str, new: Edges, unread: tuple[str, ...] = ()) -> None:
    """Set the edges of that key, and their text; lines that cannot be read may stay below them."""
    text = "\n".join([*map(_line, new), *unread])
    state.put(key, text)
    state.get_or_put(_EDGES, {})[key] = (text, new, unread)


def _line(edge: tuple[str, str]) -> str:
    """Write one line of text, also where a name holds a line break."""
    line = write_edge(edge)
    return line if line.isprintable() else " ".join(line.split())


def names(key: str) -> tuple[str, ...]:
    """Return the names in the text of that key.

    Raises
    ------
    ValueError
        If its quotes are not closed.
    """
    return tuple(name for line in read_names(str(state.get(key, ""))) for name in line if name.strip())


def put_names(key: str, new: tuple[str, ...]) -> None:
    """Set the text of that key to these names."""
    state.put(key, "\n".join(write_names([name]) for name in new))
