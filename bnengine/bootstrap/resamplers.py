"""Resampling: which rows a replicate consists of, as row weights. No row of the data is ever copied.

Each replicate has a random generator of its own, spawned from the seed by the replicate's number, so that a
replicate is the same whichever worker learns from it and however many there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bnengine._core.random_generators import Seed, generator_of
from bnengine.data.dataset import Dataset
from bnengine.networks.network import BayesianNetwork


class Replicate(NamedTuple):
    """One resample: how often each distinct row of the data occurs, and for how many equal replicates it stands.

    The weights are whole numbers of 0 or more; they may add up to fewer or more rows than the data have. Rows that are
    not the data's come as a data set of their own.
    """

    weights: npt.NDArray[np.int32]  # (D,)
    multiplicity: int
    data: Dataset | None = None


@runtime_checkable
class Resampler(Protocol):
    """What the engine asks of a resampling method."""

    @property
    def name(self) -> str:
        """How the method is called in tables and pictures."""

    def n_replicates(self, data: Dataset) -> int:
        """How many replicates have to be learned from."""

    def check(self, data: Dataset) -> None:
        """A ValueError says why the method cannot be applied to these data."""

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        """The replicate of that number."""


@dataclass(frozen=True)
class Bootstrap:
    """``n`` samples drawn with replacement from the data (Efron 1979).

    Parameters
    ----------
    n : int
    size : int, optional
        Rows of each sample, fewer or more than the data have; None takes their number N. With m < N rows it is the
        m-out-of-n bootstrap (Bickel, Götze & van Zwet 1997).
    """

    n: int = 200
    size: int | None = None

    def __post_init__(self) -> None:
        _at_least_one("n", self.n)
        if self.size is not None:
            _at_least_one("size", self.size)

    @property
    def name(self) -> str:
        return "bootstrap" if self.size is None else f"bootstrap, {self.size:,} rows"

    def n_replicates(self, data: Dataset) -> int:
        return self.n

    def check(self, data: Dataset) -> None:
        """Any data will do."""

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        rows = rng.integers(0, data.n_rows, data.n_rows if self.size is None else self.size)
        return Replicate(_weights(data, rows), 1)


@dataclass(frozen=True)
class ParametricBootstrap:
    """``n`` samples of N rows each, drawn from a network (Efron & Tibshirani 1993, Sec. 6.5).

    Parameters
    ----------
    n : int
    network : BayesianNetwork, optional
        Over the data's variables and states at least. None takes the data's own graph with maximum-likelihood
        probabilities.
    """

    n: int = 200
    network: BayesianNetwork | None = None

    def __post_init__(self) -> None:
        _at_least_one("n", self.n)

    @property
    def name(self) -> str:
        return "parametric bootstrap"

    def n_replicates(self, data: Dataset) -> int:
        return self.n

    def check(self, data: Dataset) -> None:
        """The network must know the data's variables, with the same states."""
        if self.network is not None:
            self.network.check_states(data)

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        if self.network is None:
            raise ValueError("a network to draw from is needed; resample fits one to the data's own graph")
        drawn = self.network.by_name.sample(data.n_rows, rng).like(data)
        return Replicate(drawn.multiplicities.astype(np.int32), 1, drawn)


@dataclass(frozen=True)
class RepeatedSearch:
    """The given data ``n`` times: what varies is the search alone.

    A random search ends at a local optimum of its own each time; the ensemble of them is the reference of Steck &
    Jaakkola's second experiment (2003).
    """

    n: int = 200

    def __post_init__(self) -> None:
        _at_least_one("n", self.n)

    @property
    def name(self) -> str:
        return "given data"

    def n_replicates(self, data: Dataset) -> int:
        return self.n

    def check(self, data: Dataset) -> None:
        """Any data will do."""

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        return Replicate(data.multiplicities.astype(np.int32), 1)


@dataclass(frozen=True)
class Jackknife:
    """Delete-1 jackknife: the data without each row in turn.

    Equal rows give equal replicates, so only the distinct rows are learned from, each standing for as many
    replicates as it has copies.
    """

    @property
    def name(self) -> str:
        return "jackknife, delete 1"

    def n_replicates(self, data: Dataset) -> int:
        return int(data.multiplicities.size)

    def check(self, data: Dataset) -> None:
        if data.n_rows < 2:
            raise ValueError("the jackknife needs at least two rows")

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        weights = data.multiplicities.astype(np.int32)
        multiplicity = int(weights[number])
        weights[number] -= 1
        return Replicate(weights, multiplicity)


@dataclass(frozen=True)
class DeleteD:
    """Delete-d jackknife: ``n`` times the data without ``d`` rows drawn at random (Shao & Wu 1989).

    Parameters
    ----------
    d : int, optional
        Rows left out, at least 1 and fewer than N; None takes a tenth of them. It should be well above the square
        root of N and well below N.
    n : int
    """

    d: int | None = None
    n: int = 200

    def __post_init__(self) -> None:
        _at_least_one("n", self.n)
        if self.d is not None:
            _at_least_one("d", self.d)

    @property
    def name(self) -> str:
        return "jackknife, delete d" if self.d is None else f"jackknife, delete {self.d}"

    def rows_left_out(self, data: Dataset) -> int:
        """D for these data."""
        return max(1, data.n_rows // 10) if self.d is None else self.d

    def advice(self, data: Dataset) -> str | None:
        """A sentence if d lies outside sqrt(N) < d < N / 2, where the method's theory holds; else None."""
        d, root = self.rows_left_out(data), math.sqrt(data.n_rows)
        if root < d <= data.n_rows / 2:
            return None
        return (
            f"d = {d} lies outside √N < d ≪ N (√N = {root:.3g}, N = {data.n_rows:,}): with fewer rows left out the "
            "replicates are too much alike for a quantity that jumps, such as an edge; with more they are too small."
        )

    def n_replicates(self, data: Dataset) -> int:
        return self.n

    def check(self, data: Dataset) -> None:
        if self.rows_left_out(data) >= data.n_rows:
            raise ValueError(
                f"d must be smaller than the number of rows, {data.n_rows}; got {self.rows_left_out(data)}"
            )

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        left_out = rng.choice(data.n_rows, self.rows_left_out(data), replace=False)
        return Replicate(data.multiplicities.astype(np.int32) - _weights(data, left_out), 1)


def replicate_generators(rng: Seed, n: int) -> list[np.random.Generator]:
    """One independent generator a replicate; the first ones do not depend on how many there are."""
    return generator_of(rng).spawn(n)


def replicates(data: Dataset, resampler: Resampler, rng: Seed = 0) -> Iterator[Replicate]:
    """All replicates of a method on the data, in order."""
    resampler.check(data)
    generators = replicate_generators(rng, resampler.n_replicates(data))
    return (resampler.replicate(data, number, generator) for number, generator in enumerate(generators))


def checked_replicate(replicate: Replicate, data: Dataset) -> Replicate:
    """The replicate, if a search may learn from it; a ValueError says what is wrong with one of somebody's own making.

    The weights are checked where they are used (``LocalScores.reweigh``).
    """
    if not isinstance(replicate.multiplicity, int | np.integer) or replicate.multiplicity < 1:
        raise ValueError(
            f"a replicate's multiplicity must be a whole number of 1 or more; got {replicate.multiplicity!r}"
        )
    other = replicate.data
    if other is not None and (other.names, other.states) != (data.names, data.states):
        raise ValueError(
            "a replicate's data must have the variables and states of the given data, in the same order; "
            "Dataset.like puts them so"
        )
    return replicate


def _weights(data: Dataset, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    counts = np.bincount(data.distinct_row_of[rows], minlength=data.multiplicities.size)
    return counts.astype(np.int32)


def _at_least_one(what: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{what} must be a whole number, 1 or more; got {value!r}")
    if value < 1:
        raise ValueError(f"{what} must be 1 or more; got {value}")
