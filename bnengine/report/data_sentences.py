"""How a table became the data, in the sentences of a paper: rows, missing cells, columns, repairs, cut points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bnengine._core.display import counted, listed, noun, percent, quoted
from bnengine.data.dataset import Dataset
from bnengine.data.rows_and_states import MISSING_STATE, OTHER_STATE
from bnengine.discretization.discretize import BY_INFORMATION, BY_SCORE
from bnengine.experiment.column_lists import BY_HAND, NO_DISCRETIZATION
from bnengine.experiment.recipe import Recipe

#: What repairs of a kind did, before the columns that they did it in.
_DONE = {
    "none": "dashes that may say that there is none were kept as a state",
    "encoding": "text that had been encoded twice was decoded",
    "spellings": "spellings of one value were joined",
    "number": "numbers written as text were read",
    "date": "dates were replaced by a part of them or by the time between two",
    "rare": "rare states were joined",
}
_BINS = {
    "quantile": "bins of equally many rows",
    "width": "bins of equal width",
    "kmeans": "bins around means",
    BY_INFORMATION: "bins that keep mutual information",
    BY_SCORE: "bins chosen by description length",
    BY_HAND: "bins between given cut points",
}
_KEPT = {
    "drawn": "they were filled anew in every replicate, by draws from a network fitted to what was observed",
    "complete_families": "each family was scored on the rows in which it is complete",
}
_FILLED = {
    "own_state": "a missing cell is a state of its own",
    "most_common": "the most common state was filled in",
    "drop_rows": "rows with a missing cell were left out",
}
_MOST_NAMED = 3


def data_in_sentences(recipe: Recipe, data: Dataset) -> list[str]:
    """Say what the data are and how a table became them, as a methods section does; nothing that was not done."""
    size = f"{counted(data.n_rows, 'row')}, {counted(data.n_variables, 'discrete variable')}"
    source = f"{recipe.title}, with seed {recipe.seed}" if recipe.source == "network" else recipe.title
    drawn = "rows drawn from the network " if recipe.source == "network" else ""
    parts = [
        f"A Bayesian network was learned from {drawn}{source} ({size})",
        *_repaired(recipe),
        *_kept(recipe),
        *_cut(recipe, data),
        *_missing(recipe, data),
        *_about_rows(recipe),
    ]
    return [f"{part[0].upper()}{part[1:]}." if part[:1].islower() else f"{part}." for part in parts]


def repairs_in_words(steps: Sequence[Sequence[str]]) -> str:
    """Say what repairs did, each kind once.

    >>> repairs_in_words([("missing", "q1", "99"), ("missing", "q2", "99", "k. A."), ("number", "q1", "point")])
    "99 and k. A. were counted as missing in 'q1' and 'q2'; numbers written as text were read in 'q1'"
    """
    return "; ".join(_clauses(steps))


def filled_in_words(policies: Sequence[Sequence[str]]) -> str:
    """Say what becomes of the missing cells of single columns.

    >>> filled_in_words([("dose", "own_state")])
    "'dose': a missing cell is a state of its own"
    """
    return "; ".join(f"'{name}': {_FILLED[how]}" for name, how in policies)


def _clauses(steps: Sequence[Sequence[str]]) -> Iterator[str]:
    if any(step[0] == "total" for step in steps):
        yield "a last row of totals was left out"
    codes = list(dict.fromkeys(code for step in steps if step[0] == "missing" for code in step[2:]))
    if codes:
        were = "was" if len(codes) == 1 else "were"
        yield f"{listed(codes)} {were} counted as missing in {_some(_of_kind(steps, 'missing'))}"
    for kind, done in _DONE.items():
        if any(step[0] == kind for step in steps):
            yield f"{done} in {_some(_of_kind(steps, kind))}"


def _of_kind(steps: Sequence[Sequence[str]], kind: str) -> list[str]:
    return list(dict.fromkeys(step[1] for step in steps if step[0] == kind))


def _some(names: Sequence[str], what: str = "column") -> str:
    """Name a few columns, or say how many there are."""
    return quoted(names) if len(names) <= _MOST_NAMED else counted(len(names), what)


def _repaired(recipe: Recipe) -> Iterator[str]:
    said = list(_clauses(recipe.repairs))
    if said:
        yield f"Before learning, {listed(said, len(said))}"


def _kept(recipe: Recipe) -> Iterator[str]:
    """Say which columns and rows were left out."""
    if recipe.leave_out:
        were = "was" if len(recipe.leave_out) == 1 else "were"
        yield f"The {noun(len(recipe.leave_out), 'column')} {quoted(recipe.leave_out)} {were} left out"
    if recipe.where:
        yield f"Only rows were used in which {listed([_condition(*one) for one in recipe.where], 4)}"


def _condition(name: str, how: str, *values: str) -> str:
    words = {"is": "is", "is_not": "is not", "at_least": "is at least", "at_most": "is at most"}
    return f"'{name}' {words[how]} {' or '.join(values)}"


def _cut(recipe: Recipe, data: Dataset) -> Iterator[str]:
    """Say how many variables were cut into how many bins, by each method."""
    special = {one[0]: one[1] for one in recipe.per_column}
    former = {one[1]: one[0] for one in recipe.renamed}
    found: dict[tuple[str, int], list[str]] = {}
    for name, states in zip(data.names, data.states, strict=True):
        how = special.get(former.get(name, name), recipe.discretization)
        bins = [state for state in states if state not in (MISSING_STATE, OTHER_STATE)]
        if how != NO_DISCRETIZATION and len(bins) > 1 and bins[0].startswith("≤") and bins[-1].startswith(">"):
            found.setdefault((how, len(bins)), []).append(name)
    cut = [
        f"{_some(names, 'variable')} {'was' if len(names) == 1 else 'were'} cut into {n} {_BINS[how]}"
        for (how, n), names in sorted(found.items())
    ]
    if cut:
        yield listed(cut, len(cut))
    if recipe.rare:
        yield f"rare states of {_some([one[0] for one in recipe.rare])} were joined"


def _missing(recipe: Recipe, data: Dataset) -> Iterator[str]:
    """Say how many cells are missing and what became of them."""
    if data.missing is not None and data.missing_way is not None:
        n, share = int(data.missing.sum()), percent(float(data.missing.mean()))
        yield f"{counted(n, 'cell')} ({share}) {'is' if n == 1 else 'are'} missing; {_KEPT[data.missing_way]}"
    elif recipe.source != "network" and not recipe.keeps_missing:
        others = {name for name, _ in recipe.missing_in}
        own = any(MISSING_STATE in states for name, states in zip(data.names, data.states, strict=True)
                  if name not in others)  # fmt: skip
        yield {
            "drop_rows": "rows with a missing cell, if there were any, had been left out",
            "most_common": "where a cell was missing, the variable's most common state was filled in",
            "own_state": "a missing cell is a state of its own" if own else "no cell is missing",
        }[recipe.missing]
    for how, words in _FILLED.items():
        said = _of_kind(recipe.repairs, "none") if how == "own_state" else []
        names = [one[0] for one in recipe.missing_in if one[1] == how and one[0] not in said]
        if names:
            yield f"in {_some(names)}, {words}"


def _about_rows(recipe: Recipe) -> Iterator[str]:
    if recipe.interventions:
        yield (
            f"'{recipe.interventions}' names what an experiment set in each row, which does not count for the parents "
            "of what was set"
        )
    if recipe.weights:
        yield f"'{recipe.weights}' says how often each row occurs"
