"""Local scores of a data set and its resamples: the one question that every search asks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, Int32Array, IntArray, UInt8Array
from bnengine._core.setting_kinds import some_of
from bnengine._jit.records import Handle, changed_handle, handle_of
from bnengine.data.blocks import Features, features_of
from bnengine.data.checked_frame import MISSING, DataError
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import checked_weights
from bnengine.scores._count_terms import ENTROPY, REGRET, count_function, log_regrets
from bnengine.scores._incremental_counts import split_buffer
from bnengine.scores.block_scores import blocks_for, likelihoods_given_all
from bnengine.scores.counting import fill_masks
from bnengine.scores.family_scores import kernels_for, local_score_of, score_alone, scores_with_one_more_of
from bnengine.scores.prior_network import NO_PRIOR, prior_of
from bnengine.scores.score_context import (
    SMALLEST_TABLE,
    Sample,
    ScoreContext,
    empty_masks,
    sample_of,
    shape_of_masks,
    show_columns,
    workspace,
)
from bnengine.scores.scores import BIC, GaussianBIC, ScoreForm, TableScore


def refused_in_families(score: TableScore) -> str | None:
    """Return why a score cannot be scaled to all rows, as a penalized log-likelihood can (Balov 2013); or None."""
    form = score.form(2)
    if form.degree:
        return "covariances are those of the same rows"
    if form.quotient:
        return "its regret is that of all rows together"
    if form.cell == ENTROPY and form.configuration in (ENTROPY, REGRET):
        return None
    return "a marginal likelihood of some of the rows, scaled to all, is no probability"


def check_way(score: TableScore, data: Dataset) -> None:
    """Raise a DataError unless a score can be computed on data with missing cells as they are."""
    if data.missing_way != "complete_families":
        raise DataError(
            "a score needs every cell, but some of these are missing, and are to be drawn in each replicate; score "
            "rows in which they are drawn (bn.prediction.draw_missing) or, if bn.answers.missingness finds no hole "
            "that depends on another column, score family by family with data.with_missing('complete_families')"
        )
    if reason := unsuited(score, data):
        raise DataError(
            f"{reason}; use BIC, AIC or fNML, or let the missing cells be drawn with data.with_missing('drawn')"
        )


def default_score(data: Dataset) -> TableScore:
    """Return the score that is maximized unless one is chosen: ``BIC``, of a table with numbers ``GaussianBIC``."""
    return GaussianBIC() if data.numbers else BIC()


def needs_states(score: TableScore) -> bool:
    """Return whether a score exists for counts of states only: it is no penalized log-likelihood."""
    form = score.form(2)
    return form.quotient or form.network is not None or (form.cell, form.configuration) != (ENTROPY, ENTROPY)


def unsuited(score: TableScore, data: Dataset) -> str:
    """Say why a score does not exist on a table as it is treated, as a clause without a remedy; empty if it does."""
    if data.numbers and needs_states(score):
        return f"{score.name} needs states, but these columns are kept as numbers: {some_of(data.numbers)}"
    reason = refused_in_families(score) if data.missing_way == "complete_families" else None
    return f"{score.name} does not exist where families are counted on different rows, since {reason}" if reason else ""


def _degree(score: TableScore, degree: int, data: Dataset) -> int:
    """Return to which degree numbers count; 0 where families are scored by counts. A DataError if they cannot be."""
    if not data.numbers:
        return degree
    if needs_states(score):
        remedy = "use BIC, AIC or GaussianBIC, or cut them into states with bn.discretize"
        raise DataError(f"{unsuited(score, data)}; {remedy}")
    if data.holes is not None:
        raise DataError(
            "a table with numbers needs every cell, but some of these are missing; drop their rows with "
            "data.with_missing('listwise'), or cut the numbers into states with bn.discretize"
        )
    return max(degree, 1)


_MEMORY = 1 << 16  # remembered families
_ALL_SEEN = np.zeros((0, 0), dtype=np.uint8)


class LocalScores:
    """Local scores of one data set, or of its resamples one after the other, under one table score.

    Parameters
    ----------
    data : Dataset
    score : TableScore
    stop : ndarray of uint8, shape (1,), optional
        Another thread may set it to 1 to end a search that uses these scores.
    order : ndarray of int, shape (V,), optional
        As of ``reweigh``.

    Raises
    ------
    DataError
        If cells are missing, and the score cannot be computed where they are.

    Notes
    -----
    Rows that depend on each other count as the effective rows that they are worth (``Dataset.design_effect``), in the
    data and in resamples alike: each count is divided by the design effect before a count function is applied, and
    penalties are those of the effective number of rows. One factor holds for all families, so scores remain sums of
    families, equal for Markov-equivalent graphs where they are without it.

    Not to be shared by threads: the buffers belong to one caller at a time.
    """

    def __init__(
        self, data: Dataset, score: TableScore, stop: UInt8Array | None = None, order: IntArray | None = None
    ) -> None:
        self._score, self._epoch, self._worth = score, 0, data.worth
        codes, arities, multiplicities = data.distinct_codes, data.arities, data.multiplicities.astype(np.int32)
        n_variables, n_rows = len(arities), int(data.multiplicities.sum())
        form = self._form(n_rows)
        self._log_prior = _log_prior(form, n_variables)
        degree = _degree(score, form.degree, data)
        self._features = features_of(data, degree) if degree and data.holes is None else None
        self._groups: tuple[BoolArray, IntArray] = (
            np.ones((1, 1), dtype=np.bool_),
            np.zeros(n_variables, dtype=np.int64),
        )
        #: Whether families are scored by blocks of features: those of a table with numbers, or by such a score.
        self.by_blocks = self._features is not None
        if self._features is not None:
            codes, arities = np.zeros_like(codes), self._features.size + 1  # no count is ever asked for
        self._counted, self._seen = _rows_that_count(data), None
        if data.holes is not None:
            check_way(score, data)
            self._seen = codes != MISSING
            codes = np.where(self._seen, codes, 0).astype(np.uint16)
        if self._features is not None and self._counted is not None:
            self._groups = np.unique(self._counted, axis=0, return_inverse=True)
        n_own = 0 if self._counted is None else n_variables
        weights = np.tile(multiplicities, (2 + n_own, 1)) if n_own else multiplicities.copy()
        seen = _ALL_SEEN if self._seen is None else self._seen.astype(np.uint8)
        sample = sample_of(codes.copy(), weights, arities.copy(), seen)
        regrets = self._regrets(n_rows) if form.quotient else np.zeros(0)
        #: The present sample, the score and the buffers.
        self.context = ScoreContext(
            **self._room_for(sample, n_rows, form),
            kernels=kernels_for(form.network is not None, form.quotient, self.by_blocks),
            original_sample=sample_of(codes, multiplicities, arities, _ALL_SEEN),
            penalty=np.full(n_variables, form.penalty),
            score_without_parents=np.zeros(n_variables),
            log_prior=self._log_prior.copy(),
            most_configurations=form.most_configurations,
            row_worth=self._worth,
            regrets=np.tile(regrets, max(1, n_own)),
            n_regrets=len(regrets),
            regrets_apart=len(regrets) if n_own else 0,
            memory_keys=np.zeros(_MEMORY, dtype=np.uint64),
            memory_values=np.empty(_MEMORY),
            n_memory=_MEMORY,
            memory_epoch=np.zeros(1, dtype=np.uint64),
            prior=NO_PRIOR if form.network is None else prior_of(form.network, form.ess, data),
            order=np.arange(n_variables),
            scored=np.zeros(1, dtype=np.int64),
            stop=np.zeros(1, dtype=np.uint8) if stop is None else checked_stop(stop),
            blocks=blocks_for(self._features, len(self._groups[0])),
        )
        self.handle: Handle = handle_of(self.context)
        self.reweigh(multiplicities, order)

    def change(self, **fields: Any) -> None:
        """Give the context other arrays or numbers."""
        before, self.context = self.context, self.context._replace(**fields)
        self.handle = changed_handle(self.handle, before, self.context)

    def reweigh(self, weights: Int32Array, order: IntArray | None = None) -> None:
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
            Weights that no resample can have.
        """
        weights, n_rows = checked_weights(weights, self.context.sample.codes.shape[1])
        if n_rows > self._most_rows:
            self.change(**self._room_for(self.context.sample, n_rows, self._form(n_rows)))
        sample = self.context.sample
        if self._counted is None:
            sample.weights[:] = weights
        if order is not None:
            show_columns(self.handle, order)
        if n_rows != sample.n_rows:
            self._turn_to_size(n_rows)
        if self._counted is not None:
            self._count_for_families(weights, self._counted[self.context.order])
        if sample.masks.size:
            fill_masks(self.handle)
        if self._seen is not None:
            score_alone(self.handle)
        if self._features is not None:
            self._take_moments(weights, self._features)
        self._epoch += 1
        self.context.memory_epoch[0] = (self._epoch * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        self.context.scored[0] = 0

    def _take_moments(self, weights: Int32Array, features: Features) -> None:
        """Compute the moments of a resample, for each group of rows that count, in the columns' present order."""
        blocks, order, n = self.context.blocks, self.context.order, len(features.floor)
        blocks.first[:], blocks.size[:] = features.first[order], features.size[order]
        counted, group = self._groups
        blocks.group[:] = group.ravel()[order]
        for number, here in enumerate(counted):
            own = weights * here
            blocks.moments[number, :n, :n] = features.moments(own)
            of_group = np.flatnonzero(blocks.group == number)
            n_rows = float(own.sum()) * self._worth
            bounds = likelihoods_given_all(blocks.moments[number, :n, :n], blocks.first, blocks.size, n_rows)
            blocks.highest[of_group] = bounds[of_group]

    def set_edge_penalty(self, price: float) -> None:
        """Subtract ``price`` nats for each parent from now on, in addition to the score's own penalty; 0 ends that."""
        self.context.log_prior[:] = self._log_prior - price * np.arange(len(self._log_prior))
        self.context.memory_keys[:] = 0

    def _count_for_families(self, weights: Int32Array, counted: BoolArray) -> None:
        """Take up which rows count for each child, shape (V, D), and what depends on how many they are."""
        context, rows_before = self.context, self.context.sample.all_rows.copy()
        sample, of_children = context.sample, self.context.sample.weights[1:-1]
        sample.weights[0] = weights
        np.multiply(counted, weights, out=of_children)
        sample.all_rows[:] = of_children.sum(axis=1, dtype=np.int64)
        if self._seen is not None:
            sample.seen[:] = self._seen[context.order]
            of_children *= sample.seen
        sample.family_rows[:] = of_children.sum(axis=1, dtype=np.int64)
        if self._epoch and (sample.all_rows == rows_before).all():
            return
        regrets = context.regrets.reshape(len(counted), -1)
        for n_rows in np.unique(sample.all_rows).tolist():
            here = sample.all_rows == n_rows
            context.penalty[here] = self._form(n_rows).penalty
            if context.n_regrets:
                regrets[here] = self._regrets(n_rows)

    def _effective(self, n_rows: int) -> int:
        """Return how many rows so many are worth, to the nearest whole number."""
        return n_rows if self._worth == 1.0 else round(n_rows * self._worth)

    def _form(self, n_rows: int) -> ScoreForm:
        return self._score.form(max(1, self._effective(n_rows)))

    def _regrets(self, n_rows: int) -> FloatArray:
        return log_regrets(self._effective(n_rows))

    def _turn_to_size(self, n_rows: int) -> None:
        """Bring up to date what depends on the number of rows."""
        form = self._form(n_rows)
        regrets, cell, configuration = self.context.regrets, self.context.cell, self.context.configuration
        if form.ess != cell.ess:  # a prior that grows with the rows
            cell = count_function(form.cell, form.ess, n_rows)
            configuration = count_function(form.configuration, form.ess, n_rows)
        if self._counted is None:
            self.context.sample.family_rows[:] = n_rows
            self.context.penalty[:] = form.penalty
            regrets = self._regrets(n_rows) if form.quotient else regrets
        sample = self.context.sample._replace(n_rows=n_rows)
        self.change(sample=sample, cell=cell, configuration=configuration, regrets=regrets)

    def with_rows_of(self, data: Dataset) -> LocalScores:
        """Return the scores of other rows of the same variables; call ``reweigh`` next, and use these scores no more.

        Most of what scores need depends on the number of rows and on the states only. It is taken over where the new
        rows fit: then this object is returned, else a new one. Either gives the same numbers.
        """
        codes, arities, sample = data.distinct_codes, data.arities, self.context.sample
        n_rows = int(data.multiplicities.sum())
        form = self._form(n_rows)
        room, n_distinct = self.context.work.numbers.shape[0], codes.shape[1]
        masks = shape_of_masks(arities, n_rows, n_distinct, form.network is not None or self.by_blocks)
        fits = n_rows == self._most_rows and n_distinct <= room and masks == sample.masks.shape
        own = self._counted is not None or bool(data.holds) or self.by_blocks or self._worth != data.worth
        if own or form.network is not None or not fits or 2 * room > SMALLEST_TABLE:
            return LocalScores(data, self._score, self.context.stop)
        weights = np.zeros(n_distinct, dtype=np.int32)
        original = sample_of(codes, data.multiplicities.astype(np.int32), arities, _ALL_SEEN)
        sample = sample._replace(codes=np.empty_like(codes), weights=weights, n_distinct=n_distinct)
        self.change(sample=sample, original_sample=original)
        show_columns(self.handle, np.arange(data.n_variables))
        return self

    def _room_for(self, sample: Sample, n_rows: int, form: ScoreForm) -> dict[str, Any]:
        """Return the sample with masks, the buffers and the tables of values for resamples of up to so many rows."""
        n_variables, n_distinct = sample.codes.shape
        shape = shape_of_masks(sample.arities, n_rows, n_distinct, form.network is not None or self.by_blocks)
        masks, columns = empty_masks(*shape, n_variables if sample.n_own else 0)
        sample = sample._replace(masks=masks, columns=columns, n_words=shape[1], n_columns=columns.shape[1])
        self._most_rows = n_rows
        return {
            "sample": sample,
            "work": workspace(n_variables, n_distinct, shape[1]),
            "split": split_buffer(sample),
            "cell": count_function(form.cell, form.ess, n_rows),
            "configuration": count_function(form.configuration, form.ess, n_rows),
        }

    @property
    def stopped(self) -> bool:
        """Whether a search with these scores is to end now."""
        return bool(self.context.stop[0])

    def status(self, finished: bool) -> str:
        """Return how a search ended: "stopped", "converged" if it finished, or "max_iterations"."""
        return "stopped" if self.stopped else "converged" if finished else "max_iterations"

    @property
    def n_scored(self) -> int:
        """How many families were counted since the present (re)sample was taken up."""
        return int(self.context.scored[0])

    def __call__(self, child: int, parents: Sequence[int] = ()) -> float:
        """Return the local score of a family given by column numbers, nats."""
        ordered = np.array(sorted(parents), dtype=np.int64)
        return float(local_score_of(self.handle, child, ordered))

    def with_one_more(self, child: int, parents: Sequence[int], wanted: BoolArray) -> FloatArray:
        """Return local scores with each wanted variable as one more parent, nats, shape (V,); else -infinity."""
        with_room_for_one = np.array([*sorted(parents), 0], dtype=np.int64)
        out = np.empty(len(wanted))
        scores_with_one_more_of(self.handle, child, with_room_for_one, len(parents), wanted.astype(np.uint8), out)
        return out


def _rows_that_count(data: Dataset) -> BoolArray | None:
    """Return whether each distinct row counts for each family, shape (V, D); None if all do, all cells being seen."""
    if data.experiments is None:
        return None if data.holes is None else np.ones(data.distinct_codes.shape, dtype=np.bool_)
    return data.experiments.counts_for(data.names)[:, data.experiment_of_distinct]


def checked_stop(stop: UInt8Array) -> UInt8Array:
    """Return the stop flag as it was given; ValueError if it is not an array of one byte."""
    if not isinstance(stop, np.ndarray) or stop.shape != (1,) or stop.dtype != np.uint8:
        raise ValueError(f"stop must be an array of shape (1,) and type uint8; got {stop!r}")
    return stop


def _log_prior(form: ScoreForm, n_variables: int) -> FloatArray:
    """Return the log prior of k = 0 … V parents: a penalty per edge, or equal mass for each parent-set size."""
    k = np.arange(n_variables + 1)
    prior: FloatArray = -form.edge_penalty * k.astype(np.float64)
    if form.uniform_parent_sizes:
        prior -= [math.log(math.comb(n_variables - 1, int(size))) if size < n_variables else 0.0 for size in k]
    return prior
