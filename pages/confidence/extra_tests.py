"""Further questions to a study: paths and blankets, the exact posterior."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.relations import relation_table
from bnengine.bootstrap.resampling_methods import LABELS, TITLES
from bnengine.experiment.learning import python_real
from bnengine.plots.confidence import posterior_figure
from bnengine.posterior import EdgePosterior
from pages.confidence.answer_tables import (
    ERROR_HELP,
    REAL_HELP,
    error_title,
    found_again_titles,
)
from pages.shared import session, show
from pages.shared.downloads import csv_button, take_away
from pages.shared.format import counted, escaped, probability, share, short
from pages.shared.jobs import experiments
from pages.shared.session import Key
from pages.shared.widgets.choice import choice, later, tabs

_RELATIONS = {"path": "Directed path", "blanket": "Markov blanket", "parent": "Common parent"}
_FROM = {"path": "From", "blanket": "Of", "parent": "Of"}
_TO = {"path": "To", "blanket": "Contains", "parent": "And"}
_SAID = {
    "path": "A directed path from **{a}** to **{b}**",
    "blanket": "**{b}** in the Markov blanket of **{a}**",
    "parent": "A common parent of **{a}** and **{b}**",
}
_LIKELY = 0.5


def features(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, real: EdgePosterior | None) -> None:
    """Offer questions about paths, Markov blankets and common parents."""
    if real is None or not study.ensembles or len(real.names) < 2:
        return
    title = "Beyond single edges: paths, Markov blankets, common parents"
    later(title, "features", ":material/route:", lambda: relations(study, experiment, data, real))


def relations(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, real: EdgePosterior) -> None:
    """Show the chosen question, its answers in a sentence, and the same for all other variables in a table."""
    left, middle, right = st.columns([6, 3, 3], gap="medium", vertical_alignment="bottom")
    relation = tabs("Question", _RELATIONS, Key.RELATION, left)
    names = list(real.names)
    one = choice(_FROM[relation], names, Key.RELATION_OF, middle)
    others = [name for name in names if name != one]
    other = choice(_TO[relation], others, Key.RELATION_TO, right)
    table = relation_table(study, session.settings.shown_method(study), real, relation, one)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        show.note(
            relation_sentence(table, relation, one, other, session.settings.shown_method(study)),
            "relation",
            small=False,
        )
        if relation == "blanket":
            show.note(blanket_sentence(table, one), "blanket", small=False)
        take_away(
            ("All variables", table, f"{relation}.csv"),
            code=experiment.python_data() + python_real(experiment, data) + _python(relation, one, other),
        )
    with right:
        show.table(table, _titles(study), height=250)


def relation_sentence(table: pd.DataFrame, relation: str, one: str, other: str, method: str) -> str:
    """Say both answers about one relation."""
    line = table[table["variable"] == other].iloc[0]
    said = _SAID[relation].format(a=escaped(one), b=escaped(other))
    return (
        f"{said}: would be found again in {share(float(line['found_again']))} of fresh tables ({TITLES[method]}); real "
        f"with probability {probability(float(line['real']), float(line['real_error']))} (posterior)."
    )


def blanket_sentence(table: pd.DataFrame, one: str) -> str:
    """Name the variables that are more likely in the Markov blanket than not."""
    inside = [escaped(str(name)) for name in table.loc[table["real"] > _LIKELY, "variable"]]
    if not inside:
        return f"No variable is more likely than not in the Markov blanket of {escaped(one)}."
    return f"More likely than not in the Markov blanket of {escaped(one)}: {', '.join(inside)}."


def _titles(study: bn.Study) -> dict[str, Any]:
    return {
        "variable": "Variable",
        **found_again_titles(session.settings.shown_method(study)),
        "real": ("Real", {"help": REAL_HELP, "format": "%.2f", "width": 80}),
        "real_error": error_title(ERROR_HELP),
    }


def _python(relation: str, one: str, other: str) -> str:
    """Return Python lines for the same question: any function of a graph can be asked about."""
    function = {"path": "descendants", "blanket": "markov_blanket", "parent": "with_common_parent"}[relation]
    return (
        f"from bnengine.posterior.result import {function}\n\n"
        f"one, other = data.names.index({one!r}), data.names.index({other!r})\n"
        f"print(posterior.feature(lambda graph: {function}(graph, one)[other]))\n"
    )


# Bootstrap confidence compared with the posterior: edges summed over all orderings, weighted by exp(score).

_MOST_VARIABLES = 20
_USUAL_PARENTS = 4  # if the search has no limit

#: Headings by the kind of exp(score).
_HEADINGS = {
    "marginal likelihood": "Comparison with the exact posterior",
    "Schwarz approximation": "Comparison with the approximate posterior",
}


def exact_posterior(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> None:
    """Offer the bootstraps against the exact posterior, or the weights that the score gives."""
    weight = bn.posterior.score_weight(experiment.full_score, data.n_rows)
    heading = _HEADINGS.get(weight.kind, "Comparison with the normalized weights")
    later(heading, "posterior", ":material/functions:", lambda: compared(study, experiment, data, weight))


def compared(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, weight: bn.posterior.ScoreWeight) -> None:
    """Show the comparison, started by a click; not for many variables."""
    if data.n_variables > _MOST_VARIABLES:
        show.note(
            f"Exact posteriors are available for up to {_MOST_VARIABLES} variables; these data have "
            f"{data.n_variables}. The sum over all orderings takes twice the work for each further variable.",
            "too many variables",
        )
        return
    limit = experiment.search.max_parents
    posterior = experiments.posterior_of(experiment, data, _USUAL_PARENTS if limit is None else limit)
    if posterior is None:
        return
    show.note(finding(study, posterior), "posterior", small=False)
    keys = [key for key in ("bootstrap_corrected", "bootstrap") if key in study.ensembles]
    for column, key in zip(st.columns(max(len(keys), 1)), keys, strict=False):
        alt = f"Confidence by {LABELS[key]} against the {weight.title} of each edge"
        show.chart(
            posterior_figure(study, posterior, key, session.dark()), f"posterior {key}", alt, column, square=True
        )
    show.note(
        f"Horizontal axis: the {weight.title} of each edge, from all orderings and all graphs with at most "
        f"{counted(posterior.max_parents, 'parent')} per variable, weighted by exp(score) (Koivisto & Sood 2004). "
        f"The score is {escaped(posterior.score)}: {weight.reason}. The bootstrap answers another question: how "
        "often an edge is found again.",
        "weights",
    )
    name = "Posterior" if weight.kind in _HEADINGS else "Weights"
    csv_button(name, edge_table(study, posterior, keys), f"{name.lower()}.csv")


def finding(study: bn.Study, posterior: bn.posterior.EdgePosterior) -> str:
    """Say the expected number of edges, or the sum of their weights, beside the bootstrap's mean number."""
    total, score = short(float(posterior.probability.sum())), escaped(posterior.score)
    if posterior.weight.kind in _HEADINGS:
        expected = f"Under {score}, the expected number of edges is {total}"
    else:
        expected = f"Under {score}, the weights of the edges sum to {total}"
    if "bootstrap" not in study.ensembles:
        return f"{expected}."
    return f"{expected}; the naive bootstrap's graphs have {short(study.mean_edges('bootstrap'))} on average."


def edge_table(study: bn.Study, posterior: bn.posterior.EdgePosterior, keys: list[str]) -> pd.DataFrame:
    """Tabulate one row per edge, the most probable first."""
    names, column = posterior.names, posterior.weight.title.replace(" ", "_")
    i, j = np.nonzero(posterior.probability > 0)
    ends = {"parent": [names[v] for v in i], "child": [names[v] for v in j]}
    confidences = {key: study.confidence(key)[i, j] for key in keys}
    table = pd.DataFrame({**ends, column: posterior.probability[i, j], **confidences})
    return table.sort_values(column, ascending=False, kind="stable")


# The posterior that says which edges are real: worked out last, so that nothing else on the page waits for it.


def when_known(real: EdgePosterior | None, experiment: bn.Experiment, data: bn.Dataset, place: Any) -> None:
    """Start the posterior or show its progress in its place; draw the page again once it is known."""
    with place:
        if real is not None:
            if real.warning:
                show.note(f":material/warning: In the posterior, {escaped(real.warning)}.", "chains disagree")
            if real.status == "stopped":
                experiments.real_again(experiment, data)
            return
        if experiments.real_of(experiment, data) is not None:
            st.rerun()
