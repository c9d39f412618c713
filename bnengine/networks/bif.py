"""Bayesian networks in the Bayesian Interchange Format (BIF 0.15), and in the like format DSC, which is only read."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NoReturn
from unicodedata import combining, normalize
from urllib.parse import unquote

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.setting_kinds import bounded_name, repeated
from bnengine._core.validation import validated
from bnengine.data import reading_options
from bnengine.data.checked_frame import DataError
from bnengine.data.reading_options import content_of, name_of, write_bytes
from bnengine.networks.network import BayesianNetwork

# An unclosed comment or quotation reaches to the end of the file, so that scanning stays linear.
_TOKEN = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"[^"]*(?:"|\Z)|[{}()\[\]|,;]|[^\s{}()\[\]|,;"]+', re.DOTALL)
#: Number of characters of a word shown in an error message.
SHOWN = 60


@validated
def read_bif(source: str | Path | BinaryIO, title: str | None = None) -> BayesianNetwork:
    """Read a network from a BIF file, plain or gzipped.

    Parameters
    ----------
    source : path or binary file
    title : str, optional
        Overrides the name in the file.

    Returns
    -------
    BayesianNetwork

    Raises
    ------
    DataError
        If the text is not BIF, naming the variable or word at which reading failed, a row of a table is not a
        distribution, the network has a cycle, or it exceeds a limit of ``bnengine.data.reading_options``.

    Examples
    --------
    >>> import io
    >>> text = b"network n { } variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 0.2, 0.8; }"
    >>> read_bif(io.BytesIO(text)).states
    (('x', 'y'),)
    """
    return parsed(content_of(source, name_of(source), reading_options.LIMITS.network_megabytes * 2**20), title)


def parsed(raw: bytes, title: str | None = None, incomplete: list[str] | None = None) -> BayesianNetwork:
    """Return the network in the content of a file of BIF or DSC.

    Rows of tables that are missing or not a number are an error; or else, where there is a list ``incomplete``, they
    are filled evenly, and the list takes the names of the variables.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    parser = Parser(text)
    network = _with_originals(_assemble(*parser.network(), parser.numbered, incomplete), parser.originals)
    return network if title is None else replace(network, title=title)


@validated
def write_bif(network: BayesianNetwork, target: str | Path | BinaryIO) -> None:
    """Write a network as BIF with all digits of its probabilities, so that reading it returns the same network.

    Of its title, letters, digits and underscores are kept. Names are written as identifiers, which is all that some
    programs read (``≤5`` as ``le_5``), with the original ones beside them in a property of the variable, which
    ``read_bif`` reads.

    Parameters
    ----------
    network : BayesianNetwork
    target : path or binary file

    Examples
    --------
    >>> import io
    >>> import bnengine as bn
    >>> buffer = io.BytesIO()
    >>> write_bif(bn.load_network("cancer"), buffer)
    >>> buffer.getvalue().decode().splitlines()[0]
    'network cancer {'
    """
    write_bytes(bif_text(network).encode(), target)


#: A parent configuration, or "table" or "default", and the probabilities that follow it.
Row = tuple[list[str], list[float]]
#: Parents and rows of each variable.
Families = dict[str, tuple[list[str], list[Row]]]


class Parser:
    """Recursive-descent parser over the tokens of a text.

    DSC, which begins with ``belief network``, has more punctuation, which is passed over, and numbers for the states of
    parents.
    """

    def __init__(self, text: str) -> None:
        self.numbered = text.split(None, 1)[:1] == ["belief"]
        passed_over = (":", "=") if self.numbered else ()
        words = (match[0] for match in _TOKEN.finditer(text))
        self.words = (word for word in words if not word.startswith(("//", "/*")) and word not in passed_over)
        self.at = 0
        self.originals: dict[str, list[str]] = {}

    def next(self, whole: bool = False) -> str:
        word = self.next_if_any(whole)
        if word is None:
            raise DataError("the file ends in the middle of a block")
        return word

    def next_if_any(self, whole: bool = False) -> str | None:
        word = next(self.words, None)
        self.at += 1
        bare = word.strip('"') if word is not None and word.startswith('"') else word
        return bare if bare is None or whole else bounded_name(bare)

    def expect(self, *expected: str) -> None:
        for want in expected:
            got = self.next()
            if got != want:
                raise DataError(f"expected '{want}' but found '{got[:SHOWN]}' (word {self.at})")

    def until(self, end: str, whole: bool = False) -> list[str]:
        """Return the words before ``end`` without commas, long ones shortened if not ``whole``; it is consumed."""
        words = []
        while (word := self.next(whole)) != end:
            if word != ",":
                words.append(word)
        return words

    def network(self) -> tuple[str, dict[str, tuple[str, ...]], Families]:
        """Return the title, the states of each variable, and the parents and rows of each probability block."""
        title = "network"
        states: dict[str, tuple[str, ...]] = {}
        families: Families = {}
        while (word := self.next_if_any()) is not None:
            if word == "belief" and self.at == 1:
                self.expect("network")
                title = self.next()
            elif word == "network":
                title = bounded_name(" ".join(self.until("{")) or "network")
                self.until("}")
            elif word == ("node" if self.numbered else "variable"):
                name, declared = self.variable()
                if name in states:
                    raise DataError(f"variable '{name[:SHOWN]}' is declared twice")
                states[name] = declared
                if len(states) > reading_options.LIMITS.columns:
                    raise DataError(f"the file declares more than {reading_options.LIMITS.columns:,} variables")
            elif word == "probability":
                child, parents, rows = self.probability()
                if child in families:
                    raise DataError(f"variable '{child[:SHOWN]}' has two probability blocks; keep one")
                families[child] = (parents, rows)
            else:
                raise DataError(
                    f"expected network, variable or probability but found '{word[:SHOWN]}' (word {self.at})"
                )
        if not states:
            raise DataError("the file declares no variable")
        return title, states, families

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
                    raise DataError(f"variable '{name}' declares {n_states} states but lists {len(declared)}")
                self.expect(";")
            else:
                words = self.until(";", whole=True)
                if words[:2] == [_ORIGINAL, "="]:
                    self.originals[name] = [bounded_name(unquote(one)) for one in words[2:]]
        if not declared:
            raise DataError(f"variable '{name}' lists no states")
        twice = repeated(declared)
        if twice is not None:
            raise DataError(f"variable '{name}' lists the state '{twice}' twice")
        return name, tuple(declared)

    def probability(self) -> tuple[str, list[str], list[Row]]:
        self.expect("(")
        head = self.until(")")
        if not head or head[0] == "|":
            raise DataError(f"a probability block names no variable (word {self.at})")
        child, parents = head[0], [word for word in head[1:] if word != "|"]
        rows: list[Row] = []
        self.expect("{")
        while (word := self.next()) != "}":
            if word == "(":
                rows.append((self.until(")"), self.numbers(child)))
            elif word in ("table", "default"):
                rows.append(([word], self.numbers(child)))
            elif self.numbered:
                rows.append((["table"], self.numbers(child, word)))
            else:
                self.until(";")
        return child, parents, rows

    def numbers(self, child: str, *first: str) -> list[float]:
        """Return the numbers up to the semicolon; one that is not a number (``NaN``) stands for a missing one."""
        words = [*first, *self.until(";")]
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            shown = " ".join(words)[:SHOWN]
            raise DataError(f"the probabilities of '{child}' contain something that is not a number: {shown}") from None
        both = zip(words, numbers, strict=True)
        wrong = next((word for word, number in both if number < 0 or number == math.inf), None)
        if wrong is not None:
            raise DataError(f"the probabilities of '{child}' contain {wrong[:SHOWN]}, which is not a probability")
        return numbers


# Names of variables and states changed, injectively, into names that a file format can hold.

#: An identifier as other programs read it, which know no quotation marks; and words of BIF that are none.
_IDENTIFIER = r"[A-Za-z]\w*"
_RESERVED = {"network", "variable", "probability", "property", "type", "discrete", "table", "default"}
_IN_WORDS = str.maketrans({"≤": "le_", "≥": "ge_", "<": "lt_", ">": "gt_", "–": "_to_", "+": "_plus"})
#: The property that holds the names of a variable and its states where these are no identifiers.
_ORIGINAL = "original"
_ESCAPED = {code: f"%{code:02X}" for code in (*range(32), *b'%",;/')}


def distinct_words(
    words: Sequence[str], holds: Callable[[str], bool], replaced: Callable[[str], str]
) -> dict[str, str]:
    """Return the words, all different: those that a format cannot hold replaced, and numbered where they would meet."""
    taken = {word for word in words if holds(word)}
    tried = Counter[str]()
    made = {}
    for word in words:
        made[word] = word
        if not holds(word):
            stem = new = replaced(word)
            while new in taken:
                tried[stem] += 1
                new = f"{stem}_{tried[stem] + 1}"
            taken.add(new)
            made[word] = new
    return made


def with_identifiers(
    network: BayesianNetwork, reserved: Collection[str] = _RESERVED, integers: bool = True
) -> tuple[BayesianNetwork, dict[str, str]]:
    """Rename the variables and states that are no identifiers of a format (by default BIF), as ≤5 to le_5.

    Identifiers are letters, digits and underscores, a letter first, that are not reserved; with ``integers``, states
    may be such, too. Also returns the new name of each renamed variable, and new states under ``"variable=state"`` (old
    names).
    """
    changed: dict[str, str] = {}

    def unique(words: tuple[str, ...], prefix: str, integers: bool = False) -> tuple[str, ...]:
        def holds(word: str) -> bool:
            fits = re.fullmatch(_IDENTIFIER, word, re.ASCII) or (integers and re.fullmatch("-?[0-9]+", word))
            return bool(fits) and word not in reserved

        def replaced(word: str) -> str:
            text = re.sub(r"^[-−](?=\d)", "minus_", word.replace("<=", "≤").replace(">=", "≥")).translate(_IN_WORDS)
            letters = "".join(letter for letter in normalize("NFKD", text) if not combining(letter))  # ö as o
            stem = re.sub(r"[\W_]+", "_", letters, flags=re.ASCII).strip("_")
            return next(new for new in (stem, f"{stem}_", f"x{stem}") if holds(new))

        made = distinct_words(words, holds, replaced)
        changed.update({prefix + word: new for word, new in made.items() if word != new})
        return tuple(made.values())

    names = unique(network.names, "")
    states = (unique(words, f"{name}=", integers) for name, words in zip(network.names, network.states, strict=True))
    return replace(network, names=names, states=tuple(states)), changed


def bif_text(network: BayesianNetwork) -> str:
    """Write a network as BIF, as ``write_bif`` does."""
    return "\n".join(_lines_of(network, with_identifiers(network)[0])) + "\n"


def _lines_of(network: BayesianNetwork, plain: BayesianNetwork) -> Iterator[str]:
    title = re.sub(r"\W", "_", network.title, flags=re.ASCII)
    yield f"network {title if title not in ('', *_RESERVED) else 'unknown'} {{\n}}"
    for v, (name, states) in enumerate(zip(plain.names, plain.states, strict=True)):
        yield f"variable {name} {{\n  type discrete [ {len(states)} ] {{ {', '.join(states)} }};"
        original = network.names[v], *network.states[v]
        if original != (name, *states):
            quoted = [f'"{word.translate(_ESCAPED)}"' for word in original]
            yield f"  property {_ORIGINAL} = {', '.join(quoted)};"
        yield "}"
    for v, parents in enumerate(plain.parents):
        given = f" | {', '.join(plain.names[p] for p in parents)}" if parents else ""
        yield f"probability ( {plain.names[v]}{given} ) {{"
        configurations = itertools.product(*(plain.states[p] for p in parents))
        for configuration, row in zip(configurations, plain.tables[v], strict=True):
            head = f"({', '.join(configuration)})" if parents else "table"
            yield f"  {head} {', '.join(repr(float(p)) for p in row)};"
        yield "}"


def _with_originals(network: BayesianNetwork, originals: dict[str, list[str]]) -> BayesianNetwork:
    """Return the network with the original names, where a file has them for a variable and all of its states.

    Where two are the same, the network keeps its own.
    """
    both = [(name, *states) for name, states in zip(network.names, network.states, strict=True)]
    kept = [tuple(originals.get(own[0], own)) for own in both]
    kept = [new if len(new) == len(own) else own for new, own in zip(kept, both, strict=True)]
    if any(repeated(words) is not None for words in ([own[0] for own in kept], *(own[1:] for own in kept))):
        return network
    return replace(network, names=tuple(own[0] for own in kept), states=tuple(own[1:] for own in kept))


def _assemble(
    title: str,
    states: dict[str, tuple[str, ...]],
    families: Families,
    numbered: bool = False,
    incomplete: list[str] | None = None,
) -> BayesianNetwork:
    place = {name: v for v, name in enumerate(states)}
    _refuse_large_tables(states, families)
    parents_of_all, tables = [], []
    for name in states:
        parents, rows = families[name]
        parents_of_all.append(tuple(place[parent] for parent in parents))
        known = {parent: states[parent] for parent in parents}
        as_read = {name: tuple(map(str, range(len(own)))) for name, own in known.items()} if numbered else known
        tables.append(_table_of(name, as_read, len(states[name]), rows))
        empty = np.isnan(tables[-1]).any(axis=1)
        if empty.any() and incomplete is None:
            raise _lacks(name, known, int(np.argmax(empty)))
        if empty.any() and incomplete is not None:
            tables[-1][empty] = 1 / len(states[name])
            incomplete.append(name)
    return BayesianNetwork(tuple(states), tuple(states.values()), tuple(parents_of_all), tuple(tables), title)


def _refuse_large_tables(states: dict[str, tuple[str, ...]], families: Families) -> None:
    """Raise a DataError, before any table is built, if a block lacks variables or all have too many cells together."""
    n_cells = 0
    for name in states:
        if name not in families:
            raise DataError(f"variable '{name}' has no probability block")
        parents, _ = families[name]
        for parent in parents:
            if parent not in states:
                raise DataError(f"the probability block of '{name}' names '{parent}', which is not a variable")
        twice = repeated([name, *parents])
        if twice is not None:
            raise DataError(f"the probability block of '{name}' names the parent '{twice}' twice, or is its own parent")
        n_cells += math.prod(len(states[parent]) for parent in parents) * len(states[name])
        if n_cells > reading_options.LIMITS.table_cells:
            raise DataError(
                f"with the {len(parents)} parents of '{name}' the probability tables have more than "
                f"{reading_options.LIMITS.table_cells:,} cells, the limit; remove parents or states"
            )


def _table_of(name: str, parents: dict[str, tuple[str, ...]], arity: int, rows: list[Row]) -> FloatArray:
    """Return the probability table of a variable from the lines of its block; ``parents`` have these states."""
    codes = [{state: code for code, state in enumerate(states)} for states in parents.values()]
    table, default = np.full((math.prod(map(len, codes)), arity), np.nan), None

    def refuse(why: str) -> NoReturn:
        raise DataError(f"the probability block of '{name}' {why}")

    for configuration, numbers in rows:
        if configuration == ["default"] and len(numbers) == arity:
            if default is not None:
                refuse("has two default lines; keep one")
            default = numbers
        elif configuration == ["table"] and len(numbers) == table.size:
            if not np.isnan(table).all():
                refuse("gives its table twice; keep one")
            table[:] = np.array(numbers).reshape(arity, -1).T  # the variable's states vary slowest (BIF 0.15)
        elif len(configuration) == len(codes) and len(numbers) == arity and configuration != ["table"]:
            row = 0
            for state, known in zip(configuration, codes, strict=True):
                if state not in known:
                    refuse(f"names the state '{state[:SHOWN]}', which is not declared")
                row = row * len(known) + known[state]
            if not np.isnan(table[row]).all():
                refuse(f"gives the row ({', '.join(configuration)}) twice; keep one")
            table[row] = numbers
        else:
            raise DataError(
                f"a line of the probability block of '{name}' has {len(numbers)} numbers; {arity} are needed"
            )
    if default is not None:
        table[np.isnan(table[:, 0])] = default
    return table


def _lacks(name: str, parents: dict[str, tuple[str, ...]], row: int) -> DataError:
    """Return the error for a row of a table without probabilities."""
    missing = np.unravel_index(row, [len(states) for states in parents.values()] or [1])
    given = [f"{parent}={states[code]}" for (parent, states), code in zip(parents.items(), missing, strict=False)]
    lacks = f"lacks a parent configuration: ({', '.join(given)})" if given else "lacks its probabilities"
    return DataError(
        f"the probability block of '{name}' {lacks}; fit the network with prior counts, as bn.fit(data, edges, ess=1) "
        "does, or read only its edges by bn.read_graph"
    )
