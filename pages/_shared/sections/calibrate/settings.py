"""What is calibrated: the network that is the truth, and what is done with it."""

import dataclasses
import hashlib
import io
from typing import Any

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine._core.settings import setting_of
from bnengine.bootstrap.calibrate import applicable_keys
from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.study import METHOD_KEYS
from bnengine.experiment.calibrating import on_network
from bnengine.experiment.calibration_settings import FITTED, FROM_FILE, CalibrationSettings
from pages._shared import session
from pages._shared.figures.methods import KINDS, TITLES
from pages._shared.format import escaped
from pages._shared.jobs import experiments
from pages._shared.jobs.background import Progress
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice
from pages._shared.widgets.declared import declared

UPLOADED = FROM_FILE
_CALLED = {FITTED: "fitted to these data", UPLOADED: "from a BIF file"}
_FEWEST_ROWS, _MOST_ROWS = 10, 20_000  # of a table, unless another number is set


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
    titles = {name: _CALLED.get(name, name) for name in options}
    called = choice("the truth: a network", titles, Key.TRUTH, left, first=experiment.data.network or options[0])
    own_rows = min(max(data.n_rows if data else 300, _FEWEST_ROWS), _MOST_ROWS)
    n_rows = setting("n_rows", middle, step=50, placeholder=f"{own_rows:,}") or own_rows
    offered = applicable_keys(experiment.full_score, [key for key in METHOD_KEYS if key != "data"])
    session.values.put(Key.CALIBRATED, [key for key in session.values.get(Key.CALIBRATED) if key in offered])
    keys = right.multiselect(
        "methods, beside the data's own graph", offered, format_func=TITLES.__getitem__, **kept(Key.CALIBRATED)
    )
    with st.expander("How many, and what counts", icon=":material/tune:"):
        a, b, c, d = st.columns(4)
        n_tables, n_fresh, n = setting("n_tables", a), setting("n_fresh", b, step=50), setting("n", c, step=20)
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


def setting(name: str, place: Any, **options: Any) -> Any:
    """The widget of one of the calibration's declared settings."""
    return declared(setting_of(CalibrationSettings, name), "calibration", place, **options)


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
