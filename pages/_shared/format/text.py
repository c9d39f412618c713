"""Names, counts and lists in running text, safe for Markdown."""

import re
from collections.abc import Sequence

import bnengine as bn

#: Takes no room and forbids a line break, so that it changes neither looks nor lines.
_JOINER = "\N{WORD JOINER}"
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?i:(?<=www))(?=\.)|(?=@)|(?i:(?<=mailto)|(?<=xmpp))(?=:)")


def counted(n: int, what: str) -> str:
    """A number of things: 1 edge, 2 edges, 2 adjacencies, 2 classes."""
    return f"{n:,} {wordy(n, what)}"


def wordy(n: int, what: str) -> str:
    """The word for so many things: edge, edges."""
    plural = what[:-1] + "ies" if what.endswith("y") else what + ("es" if what.endswith("s") else "s")
    return what if n == 1 else plural


def listed(items: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first few items, and how many more there are."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return separator.join(items[:most]) + more


def escaped(text: str) -> str:
    """Text that Markdown shows as it is.

    Addresses become links whatever stands before their letters, so a character without width is put into them.
    """
    parted = _ADDRESS.sub(_JOINER, text)
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$:])", r"\\\1", parted)


def sentence(text: object) -> str:
    """A message as a sentence that Markdown shows as it is."""
    return escaped(str(text)) + ("" if str(text).endswith((".", "?", "!")) else ".")


def at_most(experiment: bn.Experiment) -> str:
    """The limit on parents that search and constraints set together, as an item of a list; empty without one."""
    limits = [
        limit for limit in (experiment.search.max_parents, experiment.constraints.max_parents) if limit is not None
    ]
    return f", at most {counted(min(limits), 'parent')} per variable" if limits else ""


def duration(seconds: float) -> str:
    """A time in words."""
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"
