"""Model averaging: predictions by all graphs drawn from a posterior, not by the best one alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, ReadOnlyArrays
from bnengine._core.validation import Ess, Samples, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import edges_of
from bnengine.networks.inference import EvidenceError, Posteriors, posteriors
from bnengine.networks.network import BayesianNetwork, fit, log_probabilities


@validated
def averaged(data: Dataset, graphs: BoolArray, ess: Ess = 1.0, n_networks: Samples = 50) -> NetworkMixture:
    """Average networks over graphs drawn from a posterior: P(x | D) = sum over G of P(x | D, G) P(G | D).

    P(x | D, G) is the network that is fitted to the data with the prior counts of BDeu(``ess``), whose posterior mean
    it is (Cooper & Herskovits 1992, Eq. 19; Madigan & Raftery 1994). With graphs drawn from the posterior under that
    score, the sum has the same prior throughout, and a share of m draws stands for P(G | D).

    Parameters
    ----------
    data : Dataset
        The rows that the graphs were learned from.
    graphs : ndarray of bool, shape (m, V, V)
        Adjacency matrices ``[parent, child]``, such as ``EdgePosterior.graphs()``; equal ones are fitted once.
    ess : float
        Equivalent sample size of the Dirichlet prior of each network's tables.
    n_networks : int
        Where more graphs than this are different, so many evenly spaced draws stand for all: a mean over them is off by
        about ``n_networks ** -0.5`` of what single networks differ in.

    Returns
    -------
    NetworkMixture

    Raises
    ------
    ValueError
        If there is no graph, or they have another shape.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(200, rng=1)
    >>> found = bn.edge_posterior(data, bn.BDeu(1.0))
    >>> mixture = bn.prediction.averaged(data, found.graphs(), ess=1.0)
    >>> bn.prediction.predict(mixture, data, "Xray").shape
    (200, 2)
    """
    shape = (data.n_variables, data.n_variables)
    if graphs.ndim != 3 or graphs.shape[1:] != shape or not len(graphs):
        raise ValueError(f"graphs must have shape (m, {shape[0]}, {shape[1]}) with m of 1 or more; got {graphs.shape}")
    rows = graphs.reshape(len(graphs), -1)
    if len(np.unique(rows, axis=0)) > n_networks:
        rows = rows[np.linspace(0, len(rows) - 1, n_networks).astype(int)]
    distinct, times = np.unique(rows, axis=0, return_counts=True)
    networks = tuple(fit(data, edges_of(data.names, graph.reshape(shape)), ess) for graph in distinct)
    return NetworkMixture(networks, times / len(rows))


@dataclass(frozen=True, eq=False)
class NetworkMixture(ReadOnlyArrays):
    """Networks over the same variables, each with a weight.

    Attributes
    ----------
    networks : tuple of BayesianNetwork
    weights : ndarray of float, shape (k,), read-only
        Their probabilities, which sum to 1.
    """

    networks: tuple[BayesianNetwork, ...] = field(repr=False)
    weights: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.networks[0].names

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The states of each variable."""
        return self.networks[0].states

    @validated
    def log_probabilities(self, data: Dataset) -> FloatArray:
        """Return the natural logarithm of each row's joint probability, averaged over the networks; shape (N,)."""
        return self.mean_of_logs(np.array([log_probabilities(network, data) for network in self.networks]))

    def mean_of_logs(self, logs: FloatArray) -> FloatArray:
        """Return the log of the weighted mean of numbers whose logs are given, one network along the first axis."""
        from scipy.special import logsumexp

        weights = self.weights.reshape(-1, *[1] * (logs.ndim - 1))
        return np.asarray(logsumexp(logs, axis=0, b=weights))

    @validated
    def posteriors(self, evidence: Mapping[str, str] | None = None) -> Posteriors:
        """Return the distribution of every variable given evidence, as ``bn.prediction.posteriors`` of one network.

        Each network counts by its weight times the probability that it gives the evidence. An EvidenceError if none
        gives it any.
        """
        found, problem = [], None
        for network, weight in zip(self.networks, self.weights, strict=True):
            try:
                one = posteriors(network, evidence)
            except EvidenceError as error:
                problem = error
                continue
            found.append((np.log(weight) + one.log_evidence, one))
        if not found:
            raise problem or EvidenceError("the evidence has probability 0")
        log_evidence = float(np.logaddexp.reduce([log for log, _ in found]))
        shares = np.exp([log - log_evidence for log, _ in found])
        each = zip(*(one.probabilities for _, one in found), strict=True)
        means = tuple(np.tensordot(shares, np.array(one), 1) for one in each)
        return Posteriors(self.names, self.states, dict(evidence or {}), means, log_evidence)
