"""Work in one piece that can be stopped: a flag for the work, a progress callback for the caller."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np

from bnengine._core.parallel import POLL, Progress
from bnengine._core.parallel import Flag as Flag

T = TypeVar("T")


def stoppable(work: Callable[[Flag], T], progress: Progress | None, total: int = 1) -> T:
    """Do work that looks at a stop flag, while ``progress`` is asked whether it may go on.

    Parameters
    ----------
    work : callable
        Gets the flag, and returns soon after it is set.
    progress : callable, optional
        Called in the calling thread with (0, ``total``); returning False, or raising, sets the flag.
    total : int
        What progress counts up to. The piece itself counts for nothing.
    """
    flag = np.zeros(1, dtype=np.uint8)
    if progress is None:
        return work(flag)
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(work, flag)
        try:
            while not wait([future], timeout=POLL).done:
                if progress(0, total) is False:
                    flag[0] = 1
        except BaseException:
            flag[0] = 1
            raise
    return future.result()
