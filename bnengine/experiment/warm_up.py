"""Compiling ahead: on a machine's first run the compiled code has to be made, which takes some seconds."""

from __future__ import annotations

import numpy as np

from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import Bootstrap
from bnengine.data.dataset import Dataset
from bnengine.scores.scores import BIC, BDe, TableScore, WithPrior
from bnengine.search import K2, ChowLiu, HillClimbing, Search


def warm_up(score: TableScore | None = None, search: Search | None = None) -> None:
    """Compile the usual searches, or a given score and search, by running each on a table of a few rows.

    Compiled code is loaded from the disk where it was made before.
    """
    codes = np.array([[i & 1, (i >> 1) & 1, (i & 1) ^ (i % 3 == 0)] for i in range(12)], dtype=np.uint16)
    data = Dataset(("a", "b", "c"), (("0", "1"),) * 3, codes)
    searches: list[Search] = [HillClimbing(), K2(), ChowLiu()] if search is None else [type(search)()]
    if score is None or isinstance(score, BDe | WithPrior):  # a prior network is of other variables than this table
        score = BIC()
    for each in searches:
        resample(data, score, each, Bootstrap(1))
