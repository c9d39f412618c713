"""Bootstrap confidence compared with the posterior: edges summed over all orderings, weighted by exp(score)."""

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.confidence import posterior_figure
from pages._shared.figures.methods import LABELS
from pages._shared.format import counted, escaped, short
from pages._shared.jobs import posteriors
from pages._shared.widgets.later import later

_MOST_VARIABLES = 20
_USUAL_PARENTS = 4  # if the search has no limit

#: Headings by the kind of exp(score).
_HEADINGS = {
    "marginal likelihood": "Comparison with the exact posterior",
    "Schwarz approximation": "Comparison with the approximate posterior",
}


def exact_posterior(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> None:
    """The bootstraps against the exact posterior, or the weights that the score gives, once they are asked for."""
    weight = bn.posterior.score_weight(experiment.full_score, data.n_rows)
    heading = _HEADINGS.get(weight.kind, "Comparison with the normalized weights")
    later(heading, "posterior", ":material/functions:", lambda: compared(study, experiment, data, weight))


def compared(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, weight: bn.posterior.ScoreWeight) -> None:
    """The comparison, started by a click; not for many variables."""
    if data.n_variables > _MOST_VARIABLES:
        show.note(
            f"Exact posteriors are available for up to {_MOST_VARIABLES} variables; these data have "
            f"{data.n_variables}. The sum over all orderings takes twice the work for each further variable.",
            "too many variables",
        )
        return
    limit = experiment.search.max_parents
    posterior = posteriors.posterior_of(experiment, data, _USUAL_PARENTS if limit is None else limit)
    if posterior is None:
        return
    show.note(finding(study, posterior), "posterior", small=False)
    keys = [key for key in ("boot_bc", "boot") if key in study.ensembles]
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


def finding(study: bn.Study, posterior: bn.EdgePosterior) -> str:
    """The expected number of edges, or the sum of their weights, next to the bootstrap's mean number of edges."""
    total, score = short(float(posterior.probability.sum())), escaped(posterior.score)
    if posterior.weight.kind in _HEADINGS:
        expected = f"Under {score}, the expected number of edges is {total}"
    else:
        expected = f"Under {score}, the weights of the edges sum to {total}"
    if "boot" not in study.ensembles:
        return f"{expected}."
    return f"{expected}; the naive bootstrap's graphs have {short(study.mean_edges('boot'))} on average."


def edge_table(study: bn.Study, posterior: bn.EdgePosterior, keys: list[str]) -> pd.DataFrame:
    """One row per edge, the most probable first."""
    names, column = posterior.names, posterior.weight.title.replace(" ", "_")
    i, j = np.nonzero(posterior.probability > 0)
    ends = {"parent": [names[v] for v in i], "child": [names[v] for v in j]}
    confidences = {key: study.confidence(key)[i, j] for key in keys}
    table = pd.DataFrame({**ends, column: posterior.probability[i, j], **confidences})
    return table.sort_values(column, ascending=False, kind="stable")
