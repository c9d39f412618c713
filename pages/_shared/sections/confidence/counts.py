"""How many edges each method finds: the finding, a histogram for each method, and Table 1."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.edge_counts import edge_count_figure
from pages._shared.figures.methods import TITLES
from pages._shared.format import at_most, counted, escaped, plus_minus, short

_IN_A_ROW = 5
_ALIKE = 0.05  # edges


def sentence(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> str:
    """The finding in numbers."""
    own = study.mean_edges("data")
    text = f"On {escaped(experiment.data.title)} ({data.n_rows:,} rows, {experiment.score.name}{at_most(experiment)}) "
    if "data" in study.ensembles:
        text += f"graphs learned from the data have {short(own)} edges on average"
    else:
        text += f"the data's own graph has {counted(round(own), 'edge')}"
    if "boot" in study.ensembles:
        text += f"; the naive bootstrap finds {more_or_fewer(study.mean_edges('boot') - own)}"
    if "boot_bc" in study.ensembles:
        text += f", the corrected one {more_or_fewer(study.mean_edges('boot_bc') - own)}"
    return text + "."


def more_or_fewer(difference: float) -> str:
    """A difference in numbers of edges."""
    if abs(difference) < _ALIKE:
        return "as many"
    return f"{short(abs(difference))} {'more' if difference > 0 else 'fewer'}"


def counts(study: bn.Study) -> None:
    """One number and one small histogram per method."""
    keys = study.keys
    for first in range(0, len(keys), _IN_A_ROW):
        columns = st.columns(min(len(keys), _IN_A_ROW), gap="small")
        for column, key in zip(columns, keys[first : first + _IN_A_ROW], strict=False):
            with column:
                count(study, key)


def count(study: bn.Study, key: str) -> None:
    """One method's number of edges and its histogram."""
    if key not in study.ensembles:
        st.markdown(f"{TITLES[key]}  \n**{short(study.mean_edges('data'))}** edges")
        st.caption("the line in the histograms")
        return
    ensemble = study.ensembles[key]
    found = f" · strength {short(ensemble.strength)}" if ensemble.correction == "matched" else ""
    st.markdown(
        f"{TITLES[key]}  \n**{plus_minus(ensemble.mean_edges, ensemble.sd_edges)}**{found}",
        help=f"Number of edges, mean ± sd over {int(ensemble.multiplicities.sum()):,} replicates.",
    )
    alt = f"Histogram of the number of edges, {TITLES[key]}"
    show.chart(edge_count_figure(study, key, session.dark()), f"counts {key}", alt)


def table1(study: bn.Study, experiment: bn.Experiment, kind: str) -> None:
    """Downloads, the lines that repeat the run, and the numbers of edges as the paper has them."""
    st.markdown("##### Take it with you")
    table = study.table1().reset_index()
    take_away(
        ("All edges with confidences", study.edge_table(kind), "edge_confidence.csv"),
        ("Table 1", table, "table1.csv"),
        code=experiment.python(kind),
        commands=[bn.command_line(experiment, command, kind) for command in ("confidence", "table1")],
    )
    st.markdown("**Table 1**: number of edges, mean ± sd over the resamples")
    edges = map(plus_minus, table["mean"], table["sd"])
    shown = {"method": [TITLES[key] for key in study.keys], "edges": list(edges), "replicates": table["replicates"]}
    show.table(shown, width=420)
