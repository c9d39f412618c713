"""Training and test error of a fitted network, and criteria that estimate the test error from the training rows.

The error of a network fitted to rows is minus its log-likelihood per row: on new rows the test error (Steck & Jaakkola
2003, Eq. 8), on the training rows the training error (Eq. 9). Compared with the true network's, the first is larger and
the second smaller, each by about |theta| / 2N (Akaike 1973). The optimism, training minus test error, is about
-|theta| / N (Eq. 11); subtracted from the training error it gives the corrected error (Eq. 10). AIC subtracts
-|theta| / N, and leave-one-out cross-validation tends to AIC (Stone 1977).

The bootstrap estimates the optimism with the data in the place of the truth and resamples in the place of the data. The
criterion corrected by it is a relative of DIC (Spiegelhalter et al. 2002), with resamples in place of the posterior. No
resample is drawn: a count nu of a resample is Binomial(N, n / N), and a network's log-probabilities are
ln(nu_jk + a) - ln(nu_j + r a) with a = ess / (q r) prior counts, so that the optimism, times -N, is
sum_jk E (nu_jk - n_jk) ln(nu_jk + a) - sum_j E (nu_j - n_j) ln(nu_j + r a), a binomial sum per count. A cell that is
empty in the data is empty in every resample and adds nothing, although new rows may well fall there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import xlogy

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ess, RowCount, Samples, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, dag_of
from bnengine.networks.inference import junction_tree, summed_onto
from bnengine.networks.network import BayesianNetwork, configuration_numbers, log_probabilities
from bnengine.teaching.entropy_bias import binomial_means


@validated
def dic(data: Dataset, edges: Iterable[Edge]) -> float:
    """Return the deviance information criterion of a graph, with resamples in place of the posterior, nats.

    Halved and negated, DIC is the log-likelihood at an estimate less the effective number of parameters (Spiegelhalter
    et al. 2002). Here that number is the bootstrap's estimate of the optimism, over all rows and exact; what is left
    is -N times the corrected error (Steck & Jaakkola 2003, Eq. 10). With many rows DIC tends to AIC. Probabilities are
    means of a Dirichlet posterior of equivalent sample size 1. Equal for Markov-equivalent graphs.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)

    Returns
    -------
    float
        Nats; higher is better.

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> data = network.sample(5000, rng=1)
    >>> abs(bn.teaching.dic(data, network.edges) - bn.score(data, network.edges, bn.AIC())) < 2
    True
    """
    adjacency = dag_of(data.names, edges)
    parents = [np.flatnonzero(adjacency[:, v]).tolist() for v in range(data.n_variables)]
    fit, _, optimism = _sums(data, parents, 1.0)
    return float(fit - optimism)


def _sums(data: Dataset, parents: Sequence[Sequence[int]], ess: float) -> FloatArray:
    """Return the log-likelihood of the fitted graph, of each row left out in turn, and N times minus the optimism."""
    arities, total = data.arities.tolist(), np.zeros(3)
    for v, of in enumerate(parents):
        q = math.prod(arities[u] for u in of)
        for sign, members, prior in ((1, (*of, v), ess / (q * arities[v])), (-1, of, ess / q)):
            rows = np.unique(configuration_numbers(data.codes, members, arities), return_counts=True)[1]
            n, times = np.unique(rows, return_counts=True)
            optimism = binomial_means(_gained(prior), n / data.n_rows, data.n_rows)
            total += sign * np.array([n * np.log(n + prior), n * np.log(n - 1 + prior), optimism]) @ times
    return total


def _gained(prior: float) -> Callable[[IntArray, FloatArray], FloatArray]:
    """Return (nu - n) ln(nu + prior) as a function; since E nu = n, ln(n + prior) may be subtracted."""
    return lambda nu, n: np.asarray((nu - n) * np.log((nu + prior) / (n + prior)))


@dataclass(frozen=True, eq=False)
class LikelihoodGap:
    """Errors of the true graph fitted to samples of a network, at several sample sizes.

    Attributes
    ----------
    n_parameters : int
        |theta|.
    n_varying : int
        The free parameters left where the network has no impossible cells: only these are fitted to anything.
    samples : DataFrame
        One line per data set: n_rows, and in nats per row, each minus the true network's error on the same rows,
        ``training``, ``test`` (the exact expectation over new rows), and three estimates of it from the training rows:
        ``corrected`` by the bootstrap (Eq. 10; -DIC / N for an ess of 1), ``aic`` and ``leave_one_out``.
    status : {"converged", "stopped"}
    """

    n_parameters: int
    n_varying: int
    samples: pd.DataFrame = field(repr=False)
    status: str

    def table(self) -> pd.DataFrame:
        """Return one line per size: means over its data sets and their standard errors (``_se``), nats per row.

        ``optimism`` is training minus test (Eq. 11), ``estimated_optimism`` training minus corrected, and ``half``
        what theory gives on each side, n_varying / 2N.
        """
        samples = self.samples.assign(
            optimism=self.samples["training"] - self.samples["test"],
            estimated_optimism=self.samples["training"] - self.samples["corrected"],
        )
        groups = samples.groupby("n_rows")
        frame = groups.mean().join(groups.sem().add_suffix("_se")).reset_index()
        return frame.assign(half=self.n_varying / 2 / frame["n_rows"])


@validated
def likelihood_gap(
    truth: BayesianNetwork,
    sizes: Sequence[RowCount],
    n_samples: Samples = 20,
    ess: Ess = 1.0,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> LikelihoodGap:
    """Fit a network's graph to samples of the network, and compare the error on these rows with that on new ones.

    Parameters
    ----------
    truth : BayesianNetwork
    sizes : sequence of int
        Numbers of rows.
    n_samples : int
        Data sets of each size, at least 2.
    ess : float
        Equivalent sample size of the Dirichlet prior: without one a new row may have probability 0. Its effect vanishes
        faster than the optimism as N grows.
    rng : int, Generator or None, default 0; None draws anew at each call
    progress : callable, optional
        Called with (data sets done, all data sets); returning False stops and keeps what is done.

    Returns
    -------
    LikelihoodGap

    Raises
    ------
    ValueError
        If there are no sizes, or the network is too densely connected for exact inference.

    Examples
    --------
    >>> import bnengine as bn
    >>> line = bn.teaching.likelihood_gap(bn.load_network("survey"), [2000]).table().iloc[0]
    >>> bool(line["training"] < 0 < line["test"]), bool(abs(line["optimism"] * 2000 + 21) < 10)  # 21 parameters
    (True, True)
    """
    if not sizes:
        raise ValueError("sizes must hold at least one number of rows; got none")
    expected, lines = _joint_probabilities(truth), []
    generators = generator_of(rng).spawn(len(sizes) * n_samples)
    for number, generator in enumerate(generators):
        data = truth.sample(sizes[number // n_samples], generator)
        lines.append({"n_rows": data.n_rows, **_errors(truth, expected, data, ess)})
        if progress is not None and progress(number + 1, len(generators)) is False:
            break
    varying = sum(int(np.maximum((joint > 0).sum(axis=1) - 1, 0).sum()) for joint in expected)
    status = "converged" if len(lines) == len(generators) else "stopped"
    return LikelihoodGap(truth.n_parameters, varying, pd.DataFrame(lines), status)


def _joint_probabilities(truth: BayesianNetwork) -> list[FloatArray]:
    """Return the joint distribution of each variable and its parents, in the shape of its table, (q, r)."""
    tree = junction_tree(truth)
    beliefs, joint = list(zip(tree.cliques, tree.beliefs({})[0], strict=True)), []
    for v, (parents, table) in enumerate(zip(truth.parents, truth.tables, strict=True)):
        family = (*parents, v)
        clique, belief = next(one for one in beliefs if set(family) <= set(one[0]))
        joint.append(summed_onto(belief, clique, family).reshape(table.shape))
    return joint


def _errors(truth: BayesianNetwork, expected: Sequence[FloatArray], data: Dataset, ess: float) -> dict[str, float]:
    """Return the errors on one data set, minus the true network's on the same rows, nats per row."""
    n, arities, test = data.n_rows, data.arities.tolist(), 0.0
    for v, (parents, table, joint) in enumerate(zip(truth.parents, truth.tables, expected, strict=True)):
        cells = configuration_numbers(data.codes, (*parents, v), arities)
        filled = np.bincount(cells, minlength=table.size).reshape(table.shape) + ess / table.size
        test += float(xlogy(joint, table * filled.sum(axis=1, keepdims=True) / filled).sum())
    fit, left_out, optimism = _sums(data, truth.parents, ess).tolist()
    true = float(log_probabilities(truth, data).sum())
    training = (true - fit) / n
    estimates = {"corrected": training + optimism / n, "aic": training + truth.n_parameters / n}
    return {"training": training, "test": test, **estimates, "leave_one_out": (true - left_out) / n}
