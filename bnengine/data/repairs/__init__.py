"""The kinds of repairs, each whole in one of these files: how it is found, how it is made, how it is described."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from bnengine.data.repairs.answers import ANSWERS
from bnengine.data.repairs.cells import CELLS
from bnengine.data.repairs.dates import DATES
from bnengine.data.repairs.item_scales import SCALES
from bnengine.data.repairs.kinds import Repair
from bnengine.data.repairs.rows import ROWS
from bnengine.data.repairs.unused_columns import COLUMNS

#: By name, in the order in which they are made.
REPAIR_KINDS = {kind.name: kind for kind in (*ROWS, *CELLS, *DATES, *ANSWERS, *SCALES, *COLUMNS)}
#: In the order in which they are found, each in the table that those before have repaired.
FINDERS = [kind.find for kind in (*ROWS, *ANSWERS, *CELLS, *DATES, *COLUMNS, *SCALES) if kind.find]


def by_kind(found: Iterable[Repair]) -> list[list[Repair]]:
    """Return the repairs kind by kind, in the order in which they are made; those that are sure apart from others."""
    place = {name: k for k, name in enumerate(REPAIR_KINDS)}
    ordered = sorted(found, key=lambda one: (place[one.kind], not one.is_sure))
    return [list(group) for _, group in itertools.groupby(ordered, lambda one: (one.kind, one.is_sure))]


def kind_sentence(group: Sequence[Repair]) -> str:
    """Say in one line what repairs of one kind do, and to how many columns.

    >>> import pandas as pd
    >>> from bnengine.data.repairs.finding import proposals
    >>> frame = pd.DataFrame({"q1": ["1", "2", "99"] * 9, "q2": ["n/a", "low", "high"] * 9})
    >>> for group in by_kind(proposals(frame)):
    ...     print(kind_sentence(group))
    '99' counts as missing in 'q1'; 'n/a' in 'q2'
    'q1': numbers written as text
    """
    return REPAIR_KINDS[group[0].kind].line(group)
