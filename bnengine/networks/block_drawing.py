"""Rows drawn from a graph over a table with numbers: each child from the regression on its parents' blocks.

A draw of the regressions is a fit to rows with random weights (the Bayesian bootstrap, Rubin 1981). Numbers are drawn
as normal scores: what the parents' features predict, and a residual of one of the given rows, as wide as the predicted
square of the score makes it. The drawn scores only say the order of the rows: the values are those of rows drawn from
the given ones, so that the marginal stays that of the data, rounding, gaps and heavy tails included. States are drawn
with the predicted shares, which are cut off at 0.
"""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine.data.blocks import Features, features_of
from bnengine.data.checked_frame import Values
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_by_experiment
from bnengine.data.interventions import Experiments
from bnengine.graphs.dag import Adjacency, topological_order

_DEGREE = 2
_LEAST_VARIANCE = 0.05  # of a normal score given the parents', where their regression predicts less


class BlockDrawing:
    """Draws rows for any graph over the variables of one complete table with numbers."""

    def __init__(self, data: Dataset) -> None:
        self._data, self._features = data, features_of(data, _DEGREE)
        self._codes = data.distinct_codes.astype(np.int64)
        self._by_name = sorted(range(data.n_variables), key=data.names.__getitem__)
        # the features of each state or value: of one of its rows, as they are alike
        self._tables = []
        for v, own in enumerate(self._codes):
            at = slice(self._features.first[v], self._features.first[v] + self._features.size[v])
            table = np.zeros((len(data.states[v]), self._features.size[v]))
            table[own] = self._features.rows[:, at]
            self._tables.append(table)

    def rows(
        self, graph: Adjacency, rng: np.random.Generator, n_rows: int | None = None, fitted: bool = False
    ) -> Dataset:
        """Draw rows, as many as the data have or are worth, or ``n_rows``; what experiments set stays as it was.

        From a draw of the regressions, or from those that are fitted to the given rows. Of rows from experiments in
        the same proportions, one experiment after the other.
        """
        data, times = self._data, self._data.multiplicities
        given, experiment = self._given(n_rows or data.effective_rows, rng), data.experiment_of_distinct
        codes = self._codes[:, given]
        weights = times.astype(np.float64)
        weights = weights if fitted else rng.standard_gamma(weights)
        order = topological_order(graph[np.ix_(by := self._by_name, by)]) or []
        for child in (self._by_name[v] for v in order):
            counts = np.ones(len(times), dtype=np.bool_)
            if data.experiments is not None:
                counts = data.experiments.counts_for([data.names[child]])[0][experiment]
            drawn = counts[given]
            parents = [p for p in self._by_name if graph[p, child]]
            codes[child, drawn] = self._drawn(child, parents, codes[:, drawn], weights * counts, rng)
        experiments = None if data.experiments is None else Experiments(data.targets, experiment[given])
        rows = np.ascontiguousarray(codes.T.astype(np.uint16))
        return data.with_rows(rows) if experiments is None else Dataset(data.names, data.states, rows, experiments)

    def _given(self, n_rows: int, rng: np.random.Generator) -> IntArray:
        """Draw the given rows whose experiments, and cells that were set, the drawn ones have."""
        data, times = self._data, self._data.multiplicities
        if data.experiments is None:
            return rng.choice(len(times), n_rows, p=times / times.sum())
        drawn = drawn_by_experiment(data, n_rows, lambda of, n: rng.multinomial(n, of / of.sum()))
        given = rng.permutation(np.repeat(np.arange(len(times)), drawn))
        return np.asarray(given[np.argsort(data.experiment_of_distinct[given], kind="stable")])

    def _drawn(
        self, child: int, parents: list[int], codes: IntArray, weights: FloatArray, rng: np.random.Generator
    ) -> IntArray:
        """Return a child's codes in rows with these codes of the parents."""
        n, own, chance = codes.shape[1], self._codes[child], weights / weights.sum()
        donors = np.asarray(rng.choice(len(own), n, p=chance))
        if not parents or not self._features.size[child]:
            return np.asarray(own[donors])
        given = np.hstack([self._tables[p][self._codes[p]] for p in parents])
        here = np.hstack([self._tables[p][codes[p]] for p in parents])
        states, is_number = len(self._data.states[child]), isinstance(self._data.states[child], Values)
        target = self._tables[child][own] if is_number else np.eye(states)[own]
        predicted, at = self._regressed(parents, given, target, chance, here)
        if is_number:
            square = chance @ target[:, 0] ** 2
            width = [
                np.sqrt(np.maximum(square + 2**0.5 * z[:, 1] - z[:, 0] ** 2, _LEAST_VARIANCE)) for z in (predicted, at)
            ]
            scores = at[:, 0] + width[1] * ((target - predicted)[:, 0] / width[0])[donors]
            values = np.sort(own[rng.choice(len(own), n, p=chance)])
            drawn = np.empty(n, dtype=np.int64)
            drawn[scores.argsort(kind="stable")] = values
            return drawn
        shares = np.maximum(at, 0.0).cumsum(axis=1)
        return np.asarray((rng.random((n, 1)) * shares[:, -1:] >= shares[:, :-1]).sum(axis=1))

    def _regressed(
        self, parents: list[int], given: FloatArray, target: FloatArray, chance: FloatArray, here: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what the parents predict of the target in the given rows and in others, the floor beside them."""
        features: Features = self._features
        places = np.concatenate([np.arange(features.size[p]) + features.first[p] for p in parents])
        centre, mean = chance @ given, chance @ target
        scaled = (given - centre) * chance[:, None]
        moments = scaled.T @ (given - centre) + features.floor[np.ix_(places, places)]
        slopes = np.linalg.solve(moments, scaled.T @ (target - mean))
        return mean + (given - centre) @ slopes, mean + (here - centre) @ slopes
