"""Simulated worlds: networks drawn from the posterior, what bootstraps say of them, and the regression on it."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, Int32Array, UInt8Array
from bnengine._core.parallel import Flag, Progress, Step, run
from bnengine.bootstrap.ensemble import Ensemble, combined_status, confidence_of, possible_edges, presence_of
from bnengine.bootstrap.resamplers import Bootstrap, replicate_generators
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.networks._families import Families, accumulate
from bnengine.networks.inference import PosteriorDrawing
from bnengine.scores.correction import corrected
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from bnengine.search.learning import Columns

#: What a world is asked for, by name; see ``Recalibration.worlds``.
QUANTITIES = ("naive", "leading", "learned", "inclusion_probability", "truth")


@dataclass(frozen=True)
class World:
    """A network, and one table of as many rows as the data have, drawn from it.

    Attributes
    ----------
    families, cumulative
        Its probabilities, as ``PosteriorDrawing`` draws rows with them.
    """

    families: Families
    cumulative: FloatArray
    table: Dataset


def draw_world(drawing: PosteriorDrawing, adjacency: Adjacency, n_rows: int, rng: np.random.Generator) -> World:
    """Draw a world with the given graph: probabilities from their posterior, then a table."""
    families, probabilities = drawing.tables(adjacency, rng)
    cumulative = accumulate(probabilities, families.arities, families.first_cell)
    return World(families, cumulative, drawing.rows(families, cumulative, n_rows, rng))


@dataclass(frozen=True)
class Learning:
    """How graphs are learned in every world: as from the data."""

    score: TableScore
    search: Search
    space: SearchSpace
    ties: str


#: What a worker makes of one piece of work: the number of the piece, packed graphs, statuses.
Piece = tuple[int, list[UInt8Array], list[str]]


@dataclass(frozen=True)
class _Work:
    """Everything a worker needs; picklable. A world is ``1 + n_replicates + n_fresh`` pieces of work, in this order."""

    drawing: PosteriorDrawing
    graphs: BoolArray  # (m, V, V), taken in turn
    generators: Sequence[np.random.Generator]  # of each world's network and table
    n_rows: int
    learning: Learning
    n_replicates: int
    n_fresh: int

    @property
    def n_pieces(self) -> int:
        """Pieces of one world."""
        return 1 + self.n_replicates + self.n_fresh

    def world(self, number: int) -> World:
        """Return the world of that number: workers draw it anew, which takes less time than learning one graph."""
        generator = copy.deepcopy(self.generators[number])
        return draw_world(self.drawing, self.graphs[number % len(self.graphs)], self.n_rows, generator)

    def prepared(self, stop: Flag | None = None) -> Step[Piece]:
        """Return the function that does one piece of work."""
        how, present = self.learning, -1
        scores = [LocalScores(self.drawing.data, score, stop) for score in (how.score, corrected(how.score))]
        columns = Columns(self.drawing.data.names, how.space, how.ties)
        world: World

        def done(number: int, generator: np.random.Generator) -> Piece | None:
            nonlocal present, world, scores
            if number // self.n_pieces != present:
                present = number // self.n_pieces
                world = self.world(present)
                scores = [each.with_rows_of(world.table) for each in scores]
            weights, used = self._sample(number % self.n_pieces, world, scores, generator)
            order = columns.order(generator)
            graphs, statuses = [], []
            for each in used:
                each.reweigh(weights, order)
                found = columns.find(how.search, each, order, generator)
                graphs.append(np.packbits(found.adjacency))
                statuses.append(found.status)
            return None if scores[0].stopped else (number, graphs, statuses)

        return done

    def _sample(
        self, piece: int, world: World, scores: list[LocalScores], rng: np.random.Generator
    ) -> tuple[Int32Array, list[LocalScores]]:
        """Return the row weights of a piece, and the scores to learn with: both of them from a resample."""
        if piece == 0:
            return world.table.multiplicities.astype(np.int32), scores[:1]
        if piece <= self.n_replicates:
            return Bootstrap(1).replicate(world.table, 0, rng).weights, scores
        rows = self.drawing.rows(world.families, world.cumulative, self.n_rows, rng)
        scores[0] = scores[0].with_rows_of(rows)
        return rows.multiplicities.astype(np.int32), scores[:1]


def quantities_of_worlds(
    drawing: PosteriorDrawing,
    graphs: BoolArray,
    learning: Learning,
    numbers: tuple[int, int, int],
    pattern: Ensemble,
    kind: str,
    rng: np.random.Generator,
    executor: Executor | None,
    progress: Progress | None,
) -> tuple[dict[str, FloatArray], str]:
    """Draw worlds and learn in each as from the data; return ``QUANTITIES`` of shape (worlds, P), and the status.

    Parameters
    ----------
    drawing : PosteriorDrawing
    graphs : ndarray of bool, shape (m, V, V)
        Of the worlds, taken in turn.
    learning : Learning
    numbers : tuple of int
        Of worlds, of replicates of each bootstrap, of fresh tables.
    pattern : Ensemble
        Of the data; each table has as many rows, and a world's ensembles are made like it.
    kind : {"directed", "adjacency", "compelled"}
    rng, executor, progress
        A stopped run gives the worlds that were finished.
    """
    n_worlds, n_replicates, n_fresh = numbers
    generators = replicate_generators(rng, n_worlds)
    work = _Work(drawing, graphs, generators, pattern.n_rows, learning, n_replicates, n_fresh)
    pieces = [child for own in generators for child in own.spawn(work.n_pieces)]
    done, stopped = run(work.prepared, pieces, executor, progress)
    of_world: list[list[Piece]] = [[] for _ in generators]
    for piece in done:
        of_world[piece[0] // work.n_pieces].append(piece)
    rows = [
        _quantities(graphs[w % len(graphs)], made, n_replicates, pattern, kind)
        for w, made in enumerate(of_world)
        if len(made) == work.n_pieces
    ]
    n_possible = possible_edges(np.zeros((graphs.shape[1],) * 2), kind).size
    found = {name: np.array([row[name] for row in rows]).reshape(len(rows), n_possible) for name in QUANTITIES}
    statuses = [status for _, _, each in done for status in each]
    return found, combined_status([*statuses, *["stopped"] * stopped])


def _quantities(
    adjacency: Adjacency, made: list[Piece], n_replicates: int, pattern: Ensemble, kind: str
) -> dict[str, FloatArray]:
    """Return the quantities of one world over the possible edges."""
    learned, resampled, fresh = made[0][1], made[1 : 1 + n_replicates], made[1 + n_replicates :]
    graphs = {
        "learned": learned,
        "naive": [each[0] for _, each, _ in resampled],
        "leading": [each[1] for _, each, _ in resampled],
        "inclusion_probability": [each[0] for _, each, _ in fresh],
    }
    found = {name: _share(pattern, each, kind) for name, each in graphs.items()}
    return {**found, "truth": possible_edges(presence_of(adjacency, kind), kind).astype(np.float64)}


def _share(pattern: Ensemble, packed: list[UInt8Array], kind: str) -> FloatArray:
    """Return the share of the graphs with each possible edge."""
    times = np.ones(len(packed), dtype=np.int64)
    ensemble = dataclasses.replace(pattern, packed_graphs=np.array(packed), multiplicities=times)
    return possible_edges(confidence_of(ensemble, kind), kind)


# Regression of a world's truth, or of its inclusion probabilities, on what bootstraps say of each pair.

#: Predicts from features, shape (n, 3), values between 0 and 1, shape (n,).
Prediction = Callable[[FloatArray], FloatArray]

METHODS = ("isotonic", "logistic")


def features(naive: FloatArray, leading: FloatArray, learned: FloatArray, n_replicates: int) -> FloatArray:
    """Return the regression's features of each pair, (n, 3): logit naive, logit leading, in the learned graph.

    Half a replicate is added to either side, so that shares of 0 and 1 have finite logits.
    """
    return np.column_stack([_logit(naive, n_replicates), _logit(leading, n_replicates), learned.ravel()])


def _logit(share: FloatArray, n: int) -> FloatArray:
    shrunk = (share.ravel() * n + 0.5) / (n + 1)
    return np.log(shrunk / (1 - shrunk))


def fitted(known: FloatArray, target: FloatArray, method: str) -> Prediction:
    """Fit a regression of a target between 0 and 1, shape (n,), on features, shape (n, 3).

    ``"logistic"`` is a ridge logistic regression. ``"isotonic"`` is the nondecreasing function of its linear predictor
    that is nearest to the target in least squares (Zadrozny & Elkan 2002).
    Of n pairs none may be true, or all: no prediction is below 1 / (2n + 2) or as near to 1.
    """
    cells, which = np.unique(known, axis=0, return_inverse=True)
    total = np.bincount(which.ravel()).astype(np.float64)
    ones = np.bincount(which.ravel(), weights=target).astype(np.float64)
    least = 0.5 / (total.sum() + 1)
    if not 0 < ones.sum() < total.sum():
        constant = 1 - least if ones.sum() else least
        return lambda asked: np.full(len(asked), constant)
    from scipy.special import expit

    coefficients = _ridge_logistic(cells, ones, total)
    if method == "logistic":
        return lambda asked: expit(_linear(asked, coefficients))
    places, heights = _isotonic(_linear(cells, coefficients), ones, total)
    return lambda asked: np.interp(_linear(asked, coefficients), places, np.clip(heights, least, 1 - least))


def _linear(known: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Return the linear predictor, without the last digits, so that equal features give equal values."""
    return np.asarray(np.round(known @ coefficients[1:] + coefficients[0], 10))


def _ridge_logistic(cells: FloatArray, ones: FloatArray, total: FloatArray) -> FloatArray:
    """Return the intercept and slopes that maximize the likelihood of weighted cells less half the slopes' squares."""
    from scipy.optimize import minimize
    from scipy.special import expit

    design = np.column_stack([np.ones(len(cells)), cells])
    ridge = np.ones(design.shape[1])
    ridge[0] = 0.0

    def loss(b: FloatArray) -> float:
        linear = design @ b
        return float(total @ np.logaddexp(0, linear) - ones @ linear + ridge @ b**2 / 2)

    def slope(b: FloatArray) -> FloatArray:
        return np.asarray(design.T @ (total * expit(design @ b) - ones) + ridge * b)

    def curvature(b: FloatArray) -> FloatArray:
        p = expit(design @ b)
        return np.asarray((design.T * (total * p * (1 - p))) @ design + np.diag(ridge))

    return np.asarray(
        minimize(loss, np.zeros(len(ridge)), jac=slope, hess=curvature, method="trust-exact", options={"gtol": 1e-10}).x
    )


def _isotonic(linear: FloatArray, ones: FloatArray, total: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit the nondecreasing function nearest to the shares; return its places, increasing, and its heights."""
    from scipy.optimize import isotonic_regression

    places, which = np.unique(linear, return_inverse=True)
    weights = np.bincount(which, weights=total)
    shares = np.bincount(which, weights=ones) / weights
    return places, isotonic_regression(shares, weights=weights).x
