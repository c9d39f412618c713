"""Overfitting: the fit to training and to new rows, and the bootstrap's estimate of the gap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ess, Repeats, RowCount, Samples, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, dag_of
from bnengine.networks.inference import family_marginals
from bnengine.networks.network import BayesianNetwork, configuration_numbers
from bnengine.teaching.entropy_bias import binomial_means

# Training and test log-likelihood of a fitted network, their difference, and its bootstrap estimate.
#
# Fitted to N rows by maximum likelihood, a network with |theta| free parameters fits these rows better than the true
# parameters do, by |theta| / (2 N) nats per row, and new rows worse, by the same amount (Akaike 1973; Steck &
# Jaakkola 2003, Sec. 4). AIC, which estimates the fit to new rows, subtracts both: |theta| in total. The bootstrap's
# bias correction, which estimates the fit of the data to themselves, subtracts one: |theta| / 2.


class _Cells:
    """The cells of all probability tables of a network as one vector, and a data set's counts in them."""

    def __init__(self, network: BayesianNetwork) -> None:
        self.network = network
        self.arities = arities = [len(states) for states in network.states]
        self.starts = np.concatenate([[0], np.cumsum([table.size for table in network.tables])])
        self.n_cells = int(self.starts[-1])
        n_configurations = [len(table) for table in network.tables]
        self.configuration = np.concatenate([[0], np.cumsum(np.repeat(arities, n_configurations))[:-1]])
        self.arity = np.repeat(arities, n_configurations)  # of the child, one per parent configuration
        self.prior = np.repeat([1 / table.size for table in network.tables], [t.size for t in network.tables])

    def of_rows(self, data: Dataset) -> IntArray:
        """Return the cell that each row falls in, for each family. Shape (N, V)."""
        cells = np.empty((data.n_rows, data.n_variables), dtype=np.int64)
        for v, parents in enumerate(self.network.parents):
            cells[:, v] = self.starts[v] + configuration_numbers(data.codes, (*parents, v), self.arities)
        return cells

    def log_probabilities(self, counts: FloatArray, ess: float) -> FloatArray:
        """Return the logarithms of the tables fitted to each set of counts, shape (…, cells); see ``fit`` for ess."""
        filled = counts + ess * self.prior
        totals = np.add.reduceat(filled, self.configuration, axis=-1)
        return np.asarray(np.log(filled) - np.repeat(np.log(totals), self.arity, axis=-1))


@dataclass(frozen=True, eq=False)
class LikelihoodGap:
    """Log-likelihood per row of fitted networks, on training and on new rows, at several sample sizes.

    Attributes
    ----------
    n_parameters : int
        |theta|.
    n_varying : int
        The free parameters that remain when the true network's zero probabilities are left out.
    samples : DataFrame
        One line per data set: n_rows, and in nats per row ``training`` and ``test`` (the fitted network's
        log-likelihood minus the true network's; ``test`` is the exact expectation over new rows), and their bootstrap
        counterparts, means over resamples: ``bootstrap_training`` (fit to the resample minus fit to the data, evaluated
        on the resample) and ``bootstrap_test`` (the same, evaluated on the data).
    status : {"converged", "stopped"}
    """

    n_parameters: int
    n_varying: int
    n_repeats: int
    n_resamples: int
    samples: pd.DataFrame = field(repr=False)
    status: str

    def table(self) -> pd.DataFrame:
        """Return one line per size: means over data sets and their standard errors (``_error``), nats per row.

        ``gap`` is training minus test, the optimism (Steck & Jaakkola 2003, Eq. 11), ``bootstrap_gap`` the same on
        resamples (Ishiguro, Sakamoto & Kitagawa 1997), ``parameters_over_rows`` is |theta| / N, ``half`` is half of it,
        ``varying_half`` is n_varying / (2 N). ``gap_in_parameters`` and ``bootstrap_gap_in_parameters``, N times the
        gaps, compare with a number of parameters. The second one's mean over resamples is what ``dic`` subtracts,
        there at ess 1 and exactly.
        """
        samples = self.samples.assign(
            gap=self.samples["training"] - self.samples["test"],
            bootstrap_gap=self.samples["bootstrap_training"] - self.samples["bootstrap_test"],
        )
        groups = samples.groupby("n_rows")
        means, errors = groups.mean(), groups.std(ddof=1) / np.sqrt(groups.count())
        frame = means.join(errors.add_suffix("_error")).reset_index()
        frame["parameters_over_rows"] = self.n_parameters / frame["n_rows"]
        frame["half"] = frame["parameters_over_rows"] / 2
        frame["varying_half"] = self.n_varying / frame["n_rows"] / 2
        frame["gap_in_parameters"] = frame["gap"] * frame["n_rows"]
        frame["bootstrap_gap_in_parameters"] = frame["bootstrap_gap"] * frame["n_rows"]
        for gap in ("gap", "bootstrap_gap"):
            frame[f"{gap}_in_parameters_error"] = frame[f"{gap}_error"] * frame["n_rows"]
        return frame


@validated
def likelihood_gap(
    truth: BayesianNetwork,
    sizes: Sequence[RowCount],
    n_repeats: Samples = 20,
    n_resamples: Repeats = 20,
    ess: Ess = 1.0,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> LikelihoodGap:
    """Fit a network's graph to samples of the network, and compare the fit to these rows with that to new rows.

    Parameters
    ----------
    truth : BayesianNetwork
    sizes : sequence of int
        Numbers of rows.
    n_repeats, n_resamples : int
        Number of data sets of each size (at least 2) and of bootstrap samples of each (at least 1).
    ess : float
        Equivalent sample size of the Dirichlet prior: small relative to the data, but without a prior a new row may
        have probability 0. Its effect vanishes faster than the gap as N grows.
    rng : int, Generator or None, default 0; None draws anew at each call
    progress : callable, optional
        Called with (data sets done, all data sets); returning False stops and keeps what is done.

    Returns
    -------
    LikelihoodGap

    Raises
    ------
    ValueError
        If there are no sizes.

    Examples
    --------
    >>> import bnengine as bn
    >>> gap = bn.teaching.likelihood_gap(bn.load_network("survey"), [2000], n_repeats=10, n_resamples=5)
    >>> gap.n_parameters, bool(10 < gap.table()["gap_in_parameters"][0] < 35)
    (21, True)
    """
    if not sizes:
        raise ValueError("sizes must hold at least one number of rows; got none")
    cells = _Cells(truth)
    expected = np.concatenate([table.ravel() for table in family_marginals(truth)])
    with np.errstate(divide="ignore"):
        true_logs = np.concatenate([np.log(table.ravel()) for table in truth.tables])
    true_logs = np.where(true_logs > -np.inf, true_logs, 0.0)  # cells of probability 0, which no row falls in
    possible = np.add.reduceat((expected > 0).astype(int), cells.configuration)
    n_varying = int(np.maximum(possible - 1, 0).sum())
    lines = []
    generators = generator_of(rng).spawn(len(sizes) * n_repeats)
    for number, generator in enumerate(generators):
        n_rows = sizes[number // n_repeats]
        measured = _one_sample(cells, truth.sample(n_rows, generator), expected, true_logs, n_resamples, ess, generator)
        lines.append({"n_rows": n_rows, **measured})
        if progress is not None and progress(number + 1, len(generators)) is False:
            break
    status = "converged" if len(lines) == len(generators) else "stopped"
    return LikelihoodGap(truth.n_parameters, n_varying, n_repeats, n_resamples, pd.DataFrame(lines), status)


def _one_sample(
    cells: _Cells,
    data: Dataset,
    expected: FloatArray,
    true_logs: FloatArray,
    n_resamples: int,
    ess: float,
    generator: np.random.Generator,
) -> dict[str, float]:
    """Return one data set's training and test log-likelihood and their bootstrap counterparts, nats per row."""
    from scipy.sparse import csr_array

    n, times = data.n_rows, data.multiplicities
    distinct = Dataset(data.names, data.states, data.distinct_codes.T)
    places = cells.of_rows(distinct)
    indicator = csr_array(
        (np.ones(places.size), places.ravel(), np.arange(0, places.size + 1, data.n_variables)),
        shape=(len(times), cells.n_cells),
    )
    counts = times @ indicator
    fitted = cells.log_probabilities(counts, ess)
    weights = generator.multinomial(n, times / n, size=n_resamples)
    resampled = weights @ indicator
    refitted = cells.log_probabilities(resampled, ess)
    return {
        "training": float(counts @ (fitted - true_logs)) / n,
        "test": float(expected @ (fitted - true_logs)),
        # the data's fit has the same mean log-likelihood on resamples as on the data; subtracting it reduces the noise
        "bootstrap_training": float((resampled * (refitted - fitted)).sum(axis=1).mean()) / n,
        "bootstrap_test": float(((refitted - fitted) @ counts).mean()) / n,
    }


# DIC: the fit to new rows, estimated from the fit to the data and from resamples, exactly computed.
#
# The optimism is the expected gap between the fit to the training rows and to as many new ones (Eq. 11). With the data
# in the place of the truth and resamples D_b in the place of the data, it is
#
# < sum over rows of D_b of ln p_b - sum over rows of D of ln p_b >_b, p_b fitted to D_b,
#
# and the fit less the optimism estimates the fit to new rows (Eq. 10). By maximum likelihood the second sum is minus
# infinity wherever a resample misses a cell of the data, as it does a cell of n rows with probability (1 - n / N)^N.
# Therefore each p here, that of the data and those of the resamples, is the mean of a Dirichlet posterior of equivalent
# sample size 1: a = 1 / (q r) prior counts in each cell of a family (see ``fit``).
#
# No resample is drawn. A count nu of a resample is Binomial(N, n / N), and ln p_b = ln(nu_jk + a) - ln(nu_j + r a),
# so the optimism is sum_jk E (nu_jk - n_jk) ln(nu_jk + a) - sum_j E (nu_j - n_j) ln(nu_j + r a), a binomial sum per
# count. A cell that is empty is empty in every resample, and adds nothing, although new rows may well fall there: in
# sparse tables this optimism is too small.


@validated
def dic(data: Dataset, edges: Iterable[Edge]) -> float:
    """Return the deviance information criterion of a graph with resamples in place of the posterior, nats.

    Halved and negated, DIC is the log-likelihood at the estimate less p_D, twice what it loses on average as the
    parameters vary (Spiegelhalter et al. 2002). Here the data vary, and p_D is the optimism of the fit (Steck &
    Jaakkola 2003, Eq. 11), exact over all resamples: corrected by it (Eq. 10), the fit is "the frequentist version of
    DIC". With many rows p_D tends to the number of parameters, and DIC to AIC. Equal for Markov-equivalent graphs.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)

    Returns
    -------
    float
        Higher is better.

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> data = network.sample(5000, rng=1)
    >>> fit, aic = (bn.score(data, network.edges, score) for score in (bn.LogLikelihood(), bn.AIC()))
    >>> abs(bn.teaching.dic(data, network.edges) - aic) < 2 < 8 < fit - bn.teaching.dic(data, network.edges)
    True
    """
    adjacency = dag_of(data.names, edges)
    return sum(family_dic(data, v, np.flatnonzero(adjacency[:, v]).tolist()) for v in range(data.n_variables))


def family_dic(data: Dataset, child: int, parents: Sequence[int]) -> float:
    """Return what a family adds to ``dic``, nats."""
    arities = data.arities.tolist()
    q = math.prod(arities[parent] for parent in parents)
    cells, configurations = (*parents, child), parents
    return _corrected_fit(data, cells, 1 / (q * arities[child])) - _corrected_fit(data, configurations, 1 / q)


def _corrected_fit(data: Dataset, variables: Sequence[int], prior: float) -> float:
    """Return the sum of n ln(n + prior) - E (nu - n) ln(nu + prior) over the observed configurations' counts n."""
    numbers = configuration_numbers(data.codes, variables, data.arities.tolist())
    n, times = np.unique(np.unique(numbers, return_counts=True)[1], return_counts=True)

    def gained(nu: IntArray, mean: FloatArray) -> FloatArray:  # since E nu = n, ln(n + prior) may be subtracted
        return np.asarray((nu - mean) * np.log((nu + prior) / (mean + prior)))

    return float(times @ (n * np.log(n + prior) - binomial_means(gained, n / data.n_rows, data.n_rows)))
