"""The Bayesian answer beside the bootstrap's: exact posterior probabilities of edges."""

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import running, state
from pages._shared.downloads import csv_button
from pages._shared.figures.posterior import posterior_figure

_MOST_VARIABLES = 20
_MOST_PARENTS = 4


def exact_posterior(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> None:
    """An expander with the two bootstraps against the exact posterior."""
    with st.expander("Beside the exact posterior", icon=":material/functions:"):
        if data.n_variables > _MOST_VARIABLES:
            st.caption(
                "Exact posteriors sum over all orderings, whose work doubles with each variable: offered up to "
                f"{_MOST_VARIABLES} variables; these data have {data.n_variables}."
            )
            return
        posterior = running.posterior_of(experiment, data, _MOST_PARENTS)
        if posterior is None:
            return
        keys = [key for key in ("boot_bc", "boot") if key in study.ensembles]
        for column, key in zip(st.columns(max(len(keys), 1)), keys, strict=False):
            column.plotly_chart(
                posterior_figure(study, posterior, key, state.dark()),
                key=f"posterior {key}",
                theme=None,
                config={"displayModeBar": False},
                alt=f"Confidence by {key} against exact posterior probability",
            )
        st.caption(
            "Across: the probability of each edge given the data, summed over all orderings and all graphs with at "
            f"most {posterior.max_parents} parents that fit them, weighted by exp(score) (Koivisto & Sood 2004). It "
            "answers another question than the bootstrap: how probable an edge is, not how often it is found again."
        )
        names = posterior.names
        i, j = np.nonzero(posterior.probability > 0)
        table = pd.DataFrame(
            {
                "parent": [names[v] for v in i],
                "child": [names[v] for v in j],
                "posterior": posterior.probability[i, j],
                **{key: study.confidence(key)[i, j] for key in keys},
            }
        ).sort_values("posterior", ascending=False, kind="stable")
        csv_button("Posterior", table, "posterior.csv")
