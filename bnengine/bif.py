"""Bayesian networks in the Bayesian Interchange Format (BIF 0.15), and the networks that come with the engine."""

from __future__ import annotations

import gzip
import itertools
import math
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from bnengine.network import BayesianNetwork

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"]*"|[{}()\[\]|,;]|[^\s{}()\[\]|,;"]+', re.DOTALL)
_HERE = Path(__file__).parent
#: In an installed package the samples lie inside it, in a checkout beside it.
SAMPLES = _HERE / "sample_data" if (_HERE / "sample_data").exists() else _HERE.parent / "sample_data"


class BifError(ValueError):
    """The text is not a network in BIF; the message says where."""


def network_names() -> list[str]:
    """The bundled networks, alphabetically."""
    return sorted(path.name.removesuffix(".bif") for path in (SAMPLES / "networks").glob("*.bif"))


def load_network(name: str) -> BayesianNetwork:
    """A bundled network by name, such as ``"alarm"``; a ValueError lists the names if there is none.

    Examples
    --------
    >>> import bnengine as bn
    >>> alarm = bn.load_network("alarm")
    >>> len(alarm.names), len(alarm.edges), alarm.n_parameters
    (37, 46, 509)
    """
    if name not in network_names():
        raise ValueError(f"no bundled network is named '{name}'; there are {', '.join(network_names())}")
    return read_bif(SAMPLES / "networks" / f"{name}.bif", title=name)


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
        With the variable, or the word, at which reading failed.
    """
    raw = Path(source).read_bytes() if isinstance(source, (str, Path)) else source.read()
    if raw[:2] == b"\x1f\x8b":
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise BifError(f"the gzip file is damaged ({error})") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    network = _Parser(text).network()
    return (
        network
        if title is None
        else BayesianNetwork(network.names, network.states, network.parents, network.tables, title)
    )


def write_bif(network: BayesianNetwork, target: str | Path | BinaryIO) -> None:
    """Write a network as BIF; probabilities keep all their digits, so reading gives the same network back.

    Raises
    ------
    ValueError
        A variable or state whose name BIF cannot hold (white space or one of ``{}()[]|,;"``).
    """
    text = "\n".join(_lines_of(network)) + "\n"
    if isinstance(target, (str, Path)):
        Path(target).write_text(text, encoding="utf-8")
    else:
        target.write(text.encode())


def renamed_for_bif(network: BayesianNetwork) -> tuple[BayesianNetwork, dict[str, str]]:
    """The network with names that BIF can hold, and which names were changed into what.

    Each letter that BIF has no room for becomes an underscore; a name that is then taken gets a number.
    """
    changed: dict[str, str] = {}

    def renamed(words: tuple[str, ...]) -> tuple[str, ...]:
        taken = {word for word in words if _holds(word)}
        made = []
        for word in words:
            new = word
            if not _holds(word):
                stem = re.sub(r'[\s{}()\[\]|,;"]|^/(?=[/*])', "_", word) or "_"
                new = next(name for k in itertools.count(1) if (name := stem if k == 1 else f"{stem}_{k}") not in taken)
                taken.add(new)
                changed[word] = new
            made.append(new)
        return tuple(made)

    names, states = renamed(network.names), tuple(renamed(words) for words in network.states)
    return BayesianNetwork(names, states, network.parents, network.tables, network.title), changed


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


class _Parser:
    """A reader of BIF's words, one after the other."""

    def __init__(self, text: str) -> None:
        words = (word for word in _TOKEN.findall(text) if not word.startswith(("//", "/*")))
        self.words: list[str] = [word.strip('"') if word.startswith('"') else word for word in words]
        self.at = 0

    def next(self) -> str:
        if self.at >= len(self.words):
            raise BifError("the file ends in the middle of a block")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, *expected: str) -> None:
        for want in expected:
            got = self.next()
            if got != want:
                raise BifError(f"expected '{want}' but found '{got}' (word {self.at})")

    def until(self, end: str) -> list[str]:
        """The words before ``end``, commas left out; ``end`` is consumed."""
        words = []
        while (word := self.next()) != end:
            if word != ",":
                words.append(word)
        return words

    def network(self) -> BayesianNetwork:
        title = "network"
        states: dict[str, tuple[str, ...]] = {}
        families: dict[str, tuple[list[str], list[tuple[list[str], list[float]]]]] = {}
        while self.at < len(self.words):
            word = self.next()
            if word == "network":
                title = " ".join(self.until("{")) or "network"
                self.until("}")
            elif word == "variable":
                name, declared = self.variable()
                if name in states:
                    raise BifError(f"variable '{name}' is declared twice")
                states[name] = declared
            elif word == "probability":
                child, parents, rows = self.probability()
                families[child] = (parents, rows)
            else:
                raise BifError(f"expected network, variable or probability but found '{word}' (word {self.at})")
        if not states:
            raise BifError("the file declares no variable")
        return _assemble(title, states, families)

    def variable(self) -> tuple[str, tuple[str, ...]]:
        name = self.next()
        declared: list[str] = []
        self.expect("{")
        while (word := self.next()) != "}":
            if word == "type":
                self.expect("discrete", "[")
                n_states = self.next()
                self.expect("]", "{")
                declared = self.until("}")
                if str(len(declared)) != n_states:
                    raise BifError(f"variable '{name}' announces {n_states} states but lists {len(declared)}")
                self.expect(";")
            else:
                self.until(";")
        if not declared:
            raise BifError(f"variable '{name}' lists no states")
        repeated = [state for state in declared if declared.count(state) > 1]
        if repeated:
            raise BifError(f"variable '{name}' lists the state '{repeated[0]}' twice")
        return name, tuple(declared)

    def probability(self) -> tuple[str, list[str], list[tuple[list[str], list[float]]]]:
        self.expect("(")
        head = self.until(")")
        if not head or head[0] == "|":
            raise BifError(f"a probability block names no variable (word {self.at})")
        child, parents = head[0], [word for word in head[1:] if word != "|"]
        rows: list[tuple[list[str], list[float]]] = []
        self.expect("{")
        while (word := self.next()) != "}":
            if word == "(":
                rows.append((self.until(")"), self.numbers(child)))
            elif word in ("table", "default"):
                rows.append(([word], self.numbers(child)))
            else:
                self.until(";")
        return child, parents, rows

    def numbers(self, child: str) -> list[float]:
        words = self.until(";")
        try:
            return [float(word) for word in words]
        except ValueError:
            raise BifError(
                f"the probabilities of '{child}' contain something that is no number: {' '.join(words)[:60]}"
            ) from None


def _assemble(
    title: str,
    states: dict[str, tuple[str, ...]],
    families: dict[str, tuple[list[str], list[tuple[list[str], list[float]]]]],
) -> BayesianNetwork:
    names = list(states)
    place = {name: v for v, name in enumerate(names)}
    parents_of_all, tables = [], []
    for name in names:
        if name not in families:
            raise BifError(f"variable '{name}' has no probability block")
        parents, rows = families[name]
        for parent in parents:
            if parent not in place:
                raise BifError(f"the probability block of '{name}' names '{parent}', which is not a variable")
            if parent == name or parents.count(parent) > 1:
                raise BifError(
                    f"the probability block of '{name}' names the parent '{parent}' twice, or is its own parent"
                )
        shape = (*(len(states[parent]) for parent in parents), len(states[name]))
        table = np.full((math.prod(shape[:-1]), shape[-1]), np.nan)
        for configuration, numbers in rows:
            _fill(table, name, [states[p] for p in parents], configuration, numbers)
        if np.isnan(table).any():
            raise BifError(f"the probability block of '{name}' lacks a configuration of its parents")
        parents_of_all.append(tuple(place[parent] for parent in parents))
        tables.append(table)
    return BayesianNetwork(tuple(names), tuple(states.values()), tuple(parents_of_all), tuple(tables), title)


def _fill(
    table: np.ndarray, name: str, parent_states: list[tuple[str, ...]], configuration: list[str], numbers: list[float]
) -> None:
    """Write one line of a probability block into the table."""
    if configuration == ["default"] and len(numbers) == table.shape[1]:
        table[np.isnan(table).any(axis=1)] = numbers
    elif configuration == ["table"] and not parent_states and len(numbers) == table.shape[1]:
        table[0] = numbers
    elif configuration == ["table"] and len(numbers) == table.size:
        # a flat table of a child with parents lists the child's states slowest (BIF 0.15)
        table[:] = np.array(numbers).reshape(table.shape[1], table.shape[0]).T
    elif len(configuration) == len(parent_states) and len(numbers) == table.shape[1]:
        row = 0
        for state, declared in zip(configuration, parent_states, strict=True):
            if state not in declared:
                raise BifError(f"the probability block of '{name}' names the state '{state}', which is not declared")
            row = row * len(declared) + declared.index(state)
        table[row] = numbers
    else:
        raise BifError(
            f"a line of the probability block of '{name}' has {len(numbers)} numbers; {table.shape[1]} are needed"
        )
