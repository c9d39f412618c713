"""Strength and sign of an edge with a number at one end or both: a slope, a curve, or a difference of means."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine.data.blocks import features_of
from bnengine.data.checked_frame import DataError, Values
from bnengine.data.dataset import Dataset


class NumberEffect(NamedTuple):
    """What ``EdgeEffect`` has of such an edge."""

    measure: str
    value: float
    interval: tuple[float, float]
    groups: tuple[str, ...]
    scale: float  # one unit of ``value`` in standard deviations of the number
    step: float = 0.0  # of a slope: a round number of the parent's unit
    per_step: float = 0.0  # what a slope of 1 is for that step, in the child's unit


def effect_of_numbers(
    data: Dataset, parent: int, child: int, given: Sequence[int], level: float, n: int, rng: np.random.Generator
) -> NumberEffect:
    """Measure an edge of complete data with numbers, beside linear effects of the given variables.

    Of two numbers it is the slope of the child's normal scores on the parent's, in standard deviations, or the
    coefficient of (z² - 1) / √2 of one's score z where that is larger and surely not 0: the other is high, or low, at
    both its ends, whichever of them is the parent. Of a number and states it is the difference of the number's means,
    in its own unit, between the two states that differ most clearly, in whichever direction the edge points. Intervals
    are value ± quantile × the standard deviation in resamples, at a level that holds for all these numbers at once
    (Šidák 1967).
    """
    times = weights_for(data, child)
    codes, both = data.distinct_codes, [isinstance(data.states[v], Values) for v in (parent, child)]
    features = features_of(data, 1)
    beside = [np.arange(features.size[v]) + features.first[v] for v in given]
    columns = features.rows[:, np.concatenate([np.zeros(0, dtype=np.int64), *beside])]
    order, drawn = data.distinct_rows_in_order, np.empty((n, len(times)), dtype=np.int64)
    drawn[:, order] = rng.multinomial(round(times.sum()), times[order] / times.sum(), size=n)
    weights = np.vstack([times, drawn])
    if all(both):
        squared = features_of(data, 2)
        ends = [squared.rows[:, squared.first[v] : squared.first[v] + 2] for v in (parent, child)]
        found = coefficients(ends[0], columns, ends[1][:, 0], weights)
        turned = coefficients(ends[1], columns, ends[0][:, 0], weights)[:, 1:]
        slope, *curves = _with_intervals(np.hstack([found, turned]), level, 3)
        names = data.names[child], data.names[parent]
        for (value, interval), of in sorted(
            zip(curves, (names, names[::-1]), strict=True), key=lambda one: -abs(one[0][0])
        ):
            if abs(value) > abs(slope[0]) and not interval[0] <= 0 <= interval[1]:
                return NumberEffect("curve", value, interval, of, 1.0)
        return NumberEffect("slope", *slope, (), 1.0, *_step(data, parent, child, times))
    number, other = (parent, child) if both[0] else (child, parent)
    values = Values(data.states[number]).numbers[codes[number]]
    states = np.flatnonzero(np.bincount(codes[other], times) > 0)
    if len(states) < 2:
        raise DataError(f"'{data.names[other]}' has one state only in the rows that count; no means can be compared")
    indicators = (codes[other][:, None] == states[1:]).astype(np.float64)
    of_state = np.hstack([np.zeros((n + 1, 1)), coefficients(indicators, columns, values, weights)])
    pairs = list(itertools.combinations(range(len(states)), 2))
    differences = np.stack([of_state[:, b] - of_state[:, a] for a, b in pairs], axis=1)
    clear = np.abs(differences[0]) / np.maximum(differences[1:].std(axis=0), 1e-300)
    value, interval = _with_intervals(differences, level, len(pairs))[best := int(clear.argmax())]
    high, low = pairs[best][::-1] if value > 0 else pairs[best]
    if value < 0:
        value, interval = -value, (-interval[1], -interval[0])
    spread = math.sqrt(float(np.average((values - np.average(values, weights=times)) ** 2, weights=times)))
    groups = tuple(data.states[other][int(states[k])] for k in (high, low))
    return NumberEffect("means", value, interval, groups, 1.0 / spread if spread else 1.0)


def _step(data: Dataset, parent: int, child: int, times: FloatArray) -> tuple[float, float]:
    """Return a round number near one standard deviation of the parent, and what a slope of 1 is then for the child.

    As in the middle of both, from the values whose normal scores are -½ and ½; zeros where these are equal.
    """
    widths = []
    for v in (parent, child):
        values, share = Values(data.states[v]).numbers, np.bincount(data.distinct_codes[v], times, len(data.states[v]))
        middle = (share.cumsum() - share / 2) / share.sum()
        low, high = np.interp([NormalDist().cdf(-0.5), NormalDist().cdf(0.5)], middle, values)
        widths.append(float(high - low))
    if min(widths) <= 0:
        return 0.0, 0.0
    power = 10.0 ** math.floor(math.log10(widths[0]))
    step = min((power * times for times in (1, 2, 5, 10)), key=lambda one: abs(math.log(one / widths[0])))
    return step, step * widths[1] / widths[0]


def weights_for(data: Dataset, child: int) -> FloatArray:
    """Return how many rows each distinct one is worth for a child's family; 0 where an experiment set the child."""
    times = data.multiplicities * data.worth
    if data.experiments is not None:
        times = times * data.experiments.counts_for([data.names[child]])[0][data.experiment_of_distinct]
    return np.asarray(times, dtype=np.float64)


def coefficients(own: FloatArray, beside: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the coefficients of ``own`` columns beside others in regressions with each of the weights, (n + 1, k)."""
    design = np.hstack([own, beside, np.ones((len(own), 1))])
    least = 1e-9 * np.eye(design.shape[1])
    return np.array([
        np.linalg.solve((scaled := design.T * (one / one.sum())) @ design + least, scaled @ target)[: own.shape[1]]
        for one in weights
    ])  # fmt: skip


def _with_intervals(found: FloatArray, level: float, among: int) -> list[tuple[float, tuple[float, float]]]:
    """Return the values of the data, in the first row, with intervals from the spread in the others."""
    reach = NormalDist().inv_cdf((1 + level ** (1 / among)) / 2) * found[1:].std(axis=0, ddof=1)
    return [(float(v), (float(v - r), float(v + r))) for v, r in zip(found[0], reach, strict=True)]
