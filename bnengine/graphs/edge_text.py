"""An edge as a line of text, ``parent -> child``; a name that could be misread stands in quotes, as in CSV."""

from __future__ import annotations

from bnengine.graphs.dag import Edge

_ARROWS = ("->", "→")


def write_edge(edge: Edge) -> str:
    """Return an edge as a line that ``read_edge`` reads.

    >>> print(write_edge(("smoke", "x -> y")))
    smoke -> "x -> y"
    """
    return " -> ".join(map(_written, edge))


def read_edge(line: str) -> Edge | None:
    """Return the edge in a line; None if it is none.

    Names are read without the blanks around them, unless these are in quotes. The work grows with the line's length,
    whatever it holds.

    >>> read_edge('smoke → "x -> y"'), read_edge("smoke, lung")
    (('smoke', 'x -> y'), None)
    """
    parent, rest = _first_name(line)
    arrow = next((arrow for arrow in _ARROWS if rest.startswith(arrow)), None)
    if arrow is None:
        return None
    child, rest = _first_name(rest.removeprefix(arrow))
    return (parent, child) if parent and child and not rest else None


def _written(name: str) -> str:
    plain = name == name.strip() and not name.startswith('"') and not any(arrow in name for arrow in _ARROWS)
    return name if plain and "," not in name else '"' + name.replace('"', '""') + '"'


def _first_name(text: str) -> tuple[str, str]:
    """The name at the beginning of a text, and what follows it; an empty name if its quotes are not closed."""
    text = text.strip()
    if not text.startswith('"'):
        place = min((at for arrow in _ARROWS if (at := text.find(arrow)) >= 0), default=len(text))
        return text[:place].rstrip(), text[place:]
    parts = text[1:].split('"')  # a doubled quote leaves an empty part between two others
    end = 0
    while end + 2 < len(parts) and not parts[end + 1]:
        end += 2
    if end + 1 == len(parts):
        return "", text
    return '"'.join(parts[: end + 1 : 2]), '"'.join(parts[end + 1 :]).strip()
