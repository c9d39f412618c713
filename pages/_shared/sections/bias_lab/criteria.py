"""AIC and cross-validation, and the larger models that both prefer (Section 4 of the paper)."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.criteria import CRITERIA, below_best_figure, criteria_figure
from pages._shared.format import counted, gathered, short, tex
from pages._shared.jobs import running
from pages._shared.require_data import own_data
from pages._shared.section import side_by_side
from pages._shared.sections.bias_lab.controls import ess_control
from pages._shared.session import Key, kept


def section() -> None:
    """Compare the criteria along one path of graphs."""
    data = own_data()
    if data is None:
        return
    if data.n_rows < 2 or data.n_variables < 2:
        st.info("Cross-validation of graphs needs at least two variables and two rows.")
        return
    top = st.container()
    left, middle, _ = st.columns([2, 2, 3], gap="medium")
    max_parents = int(left.number_input("Parents per variable, at most", 1, 12, **kept(Key.LAB_PATH_PARENTS), step=1))
    ess = ess_control(
        middle, "Prior counts for the rows left out: without any, a row that occurs only once would have probability 0."
    )
    pictures = st.container()
    with pictures:
        path = running.at_once(
            "criteria",
            f"{session.data.key()} {ess!r} {max_parents}",
            lambda tell: bn.teaching.criteria_path(data, ess, max_parents, progress=tell),
            "edges added",
        )
        if path is None:
            return
        side_by_side(
            ("Each criterion", criteria_figure(path, session.dark()), "lab_criteria"),
            ("Each criterion minus its maximum", below_best_figure(path, session.dark()), "lab_below_best"),
        )
    edges = {name: path.best(name) for name in CRITERIA}
    already = "already " if edges["bic"] < min(edges["aic"], edges["leave_one_out"]) else ""
    show.finding(
        f"On {session.data.title()}, AIC is highest with **{counted(edges['aic'], 'edge')}**, leave-one-out "
        f"cross-validation with **{edges['leave_one_out']:,}**, BIC {already}with **{edges['bic']:,}**.",
        top,
    )
    show.note(
        "Edges are added one by one, always the one that raises AIC most. AIC and leave-one-out both estimate how well "
        "the fitted network predicts a new row, and agree if every cell has rows (Stone 1977). In sparse tables, AIC "
        "also penalizes cells without rows, and leave-one-out depends on the prior counts. BIC looks for the shorter "
        f"description: its penalty is {short(bn.BIC().form(data.n_rows).penalty)} nats per parameter, AIC's 1, so AIC "
        "selects larger graphs. DIC's penalty is the bootstrap's estimate of the gap between training and new rows "
        "(Eq. 10 and 11), and an empty cell adds nothing to it. The path was chosen with all rows, so no criterion "
        "accounts for that choice.",
        "criteria",
    )
    line = path.table.set_index("edges").loc[edges["aic"]]
    pictures.latex(
        gathered(
            rf"\tfrac1N\left(\ell - |\theta|\right) = {tex(line['log_likelihood'])} - "
            rf"\tfrac{{{int(line['parameters'])}}}{{{data.n_rows}}}",
            rf"= {tex(line['aic'])}\ \text{{nats per row}}",
            rf"\tfrac1N\textstyle\sum_i \ln P(x_i \mid \theta_{{\text{{without }} i}}) = {tex(line['leave_one_out'])}",
        )
    )
    st.markdown("**The graph that maximizes each criterion, and all criteria for it, in nats per row**")
    titles = {"highest": "Maximum of", "edges": "Edges", "parameters": "Free parameters"}
    show.table(at_the_best(path), titles | CRITERIA, decimals=4)
    take_away(
        ("Every graph of the path", path.table, "criteria_path.csv"),
        code=session.settings.experiment().python_data()
        + f"path = bn.teaching.criteria_path(data, ess={ess}, max_parents={max_parents})\n"
        'print(path.table, path.best("aic"), path.best("leave_one_out"), path.best("bic"))\n',
    )


def at_the_best(path: bn.teaching.CriteriaPath) -> pd.DataFrame:
    """Return one line per criterion: the graph that maximizes it, and all criteria for that graph."""
    lines = path.table.set_index("edges", drop=False)
    chosen = lines.loc[[path.best(name) for name in CRITERIA], ["edges", "parameters", *CRITERIA]]
    chosen.insert(0, "highest", list(CRITERIA.values()))
    return chosen
