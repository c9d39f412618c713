"""Soft tiers: a prior over orderings that favours tiers without enforcing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import IntArray
from bnengine._core.validation import validated


@dataclass(frozen=True)
class SoftTiers:
    """Prior over orderings with a penalty for each pair of variables in the wrong order of tiers.

    The prior probability of an ordering is proportional to exp(-penalty * m), where m is the number of pairs in which a
    variable of a later tier precedes one of an earlier tier. The prior is order-modular (Koivisto & Sood 2004,
    Sec. 2.1): a product over the variables of a factor that depends only on the set of variables that precede each.

    Parameters
    ----------
    tiers : sequence of sequences of names
        Groups in causal or temporal order. Variables in no group are unrestricted.
    penalty : float
        Nats per pair, 0 or more. 0 gives the uniform prior; with ``math.inf`` only orderings that respect the tiers
        remain, so that no edge leads from a later tier to an earlier one.

    Raises
    ------
    ValueError
        If a tier is not a group of names, a name occurs twice, or the penalty is negative or NaN.

    Notes
    -----
    Tiers given as constraints forbid edges but keep all orderings, so a graph is weighted by every ordering consistent
    with it. With an infinite penalty it is weighted only by those that also respect the tiers.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(300, rng=1)
    >>> prior = bn.posterior.SoftTiers([["Pollution", "Smoker"], ["Cancer"], ["Xray", "Dyspnoea"]], penalty=2.0)
    >>> favoured, uniform = bn.edge_posterior(data, order_prior=prior), bn.edge_posterior(data)
    >>> smoker, cancer = data.names.index("Smoker"), data.names.index("Cancer")
    >>> bool(favoured.probability[smoker, cancer] > uniform.probability[smoker, cancer])
    True
    """

    tiers: Sequence[Sequence[str]]
    penalty: float

    def __post_init__(self) -> None:
        if isinstance(self.tiers, str) or any(isinstance(tier, str) for tier in self.tiers):
            raise ValueError(
                f"tiers must be a sequence of groups of names, such as [['a', 'b'], ['c']]; got {self.tiers!r}"
            )
        object.__setattr__(self, "tiers", tuple(tuple(tier) for tier in self.tiers))
        if not self.penalty >= 0:
            raise ValueError(f"penalty must be 0 or more nats per pair; got {self.penalty}")
        seen: dict[str, int] = {}
        for number, tier in enumerate(self.tiers, start=1):
            for name in tier:
                if name in seen:
                    raise ValueError(f"'{name}' is in tier {seen[name]} and in tier {number}; list it once")
                seen[name] = number

    @validated
    def ranks(self, names: Sequence[str]) -> IntArray:
        """Return the tier of each variable, counted from 0; -1 for those in none. Shape (V,)."""
        place = {name: v for v, name in enumerate(names)}
        ranks = np.full(len(names), -1, dtype=np.int64)
        for number, tier in enumerate(self.tiers):
            for name in tier:
                if name not in place:
                    raise ValueError(f"order_prior, tier {number + 1}: no variable is named '{name}'")
                ranks[place[name]] = number
        return ranks

    @validated
    def later(self, names: Sequence[str]) -> IntArray:
        """Return for each variable the bit mask of those in later tiers; bit v is the v-th name. Shape (V,)."""
        ranks = self.ranks(names)
        behind = (ranks[:, None] >= 0) & (ranks[None, :] > ranks[:, None])
        masks: IntArray = (behind << np.arange(len(names), dtype=np.int64)).sum(axis=1)
        return masks

    @validated
    def log_weight(self, ordering: Sequence[str]) -> float:
        """Return the log prior probability of an ordering, nats, up to a constant."""
        tier_of = {name: number for number, tier in enumerate(self.tiers) for name in tier}
        ranks = [tier_of[name] for name in ordering if name in tier_of]
        against = sum(rank > later for i, rank in enumerate(ranks) for later in ranks[i + 1 :])
        return -self.penalty * against if against else 0.0


#: The uniform prior over orderings.
UNIFORM = SoftTiers((), 0.0)
