"""Widgets for simulated annealing: where it sets out, and its schedule."""

from typing import Any

import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.session import Key, kept

_STARTS = {"empty": "no edges", "climbed": "a climbed graph"}
#: What the limit on parents does to annealing.
FIVE_PARENTS = (
    "Five unless you set another. The limit shapes the result: in a sparse table a hot walk gives variables more "
    "parents than the rows support, and the cooling may not take them away again."
)
#: Widgets of annealing's schedule, by the setting.
_SCHEDULE = {
    "start_temperature": Key.TEMPERATURE,
    "proposals": Key.PROPOSALS,
    "acceptances": Key.ACCEPTANCES,
    "cooling": Key.COOLING,
    "temperatures": Key.TEMPERATURES,
    "exchanges": Key.EXCHANGES,
}


def annealing_control(limit: int | None) -> bn.SimulatedAnnealing:
    """Simulated annealing; what is left empty is taken from the data."""
    start = st.selectbox("set out from", list(_STARTS), format_func=_STARTS.__getitem__, **kept(Key.START))
    hottest = _from_data("start temperature T₀, nats", Key.TEMPERATURE, 0.1, 10_000.0)
    proposals = _from_data("most proposals a temperature, α", Key.PROPOSALS, 1, 1_000_000)
    acceptances = _from_data("most changes a temperature, β", Key.ACCEPTANCES, 1, 1_000_000)
    cooling = st.number_input("cooling factor γ", 0.01, 0.999, step=0.01, **kept(Key.COOLING))
    temperatures = _from_data("most temperatures, δ", Key.TEMPERATURES, 1, 10_000)
    exchanges = st.checkbox(
        "exchange parents, too",
        **kept(Key.EXCHANGES),
        help="A third of the proposals put one parent in another's place. Without, only single edges are changed.",
    )
    for label, schedule in (
        ("Schedule from the data", bn.SimulatedAnnealing()),
        ("Schedule as published, 1995", bn.SimulatedAnnealing.published()),
    ):
        st.button(label, on_click=_set_schedule, args=(schedule,), width="stretch")
    return bn.SimulatedAnnealing(
        hottest, proposals, acceptances, float(cooling), temperatures, limit, str(start), bool(exchanges)
    )


def _from_data(label: str, key: str, least: float, most: float) -> Any:
    """A number of the kind of its limits, or None where it is left to the data."""
    return st.number_input(label, least, most, placeholder="from the data", **kept(key))


def _set_schedule(search: bn.SimulatedAnnealing) -> None:
    for field, key in _SCHEDULE.items():
        session.values.put(key, getattr(search, field))
