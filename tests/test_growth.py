"""No input, whatever it holds, makes work that grows faster than its size."""

import ast
import contextlib
import io
import re
import tracemalloc
from collections import deque
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine._core.setting_kinds import bounded_name
from bnengine.data import words
from bnengine.data.csv_export import without_formula
from bnengine.experiment import saved
from bnengine.graphs.constraints import read_edge, read_edge_list, read_names
from bnengine.graphs.dag import refuse_cycle, topological_order
from bnengine.networks.bif import distinct_words
from tests.growth import grows_linearly
from tests.patience import processor_seconds, yardstick

ROOT = Path(__file__).parent.parent
TAKES_A_PATTERN = re.compile(r"re\.(compile|search|match|fullmatch|split|findall|finditer|sub)")


def patterns():
    """The project's regular expressions; parts of them may be named texts of the same file, or words of languages."""
    found = {}
    for path in [*sorted((ROOT / "bnengine").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]:
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        named = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)]
        known = {"_MULTIPLE_WORDS": "|".join(sorted(words.words("multiple") - {"k"}))}
        names = {ast.unparse(node.targets[0]): node.value.value for node in named}
        calls = [n for n in nodes if isinstance(n, ast.Call) and TAKES_A_PATTERN.fullmatch(ast.unparse(n.func))]
        found |= dict.fromkeys(eval(ast.unparse(call.args[0]), vars(words) | known | names) for call in calls)
    return list(found)


def is_quick(pattern, text, most):
    """Whether a pattern finds all that it matches in some seconds of processor time; a disturbance only adds time."""
    text = text.encode("latin-1", "replace") if isinstance(pattern, bytes) else text
    work = lambda: (re.fullmatch(pattern, text), deque(re.finditer(pattern, text)))  # noqa: E731
    return any(processor_seconds(work) < most for _ in range(3))


def slowest(pattern, most):
    """What a pattern takes far longer on when it is repeated: a letter, or one of its marks, in turn with a letter."""
    letters = dict.fromkeys([" ", "a", "1", "\n", *(mark for mark in str(pattern) if not mark.isalnum())])
    pieces = [one + other for one in list(letters)[:12] for other in ("", " ", "a")]
    cases = ((piece, size) for size in (24, 2**13) for piece in pieces)
    return next((one for one, size in cases if not is_quick(pattern, one * (size // len(one)) + "\x01", most)), None)


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time():
    """A step for each character takes a two-hundredth of the yardstick, its square seven yardsticks."""
    found, most = patterns(), yardstick()
    assert len(found) > 10
    assert {one: piece for one in found if (piece := slowest(one, most)) is not None} == {}
    assert slowest(r"\s*(?:->|→)\s*", most) is not None  # which was once among them


def chain(n):
    return [(f"v{k}", f"v{k + 1}") for k in range(n)]


def attempted(function, *arguments):
    """Called so that a refusal counts as work, too."""

    def call():
        with contextlib.suppress(ValueError):
            function(*arguments)

    return call


def matrix_of_chain(n):
    adjacency = np.zeros((n, n), dtype=bool)
    adjacency[np.arange(n - 1), np.arange(1, n)] = True
    return adjacency


def bif_of_chain(n):
    lines = ["network x {\n}", *(f"variable v{k} {{ type discrete [ 2 ] {{ a, b }}; }}" for k in range(n))]
    lines += ["probability ( v0 ) { table .5,.5; }"]
    lines += [f"probability ( v{k} | v{k - 1} ) {{ (a) .5,.5;(b) .5,.5; }}" for k in range(1, n)]
    return "\n".join(lines).encode()


def bif_of_states(n):
    """A variable of n states, and a child of one whose probabilities come line by line."""
    states, lines = ", ".join(f"s{k}" for k in range(n)), "".join(f"(s{k}) 1; " for k in range(n))
    text = f"variable x {{ type discrete [ {n} ] {{ {states} }}; }} variable y {{ type discrete [ 1 ] {{ a }}; }}\n"
    text += f"probability ( x ) {{ table 1{', 0' * (n - 1)}; }} probability ( y | x ) {{ {lines} }}"
    return text.encode()


def pairs(n):
    return [(f"c{k}", f"d{k}") for k in range(min(n, 10_000))]


#: What reads what strangers wrote, by what it reads: each prepares a case of size n.
READERS = {
    "an edge in text, blanks": lambda n: attempted(read_edge, "a" + " " * n + "b -> c"),
    "an edge in text, arrows": lambda n: attempted(read_edge, "->" * n),
    "an edge in text, quotes": lambda n: attempted(read_edge, '"' * n + " -> b"),
    "a list of edges, blanks": lambda n: attempted(read_edge_list, b"a" + b" " * n + b"b -> c"),
    "a list of edges, lines": lambda n: attempted(read_edge_list, "\n".join(f"a{k},b{k}" for k in range(n)).encode()),
    "a list of edges, a known network": lambda n: attempted(
        bn.read_graph, io.BytesIO("\n".join(f"{a},{b}" for a, b in chain(min(n, 9_000))).encode())
    ),
    "a list of edges, as of Tetrad": lambda n: attempted(
        read_edge_list, f"Graph Nodes:\n{';' * n}\nGraph Edges:\n1. a --- {'b ' * n}\n".encode()
    ),
    "a chain of edges": lambda n: attempted(refuse_cycle, chain(n)),
    "a chain of edges, backwards": lambda n: attempted(refuse_cycle, chain(n)[::-1]),
    "names in a line": lambda n: attempted(read_names, "a" + " " * n + "b,c"),
    "renamed columns": lambda n: attempted(lambda: bn.Recipe(renamed=pairs(n))),
    "treatments of columns": lambda n: attempted(
        lambda: bn.Recipe(per_column=[(name, "width", "3") for name, _ in pairs(n)])
    ),
    "codes, dates and numbers in cells": lambda n: attempted(
        bn.proposals,
        pd.DataFrame({"x": [f"{k % 28 + 1}.{k % 12 + 1}.{k}" for k in range(n)], "y": [f"<{k},5" for k in range(n)]}),
    ),
    "spellings of states": lambda n: attempted(
        bn.proposals, pd.DataFrame({"x": [f"Ä{k // 2}{'aA'[k % 2]}" for k in range(n)]})
    ),
    "columns to compare": lambda n: attempted(
        bn.proposals, pd.DataFrame({f"c{c}": np.arange(60) % (c % 7 + 2) for c in range(min(n // 40, 300))})
    ),
    "words for a format": lambda n: attempted(
        distinct_words,
        tuple("?" * k for k in range(1, 40)) + tuple(f"?{k}" for k in range(n)),
        str.isalpha,
        lambda w: "_",
    ),
    "formulas in a cell": lambda n: attempted(without_formula, " ';=" * n + "' " * n),
    "a network in BIF": lambda n: attempted(bn.read_bif, io.BytesIO(bif_of_chain(min(n, 9_000)))),
    "a variable in BIF": lambda n: attempted(bn.read_bif, io.BytesIO(bif_of_states(n))),
    "comments in BIF": lambda n: attempted(bn.read_bif, io.BytesIO(b"/* " * n)),
    "quotes in BIF": lambda n: attempted(bn.read_bif, io.BytesIO(b'"' * (2 * n + 1))),
}


@pytest.mark.parametrize("what", READERS)
def test_reading_grows_like_what_is_read(what):
    assert grows_linearly(READERS[what])


def test_cycles_are_looked_for_once_along_each_edge():
    """In a matrix each entry is looked at; a chain was once walked again for each of its ends."""
    assert grows_linearly(lambda n: attempted(topological_order, matrix_of_chain(int(n**0.5 * 8))))


def test_a_link_is_not_unpacked_beyond_its_limit():
    """3,300 letters held 1.9 million; the file's name in them drew a page of 11 MB."""
    plain = bn.Experiment().to_dict()
    plain["data"] |= {"source": "file", "name": ":" * 1_900_000, "fingerprint": ""}
    packed = saved.zlib.compress(saved.json.dumps(plain).encode(), 9)
    flood = saved.base64.urlsafe_b64encode(packed).decode()
    assert len(flood) < 4000
    tracemalloc.start()
    with pytest.raises(ValueError, match="too long: it unpacks to more than 200,000 bytes"):
        bn.Experiment.from_link(flood)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 * saved.LARGEST_LINK


BLANKS = "a" + " " * 20_000 + "b"


@pytest.mark.parametrize(
    "made",
    [
        lambda: bn.Constraints([(BLANKS, "c")]),
        lambda: bn.Constraints(tiers=[[BLANKS]]),
        lambda: bn.K2((BLANKS, "c")),
        lambda: bn.Recipe("file", ":" * 1_900_000),
        lambda: bn.Recipe(renamed=[("a", BLANKS)]),
        lambda: bn.Recipe(columns=[BLANKS]),
    ],
)
def test_a_name_in_settings_has_at_most_500_characters(made):
    with pytest.raises(ValueError, match=r"a text of [0-9,]+ characters is too long; at most 500 are allowed"):
        made()


def test_lists_about_columns_are_no_longer_than_a_table_is_wide():
    with pytest.raises(ValueError, match="a table has at most 10,000 columns"):
        bn.Recipe(renamed=[(f"c{k}", f"d{k}") for k in range(16_000)])
    with pytest.raises(ValueError, match="at most 10,000 names"):
        bn.Recipe(columns=["a"] * 10_001)
    with pytest.raises(bn.DataError, match="name 'a' twice"):
        bn.Recipe(columns=["a", "a"]).prepare(bn.read_table(io.BytesIO(b"a,b\n1,2\n2,1\n")))


def test_long_names_of_a_file_are_shortened_and_stay_different():
    first, second = "x" * 2000, "x" * 1999 + "y"
    frame = bn.read_table(io.BytesIO(f"{first},{second},{'a' * 500}\n1,2,3\n2,1,3\n".encode()))
    assert len(set(frame.columns)) == 3
    assert max(map(len, frame.columns)) == 500
    _, edges = read_edge_list(f"{first},{second}\n".encode())
    assert edges == (tuple(frame.columns[:2]),)  # a known network of the same file still fits
    cells = bn.read_table(io.BytesIO(f"a\n{first}\n{second}\nshort\n".encode()))
    states = bn.Dataset.from_frame(cells).states[0]
    assert len(set(states)) == 3
    assert max(map(len, states)) <= 500


def test_long_names_of_a_network_are_shortened_as_those_of_a_table_are():
    network = bn.read_bif(io.BytesIO(bif_of_chain(2).replace(b"v0", b"v" * 2000)))
    assert network.edges == [(bounded_name("v" * 2000), "v1")]


def test_long_names_of_a_list_of_edges_are_refused():
    with pytest.raises(ValueError, match="a cell is too long"):
        read_edge_list(b"a," + b"x" * 140_000)
