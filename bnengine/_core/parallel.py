"""Run replicates on this machine's threads or any executor, report progress, and stop early with what is done."""

from __future__ import annotations

import itertools
import operator
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import threadpoolctl
from threadpoolctl import ThreadpoolController

from bnengine._core.arrays import Int32Array, UInt8Array

T = TypeVar("T")
P = ParamSpec("P")
Made = TypeVar("Made")
#: Called with (replicates done, total); returning False stops the run, which keeps the replicates done.
Progress = Callable[[int, int], bool | None]
#: A learned graph: list of edges, number of replicates it stands for, status of the search.
Learned = tuple[Int32Array, int, str]
#: Shape (1,): 0 while the work may go on.
Flag = UInt8Array
#: What is made of one replicate, given its number and its generator; None where the flag to stop interrupted it.
Step = Callable[[int, np.random.Generator], Made | None]
#: The step of a worker, which prepares its scores once for all its replicates, given the flag that ends a search.
Prepare = Callable[[Flag | None], Step[Made]]

POLL = 0.05  # seconds between looks at the workers
_PATIENCE = 60  # seconds that a run waits for a cluster's first worker


def run(
    prepare: Prepare[Made], generators: list[np.random.Generator], executor: Executor | None, progress: Progress | None
) -> tuple[list[Made], bool]:
    """Learn from all replicates on the executor's workers; return what they make in order, and whether it stopped.

    Threads stop inside a search. An executor's workers, which may be on other machines, finish the pieces they have.
    """
    ledger, n = _Ledger(generators), len(generators)
    ask = partial(ledger.ask_progress, progress)
    if executor is None:
        n_threads = min(processors(), n)
        with one_thread_each(), ThreadPoolExecutor(n_threads) as threads:
            futures = {threads.submit(ledger.work_off, prepare): None for _ in range(n_threads)}
            list(results_of(futures, ask, ledger.flag))
    else:
        submit, size = submitter(executor, partial(run_chunk, prepare)), -(-n // (8 * n_workers(executor)))
        pieces = {submit(first, generators[first : first + size]): first for first in range(0, n, size)}
        for first, found in results_of(pieces, ask, ledger.flag):
            ledger.made.update(enumerate(found, first))
    return [ledger.made[number] for number in sorted(ledger.made)], bool(ledger.flag[0]) and len(ledger.made) < n


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let linear algebra use one thread a call, in the whole process, until the last caller has finished.

    Workers that multiply small matrices gain nothing from more threads and wait for each other: on two busy processors
    eight replicates of 500 rows of 60 numbers with missing cells take 7 s with one thread each, 21 s with two.
    """
    with _blas.lock:
        if not _blas.users:
            _take_control()
            _blas.limit = _blas_libraries().limit(limits=1, user_api="blas")
        _blas.users += 1
    try:
        yield
    finally:
        with _blas.lock:
            _blas.users -= 1
            if not _blas.users:
                _take_control()
                _blas.limit.restore_original_limits()


class _Blas:
    """Who has asked for one thread, and what takes it back."""

    lock, users = threading.Lock(), 0
    limit: Any = None


_blas = _Blas()


def _take_control() -> None:
    """Let this thread set the limit, which threadpoolctl reserves for the thread that set one first, while it lives."""
    # older versions let any thread set it
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


@cache
def _blas_libraries() -> ThreadpoolController:
    return ThreadpoolController()


def run_chunk(prepare: Prepare[Made], first: int, generators: list[np.random.Generator]) -> list[Made]:
    """Learn from consecutive replicates on a worker of an executor."""
    step = prepare(None)
    made = (step(number, generator) for number, generator in enumerate(generators, start=first))
    return [one for one in made if one is not None]


def processors() -> int:
    """Count the processors that this process may use: in a container or under ``taskset`` fewer than all."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# A Dask cluster as an executor.


def is_executor(value: object) -> bool:
    """Return whether work can be handed to it: an executor, or the client of a Dask cluster."""
    return isinstance(value, Executor) or _client_of(value) is not None


def local_executor(executor: Executor | None) -> Executor | None:
    """Return the executor, or None (this machine's threads) instead of a cluster: for work whose state is large."""
    return None if _client_of(executor) else executor


def _client_of(value: object) -> Any:
    """Return the client of a Dask cluster, or that of its executor; None for anything else."""
    distributed = sys.modules.get("distributed")  # imported by whoever has a client
    client = getattr(value, "_client", value)
    return client if distributed is not None and isinstance(client, distributed.Client) else None


def n_workers(executor: Executor) -> int:
    """Return the threads of a cluster's workers; the processors of this machine for any other executor."""
    client = _client_of(executor)
    return sum(client.nthreads().values()) if client else processors()


def submitter(executor: Executor, function: Callable[..., Any]) -> Callable[..., Future[Any]]:
    """Return what hands calls of a picklable function to an executor.

    Linear algebra has one thread in each call, wherever it runs. A cluster's workers are given the function, with the
    data that it refers to, once each; Dask does the work of one that is lost on another.

    Raises
    ------
    ConnectionError
        If the cluster has no workers, and none joins within a minute.
    """
    client, function = _client_of(executor), partial(_on_one_thread, function)
    if client is None:
        return partial(executor.submit, function)
    import cloudpickle
    import dask

    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        address = client.scheduler.address if client.scheduler else "an unknown address"
        text = f"no worker has joined the scheduler at {address}: start one with 'dask worker {address}'"
        raise ConnectionError(text) from None
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        held = client.submit(pickle.loads, cloudpickle.dumps(function), pure=False)
    return partial(client.get_executor(pure=False).submit, operator.call, held)


def _on_one_thread(function: Callable[..., T], *args: Any) -> T:
    with one_thread_each():
        return function(*args)


# Progress and stopping.


class _Ledger:
    """Shared by threads: the replicates that are left, what was made of the others by number, and whether to stop."""

    def __init__(self, generators: Sequence[np.random.Generator]) -> None:
        self._left, self._lock, self._n = iter(enumerate(generators)), threading.Lock(), len(generators)
        self.made: dict[int, Any] = {}
        self.flag = np.zeros(1, dtype=np.uint8)
        self._go = threading.Event()
        self._go.set()

    def work_off(self, prepare: Prepare[Any]) -> None:
        """Learn from one replicate after the other until none is left, one is interrupted, or the run is to stop."""
        step = prepare(self.flag)
        for number, generator in iter(self._take, None):
            found = step(number, generator)
            if found is None:
                break
            self.made[number] = found
            if not self.may_go_on():
                break

    def _take(self) -> tuple[int, np.random.Generator] | None:
        with self._lock:
            return next(self._left, None)

    def may_go_on(self) -> bool:
        """Return whether another replicate may begin, once the caller has answered."""
        self._go.wait()
        return not self.flag[0]

    def ask_progress(self, progress: Progress | None) -> bool | None:
        """Return what the progress callback answers; no replicate begins before that, so the run can wait."""
        self._go.clear()
        try:
            return None if progress is None else progress(len(self.made), self._n)
        finally:
            self._go.set()


def results_of(futures: dict[Future[T], Made], ask: Callable[[], bool | None], stop: Flag) -> Iterator[tuple[Made, T]]:
    """Yield what belongs to each future and its result, as they finish; futures may be added meanwhile.

    Now and then ``ask`` is called. Once it returns False, or something fails, the flag is set and no future begins.
    """
    try:
        while futures:
            finished, _ = wait(futures, timeout=POLL, return_when=FIRST_COMPLETED)
            for future in finished:
                yield futures.pop(future), future.result()
            if not stop[0] and ask() is False:
                stop[0] = 1
                for future in [one for one in futures if one.cancel()]:
                    del futures[future]
    except BaseException:  # an error, or Ctrl-C: end the rest
        stop[0] = 1
        for future in futures:
            future.cancel()
        raise


def split_progress(progress: Progress | None, sizes: Sequence[int]) -> list[Progress | None]:
    """Return a progress callback for each of several runs of these sizes; together they count up to the sum.

    A run that counts further than its size, as one that learns from other replicates first, stays at its end.
    """
    if progress is None:
        return [None] * len(sizes)

    def of_share(start: int, size: int) -> Progress:
        return lambda done, _: progress(start + min(done, size), sum(sizes))

    return [of_share(start, size) for start, size in zip(itertools.accumulate(sizes, initial=0), sizes, strict=False)]


def to_the_end(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function report its total at the end, where it was ready early and nobody stopped it."""

    @wraps(function)
    def reporting(*args: P.args, **kwargs: P.kwargs) -> T:
        progress: Any = kwargs.get("progress")
        if not callable(progress):  # none, or one that the function refuses
            return function(*args, **kwargs)
        last = [0, 0, True]

        def asked(done: int, total: int) -> bool:
            last[:] = done, total, progress(done, total) is not False and last[2]
            return bool(last[2])

        kwargs["progress"] = asked
        found = function(*args, **kwargs)
        if last[2] and last[0] < last[1]:
            progress(last[1], last[1])
        return found

    return reporting


def stoppable(work: Callable[[Flag], T], progress: Progress | None, total: int = 1, done: int = 0) -> T:
    """Do work that ends soon after the flag it is given is set, while ``progress`` is asked whether it may go on.

    It is called in the calling thread with (``done``, ``total``), since one piece counts for nothing; returning False,
    or raising, sets the flag.
    """
    flag = np.zeros(1, dtype=np.uint8)
    if progress is None:
        return work(flag)
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(work, flag)
        try:
            while not wait([future], timeout=POLL).done:
                if progress(done, total) is False:
                    flag[0] = 1
        except BaseException:
            flag[0] = 1
            raise
    return future.result()
