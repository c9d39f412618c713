"""How long a test waits, and what it may take: nothing here depends on how fast or how busy the machine is."""

import time

import numpy as np

#: Seconds after which something that should have happened is taken to hang. It is no measure of speed: the longest
#: honest wait, for the compiler on a busy machine, is far below it.
HANG = 10 * 60


def processor_seconds(work):
    """Processor time that a call takes in this thread: other programs do not count."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def yardstick():
    """Processor time, on this machine and now, of a piece of work that takes a tenth of a second on a usual one."""

    def work():
        np.sort(np.random.default_rng(1).random(500_000))
        sum(k * k for k in range(500_000))

    return min(processor_seconds(work) for _ in range(3))


def takes_at_most(yardsticks, work):
    """Whether a call takes no longer in the least disturbed of five attempts: processor time only ever grows by others.

    Whoever shares the caches and the cores makes a single measurement up to eight times as long.
    """
    return any(processor_seconds(work) < yardsticks * yardstick() for _ in range(5))
