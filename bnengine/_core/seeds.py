"""Generators as seeds: what a piece of work needs to draw the same numbers on another machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Seeds(NamedTuple):
    """Consecutive children of one generator that have not drawn yet: a few numbers, however many there are."""

    entropy: int | Sequence[int] | None
    parent: tuple[int, ...]
    pool_size: int
    first: int
    n: int

    def generators(self) -> list[np.random.Generator]:
        """The generators themselves."""
        return [np.random.Generator(np.random.PCG64(self._sequence(number))) for number in range(self.n)]

    def _sequence(self, number: int) -> np.random.SeedSequence:
        key = (*self.parent, self.first + number)
        return np.random.SeedSequence(self.entropy, spawn_key=key, pool_size=self.pool_size)


def packed(generators: list[np.random.Generator]) -> Seeds | list[np.random.Generator]:
    """The generators as seeds; as they are where they are no such children, or have drawn or spawned already."""
    first = generators[0].bit_generator.seed_seq if generators else None
    if not isinstance(first, np.random.SeedSequence) or not first.spawn_key:
        return generators
    *parent, number = first.spawn_key
    seeds = Seeds(first.entropy, tuple(parent), first.pool_size, number, len(generators))
    alike = all(map(_is_alike, generators, seeds.generators()))
    return seeds if alike else generators


def unpacked(seeds: Seeds | list[np.random.Generator]) -> list[np.random.Generator]:
    """The generators that were packed."""
    return seeds.generators() if isinstance(seeds, Seeds) else seeds


def _is_alike(given: np.random.Generator, other: np.random.Generator) -> bool:
    """Whether both draw, and spawn, the same from here on."""
    if type(given) is not np.random.Generator or type(given.bit_generator) is not np.random.PCG64:
        return False
    sequence, own = given.bit_generator.seed_seq, other.bit_generator.seed_seq
    return (
        isinstance(sequence, np.random.SeedSequence)
        and isinstance(own, np.random.SeedSequence)
        and sequence.n_children_spawned == 0
        and sequence.state == own.state
        and given.bit_generator.state == other.bit_generator.state
    )
