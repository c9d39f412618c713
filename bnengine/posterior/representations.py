"""*Real* where a table has numbers: the mean over representations, each with its corrected resamples.

Numbers kept as such find more true edges of smooth worlds, but are far too sure where rows of several kinds are pooled,
with gates and heavy tails; cut into states they lose edges, but are seldom wrong. Half of the mean is by blocks to the
second degree, half by cuts into three states of about as many rows: of the candidates written down first, it had the
smallest worst regret over kinds of simulated tables and real cells (``benchmarks/real_of_numbers.py``).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bnengine.posterior.result import OF_REPRESENTATION, EdgePosterior

#: States of about as many rows that numbers are cut into.
BINS = 3


def pooled(by_blocks: EdgePosterior, by_cuts: EdgePosterior) -> EdgePosterior:
    """Return the mean of two representations' numbers; every graph drawn counts alike, as many of either."""
    both = by_blocks, by_cuts
    m = min(one.n_graphs for one in both)
    some = [np.linspace(0, one.n_graphs - 1, m).round().astype(int) for one in both]
    groups = [one.groups[kept] for one, kept in zip(both, some, strict=True)]
    groups[1] = groups[1] + np.array([OF_REPRESENTATION, 0, 0])
    statuses = {one.status for one in both}
    return replace(
        by_blocks,
        probability=(by_blocks.probability + by_cuts.probability) / 2,
        error=np.hypot(by_blocks.error, by_cuts.error) / 2,
        pair_error=np.hypot(by_blocks.pair_error, by_cuts.pair_error) / 2,
        under_each_prior=np.concatenate([one.under_each_prior for one in both]),
        between_chains=(by_blocks.between_chains + by_cuts.between_chains) / 2,
        packed_graphs=np.concatenate([one.packed_graphs[kept] for one, kept in zip(both, some, strict=True)]),
        groups=np.concatenate(groups),
        method="exact" if all(one.method == "exact" for one in both) else "order",
        score=f"{by_blocks.score} of numbers; {by_cuts.score} of {BINS} states each",
        n_evaluations=sum(one.n_evaluations for one in both),
        n_bags=min(one.n_bags for one in both),
        n_chains=max(one.n_chains for one in both),
        n_steps=max(one.n_steps for one in both),
        status="stopped" if "stopped" in statuses else by_blocks.status,
    )
