"""What correcting a score leaves: the graph on a resample is chosen there."""

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.scores.correction import correction_refused
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.selection import selection_figure
from pages._shared.format import escaped, gathered, short, tex
from pages._shared.jobs import experiments, running
from pages._shared.require_data import own_data
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

_WORDS = {"exact": "exact", "leading": "½|θ|", "none": "none"}


def section() -> None:
    """Chosen graphs against the data's own, where they were chosen and on the data."""
    data = own_data()
    if data is None:
        return
    top, picture = st.container(), st.container()
    experiment = session.settings.experiment()
    score = experiment.full_score
    corrections = [word for word in _WORDS if correction_refused(score, word) is None]
    correction = tabs(
        "correction on resamples",
        {key: _WORDS[key] for key in corrections},
        Key.LAB_CORRECTION,
        label_visibility="visible",
    )
    with picture:
        made = measured(experiment, data, correction)
        if made is None:
            return
        show.chart(
            selection_figure(made, session.dark()),
            "lab_selection",
            "Scores of the graphs chosen on resamples less that of the data's own graph, there and on the data",
        )
    table = made.table()
    mean, error = table["mean"][0], table["standard_error"][0]
    stuck = int((made.gains < -1e-6).sum())
    show.finding(
        f"Graphs chosen on resamples beat the data's own graph there by **{short(made.gains.mean())} nats** and "
        f"lose to it on the data by **{short(-made.chosen_on_data.mean())}**. The score of the data's own graph itself "
        f"changes by {short(mean)} ± {short(error)} from the data to their resamples.",
        top,
    )
    st.caption(
        f"{made.edges.size:,} resamples; {escaped(experiment.score.name)} and "
        f"{escaped(experiment.search.name)} of the sidebar. The exact correction makes the score of any fixed graph on "
        "resamples the score on the data, on average. But a resample's graph is chosen there, in part for what is "
        "peculiar to that resample: the mean of the best score exceeds the best mean score, and no charge on a fixed "
        f"graph takes that away. {local_optima(stuck, made)}The chosen graphs have "
        f"{short(made.edges.mean())} edges on average, the data's own has "
        f"{made.own_edges}. The data's own graph was chosen on the data in the same way."
    )
    st.latex(
        gathered(
            r"\langle T_{BC}(D_b, G)\rangle_b = T(D, G)\ \text{if}\ G\ \text{is fixed}",
            r"\langle \max_G T_{BC}(D_b, G)\rangle_b \,\ge\, \max_G T(D, G)",
            r"\langle T_{BC}(D_b, G_b) - T(D, G_b)\rangle_b",
            rf"= {tex(made.bias)}\ \text{{nats}}",
        )
    )
    show.table(
        table,
        {
            "scored_on": "scored on",
            "mean": "less the data's own on the data, nats",
            "standard_error": "± s.e.",
            "sd": "sd over resamples",
        },
    )
    values = pd.DataFrame(
        {"edges": made.edges, "own": made.own, "chosen": made.chosen, "chosen_on_data": made.chosen_on_data}
    )
    take_away(
        ("Means", table, "selection_bias.csv"),
        ("Every resample", values, "selection_bias_resamples.csv"),
        code=code(experiment, correction),
    )


def local_optima(stuck: int, made: bn.teaching.SelectionBias) -> str:
    """A word on searches that ended lower than they might have."""
    if not stuck:
        return ""
    return (
        f"On {stuck} of {made.edges.size} resamples the search ended below the data's own graph, in a local optimum: "
        "part of the loss on the data is the search's. "
    )


def measured(experiment: bn.Experiment, data: bn.Dataset, correction: str) -> bn.teaching.SelectionBias | None:
    """The engine's answer, by a job."""
    if experiments.graph_of(experiment, data) is None:
        return None
    known = session.results.graph(experiment)
    return running.at_once(
        "selection",
        f"{experiment.graph_key} {experiment.n} {correction}",
        lambda tell: bn.teaching.selection_bias(
            data,
            experiment.full_score,
            experiment.search,
            experiment.n,
            correction,
            experiment.constraints,
            experiment.seed,
            tell,
        ),
        "resamples learned from",
        known[1] * experiment.n if known else 0.0,
    )


def code(experiment: bn.Experiment, correction: str) -> str:
    """The lines that repeat the experiment."""
    return experiment.python_data() + (
        f"search = bn.{experiment.search!r}\n"
        f"made = bn.teaching.selection_bias(data, {experiment.python_score()}, search, {experiment.n},\n"
        f"                                  {correction!r}, bn.{experiment.constraints!r}, rng={experiment.seed})\n"
        "print(made.table(), made.bias)\n"
    )
