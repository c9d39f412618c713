"""Numbers of edges by method: the finding, a histogram for each method, and Table 1."""

import streamlit as st

import bnengine as bn
from bnengine.experiment.real import python_real
from bnengine.experiment.report.document import html_report
from bnengine.experiment.report.sentences import found_again, numbers_of_edges
from bnengine.experiment.two_answers import TwoAnswers, all_answers
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.edge_counts import edge_count_picture
from pages._shared.figures.methods import LABELS
from pages._shared.format import counted, noun, plus_minus, short
from pages._shared.jobs import posteriors
from pages._shared.session import Key
from pages._shared.widgets.later import later

_IN_A_ROW = 6
_SURE = 2.0  # standard errors


def sentence(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> str:
    """The finding: the number of edges learned from the data, and the differences of the bootstraps."""
    return numbers_of_edges(experiment, data, study, session.data.title())


def both(answers: TwoAnswers) -> None:
    """How many edges would be found again, and how many of these are real; without a posterior, only the former."""
    show.note(found_again(answers, "**{}**".format), "both", small=False)


def moved_away(study: bn.Study) -> str:
    """Why correcting leads further from the data's own number, if it does by more than two standard errors."""
    if not {"boot", "boot_bc"} <= set(study.ensembles):
        return ""
    given, naive, corrected = (study.mean_edges(key) for key in ("data", "boot", "boot_bc"))
    one = study.ensembles["boot_bc"]
    error = one.sd_edges / max(int(one.multiplicities.sum()), 1) ** 0.5
    if not (corrected < naive and abs(corrected - given) > abs(naive - given) + _SURE * error):
        return ""
    return (
        f"The correction moves away from the {short(given)} of the given data: in replicates weak edges drop out at "
        "random, and the correction only takes edges away. Compare corrected with naive, not with the given data."
    )


def counts(study: bn.Study) -> None:
    """One number and one small histogram per method."""
    keys = study.keys
    for first in range(0, len(keys), _IN_A_ROW):
        place = st.container(key=Key.small(f"counts {first}"))
        columns = place.columns(min(len(keys), _IN_A_ROW), gap="small", vertical_alignment="bottom")
        for column, key in zip(columns, keys[first : first + _IN_A_ROW], strict=False):
            with column:
                count(study, key)


def count(study: bn.Study, key: str) -> None:
    """One method's number of edges and its histogram."""
    if key not in study.ensembles:
        given = study.mean_edges("data")
        st.markdown(f"{LABELS[key]}  \n**{short(given)}** {noun(given, 'edge')}")
        st.caption("Line in the histograms")
        return
    ensemble = study.ensembles[key]
    n = int(ensemble.multiplicities.sum())
    found = f" · strength {short(ensemble.strength)}" if ensemble.correction == "matched" else ""
    st.markdown(
        f"{LABELS[key]}  \n**{plus_minus(ensemble.mean_edges, ensemble.sd_edges)}**{found}",
        help=f"Number of edges, mean ± sd over {counted(n, 'replicate')}.",
    )
    alt = f"Histogram of the number of edges, {LABELS[key]}"
    st.html(edge_count_picture(study, key, session.dark(), alt))


def downloads(
    study: bn.Study,
    experiment: bn.Experiment,
    data: bn.Dataset,
    answers: TwoAnswers,
    threshold: dict[str, float | None],
) -> None:
    """Downloads, and the code that repeats the run; ``threshold["shown"]`` is that of the network."""
    table = study.table1().reset_index()
    real = posteriors.known_real(experiment)
    take_away(
        ("All edges with both answers", all_answers(study, answers), "edge_confidence.csv"),
        ("Table 1", table, "table1.csv"),
        code=experiment.python() + python_real(experiment, data),
        commands=[bn.command_line(experiment, command) for command in ("confidence", "table1", "report")],
        report=lambda: html_report(experiment, data, study, real, threshold.get("shown")),
        r_code=bn.r_script(experiment),
    )


def table1(study: bn.Study) -> None:
    """The numbers of edges as in the paper's Table 1, once they are asked for."""
    title = "Table 1: number of edges, mean ± sd over the replicates"
    later(title, "table 1", ":material/table_chart:", lambda: rows_of_table1(study))


def rows_of_table1(study: bn.Study) -> None:
    """The rows of Table 1."""
    table = study.table1()
    edges = map(plus_minus, table["mean"], table["sd"])
    shown = {"method": [LABELS[key] for key in study.keys], "edges": list(edges), "replicates": table["replicates"]}
    show.table(shown, width=420)
