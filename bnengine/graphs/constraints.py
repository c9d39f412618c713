"""What a learned graph must and must not contain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnengine._core.names import checked_edges, checked_names
from bnengine.graphs.dag import Adjacency, Edge, adjacency_of, find_cycle


class SearchSpace(NamedTuple):
    """Constraints as the compiled searches read them."""

    allowed: Adjacency  # (V, V) [parent, child]: the edge may be present
    required: Adjacency  # (V, V) [parent, child]: the edge must be present
    max_parents: int


@dataclass(frozen=True)
class Constraints:
    """Background knowledge about the graph; it holds in the data's own graph and in every resample's.

    Parameters
    ----------
    required, forbidden : sequence of (parent, child)
        Edges that must be, or must not be, in the graph.
    max_parents : int, optional
        Largest number of parents of any variable.
    tiers : sequence of sequences of names
        Groups in causal or temporal order: no edge leads from a later group to an earlier one. Variables in no
        group are free.
    """

    required: Sequence[Edge] = ()
    forbidden: Sequence[Edge] = ()
    max_parents: int | None = None
    tiers: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "required", checked_edges(self.required, "required"))
        object.__setattr__(self, "forbidden", checked_edges(self.forbidden, "forbidden"))
        object.__setattr__(self, "tiers", _checked_tiers(self.tiers))
        limit = self.max_parents
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | np.integer)):
            raise ValueError(f"max_parents must be a whole number of 0 or more, or None; got {limit!r}")

    def resolve(self, names: Sequence[str], max_parents: int | None = None) -> SearchSpace:
        """The constraints as matrices; a ValueError names the contradiction if there is one."""
        limits = [limit for limit in (self.max_parents, max_parents) if limit is not None]
        if any(limit < 0 for limit in limits):
            raise ValueError(f"max_parents must be 0 or more; got {min(limits)}")
        limit = min([*limits, max(len(names) - 1, 0)])
        required = adjacency_of(names, self.required)
        allowed = ~np.eye(len(names), dtype=np.bool_) & ~adjacency_of(names, self.forbidden)
        place = {name: v for v, name in enumerate(names)}
        tier_of: dict[int, int] = {}
        for tier, members in enumerate(self.tiers):
            for name in members:
                if name not in place:
                    raise ValueError(f"tier {tier + 1}: no variable is named '{name}'")
                if tier_of.setdefault(place[name], tier) != tier:
                    raise ValueError(f"'{name}' stands in tier {tier_of[place[name]] + 1} and in tier {tier + 1}")
        for parent, parent_tier in tier_of.items():
            for child, child_tier in tier_of.items():
                if parent_tier > child_tier:
                    allowed[parent, child] = False
        _refuse_contradictions(names, allowed, required, limit)
        return SearchSpace(allowed, required, limit)


def _checked_tiers(tiers: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    example = '[["age", "sex"], ["diagnosis"]]'
    if isinstance(tiers, str):
        raise ValueError(f"tiers must be lists of names, such as {example}; got {tiers!r}")
    return tuple(checked_names(tier, f"tier {number}", '["age", "sex"]') for number, tier in enumerate(tiers, start=1))


def _refuse_contradictions(names: Sequence[str], allowed: Adjacency, required: Adjacency, max_parents: int) -> None:
    for i, j in zip(*np.nonzero(required & ~allowed), strict=True):
        raise ValueError(f"edge {names[i]} → {names[j]} is required but also forbidden, or against the tiers")
    cycle = find_cycle(required)
    if cycle is not None:
        walk = " → ".join(names[v] for v in [*cycle, cycle[0]])
        raise ValueError(f"the required edges form a cycle: {walk}")
    for v in np.flatnonzero(required.sum(axis=0) > max_parents).tolist():
        raise ValueError(
            f"'{names[v]}' has {int(required[:, v].sum())} required parents but at most {max_parents} are allowed"
        )
