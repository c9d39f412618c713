"""How good the learned graph is: what is proved about it, and which other optima the data have."""

import math

import streamlit as st

import bnengine as bn
from bnengine.search.certificate import Certificate
from bnengine.search.optima import Difference, Optima
from pages._shared import session, show
from pages._shared.figures.curves import optima_figure
from pages._shared.format import counted, duration, escaped, listed, short
from pages._shared.jobs import experiments

_MOST_LISTED = 4
_ROUNDING = 1e-6  # nats


def optimality(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Show a sentence on what is proved, and a sentence and a picture on the optima found."""
    if graph.status not in ("optimal", "stopped"):
        proved(data, graph, experiment)
    optima = experiments.optima_of(experiment, data, graph)
    if optima is None or not optima.n_starts:
        return
    place = optima.place_of(graph)
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="center")
    show.note(optima_sentence(optima, graph, place, experiment.search), "optima", left)
    below = max(float(optima.scores[0]) - graph.score, 0.0)
    show.chart(optima_figure(optima, below, session.dark()), "optima", "Optima by their score", right)


def proved(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Show what a search for a proof of some seconds gives."""
    refused = experiments.proof_refused(data)
    found = None if refused else experiments.certificate_of(experiment, data, graph)
    if refused:
        show.note(refused, "certificate")
    elif found is not None:
        show.note(certificate_sentence(*found, graph), "certificate")


def certificate_sentence(made: Certificate, seconds: float, graph: bn.LearnedGraph) -> str:
    """Say what is proved, how long that took, and whether a better graph was met."""
    limit, took = f"no network with at most {counted(made.max_parents, 'parent')} of a variable", duration(seconds)
    if math.isinf(made.gap):
        return f"Nothing is proved about other networks' scores yet ({took})."
    better = "" if made.graph.score <= graph.score + _ROUNDING else " than the best one met on the way"
    if made.status == "optimal":
        text = f"**Proved:** {limit} scores higher{better} ({took})."
    else:
        text = f"{limit[0].upper()}{limit[1:]} can score more than **{short(made.gap)} nats** higher{better} ({took})."
    return text + (f" That one is {short(made.graph.score - graph.score)} nats above this graph." if better else "")


def optima_sentence(optima: Optima, graph: bn.LearnedGraph, place: int | None, search: object) -> str:
    """Say from how many starts this class was reached, how far the next one is, and where it differs."""
    starts = "searches for the best graph, each from another random graph,"
    ahead = float(optima.scores[0]) - graph.score
    if ahead > _ROUNDING:
        higher = int(optima.n_ended[optima.scores > graph.score + _ROUNDING].sum())
        patient = isinstance(search, bn.IteratedLocalSearch)
        remedy = "raise its restarts without improvement" if patient else "choose iterated local search"
        return (
            f"**{higher} of {optima.n_starts}** {starts} end higher than this graph, the best by "
            f"**{short(ahead)} nats**: {remedy}."
        )
    if place is None:
        return f"None of {optima.n_starts} {starts} reaches this graph; the best ends {short(-ahead)} nats lower."
    here = int(optima.n_ended[place])
    text = f"**{'All' if here == optima.n_starts else f'{here} of'} {optima.n_starts}** {starts} end in this "
    if len(optima.scores) < 2:
        return f"{text}equivalence class. They met no other optimum."
    other = 1 if place == 0 else 0  # of equal scores the first need not be this one
    found = optima.differences(max(place, other))
    differences = found if place == 0 else [one._replace(in_best=one.in_other, in_other=one.in_best) for one in found]
    below = float(optima.below_best[other])
    how = f"is **{short(below)} nats** lower" if below > _ROUNDING else "scores the same"
    return (
        f"{text}equivalence class. The next best optimum that they met {how}, and {counted(len(found), 'pair')} of "
        f"variables {'is' if len(found) == 1 else 'are'} joined otherwise: {differences_in_words(differences)}."
    )


def differences_in_words(differences: list[Difference]) -> str:
    """List the pairs that two classes join otherwise, adjacencies first."""
    ordered = sorted(differences, key=lambda one: bool(one.in_best) and bool(one.in_other))
    return listed([_one_difference(one) for one in ordered], _MOST_LISTED, "; ")


def _one_difference(one: Difference) -> str:
    here, there = _edge(one, one.in_best), _edge(one, one.in_other)
    if not one.in_other:
        return f"{here} is missing"
    return f"{there} is added" if not one.in_best else f"{there} instead of {here}"


def _edge(one: Difference, mark: str) -> str:
    first, second = escaped(one.first), escaped(one.second)
    return f"{second} → {first}" if mark == "←" else f"{first} {mark} {second}"
