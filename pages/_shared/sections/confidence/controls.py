"""Controls of the Confidence page: strength of the correction, kind of edge, methods."""

import streamlit as st

import bnengine as bn
from bnengine._core.settings import setting_of
from bnengine.bootstrap.methods import first_shown
from bnengine.scores.correction import correction_refused
from pages._shared import session
from pages._shared.figures.methods import LABELS
from pages._shared.format import escaped
from pages._shared.sections.confidence.answers import method_titles
from pages._shared.sections.confidence.words import FOUND_AGAIN_HELP
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice
from pages._shared.widgets.declared import declared

OPTIONAL = ("jack_1", "jack_d", "boot_exact", "boot_matched", "para", "para_bc", "predictive")


def controls(experiment: bn.Experiment, study: bn.Study | None = None) -> None:
    """Draw the controls; the method that answers *found again* can be chosen once there is a study."""
    place = st.container(key=Key.middle("confidence controls"))
    left, middle, right, last = place.columns([5, 4, 4, 4], gap="medium")
    titles = method_titles(study) if study else {}
    if titles:
        choice("Found again by", titles, Key.AVERAGED, last, first=first_shown(list(titles)), help=FOUND_AGAIN_HELP)
    left.slider(
        "Strength of the correction, nats per parameter",
        0.0,
        max(2.0, session.values.get(Key.STRENGTH)),
        step=0.05,
        **kept(Key.STRENGTH),
        help="½ is the paper's leading order (Eq. 7); 0 is the naive bootstrap. A change learns every replicate again.",
    )
    declared(
        setting_of(bn.Experiment, "kind"),
        place=middle,
        help="If equivalent graphs have equal scores, the data cannot determine the direction of a reversible edge: "
        "each replicate draws it, unless ties are broken in column order, and both directions get a confidence of "
        "about one half. An adjacency counts an edge in either direction. A compelled edge counts only if all "
        "equivalent graphs agree on its direction.",
    )
    right.multiselect(
        "Further methods",
        OPTIONAL,
        format_func=LABELS.__getitem__,
        **kept(Key.METHODS),
        help="The exact-score correction subtracts each family's own expected bias, so that the score of every fixed "
        "graph is unbiased; the selection by the search still favours graphs with lucky scores. The matched bootstrap "
        "finds the strength at which the mean number of edges equals that of the given data.",
    )
    picked = session.values.get(Key.METHODS) or []
    if "boot_exact" in picked and "boot_exact" not in experiment.methods:
        right.caption(f":material/info: {escaped(str(correction_refused(experiment.full_score, 'exact')))}.")
