"""The R script that comes nearest to an experiment, by the package bnlearn; what differs is said in its comments."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from bnengine._core.settings import InR, entry_of, label_of, settings_of, tag_of
from bnengine._core.validation import validated
from bnengine.answers.thresholds import CONVENTION
from bnengine.bootstrap.resampling_methods import ALL_KEYS, NAIVE, RESAMPLING_METHODS, first_shown
from bnengine.experiment.experiment import Experiment
from bnengine.scores.scores import TableScore
from bnengine.search import SEARCHES, Search

# Words of R: strings, vectors, calls and remarks, none of which a name from a file can break out of.

_WIDTH = 110
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NO_LETTER = "\ufffd"  # for what no string of R can hold


def r_text(text: str) -> str:
    r"""Write a string of R.

    >>> print(r_text('say "no"'))
    "say \"no\""
    """
    return '"' + "".join(map(_letter, text)) + '"'


def _letter(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    code = ord(letter)
    if code == 0 or 0xD800 <= code <= 0xDFFF:
        return _NO_LETTER
    if letter.isprintable():
        return letter
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def r_vector(names: Iterable[str]) -> str:
    """Write a vector of strings."""
    return r_call("c", [r_text(name) for name in names])


def r_arcs(edges: Iterable[Sequence[str]]) -> str:
    """Write edges as the two columns, from and to, that bnlearn takes; one edge a line."""
    ends = ["c(" + ",\n  ".join(f"{r_text(parent)}, {r_text(child)}" for parent, child in edges) + ")"]
    return r_call("matrix", [*ends, "ncol = 2", "byrow = TRUE", 'dimnames = list(NULL, c("from", "to"))'])


def r_call(function: str, arguments: Sequence[str]) -> str:
    """Write a call; one argument per line if it is long."""
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return line
    return f"{function}(\n  " + ",\n  ".join(one.replace("\n", "\n  ") for one in arguments) + "\n)"


def r_remark(text: str) -> list[str]:
    """Write a comment, line by line; an indented one is code and stays one line."""
    words = " ".join(text.splitlines())
    return [f"# {line}" for line in ([words] if words.startswith(" ") else textwrap.wrap(words, _WIDTH - 2))]


#: The table that the script reads: the data after their treatment, as a network is learned from them.
TREATED = "learned_from.csv"
_EXPERIMENTS = (
    "All rows are taken as observed here, also those in which an experiment set a variable. Of bnlearn's scores mbde "
    'leaves such rows out: score = "mbde", exp = a list that names for each variable the rows in which it was set.'
)
_WITH_PRIOR = ("bde", "bds")  # bnlearn's scores that take a prior over graphs
_R_SEEDS = 2**31
_LARGEST_EXPONENT = 700.0  # beyond it exp overflows


@validated
def r_script(experiment: Experiment, file: str = TREATED) -> str:
    """Write the R script that comes nearest to an experiment, by the package bnlearn (Scutari 2010).

    Parameters
    ----------
    experiment : Experiment
        Its treatment of the data is not repeated: the script reads the treated table.
    file : str
        The name of that table, a CSV file.

    Returns
    -------
    str
        Comments say what bnlearn does otherwise, and what it does not have. R draws other random numbers, so results
        agree in distribution at best.

    Examples
    --------
    >>> import bnengine as bn
    >>> script = bn.settings.r_script(bn.Experiment(score=bn.BDeu(10), search=bn.Tabu(), methods=("bootstrap",)))
    >>> [line for line in script.splitlines() if line.startswith("graph")]
    ['graph <- learn(data)']
    """
    parts = [
        _data(file, experiment),
        _constraints(experiment),
        _arguments(experiment),
        _learning(experiment),
        _resampling(experiment),
        _averaging(experiment),
    ]
    return "\n".join("\n".join(part) + "\n" for part in parts if part)


def _data(file: str, experiment: Experiment) -> list[str]:
    return [
        *r_remark("The nearest calls of the R package bnlearn; comments say what differs."),
        "library(bnlearn)",
        "",
        *r_remark("The table after its treatment; a session saved with its data holds it. In Python:"),
        *r_remark(f"    data.to_frame().to_csv({r_text(file)}, index=False)"),
        *r_remark("A state that no row has is no level here, so a score may count fewer parameters than ours."),
        *(r_remark(_EXPERIMENTS) if experiment.data.interventions else []),
        r_call(
            "data <- read.csv",
            [r_text(file), 'colClasses = "factor"', "check.names = FALSE", "na.strings = character(0)"],
        ),
        *_seed(experiment.seed),
    ]


def _seed(seed: int) -> list[str]:
    """Set R's seed, which is a whole number of 32 bits."""
    line = f"set.seed({seed % _R_SEEDS})  # R draws other numbers than Python: results agree in distribution at best"
    if seed < _R_SEEDS:
        return [line]
    return [*r_remark(f"R takes seeds below {_R_SEEDS}; {seed} is taken by its remainder."), line]


def _constraints(experiment: Experiment) -> list[str]:
    """Write the required and forbidden edges as bnlearn's whitelist and blacklist."""
    given, lines = experiment.constraints, []
    if given.required:
        lines.append(f"whitelist <- {r_arcs(given.required)}")
    forbidden = [r_arcs(given.forbidden)] if given.forbidden else []
    tiers = [r_vector(tier) for tier in given.tiers if tier]
    if len(tiers) > 1:
        forbidden.append(r_call("tiers2blacklist", [r_call("list", tiers)]))
    if hasattr(experiment.search, "ordering"):
        ordering: tuple[str, ...] | None = experiment.search.ordering
        forbidden.append(f"ordering2blacklist({'names(data)' if ordering is None else r_vector(ordering)})")
    if forbidden:
        lines.append(f"blacklist <- {forbidden[0] if len(forbidden) == 1 else r_call('rbind', forbidden)}")
    return lines


def _named(experiment: Experiment) -> list[str]:
    """Return the arguments for the constraints, if any."""
    lines = _constraints(experiment)
    return [f"{name} = {name}" for name in ("whitelist", "blacklist") if any(one.startswith(name) for one in lines)]


def _arguments(experiment: Experiment) -> list[str]:
    """Write ``arguments``, which every call of the search is given."""
    if tag_of(experiment.search) == "chow_liu":
        remark = (
            "chow.liu weighs pairs by mutual information and joins all variables to one tree, whatever the score; it "
            "takes a required or forbidden edge in both directions. bnengine leaves out edges that do not gain."
        )
        return [*r_remark(remark), f"arguments <- {r_call('list', _named(experiment))}"]
    score, remarks = _score(experiment)
    search, more = _search(experiment)
    listed = r_call("list", [*score, *search, *_named(experiment)])
    return [*(line for remark in remarks + more for line in r_remark(remark)), f"arguments <- {listed}"]


def _score(experiment: Experiment) -> tuple[list[str], list[str]]:
    """Return the arguments for the score and its structure prior, and what differs."""
    name = _in_r(experiment.score).name
    remarks = _remarks(experiment.score, "score", f'"{name}"')
    given = [f"score = {r_text(name)}", *_taken(experiment.score)]
    if experiment.uniform_parent_sizes:
        remarks.append("bnlearn has no prior that is uniform over the sizes of parent sets; it is left out.")
    if experiment.edge_penalty and name in _WITH_PRIOR:
        beta = 1.0 / (1.0 + math.exp(min(experiment.edge_penalty, _LARGEST_EXPONENT)))
        given += ['prior = "vsp"', f"beta = {beta!r}"]
        remarks.append("The penalty for each edge, as the probability beta of an edge: penalty = log(1 / beta - 1).")
    elif experiment.edge_penalty:
        remarks.append(f'bnlearn has no penalty for each edge with the score "{name}"; it is left out.')
    return given, remarks


def _in_r(owner: Any) -> InR:
    """Return the counterpart of a score or a search; the contract tests name an entry that has none."""
    found = entry_of(owner).in_r
    assert found is not None, f"in_r is missing in the declaration of {label_of(owner)}"
    return found


def _taken(owner: TableScore | Search) -> list[str]:
    """Return the settings that bnlearn has as well, as its arguments."""
    return [f"{argument} = {getattr(owner, name)!r}" for argument, name in _in_r(owner).arguments.items()]


def _remarks(owner: TableScore | Search, what: str, nearest: str) -> list[str]:
    """Say what differs in bnlearn's score or search: another one, or settings that are left out."""
    found = _in_r(owner)
    remarks = [f"{label_of(owner)}: {found.remark}"] if found.remark else []
    if not found.exact:
        return [f"bnlearn has no {what} like {label_of(owner)}; {nearest} is its nearest.", *remarks]
    written = {*found.arguments.values(), "max_parents", "ordering"}
    changed = [one for one in settings_of(type(owner)) if getattr(owner, one.name) != one.default]
    left_out = [f"{one.label.lower()} ({getattr(owner, one.name)})" for one in changed if one.name not in written]
    return [
        *remarks,
        *(f"bnlearn has no such setting of {label_of(owner)}: {one}; it is left out." for one in left_out),
    ]


def _search(experiment: Experiment) -> tuple[list[str], list[str]]:
    """Return the arguments for the search, and what differs."""
    search, name = experiment.search, _in_r(experiment.search).name
    nearest = {_in_r(kind).name: label_of(kind).lower() for kind in SEARCHES.values() if _in_r(kind).exact}[name]
    within = " within the same ordering" if hasattr(search, "ordering") else ""
    given, remarks = _taken(search), _remarks(search, "search", f"{nearest}{within}")
    both = getattr(search, "max_parents", None), experiment.constraints.max_parents
    limits = [int(limit) for limit in both if limit is not None]
    if limits:
        given.append(f"maxp = {max(min(limits), 1)}")
        if min(limits) == 0:
            remarks.append("bnlearn allows no limit of 0 parents; 1 is the smallest.")
    return given, remarks


def _learning(experiment: Experiment) -> list[str]:
    """Write ``learn``, a function of rows, and ``graph``, learned from the given ones."""
    tag = tag_of(experiment.search)
    call = f"do.call({_in_r(experiment.search).name}, c(list(x = rows), arguments))"
    lines = []
    if tag == "chow_liu":
        call = f"cextend({call})"
        lines += r_remark("The tree has no directions; cextend gives it some, from a root of its own choice.")
    lines += r_remark(
        "bnlearn breaks ties in the order of the columns"
        + ("; bnengine draws that order with the seed." if experiment.ties == "drawn" else ", as is asked for here.")
    )
    return [*lines, f"learn <- function(rows) {call}", "graph <- learn(data)", "print(arcs(graph))"]


def _resampling(experiment: Experiment) -> list[str]:
    """Write one table of strengths for each method that bnlearn can repeat."""
    keys = [key for key in ALL_KEYS if key in experiment.methods]
    if not keys:
        return []
    lines = []
    for key in keys:
        if lacking := RESAMPLING_METHODS[key].not_in_r:
            lines += r_remark(f"Method {key}: bnlearn has no {lacking}; the plain bootstrap is its nearest.")
    if experiment.kind == "compelled":
        lines += r_remark("With cpdag = TRUE a reversible edge counts half in each direction; bnengine leaves it out.")
    cpdag = "TRUE" if experiment.kind == "compelled" else "FALSE"
    for key in dict.fromkeys(map(_nearest_method, keys)):
        if key == NAIVE:
            lines.append(f"strength.{key} <- {_bootstrap(experiment, cpdag)}")
            continue
        left_out = "max(1, nrow(data) %/% 10)" if experiment.d is None else str(experiment.d)
        graphs = RESAMPLING_METHODS[key].in_r.format(n=experiment.n, d=left_out)
        call = r_call("custom.strength", [graphs, "nodes = names(data)", f"cpdag = {cpdag}"])
        lines.append(f"strength.{key} <- {call}")
    return lines


def _nearest_method(key: str) -> str:
    return key if RESAMPLING_METHODS[key].in_r else NAIVE


def _bootstrap(experiment: Experiment, cpdag: str) -> str:
    given = ["data", f"R = {experiment.n}"]
    given += [] if experiment.size is None else [f"m = {experiment.size}"]
    given += [f"algorithm = {r_text(_in_r(experiment.search).name)}", "algorithm.args = arguments", f"cpdag = {cpdag}"]
    shuffle = "TRUE" if experiment.ties == "drawn" else "FALSE"
    return r_call("boot.strength", [*given, f"shuffle = {shuffle}"])


def _averaging(experiment: Experiment) -> list[str]:
    """Write the averaged network of the method that is shown."""
    if not experiment.methods:
        return []
    key = str(experiment.averaged) if experiment.averaged in experiment.methods else first_shown(experiment.methods)
    lines = [f"strength <- strength.{_nearest_method(key)}"]
    at = CONVENTION if experiment.threshold is None and experiment.rule == "convention" else experiment.threshold
    if at is not None:
        lines.append(f"averaged <- averaged.network(strength, threshold = {at!r})")
    elif experiment.rule == "mean":
        lines += r_remark("As many edges as the graphs have on average: each pair stands in two rows of the table.")
        lines += [
            "edges <- max(1, round(sum(strength$strength) / 2))",
            "threshold <- sort(strength$strength, decreasing = TRUE)[2 * edges]",
            "averaged <- averaged.network(strength, threshold = threshold - 1e-9)",
        ]
    else:
        if experiment.rule == "permutation":
            lines += r_remark("bnlearn has no threshold by shuffled columns; its own, by L1 distance, is used.")
        lines.append("averaged <- averaged.network(strength)")
    return [*lines, "print(strength[strength$strength > 0, ])", "print(arcs(averaged))"]
