"""Compiling ahead: on a machine's first run the compiled code has to be made, which takes some seconds."""

from __future__ import annotations

import numpy as np

from bnengine.confidence import resample
from bnengine.data import Dataset
from bnengine.resampling import Bootstrap
from bnengine.scores import BIC
from bnengine.search import K2, ChowLiu, HillClimbing


def warm_up() -> None:
    """Compile every search, or load it from the disk, by running each on a table of a few rows."""
    codes = np.array([[i & 1, (i >> 1) & 1, (i & 1) ^ (i % 3 == 0)] for i in range(12)], dtype=np.uint16)
    data = Dataset(("a", "b", "c"), (("0", "1"),) * 3, codes)
    for search in (HillClimbing(), K2(), ChowLiu()):
        resample(data, BIC(), search, Bootstrap(1))
