"""Where the missing cells are, what each way of learning would use, and whether holes depend on what is seen."""

import streamlit as st

from bnengine.scores.missingness import Missingness
from pages._shared import session, show
from pages._shared.benchmark_results import on_missing_cells
from pages._shared.figures.missing_cells import MOST_PATTERNS, MOST_VARIABLES, missing_figure
from pages._shared.format import counted, escaped, listed, percent

_MOST_NAMED = 6


def missing_cells() -> None:
    """Draw the section; nothing where no cell is missing."""
    found = session.data.missingness()
    if found is None or not found.missing.any():
        return
    holed = int((found.missing > 0).sum())
    st.subheader(
        f"{counted(int(found.missing.sum()), 'missing cell')} in {counted(holed, 'variable')} and "
        f"{counted(found.n_rows - found.n_complete, 'row')}",
        anchor=False,
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        show.chart(missing_figure(found, session.dark()), "missing_cells", _alt(found), caption=_caption(found, holed))
    with right:
        st.markdown("\n".join(f"- {escaped(text)}" for text in found.uses().values()))
        show.note(on_missing_cells(), "missing cells measured")
        if found.depends:
            st.warning(_warning(found), icon=":material/warning:")


def _alt(found: Missingness) -> str:
    most = int(found.missing.argmax())
    return (
        "Share of missing cells of each variable, and the most frequent patterns of missing cells; "
        f"{found.names[most]} has most, {percent(float(found.shares[most]))}"
    )


def _caption(found: Missingness, holed: int) -> str:
    shown = min(len(found.patterns), MOST_PATTERNS)
    parts = [
        "Left: share of each variable's cells. Right: which are missing together, one column per pattern with its "
        f"number of rows, the {shown} most frequent of {found.n_patterns:,}."
    ]
    if holed > MOST_VARIABLES:
        parts.append(f"The {MOST_VARIABLES} variables with most missing cells are drawn.")
    groups = [f"{listed([escaped(name) for name in names], 4)} ({n:,} rows)" for names, n in found.together]
    if groups:
        parts.append(f"Always missing together: {listed(groups, 3, '; ')}.")
    return " ".join(parts)


def _warning(found: Missingness) -> str:
    """Name the dependences of holes on seen cells, and what follows."""
    first, *others = found.depends
    pairs = [f"{escaped(one.variable)} by {escaped(one.on)}" for one in others]
    also = f" So do {counted(len(pairs), 'more pair')}: {listed(pairs, _MOST_NAMED, '; ')}." if pairs else ""
    return (
        f"Whether a cell is missing depends on what is seen: {escaped(first.sentence)}.{also} Rows without holes are "
        f"then no random part of the table (G², {found.n_tests:,} pairs, family-wise level {percent(found.level)}). "
        "Whether it also depends on the missing state itself, no table shows; then every way may be biased."
    )
