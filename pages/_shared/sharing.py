"""Settings that travel: in the page's address and in a file."""

import base64
import binascii
import json
import zlib
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES, Search
from pages._shared import session
from pages._shared.format import escaped
from pages._shared.session import Key
from pages._shared.widgets import search_controls
from pages._shared.widgets.score_controls import FROM_FILE

#: The address's parameter that holds the settings.
PARAMETER = "run"
_LONGEST = 6_000  # letters of a link that browsers and mails still take
_LARGEST = 2_000_000  # bytes of settings


def encoded(experiment: bn.Experiment) -> str:
    """The settings in letters that an address may hold."""
    plain = json.dumps(experiment.to_dict(), separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")


def decoded(text: str) -> bn.Experiment:
    """The settings in an address; a ValueError says that they are none."""
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed, _LARGEST)
        if not unpacker.eof:
            raise ValueError("the settings in the address are cut short")
    except (binascii.Error, zlib.error, UnicodeEncodeError) as error:
        raise ValueError("the settings in the address cannot be read; was the link copied whole?") from error
    return opened(plain)


def opened(content: bytes) -> bn.Experiment:
    """The settings in a file, or in a result that the command line wrote; a ValueError says what is wrong."""
    try:
        values = json.loads(content.decode("utf-8-sig"))
    except ValueError:
        raise ValueError("the settings are no JSON") from None
    if isinstance(values, dict) and isinstance(values.get("experiment"), dict):
        values = values["experiment"]
    if not isinstance(values, dict):
        raise ValueError("the settings are no description of an experiment")
    return bn.Experiment.from_dict(values)


def apply(experiment: bn.Experiment) -> None:
    """Put every setting into the sidebar's widgets; before they are drawn, or from a widget's callback."""
    session.settings.reset()
    for key, value in widget_values(experiment).items():
        session.values.put(key, _within(key, value))
    if isinstance(getattr(experiment.score, "prior_network", None), bn.BayesianNetwork):
        session.settings.keep_prior(experiment.score.prior_network)
    session.files.turn_to(experiment.data)
    session.settings.expect(experiment)


def widget_values(experiment: bn.Experiment) -> dict[str, Any]:
    """The values of the sidebar's widgets that describe an experiment."""
    score, search, constraints = experiment.score, experiment.search, experiment.constraints
    values: dict[str, Any] = {
        Key.SCORE: next(word for word, kind in SCORES.items() if type(score) is kind),
        Key.EDGE_PENALTY: experiment.edge_penalty,
        Key.UNIFORM_SIZES: experiment.uniform_parent_sizes,
        Key.SEARCH: next(word for word, kind in SEARCHES.items() if type(search) is kind),
        Key.REQUIRED: "\n".join(f"{parent} -> {child}" for parent, child in constraints.required),
        Key.FORBIDDEN: "\n".join(f"{parent} -> {child}" for parent, child in constraints.forbidden),
        Key.TIERS: "\n".join(", ".join(tier) for tier in constraints.tiers),
        Key.METHODS: [key for key in experiment.methods if key not in ("data", "boot", "boot_bc")],
        Key.REPLICATES: experiment.n,
        Key.DELETE_D: experiment.d,
        Key.STRENGTH: experiment.strength,
        Key.SEED: experiment.seed,
        Key.KEEP_ORDER: experiment.ties == "columns",
    }
    if hasattr(score, "ess"):
        values[Key.ESS] = float(score.ess)
    if isinstance(score, bn.BDe):
        values[Key.PRIOR_NETWORK] = score.prior_network if isinstance(score.prior_network, str) else FROM_FILE
    return values | _search_values(search, experiment.data)


#: Settings of the searches that have a widget, by the field's name.
_FIELDS = {
    "restarts": Key.RESTARTS,
    "tenure": Key.TENURE,
    "patience": Key.PATIENCE,
    "frontier": Key.FRONTIER,
    "start_temperature": Key.TEMPERATURE,
    "proposals": Key.PROPOSALS,
    "acceptances": Key.ACCEPTANCES,
    "cooling": Key.COOLING,
    "temperatures": Key.TEMPERATURES,
    "start": Key.START,
    "exchanges": Key.EXCHANGES,
    "only_improving": Key.IMPROVING,
    "dependent_share": Key.DEPENDENT,
    "beam": Key.BEAM,
    "root": Key.ROOT,
    "max_parents": Key.MAX_PARENTS,
}


#: What the number widgets hold; numbers beyond are brought to the nearest that they do.
_LIMITS: dict[str, tuple[float, float]] = {
    Key.ESS: (0.01, 10_000.0),
    Key.EDGE_PENALTY: (0.0, 100.0),
    Key.REPLICATES: (20, 1000),
    Key.DELETE_D: (1, 10**9),
    Key.STRENGTH: (0.0, 2.0),
    Key.SEED: (0, 2**31 - 1),
    Key.RESTARTS: (0, 1000),
    Key.TENURE: (1, 10_000),
    Key.PATIENCE: (1, 10_000),
    Key.FRONTIER: (1, 5_000),
    Key.TEMPERATURE: (0.1, 10_000.0),
    Key.PROPOSALS: (1, 1_000_000),
    Key.ACCEPTANCES: (1, 1_000_000),
    Key.COOLING: (0.01, 0.999),
    Key.TEMPERATURES: (1, 10_000),
    Key.DEPENDENT: (0.05, 1.0),
    Key.BEAM: (1, 1000),
    Key.MAX_PARENTS: (1, 50),
}


def _within(key: str, value: Any) -> Any:
    """The value, or the nearest that its widget holds."""
    if value is None or key not in _LIMITS:
        return value
    low, high = _LIMITS[key]
    return type(low)(min(max(value, low), high))


def _search_values(search: Search, recipe: bn.Recipe) -> dict[str, Any]:
    values = {key: getattr(search, field) for field, key in _FIELDS.items() if hasattr(search, field)}
    if isinstance(search, bn.ChowLiu):
        values.pop(Key.MAX_PARENTS, None)  # a tree's single parent is no setting
    ordering = getattr(search, "ordering", None)
    if ordering is None:
        return values | {Key.ORDERING: search_controls.COLUMN_ORDER}
    known = bn.load_network(recipe.network).ordering if recipe.network is not None else []
    if [name for name in known if name in ordering] == list(ordering):
        return values | {Key.ORDERING: search_controls.TRUE_ORDER}
    return values | {Key.ORDERING: search_controls.OWN_ORDER, Key.ORDERING_TEXT: "\n".join(ordering)}


def from_address() -> None:
    """Take the settings that the address brings, on a session's first draw."""
    text = st.query_params.get(PARAMETER)
    if not text or session.settings.drawn():
        return
    try:
        apply(decoded(text))
    except ValueError as error:
        session.settings.set_remark(f"{escaped(str(error))}. The first sample is shown instead.")


def share_control(experiment: bn.Experiment) -> None:
    """The card's last part: a link, a file to save, a file to open."""
    remark = session.settings.remark(experiment)
    if remark:
        st.warning(remark)
    with st.expander("Share or save", icon=":material/share:"):
        text = encoded(experiment)
        if experiment.data.source == "file":
            st.caption("A link brings the settings; the other person needs the same file and uploads it on Data.")
        if len(text) <= _LONGEST:
            st.code(f"{st.context.url or ''}?{PARAMETER}={text}", language=None, wrap_lines=False)
        else:
            st.caption("These settings are too long for a link: save them as a file.")
        st.download_button(
            "Save the settings (JSON)",
            json.dumps({"experiment": experiment.to_dict(), "version": bn.__version__}, indent=2),
            "experiment.json",
            "application/json",
            on_click="ignore",
            key=Key.SAVE,
        )
        st.file_uploader("Open saved settings (JSON)", type="json", key=Key.SAVED, on_change=_open)


def _open() -> None:
    upload = session.values.get(Key.SAVED)
    if upload is None:
        return
    try:
        apply(opened(upload.getvalue()))
    except ValueError as error:
        session.settings.set_remark(f"{escaped(upload.name)}: {escaped(str(error))}. Your settings are unchanged.")
