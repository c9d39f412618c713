"""Evidence on any variables, and the posterior distributions of all others."""

from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.execution import digest
from bnengine.experiment.evaluations import AVERAGED, averaged_networks, likely_target, python_averaged
from bnengine.experiment.experiment import PredictionSettings
from bnengine.experiment.learning import real_key
from bnengine.plots.network_drawing import hubs
from bnengine.plots.prediction import network_of_posteriors, posteriors_figure
from bnengine.plots.verdict_drawing import HUBS
from bnengine.settings import setting_of
from bnengine.typing import LearnedGraph
from pages.predict.accuracy import AVERAGE, averaging_control
from pages.shared import experiments, jobs, show, state
from pages.shared.downloads import take_away
from pages.shared.format import counted, escaped, short, tex
from pages.shared.keys import Key
from pages.shared.own_data import of_states
from pages.shared.run import run_state
from pages.shared.state import persistent
from pages.shared.widgets.choice import choice, declared, tabs
from pages.shared.widgets.constraints_control import chosen_part, part_shown
from pages.shared.words import PREDICT as WORDS

LEARNED = "Learned from your data"
Network = bn.BayesianNetwork | bn.prediction.NetworkMixture
_MOST_DRAWN, _MOST_SAID = 60, 4


@st.cache_resource(max_entries=8, show_spinner=False)
def _fitted(key: str, ess: float, _data: bn.Dataset, _graph: LearnedGraph) -> bn.BayesianNetwork:
    """Return the same object each time, so that its junction tree is built once."""
    return bn.prediction.fit_drawn(_data, _graph.edges, ess)


def section(data: bn.Dataset) -> None:
    """Show the evidence, the finding and the bars."""
    top = st.container()
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    network, one = network_control(data, bar)
    if network is None or one is None:
        return
    learned_from, data = data, of_states(data)
    with bar:
        row_control(network, data)
    evidence = evidence_controls(network)
    try:
        before, now = ask(network), ask(network, evidence)
        table = bn.prediction.changes(before, now)
    except bn.prediction.EvidenceError as error:
        show.finding("This evidence has probability **0** in the network.", top)
        st.warning(f"{escaped(str(error))}.", icon=":material/block:")
        return
    except ValueError as error:
        st.error(f"{escaped(str(error))}.")
        return
    seen, known = (bn.prediction.rows_with(data, one) for one in (evidence, dict.fromkeys(evidence)))
    known_in = f"the {known:,} rows in which that was observed" if known < data.n_rows else counted(known, "row")
    alone = ask(one, evidence) if network is not one else None
    show.finding(sentence(table, now, seen, known_in, alone), top)
    row_taken(evidence, top)
    shown = st.container(horizontal=True, vertical_alignment="bottom")
    if tabs("Shown as", {"network": "Network", "bars": "Bars"}, Key.WHAT_SHOWN, shown) == "network":
        draw_network(one, before, now, shown)
    else:
        draw_bars(table)
    notes(table, network, alone)
    if data.missing_way == "drawn":
        show.note(WORDS["drawn"].format(rows=data.n_rows), "missing way")
    if evidence:
        show.formula(
            *([AVERAGE] if isinstance(network, bn.prediction.NetworkMixture) else []),
            r"P(X \mid e) = \frac{P(X, e)}{P(e)}",
            rf"P(e) = {tex(now.evidence_probability)}",
            rf"\ln P(e) = {tex(now.log_evidence)}\ \text{{nats}}",
        )
    take_away(("Before and after", table, "what_if.csv"), code=code(learned_from, evidence))


def ask(network: Network, evidence: dict[str, str] | None = None) -> bn.prediction.Posteriors:
    """Return the distribution of every variable given evidence, by one network or averaged over many."""
    if isinstance(network, bn.prediction.NetworkMixture):
        with st.spinner("Asking every network …"):
            return network.posteriors(evidence)
    return bn.prediction.posteriors(network, evidence)


def code(data: bn.Dataset, evidence: dict[str, str]) -> str:
    """Return the code that repeats the query."""
    chosen, experiment = state.get(Key.WHAT_NETWORK), run_state.experiment()
    cut = "data = data.cut()\n" if data.numbers else ""
    if chosen == LEARNED:
        ess = float(state.get(Key.TABLE_ESS))
        if experiment.prediction.network == AVERAGED:
            lines = experiment.data.python() + cut + python_averaged(experiment, data)
            return lines + (
                f"\n\nmixture = averaged(data)\nafter = mixture.posteriors({evidence!r})\n"
                "print(bn.prediction.changes(mixture.posteriors(), after))\n"
            )
        fit = "bn.prediction.fit_drawn" if data.missing_way == "drawn" else "bn.fit"
        lines = experiment.python_learn() + cut + f"network = {fit}(data, graph.edges, ess={ess})\n"
    else:
        lines = f"import bnengine as bn\n\nnetwork = bn.load_network({chosen!r})\n"
    return lines + f"table = bn.prediction.what_if(network, {evidence!r})\nprint(table)\n"


def network_control(data: bn.Dataset, bar: Any) -> tuple[Network | None, bn.BayesianNetwork | None]:
    """Return the network to query: the learned one, the average over many, or the true one if it is known.

    And the one network that is drawn: of an average, that of the best-scoring graph.
    """
    experiment = run_state.experiment()
    true = experiment.data.network
    variables = bar.container(width="stretch")
    place = bar.popover("Which network", icon=":material/tune:", type="tertiary")
    titles = {LEARNED: LEARNED} | ({true: f"The true {true.upper()} network"} if true else {})
    chosen = choice("Network", titles, Key.WHAT_NETWORK, place)
    network: Network | None
    if chosen != LEARNED:
        network = one = bn.load_network(chosen)
    else:
        ess = declared(setting_of(PredictionSettings, "ess"), "prediction", place)
        by_all = averaging_control(place)
        graph = experiments.graph_of(experiment, data)
        if graph is None:
            return None, None
        network = one = _fitted(digest(data, graph), float(ess), data.cut(), graph)
        if by_all:
            network = averaged_over(experiment, data.cut())
    if network is None:
        return None, None
    state.put(Key.OBSERVED, [name for name in state.get(Key.OBSERVED) or [] if name in network.names])
    variables.multiselect(
        "Observed variables",
        network.names,
        **persistent(Key.OBSERVED),
        placeholder="Choose here, or click a state in the picture",
    )
    return network, one


def averaged_over(experiment: bn.Experiment, data: bn.Dataset) -> bn.prediction.NetworkMixture | None:
    """Return the networks that the data leave possible, known or from a job."""
    return jobs.result_of(
        "averaged",
        (data, real_key(experiment), experiment.prediction),
        lambda progress: averaged_networks(experiment, data, progress),
        "steps of drawing networks",
    )


def observe(variable: str, value: str) -> None:
    """Observe a state that was clicked, no longer if it was observed; call it before the choices are drawn."""
    chosen = state.get(Key.OBSERVED) or []
    others = [name for name in chosen if name != variable]
    again = len(others) < len(chosen) and state.get(Key.of(Key.OBSERVED, variable)) == value
    state.put(Key.OBSERVED, others if again else [*others, variable])
    state.put(Key.of(Key.OBSERVED, variable), value)


def evidence_controls(network: Network) -> dict[str, str]:
    """Return the observed state of each observed variable; many stand in a fold."""
    chosen = state.get(Key.OBSERVED)
    evidence = {}
    place = st.expander(counted(len(chosen), "observed state")) if len(chosen) > _MOST_SAID else st.container()
    for start in range(0, len(chosen), 4):
        for column, name in zip(place.columns(4), chosen[start : start + 4], strict=False):
            states = network.states[network.names.index(name)]
            key = Key.of(Key.OBSERVED, name)
            evidence[name] = choice(escaped(name), states, key, column)
    return evidence


def row_control(network: Network, data: bn.Dataset) -> None:
    """Let the visitor take a row of the data as evidence, all of it but the variable that is to be inferred."""
    with st.popover("A row of the data", icon=":material/table_rows:", type="tertiary"):
        shared = [name for name in network.names if name in data.names]
        row = st.number_input("Row", 1, data.n_rows, **persistent(Key.WHAT_ROW))
        infer = choice("To infer", shared, Key.WHAT_INFERRED, first=likely_target(data.select(shared)))
        st.button("Observe the rest of this row", on_click=take_row, args=(data.select(shared), int(row), infer))


def take_row(data: bn.Dataset, row: int, infer: str) -> None:
    """Observe what a row has of all variables but one; cells that are missing are not observed."""
    cells = data.to_frame().iloc[row - 1].dropna().astype(str)
    observed = cells.drop(infer, errors="ignore")
    state.put_all({Key.of(Key.OBSERVED, str(name)): value for name, value in observed.items()})
    state.put(Key.OBSERVED, [str(name) for name in observed.index])
    state.put(Key.ROW_TAKEN, (row, infer, cells.get(infer), dict(observed)))


def row_taken(evidence: dict[str, str], place: Any) -> None:
    """Say what the row that was taken has in the variable that is inferred, as long as its cells are the evidence."""
    row, infer, value, cells = state.get(Key.ROW_TAKEN) or (0, "", None, None)
    if cells == evidence:
        has = f"has {escaped(infer)} = **{escaped(value)}**" if value is not None else f"has no {escaped(infer)}"
        show.note(f"Row {row:,} {has}; the network was fitted to this row, too.", "row taken", place)


def sentence(
    table: pd.DataFrame,
    now: bn.prediction.Posteriors,
    n_seen: int,
    known_in: str,
    alone: bn.prediction.Posteriors | None = None,
) -> str:
    """Return the finding in numbers, with how many rows have the evidence; ``alone``, beside what one network says."""
    if not now.evidence:
        return "No evidence yet: the bars show how common each state is. **Click a state to observe it.**"
    given = " and ".join(f"{escaped(name)} = {escaped(value)}" for name, value in now.evidence.items())
    if len(now.evidence) > _MOST_SAID:
        given = counted(len(now.evidence), "observed state")
    seen = f"seen in {n_seen:,} of {known_in}" if n_seen else "seen in no row: the network combines others"
    start = f"Given {given} (probability {short(now.evidence_probability)}, {seen})"
    if table.empty:
        return f"{start}, no variable is left to infer."
    name = table["variable"].iloc[0]
    lines = table[table["variable"] == name]
    line = lines.loc[(lines["after"] - lines["before"]).idxmax()]
    beside = ""
    if alone is not None:
        states = now.states[now.names.index(name)]
        beside = f" ({short(float(alone[name][states.index(line['state'])]))} by the best-scoring graph alone)"
    if line["shift"] < 5e-4:
        return f"{start}, no other variable changes: the others do not depend on it in this network."
    return (
        f"{start}, {escaped(name)} changes most: the probability of {escaped(line['state'])} goes from "
        f"{short(line['before'])} to **{short(line['after'])}**{beside}."
    )


def draw_network(
    network: bn.BayesianNetwork, before: bn.prediction.Posteriors, now: bn.prediction.Posteriors, place: Any
) -> None:
    """Draw the network with the bars in its nodes; the part that is shown is chosen in ``place``."""
    whole = network_of_posteriors(network.edges, before, now, state.dark())
    picture = chosen_part(whole, "predict", place=place, parts={HUBS: hubs(list(whole.edges))})
    about = "Network with the probabilities of each variable's states"
    show.chart(picture, "predict_network", about, on_pick=observe)
    if part := part_shown(picture, whole):
        show.note(part, "part")


def draw_bars(table: pd.DataFrame) -> None:
    """Draw the variables in two columns, by size of the change."""
    names = table["variable"].drop_duplicates().tolist()
    drawn = names[:_MOST_DRAWN]
    half = (len(drawn) + 1) // 2
    for number, (column, part) in enumerate(
        zip(st.columns(2, gap="medium"), (drawn[:half], drawn[half:]), strict=True)
    ):
        if part:
            figure = posteriors_figure(table[table["variable"].isin(part)], state.dark())
            alt = f"Probabilities of {', '.join(part)}"
            show.chart(figure, f"predict_posteriors {number}", alt, column, on_pick=observe)
    if len(names) > len(drawn):
        st.caption(f"The {len(drawn)} of {len(names):,} variables with the largest change.")


def notes(table: pd.DataFrame, network: Network, alone: bn.prediction.Posteriors | None) -> None:
    """Say how to read the bars, and list the states of one variable."""
    names = table["variable"].drop_duplicates().tolist()
    n = len(network.networks) if isinstance(network, bn.prediction.NetworkMixture) else 1
    averaged = "" if n == 1 else WORDS["averaged"].format(n=n)
    show.note(WORDS["bars"].format(averaged=averaged), "bars")
    if names:
        every_state(table, names, alone)


def every_state(table: pd.DataFrame, names: list[str], alone: bn.prediction.Posteriors | None) -> None:
    """Show the states of one variable, one per line: a bar has no room for many."""
    name = choice("All states of", names, Key.WHAT_STATES, width=260)
    lines = table.loc[table["variable"] == name, ["state", "before", "after"]]
    titles = {"before": "Before", "after": "After"}
    if alone is not None:
        lines, titles["alone"] = lines.assign(alone=alone[name]), "After, by the best-scoring graph alone"
    share = {
        kind: st.column_config.ProgressColumn(title, min_value=0.0, max_value=1.0, format="%.3f")
        for kind, title in titles.items()
    }
    show.table(lines, {"state": "State", **share}, height=min(38 + 35 * len(lines), 400))
