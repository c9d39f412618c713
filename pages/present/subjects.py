"""What the question of a step is about, shown before it is answered: rows, a sample and its replicate, a graph."""

from collections.abc import Callable
from itertools import accumulate

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.curves import length_figure
from bnengine.plots.lessons import distribution_figure, g_squared_figure
from bnengine.plots.palette import NAIVE, ink
from pages.bias_lab import statistic
from pages.bias_lab.entropy import FOUND
from pages.shared import show, state
from pages.shared.keys import Key
from pages.shared.lessons import Subject, computed, learned_graph
from pages.shared.widgets import pile

#: The picture that a lecture shows with a question.
PICTURE = "subject"
_FEW, _LETTERS = 7, 40  # rows of a table that are shown, and characters across, so that the table needs no scrolling
About = Callable[[Subject], None]


def _table(frame: pd.DataFrame, title: str = "") -> None:
    """Show a small table, with the numbers of its rows unless it has names for them."""
    if title:
        st.markdown(f"**{title}**")
    st.table(frame, width="content")


def rows_of(name: str) -> About:
    """Show all rows of a small bundled table."""
    return lambda _: _table(bn.Dataset.from_frame(bn.load_sample(name)).to_frame())


def _side_by_side(subject: Subject, of: str, made: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    """Show the first rows of the table, and what becomes of them."""
    rows = subject.data.to_frame().head(_FEW).astype(str).set_axis([f"{k}" for k in range(1, _FEW + 1)])
    wide = [2 + max(len(name), *map(len, rows[name])) for name in rows]
    rows = rows.iloc[:, : max(1, sum(total <= _LETTERS for total in accumulate(wide)))].rename_axis("row")
    left, right = st.columns(2, gap="large")
    with left:
        _table(rows, f"{_FEW} rows of {subject.title}")
    with right:
        _table(made(rows), of)


def replicate(subject: Subject) -> None:
    """Show a few rows and a bootstrap replicate of them, by the numbers of the rows."""
    _side_by_side(
        subject, "A replicate of these rows", lambda rows: rows.sample(_FEW, replace=True, random_state=1).sort_index()
    )


def without_one(subject: Subject) -> None:
    """Show a few rows, and all of them but one."""
    _side_by_side(subject, "A replicate of the delete-1 jackknife", lambda rows: rows.drop(index="3"))


def measurements(_: Subject) -> None:
    """Show a sample of measurements and one replicate of it, with their variances."""
    values = pd.Series(statistic.measurements(int(state.get(Key.LAB_MEASURED)), _sample()))
    drawn = {"sample": values, "a replicate": values.sample(frac=1, replace=True, random_state=1)}
    lines = {name: [f"{value:.2f}" for value in (*sorted(one), one.var(ddof=0))] for name, one in drawn.items()}
    names = [*map(str, range(1, len(values) + 1)), "variance"]
    _table(
        pd.DataFrame.from_dict(lines, orient="index", columns=names).rename_axis("rows"),
        "Measurements, in order of size; truth: 1",
    )


def _sample() -> int:
    """Return the number of the random sample."""
    return int(state.get(Key.LAB_SAMPLE, statistic.FIRST_SAMPLE))


def state_shares(_: Subject) -> None:
    """Show the states of a sample and of one replicate of it."""
    n_rows, n_states, skew = (state.get(key) for key in (Key.LAB_ROWS, Key.LAB_STATES, Key.LAB_SKEW))
    probabilities = bn.teaching.skewed_distribution(n_states, skew)
    table = computed(bn.teaching.entropy_bias_by_size, probabilities, statistic.ROWS, rng=_sample())
    line = table[table["n_rows"] == n_rows].iloc[0]
    figure = distribution_figure(probabilities, line["counts"], line["replicate"], state.dark())
    st.markdown(f"**{n_rows:,} rows, and a bootstrap replicate of them**")
    show.chart(figure, PICTURE, "Share of each state in the sample and in a replicate")


def g_squared(_: Subject) -> None:
    """Show the G² of independent variables, in data sets."""
    shape = tuple(state.get(Key.LAB_ARITIES))
    made = computed(bn.teaching.spurious_dependence, shape, int(state.get(Key.LAB_PAIR_ROWS)), rng=_sample())
    found = state.get(Key.LAB_FOUND) == FOUND
    title = "G² of two independent variables in many data sets"
    st.markdown(f"**{title}{', where the test finds them dependent' if found else ''}**")
    figure = g_squared_figure(made.where_found() if found else made, state.dark(), not found, replicates=False)
    show.chart(figure, PICTURE, title)


def information(subject: Subject) -> None:
    """Show a statistic on the data, and on replicates as they are drawn."""
    _, made = statistic.of_pair(subject, statistic.most_states(subject.data), subject.data.names[-1])
    marks = {"T, on the data": (made.value, ink(state.dark())), "⟨T⟩, mean of replicates": (made.mean, NAIVE)}
    drawn = {"replicates": (made.on_resamples, NAIVE)}
    pile.draw(PICTURE, "A statistic on the data and on replicates", drawn, marks, "mutual information, nats")


def sparse(_: Subject) -> None:
    """Show a table of counts with empty cells."""
    rows = bn.load_network("asia").sample(int(state.get(Key.LAB_SPARSE_ROWS)), _sample())
    frame = rows.to_frame()
    cells = [frame[name].rename(name) for name in ("either", "bronc", "dysp")]
    _table(pd.crosstab(cells[:2], cells[2], dropna=False), f"{rows.n_rows} rows of ASIA: how many in each cell")


def counts(subject: Subject) -> None:
    """Show how often each state of a variable is seen."""
    _table(subject.data.to_frame()[["smoke"]].value_counts().rename("rows").to_frame(), f"{subject.title}")


def graph(subject: Subject) -> None:
    """Show the graph learned from the table."""
    found = learned_graph(subject.data)
    if found is not None:
        st.markdown(f"**The graph learned from {subject.title}, with BIC**")
        show.network(subject.data, found.edges, PICTURE)


def three_columns(subject: Subject) -> None:
    """Show three variables' first rows, by the letters of the question."""
    names = bn.teaching.most_dependent(subject.data, 3)
    _table(subject.data.to_frame()[names].head(_FEW).set_axis(["X", "Z", "Y"], axis=1), f"Rows of {subject.title}")


def two_lengths(subject: Subject) -> None:
    """Show the lengths of two descriptions that differ in one edge."""
    found = learned_graph(subject.data)
    if found is None:
        return
    weakest = computed(bn.teaching.edge_costs, subject.data, found.edges)["edge"].iloc[-1]
    without = [edge for edge in found.edges if " → ".join(edge) != weakest]
    table = bn.teaching.description_lengths(subject.data, {f"without {weakest}": without, "shortest": found.edges})
    show.chart(length_figure(table, state.dark()), PICTURE, "Two description lengths, in bits")


def true_network(name: str) -> About:
    """Show the network that rows are drawn from."""

    def drawn(_: Subject) -> None:
        network = bn.teaching.hidden_cause() if name == "hidden" else bn.load_network(name)
        st.markdown("**The network from which the rows are drawn**")
        show.network(network.sample(1, 0), list(network.edges), PICTURE)

    return drawn
