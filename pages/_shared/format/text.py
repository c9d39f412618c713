"""Names, counts and lists in running text, safe for Markdown."""

import re
from collections.abc import Sequence

import bnengine as bn

#: Has no width and prevents a line break.
_JOINER = "\N{WORD JOINER}"
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?i:(?<=www))(?=\.)|(?=@)|(?i:(?<=mailto)|(?<=xmpp))(?=:)")


def counted(n: int, what: str) -> str:
    """A number with its noun: 1 edge, 2 edges, 2 adjacencies, 2 classes."""
    return f"{n:,} {wordy(n, what)}"


def wordy(n: int, what: str) -> str:
    """The singular or plural of a noun: edge, edges."""
    plural = what[:-1] + "ies" if what.endswith("y") else what + ("es" if what.endswith("s") else "s")
    return what if n == 1 else plural


def listed(items: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first few items, and the number of the others."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return separator.join(items[:most]) + more


def escaped(text: str) -> str:
    """Escape text so that Markdown shows it literally.

    Markdown makes addresses into links despite backslashes, so they are split by a character without width.
    """
    parted = _ADDRESS.sub(_JOINER, text)
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$:])", r"\\\1", parted)


def sentence(text: object) -> str:
    """A message as a sentence, escaped for Markdown."""
    return escaped(str(text)) + ("" if str(text).endswith((".", "?", "!")) else ".")


def at_most(experiment: bn.Experiment) -> str:
    """The limit on parents set by search and constraints, as an item of a list; empty if there is none."""
    both = (experiment.search.max_parents, experiment.constraints.max_parents)
    limits = [limit for limit in both if limit is not None]
    return f", at most {counted(min(limits), 'parent')} per variable" if limits else ""


def duration(seconds: float) -> str:
    """A duration in seconds or minutes."""
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"
