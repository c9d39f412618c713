"""What is calibrated: the network that is the truth, and what is done with it."""

import dataclasses
import hashlib
import io

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.study import METHOD_KEYS
from bnengine.scores.correction import correction_refused
from pages._shared import session
from pages._shared.figures.methods import KINDS, TITLES
from pages._shared.format import escaped
from pages._shared.jobs import experiments
from pages._shared.jobs.background import Progress
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

FITTED, UPLOADED = "fitted to these data", "from a BIF file"


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
        each = {"jack_1": self.n_rows}
        return self.n_fresh + self.n_tables * sum(each.get(key, self.n) for key in self.keys)

    def calibrate(self, network: bn.BayesianNetwork, tell: Progress | None = None) -> Calibration:
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
            ties=self.experiment.ties,
        )


def controls(experiment: bn.Experiment, data: bn.Dataset | None) -> tuple[bn.BayesianNetwork, str, Run, str] | None:
    """The network, how it is called, what is done with it, and a digest of both; None while something is missing."""
    left, middle, right = st.columns([3, 2, 7], gap="medium")
    options = ([FITTED] if data else []) + [UPLOADED, *bn.network_names()]
    known = experiment.data.network
    if session.values.get(Key.TRUTH) not in options:
        session.values.put(Key.TRUTH, known if known in options else options[0])
    called = choice("the truth: a network", options, Key.TRUTH, left)
    own_rows = data.n_rows if data else 300
    n_rows = middle.number_input(
        "rows of a table",
        10,
        20_000,
        min(max(own_rows, 10), 20_000),
        step=50,
        **kept(Key.TABLE_ROWS, own_rows),
        help="As many as the data have, unless you change it.",
    )
    offered = [key for key in METHOD_KEYS if key != "data"]
    if correction_refused(experiment.full_score, "exact") is not None:
        offered.remove("boot_exact")
    session.values.put(Key.CALIBRATED, [key for key in session.values.get(Key.CALIBRATED) if key in offered])
    keys = right.multiselect(
        "methods, beside the data's own graph", offered, format_func=TITLES.__getitem__, **kept(Key.CALIBRATED)
    )
    with st.expander("How many, and what counts", icon=":material/tune:"):
        a, b, c, d = st.columns(4)
        n_tables = a.number_input("tables for each method", 2, 100, **kept(Key.TABLES))
        n_fresh = b.number_input("fresh tables for π", 50, 10_000, step=50, **kept(Key.FRESH))
        n = c.number_input("replicates a method", 20, 1000, step=20, **kept(Key.CALIBRATION_N))
        kind = choice("what counts as an edge", KINDS, Key.KIND, d)
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
        content = st.file_uploader("A network in BIF", type=["bif", "gz"], key=Key.TRUTH_FILE)
        if content is not None:
            title = content.name.removesuffix(".gz").removesuffix(".bif")
            try:
                session.settings.keep_truth(bn.read_bif(io.BytesIO(content.getvalue()), title=title))
            except ValueError as error:
                st.error(f"{escaped(str(error))}.")
                return None
        if session.settings.truth() is None:
            st.info("Upload the network that is to be taken for the truth, or choose another one above.")
        return session.settings.truth()
    if called != FITTED or data is None:
        return bn.load_network(called)
    graph = experiments.graph_of(experiment, data)
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
        f"                     bn.{at.constraints!r}, {run.kind!r}, {at.seed}{at.python_ties})\n"
        "print(found.table())\n"
    )
