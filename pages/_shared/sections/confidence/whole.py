"""Is the graph no better than chance: its independences against those of graphs with shuffled nodes."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.format import escaped
from pages._shared.jobs import checks
from pages._shared.widgets.later import later


def whole(experiment: bn.Experiment, data: bn.Dataset) -> None:
    """The test, once it is asked for."""
    later("Is the graph no better than chance?", "whole", ":material/gpp_maybe:", lambda: tested(experiment, data))


def tested(experiment: bn.Experiment, data: bn.Dataset) -> None:
    """The test, started by a click."""
    found = checks.falsification_of(experiment, data)
    if found is None:
        return
    show.note(f"{escaped(found.test.sentence)}", "whole", small=False)
    st.caption(
        f"The graph was learned from {found.n_learned:,} random rows and tested on the other {found.n_tested:,}: "
        "each variable must be independent of its non-descendants given its parents. With enough rows some such "
        "independence is rejected for any useful graph, so the share of violations is compared with that of graphs "
        "with shuffled nodes (Eulig et al. 2025). On 1,000 rows, ALARM's graph with 60 % of its edges moved passed "
        "in four of four tries: that a graph passes does not make it right."
    )
    table = found.test.table()
    if len(table):
        show.table(table, {"g_squared": "G²", "p_value": ("p", 4)}, height=240)
    link = session.settings.link(experiment)
    made = f"from_link({link!r})" if link else f"from_dict({experiment.to_dict()!r})"
    take_away(
        ("Violations", table, "violations.csv"),
        code=experiment.python_data()
        + "from bnengine.experiment.falsifying import falsify_learned\n\n"
        + f"experiment = bn.Experiment.{made}\n"
        + f"print(falsify_learned(experiment, data, {checks.N_SHUFFLED}).test.sentence)\n",
    )
