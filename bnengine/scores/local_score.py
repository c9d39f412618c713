"""The one question every search asks: the local score of a child with given parents on a (re)sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import Pointer, compiled, inlined, pointer_to
from bnengine._core.hashing import mix as mix
from bnengine.data.dataset import Dataset
from bnengine.data.row_weights import checked_weights
from bnengine.scores._count_terms import (
    OBSERVED,
    OFFSET,
    SHARED,
    CountFunction,
    Lookup,
    count_function,
    lookup_of,
    total_bias_over,
    total_over,
)
from bnengine.scores._incremental_counts import SplitBuffer, Splitter, count_extended, split, split_buffer, splitter_of
from bnengine.scores.counting import Counter, Sample, Workspace, arrange, count, count_by_rows, counter_of, fill_masks
from bnengine.scores.nml import asymptotic_log_regret, log_regrets
from bnengine.scores.prior_counts import score_under_prior
from bnengine.scores.prior_marginals import PriorMarginals, prior_marginals_of
from bnengine.scores.prior_network import Prior, prior_of
from bnengine.scores.scores import ScoreForm, TableScore

_LARGEST_MASKS = 512 * 2**20  # bytes
_SMALLEST_TABLE = 1 << 16  # cells: what fits a core's second cache
_MEMORY = 1 << 16  # remembered families


class Problem(NamedTuple):
    """A sample, a score and the buffers to compute with: everything a compiled search is handed."""

    sample: Sample
    work: Workspace
    split: SplitBuffer
    cell: CountFunction
    configuration: CountFunction
    penalty: float  # nats per free parameter
    log_prior: npt.NDArray[np.float64]  # (V + 1,) of a family, by its number of parents
    regrets: npt.NDArray[np.float64]  # ln C(N, K) by K; empty where the score has no quotient
    memory_keys: npt.NDArray[np.uint64]  # families whose score is remembered
    memory_values: npt.NDArray[np.float64]
    prior: Prior  # its prior network; empty without one
    order: npt.NDArray[np.int64]  # (V,) the data's column at each place of the sample
    memory_epoch: np.uint64  # differs from sample to sample, so that none remembers another's scores
    given: Sample  # the given data, where their bias is subtracted; else the sample itself
    cell_bias: CountFunction
    configuration_bias: CountFunction
    bias_keys: npt.NDArray[np.uint64]  # families whose bias is remembered, for all resamples; empty: none subtracted
    bias_values: npt.NDArray[np.float64]
    scored: npt.NDArray[np.int64]  # (1,) how many families were counted so far


class Families(NamedTuple):
    """A ``Problem`` as compiled code handles it."""

    counter: Counter
    splitter: Splitter
    cell: Lookup
    configuration: Lookup
    penalty: float
    log_prior: Pointer
    regrets: Pointer
    n_regrets: int
    memory_keys: Pointer
    memory_values: Pointer
    n_memory: int
    prior: PriorMarginals
    order: Pointer
    memory_epoch: np.uint64
    given: Counter
    cell_bias: Lookup
    configuration_bias: Lookup
    bias_keys: Pointer
    bias_values: Pointer
    n_biases: int
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
        pointer_to(problem.log_prior),
        pointer_to(problem.regrets),
        problem.regrets.shape[0],
        pointer_to(problem.memory_keys),
        pointer_to(problem.memory_values),
        problem.memory_keys.shape[0],
        prior_marginals_of(problem.prior),
        pointer_to(problem.order),
        problem.memory_epoch,
        counter_of(problem.given, problem.work),
        lookup_of(problem.cell_bias),
        lookup_of(problem.configuration_bias),
        pointer_to(problem.bias_keys),
        pointer_to(problem.bias_values),
        problem.bias_keys.shape[0],
        pointer_to(problem.scored),
    )


@inlined
def configurations(families: Families, parents: Pointer, k: int) -> float:
    """The number q of parent configurations, as a float: it may exceed any integer type."""
    q = 1.0
    for i in range(k):
        q *= families.counter.arities[parents[i]]
    return q


@inlined
def charge(families: Families, q: float, arity: float, k: int) -> float:
    """What a family of k parents is charged beyond its counts, nats: penalty, regret and structure prior.

    Never negative; since the rest is a log-probability, no local score exceeds its negative.
    """
    charged = -families.log_prior[k]
    if families.penalty > 0.0:
        charged += families.penalty * q * (arity - 1.0)
    if families.n_regrets > 0:
        charged += _quotient_regret(families, q, arity)
    return charged  # type: ignore[no-any-return]


@inlined
def upper_bound(families: Families, q: float, arity: float, k: int) -> float:
    """What no score of a family with so many configurations exceeds, nats: minus its charge.

    With a bias subtracted there is no such bound without counting.
    """
    return np.inf if families.n_biases > 0 else -charge(families, q, arity, k)


@compiled
def _quotient_regret(families: Families, q: float, arity: float) -> float:
    """Ln C(N, q r) - ln C(N, q): the regret of parents and child as one variable less that of the parents."""
    joint = families.regrets[int(q * arity)] if q * arity < families.n_regrets else -1.0
    if joint < 0.0:
        joint = asymptotic_log_regret(families.counter.n_rows, q * arity)
    alone = families.regrets[int(q)] if q < families.n_regrets else -1.0
    if alone < 0.0:
        alone = asymptotic_log_regret(families.counter.n_rows, q)
    return joint - alone


@inlined
def _keys(families: Families, q: float, arity: float, n_configurations: int) -> tuple[float, float]:
    """The keys of the two count functions for a family (see ``count_functions``)."""
    if families.configuration.form == SHARED:
        return q * arity, q
    if families.configuration.form == OBSERVED:
        return n_configurations * arity, float(n_configurations)
    return 1.0, arity


@inlined
def _score_of_counts(families: Families, q: float, arity: float, n_configurations: int, n_cells: int) -> float:
    """The score of the counts now in the buffers, before charge and bias."""
    families.scored[0] += 1
    cell_key, configuration_key = _keys(families, q, arity, n_configurations)
    total = total_over(families.cell, cell_key, families.counter.cells, n_cells)
    return total - total_over(
        families.configuration, configuration_key, families.counter.configurations, n_configurations
    )


@compiled
def family_key(child: int, parents: Pointer, k: int) -> np.uint64:
    """A 64-bit key of a family, the same for any order of its parents.

    That two of a million different families share a key has probability below 1e-7.
    """
    key = mix(np.uint64(child) + np.uint64(1))
    for i in range(k):
        key ^= mix((np.uint64(parents[i]) + np.uint64(1)) << np.uint64(20))
    return key


@inlined
def bias(families: Families, child: int, parents: Pointer, k: int) -> float:
    """What a bootstrap resample adds to the family's score on average, nats; 0 where it is not to be subtracted."""
    return _computed_bias(families, child, parents, k) if families.n_biases > 0 else 0.0


@compiled
def _computed_bias(families: Families, child: int, parents: Pointer, k: int) -> float:
    """The bias of a family, computed once from the given data and remembered for all resamples.

    Resamples may show the columns in different orders; the given data keep theirs, and the memory goes by it.
    """
    given_child, given_parents = families.order[child], families.counter.states
    for i in range(k):  # sorted, by insertion
        parent, at = families.order[parents[i]], i
        while at > 0 and given_parents[at - 1] > parent:
            given_parents[at] = given_parents[at - 1]
            at -= 1
        given_parents[at] = parent
    key = family_key(given_child, given_parents, k)
    place = np.int64(key >> np.uint64(1)) % families.n_biases
    if families.bias_keys[place] == key:
        return families.bias_values[place]  # type: ignore[no-any-return]
    n_configurations, n_cells = count_by_rows(families.given, given_child, given_parents, k)
    q, arity = configurations(families, parents, k), float(families.counter.arities[child])
    cell_key, configuration_key = _keys(families, q, arity, n_configurations)
    value = total_bias_over(families.cell_bias, cell_key, families.counter.cells, n_cells)
    value -= total_bias_over(
        families.configuration_bias, configuration_key, families.counter.configurations, n_configurations
    )
    families.bias_keys[place] = key
    families.bias_values[place] = value
    return value


@compiled
def local_score(families: Families, child: int, parents: Pointer, k: int) -> float:
    """Local score of ``child`` with ``parents[:k]`` (sorted column numbers), nats."""
    if families.prior.n_cliques > 0:
        families.scored[0] += 1
        q, arity = configurations(families, parents, k), float(families.counter.arities[child])
        score = score_under_prior(families.prior, families.counter, families.order, child, parents, k)
        return score - charge(families, q, arity, k)
    less = bias(families, child, parents, k)  # before counting: both counts use the same buffers
    n_configurations, n_cells = count(families.counter, child, parents, k)
    q, arity = configurations(families, parents, k), float(families.counter.arities[child])
    return _score_of_counts(families, q, arity, n_configurations, n_cells) - charge(families, q, arity, k) - less


@compiled
def local_score_and_bound(families: Families, child: int, parents: Pointer, k: int) -> tuple[float, float]:
    """The local score, and what no superset of these parents can score above, nats.

    A marginal likelihood gives the first row of each observed configuration probability 1 / r, so it is at most
    ``-(observed configurations) ln r``, and a superset observes no fewer (de Campos & Ji 2011, Lemma 6). The penalty
    grows with the parents; a structure prior and a quotient's regret need not, and are left out of the bound.
    """
    if families.prior.n_cliques > 0 or families.n_biases > 0:
        return local_score(families, child, parents, k), np.inf
    n_configurations, n_cells = count(families.counter, child, parents, k)
    q, arity = configurations(families, parents, k), float(families.counter.arities[child])
    score = _score_of_counts(families, q, arity, n_configurations, n_cells) - charge(families, q, arity, k)
    bound = -families.penalty * q * (arity - 1.0) if families.penalty > 0.0 else 0.0
    if families.configuration.form in (SHARED, OFFSET, OBSERVED):
        bound -= n_configurations * np.log(arity)
    return score, bound


@compiled
def remembered_score(families: Families, child: int, parents: Pointer, k: int) -> float:
    """Local score of a family that may come up again, nats.

    A place in the memory is given to whoever came last.
    """
    key = families.memory_epoch ^ family_key(child, parents, k)
    place = np.int64(key >> np.uint64(1)) % families.n_memory
    if families.memory_keys[place] == key:
        return families.memory_values[place]  # type: ignore[no-any-return]
    score = local_score(families, child, parents, k)
    families.memory_keys[place] = key
    families.memory_values[place] = score
    return score


@compiled
def scores_with_one_more(
    families: Families, child: int, parents: Pointer, k: int, wanted: Pointer, at_least: float, out: Pointer
) -> None:
    """Local score of ``child`` with ``parents[:k]`` and each wanted variable in turn, nats, into ``out``.

    Minus infinity for a candidate that is not wanted, or whose charge alone shows that it cannot exceed ``at_least``.
    """
    counter = families.counter
    arity = float(counter.arities[child])
    q = configurations(families, parents, k)
    n_split = -2  # not yet split: perhaps no candidate needs counting
    for candidate in range(counter.n_variables):
        out[candidate] = -np.inf
        if wanted[candidate] == 0:
            continue
        extended_q = q * counter.arities[candidate]
        charged = charge(families, extended_q, arity, k + 1)
        if -charged <= at_least and families.n_biases == 0:
            continue
        if families.prior.n_cliques > 0:
            parents[k] = candidate
            out[candidate] = local_score(families, child, parents, k + 1)
            continue
        parents[k] = candidate  # the order of parents does not matter to counts
        less = bias(families, child, parents, k + 1)
        if n_split == -2:
            n_split = split(counter, families.splitter, child, parents, k)
        if n_split >= 0:
            n_configurations, n_cells = count_extended(counter, families.splitter, n_split, candidate)
        else:
            n_configurations, n_cells = count(counter, child, parents, k + 1)
        out[candidate] = _score_of_counts(families, extended_q, arity, n_configurations, n_cells) - less - charged


@compiled
def _local_score_of(problem: Problem, child: int, parents: npt.NDArray[np.int64]) -> float:
    return local_score(families_of(problem), child, pointer_to(parents), parents.shape[0])


@compiled
def _scores_with_one_more_of(
    problem: Problem,
    child: int,
    parents: npt.NDArray[np.int64],
    k: int,
    wanted: npt.NDArray[np.uint8],
    out: npt.NDArray[np.float64],
) -> None:
    """All arrays are the caller's: one made here would be freed at its last use, while its pointer is still in use."""
    scores_with_one_more(
        families_of(problem), child, pointer_to(parents), k, pointer_to(wanted), -np.inf, pointer_to(out)
    )


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
        self._epoch = 0
        form = score.form(data.n_rows)
        codes, arities = data.distinct_codes, data.arities
        multiplicities = data.multiplicities.astype(np.int32)
        first_mask = np.concatenate([[0], np.cumsum(arities)[:-1]]).astype(np.int64)
        masks = _empty_masks(arities, data.n_rows, codes.shape[1], form.network is not None)
        weights = np.zeros(codes.shape[1], dtype=np.int32)
        sample = Sample(codes.copy(), weights, arities.copy(), data.n_rows, masks, first_mask)
        self._given = codes, arities
        self._most_rows = data.n_rows
        n_resampled = data.n_rows if form.unbias else 0
        self.problem = Problem(
            sample,
            _workspace(codes.shape[0], codes.shape[1], masks.shape[1]),
            split_buffer(sample),
            count_function(form.cell, form.ess, data.n_rows),
            count_function(form.configuration, form.ess, data.n_rows),
            form.penalty,
            _log_prior(form, codes.shape[0]),
            log_regrets(data.n_rows) if form.quotient else np.zeros(0),
            np.zeros(_MEMORY, dtype=np.uint64),
            np.zeros(_MEMORY),
            prior_of(form.network, form.ess, data),
            np.arange(data.n_variables),
            np.uint64(0),
            sample,
            count_function(form.cell, form.ess, n_resampled, n_resampled),
            count_function(form.configuration, form.ess, n_resampled, n_resampled),
            np.zeros(_MEMORY if form.unbias else 0, dtype=np.uint64),
            np.zeros(_MEMORY if form.unbias else 0),
            np.zeros(1, dtype=np.int64),
        )
        self.reweigh(multiplicities)
        if form.unbias:  # keep the given data as they are while the sample turns into one resample after the other
            given = self.problem.sample
            self.problem = self.problem._replace(
                given=given._replace(codes=codes, weights=given.weights.copy(), arities=arities)
            )

    def reweigh(self, weights: npt.NDArray[np.int32], order: npt.NDArray[np.int64] | None = None) -> None:
        """Turn to a resample, of any number of rows.

        Parameters
        ----------
        weights : ndarray of int, shape (D,)
            How often each distinct row occurs.
        order : ndarray of int, shape (V,), optional
            A permutation: which of the data's columns stands at each place. From then on columns are numbered by
            their places. None leaves the order as it is.

        Raises
        ------
        ValueError
            Weights that no resample can have, or, with the exact correction, of another number of rows than the data.
        """
        weights = checked_weights(weights, self.problem.sample.codes.shape[1])
        n_rows = int(weights.sum(dtype=np.int64))
        form = self._score.form(n_rows)
        _refuse_another_size(form, self.problem.cell_bias.n_drawn, n_rows)
        self._make_room(n_rows)
        sample = self.problem.sample
        sample.weights[:] = weights
        if order is not None:
            arrange(*self._given, order, sample.codes, sample.arities, sample.first_mask, self.problem.order)
        if sample.masks.size:
            fill_masks(sample.codes, sample.weights, sample.arities, sample.first_mask, sample.masks)
        regrets, cell, configuration = self.problem.regrets, self.problem.cell, self.problem.configuration
        if form.quotient and n_rows != sample.n_rows:
            regrets = log_regrets(n_rows)
        if form.ess != cell.ess:  # expectations over resamples of n_rows rows
            cell = count_function(form.cell, form.ess, n_rows)
            configuration = count_function(form.configuration, form.ess, n_rows)
        self._epoch += 1
        self.problem = self.problem._replace(
            sample=sample._replace(n_rows=n_rows),
            cell=cell,
            configuration=configuration,
            penalty=form.penalty,
            regrets=regrets,
            memory_epoch=np.uint64((self._epoch * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF),
        )
        self.problem.scored[0] = 0

    def _make_room(self, n_rows: int) -> None:
        """Larger buffers for a resample of more rows than any before it."""
        if n_rows <= self._most_rows:
            return
        self._most_rows = n_rows
        sample, form = self.problem.sample, self._score.form(n_rows)
        n_variables, n_distinct = sample.codes.shape
        masks = _empty_masks(sample.arities, n_rows, n_distinct, form.network is not None)
        sample = sample._replace(masks=masks)
        self.problem = self.problem._replace(
            sample=sample,
            work=_workspace(n_variables, n_distinct, masks.shape[1]),
            split=split_buffer(sample),
            cell=count_function(form.cell, form.ess, n_rows),
            configuration=count_function(form.configuration, form.ess, n_rows),
        )

    @property
    def n_scored(self) -> int:
        """How many families were counted since the present (re)sample was taken up."""
        return int(self.problem.scored[0])

    def __call__(self, child: int, parents: Sequence[int] = ()) -> float:
        """Local score of a family given by column numbers, nats."""
        ordered = np.array(sorted(parents), dtype=np.int64)
        return float(_local_score_of(self.problem, child, ordered))

    def with_one_more(
        self, child: int, parents: Sequence[int], wanted: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float64]:
        """Local score of a family with each wanted variable as one more parent, nats, shape (V,); else -infinity."""
        with_room_for_one = np.array([*sorted(parents), 0], dtype=np.int64)
        out = np.empty(len(wanted))
        _scores_with_one_more_of(self.problem, child, with_room_for_one, len(parents), wanted.astype(np.uint8), out)
        return out


def _log_prior(form: ScoreForm, n_variables: int) -> npt.NDArray[np.float64]:
    """Log prior of a family with k parents, k = 0 … V: a penalty an edge, or equal mass for each parent-set size."""
    k = np.arange(n_variables + 1)
    prior: npt.NDArray[np.float64] = -form.edge_penalty * k.astype(np.float64)
    if form.uniform_parent_sizes:
        prior -= [math.log(math.comb(n_variables - 1, int(size))) if size < n_variables else 0.0 for size in k]
    return prior


def _refuse_another_size(form: ScoreForm, n_drawn: int, n_rows: int) -> None:
    """The exact correction knows what drawing as many rows as the data have does to a count, and nothing else."""
    if form.unbias and n_rows != n_drawn:
        raise ValueError(
            f"the exact correction is for resamples of as many rows as the data, {n_drawn:,}; this one has {n_rows:,}: "
            "take the leading correction"
        )


def _empty_masks(
    arities: npt.NDArray[np.int64], n_rows: int, n_distinct: int, has_prior: bool
) -> npt.NDArray[np.uint64]:
    """Room for the masks of a sample; none where they are too large or can never win, or rows are to be ranked."""
    n_words = (n_rows + 63) // 64
    n_masks = int(arities.sum())
    if has_prior or not _masks_can_win(n_words, n_distinct) or n_masks * n_words * 8 > _LARGEST_MASKS:
        n_masks = n_words = 0
    return np.zeros((n_masks, n_words), dtype=np.uint64)


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
