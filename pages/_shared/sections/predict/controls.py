"""Target, testing and prior counts: the controls of the sections that test predictions."""

from dataclasses import dataclass

import streamlit as st

import bnengine as bn
from bnengine._core.settings import setting_of
from bnengine.experiment.prediction_settings import PredictionSettings
from bnengine.prediction.cross_validation import Split
from pages._shared import session
from pages._shared.format import counted
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice, tabs
from pages._shared.widgets.declared import declared

HOLDOUT, FOLDS = "holdout", "folds"  # as the settings are declared
#: The name of each measure, and whether higher is better.
MEASURES = {
    "accuracy": ("Accuracy", True),
    "absolute_error": ("Mean absolute error", False),
    "brier": ("Brier score", False),
    "log_loss": ("Log loss, nats", False),
}


@dataclass(frozen=True)
class Testing:
    """The target, the splits into training and test rows, and the prior counts of the tables."""

    target: str
    splits: tuple[Split, ...]
    words: str
    code: str
    ess: float
    key: str


def testing_controls(data: bn.Dataset) -> Testing | None:
    """Return the choices made; None, with the reason, if these data cannot be split or have no target."""
    targets = [name for name, states in zip(data.names, data.states, strict=True) if len(states) > 1]
    if not targets or data.n_rows < 4:
        st.info("Prediction needs a variable with at least two states, and at least four rows.")
        return None
    row = st.container(horizontal=True, vertical_alignment="top", gap="medium")
    target = choice("Target", targets, Key.TARGET, row, first=targets[-1], width=180)
    testing = setting_of(PredictionSettings, "testing")
    how = tabs(testing.label, testing.choices, Key.TESTING, row, label_visibility="visible")
    seed = session.settings.experiment().seed
    if how == FOLDS:
        most = min(max(20, session.values.get(Key.FOLDS)), data.n_rows)
        session.values.within(Key.FOLDS, 2, most)
        k = int(row.slider("Folds", 2, most, width=180, **kept(Key.FOLDS)))
        splits, words = bn.prediction.k_folds(data.n_rows, k, rng=seed), f"{k}-fold cross-validation"
        code = f"bn.prediction.k_folds(data.n_rows, {k}, rng={seed})"
    else:
        kept_share = session.values.get(Key.TEST_SHARE)
        least, most_share = min(0.1, kept_share), max(0.9, kept_share)
        label = setting_of(PredictionSettings, "test_share").label
        share = float(row.slider(label, least, most_share, step=0.05, width=180, **kept(Key.TEST_SHARE)))
        splits = bn.prediction.holdout(data.n_rows, share, rng=seed)
        words = counted(len(splits[0][1]), "test row")
        code = f"bn.prediction.holdout(data.n_rows, {share}, rng={seed})"
    ess = declared(setting_of(PredictionSettings, "ess"), "prediction", row, width=220)
    key = f"{session.settings.experiment().graph_key} {target} {words} {float(ess)!r}"
    return Testing(target, tuple(splits), words, code, float(ess), key)
