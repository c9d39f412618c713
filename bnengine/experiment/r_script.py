"""The R script that comes nearest to an experiment, by the package bnlearn; its comments state the differences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bnengine._core.settings import InR, entry_of, label_of, settings_of
from bnengine._core.templates import template
from bnengine._core.validation import accepts, validated
from bnengine.answers.thresholds import CONVENTION
from bnengine.bootstrap.resampling_methods import ALL_KEYS, NAIVE, RESAMPLING_METHODS
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment, shown_method
from bnengine.scores.local_score import needs_states
from bnengine.scores.scores import TableScore
from bnengine.search import SEARCHES, Search

#: The table that the script reads: the data after their treatment, as a network is learned from them.
TREATED = "learned_from.csv"
_R_SEEDS = 2**31
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@validated
@accepts(interventions=True, missing=True, numbers=True)
def r_script(experiment: Experiment, data: Dataset | None = None) -> str:
    """Write the R script that comes nearest to an experiment, by the package bnlearn (Scutari 2010).

    Parameters
    ----------
    experiment : Experiment
        Its treatment of the data is not repeated: the script reads the treated table, ``learned_from.csv``.
    data : Dataset, optional
        The treated data, which say what columns are numbers; without them all have states.

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
    given, search = experiment.constraints, experiment.search
    ordering = (search.ordering or ()) if hasattr(search, "ordering") else None
    tiers = [tier for tier in given.tiers if tier]
    tiers = tiers if len(tiers) > 1 else []
    blacklisted = bool(given.forbidden or tiers or ordering is not None)
    arguments, remarks = _arguments(experiment, data)
    lists = {"whitelist": given.required, "blacklist": blacklisted}
    keys = [key for key in ALL_KEYS if key in experiment.methods]
    left_out = "max(1, nrow(data) %/% 10)" if experiment.d is None else str(experiment.d)
    graphs = {_nearest(key): RESAMPLING_METHODS[key].in_r.format(n=experiment.n, d=left_out) for key in keys}
    name, holes = _in_r(search).name, experiment.data.missing if experiment.data.keeps_missing else ""
    by_convention = experiment.threshold is None and experiment.rule == "convention"
    return template(Path(__file__).with_name("repeat.R"), r=r_text, one_line=one_line).render(
        experiment=experiment,
        file=TREATED,
        numbers=() if data is None else data.numbers,
        most_seeds=_R_SEEDS,
        given=given,
        tiers=tiers,
        ordering=ordering,
        blacklisted=blacklisted,
        remarks=remarks,
        arguments=[*arguments, *(f"{name} = {name}" for name, there in lists.items() if there)],
        search=name,
        holes=holes,
        by_em=bool(holes) and name != "chow.liu",
        drawn_ties=experiment.ties == "drawn",
        lacking={key: RESAMPLING_METHODS[key].not_in_r for key in keys if RESAMPLING_METHODS[key].not_in_r},
        cpdag="TRUE" if experiment.kind == "compelled" else "FALSE",
        strengths=graphs,
        shown=_nearest(shown_method(experiment, keys)) if keys else "",
        threshold=CONVENTION if by_convention else experiment.threshold,
    )


def r_text(text: str) -> str:
    r"""Write a string of R, which no name breaks out of.

    >>> print(r_text('say "no"'))
    "say \"no\""
    """
    return '"' + "".join(map(_letter, text)) + '"'


def one_line(text: str) -> str:
    """Return a text with a space in the place of every character that cannot be printed."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _letter(letter: str) -> str:
    code = ord(letter)
    if code == 0 or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"  # no string of R can hold it
    plain = letter if letter.isprintable() else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return _ESCAPES.get(letter, plain)


def _nearest(key: str) -> str:
    return key if RESAMPLING_METHODS[key].in_r else NAIVE


def _arguments(experiment: Experiment, data: Dataset | None) -> tuple[list[str], list[str]]:
    """Return the arguments for score and search, and what differs in R."""
    score, search = experiment.score, experiment.search
    (name, about), found = _score_in_r(score, data), _in_r(search)
    if found.name == "chow.liu":
        mixed = data is not None and 0 < len(data.numbers) < data.n_variables
        return [], [
            *(["chow.liu takes no table with both numbers and states; the script stops there."] if mixed else []),
            "chow.liu weighs pairs by mutual information and joins all variables to one tree, whatever the score; it "
            "takes a required or forbidden edge in both directions. bnengine leaves out edges that do not gain.",
        ]
    nearest = {_in_r(kind).name: label_of(kind).lower() for kind in SEARCHES.values() if _in_r(kind).exact}[found.name]
    within = " within the same ordering" if hasattr(search, "ordering") else ""
    remarks = [*(about or _remarks(score, "score", f'"{name}"')), *_remarks(search, "search", f"{nearest}{within}")]
    given = [f'score = "{name}"', *_taken(score)]
    if experiment.full_score is not score:
        remarks.append("The structure prior is left out: bnlearn has its own for some scores, set by prior and beta.")
    limits = [limit for limit in (search.max_parents, experiment.constraints.max_parents) if limit is not None]
    if limits and min(limits) == 0:
        remarks.append("bnlearn allows no limit of 0 parents; 1 is the smallest.")
    return [*given, *_taken(search), *(f"maxp = {max(min(limits), 1)}" for _ in limits[:1])], remarks


def _score_in_r(score: TableScore, data: Dataset | None) -> tuple[str, list[str]]:
    """Return bnlearn's name of a score, of a table with numbers that for them, and what differs there."""
    name = _in_r(score).name
    if data is None or needs_states(score):
        return name, []
    name = name.removesuffix("-g")
    if not data.numbers:
        return name, []
    remarks = ["Numbers count by their normal scores, as in bnengine, which also floors their variances."]
    if score.form(data.n_rows).degree > 1:
        remarks.append("bnlearn has no score with the squares of numbers.")
    if len(data.numbers) == data.n_variables:
        return f"{name}-g", remarks
    return f"{name}-cg", [*remarks, "In bnlearn no number can be a parent of a variable with states."]


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
    found, label = _in_r(owner), label_of(owner)
    remarks = [f"{label}: {found.remark}"] if found.remark else []
    if not found.exact:
        return [f"bnlearn has no {what} like {label}; {nearest} is its nearest.", *remarks]
    written = {*found.arguments.values(), "max_parents", "ordering"}
    changed = [one for one in settings_of(type(owner)) if getattr(owner, one.name) != one.default]
    left_out = [f"{one.label.lower()} ({getattr(owner, one.name)})" for one in changed if one.name not in written]
    return [*remarks, *(f"bnlearn has no such setting of {label}: {one}; it is left out." for one in left_out)]
