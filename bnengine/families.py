"""The one question every search asks: the local score of a child with given parents on a (re)sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._compiled import Pointer, compiled, pointer_to
from bnengine.count_functions import SHARED, CountFunction, Lookup, count_function, lookup_of, total_over
from bnengine.counting import Counter, Sample, Workspace, count, counter_of, fill_masks
from bnengine.data import Dataset
from bnengine.extension import SplitBuffer, Splitter, count_extended, split, split_buffer, splitter_of
from bnengine.scores import TableScore

_LARGEST_MASKS = 512 * 2**20  # bytes
_SMALLEST_TABLE = 4096  # cells


class Problem(NamedTuple):
    """A sample, a score and the buffers to compute with: everything a compiled search is handed."""

    sample: Sample
    work: Workspace
    split: SplitBuffer
    cell: CountFunction
    configuration: CountFunction
    penalty: float  # nats per free parameter
    scored: npt.NDArray[np.int64]  # (1,) how many families were counted so far


class Families(NamedTuple):
    """A ``Problem`` as compiled code handles it."""

    counter: Counter
    splitter: Splitter
    cell: Lookup
    configuration: Lookup
    penalty: float
    scored: Pointer


@compiled
def families_of(problem: Problem) -> Families:
    """What a compiled search asks for local scores; the problem must outlive it."""
    return Families(
        counter_of(problem.sample, problem.work),
        splitter_of(problem.split),
        lookup_of(problem.cell),
        lookup_of(problem.configuration),
        problem.penalty,
        pointer_to(problem.scored),
    )


@compiled
def _configurations(families: Families, parents: Pointer, k: int) -> float:
    """The number q of parent configurations, as a float: it may exceed any integer type."""
    q = 1.0
    for i in range(k):
        q *= families.counter.arities[parents[i]]
    return q


@compiled
def charge(families: Families, child: int, parents: Pointer, k: int) -> float:
    """The penalty of a family, nats; since the rest is a log-probability, no local score exceeds its negative."""
    if families.penalty == 0.0:
        return 0.0
    return families.penalty * _configurations(families, parents, k) * float(families.counter.arities[child] - 1)


@compiled
def _score_of_counts(families: Families, q: float, arity: float, n_configurations: int, n_cells: int) -> float:
    """The score of the counts now in the buffers, before the charge."""
    families.scored[0] += 1
    cell_key = q * arity if families.cell.form == SHARED else 1.0
    configuration_key = q if families.configuration.form == SHARED else arity
    total = total_over(families.cell, cell_key, families.counter.cells, n_cells)
    return total - total_over(
        families.configuration, configuration_key, families.counter.configurations, n_configurations
    )


@compiled
def local_score(families: Families, child: int, parents: Pointer, k: int) -> float:
    """Local score of ``child`` with ``parents[:k]`` (sorted column numbers), nats."""
    n_configurations, n_cells = count(families.counter, child, parents, k)
    q, arity = _configurations(families, parents, k), float(families.counter.arities[child])
    return _score_of_counts(families, q, arity, n_configurations, n_cells) - charge(families, child, parents, k)


@compiled
def scores_with_one_more(
    families: Families, child: int, parents: Pointer, k: int, wanted: Pointer, at_least: float, out: Pointer
) -> None:
    """Local score of ``child`` with ``parents[:k]`` and each wanted variable in turn, nats, into ``out``.

    Minus infinity for a candidate that is not wanted, or whose penalty alone shows that it cannot exceed ``at_least``.
    """
    counter = families.counter
    arity = float(counter.arities[child])
    q = _configurations(families, parents, k)
    n_split = -2  # not yet split: perhaps no candidate needs counting
    for candidate in range(counter.n_variables):
        out[candidate] = -np.inf
        if wanted[candidate] == 0:
            continue
        extended_q = q * counter.arities[candidate]
        charged = families.penalty * extended_q * (arity - 1.0) if families.penalty > 0.0 else 0.0
        if -charged <= at_least:
            continue
        if n_split == -2:
            n_split = split(counter, families.splitter, child, parents, k)
        if n_split >= 0:
            n_configurations, n_cells = count_extended(counter, families.splitter, n_split, candidate)
        else:
            parents[k] = candidate  # the order of parents does not matter to counts
            n_configurations, n_cells = count(counter, child, parents, k + 1)
        out[candidate] = _score_of_counts(families, extended_q, arity, n_configurations, n_cells) - charged


@compiled
def _local_score_of(problem: Problem, child: int, parents: npt.NDArray[np.int64]) -> float:
    return local_score(families_of(problem), child, pointer_to(parents), parents.shape[0])


class LocalScores:
    """Local scores of one data set, or of its resamples one after the other, under one table score.

    Parameters
    ----------
    data : Dataset
    score : TableScore

    Notes
    -----
    Not to be shared by threads: the buffers belong to one caller at a time.
    """

    def __init__(self, data: Dataset, score: TableScore) -> None:
        self._score = score
        codes = data.distinct_codes
        arities = data.arities
        self._multiplicities = data.multiplicities.astype(np.int32)
        n_words = (data.n_rows + 63) // 64
        n_masks = int(arities.sum())
        if not _masks_can_win(n_words, codes.shape[1]) or n_masks * n_words * 8 > _LARGEST_MASKS:
            n_masks = n_words = 0
        first_mask = np.concatenate([[0], np.cumsum(arities)[:-1]]).astype(np.int64)
        masks = np.zeros((n_masks, n_words), dtype=np.uint64)
        form = score.form(data.n_rows)
        sample = Sample(codes, self._multiplicities.copy(), arities, data.n_rows, masks, first_mask)
        self.problem = Problem(
            sample,
            _workspace(codes.shape[0], codes.shape[1], n_words),
            split_buffer(sample),
            count_function(form.cell, form.ess, data.n_rows),
            count_function(form.configuration, form.ess, data.n_rows),
            form.penalty,
            np.zeros(1, dtype=np.int64),
        )
        self.reweigh(self._multiplicities)

    def reweigh(self, weights: npt.NDArray[np.int32]) -> None:
        """Turn to the resample in which distinct row d occurs ``weights[d]`` times; at most the data's rows in all."""
        sample = self.problem.sample
        sample.weights[:] = weights
        n_rows = int(weights.sum())
        if sample.masks.size:
            fill_masks(sample.codes, sample.weights, sample.arities, sample.first_mask, sample.masks)
        self.problem = self.problem._replace(
            sample=sample._replace(n_rows=n_rows), penalty=self._score.form(n_rows).penalty
        )
        self.problem.scored[0] = 0

    @property
    def n_scored(self) -> int:
        """How many families were counted since the present (re)sample was taken up."""
        return int(self.problem.scored[0])

    def __call__(self, child: int, parents: Sequence[int] = ()) -> float:
        """Local score of a family given by column numbers, nats."""
        ordered = np.array(sorted(parents), dtype=np.int64)
        return float(_local_score_of(self.problem, child, ordered))


def _masks_can_win(n_words: int, n_distinct: int) -> bool:
    """Whether the smallest family, two variables of two states, could be cheaper by masks (see ``counting``)."""
    return 4 * n_words < 6 * n_distinct


def _workspace(n_variables: int, n_distinct: int, n_words: int) -> Workspace:
    slots = 1 << max(4, (2 * n_distinct).bit_length())
    return Workspace(
        cells=np.zeros(n_distinct + 1, dtype=np.int32),
        configurations=np.zeros(n_distinct + 1, dtype=np.int32),
        stack=np.zeros((n_variables + 1, n_words), dtype=np.uint64),
        states=np.zeros(n_variables + 1, dtype=np.int64),
        numbers=np.zeros(n_distinct, dtype=np.int64),
        table=np.zeros(max(_SMALLEST_TABLE, 2 * n_distinct), dtype=np.int32),
        slot_numbers=np.zeros(slots, dtype=np.int64),
        slot_ranks=np.zeros(slots, dtype=np.int32),
        ranked=np.zeros(n_distinct + 1, dtype=np.int32),
    )
