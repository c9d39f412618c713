"""AIC beside cross-validation, and the larger models that both want (Section 4 of the paper)."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.criteria import CRITERIA, below_best_figure, criteria_figure
from pages._shared.format import counted, gathered, short, tex
from pages._shared.jobs import running
from pages._shared.require_data import own_data
from pages._shared.session import Key, kept


def section() -> None:
    """The criteria along one path of graphs."""
    data = own_data()
    if data is None:
        return
    if data.n_rows < 2 or data.n_variables < 2:
        st.info("Edges and rows to leave out take two variables and two rows at least.")
        return
    top, pictures = st.container(), st.container()
    left, middle, _ = st.columns([2, 2, 3], gap="medium")
    max_parents = int(left.number_input("most parents", 1, 12, **kept(Key.LAB_PATH_PARENTS), step=1))
    ess = float(
        middle.number_input(
            "Dirichlet prior, imaginary rows",
            0.01,
            100.0,
            **kept(Key.LAB_ESS),
            help="For the rows that are left out: with pure maximum likelihood a row whose combination no other row "
            "shows would have probability 0.",
        )
    )
    with pictures:
        path = running.at_once(
            "criteria",
            f"{session.data.key()} {ess!r} {max_parents}",
            lambda tell: bn.teaching.criteria_path(data, ess, max_parents, progress=tell),
            "edges added",
        )
        if path is None:
            return
        draw(path)
    edges = {name: path.best(name) for name in CRITERIA}
    already = "already " if edges["bic"] < min(edges["aic"], edges["leave_one_out"]) else ""
    show.finding(
        f"{session.data.title()}: AIC is highest at **{counted(edges['aic'], 'edge')}**, the log-probability of "
        f"rows left out at **{edges['leave_one_out']:,}**, BIC {already}at **{edges['bic']:,}**.",
        top,
    )
    show.note(
        "Edges are added one by one, always the one that raises AIC most, past AIC's best. Left: each criterion in "
        "nats a row; right: how far it is below its own best. AIC and leaving one row out, each with a network fitted "
        "to all other rows, estimate the same thing, what the fitted network gives to fresh rows, and agree where "
        "every cell has rows (Stone 1977). In sparse tables AIC charges for cells that no row shows, and the rows left "
        "out depend on the imaginary ones. BIC asks for the shorter description instead and charges "
        f"{short(charge(data))} nats a parameter, AIC 1: AIC's graphs are larger. DIC charges twice what bootstrapping "
        "adds, and nothing for an empty cell. The graphs were chosen with all rows: no criterion here sees what "
        "choosing costs.",
        "criteria",
    )
    formulas(path, data)
    table = at_the_best(path)
    show.table(table, {name: f"{title}, nats a row" for name, title in CRITERIA.items()}, decimals=4)
    take_away(
        ("Every graph of the path", path.table, "criteria_path.csv"),
        code=session.settings.experiment().python_data()
        + f"path = bn.teaching.criteria_path(data, ess={ess}, max_parents={max_parents})\n"
        'print(path.table, path.best("aic"), path.best("leave_one_out"), path.best("bic"))\n',
    )


def charge(data: bn.Dataset) -> float:
    """What BIC charges for a parameter, nats."""
    return bn.BIC().form(data.n_rows).penalty


def draw(path: bn.teaching.CriteriaPath) -> None:
    """Both pictures."""
    left, right = st.columns(2, gap="medium")
    show.chart(
        criteria_figure(path, session.dark()),
        "lab_criteria",
        "Log-likelihood, AIC, BIC, DIC and the log-probability of rows left out, against the number of edges",
        left,
    )
    show.chart(
        below_best_figure(path, session.dark()),
        "lab_below_best",
        "How far each criterion is below its own best, against the number of edges",
        right,
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
            rf"\tfrac1N\left(\ell - |\theta|\right) = {tex(line['log_likelihood'])} - "
            rf"\tfrac{{{int(line['parameters'])}}}{{{data.n_rows}}}",
            rf"= {tex(line['aic'])}\ \text{{nats a row}}",
            r"\tfrac1N\textstyle\sum_i \ln P(x_i \mid \theta_{\text{without } i}) = "
            rf"{tex(line['leave_one_out'])}",
        )
    )
