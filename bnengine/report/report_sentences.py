"""What a run found, its settings and its data in sentences; what its numbers mean; the literature to cite."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bnengine._core.display import counted, listed, noun, percent, quoted, short
from bnengine._core.settings import Setting, label_of, setting_of, settings_of
from bnengine.answers.reliability import ends_sentence
from bnengine.answers.thresholds import by_rule
from bnengine.answers.verdict import DOUBTFUL, REQUIRED, TOO_LITTLE, UNSURE, Verdict
from bnengine.answers.views import NetworkView
from bnengine.bootstrap.resampling_methods import CORRECTED, LABELS, NAIVE, TITLES
from bnengine.bootstrap.study import Study
from bnengine.data.checked_frame import Values
from bnengine.data.dataset import Dataset
from bnengine.data.missing import MISSING_STATE, OF_COLUMNS, TREATMENTS
from bnengine.data.repairs import REPAIR_KINDS
from bnengine.data.repairs.making import taken_away
from bnengine.experiment.column_lists import NO_DISCRETIZATION
from bnengine.experiment.experiment import RULES, Experiment
from bnengine.experiment.intake import cut_columns
from bnengine.experiment.learning import python_real
from bnengine.experiment.many_states import sparse_remark
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.constraints import Constraints
from bnengine.posterior import EdgePosterior
from bnengine.posterior.bagging import PRIORS_OF_BLOCKS
from bnengine.posterior.representations import BINS
from bnengine.posterior.result import PRIOR_OF_REAL
from bnengine.scores.scores import LEADING_STRENGTH


def python_edges(experiment: Experiment, data: Dataset, view: NetworkView) -> str:
    """Return Python lines that repeat a run and print the view's edges, as the file of edges has them."""
    known, noise, given = view.found.has_posterior, view.found.noise is not None, ""
    other = view.found.preparations is not None and bool(data.numbers)
    lines = experiment.python() + (python_real(experiment, data, noise, other) if known else "")
    more = f"{', noise=noise' if noise else ''}{', preparations=preparations' if other else ''}"
    if view.name != "verdict":
        given = f", {view.name!r}" + ("" if view.threshold is None else f", {view.threshold}")
    return lines + (
        f"found = bn.verdict(study, {'posterior, ' if known else ''}method={view.found.answers.method!r},\n"
        f"                   constraints=bn.{experiment.constraints!r}, data=data{more})\n"
        f"edges = bn.answers.view_table(found, study{given})\n"
        "print(edges.to_string())\n"
    )


# How a table became the data, in the sentences of a paper: rows, missing cells, columns, repairs, cut points.


_MOST_NAMED = 3


def data_in_sentences(recipe: Recipe, data: Dataset) -> list[str]:
    """Say what the data are and how a table became them, as a methods section does; nothing that was not done."""
    columns = counted(data.n_variables, "variable" if data.numbers else "discrete variable")
    columns += f", {len(data.numbers):,} of them kept as numbers" if data.numbers else ""
    size = f"{counted(data.n_rows, 'row')}, {columns}"
    source = f"{recipe.title}, with seed {recipe.seed}" if recipe.source == "network" else recipe.title
    drawn = "rows drawn from the network " if recipe.source == "network" else ""
    parts = [
        f"A Bayesian network was learned from {drawn}{source} ({size})",
        *_repaired(recipe),
        *_kept(recipe),
        *_cut(recipe, data),
        *_missing(recipe, data),
        *_about_rows(recipe, data),
    ]
    return [f"{part[0].upper()}{part[1:]}." if part[:1].islower() else f"{part}." for part in parts]


def repairs_in_words(steps: Sequence[Sequence[str]]) -> str:
    """Say what repairs did, each kind once.

    >>> repairs_in_words([("missing", "q1", "99"), ("missing", "q2", "99", "k. A."), ("date", "q3", "", "year")])
    "99 and k. A. were counted as missing in 'q1' and 'q2'; dates were replaced by a part of them in 'q3'"
    """
    return "; ".join(_clauses(steps))


def filled_in_words(policies: Sequence[Sequence[str]]) -> str:
    """Say what becomes of the missing cells of single columns.

    >>> filled_in_words([("dose", "own_state")])
    "'dose': a missing cell is a state of its own"
    """
    return "; ".join(f"'{name}': {TREATMENTS[how].done}" for name, how in policies)


def _clauses(steps: Sequence[Sequence[str]]) -> Iterator[str]:
    unmade = taken_away(steps)
    for kind in REPAIR_KINDS.values():
        own = [step for step in steps if step[0] == kind.name and tuple(step) not in unmade]
        codes = list(dict.fromkeys(code for step in own for code in step[2:]))
        if own and kind.done:
            columns, were = _some(list(dict.fromkeys(step[1] for step in own))), "was" if len(codes) == 1 else "were"
            yield kind.done.format(codes=listed(codes), were=were, columns=columns)


def _some(names: Sequence[str], what: str = "column") -> str:
    """Name a few columns, or say how many there are."""
    return quoted(names) if len(names) <= _MOST_NAMED else counted(len(names), what)


def _repaired(recipe: Recipe) -> Iterator[str]:
    clauses = list(_clauses(recipe.repairs))
    if clauses:
        yield f"Before learning, {listed(clauses, len(clauses))}"


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
    """Say how many variables were cut into how many bins, by each method, and which were kept as numbers."""
    cut = [
        f"{_some(names, 'variable')} {'was' if len(names) == 1 else 'were'} cut into {bins}"
        for bins, names in cut_columns(recipe, data).items()
    ]
    if cut:
        yield listed(cut, len(cut))
    if data.numbers:
        were = "was kept as a number" if len(data.numbers) == 1 else "were kept as numbers"
        yield f"{_some(data.numbers, 'variable')} {were} and scored by normal scores"
    if recipe.rare:
        yield f"rare states of {_some([one[0] for one in recipe.rare])} were joined"


def _missing(recipe: Recipe, data: Dataset) -> Iterator[str]:
    """Say how many cells are missing and what became of them."""
    if data.missing is not None and data.missing_way is not None:
        n, share = int(data.missing.sum()), percent(float(data.missing.mean()))
        done = TREATMENTS[data.missing_way].done
        if data.missing_way == "drawn":
            how = (
                "by predictive mean matching" if data.numbers else "by draws from a network fitted to what was observed"
            )
            done = f"{done} {how}"
        yield f"{counted(n, 'cell')} ({share}) {'is' if n == 1 else 'are'} missing; {done}"
    elif recipe.source != "network" and not recipe.keeps_missing:
        others = {name for name, _ in recipe.missing_in}
        own = any(MISSING_STATE in states for name, states in zip(data.names, data.states, strict=True)
                  if name not in others)  # fmt: skip
        yield {
            "drop_rows": "rows with a missing cell, if there were any, had been left out",
            "most_common": "where a cell was missing, the variable's most common state was filled in",
            "own_state": TREATMENTS["own_state"].done if own else "no cell is missing",
        }[recipe.missing]
    for how in OF_COLUMNS:
        with_dashes = [step[1] for step in recipe.repairs if step[0] == "none"] if how == "own_state" else []
        names = [one[0] for one in recipe.missing_in if one[1] == how and one[0] not in with_dashes]
        if names:
            yield f"in {_some(names)}, {TREATMENTS[how].done}"


def _about_rows(recipe: Recipe, data: Dataset) -> Iterator[str]:
    if recipe.clusters:
        yield f"'{recipe.clusters}' names the unit that each row is a measurement of"
    if recipe.rows_are == "copies":
        yield "Of equal rows one was kept"
    if recipe.source != "network" or data.dependent is not None:
        yield data.rows_taken.rstrip(".")
    if recipe.interventions:
        yield (
            f"'{recipe.interventions}' names what an experiment set in each row, which does not count for the parents "
            "of what was set"
        )
    if recipe.weights:
        yield f"'{recipe.weights}' says how often each row occurs"
    if recipe.sampling_weights:
        yield f"'{recipe.sampling_weights}' says how many others each row stands for"


# Settings as labels and values in words, from their declarations.

Lines = list[tuple[str, str]]

_OF_A_RUN = ("edge_penalty", "uniform_parent_sizes", "n", "d", "size", "strength", "kind", "seed", "ties")
_NO_TREATMENT = ("source", "name", "fingerprint", "n_rows", "seed")
_LISTED = 12  # states of one variable


def treatment_in_words(recipe: Recipe) -> Lines:
    """Describe where the data come from and how they were treated, leaving out settings at their defaults."""
    lines = [("Source", f"{setting_of(Recipe, 'source').choices[recipe.source]}: {recipe.name}")]
    if recipe.source == "network":
        lines.append(("Rows drawn", f"{recipe.n_rows:,}, with seed {recipe.seed}"))
    if recipe.fingerprint:
        lines.append(("SHA-256 of the file", recipe.fingerprint))
    for one in settings_of(Recipe):
        value = getattr(recipe, one.name)
        if one.name not in _NO_TREATMENT and (value != one.default or one.name == "missing"):
            written = _IN_WORDS.get(one.name)
            lines.append((one.label, written(value) if written else in_words(value, one)))
    return lines


def _treated(lists: Sequence[Sequence[str]]) -> str:
    """Say how single columns are treated: those that are left as they are together."""
    as_is = [one[0] for one in lists if one[1] == NO_DISCRETIZATION]
    others = [f"'{one[0]}': {', '.join(one[1:])}" for one in lists if one[1] != NO_DISCRETIZATION]
    return "; ".join([*others, *([f"not cut: {quoted(as_is)}"] if as_is else [])])


_IN_WORDS: dict[str, Callable[[Any], str]] = {
    "repairs": repairs_in_words,
    "leave_out": quoted,
    "per_column": _treated,
    "missing_in": filled_in_words,
}


def settings_in_words(experiment: Experiment) -> Lines:
    """Describe score, search, constraints and resampling, each with all its settings."""
    lines = []
    for title, owner in (("Score", experiment.prior_named), ("Search", experiment.search)):
        own = [f"{one.label[0].lower()}{one.label[1:]}: {in_words(getattr(owner, one.name), one)}"
               for one in settings_of(type(owner))]  # fmt: skip
        lines.append((title, "; ".join([label_of(owner), *own])))
    lines += constraints_in_words(experiment.constraints)
    lines.append(("Methods", "; ".join(LABELS[key] for key in experiment.methods_run)))
    declared = {one.name: one for one in settings_of(Experiment)}
    names = (*_OF_A_RUN, *(["recut"] if experiment.recut else []))
    return lines + [(declared[name].label, in_words(getattr(experiment, name), declared[name])) for name in names]


def constraints_in_words(constraints: Constraints) -> Lines:
    """Describe the constraints that there are."""
    values = [(one, getattr(constraints, one.name)) for one in settings_of(Constraints)]
    return [(one.label, in_words(value, one)) for one, value in values if value]


def at_most(experiment: Experiment) -> str:
    """Return the limit on parents set by search and constraints, as an item of a list; empty if there is none."""
    both = (experiment.search.max_parents, experiment.constraints.max_parents)
    limits = [limit for limit in both if limit is not None]
    return f", at most {counted(min(limits), 'parent')} per variable" if limits else ""


def variables_in_words(data: Dataset) -> list[tuple[str, str, str]]:
    """Describe each variable: the number of its states and the states themselves, or the range of a number."""
    lines = []
    for name, states in zip(data.names, data.states, strict=True):
        if isinstance(states, Values):
            low, high = (f"{float(end):.4g}" for end in (states[0], states[-1]))
            lines.append((name, "number", f"{len(states):,} values from {low} to {high}"))
            continue
        more = f" and {len(states) - _LISTED} more" if len(states) > _LISTED else ""
        lines.append((name, str(len(states)), ", ".join(states[:_LISTED]) + more))
    return lines


def in_words(value: Any, one: Setting) -> str:
    """Write a setting's value."""
    if value is None:
        return one.none or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if one.kind == "choice":
        return one.choices.get(value, str(value))
    if isinstance(value, int):
        return str(value) if one.name == "seed" else f"{value:,} {_unit(value, one)}".strip()
    if isinstance(value, float):
        return f"{value:g} {_unit(value, one)}".strip()
    if isinstance(value, tuple):
        return _listed(value, " → " if one.kind == "edges" else ", ") or "none"
    return str(value)


def _unit(value: float, one: Setting) -> str:
    """Return the setting's unit as it reads after the value, 1 nat per parameter; empty if the label names it."""
    counted_in, per, what = one.unit.partition(" per ")
    if counted_in in one.label.lower().split():
        return ""
    return f"{counted_in.removesuffix('s') if value == 1 else counted_in}{per}{what}"


def _listed(value: tuple[Any, ...], join: str) -> str:
    if all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "; ".join(join.join(map(str, item)) for item in value)


_ALIKE = 0.05  # edges

#: What each number means, and what it does not.
MEANINGS = (
    (
        "Found again (π)",
        "The estimated share of fresh tables of this size from which the same search with the same score would learn "
        "the edge. It is a property of the search and of the sample size. It is not the probability that the edge is "
        "real: a search may find the same false edge in most tables, and miss a real one in most.",
    ),
    (
        "Real",
        "How probably the edge is in the network that the data came from: the mean of the posterior and of the "
        "bias-corrected posteriors of resamples of as many rows and of twice as many, under BDeu(1) and BDeu(10) with "
        f"{PRIOR_OF_REAL}, whatever the score and the search of the run; where a table has numbers, half of it is "
        f"under Gaussian BIC with the numbers kept, and half with each cut into {BINS} states. It assumes that such a "
        "network exists, that no common cause was left unmeasured and that rows are independent, or depend on each "
        "other only within the units or blocks that were named. It does not say "
        "that the parent causes the child: the data cannot tell the directions of equivalent graphs apart. "
        f"{ends_sentence()}",
    ),
    (
        "Naive and corrected confidence",
        "Shares of bootstrap replicates with the edge. Replicates contain dependence that the data do not, so the "
        "naive bootstrap learns too many edges; the correction removes the leading term of this bias (Steck & Jaakkola "
        "2003). A less biased confidence does not make a better network: Broom, Do & Subramanian (2012) report worse "
        "learning with the correction on ALARM and INSURANCE.",
    ),
)


def findings(
    experiment: Experiment, data: Dataset, study: Study, found: Verdict, posterior: EdgePosterior | None
) -> list[str]:
    """Return the sentences on top of the report."""
    done = ", ".join(f"{TITLES[key]} {one.n_graphs} of {one.n_planned}" for key, one in study.ensembles.items())
    sentences = [
        verdict_in_words(found),
        *found.noise_sentences,
        data.rows_taken,
        numbers_of_edges(experiment, data, study, experiment.data.title),
        "Which edges are real was not known when this was written." if posterior is None else "",
        f"The run was stopped early; replicates done: {done}." if study.status == "stopped" else "",
        "" if posterior is None else how_real(posterior),
        "" if found.noise is None else found.noise.summary,
        found.preparation_sentence,
        sparse_remark(data, study.ensembles),
        "" if posterior is None else posterior.warning or "",
    ]
    return [one for one in sentences if one]


def under_in_words(data: Dataset) -> str:
    """Say under which scores, and with which representations of numbers, *real* is a mean."""
    if not data.numbers:
        return "under BDeu(1) and BDeu(10)"
    return (
        f"under {listed([score.name for score in PRIORS_OF_BLOCKS])} with the numbers kept (half of the weight) and "
        f"under BDeu(1) and BDeu(10) with each number cut into {BINS} states of about equally many rows,"
    )


def how_real(posterior: EdgePosterior) -> str:
    """Say what *real* is a mean of, and what its errors cover."""
    if posterior.is_exact:
        return "The posterior was summed exactly over all orderings of the variables: its probabilities have no error."
    parts, over = "", []
    if posterior.n_bags:
        parts = f"Real is the mean of the posterior and of those of {counted(2 * posterior.n_bags, 'resample')}. "
        over.append("the resamples differ in")
    if posterior.n_draws:
        over.append(f"{counted(posterior.n_draws, 'draw')} of the missing cells differ in")
    if posterior.n_chains:
        over.append("chains with different starts and candidate parents differ in, not what all of them miss")
    return f"{parts}Its errors cover what {', and what '.join(over)}."


def numbers_of_edges(experiment: Experiment, data: Dataset, study: Study, title: str) -> str:
    """Say the number of edges learned from the data of that title, and the differences of the bootstraps."""
    given, many = study.mean_edges("data"), "data" in study.ensembles
    edges = f"{counted(given, 'edge')}{' on average' if many else ''}"
    text = f"The {'graphs' if many else 'graph'} learned from {title} ({counted(data.n_rows, 'row')}, "
    text += f"{experiment.score.name}{at_most(experiment)}) {'have' if many else 'has'} {edges}"
    for key, start in ((NAIVE, "; the naive bootstrap finds"), (CORRECTED, ", the corrected bootstrap")):
        if key in study.ensembles:
            by = corrected_by(experiment) if key == CORRECTED else ""
            text += f"{start}{by} {_more_or_fewer(study.mean_edges(key) - given)}"
    return f"{text}."


def corrected_by(experiment: Experiment) -> str:
    """Say the strength of the leading correction; empty for ½ nat, its leading order."""
    if experiment.strength == LEADING_STRENGTH:
        return ""
    return f" of {short(experiment.strength)} {noun(experiment.strength, 'nat')} per parameter"


def verdict_in_words(found: Verdict, strong: Callable[[str], str] = str) -> str:
    """Say the number of edges, in either direction, by verdict; ``strong`` writes a number that is to stand out."""
    counts = found.counts()
    first, demanded = found.kinds[0], counts.get(REQUIRED, 0)
    beside = sum(counts.values()) - counts[found.kinds[-1]] - demanded
    which = f"{demanded:,} {'more' if beside else noun(demanded, 'edge')} {_are(demanded)}"
    n, more = counts[first], f" {which} required by constraints." if demanded else ""
    if n_several := len(found.several):
        depend = "depends" if n_several == 1 else "depend"
        more += f" {strong(counted(n_several, 'variable'))} {depend} on one of several others; on which one is open."
    start = f"{strong(counted(n, 'edge') if n else 'No edge')} {_are(max(n, 1))}"
    if not found.has_posterior:
        return f"{start} found again in more than half of fresh tables ({TITLES[found.answers.method]}).{more}"
    doubtful, scarce, unsure = counts[DOUBTFUL], counts[TOO_LITTLE], counts[UNSURE]
    if not doubtful and not scarce and not unsure and not found.noise_sentences and not found.n_weak:
        return f"{start} found again {'and real; none is doubtful' if n else 'or real'}.{more}"
    text = f"{start} found again and real"
    if found.noise_sentences:
        text = f"{strong(counted(n, 'edge'))} {'has' if n == 1 else 'have'} {first}"
    if found.n_weak:
        text += " (it is weak)" if found.n_weak == n == 1 else f" ({found.n_weak:,} of them weak)"
    if doubtful:
        text += f", {strong(f'{doubtful:,}')} {_are(doubtful)} doubtful"
    further = [f"for {strong(f'{scarce:,}')} there is too little data"] if scarce else []
    further += [f"for {strong(f'{unsure:,}')} the data cannot say"] if unsure else []
    return f"{', '.join([text, *further[:-1]])}{f', and {further[-1]}' if further else ''}.{more}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _more_or_fewer(difference: float) -> str:
    if abs(difference) < _ALIKE:
        return "as many"
    return f"{abs(difference):,.1f} {'more' if difference > 0 else 'fewer'}"


# The averaged network's threshold: why this one, and how stable the edges are that it keeps.

_STRONG, _ONE_WAY = 0.95, 0.75


def rule_of(experiment: Experiment, study: Study, method: str, threshold: float) -> str:
    """Return the rule that suggests a threshold; empty if none does and it was chosen by hand."""
    if experiment.threshold == threshold:
        return ""
    rules = dict.fromkeys((experiment.rule, "mean"))
    quick = (rule for rule in rules if rule != "permutation")
    near = (rule for rule in quick if abs(by_rule(rule, study, method, "adjacency") - threshold) < _NO_STEP)
    return next(near, "permutation" if experiment.rule == "permutation" else "")


_NO_STEP = 1e-9


def why_threshold(rule: str) -> str:
    """Say why a threshold was taken, without the sources in brackets."""
    return f"by the rule: {RULES[rule].partition(' (')[0]}" if rule else "chosen by hand"


def stability_in_words(study: Study, method: str, threshold: float) -> str:
    """Say how often the edges kept are found again, how often in one direction, and how well that is known."""
    network, n_replicates = study.averaged(method, threshold), int(study.ensembles[method].multiplicities.sum())
    if not (n := len(network.edges)):
        return "No edge is kept."
    joined, directed = network.strength[network.adjacency], network.direction[network.adjacency]
    strong, one_way = int((joined >= _STRONG).sum()), int((directed >= _ONE_WAY).sum())
    return (
        f"Of {counted(n, 'edge')} kept, {strong:,} {_are(strong)} found in {percent(_STRONG)} or more of the "
        f"replicates, the weakest in {percent(float(joined.min()))}; {one_way:,} {'has' if one_way == 1 else 'have'} "
        f"the same direction in {percent(_ONE_WAY)} or more of those with the edge. The standard error of a share of "
        f"{n_replicates:,} replicates is at most {short(0.5 / math.sqrt(n_replicates), 2)}."
    )
