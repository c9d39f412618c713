"""Which cells are missing, in what order they are computed, and the workers that compute them."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import bnengine as bn
from benchmarks.worlds import name_of, network_of

from .cells import ANY_SCORE, CLIMB, FRESH, Cell, Setting, Store, seed_of
from .methods import COMPARED, METHODS
from .tables import SCORES, SEARCHES, Method, Table, inclusion_probability, timed

#: Tables of a round. All settings get the first tables before any gets more.
ROUND = 1
PI = "pi"


@dataclass(frozen=True)
class Plan:
    """What a complete study computes."""

    sources: tuple[str, ...]
    rows: tuple[int, ...] = (100, 300, 1000)
    scores: tuple[str, ...] = tuple(SCORES)
    searches: tuple[str, ...] = (CLIMB,)
    methods: tuple[str, ...] = COMPARED
    tables: int = 20
    replicates: int = 200
    fresh: int = 500
    seed: int = 0
    #: Cells of earlier instalments, whose measures are kept: network, rows, score or ``ANY_SCORE``, method, table.
    measured: frozenset[tuple[str, int, str, str, int]] = frozenset()


class Task(NamedTuple):
    """Some methods on one table of a setting. They share what they need of the table."""

    setting: Setting
    table: int
    methods: tuple[str, ...]
    replicates: int
    fresh: int
    seed: int


def tasks(plan: Plan, store: Store) -> Iterator[Task]:
    """Yield everything that the store lacks: π of every setting, then a round of tables after the other."""
    for setting in settings(plan, own_score=True):
        if not store.has(name_of(setting.source), setting, PI, FRESH):
            yield Task(setting, FRESH, (), plan.replicates, plan.fresh, plan.seed)
    last = max(METHODS[key].delay for key in plan.methods)
    for turn in range(math.ceil(plan.tables / ROUND) + last):
        for own_score in (False, True):
            for setting in settings(plan, own_score):
                for table in range(plan.tables):
                    missing = _missing(plan, store, setting, table, own_score, turn)
                    if missing:
                        yield Task(setting, table, missing, plan.replicates, plan.fresh, plan.seed)


def settings(plan: Plan, own_score: bool) -> Iterator[Setting]:
    """Yield network by number of rows, by score and search where methods depend on them."""
    for source in plan.sources:
        for rows in plan.rows:
            if own_score:
                yield from (Setting(source, rows, score, search) for score in plan.scores for search in plan.searches)
            else:
                yield Setting(source, rows, ANY_SCORE)


def affordable(method: Method, source: str, table: int) -> bool:
    """Return whether the study computes a method for a table of a network."""
    return table < method.most_tables and len(network_of(source).names) <= method.most_variables


def _missing(plan: Plan, store: Store, setting: Setting, table: int, own_score: bool, turn: int) -> tuple[str, ...]:
    """Return the methods whose turn it is that have no cell for the table."""
    name = name_of(setting.source)
    return tuple(
        key
        for key in plan.methods
        if METHODS[key].own_score == own_score
        and not METHODS[key].mean_of
        and table // ROUND + METHODS[key].delay == turn
        and affordable(METHODS[key], setting.source, table)
        and (name, setting.rows, setting.score, key, table) not in plan.measured
        and not store.has(name, setting, key, table)
    )


def computed(task: Task) -> dict[str, Cell | str]:
    """Return the cells of a task, or why there is none.

    Needs nothing but the task, so that it can run on any machine.
    """
    network, setting = network_of(task.setting.source), task.setting
    seed = seed_of(task.seed, name_of(setting.source), setting.rows, task.table)
    score = SCORES.get(setting.score, bn.BIC())
    table = Table(
        _drawn(setting.source, setting.rows, seed), score, SEARCHES[setting.search], task.replicates, seed + 1
    )
    if task.table == FRESH:
        return {PI: timed(lambda t: inclusion_probability(network, t, task.fresh), table)}
    found: dict[str, Cell | str] = {}
    for key in task.methods:
        try:
            found[key] = timed(METHODS[key].compute, table)
        except ValueError as refused:  # such as a network with tables too large to draw from
            found[key] = str(refused)
    return found


@lru_cache(maxsize=1)
def _drawn(source: str, rows: int, seed: int) -> bn.Dataset:
    """Return the table of a seed; the same object for the scores and searches that it is asked for in turn."""
    network = network_of(source)
    return network.by_name.sample(rows, seed).select(network.names)


def run(
    plan: Plan,
    store: Store,
    executor: Executor,
    workers: int | Callable[[], int],
    late: Callable[[], bool] = lambda: False,
    tell: Callable[[int, Task], None] | None = None,
) -> int:
    """Compute what is missing until it is ``late``; return the number of cells written.

    Each worker is handed one task at a time; of a cluster's workers the number may change. When it is late, the tasks
    handed out are waited for and kept.
    """
    todo, running, written = tasks(plan, store), {}, 0
    open_end = True
    while running or open_end:
        most = workers() if callable(workers) else workers
        while open_end and len(running) < most:
            task = next(todo, None) if not late() else None
            open_end = task is not None
            if task is not None:
                running[executor.submit(computed, task)] = task
        done, _ = wait(running, return_when=FIRST_COMPLETED, timeout=1.0)
        for future in done:
            task = running.pop(future)
            written += _kept(store, task, future.result())
            if tell is not None:
                tell(written, task)
        open_end = open_end and not late()
    return written


def _kept(store: Store, task: Task, cells: dict[str, Cell | str]) -> int:
    for key, cell in cells.items():
        keep = store.refuse if isinstance(cell, str) else store.save
        keep(name_of(task.setting.source), task.setting, key, task.table, cell)
    return len(cells)


def be_nice(nice: int) -> None:
    """Let other programs go first, and leave Ctrl-C to the process that hands out the work; a worker's first action."""
    os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
