"""One progress count over several runs in sequence."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from bnengine._core.parallel import Progress


def shared_progress(progress: Progress | None, sizes: Sequence[int]) -> list[Progress | None]:
    """Return a progress callback for each run in a sequence; together they count up to the sum of ``sizes``.

    Parameters
    ----------
    progress : callable, optional
        Called with (replicates done in all runs, ``sum(sizes)``); see ``Progress``.
    sizes : sequence of int
        Replicates of each run.
    """
    if progress is None:
        return [None] * len(sizes)

    def from_start(start: int) -> Progress:
        return lambda done, _: progress(start + done, sum(sizes))

    return [from_start(start) for start in itertools.accumulate(sizes[:-1], initial=0)] if sizes else []
