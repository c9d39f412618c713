"""Calibrate methods on a known network: compare their confidences with the network and with fresh samples from it.

A resampling method estimates from one table the inclusion probability of an edge, the probability pi that the edge is
learned from such a table. For a known network pi itself can be estimated by learning from many fresh samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.shared_progress import shared_progress
from bnengine._core.validation import Repeats, RowCount, validated
from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.edge_kinds import possible_edges, presence_of
from bnengine.bootstrap.ensemble import combined_status
from bnengine.bootstrap.methods import CALIBRATED_KEYS, Method, methods
from bnengine.bootstrap.predictive_bootstrap import n_graphs_learned
from bnengine.bootstrap.resample import check_correction, resample
from bnengine.bootstrap.resamplers import ParametricBootstrap
from bnengine.bootstrap.run_study import study
from bnengine.bootstrap.study import Study
from bnengine.graphs.constraints import Constraints
from bnengine.networks.network import MOST_CELLS_DRAWN, BayesianNetwork
from bnengine.scores.correction import correction_refused
from bnengine.scores.scores import TableScore
from bnengine.search import Search

#: Another answer about the edges of a table; see ``further``.
Answer = Callable[..., Any]


@validated
def calibrate(
    network: BayesianNetwork,
    n_rows: RowCount,
    score: TableScore,
    search: Search,
    methods_compared: Sequence[Method] | None = None,
    n_tables: Repeats = 10,
    n_fresh: Repeats = 400,
    constraints: Constraints | None = None,
    kind: str = "directed",
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    ties: str = "drawn",
    further: Mapping[str, Answer] | None = None,
) -> Calibration:
    """Apply resampling methods to samples of a known network, and learn from fresh samples for comparison.

    Parameters
    ----------
    network : BayesianNetwork
        The true network. A network fitted to your own data shows which method to trust on such data, as far as it
        resembles the distribution that generated them.
    n_rows : int
        Rows of each table.
    score, search, constraints
        As for ``resample``.
    methods_compared : sequence of Method, optional
        None for ``CALIBRATED_KEYS`` with 100 replicates each.
    n_tables : int
        Number K of tables that every method is applied to; standard errors decrease with sqrt(K).
    n_fresh : int
        Number of fresh tables that pi is estimated from.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge.
    rng : int, Generator or None
    executor, ties
        As for ``resample``.
    further : mapping from key to callable, optional
        Other answers about the edges of a table, such as ``{"posterior": bn.sample_posterior}``. Each takes a table and
        the keywords rng, executor and progress; its result has the attributes probability, of each directed edge,
        shape (V, V), [parent, child], and status.
    progress : callable, optional
        Counts the graphs learned, a further answer as one. Stopping keeps the tables that all methods were applied to.

    Returns
    -------
    Calibration
        Its ``total_absolute_error`` measures how well a method predicts what would be learned again, ``brier`` how well
        it predicts the true network, ``edges`` how many edges its graphs have, and ``floor`` is the total absolute
        error that Monte Carlo noise alone would cause. ``reliability`` and ``precision_recall`` are tables by
        confidence.

    Raises
    ------
    ValueError
        If a number is smaller than 1, the network has only one variable, ``kind`` is unknown, a key occurs twice, or a
        method does not apply to such tables or its correction to the score.

    Examples
    --------
    >>> import bnengine as bn
    >>> calibration = bn.calibrate(bn.load_network("asia"), 200, bn.BIC(), bn.HillClimbing(), bn.methods(20), 2, 50)
    >>> list(calibration.table()["method"])
    ['data', 'boot_bc', 'boot', 'jack_1', 'jack_d']
    """
    _check_sizes(network, n_rows=n_rows, n_tables=n_tables, n_fresh=n_fresh)
    if methods_compared is None:
        methods_compared = methods(100, keys=applicable_keys(score))
    further = further or {}
    twice = [method.key for method in methods_compared if method.key in further]
    if twice or "data" in further:
        raise ValueError(f"further must have keys that no method has; got '{(twice or ['data'])[0]}'")
    generators = generator_of(rng).spawn(n_tables + 1)
    tables = [network.by_name.sample(n_rows, generator).select(network.names) for generator in generators[1:]]
    truth = possible_edges(presence_of(network.adjacency, kind), kind)
    for method in methods_compared:
        check_correction(score, method.correction, method.resampler)
        method.resampler.check(tables[0])
    sizes = [sum(n_graphs_learned(method.resampler, table) for method in methods_compared) for table in tables]
    fresh_share, *shares = shared_progress(progress, [n_fresh, *sizes])
    how: dict[str, Any] = {"constraints": constraints, "executor": executor, "ties": ties}
    settings = (tables[0], score, search)
    sampler = ParametricBootstrap(n_fresh, network)
    fresh = resample(*settings, sampler, rng=generators[0], progress=fresh_share, **how)

    statuses = [fresh.status]
    keys = ["data", *(method.key for method in methods_compared), *further]
    confidences: dict[str, list[FloatArray]] = {key: [] for key in keys}
    for table, share, size in zip(tables, shares, sizes, strict=True):
        if "stopped" in statuses:
            break
        seed = int(generators[0].integers(2**53))
        result = study(table, score, search, methods_compared, rng=seed, progress=share, **how)
        statuses.append(result.status)
        found: dict[str, FloatArray] = {}
        if result.status != "stopped":
            found = {key: result.confidence(key, kind) for key in keys if key not in further}
            tell = _at(share, size - len(further), size)
            for key, answer in further.items():
                given = answer(table, rng=seed, executor=executor, progress=tell)
                statuses.append(given.status)
                both = given.probability + given.probability.T
                found[key] = both if kind == "adjacency" else given.probability
        if "stopped" not in statuses:
            for key, values in confidences.items():
                values.append(possible_edges(found[key], kind))
    return Calibration(
        names=network.names,
        kind=kind,
        truth=truth,
        inclusion_probability=possible_edges(Study(fresh.reference, {"fresh": fresh}).confidence("fresh", kind), kind),
        n_fresh=fresh.n_graphs,
        n_rows=n_rows,
        n_replicates=min((m.resampler.n_replicates(tables[0]) for m in methods_compared), default=1),
        confidence={key: np.array(values).reshape(len(values), len(truth)) for key, values in confidences.items()},
        score=score.name,
        search=search.name,
        status=combined_status(statuses),
        seed=seed_of(rng),
    )


def _at(share: Progress | None, done: int, total: int) -> Progress | None:
    """A callback that reports the same number whatever is done: a further answer counts as one graph, at its end."""
    return None if share is None else lambda _done, _total: share(done, total)


def _check_sizes(network: BayesianNetwork, **sizes: int) -> None:
    for argument, value in sizes.items():
        if value < 1:
            raise ValueError(f"{argument} must be 1 or more; got {value}")
    n_cells = sizes["n_tables"] * sizes["n_rows"] * len(network.names)
    if max(n_cells, sizes["n_fresh"]) > MOST_CELLS_DRAWN:
        raise ValueError(
            f"n_tables tables of n_rows rows and {len(network.names)} variables have {n_cells:,} cells, and n_fresh is "
            f"{sizes['n_fresh']:,}; at most {MOST_CELLS_DRAWN:,} are allowed: ask for fewer"
        )
    if len(network.names) < 2:
        raise ValueError(f"network must have at least two variables, or there are no edges; got {len(network.names)}")


def applicable_keys(score: TableScore, keys: Sequence[str] = CALIBRATED_KEYS) -> tuple[str, ...]:
    """Keys of methods without that of the exact correction if the score has none."""
    exact = correction_refused(score, "exact") is None
    return tuple(key for key in keys if exact or key != "boot_exact")
