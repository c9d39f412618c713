"""Edges that stand in for each other: that a variable depends on one of several is certain, on which one is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import BoolArray
from bnengine._core.display import listed, probability
from bnengine._core.environment import pd
from bnengine._core.validation import validated
from bnengine.answers.edge_answers import check_variables
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.posterior import EdgePosterior

#: Least probability of what is claimed, at the low end of its interval.
CERTAIN = 0.9
_POSSIBLE, _SETTLED = 0.05, 0.75  # probabilities between which an edge may be one of the several
_LEAST_GAIN = 0.01  # in the share of the graphs, by one variable more
_MOST = 6  # variables of a group


@dataclass(frozen=True)
class OneOfSeveral:
    """A variable that depends on at least one of several others, none of whose edges is certain.

    Attributes
    ----------
    child : str
    group : tuple of str
        The others, the most probable first.
    real : float
        Probability that at least one edge joins the child and the group, in either direction.
    interval : tuple of float
        Its 95 % interval.
    alone : tuple of float
        Probability of each edge.
    found_again : float
        Share of the replicates in which at least one edge joins the two.
    """

    child: str
    group: tuple[str, ...]
    real: float
    interval: tuple[float, float]
    alone: tuple[float, ...]
    found_again: float

    @property
    def sentence(self) -> str:
        """The claim."""
        others = listed([f"'{name}'" if " " in name else name for name in self.group], len(self.group))
        child = f"'{self.child}'" if " " in self.child else self.child
        return (
            f"{child} depends on at least one of {others} (probability {probability(self.real)}); on which one is open."
        )

    @property
    def in_brief(self) -> str:
        """The child and what it may depend on, as a list has them."""
        return f"{self.child} – one of {', '.join(self.group)}"

    @validated
    def has(self, one: str, other: str) -> bool:
        """Return whether an edge is one of the several."""
        return (one == self.child and other in self.group) or (other == self.child and one in self.group)


def several_frame(claims: Sequence[OneOfSeveral]) -> pd.DataFrame:
    """Tabulate one row per claim: child, group, real with its interval, found_again, and each edge's probability."""
    lines = [(one.child, "; ".join(one.group), one.real, *one.interval, one.found_again,
              "; ".join(f"{each:.3g}" for each in one.alone)) for one in claims]  # fmt: skip
    return pd.DataFrame(lines, columns=["child", "group", "real", "real_low", "real_high", "found_again", "alone"])


@validated
def one_of_several(posterior: EdgePosterior, ensemble: Ensemble) -> list[OneOfSeveral]:
    """Find the variables that depend on one of several others, the most certain first.

    A group begins with a variable's most probable edge of less than three quarters, and takes in the one of such edges
    that covers most graphs without any of the others, up to six. The claim is made if the interval of
    its probability lies above 0.9, and the edges stand in for each other: that none is there is at most half as
    probable as if they were independent with the same probabilities. Names decide about ties. No claim was made of 60
    tables of independent columns, and all 20 of 40 samples of ASIA, SACHS, SURVEY, EARTHQUAKE and CHILD were right.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(500, rng=1)
    >>> ensemble = bn.resample(data, resampler=bn.Bootstrap(20))
    >>> one_of_several(bn.edge_posterior(data), ensemble)
    []
    """
    pairs, names = posterior.pair_probability, posterior.names
    check_variables(names, "the posterior's", ensemble=ensemble)
    is_open = (pairs >= _POSSIBLE) & (pairs < _SETTLED)
    found = []
    for v in sorted(np.flatnonzero(is_open.sum(axis=0) > 1).tolist(), key=names.__getitem__):
        others = sorted(np.flatnonzero(is_open[v]).tolist(), key=lambda u: (-pairs[v, u], names[u]))
        joined = np.column_stack([posterior.joins(v, [u]) for u in others])
        group = _covering(joined)
        members = [others[k] for k in group]
        none = float(np.prod(1.0 - pairs[v, members]))
        if len(members) < 2 or joined[:, group].any(axis=1).mean() < CERTAIN:
            continue
        real = posterior.any_of(names[v], [names[u] for u in members])
        if real.interval[0] > CERTAIN and 1.0 - real.probability <= none / 2:
            alone, near = tuple(pairs[v, members].tolist()), ensemble.graphs.joined_to(v)[:, members].any(axis=1)
            again = float(np.average(near, weights=ensemble.multiplicities))
            group_names = tuple(names[u] for u in members)
            found.append(OneOfSeveral(names[v], group_names, real.probability, real.interval, alone, again))
    return sorted(found, key=lambda one: -one.real)


def _covering(joined: BoolArray) -> list[int]:
    """Return the columns, the first among them, that cover the rows one after the other."""
    group, covered = [0], joined[:, 0].copy()
    while len(group) < _MOST:
        gains = (joined & ~covered[:, None]).mean(axis=0)
        best = int(gains.argmax())
        if gains[best] < _LEAST_GAIN:
            break
        group.append(best)
        covered |= joined[:, best]
    return sorted(group)
