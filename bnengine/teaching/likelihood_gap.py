"""Training and test log-likelihood of a fitted network, their gap, and the bootstrap's estimate of it.

Fitted to N rows by maximum likelihood, a network with |theta| free parameters fits these rows better than the true
parameters do, by |theta| / (2 N) nats a row, and fresh rows worse, by as much again (Akaike 1973; Steck & Jaakkola
2003, Sec. 4). AIC, which aims at fresh rows, charges both halves: |theta|. The bias correction of the bootstrap aims
at the given data and charges one: half of |theta|.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnengine._core.random_generators import Seed, generator_of
from bnengine.data.dataset import Dataset
from bnengine.networks.inference import family_marginals
from bnengine.networks.network import BayesianNetwork, check_ess, configuration_numbers

if TYPE_CHECKING:
    import pandas as pd

Vector = npt.NDArray[np.float64]


class _Cells:
    """All cells of a network's tables in one row of numbers; a data set as its counts in them."""

    def __init__(self, network: BayesianNetwork) -> None:
        self.network = network
        self.arities = arities = [len(states) for states in network.states]
        self.starts = np.concatenate([[0], np.cumsum([table.size for table in network.tables])])
        self.n_cells = int(self.starts[-1])
        n_configurations = [len(table) for table in network.tables]
        self.configuration = np.concatenate([[0], np.cumsum(np.repeat(arities, n_configurations))[:-1]])
        self.arity = np.repeat(arities, n_configurations)  # of the child, one a configuration
        self.prior = np.repeat([1 / table.size for table in network.tables], [t.size for t in network.tables])

    def of_rows(self, data: Dataset) -> npt.NDArray[np.int64]:
        """The cell that each row falls in, family by family. Shape (N, V)."""
        cells = np.empty((data.n_rows, data.n_variables), dtype=np.int64)
        for v, parents in enumerate(self.network.parents):
            cells[:, v] = self.starts[v] + configuration_numbers(data.codes, (*parents, v), self.arities)
        return cells

    def log_probabilities(self, counts: Vector, ess: float) -> Vector:
        """Log of the fitted tables of each set of counts, shape (…, cells); see ``fit`` for ess."""
        filled = counts + ess * self.prior
        totals = np.add.reduceat(filled, self.configuration, axis=-1)
        result: Vector = np.log(filled) - np.repeat(np.log(totals), self.arity, axis=-1)
        return result


@dataclass(frozen=True, eq=False)
class LikelihoodGap:
    """Log-likelihood a row of fitted networks, on training and on fresh rows, at several sizes.

    Attributes
    ----------
    n_parameters : int
        |theta|.
    n_varying : int
        Those of them that the true network's zeros leave to vary: a state that cannot occur has nothing to be fitted.
    n_repeats, n_resamples : int
    samples : DataFrame
        One line a data set: n_rows, and in nats a row ``training`` and ``test`` (the fitted network's log-likelihood
        less the true network's; test over all rows that the true network could give, exactly), and what the
        bootstrap sees of it: ``bootstrap_training`` (a resample's fit on the resample, less the data's fit there)
        and ``bootstrap_test`` (a resample's fit on the data, less the data's fit there), means over resamples.
    status : str
        ``"converged"``, or ``"stopped"`` before all data sets were done.
    """

    n_parameters: int
    n_varying: int
    n_repeats: int
    n_resamples: int
    samples: pd.DataFrame = field(repr=False)
    status: str

    def table(self) -> pd.DataFrame:
        """One line a size: mean and standard error (``_error``) over data sets, nats a row; |theta|/2N; gaps.

        ``gap`` is training less test, ``bootstrap_gap`` the same on resamples (Ishiguro, Sakamoto & Kitagawa 1997),
        ``parameters_over_rows`` is |theta| / N, ``half`` is half of it, ``varying_half`` half of n_varying / N. In
        nats, which count parameters: ``gap_in_parameters`` and ``bootstrap_gap_in_parameters``, N times the gaps, and
        ``dic_parameters``, the effective number of parameters p_D of DIC (Spiegelhalter et al. 2002): twice what the
        data's log-likelihood loses on average when parameters vary, here as they do over resamples instead of over
        the posterior distribution.
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
        frame["dic_parameters"] = -2 * frame["bootstrap_test"] * frame["n_rows"]
        frame["dic_parameters_error"] = 2 * frame["bootstrap_test_error"] * frame["n_rows"]
        for gap in ("gap", "bootstrap_gap"):
            frame[f"{gap}_in_parameters_error"] = frame[f"{gap}_error"] * frame["n_rows"]
        return frame


def likelihood_gap(
    truth: BayesianNetwork,
    sizes: Sequence[int],
    n_repeats: int = 20,
    n_resamples: int = 20,
    ess: float = 1.0,
    rng: Seed = 0,
    progress: Callable[[int, int], bool | None] | None = None,
) -> LikelihoodGap:
    """Draw rows from a network, fit its own graph to them, and compare the fit on these rows with that on fresh ones.

    Parameters
    ----------
    truth : BayesianNetwork
    sizes : sequence of int
        Numbers of rows.
    n_repeats, n_resamples : int
        Data sets of each size, and bootstrap samples of each; at least 2 and 1.
    ess : float
        Dirichlet prior of the fitted tables: small beside the data, but without any a fresh row may have probability
        0. As N grows its effect vanishes faster than the gap.
    rng : int, Generator or None
    progress : callable, optional
        Called with (data sets done, data sets); False stops, and what is done is returned.

    Examples
    --------
    >>> import bnengine as bn
    >>> gap = bn.teaching.likelihood_gap(bn.load_network("survey"), [2000], n_repeats=10, n_resamples=5)
    >>> gap.n_parameters, bool(10 < gap.table()["gap_in_parameters"][0] < 35)
    (21, True)
    """
    import pandas as pd

    if not sizes or min(sizes) < 1 or n_repeats < 2 or n_resamples < 1:
        raise ValueError(
            f"sizes must be 1 or more, n_repeats 2 or more, n_resamples 1 or more; got {list(sizes)}, {n_repeats}, "
            f"{n_resamples}"
        )
    check_ess(ess)
    cells = _Cells(truth)
    expected = np.concatenate([table.ravel() for table in family_marginals(truth)])
    with np.errstate(divide="ignore"):
        true_logs = np.concatenate([np.log(table.ravel()) for table in truth.tables])
    true_logs = np.where(true_logs > -np.inf, true_logs, 0.0)  # cells that no row falls in
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
    expected: Vector,
    true_logs: Vector,
    n_resamples: int,
    ess: float,
    generator: np.random.Generator,
) -> dict[str, float]:
    """One data set's four numbers, nats a row."""
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
        # on average over resamples the data's fit has on a resample the likelihood that it has on the data: less noise
        "bootstrap_training": float((resampled * (refitted - fitted)).sum(axis=1).mean()) / n,
        "bootstrap_test": float(((refitted - fitted) @ counts).mean()) / n,
    }
