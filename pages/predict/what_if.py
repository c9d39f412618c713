"""Evidence on any variables, and the posterior distributions of all others."""

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.execution import digest
from bnengine.experiment.evaluations import AVERAGED, averaged_networks, python_averaged
from bnengine.experiment.experiment import PredictionSettings
from bnengine.experiment.learning import real_key
from bnengine.plots.prediction import posteriors_figure
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
from pages.shared.widgets.choice import choice, declared

LEARNED = "Learned from your data"
Network = bn.BayesianNetwork | bn.prediction.NetworkMixture
_MOST_DRAWN = 60


@st.cache_resource(max_entries=8, show_spinner=False)
def _fitted(key: str, ess: float, _data: bn.Dataset, _graph: LearnedGraph) -> bn.BayesianNetwork:
    """Return the same object each time, so that its junction tree is built once."""
    return bn.prediction.fit_drawn(_data, _graph.edges, ess)


def section(data: bn.Dataset) -> None:
    """Show the evidence, the finding and the bars."""
    top = st.container()
    network = network_control(data)
    if network is None:
        return
    learned_from, data = data, of_states(data)
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
    show.finding(sentence(table, now, seen, known_in), top)
    draw(table, network)
    if data.missing_way == "drawn":
        show.note(
            f"The probabilities rest on all {data.n_rows:,} rows: missing cells were filled by draws from the network, "
            "and the network was fitted to what was filled in, in turn.",
            "missing way",
        )
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
            lines = experiment.python_data() + cut + python_averaged(experiment, data)
            return lines + (
                f"\n\nmixture = averaged(data)\nafter = mixture.posteriors({evidence!r})\n"
                "print(bn.prediction.changes(mixture.posteriors(), after))\n"
            )
        fit = "bn.prediction.fit_drawn" if data.missing_way == "drawn" else "bn.fit"
        lines = experiment.python_learn() + cut + f"network = {fit}(data, graph.edges, ess={ess})\n"
    else:
        lines = f"import bnengine as bn\n\nnetwork = bn.load_network({chosen!r})\n"
    return lines + f"table = bn.prediction.what_if(network, {evidence!r})\nprint(table)\n"


def network_control(data: bn.Dataset) -> Network | None:
    """Return the network to query: the learned one, the average over many, or the true one if it is known."""
    experiment = run_state.experiment()
    true = experiment.data.network
    columns = st.columns([3, 3, 5], gap="medium", vertical_alignment="bottom")
    titles = {LEARNED: LEARNED} | ({true: f"The true {true.upper()} network"} if true else {})
    chosen = choice("Network", titles, Key.WHAT_NETWORK, columns[0])
    network: Network | None
    if chosen != LEARNED:
        network = bn.load_network(chosen)
    else:
        ess = declared(setting_of(PredictionSettings, "ess"), "prediction", columns[1])
        by_all = averaging_control(columns[0])
        graph = experiments.graph_of(experiment, data)
        if graph is None:
            return None
        network = _fitted(digest(data, graph), float(ess), data.cut(), graph)
        if by_all:
            network = averaged_over(experiment, data.cut())
    if network is None:
        return None
    state.put(Key.OBSERVED, [name for name in state.get(Key.OBSERVED) or [] if name in network.names])
    columns[2].multiselect(
        "Observed variables",
        network.names,
        **persistent(Key.OBSERVED),
        placeholder="Choose here, or click a state below",
    )
    return network


def averaged_over(experiment: bn.Experiment, data: bn.Dataset) -> bn.prediction.NetworkMixture | None:
    """Return the networks that the data leave possible, known or from a job."""
    return jobs.result_of(
        "averaged",
        (data, real_key(experiment), experiment.prediction),
        lambda progress: averaged_networks(experiment, data, progress),
        "steps of drawing networks",
    )


def observe(variable: str, value: str) -> None:
    """Observe a state that was clicked; call it before the choices are drawn."""
    chosen = state.get(Key.OBSERVED)
    state.put(Key.OBSERVED, [*(name for name in chosen if name != variable), variable])
    state.put(Key.of(Key.OBSERVED, variable), value)


def evidence_controls(network: Network) -> dict[str, str]:
    """Return the observed state of each observed variable."""
    chosen = state.get(Key.OBSERVED)
    evidence = {}
    for start in range(0, len(chosen), 4):
        for column, name in zip(st.columns(4), chosen[start : start + 4], strict=False):
            states = network.states[network.names.index(name)]
            key = Key.of(Key.OBSERVED, name)
            evidence[name] = choice(escaped(name), states, key, column)
    if chosen:
        with st.container(horizontal=True):
            st.button("Clear the evidence", icon=":material/undo:", on_click=state.put, args=(Key.OBSERVED, []))
    return evidence


def sentence(table: pd.DataFrame, now: bn.prediction.Posteriors, n_seen: int, known_in: str) -> str:
    """Return the finding in numbers, with how many rows have the evidence."""
    if not now.evidence:
        return "No evidence yet: the bars show how common each state is. **Click a state to observe it.**"
    given = " and ".join(f"{escaped(name)} = {escaped(value)}" for name, value in now.evidence.items())
    seen = f"seen in {n_seen:,} of {known_in}" if n_seen else "seen in no row: the network combines others"
    start = f"Given {given} (probability {short(now.evidence_probability)}, {seen})"
    if table.empty:
        return f"{start}, no variable is left to infer."
    name = table["variable"].iloc[0]
    lines = table[table["variable"] == name]
    line = lines.loc[(lines["after"] - lines["before"]).idxmax()]
    if line["shift"] < 5e-4:
        return f"{start}, no other variable changes: the others do not depend on it in this network."
    return (
        f"{start}, {escaped(name)} changes most: the probability of {escaped(line['state'])} goes from "
        f"{short(line['before'])} to **{short(line['after'])}**."
    )


def draw(table: pd.DataFrame, network: Network) -> None:
    """Draw the variables in two columns, by size of the change."""
    names = table["variable"].drop_duplicates().tolist()
    drawn = names[:_MOST_DRAWN]
    half = (len(drawn) + 1) // 2
    for number, (column, part) in enumerate(
        zip(st.columns(2, gap="medium"), (drawn[:half], drawn[half:]), strict=True)
    ):
        if part:
            show.chart(
                posteriors_figure(table[table["variable"].isin(part)], state.dark()),
                f"predict_posteriors {number}",
                f"Probabilities of {', '.join(part)}",
                column,
                on_pick=observe,
            )
    more = (
        f" Only the {_MOST_DRAWN} of {len(names)} with the largest change are drawn."
        if len(names) > _MOST_DRAWN
        else ""
    )
    n = len(network.networks) if isinstance(network, bn.prediction.NetworkMixture) else 1
    averaged = f"Probabilities averaged over {n:,} different networks drawn from the posterior. " if n > 1 else ""
    show.note(
        f"{averaged}Each bar shows the probabilities of a variable's states given the evidence, the thin bar below it "
        f"those before.{more} Hover over a segment for its state and both probabilities; click it to observe that "
        "state. This is **observing, not intervening**: it says what is likely in rows *found* with this evidence, "
        "not what would happen if somebody *set* these states.",
        "bars",
    )
    if names:
        every_state(table, names)


def every_state(table: pd.DataFrame, names: list[str]) -> None:
    """Show the states of one variable, one per line: a bar has no room for many."""
    name = choice("All states of", names, Key.WHAT_STATES, width=260)
    lines = table.loc[table["variable"] == name, ["state", "before", "after"]]
    share = {
        kind: st.column_config.ProgressColumn(kind.title(), min_value=0.0, max_value=1.0, format="%.3f")
        for kind in ("before", "after")
    }
    show.table(lines, {"state": "State", **share}, height=min(38 + 35 * len(lines), 400))
