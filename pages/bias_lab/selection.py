"""Selection bias, which correcting the score does not remove."""

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.bias_lab import selection_figure
from pages.shared import jobs, show, state
from pages.shared.downloads import take_away
from pages.shared.format import counted, escaped, short, tex
from pages.shared.keys import Key
from pages.shared.lessons import Subject
from pages.shared.widgets.choice import tabs

_CORRECTIONS = {"leading": "½|θ|", "none": "None"}


def selection_section(subject: Subject) -> None:
    """Compare the graphs chosen on replicates with the graph learned from the data."""
    top, experiment, data = st.container(), subject.experiment, subject.data
    correction = tabs("Correction on replicates", _CORRECTIONS, Key.LAB_CORRECTION, label_visibility="visible")
    picture = st.container()
    with picture:
        made = _measured_selection(experiment, data, correction)
        if made is None:
            return
        alt = "Scores of the graphs chosen on replicates minus that of the learned graph, on replicates and on the data"
        show.chart(selection_figure(made, state.dark()), "lab_selection", alt)
    table = made.table()
    shift = f"{short(table['mean'][0])} ± {short(table['standard_error'][0])}"
    show.finding(
        f"Graphs chosen on replicates score **{short(made.gains.mean())} nats** higher there than the graph learned "
        f"from the data, and **{short(-made.chosen_on_data.mean())}** lower on the data. The learned graph's own score "
        f"changes by {shift}.",
        top,
    )
    stuck = int((made.gains < -1e-6).sum())
    local = (
        f"On {counted(stuck, 'replicate')} the search ended in a local optimum, below the learned graph: part of the "
        "loss on the data is due to the search. "
        if stuck
        else ""
    )
    st.caption(
        f"{counted(made.edges.size, 'replicate')}; {escaped(experiment.score.name)} and "
        f"{escaped(experiment.search.name)}, as in the settings. With the correction, the score of a fixed graph has "
        "to leading order the same mean over replicates as on the data (where cells are empty, ½|θ| is a little too "
        "much). But each replicate's graph is chosen to fit that replicate: "
        f"the mean of the maximum exceeds the maximum of the means, which no penalty per graph removes. {local}The "
        f"chosen graphs have {short(made.edges.mean())} edges on average, the learned graph {made.own_edges}; it was "
        "chosen on the data in the same way. Table: scores minus the learned graph's score on the data."
    )
    show.equations(
        r"\langle T_{BC}(D_b, G)\rangle_b \approx T(D, G)\ \text{if}\ G\ \text{is fixed}",
        r"\langle \max_G T_{BC}(D_b, G)\rangle_b \,\ge\, \max_G T(D, G)",
        r"\langle T_{BC}(D_b, G_b) - T(D, G_b)\rangle_b",
        rf"= {tex(made.bias)}\ \text{{nats}}",
        place=picture,
    )
    titles = {
        "mean": "Mean, nats",
        "standard_error": "± SE, nats",
        "sd": "SD over replicates, nats",
    }
    show.table(table, titles)
    values = pd.DataFrame(
        {"edges": made.edges, "own": made.own, "chosen": made.chosen, "chosen_on_data": made.chosen_on_data}
    )
    take_away(
        ("Means", table, "selection_bias.csv"),
        ("Every replicate", values, "selection_bias_resamples.csv"),
        code=experiment.python_data() + f"search = bn.{experiment.search!r}\n"
        f"made = bn.teaching.selection_bias(data, {experiment.python_score()}, search, {experiment.n},\n"
        f"                                  {correction!r}, bn.{experiment.constraints!r}, rng={experiment.seed})\n"
        "print(made.table(), made.bias)\n",
    )


def _measured_selection(
    experiment: bn.Experiment, data: bn.Dataset, correction: str
) -> bn.teaching.SelectionBias | None:
    """Return the engine's result, computed by a job."""
    learned = (data, experiment.full_score, experiment.search, experiment.n, correction, experiment.constraints)
    return jobs.complete_result_of(
        "selection",
        (data, experiment.graph_key, experiment.n, correction),
        lambda progress: bn.teaching.selection_bias(*learned, rng=experiment.seed, progress=progress),
        "replicates learned from",
    )
