"""Parser of the Bayesian Interchange Format (BIF 0.15)."""

from __future__ import annotations

import math
import re

from bnengine._core.names import bounded_name, name_too_long, repeated
from bnengine.data import limits
from bnengine.data.dataset import DataError

# An unclosed comment or quotation reaches to the end of the file, so that scanning stays linear.
_TOKEN = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"[^"]*(?:"|\Z)|[{}()\[\]|,;]|[^\s{}()\[\]|,;"]+', re.DOTALL)
#: Number of characters of a word shown in an error message.
SHOWN = 60


class BifError(DataError):
    """Text that is not a network in BIF; the message names the place."""


#: A parent configuration, or "table" or "default", and the probabilities that follow it.
Row = tuple[list[str], list[float]]
#: Parents and rows of each variable.
Families = dict[str, tuple[list[str], list[Row]]]


class Parser:
    """Recursive-descent parser over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.words = (word for match in _TOKEN.finditer(text) if not (word := match[0]).startswith(("//", "/*")))
        self.at = 0

    def next(self) -> str:
        word = self.next_if_any()
        if word is None:
            raise BifError("the file ends in the middle of a block")
        return word

    def next_if_any(self) -> str | None:
        word = next(self.words, None)
        self.at += 1
        return word.strip('"') if word is not None and word.startswith('"') else word

    def expect(self, *expected: str) -> None:
        for want in expected:
            got = self.next()
            if got != want:
                raise BifError(f"expected '{want}' but found '{got[:SHOWN]}' (word {self.at})")

    def until(self, end: str) -> list[str]:
        """Return the words before ``end`` without commas; ``end`` is consumed."""
        words = []
        while (word := self.next()) != end:
            if word != ",":
                words.append(word)
        return words

    def network(self) -> tuple[str, dict[str, tuple[str, ...]], Families]:
        """Return the title, the states of each variable, and the parents and rows of each probability block."""
        title = "network"
        states: dict[str, tuple[str, ...]] = {}
        families: Families = {}
        while (word := self.next_if_any()) is not None:
            if word == "network":
                title = bounded_name(" ".join(self.until("{")) or "network")
                self.until("}")
            elif word == "variable":
                name, declared = self.variable()
                if name in states:
                    raise BifError(f"variable '{name[:SHOWN]}' is declared twice")
                states[name] = declared
                if len(states) > limits.LIMITS.columns:
                    raise BifError(f"the file declares more than {limits.LIMITS.columns:,} variables")
            elif word == "probability":
                child, parents, rows = self.probability()
                if child in families:
                    raise BifError(f"variable '{child[:SHOWN]}' has two probability blocks; keep one")
                families[child] = (parents, rows)
            else:
                raise BifError(f"expected network, variable or probability but found '{word[:SHOWN]}' (word {self.at})")
        if not states:
            raise BifError("the file declares no variable")
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
                    raise BifError(f"variable '{name}' declares {n_states} states but lists {len(declared)}")
                self.expect(";")
            else:
                self.until(";")
        too_long = name_too_long((name, *declared))
        if too_long:
            raise BifError(too_long)
        if not declared:
            raise BifError(f"variable '{name}' lists no states")
        twice = repeated(declared)
        if twice is not None:
            raise BifError(f"variable '{name}' lists the state '{twice}' twice")
        return name, tuple(declared)

    def probability(self) -> tuple[str, list[str], list[Row]]:
        self.expect("(")
        head = self.until(")")
        if not head or head[0] == "|":
            raise BifError(f"a probability block names no variable (word {self.at})")
        child, parents = head[0], [word for word in head[1:] if word != "|"]
        rows: list[Row] = []
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
            numbers = [float(word) for word in words]
        except ValueError:
            shown = " ".join(words)[:SHOWN]
            raise BifError(f"the probabilities of '{child}' contain something that is not a number: {shown}") from None
        wrong = next((word for word, number in zip(words, numbers, strict=True) if not 0 <= number < math.inf), None)
        if wrong is not None:
            raise BifError(f"the probabilities of '{child}' contain {wrong[:SHOWN]}, which is not a probability")
        return numbers
