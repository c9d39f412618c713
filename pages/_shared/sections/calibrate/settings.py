"""Settings of a calibration: the true network, and how much is drawn from it."""

import dataclasses
import hashlib
from typing import Any

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine._core.settings import setting_of
from bnengine.bootstrap.calibrate import applicable_keys
from bnengine.bootstrap.methods import ALL_KEYS
from bnengine.experiment.calibration_settings import FITTED, FROM_FILE, POSTERIOR, CalibrationSettings
from pages._shared import session
from pages._shared.figures.methods import LABELS
from pages._shared.jobs import experiments
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice
from pages._shared.widgets.declared import declared
from pages._shared.widgets.network_file import uploaded_network

_TITLES = {FITTED: "Fitted to your data", FROM_FILE: "From a BIF file"}
_FEWEST_ROWS, _MOST_ROWS = 10, 20_000  # of a table, unless the user sets another number


@dataclasses.dataclass(frozen=True)
class Run:
    """A calibration: the experiment with all its calibration settings, and the true network."""

    experiment: bn.Experiment
    network: bn.BayesianNetwork

    @property
    def n_rows(self) -> int:
        """Rows of each table."""
        return self.experiment.calibration.n_rows or 0

    @property
    def n_graphs(self) -> int:
        """Approximate number of graphs to learn; the delete-1 jackknife has at least one for each distinct row."""
        asked = self.experiment.calibration
        keys = applicable_keys(self.experiment.full_score, asked.methods)
        each = [{"jack_1": self.n_rows, POSTERIOR: 0}.get(key, asked.n) for key in keys]
        return asked.n_fresh + asked.n_tables * sum(each)

    @property
    def key(self) -> str:
        """A digest of everything on which the result depends."""
        network = self.network
        digest = hashlib.sha256(repr((network.names, network.states, network.parents)).encode())
        for table in network.tables:
            digest.update(np.ascontiguousarray(table).tobytes())
        return f"{self.experiment.calibration_key} {digest.hexdigest()}"

    @property
    def title(self) -> str:
        """The network's name in sentences."""
        truth = self.experiment.calibration.truth
        if truth == FITTED:
            return "the network fitted to your data"
        return self.network.title if truth == FROM_FILE else str(truth).upper()


def controls(experiment: bn.Experiment, data: bn.Dataset | None) -> Run | None:
    """The calibration that the controls describe; None, with the reason, if something is missing."""
    left, middle, right = st.columns([3, 2, 7], gap="medium")
    options = ([FITTED] if data else []) + [FROM_FILE, *bn.network_names()]
    titles = {name: _TITLES.get(name, name) for name in options}
    truth = choice("True network", titles, Key.TRUTH, left, first=experiment.data.network or options[0])
    own_rows = min(max(data.n_rows if data else 300, _FEWEST_ROWS), _MOST_ROWS)
    n_rows = _setting("n_rows", middle, step=50, placeholder=f"{own_rows:,}") or own_rows
    offered = applicable_keys(experiment.full_score, [*(key for key in ALL_KEYS if key != "data"), POSTERIOR])
    session.values.put(Key.CALIBRATED, [key for key in session.values.get(Key.CALIBRATED) if key in offered])
    right.multiselect("Methods", offered, format_func=LABELS.__getitem__, **kept(Key.CALIBRATED))
    with st.expander("Numbers of samples, kind of edge", icon=":material/tune:"):
        a, b, c, d = st.columns(4)
        for name, place, step in (("n_tables", a, 1), ("n_fresh", b, 50), ("n", c, 20)):
            _setting(name, place, step=step)
        declared(setting_of(bn.Experiment, "kind"), place=d)
    network = true_network(truth, experiment, data)
    if network is None:
        return None
    if not session.values.get(Key.CALIBRATED):
        st.info("Choose a method to calibrate.")
        return None
    calibration = dataclasses.replace(experiment.calibration, truth=truth, n_rows=int(n_rows))
    return Run(dataclasses.replace(experiment, calibration=calibration), network)


def _setting(name: str, place: Any, **options: Any) -> Any:
    """The widget of one of the calibration's declared settings."""
    return declared(setting_of(CalibrationSettings, name), "calibration", place, **options)


def true_network(truth: str, experiment: bn.Experiment, data: bn.Dataset | None) -> bn.BayesianNetwork | None:
    """The chosen network; None, with the reason, if it is not available yet."""
    if truth == FROM_FILE:
        network = uploaded_network("Network (BIF)", Key.TRUTH_FILE)
        if network is None:
            st.info("Upload the true network, or choose another one above.")
        return network
    if truth != FITTED or data is None:
        return bn.load_network(truth)
    graph = experiments.graph_of(experiment, data)
    return None if graph is None else bn.fit(data, graph.edges)
