"""How the methods compare: controls, numbers of edges, and pictures of the confidences, Figure 1 and Table 1 first."""

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.edge_answers import EdgeAnswers
from bnengine.bootstrap.permutation_threshold import pooled_above
from bnengine.bootstrap.resampling_methods import ALL_KEYS, CORRECTED, JOINS, LABELS, NAIVE, RESAMPLING_METHODS, TITLES
from bnengine.experiment.paper import HOW_TO_READ, figure1_panel, figure1_panels
from bnengine.plots.bias_lab import in_degree_figure, spurious_figure
from bnengine.plots.confidence import figure1_figure
from bnengine.plots.fit import FIRST, MOST, SURE, overstated_figure
from bnengine.plots.methods import all_edge_counts_figure, edge_count_picture
from bnengine.report.report_sentences import numbers_of_edges
from pages.confidence.answer_tables import (
    about_crosses,
    found_again_by,
    known_over,
    picture_and_table,
    real_sentence,
    what_counts,
)
from pages.shared import in_use, show, state
from pages.shared.downloads import csv_button, take_away
from pages.shared.format import counted, escaped, noun, percent, plus_minus, short
from pages.shared.keys import Key, persistent
from pages.shared.widgets.choice import choice, tabs

_IN_A_ROW = 6
_SURE = 2.0  # standard errors


def compared_methods(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, answers: EdgeAnswers) -> None:
    """Show numbers of edges by method, and the chosen picture; what acts on them stands above them."""
    controls()
    told = [numbers_of_edges(experiment, data, study, in_use.title())]
    show.note(" ".join([*told, *([away] if (away := moved_away(study)) else [])]), "numbers", small=False)
    counts(study)
    view(study, answers)


def moved_away(study: bn.Study) -> str:
    """Say why correcting leads further from the data's own number, if it does by more than two standard errors."""
    if not {NAIVE, CORRECTED} <= set(study.ensembles):
        return ""
    given, naive, corrected = (study.mean_edges(key) for key in ("data", NAIVE, CORRECTED))
    one = study.ensembles[CORRECTED]
    error = one.sd_edges / max(int(one.multiplicities.sum()), 1) ** 0.5
    if not (corrected < naive and abs(corrected - given) > abs(naive - given) + _SURE * error):
        return ""
    return (
        f"The correction moves away from the {short(given)} of the given data: in replicates weak edges drop out at "
        "random, and the correction only takes edges away. Compare corrected with naive, not with the given data."
    )


def counts(study: bn.Study) -> None:
    """Show one number and one small histogram per method."""
    keys = study.keys
    for first in range(0, len(keys), _IN_A_ROW):
        place = st.container(key=Key.small(f"counts {first}"))
        columns = place.columns(min(len(keys), _IN_A_ROW), gap="small", vertical_alignment="bottom")
        for column, key in zip(columns, keys[first : first + _IN_A_ROW], strict=False):
            with column:
                count(study, key)


def count(study: bn.Study, key: str) -> None:
    """Show one method's number of edges and its histogram."""
    if key not in study.ensembles:
        given = study.mean_edges("data")
        st.markdown(f"{LABELS[key]}  \n**{short(given)}** {noun(given, 'edge')}")
        st.caption("learned from the data: the line in each histogram")
        return
    ensemble = study.ensembles[key]
    n = int(ensemble.multiplicities.sum())
    found = f" · strength {short(ensemble.strength)}" if ensemble.correction == "matched" else ""
    st.markdown(
        f"{LABELS[key]}  \n**{plus_minus(ensemble.mean_edges, ensemble.sd_edges)}**{found}",
        help=f"Number of edges, mean ± sd over {counted(n, 'replicate')}.",
    )
    alt = f"Histogram of the number of edges, {LABELS[key]}"
    st.html(edge_count_picture(study, key, state.dark(), alt))


def rows_of_table1(study: bn.Study) -> None:
    """Show the rows of Table 1."""
    table = study.table1()
    edges = map(plus_minus, table["mean"], table["sd"])
    shown = {"method": [LABELS[key] for key in study.keys], "edges": list(edges), "replicates": table["replicates"]}
    show.table(shown, width=420)


# Controls of the Confidence page: strength of the correction, kind of edge, methods.

OPTIONAL = tuple(key for key in ALL_KEYS if key not in ("data", NAIVE, CORRECTED))
_ABOUT_METHODS = "\n\n".join(f"**{LABELS[key]}**: {RESAMPLING_METHODS[key].help}" for key in OPTIONAL)


def controls() -> None:
    """Draw what all pictures of the view depend on: the strength, the kind of edge, the methods."""
    left, right = st.container(key=Key.wide("confidence controls")).columns(2, gap="medium")
    left.slider(
        "Strength of the correction, nats per parameter",
        0.0,
        max(2.0, state.get(Key.STRENGTH)),
        step=0.05,
        **persistent(Key.STRENGTH),
        help="½ is the paper's leading order (Eq. 7); 0 is the naive bootstrap. A change learns every replicate again.",
    )
    what_counts(right)
    st.multiselect(
        "Further methods, beside the naive and the corrected bootstrap",
        OPTIONAL,
        format_func=LABELS.__getitem__,
        **persistent(Key.METHODS),
        help=f"The delete-1 jackknife learns a graph for each row.\n\n{_ABOUT_METHODS}",
    )


# Pictures of the confidences: Figure 1, both answers, overstated edges, numbers of edges, spurious edges, Table 1.

PICTURES = {
    "figure1": "Figure 1",
    "answers": "Two answers",
    "overstated": "Overstated edges",
    "counts": "Numbers of edges",
    "spurious": "Spurious edges",
    "table1": "Table 1",
}


def view(study: bn.Study, answers: EdgeAnswers) -> None:
    """Draw the chosen picture, and the two methods that it compares."""
    left, right = st.columns([3, 1], gap="small", vertical_alignment="center")
    chosen = tabs("Picture", PICTURES, Key.METHODS_VIEW, left)
    if chosen == "answers":
        found_again_by(study, right)
        picture_and_table(answers)
    elif chosen == "counts":
        counts_view(study)
    elif chosen == "spurious":
        spurious(study)
    elif chosen == "table1":
        rows_of_table1(study)
    else:
        (overstated if chosen == "overstated" else figure1)(study, *pair(study, right), answers)


def pair(study: bn.Study, place: "st.delta_generator.DeltaGenerator") -> tuple[str, str]:
    """Draw the choice of two methods to compare; at first the naive and the corrected bootstrap."""
    keys = [key for key in study.ensembles if key != "data"]
    if len(keys) < 2:
        return keys[0] if keys else NAIVE, CORRECTED
    titles = {key: LABELS[key] for key in keys}
    with place.popover("Methods compared", width="stretch"):
        naive = choice("This method", titles, Key.NAIVE_METHOD, first=NAIVE)
        corrected = choice("Compared with", titles, Key.FAIR_METHOD, first=CORRECTED)
    return naive, corrected


def figure1(study: bn.Study, naive: str, corrected: str, answers: EdgeAnswers) -> None:
    """Show Figure 1, and the confidences of the edge that was clicked."""
    kind = answers.kind
    panels, chosen = figure1_panels(study, corrected, naive), state.chosen_edge()
    known = known_over(answers.names)
    for column, (x_key, y_key) in zip(st.columns(max(len(panels), 1), gap="small"), panels, strict=False):
        panel = figure1_panel(study, x_key, y_key, kind)
        show.chart(
            figure1_figure(panel, state.dark(), chosen, kind, known),
            f"figure1 {x_key} {y_key}",
            panel.description,
            column,
            clickable=True,
            square=True,
        )
    table = study.edge_table(kind)
    line = table[(table["parent"] == chosen[0]) & (table["child"] == chosen[1])] if chosen else table.head(0)
    if len(line):
        i, j = (answers.names.index(str(line.iloc[0][end])) for end in ("parent", "child"))
        real = f" {real_sentence(answers, i, j)}" if answers.has_posterior else ""
        show.note(f"{edge_sentence(line.iloc[0], study, kind)}{real}", "chosen edge", small=False)
        return
    own = (
        "Confidences on the given data are shares of repeated runs."
        if "data" in study.ensembles
        else "Confidences on the given data are 0 or 1; their marks are spread sideways."
    )
    of_directed = "" if kind == "directed" else " The numbers of edges above count directed edges."
    st.caption(
        "One mark per edge: point at it for its name, or click it to keep its confidences. "
        f"{HOW_TO_READ} {own}{of_directed}{about_crosses(known)}"
    )


def edge_sentence(line: "pd.Series[object]", study: bn.Study, kind: str) -> str:
    """Say one edge's confidences with their Monte Carlo errors."""
    found = "in" if line["in_data_graph"] else "not in"
    i, j = (study.reference.names.index(str(line[end])) for end in ("parent", "child"))
    shares = ", ".join(
        f"{TITLES[key]} {study.confidence(key, kind)[i, j]:.2f} ± {study.standard_error(key, kind)[i, j]:.2f}"
        for key in study.ensembles
    )
    edge = f"**{escaped(str(line['parent']))} {JOINS[kind]} {escaped(str(line['child']))}**"
    return f"{edge}, {found} the graph learned from the data. Confidence: {shares}."


def overstated(study: bn.Study, naive: str, corrected: str, answers: EdgeAnswers) -> None:
    """Show the difference in confidence between two methods for each edge."""
    kind = answers.kind
    table = study.overstated(naive, corrected, kind) if {naive, corrected} <= set(study.ensembles) else None
    if table is None or not len(table):
        st.info("Run two methods to compare them." if table is None else "Neither method found an edge.")
        return
    higher, lower = (int((sign * table["difference"] > SURE * table["standard_error"]).sum()) for sign in (1, -1))
    alt = f"Confidence of each edge by {TITLES[naive]} and by {TITLES[corrected]}, by the difference"
    place = st.container()
    more = len(table) > FIRST and st.toggle(f"Show {min(MOST, len(table))} edges", **persistent(Key.OVERSTATED_MORE))
    most = MOST if more else FIRST
    show.chart(overstated_figure(table, naive, corrected, kind, state.dark(), most), "overstated", alt, place)
    drawn = f" The {most} most overstated edges are drawn." if most < len(table) else ""
    show.note(
        f"By more than two standard errors of the replicates (bars), the {TITLES[naive]} is more confident than the "
        f"{TITLES[corrected]} of {higher} of {counted(len(table), 'edge')}, less confident of {lower}.{drawn}",
        "overstated",
    )
    csv_button("All differences", answers.beside(table), "overstated.csv")


def counts_view(study: bn.Study) -> None:
    """Show the distribution of the number of edges, one row per method."""
    show.chart(
        all_edge_counts_figure(study, state.dark()),
        "all_counts",
        "Distribution of the number of edges for each method",
        caption="Distribution of the number of edges; each row is scaled to its highest bar.",
    )
    columns = ("edges", "edge_counts"), ("replicates", "multiplicities")
    table = pd.concat(
        pd.DataFrame({"method": key, **{name: getattr(ensemble, values) for name, values in columns}})
        for key, ensemble in study.ensembles.items()
    )
    csv_button("Numbers of edges", table, "numbers_of_edges.csv")


def spurious(study: bn.Study) -> None:
    """Show where spurious edges point."""
    table, degrees = bn.teaching.spurious_edges(study), bn.teaching.in_degrees(study)
    keys = [key for key in (CORRECTED, NAIVE) if key in study.ensembles]
    left, right = st.columns(2, gap="medium")
    alt = "Share of spurious edges by the number of other parents of the child"
    show.chart(spurious_figure(table, state.dark()), "spurious", alt, left)
    show.note(
        f"An edge is spurious if its variables are not adjacent in the graph learned from the data.{shares(table)} "
        "Larger marks represent more edges. A family with more parameters gains more from spurious dependence (Section "
        "3.2), but is also penalized more.",
        "spurious",
        left,
    )
    show.chart(
        in_degree_figure(degrees, keys, state.dark()),
        "in_degree",
        "Mean number of parents of each variable against that in the graph learned from the data",
        right,
        caption="One mark per variable and method. Above the dotted line: more parents than with the given data.",
    )
    take_away(("Spurious edges", table, "spurious.csv"), ("Numbers of parents", degrees, "parents.csv"))


def shares(table: pd.DataFrame) -> str:
    """Return the share of spurious edges among the naive bootstrap's, by the number of other parents of the child."""
    words = {0: "if the child has no other parent", 1: "with one", 2: "with two or more"}
    parts = [
        f"{percent(line.share)} {words[int(line.other_parents)]}" for line in pooled_above(table, NAIVE).itertuples()
    ]
    return f" Naive bootstrap: {', '.join(parts)}." if parts else ""
