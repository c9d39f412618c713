"""The posterior-predictive bootstrap: each sample from another network that the data leave possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from bnengine._core.arrays import BoolArray
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.settings import Kind, Number, Whole, field, setting
from bnengine._core.validation import validated
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resamplers import Replicate, Resampler, SimpleResampler, replicates_of
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import is_dag
from bnengine.networks.posterior_draw import PosteriorDrawing


@dataclass(frozen=True, eq=False, repr=False)
class Graphs(ReadOnlyArrays):
    """Several DAGs over the same variables.

    Attributes
    ----------
    adjacencies : ndarray of bool, shape (m, V, V), [graph, parent, child]
    names : tuple of str, optional
        None for the columns of whatever data they are used with.
    """

    adjacencies: BoolArray
    names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"<{len(self.adjacencies):,} graphs>"

    def over(self, data: Dataset) -> BoolArray:
        """The graphs over the data's columns; a ValueError if the variables differ."""
        v = data.n_variables
        if self.names is None:
            if self.adjacencies.shape[1] != v:
                raise ValueError(f"graphs must have shape (m, {v}, {v}) for these data; got {self.adjacencies.shape}")
            return self.adjacencies
        if sorted(self.names) != sorted(data.names):
            other = sorted(set(self.names) ^ set(data.names))[0]
            raise ValueError(f"graphs must be over the data's variables; '{other}' is in one of them only")
        columns = np.array([self.names.index(name) for name in data.names])
        return self.adjacencies if self.names == data.names else self.adjacencies[:, columns[:, None], columns]


def graphs_of(value: Any) -> Graphs | None:
    """Graphs given as an ensemble or an array; a ValueError says what is wrong with them."""
    if value is None or isinstance(value, Graphs):
        return value
    if isinstance(value, Ensemble):
        if not value.n_graphs:
            raise ValueError("graphs must be at least one graph; this ensemble was stopped before the first")
        return Graphs(value.adjacencies, value.names)
    try:
        given = np.array(value)
    except Exception:  # whatever an object does that has to be an array
        given = np.array(None)
    if given.ndim != 3 or given.shape[1] != given.shape[2] or not given.size or given.dtype.kind not in "biu":
        raise ValueError(
            "graphs must be an Ensemble, or an array of DAGs of shape (m, V, V), [graph, parent, child]; got an array "
            f"of shape {given.shape} and type {given.dtype}"
        )
    cyclic = next((m for m, one in enumerate(given) if not is_dag(one != 0)), None)
    if cyclic is not None:
        raise ValueError(f"graphs must be acyclic; graph {cyclic} has a directed cycle")
    return Graphs(given != 0)


@setting(tag="predictive", label="Predictive bootstrap")
class PredictiveBootstrap(SimpleResampler):
    """``n`` samples of N rows, each from a network of its own that the data leave possible.

    For replicate b, G_b is the b-th of ``graphs``, theta_b is drawn from the posterior of its probabilities,
    Dirichlet(n_ijk + ess / (q r)), and N rows are drawn from (G_b, theta_b). The share of the samples from which an
    edge is learned approximates the posterior mean of its inclusion probability, E[pi | data]: that of fresh tables,
    averaged over the networks that may have generated these data (Rubin 1984; Gelman, Meng & Stern 1996, on posterior
    predictive replications). With one graph and its probabilities fixed it is ``ParametricBootstrap``.

    The b-th sample is drawn from a child of the b-th generator, since the b-th graph of an ensemble with the same seed
    was learned from rows that were drawn with that generator.
    """

    n: Whole = replicates_of()
    graphs: Annotated[Any, BeforeValidator(graphs_of), Kind("graphs", "an ensemble, or an array of graphs")] = field(
        default=None,
        none="as many graphs as replicates, learned from resamples with the leading correction",
        label="Graphs",
        help="An ensemble, or an array of DAGs of shape (m, V, V), such as draws from a posterior; taken in turn.",
    )
    ess: Number = field(
        default=1.0,
        gt=0,
        le=1e6,
        label="Equivalent sample size",
        unit="rows",
        help="Of the prior of the probabilities.",
    )

    @validated
    def check(self, data: Dataset) -> None:
        """Raise a ValueError unless the graphs are over the data's variables."""
        if self.graphs is not None:
            self.graphs.over(data)

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        if self.graphs is None:
            raise ValueError("graphs must be given to draw from; resample learns them from resamples")
        graphs = self.graphs.over(data)
        drawing = PosteriorDrawing(data, self.ess)
        (own,) = rng.spawn(1)
        drawn = drawing.posterior_rows(graphs[number % len(graphs)], data.n_rows, own)
        return Replicate(drawn.multiplicities.astype(np.int32), 1, drawn)


def n_graphs_learned(resampler: Resampler, data: Dataset) -> int:
    """The number of graphs that a method learns, with those that it draws from."""
    return resampler.n_replicates(data) * (1 + learns_graphs_first(resampler))


def learns_graphs_first(resampler: Resampler) -> bool:
    """Whether the graphs to draw from are still to be learned, as many as replicates."""
    return isinstance(resampler, PredictiveBootstrap) and resampler.graphs is None
