"""Bayesian networks in the Bayesian Interchange Format (BIF 0.15)."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from bnengine._core.names import repeated
from bnengine._core.validation import validated
from bnengine.data import limits
from bnengine.data.dataset import DataError
from bnengine.data.unpacking import bytes_of, name_of
from bnengine.networks.bif_parser import SHOWN, Families, Parser
from bnengine.networks.bif_parser import BifError as BifError
from bnengine.networks.network import BayesianNetwork
from bnengine.networks.portable_names import renamed


@validated
def read_bif(source: str | Path | BinaryIO, title: str | None = None) -> BayesianNetwork:
    """Read a network from a BIF file, plain or gzipped.

    Parameters
    ----------
    source : path or binary file
    title : str, optional
        Overrides the name in the file.

    Raises
    ------
    BifError
        If the text is not BIF, naming the variable or word at which reading failed, or if the network exceeds a limit
        of ``bnengine.data.limits``.
    DataError
        If a row of a table is not a distribution, or the network has a cycle.
    """
    try:
        raw = bytes_of(source, name_of(source), limits.LIMITS.network_megabytes * 2**20)
    except DataError as error:
        raise BifError(str(error)) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    network = _assemble(*Parser(text).network())
    return (
        network
        if title is None
        else BayesianNetwork(network.names, network.states, network.parents, network.tables, title)
    )


@validated
def write_bif(network: BayesianNetwork, target: str | Path | BinaryIO) -> None:
    """Write a network as BIF with all digits of its probabilities, so that reading it returns the same network.

    Raises
    ------
    ValueError
        If BIF cannot hold the name of a variable or state (white space or one of ``{}()[]|,;"``).
    """
    text = "\n".join(_lines_of(network)) + "\n"
    if isinstance(target, (str, Path)):
        Path(target).write_text(text, encoding="utf-8")
    else:
        target.write(text.encode())


def renamed_for_bif(network: BayesianNetwork) -> tuple[BayesianNetwork, dict[str, str]]:
    """Return the network with names that BIF can hold, and what was renamed, as ``portable_names.renamed`` does.

    Each character that BIF cannot hold becomes an underscore.
    """
    return renamed(network, _holds, lambda word: re.sub(r'[\s{}()\[\]|,;"]|^/(?=[/*])', "_", word) or "_")


def _holds(word: str) -> bool:
    """Whether BIF can hold a name."""
    return bool(re.fullmatch(r'[^\s{}()\[\]|,;"]+', word)) and not word.startswith(("//", "/*"))


def _lines_of(network: BayesianNetwork) -> Iterator[str]:
    for word in itertools.chain(network.names, *network.states):
        if not _holds(word):
            raise ValueError(
                f"BIF cannot hold the name '{word}': rename it without spaces, brackets, commas, ; | // or quotes"
            )
    yield f"network {re.sub(r'[^A-Za-z0-9_.-]', '_', network.title) or 'network'} {{\n}}"
    for name, states in zip(network.names, network.states, strict=True):
        yield f"variable {name} {{\n  type discrete [ {len(states)} ] {{ {', '.join(states)} }};\n}}"
    for v, parents in enumerate(network.parents):
        given = f" | {', '.join(network.names[p] for p in parents)}" if parents else ""
        yield f"probability ( {network.names[v]}{given} ) {{"
        configurations = itertools.product(*(network.states[p] for p in parents))
        for configuration, row in zip(configurations, network.tables[v], strict=True):
            head = f"({', '.join(configuration)})" if parents else "table"
            yield f"  {head} {', '.join(repr(float(p)) for p in row)};"
        yield "}"


def _assemble(title: str, states: dict[str, tuple[str, ...]], families: Families) -> BayesianNetwork:
    place = {name: v for v, name in enumerate(states)}
    _refuse_large_tables(states, families)
    parents_of_all, tables = [], []
    for name in states:
        parents, rows = families[name]
        table = _Table(name, {parent: states[parent] for parent in parents}, len(states[name]))
        for configuration, numbers in rows:
            table.fill(configuration, numbers)
        parents_of_all.append(tuple(place[parent] for parent in parents))
        tables.append(table.complete())
    return BayesianNetwork(tuple(states), tuple(states.values()), tuple(parents_of_all), tuple(tables), title)


def _refuse_large_tables(states: dict[str, tuple[str, ...]], families: Families) -> None:
    """Raise a BifError, before any table is built, if a block lacks variables or all have too many cells together."""
    n_cells = 0
    for name in states:
        if name not in families:
            raise BifError(f"variable '{name}' has no probability block")
        parents, _ = families[name]
        for parent in parents:
            if parent not in states:
                raise BifError(f"the probability block of '{name}' names '{parent}', which is not a variable")
        twice = repeated([name, *parents])
        if twice is not None:
            raise BifError(f"the probability block of '{name}' names the parent '{twice}' twice, or is its own parent")
        n_cells += math.prod(len(states[parent]) for parent in parents) * len(states[name])
        if n_cells > limits.LIMITS.table_cells:
            raise BifError(
                f"with the {len(parents)} parents of '{name}' the probability tables have more than "
                f"{limits.LIMITS.table_cells:,} cells, the limit; remove parents or states"
            )


class _Table:
    """The probability table of one variable, filled line by line.

    Parameters
    ----------
    name : str
    parents : dict of str to tuple of str
        The states of each parent.
    arity : int
        Of the variable.
    """

    def __init__(self, name: str, parents: dict[str, tuple[str, ...]], arity: int) -> None:
        self.name, self.parents = name, parents
        self.codes = [{state: code for code, state in enumerate(declared)} for declared in parents.values()]
        self.rows = np.zeros((math.prod(map(len, self.codes)), arity))
        self.filled = np.zeros(len(self.rows), dtype=np.bool_)
        self.default: list[float] | None = None

    def fill(self, configuration: list[str], numbers: list[float]) -> None:
        """Write one line of a probability block into the table."""
        n_rows, arity = self.rows.shape
        if configuration == ["default"] and len(numbers) == arity:
            if self.default is not None:
                raise BifError(f"the probability block of '{self.name}' has two default lines; keep one")
            self.default = numbers
        elif configuration == ["table"] and len(numbers) == self.rows.size:
            if self.filled.any():
                raise BifError(f"the probability block of '{self.name}' gives its table twice; keep one")
            # a flat table lists the variable's states slowest (BIF 0.15)
            self.rows[:] = np.array(numbers).reshape(arity, n_rows).T
            self.filled[:] = True
        elif len(configuration) == len(self.codes) and len(numbers) == arity and configuration != ["table"]:
            row = self._row_of(configuration)
            if self.filled[row]:
                raise BifError(
                    f"the probability block of '{self.name}' gives the row ({', '.join(configuration)}) twice; keep one"
                )
            self.rows[row], self.filled[row] = numbers, True
        else:
            raise BifError(
                f"a line of the probability block of '{self.name}' has {len(numbers)} numbers; {arity} are needed"
            )

    def _row_of(self, configuration: list[str]) -> int:
        row = 0
        for state, codes in zip(configuration, self.codes, strict=True):
            if state not in codes:
                raise BifError(
                    f"the probability block of '{self.name}' names the state '{state[:SHOWN]}', which is not declared"
                )
            row = row * len(codes) + codes[state]
        return row

    def complete(self) -> np.ndarray:
        """Return the table; raise a BifError if a parent configuration is missing."""
        if self.default is not None:
            self.rows[~self.filled] = self.default
        elif not self.filled.all():
            missing = np.unravel_index(int(np.argmin(self.filled)), [len(codes) for codes in self.codes] or [1])
            shown = ", ".join(
                f"{parent}={states[code]}"
                for (parent, states), code in zip(self.parents.items(), missing, strict=False)
            )
            raise BifError(f"the probability block of '{self.name}' lacks a parent configuration: ({shown})")
        return self.rows
