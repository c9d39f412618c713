"""A Dask cluster as an executor: a function's data go once to each worker, its calls carry only their arguments."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

#: How often a function is sent again because all workers that had it are gone.
_MOST_LOSSES = 20
_PATIENCE = 60.0  # seconds that a run waits for a first worker
_FRESH = 1.0  # seconds for which the number of workers is believed


class ClusterError(ConnectionError):
    """The cluster cannot be reached, has no workers, or lost the same work again and again."""


def is_executor(value: object) -> bool:
    """Whether work can be handed to it: an executor, or the client of a Dask cluster."""
    return isinstance(value, Executor) or _client_of(value) is not None


def is_cluster(executor: object) -> bool:
    """Whether it is the client of a Dask cluster, or the executor that ``Client.get_executor`` gives."""
    return _client_of(executor) is not None


def nearby(executor: Executor | None) -> Executor | None:
    """The executor, or None, the threads of this machine, for a cluster: for work whose state is large."""
    return None if is_cluster(executor) else executor


def _client_of(value: object) -> Any:
    """The client; None for anything else. Who has one has imported ``distributed``, so nobody else need wait for it."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    client = getattr(value, "_client", value)
    return client if isinstance(client, distributed.Client) else None


class OnWorkers:
    """A function with all that it refers to, held by every worker of a cluster.

    Dask gives the pieces of a worker that is lost to the others. Where all workers that held the function are lost, its
    calls come back cancelled; ``renew`` hands the function to those that are there now.

    Parameters
    ----------
    executor : distributed.Client or its executor
    function : callable
        Picklable.
    """

    def __init__(self, executor: object, function: Callable[..., Any]) -> None:
        self._client = _client_of(executor)
        self._executor = self._client.get_executor(pure=False)
        self._function, self._losses = function, 0
        self._asked, self._threads = -math.inf, 0
        self._held: Any = None

    def submit(self, *args: Any) -> Future[Any]:
        """Call it on some worker; see ``result``."""
        if self._held is None:
            self._held = self._scattered()
        future: Future[Any] = self._executor.submit(_timed, self._held, *args)
        return future

    def result(self, future: Future[Any]) -> tuple[Any, float]:
        """What a finished call gave, and the seconds that it took there."""
        try:
            found: tuple[Any, float] = future.result()
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                raise ClusterError(
                    f"one worker after another was lost at the same piece of work; look at their memory ({error})"
                ) from error
            raise
        return found

    def renew(self) -> None:
        """Hand the function out again, to the workers of then, after calls came back cancelled."""
        if self._held is None:
            return
        self._losses += 1
        if self._losses > _MOST_LOSSES:
            raise ClusterError(
                f"all workers of the cluster at {self.address} were lost {self._losses} times; look at their memory"
            )
        self._held = None

    def threads(self) -> int:
        """Threads of all workers that are there; 0 as long as there are none.

        Raises
        ------
        ClusterError
            If the scheduler does not answer.
        """
        if time.monotonic() - self._asked >= _FRESH:
            try:
                self._threads = sum(self._client.nthreads().values())
            except (OSError, TimeoutError) as error:
                raise ClusterError(f"the scheduler at {self.address} does not answer: {error}") from error
            self._asked = time.monotonic()
        return self._threads

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(self._client.scheduler.address if self._client.scheduler else "an unknown address")

    def _scattered(self) -> Any:
        try:
            return self._client.scatter(self._function, broadcast=True, hash=False)
        except (OSError, TimeoutError) as error:
            raise ClusterError(f"the data do not reach the workers of {self.address}: {error}") from error


class WaitForWorkers:
    """How long a run has been without any worker."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def check(self, workers: OnWorkers) -> int:
        """The workers' threads; a ClusterError if there have been none for a minute."""
        n = workers.threads()
        if n:
            self._since = time.monotonic()
        elif time.monotonic() - self._since > _PATIENCE:
            raise ClusterError(
                f"no worker has joined the scheduler at {workers.address}: start one with "
                f"'dask worker {workers.address}'"
            )
        return n


def _timed(function: Callable[..., Any], *args: Any) -> tuple[Any, float]:
    """What a call gives, and how many seconds it took."""
    start = time.perf_counter()
    given = function(*args)
    return given, time.perf_counter() - start
