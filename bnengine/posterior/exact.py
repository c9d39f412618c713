"""Exact posterior probabilities of edges, summed over all orderings and all graphs consistent with them."""

from __future__ import annotations

import math

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._core.display import gigabytes
from bnengine._core.validation import ParentLimit, VariableCount, validated
from bnengine._jit.records import Handle, handle_of, random_state
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import SearchSpace
from bnengine.posterior._ordering_sums import (
    bytes_of_lists,
    draw_from_sums,
    mask_of,
    number_of_small_sets,
    ordering_sums,
    score_parent_sets,
    small_sets,
    sum_backward,
    sum_forward,
)
from bnengine.scores.local_score import LocalScores

_SECONDS_PER_SET = 2.2e-8  # for each variable and one parent more than the limit; a guess for a choice, not a promise
_FAMILY, _ROW, _DRAWN = 1e-6, 2e-9, 0.005  # seconds of a family, of each distinct row of it, and of all that is drawn
_MAX_VARIABLES = 40  # one number per set of more variables exceeds the memory of any machine


@validated
def posterior_memory(n_variables: VariableCount, max_parents: ParentLimit | None = None) -> int:
    """Return the bytes that exact edge posteriors need: a number for each of 2**V sets, and parent sets.

    Examples
    --------
    >>> import bnengine as bn
    >>> [f"{bn.posterior.posterior_memory(n, 3) / 2**30:.2f} GB" for n in (25, 29, 30)]
    ['0.26 GB', '4.01 GB', '8.01 GB']
    """
    limit = n_variables - 1 if max_parents is None else min(max_parents, n_variables - 1)
    return (8 << n_variables) + 2 * bytes_of_lists(n_variables, limit)


def check_memory(n_variables: int, max_parents: int, max_memory: int) -> None:
    """Raise a ValueError if exact posteriors need more than ``max_memory`` bytes."""
    needed = posterior_memory(n_variables, max_parents if n_variables <= _MAX_VARIABLES else 0)
    if n_variables > _MAX_VARIABLES or needed > max_memory:
        raise ValueError(
            f"exact edge posteriors over {n_variables} variables with up to {max_parents} parents need 8 · 2^V bytes "
            f"and memory for the parent sets, {gigabytes(needed)}, more than the {max_memory / 2**30:.1f} GB allowed: "
            "choose fewer variables, lower max_parents, or the bootstrap"
        )


def exact_seconds(n_variables: int, max_parents: int) -> float:
    """Estimate how long exact edge posteriors take on one core, seconds; infinite beyond any memory."""
    if n_variables > _MAX_VARIABLES:
        return math.inf
    return _SECONDS_PER_SET * (min(max_parents, max(n_variables - 1, 0)) + 1) * n_variables * 2.0**n_variables


def seconds_of_rows(data: Dataset, max_parents: int) -> float:
    """Estimate how long the exact posterior of a table takes, its families scored and graphs drawn, seconds."""
    n = data.n_variables
    limit = min(max_parents, max(n - 1, 0))
    if exact_seconds(n, limit) == math.inf:
        return math.inf
    n_sets = n * number_of_small_sets(n - 1, limit)
    return exact_seconds(n, limit) + n_sets * (_FAMILY + _ROW * data.multiplicities.size) + _DRAWN


def exact_probabilities(
    scores: LocalScores, space: SearchSpace, rng: np.random.Generator | None = None, n_graphs: int = 0
) -> tuple[FloatArray, BoolArray]:
    """Compute the edge probabilities, shape (V, V), by a forward and a backward sum over sets, and draw graphs.

    The graphs, ``n_graphs`` of them, are independent of one another. Once the stop flag of the scores is set, the
    probabilities mean nothing.
    """
    n = len(space.allowed)
    small = small_sets(n - 1, space.max_parents)
    first = int(small.starts[-1])  # start of the list over all other variables
    lists = np.empty((n, first + len(small.masks)))
    others = [[v for v in range(n) if v != child] for child in range(n)]
    for child, columns in enumerate(others):
        weights = lists[child, first:]
        required = mask_of(space.required[columns, child])
        score_parent_sets(scores.handle, child, np.array(columns, dtype=np.int64), required, small.masks, weights)
        weights[small.masks & mask_of(~space.allowed[columns, child]) != 0] = -np.inf
    stop = scores.context.stop
    over_all = ordering_sums(small, lists, stop)
    handle = handle_of(over_all)
    sum_forward(handle)
    log_evidence = float(over_all.sums[-1])
    probability, graphs = np.zeros((n, n)), np.zeros((0, n, n), dtype=np.bool_)
    if stop[0]:
        return probability, graphs
    if not math.isfinite(log_evidence):
        raise ValueError(
            "no graph satisfies the constraints with so few parents: raise max_parents or drop a required edge"
        )
    if rng is not None and n_graphs:
        graphs = _drawn(handle, small.masks, lists[:, first:], others, rng, n_graphs)
    sum_backward(handle)
    remaining = over_all.around  # weight of all other families, given each parent set
    for child in range(n if not stop[0] else 0):
        share = np.exp(lists[child, first:] + remaining[child, first:] - log_evidence)
        for other, parent in enumerate(others[child]):
            probability[parent, child] = share[(small.masks >> other) & 1 == 1].sum()
    return np.minimum(probability, 1.0), graphs


def _drawn(
    handle: Handle,
    masks: IntArray,
    weights: FloatArray,
    others: list[list[int]],
    rng: np.random.Generator,
    n_graphs: int,
) -> BoolArray:
    """Draw graphs from the sums of the forward pass; ``masks`` are sets of others, ``weights`` (V, S)."""
    n = len(others)
    order = np.argsort(-weights, axis=1, kind="stable")
    of_columns = np.array([sum((((masks >> o) & 1) << v for o, v in enumerate(row)), 0 * masks) for row in others])
    of_columns, weights = np.take_along_axis(of_columns, order, 1), np.take_along_axis(weights, order, 1)
    drawn = np.zeros((n_graphs, n), dtype=np.int64)
    number = draw_from_sums(handle, of_columns, weights, random_state(rng), drawn)
    parents = of_columns[np.arange(n), drawn[:number]]
    return np.asarray(((parents[:, None, :] >> np.arange(n)[:, None]) & 1).astype(np.bool_))
