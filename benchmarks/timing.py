"""Times side by side: pieces of work in turn, in processor seconds of all threads; pyAgrum on the same rows."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import bnengine as bn
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.data.drawn_rows import drawn_with


def seconds_of(work: Callable[[], object]) -> float:
    """Return the processor seconds that a piece of work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def in_turn(works: Mapping[str, Callable[[], Callable[[], object]]], rounds: int) -> pd.DataFrame:
    """Time pieces of work in turn, round after round, so that what else the machine does meets all of them.

    Each is made anew for a round, which is not counted; the first round warms up and is not counted either.
    """
    return pd.DataFrame([{name: seconds_of(make()) for name, make in works.items()} for _ in range(rounds + 1)])[1:]


def replicates(data: bn.Dataset, score: Any, search: Any, n: int) -> Callable[[], float]:
    """Return the learning of n replicates on one thread; it returns their mean number of edges."""
    own, one = bn.learn(data, score, search), ThreadPoolExecutor(1)
    return lambda: learn_ensemble(ResampleTask(data, score, search, bn.Bootstrap(n)), own, executor=one).mean_edges


def resampled_rows(data: bn.Dataset, n: int, seed: int) -> list[npt.NDArray[np.int64]]:
    """Return the row numbers of the same resamples that the engine's bootstrap learns from."""
    first = np.unique(data.distinct_row_of, return_index=True)[1]
    return [np.repeat(first, drawn_with(data, data.n_rows, one)) for one in replicate_generators(seed, n)]


def resampled_files(data: bn.Dataset, n: int, folder: str) -> list[str]:
    """Write the same resamples that the engine learns from with seed 0 to a folder, as files for the peer."""
    frame, files = data.to_frame(), [str(Path(folder) / f"{number}.csv") for number in range(n)]
    for file, rows in zip(files, resampled_rows(data, n, 0), strict=True):
        frame.iloc[rows].to_csv(file, index=False)
    return files
