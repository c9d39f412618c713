"""Compile ahead of time: the first run on a machine has to make the compiled code, which takes some seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from bnengine._core.parallel import Progress
from bnengine._core.validation import validated
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import Bootstrap, PredictiveBootstrap
from bnengine.data.dataset import Dataset
from bnengine.networks.network import fit
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, QNML, BDe
from bnengine.search import SEARCHES, HillClimbing, Search, Tabu


@validated
def warm_up(search: Search | None = None, progress: Progress | None = None) -> None:
    """Compile the engine, or only what a search needs, by running it on a table of a few rows.

    Compiled code is kept on disk; where it was made before, it is only read.

    Parameters
    ----------
    search : search, optional
        Without one, everything is compiled: all searches, scores and the exact posterior.
    progress : callable, optional
        Called with the number of parts done and of all parts; returning False ends the warm-up.

    Examples
    --------
    >>> import bnengine as bn
    >>> warm_up(bn.K2())
    """
    parts = list(_everything() if search is None else _of_search(search))
    for done, run in enumerate(parts):
        if progress is not None and progress(done, len(parts)) is False:
            return
        run()
    if progress is not None:
        progress(len(parts), len(parts))


def _of_search(search: Search) -> Iterator[Callable[[], object]]:
    data, plain = _table(), type(search)()
    yield lambda: resample(data, BIC(), plain, Bootstrap(1))
    if isinstance(search, HillClimbing | Tabu) and search.restarts:
        few = replace(search, restarts=1)
        yield lambda: resample(data, BIC(), few, Bootstrap(1))


def _everything() -> Iterator[Callable[[], object]]:
    from bnengine.posterior.edge_posterior import edge_posterior

    for score in (QNML(), BDe(fit(_table(), [("a", "b")], ess=1.0))):
        yield partial(LocalScores(_table(), score), 0, [1])
    for kind in SEARCHES.values():
        search = kind()
        yield from _of_search(replace(search, restarts=1) if isinstance(search, HillClimbing | Tabu) else search)
    yield lambda: resample(_table(), BIC(), HillClimbing(), PredictiveBootstrap(1))
    yield lambda: edge_posterior(_table())


def _table() -> Dataset:
    codes = np.array([[i & 1, (i >> 1) & 1, (i & 1) ^ (i % 3 == 0)] for i in range(12)], dtype=np.uint16)
    return Dataset(("a", "b", "c"), (("0", "1"),) * 3, codes)
