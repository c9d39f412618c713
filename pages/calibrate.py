"""Calibrate: a known network, and which method's confidence deserves trust."""

import dataclasses
import hashlib
import io
from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import entry, running, state
from pages._shared.downloads import csv_button, repeat_popover
from pages._shared.figures.calibration import distance_figure, precision_recall_figure, reliability_figure
from pages._shared.figures.methods import TITLES
from pages._shared.text import escaped

FITTED, UPLOADED = "fitted to these data", "from a BIF file"
KINDS = {"directed": "directed edges", "adjacency": "adjacencies", "compelled": "compelled edges"}
MEASURES = {"distance": "distance to π", "brier": "Brier score against the network"}
AGAINST = {"learned": "fresh data", "in_network": "the network"}
_EXPLANATION = (
    "Draws tables from a known network. From many fresh ones it learns how probable each edge is to be learned, π. "
    "To a few others it applies each method, as if only that table were there, and compares the confidences p with π "
    "and with the network itself."
)


def main() -> None:
    """The page."""
    data, _ = state.dataset()
    experiment = state.experiment()
    settings = controls(experiment, data)
    if settings is None:
        return
    network, called, run, key = settings
    title = st.empty()
    name = "the network fitted to these data" if called == FITTED else escaped(called.upper())
    title.markdown(f"#### Which method's confidence deserves trust on {name}?")
    found = running.worked_out(
        "calibrate",
        key,
        lambda tell: run.calibrate(network, tell),
        "Calibrate",
        f"{_EXPLANATION} Score and search are those on the left; {run.n_graphs:,} graphs are learned.",
        "graphs learned",
    )
    if found is None:
        return
    if found.status == "stopped":
        st.warning(f"Stopped: {found.n_tables} of {run.n_tables} tables were finished by all methods.")
        if running.again("calibrate", key):
            st.rerun()
        if not found.n_tables:
            return
    finding, remark = sentences(found, called)
    title.markdown(f"#### {finding}")
    st.markdown(remark)
    if called == FITTED:
        st.caption(
            "Circular, as far as it goes: the network was learned from these data by this search, so its edges are "
            "those that the search finds. It tells how the methods fare on data *like* yours, if the network is."
        )
    pictures(found)
    take_away(found, experiment, called, run)


@dataclasses.dataclass(frozen=True)
class Run:
    """What is done with the network."""

    experiment: bn.Experiment
    n_rows: int
    n_tables: int
    n_fresh: int
    n: int
    keys: tuple[str, ...]
    kind: str

    @property
    def n_graphs(self) -> int:
        """About how many graphs are learned; the delete-1 jackknife has one for each distinct row."""
        each = {"boot_matched": 9 * self.n, "jack_1": self.n_rows}
        return self.n_fresh + self.n_tables * sum(each.get(key, self.n) for key in self.keys)

    def calibrate(self, network: bn.BayesianNetwork, tell: running.Progress | None = None) -> bn.Calibration:
        """Run it."""
        return bn.calibrate(
            network,
            self.n_rows,
            self.experiment.full_score,
            self.experiment.search,
            bn.methods(self.n, keys=self.keys),
            self.n_tables,
            self.n_fresh,
            self.experiment.constraints,
            self.kind,
            self.experiment.seed,
            progress=tell,
        )


def controls(experiment: bn.Experiment, data: bn.Dataset | None) -> tuple[bn.BayesianNetwork, str, Run, str] | None:
    """The network, how it is called, what is done with it, and a digest of both; None while something is missing."""
    left, middle, right = st.columns([3, 2, 7], gap="medium")
    options = ([FITTED] if data else []) + [UPLOADED, *bn.network_names()]
    known = experiment.data.network
    if st.session_state.get(state.TRUTH) not in options:
        st.session_state[state.TRUTH] = known if known in options else options[0]
    called = str(left.selectbox("the truth: a network", options, key=state.TRUTH, persist_state="session"))
    n_rows = middle.number_input("rows of a table", 10, 20_000, step=50, key=state.TABLE_ROWS, persist_state="session")
    offered = [key for key in bn.METHOD_KEYS if key != "data"]
    if bn.correction_refused(experiment.full_score, "exact") is not None:
        offered.remove("boot_exact")
    st.session_state[state.CALIBRATED] = [key for key in st.session_state[state.CALIBRATED] if key in offered]
    keys = right.multiselect(
        "methods, beside the data's own graph",
        offered,
        format_func=TITLES.__getitem__,
        key=state.CALIBRATED,
        persist_state="session",
    )
    with st.expander("How many, and what counts", icon=":material/tune:"):
        a, b, c, d = st.columns(4)
        n_tables = a.number_input("tables for each method", 2, 100, key=state.TABLES, persist_state="session")
        n_fresh = b.number_input("fresh tables for π", 50, 10_000, step=50, key=state.FRESH, persist_state="session")
        n = c.number_input("replicates a method", 20, 1000, step=20, key=state.CALIBRATION_N, persist_state="session")
        kind = d.selectbox(
            "what counts as an edge",
            list(KINDS),
            format_func=KINDS.__getitem__,
            key=state.KIND,
            persist_state="session",
        )
    network = the_network(called, experiment, data)
    if network is None:
        return None
    if not keys:
        st.info("Choose a method to calibrate.")
        return None
    run = Run(on_network(experiment, network), int(n_rows), int(n_tables), int(n_fresh), int(n), tuple(keys), str(kind))
    digest = hashlib.sha256(repr((run.experiment.graph_key, dataclasses.astuple(run)[1:])).encode())
    digest.update(bif_of(network))
    return network, called, run, digest.hexdigest()


def the_network(called: str, experiment: bn.Experiment, data: bn.Dataset | None) -> bn.BayesianNetwork | None:
    """The network that was chosen; None, with the reason on the page, where there is none yet."""
    if called == UPLOADED:
        content = st.file_uploader("A network in BIF", type=["bif", "gz"], key="calibrate_bif")
        if content is None:
            return None
        try:
            return bn.read_bif(io.BytesIO(content.getvalue()))
        except ValueError as error:
            st.error(f"{escaped(str(error))}.")
            return None
    if called != FITTED or data is None:
        return bn.load_network(called)
    graph = running.graph_of(experiment, data)
    return None if graph is None else bn.fit(data, graph.edges)


def bif_of(network: bn.BayesianNetwork) -> bytes:
    """What tells networks apart."""
    parts = [repr((network.names, network.states, network.parents)).encode()]
    return b"".join(parts + [np.ascontiguousarray(table).tobytes() for table in network.tables])


def on_network(experiment: bn.Experiment, network: bn.BayesianNetwork) -> bn.Experiment:
    """The experiment's score and search for another network's variables: orderings and constraints are by name."""
    search = experiment.search
    if isinstance(search, bn.K2 | bn.FixedOrdering):
        search = dataclasses.replace(search, ordering=tuple(network.ordering))
    if isinstance(search, bn.ChowLiu) and search.root not in network.names:
        search = bn.ChowLiu()
    try:
        experiment.constraints.resolve(network.names)
        constraints = experiment.constraints
    except ValueError:
        constraints = bn.Constraints()
    return dataclasses.replace(experiment, search=search, constraints=constraints)


def sentences(found: bn.Calibration, called: str) -> tuple[str, str]:
    """What the numbers show for this network, score and number of rows, and how sure that is."""
    table = found.table().set_index("method")
    ranked = list(table["distance"].sort_values(kind="stable").index)
    best, second = ranked[0], ranked[1]
    lead, error = found.lead(best, second)
    name = "the network fitted to these data" if called == FITTED else escaped(called.upper())
    finding = (
        f"On {name} ({found.n_rows:,} rows, {escaped(found.score)}) the {TITLES[best]} comes nearest to how often an "
        f"edge is really learned: {pm(table, best)} edges off in all"
    )
    if best != "boot" and "boot" in table.index:
        finding += f", the naive bootstrap {pm(table, 'boot')}"
    sure = "more than twice its error" if lead > 2 * error else "within its error"
    remark = (
        f"Its lead over the next, the {TITLES[second]}, is {lead:.1f} ± {error:.1f} edges: {sure}. "
        f"A method that knew the truth would be {found.floor:.1f} off, from noise alone."
    )
    return finding + ".", remark


def pm(table: pd.DataFrame, key: str) -> str:
    """A distance with its standard error."""
    line = table.loc[key]
    return f"{line['distance']:.1f} ± {line['distance_se']:.1f}"


def pictures(found: bn.Calibration) -> None:
    """Distance, reliability, precision and recall."""
    dark = state.dark()
    keys = list(found.confidence)
    bare = {"displayModeBar": False}
    left, right = st.columns([5, 4], gap="large")
    with left:
        measure = st.segmented_control(
            "measure",
            list(MEASURES),
            default="distance",
            required=True,
            format_func=MEASURES.__getitem__,
            key="calibrate_measure",
            label_visibility="collapsed",
        )
        st.plotly_chart(
            distance_figure(found, str(measure), dark),
            key="calibrate_distance",
            theme=None,
            config=bare,
            alt="Distance of each method's confidences from the probability with which edges are learned",
        )
        st.caption(
            f"Mean over {found.n_tables} tables, the bar is its standard error; the farther left, the better. "
            "π itself is known only as far as its fresh tables go: the dashed line is what that and the number of "
            "replicates alone would make."
            if measure == "distance"
            else "Mean of (p − 1)² over the edges that the network has and of p² over all others: low where confidence "
            "is high for true edges and low for the rest. π does not enter: a method can be truthful about what is "
            "learned, and the learning be wrong."
        )
    with right:
        against = st.segmented_control(
            "against",
            list(AGAINST),
            default="learned",
            required=True,
            format_func=AGAINST.__getitem__,
            key="calibrate_against",
            label_visibility="collapsed",
        )
        shown = [key for key in keys if key != "data"]
        st.plotly_chart(
            reliability_figure(found, shown, str(against), dark),
            key="calibrate_reliability",
            theme=None,
            config=bare,
            alt="Reliability diagram: share of edges against confidence",
        )
        st.caption(
            "Edges grouped by confidence, larger marks for more of them. On the dotted line confidence means what it "
            "says; below it, edges are over-stated."
        )
    left, right = st.columns([4, 5], gap="large")
    with left:
        st.plotly_chart(
            precision_recall_figure(found, keys, dark),
            key="calibrate_recall",
            theme=None,
            config=bare,
            alt="Precision against recall for each method",
        )
        st.caption("Along a line the threshold falls from 1 at the left; the single mark is the data's own graph.")
    with right:
        st.dataframe(shown_table(found), hide_index=True)
        st.caption(
            f"The network has {int(found.truth.sum())} {KINDS[found.kind]}; a fresh table gives "
            f"{found.learned.sum():.1f} on average. ±: standard error over the tables. The methods see the same "
            "tables, so differences between them are surer than the bars suggest."
        )


def shown_table(found: bn.Calibration) -> pd.DataFrame:
    """The measures as a person reads them."""
    table = found.table()
    columns = {"edges": ("edges", ".1f"), "distance": ("Σ|p − π|", ".1f"), "brier": ("Brier score", ".4f")}
    shown = pd.DataFrame({"method": [TITLES[key] for key in table["method"]]})
    for column, (title, digits) in columns.items():
        pairs = zip(table[column], table[f"{column}_se"], strict=True)
        shown[title] = [f"{mean:{digits}} ± {error:{digits}}" for mean, error in pairs]
    return shown


def take_away(found: bn.Calibration, experiment: bn.Experiment, called: str, run: Run) -> None:
    """Downloads, and the lines that repeat it."""
    with st.container(horizontal=True):
        csv_button("Measures", found.table(), "calibration.csv")
        csv_button("Reliability", many(found, bn.Calibration.reliability), "reliability.csv")
        csv_button("Precision and recall", many(found, bn.Calibration.precision_recall), "precision_recall.csv")
        repeat_popover(python(experiment, called, run))


def many(found: bn.Calibration, table_of: Callable[[bn.Calibration, str], pd.DataFrame]) -> pd.DataFrame:
    """One table of all methods."""
    return pd.concat([table_of(found, key).assign(method=key) for key in found.confidence])


def python(experiment: bn.Experiment, called: str, run: Run) -> str:
    """Lines that repeat the calibration."""
    if called == FITTED:
        lines = experiment.python_learn() + "network = bn.fit(data, graph.edges)\n"
    elif called == UPLOADED:
        lines = "import bnengine as bn\n\nnetwork = bn.read_bif('network.bif')\n"
    else:
        lines = f"import bnengine as bn\n\nnetwork = bn.load_network({called!r})\n"
    at = run.experiment
    return lines + (
        f"found = bn.calibrate(network, {run.n_rows}, {at.python_score()}, bn.{at.search!r},\n"
        f"                     bn.methods({run.n}, keys={run.keys!r}), {run.n_tables}, {run.n_fresh},\n"
        f"                     bn.{at.constraints!r}, {run.kind!r}, {at.seed})\n"
        "print(found.table())\n"
    )


entry.through_app()
main()
