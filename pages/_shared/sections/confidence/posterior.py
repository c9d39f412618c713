"""The Bayesian answer beside the bootstrap's: edges summed over all orderings, weighted by exp(score)."""

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.posterior import posterior_figure
from pages._shared.format import counted, escaped, short
from pages._shared.jobs import experiments

_MOST_VARIABLES = 20
_USUAL_PARENTS = 4  # where the search has no limit

#: What stands over the section, by the kind of exp(score).
_HEADINGS = {
    "marginal likelihood": "Beside the exact posterior",
    "Schwarz approximation": "Beside the approximate posterior",
}


def exact_posterior(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> None:
    """An expander with the two bootstraps against the exact posterior, or against what this score has in its place."""
    weight = bn.posterior.score_weight(experiment.full_score, data.n_rows)
    with st.expander(_HEADINGS.get(weight.kind, "Beside the normalised weights"), icon=":material/functions:"):
        if data.n_variables > _MOST_VARIABLES:
            show.note(
                "Exact posteriors sum over all orderings, whose work doubles with each variable: offered up to "
                f"{_MOST_VARIABLES} variables; these data have {data.n_variables}.",
                "too many variables",
            )
            return
        limit = experiment.search.max_parents
        posterior = experiments.posterior_of(experiment, data, _USUAL_PARENTS if limit is None else limit)
        if posterior is None:
            return
        show.note(finding(study, posterior), "posterior", small=False)
        keys = [key for key in ("boot_bc", "boot") if key in study.ensembles]
        for column, key in zip(st.columns(max(len(keys), 1)), keys, strict=False):
            show.chart(
                posterior_figure(study, posterior, key, session.dark()),
                f"posterior {key}",
                f"Confidence by {key} against the {weight.title} of each edge",
                column,
            )
        show.note(
            f"Across: the {weight.title} of each edge, summed over all orderings and all graphs with at most "
            f"{counted(posterior.max_parents, 'parent')} a variable that fit them, weighted by exp(score) "
            f"(Koivisto & Sood 2004). Here the score is {escaped(posterior.score)}: {weight.reason}. The bootstrap "
            "answers another question: how often an edge is found again.",
            "weights",
        )
        name = "Posterior" if weight.kind in _HEADINGS else "Weights"
        csv_button(name, edge_table(study, posterior, keys), f"{name.lower()}.csv")


def finding(study: bn.Study, posterior: bn.EdgePosterior) -> str:
    """How many edges are expected, or what their weights add up to, and how many the bootstrap's graphs have."""
    total, score = short(float(posterior.probability.sum())), escaped(posterior.score)
    if posterior.weight.kind in _HEADINGS:
        expected = f"{total} edges are expected under {score}"
    else:
        expected = f"The edges' weights add up to {total} under {score}"
    if "boot" not in study.ensembles:
        return f"{expected}."
    return f"{expected}; the naive bootstrap's graphs have {short(study.mean_edges('boot'))} on average."


def edge_table(study: bn.Study, posterior: bn.EdgePosterior, keys: list[str]) -> pd.DataFrame:
    """One line an edge, the most probable first."""
    names, column = posterior.names, posterior.weight.title.replace(" ", "_")
    i, j = np.nonzero(posterior.probability > 0)
    table = pd.DataFrame(
        {
            "parent": [names[v] for v in i],
            "child": [names[v] for v in j],
            column: posterior.probability[i, j],
            **{key: study.confidence(key)[i, j] for key in keys},
        }
    )
    return table.sort_values(column, ascending=False, kind="stable")
