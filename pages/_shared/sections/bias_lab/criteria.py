"""AIC beside cross-validation, and the larger models that both want (Section 4 of the paper)."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import section, session
from pages._shared.downloads import csv_button, repeat_popover
from pages._shared.figures.criteria import CRITERIA, below_best_figure, criteria_figure
from pages._shared.format.text import counted, gathered, in_latex, short
from pages._shared.jobs import running
from pages._shared.require_data import own_data


def show() -> None:
    """The criteria along one path of graphs."""
    data = own_data()
    if data is None:
        return
    if data.n_rows < 2 or data.n_variables < 2:
        st.info("Edges and rows to leave out take two variables and two rows at least.")
        return
    finding, pictures = st.container(), st.container()
    left, middle, _ = st.columns([2, 2, 3], gap="medium")
    max_parents = int(
        left.number_input("most parents", 1, 12, key=session.LAB_PATH_PARENTS, persist_state="session", step=1)
    )
    ess = float(
        middle.number_input(
            "Dirichlet prior, imaginary rows",
            0.01,
            100.0,
            key=session.LAB_ESS,
            persist_state="session",
            help="For the rows that are left out: with pure maximum likelihood a row whose combination no other row "
            "shows would have probability 0.",
        )
    )
    with pictures:
        path = running.at_once(
            "criteria",
            f"{session.data_key()} {ess!r} {max_parents}",
            lambda tell: bn.teaching.criteria_path(data, ess, max_parents, progress=tell),
            "edges added",
        )
        if path is None:
            return
        draw(path)
    edges = {name: path.best(name) for name in CRITERIA}
    already = "already " if edges["bic"] < min(edges["aic"], edges["leave_one_out"]) else ""
    finding.markdown(
        f"#### {section.data_title()}: AIC is highest at **{counted(edges['aic'], 'edge')}**, the log-probability of "
        f"rows left out at **{edges['leave_one_out']:,}**, BIC {already}at **{edges['bic']:,}**."
    )
    st.caption(
        "Edges are added one by one, always the one that raises AIC most, past AIC's best. Left: each criterion in "
        "nats a row; right: how far it is below its own best. AIC and leaving one row out, each with a network fitted "
        "to all other rows, estimate the same thing, what the fitted network gives to fresh rows, and agree where "
        "every cell has rows (Stone 1977). In sparse tables AIC charges for cells that no row shows, and the rows left "
        "out depend on the imaginary ones. BIC asks for the shorter description instead and charges "
        f"{short(charge(data))} nats a parameter, AIC 1: AIC's graphs are larger. DIC charges twice what bootstrapping "
        "adds, and nothing for an empty cell. The graphs were chosen with all rows: no criterion here sees what "
        "choosing costs."
    )
    formulas(path, data)
    table = at_the_best(path)
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(f"{title}, nats a row", format="%.4f")
            for name, title in CRITERIA.items()
        },
    )
    with st.container(horizontal=True):
        csv_button("Every graph of the path", path.table, "criteria_path.csv")
        repeat_popover(
            session.experiment().python_data()
            + f"path = bn.teaching.criteria_path(data, ess={ess}, max_parents={max_parents})\n"
            'print(path.table, path.best("aic"), path.best("leave_one_out"), path.best("bic"))\n'
        )


def charge(data: bn.Dataset) -> float:
    """What BIC charges for a parameter, nats."""
    return bn.BIC().form(data.n_rows).penalty


def draw(path: bn.teaching.CriteriaPath) -> None:
    """Both pictures."""
    left, right = st.columns(2, gap="medium")
    left.plotly_chart(
        criteria_figure(path, session.dark()),
        key="lab_criteria",
        theme=None,
        config={"displayModeBar": False},
        alt="Log-likelihood, AIC, BIC, DIC and the log-probability of rows left out, against the number of edges",
    )
    right.plotly_chart(
        below_best_figure(path, session.dark()),
        key="lab_below_best",
        theme=None,
        config={"displayModeBar": False},
        alt="How far each criterion is below its own best, against the number of edges",
    )


def at_the_best(path: bn.teaching.CriteriaPath) -> pd.DataFrame:
    """One line a criterion: the graph at which it is highest, and what all criteria say of that graph."""
    lines = path.table.set_index("edges", drop=False)
    chosen = lines.loc[[path.best(name) for name in CRITERIA], ["edges", "parameters", *CRITERIA]]
    chosen.insert(0, "highest", list(CRITERIA.values()))
    return chosen


def formulas(path: bn.teaching.CriteriaPath, data: bn.Dataset) -> None:
    """Both estimates for the graph that AIC likes best."""
    line = path.table.set_index("edges").loc[path.best("aic")]
    st.latex(
        gathered(
            rf"\tfrac1N\left(\ell - |\theta|\right) = {in_latex(line['log_likelihood'])} - "
            rf"\tfrac{{{int(line['parameters'])}}}{{{data.n_rows}}}",
            rf"= {in_latex(line['aic'])}\ \text{{nats a row}}",
            r"\tfrac1N\textstyle\sum_i \ln P(x_i \mid \theta_{\text{without } i}) = "
            rf"{in_latex(line['leave_one_out'])}",
        )
    )
