"""The treatment of the table: rows, missing cells, discretization, single variables; and the page's finding."""

import dataclasses
from functools import partial

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.columns import numeric_columns
from bnengine.data.missing import KEEPING, TREATMENTS
from bnengine.data.rows_and_states import OF_NUMBERS, TESTS, as_states, rows_where
from bnengine.discretization.discretize import BY_INFORMATION, BY_SCORE
from bnengine.experiment.column_lists import KEPT, NO_DISCRETIZATION
from bnengine.experiment.intake import determined_remarks, infinite_remarks, unmade_remarks, unseen_remarks
from bnengine.plots.data import MOST_COLUMNS, cut_figure, first_rows, number_figure, states_figure
from bnengine.scores.evaluation import ONE_VARIABLE
from bnengine.settings import setting_of
from pages.data.repairs import about_rows, experiments_sentence, proposed_repairs
from pages.data.rows import rows_control, rows_question, weights_question
from pages.data.source import known_network
from pages.data.variables import ABOUT_NUMBERS, METHODS, missing_cells, states_after, variable_table
from pages.shared import in_use, show, state
from pages.shared.format import counted, escaped, listed, listed_apart, percent, sentence
from pages.shared.keys import Key
from pages.shared.typed_lists import plain_number
from pages.shared.upload import goes_on
from pages.shared.widgets.choice import lazy_expander
from pages.shared.words import DATA as WORDS

MISSING = setting_of(bn.Recipe, "missing").choices


def missing_control(frame: pd.DataFrame, now: bn.Recipe) -> str:
    """Draw the choice of treatment of missing cells, if there are any, after how many rows would be lost.

    Complete families are proposed only where no missingness is found to depend on what is seen (the reason is given
    below), and where no column is kept as numbers, whose covariances need the same rows.
    """
    lost = int(frame.isna().any(axis=1).sum())
    if not lost:
        return now.missing
    found, numbers = in_use.missingness(), now.kept_numbers(frame)
    selected = found is not None and bool(found.depends)
    of_states = ("own_state", "most_common") if frame[numbers].isna().any(axis=None) else ()
    left_out = {*(["complete_families"] if selected or numbers else []), *of_states}
    ways = [way for way in MISSING if way == now.missing or way not in left_out]
    label = f"Missing cells in {lost:,} of {counted(len(frame), 'row')} ({percent(lost / len(frame))})"
    with st.popover(f"{label}: {MISSING[now.missing].partition(':')[0].lower()}", icon=":material/grid_off:"):
        return st.radio(
            label,
            ways,
            index=ways.index(now.missing),
            format_func=MISSING.__getitem__,
            captions=[TREATMENTS[way].help if way in KEEPING else "" for way in ways],
            key=Key.of(Key.MISSING, in_use.table_key(), in_use.n_undone()),
        )


def discretization_controls(frame: pd.DataFrame, now: bn.Recipe) -> tuple[str, int]:
    """Draw the choice of default discretization of numeric columns."""
    if not any(frame[name].nunique() > 2 for name in numeric_columns(frame)):
        return now.discretization, now.bins
    place, cut = (in_use.table_key(), in_use.n_undone()), METHODS[now.discretization].lower()
    words = cut if now.discretization in (BY_SCORE, KEPT, NO_DISCRETIZATION) else f"{cut}, {now.bins} bins"
    others = len(now.treatment(frame)[0]) if now.discretization == NO_DISCRETIZATION else 0
    with st.popover(f"Numbers: {words}{f', but for {others}' if others else ''}", icon=":material/content_cut:"):
        method = st.selectbox(
            "Columns of numbers",
            list(METHODS),
            index=list(METHODS).index(now.discretization),
            format_func=METHODS.__getitem__,
            key=Key.of(Key.CUT, *place),
        )
        bins = now.bins
        if method == BY_SCORE:
            show.note(WORDS["by_score"], "by score")
        elif method == KEPT:
            show.note(ABOUT_NUMBERS, "about numbers")
        elif method != NO_DISCRETIZATION:
            bins = st.slider("Number of bins", 2, max(10, now.bins), now.bins, key=Key.of(Key.BINS, *place))
        if method == BY_INFORMATION:
            show.note(WORDS["by_information"], "by information")
    return method, bins


# The rows: which to keep, a preview, one step back, and the way on.

_MOST_SHOWN = 200


def selected_rows(frame: pd.DataFrame, now: bn.Recipe) -> pd.DataFrame:
    """Return the rows that the filter keeps; all of them if it does not fit the table."""
    try:
        return rows_where(frame, [one for one in now.where if one[0] in frame.columns])
    except bn.DataError:
        return frame


def filter_control(frame: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Draw a table of conditions in a popover; return the recipe with the conditions."""
    named = f"Rows: {counted(len(now.where), 'condition')}"
    with st.popover(named if now.where else "Select rows", icon=":material/filter_alt:"):
        new = dataclasses.replace(now, where=_conditions(frame, now))
    return rows_control(frame, about_rows(frame, new))


def undo_button() -> None:
    """Draw the button that takes the last change back; nothing before the first."""
    if in_use.can_undo() and st.button("Undo", icon=":material/undo:", key=Key.UNDO):
        in_use.undo()
        st.rerun()


def _conditions(frame: pd.DataFrame, now: bn.Recipe) -> tuple[tuple[str, ...], ...]:
    st.caption("Rows that meet all conditions are kept. Several values are separated by semicolons.")
    lines = [(one[0], TESTS[one[1]], "; ".join(one[2:])) for one in now.where]
    select, text = st.column_config.SelectboxColumn, st.column_config.TextColumn
    edited = st.data_editor(
        pd.DataFrame(lines, columns=["variable", "test", "value"], dtype=object),
        num_rows="dynamic",
        hide_index=True,
        column_config={
            "variable": select("Variable", options=list(map(str, frame.columns))),
            "test": select("Test", options=list(TESTS.values())),
            "value": text("Value"),
        },
        key=Key.of(Key.WHERE, in_use.table_key(), now.where, in_use.n_undone()),
    )
    found = conditions_of(edited)
    try:
        rows_where(frame, found)
    except ValueError as error:
        st.error(f"{sentence(error)} This condition is not used yet.")
        return tuple(now.where)  # type: ignore[arg-type]
    return found


def conditions_of(edited: pd.DataFrame) -> tuple[tuple[str, ...], ...]:
    """Return the complete lines of the edited table of conditions."""
    tests = {title: test for test, title in TESTS.items()}
    found = []
    for name, title, text in edited[["variable", "test", "value"]].itertuples(index=False):
        values = [] if pd.isna(text) else [value.strip() for value in str(text).split(";") if value.strip()]
        if not pd.isna(name) and title in tests and values:
            test = tests[title]
            found.append((str(name), test, *(map(plain_number, values) if test in OF_NUMBERS else values)))
    return tuple(found)


def preview(frame: pd.DataFrame, now: bn.Recipe) -> None:
    """Show the raw rows in use, as they were read."""
    shown = selected_rows(frame, now)
    head = shown.iloc[:_MOST_SHOWN, :_MOST_SHOWN].copy()
    head.attrs = {}  # how the file was read is no part of the rows
    head.index = pd.RangeIndex(1, len(head) + 1)
    st.dataframe(head, height=300, placeholder="missing")  # "None" may be a state
    of = f"{len(head):,} of {counted(len(shown), 'row')}, {head.shape[1]:,} of {counted(frame.shape[1], 'column')}"
    st.caption(f"{of}.")


def columns_seen() -> None:
    """Show the first rows, above each column a picture of its values and what becomes of it."""
    frame, now, after = in_use.frame(), in_use.recipe(), states_after()
    used, new, data = set(now.used(frame)), {one[0]: one[1] for one in now.renamed}, in_use.dataset()[0]
    numbers, cut = data.numbers if data else (), in_use.known_cuts()
    about = {}
    for name in map(str, frame.columns):
        called = new.get(name, name)
        states = f"{'cut into ' if name in cut else ''}{counted(after[called], 'state')}" if called in after else ""
        about[name] = "number, kept" if called in numbers else states if name in used else "no variable"
    st.html(first_rows(frame, about, state.dark()))
    if (n_columns := frame.shape[1]) > MOST_COLUMNS:
        st.caption(f"The first rows of the first {MOST_COLUMNS} columns; the table below lists all {n_columns:,}.")


def next_step() -> None:
    """Show the way on, once the data can be learned from; not while other data are being read."""
    data, _ = in_use.dataset()
    if data is None or data.n_variables < 2 or goes_on():
        return
    if st.button("See the network", type="primary", icon=":material/arrow_forward:", key=Key.NEXT):
        state.open_page("network")


# One variable: its values before and after the treatment, the order of its states, and rare ones.

_MOST_STATES = 40


def one_variable(table: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Draw the picture of a variable of one's choice, and the order of its states; the recipe with the order."""
    names = list(map(str, table.columns))
    key = Key.of(Key.LOOK, in_use.table_key())
    cut = [name for name in names if name in in_use.known_cuts()]
    state.among(key, names, (cut or names)[0])  # a discretized variable has a before and an after
    left, right = st.columns([3, 2], gap="large")
    with left:
        name = st.selectbox("Distribution of", names, key=key)
        column = selected_rows(table, now)[name]
        points, dark = in_use.known_cuts().get(name), state.dark()
        if name in now.kept_numbers(table):
            show.chart(
                number_figure(column, dark), "variable_picture", f"Distribution of {name}, which is kept as numbers"
            )
            return now
        if points is not None:
            show.chart(cut_figure(column, points, dark), "variable_picture", f"Distribution of {name}")
            return now
        try:
            states = in_order(column, now)
        except bn.DataError as error:
            st.error(f"{escaped(str(error))}.")
            return now
        counts = states.value_counts(sort=False)
        show.chart(states_figure(counts.head(_MOST_STATES), dark), "variable_picture", f"Distribution of {name}")
    with right:
        return states_control(name, counts, now) if len(counts) > 2 else now


def in_order(column: pd.Series, now: bn.Recipe) -> pd.Series:
    """Return the states of a column in their order, before rare ones are merged."""
    states = as_states(column)
    wanted = next((one[1:] for one in now.states if one[0] == column.name), ())
    first = [state for state in wanted if state in states.cat.categories]
    return states.cat.reorder_categories([*first, *(state for state in states.cat.categories if state not in first)])


def states_control(name: str, counts: pd.Series, now: bn.Recipe) -> bn.Recipe:
    """Draw the table in which states are put in order, and the number of rows below which they are merged."""
    place = (in_use.table_key(), name, in_use.n_undone())
    rare = {one[0]: int(one[1]) for one in now.rare}
    order = _order(counts, place) if len(counts) <= _MOST_STATES else list(counts.index)
    fewest = st.number_input(
        "Merge states with fewer rows than",
        0,
        max(int(counts.sum()), rare.get(name, 0)),
        rare.get(name, 0),
        help="They become one state, (other); a single one stays as it is. 0 merges none.",
        key=Key.of(Key.RARE, *place),
    )
    rare.pop(name, None)
    rare |= {name: int(fewest)} if fewest >= 2 else {}
    orders = {one[0]: tuple(one[1:]) for one in now.states}
    if order != list(counts.index):
        orders[name] = tuple(order)
    return dataclasses.replace(
        now,
        rare=tuple((each, str(rows)) for each, rows in rare.items()),
        states=tuple((each, *states) for each, states in orders.items()),
    )


def _order(counts: pd.Series, place: tuple[object, ...]) -> list[str]:
    lines = pd.DataFrame({"place": range(1, len(counts) + 1), "state": list(counts.index), "rows": counts.to_numpy()})
    edited = st.data_editor(
        lines,
        hide_index=True,
        disabled=["state", "rows"],
        column_config=show.columns(
            lines,
            {
                "place": ("Place", {"min_value": 1, "max_value": len(lines), "width": 60, "help": "Moves the state."}),
                "state": "State",
                "rows": "Rows",
            },
        ),
        height=min(38 + 35 * len(lines), 230),
        key=Key.of(Key.STATES, *place, tuple(counts.index)),
    )
    return moved(lines["place"].tolist(), edited["place"].tolist(), list(counts.index))


def moved(before: list[int], after: list[int], states: list[str]) -> list[str]:
    """Return the states in the order of their edited places.

    >>> moved([1, 2, 3], [3, 2, 3], ["a", "b", "c"])
    ['b', 'c', 'a']
    >>> moved([1, 2, 3], [1, 2, 1], ["a", "b", "c"])
    ['c', 'a', 'b']
    """
    ranks = [new + (0.5 if new > old else -0.5 if new < old else 0.0) for old, new in zip(before, after, strict=True)]
    return [state for _, _, state in sorted(zip(ranks, range(len(states)), states, strict=True))]


# The finding of the Data page, the variables to learn from, and their treatment.


def finding() -> None:
    """Say whether the data can be learned from, and their size; where not, offer the treatment that is suggested."""
    data, problem = in_use.dataset()
    title = in_use.title()
    if data is None:
        st.error(f"**{title}** cannot be learned from yet: {escaped(problem)}.", icon=":material/error:")
        now, proposed = in_use.recipe(), in_use.proposed_recipe()
        label, icon = "Use the suggested treatment", ":material/restart_alt:"
        if proposed != now and st.button(label, icon=icon, key=Key.SUGGESTED):
            in_use.set_recipe(proposed)
            st.rerun()
        return
    given = in_use.frame()
    chosen = in_use.recipe().selected(given)
    dropped = 0 if in_use.recipe().weights else chosen - data.n_rows
    show.finding(
        f"**{title}** is ready: {counted(data.n_rows, 'row')}, {_kinds(data)}"
        + (f"; {counted(len(given) - chosen, 'row')} not selected" if chosen < len(given) else "")
        + (f"; {counted(dropped, 'row')} with missing cells left out." if dropped else ".")
    )
    if taken := in_use.rows_taken(data):
        show.note(taken, "rows taken")
    if data.experiments is not None:
        show.note(experiments_sentence(data), "experiments")
    recipe = in_use.recipe()
    about_cells = (*unmade_remarks(recipe), *infinite_remarks(in_use.frame(), recipe))
    if found := [*about_cells, *determined_remarks(data), *unseen_remarks(data)]:
        show.note(sentence(listed_apart(found, 4)), "determined")
    if data.n_variables == 1:
        st.warning(f"{ONE_VARIABLE} If the file has more, choose its separator or its sheet under “How to read it”.")
    constant = [escaped(name) for name, arity in zip(data.names, data.arities, strict=True) if arity == 1]
    if constant:
        st.warning(f"Constant variables can have no edges: {listed(constant, 8)}. You may leave them out.")


def _kinds(data: bn.Dataset) -> str:
    """Say how many variables there are, and of which kinds."""
    variables, numbers = counted(data.n_variables, "variable"), len(data.numbers)
    arities = [len(own) for name, own in zip(data.names, data.states, strict=True) if name not in data.numbers]
    if not arities:
        return f"{variables}, kept as {'numbers' if numbers > 1 else 'a number'}"
    low, high = min(arities), max(arities)
    between = "or" if high == low + 1 else "to"
    states = f"{low} {between} {high} states" if low < high else counted(low, "state")
    if not numbers:
        return f"{variables} with {states} each"
    return f"{variables}: {counted(numbers, 'number')}, kept as such, and {len(arities):,} with {states}"


def treat(frame: pd.DataFrame) -> None:
    """Show the treatment of the table: rows, variables, missing cells, discretization.

    Then each variable, and the rows.
    """
    now = in_use.recipe()
    if now.absent(frame):  # the finding says so, and offers to begin again
        return undo_button()
    described = in_use.described()
    described = described[~described["variable"].isin(now.about_rows)]
    used = now.used(frame)
    new = proposed_repairs(now)
    new = weights_question(now) if new == now else new
    new = rows_question(frame, now) if new == now else new
    if new != now:
        in_use.set_recipe(new)
        st.rerun()
    table = frame[used]
    with st.container(horizontal=True):
        missing = missing_control(selected_rows(table, now), now)
        method, bins = discretization_controls(table, now)
        new = dataclasses.replace(filter_control(frame, now), missing=missing, discretization=method, bins=bins)
        undo_button()
    if new == now:
        new = variable_table(frame, described, now)
    if new == now and used:
        title = "One variable: its distribution, and the order of its states"
        place = st.expander(title, icon=":material/bar_chart:", key=Key.opened("variable"), on_change="rerun")
        with place:
            new = one_variable(table, now) if place.open else now
    if new != now:
        in_use.set_recipe(new)
        st.rerun()
    missing_cells()
    lazy_expander("Rows as they were read", "rows", ":material/table_rows:", partial(preview, frame, now))
    known_network()
