"""Words of R: strings, vectors, calls and remarks, none of which a name from a file can break out of."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

_WIDTH = 110
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NO_LETTER = "\ufffd"  # for what no string of R can hold


def r_text(text: str) -> str:
    r"""A string of R.

    >>> print(r_text('say "no"'))
    "say \"no\""
    """
    return '"' + "".join(map(_letter, text)) + '"'


def _letter(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    code = ord(letter)
    if code == 0 or 0xD800 <= code <= 0xDFFF:
        return _NO_LETTER
    if letter.isprintable():
        return letter
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def r_vector(names: Iterable[str]) -> str:
    """A vector of strings."""
    return r_call("c", [r_text(name) for name in names])


def r_arcs(edges: Iterable[Sequence[str]]) -> str:
    """Edges as the two columns, from and to, that bnlearn takes; one edge a line."""
    ends = ["c(" + ",\n  ".join(f"{r_text(parent)}, {r_text(child)}" for parent, child in edges) + ")"]
    return r_call("matrix", [*ends, "ncol = 2", "byrow = TRUE", 'dimnames = list(NULL, c("from", "to"))'])


def r_call(function: str, arguments: Sequence[str]) -> str:
    """A call; one argument a line if it is long."""
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return line
    return f"{function}(\n  " + ",\n  ".join(one.replace("\n", "\n  ") for one in arguments) + "\n)"


def r_remark(text: str) -> list[str]:
    """A comment, line by line; an indented one is code and stays one line."""
    words = " ".join(text.splitlines())
    return [f"# {line}" for line in ([words] if words.startswith(" ") else textwrap.wrap(words, _WIDTH - 2))]
