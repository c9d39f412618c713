"""How work grows with the size of what it is done on, whatever the speed of the machine."""

import gc
from collections.abc import Callable
from typing import Any

from tests.patience import processor_seconds

#: Linear work takes eight times as long on eight times as much, quadratic work 64 times: the bound is between them.
FACTOR, MOST = 8, 24
_MEASURABLE = 0.002  # seconds of processor time of the smaller work
_LARGEST = 2**16


def ratio(work: Callable[[int], Callable[[], Any]], size: int = 512) -> float:
    """The processor time on eight times the size, in units of that on the size; the least of five attempts.

    ``work(n)`` prepares a case of size n and returns what is measured. The size doubles until its time is measurable:
    linear work that stays below that at the largest size, and at eight times this, counts as 1.
    """
    small = processor_time(work(size))
    while small < _MEASURABLE and size < _LARGEST:
        size *= 2
        small = processor_time(work(size))
    found = float("inf")
    for _ in range(5):
        large = processor_time(work(FACTOR * size))
        found = min(found, large / max(small, _MEASURABLE))
        if found <= MOST:
            break
        small = processor_time(work(size))
    return max(found, 1.0)


def grows_linearly(work: Callable[[int], Callable[[], Any]], size: int = 512) -> bool:
    """Whether the work grows like its size, logarithms aside; false alarms need five disturbed attempts in a row."""
    return ratio(work, size) <= MOST


def processor_time(measured: Callable[[], Any]) -> float:
    """Seconds of processor time; neither other programs nor the garbage of earlier tests count."""
    gc.disable()
    try:
        return processor_seconds(measured)
    finally:
        gc.enable()
