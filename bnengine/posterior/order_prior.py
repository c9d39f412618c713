"""Prior probabilities of orderings that favour tiers without insisting on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class SoftTiers:
    """A prior over orderings: each pair of variables that stands against the tiers costs ``penalty`` nats.

    An ordering's prior probability is proportional to exp(-penalty * m), with m the number of pairs in which a
    variable of a later tier stands before one of an earlier tier. It is order-modular, a product over variables of a
    factor that depends on the set before each (Koivisto & Sood 2004, Sec. 2.1): the members of later tiers in that set.

    Parameters
    ----------
    tiers : sequence of sequences of names
        Groups in causal or temporal order. Variables in no group are free.
    penalty : float
        Nats a pair, 0 or more. 0 is the uniform prior; ``math.inf`` leaves only orderings that keep to the tiers, so
        that no edge leads from a later tier to an earlier one.

    Notes
    -----
    Tiers as constraints forbid the edges and leave all orderings, so that a graph is weighted by all that fit it; at an
    infinite penalty it is weighted by those alone that keep to the tiers.

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
            raise ValueError(f"penalty must be 0 or more nats a pair; got {self.penalty}")
        seen: dict[str, int] = {}
        for number, tier in enumerate(self.tiers, start=1):
            for name in tier:
                if name in seen:
                    raise ValueError(f"'{name}' stands in tier {seen[name]} and in tier {number}; name it once")
                seen[name] = number

    def later(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """For each variable the mask of those of later tiers, bit v for the v-th name; shape (V,)."""
        place = {name: v for v, name in enumerate(names)}
        masks = np.zeros(len(names), dtype=np.int64)
        after = 0
        for number, tier in reversed(list(enumerate(self.tiers, start=1))):
            unknown = [name for name in tier if name not in place]
            if unknown:
                raise ValueError(f"order_prior, tier {number}: no variable is named '{unknown[0]}'")
            for name in tier:
                masks[place[name]] = after
            after |= sum(1 << place[name] for name in tier)
        return masks

    def log_weight(self, ordering: Sequence[str]) -> float:
        """The logarithm of an ordering's prior probability, nats, up to a constant."""
        tier_of = {name: number for number, tier in enumerate(self.tiers) for name in tier}
        ranks = [tier_of[name] for name in ordering if name in tier_of]
        against = sum(rank > later for i, rank in enumerate(ranks) for later in ranks[i + 1 :])
        return -self.penalty * against if against else 0.0


#: Orderings all alike.
UNIFORM = SoftTiers((), 0.0)
