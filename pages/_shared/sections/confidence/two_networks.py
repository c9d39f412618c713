"""Two networks on one layout: naive against corrected, learned against averaged, found again against real."""

import bnengine as bn
from pages._shared import session, show
from pages._shared.figures.methods import TITLES
from pages._shared.figures.network import Edge
from pages._shared.figures.palette import aside, method_color, posterior_color
from pages._shared.sections.confidence.threshold import Asked
from pages._shared.session import Key
from pages._shared.two_graphs import two_graphs
from pages._shared.widgets.choice import tabs

PAIRS = {
    "methods": "Naive and corrected",
    "data": "Learned and averaged",
    "answers": "Found again and real",
}


def two_networks(asked: Asked, threshold: float, arrange: list[Edge]) -> None:
    """The chosen pair of networks, both at the same threshold."""
    study, dark = asked.study, session.dark()
    offered = dict(PAIRS)
    if not {"boot", "boot_bc"} <= set(study.ensembles):
        del offered["methods"]
    if asked.real is None:
        del offered["answers"]
    pair = tabs("Networks compared", offered, Key.NETWORK_PAIR)
    averaged, color = study.averaged(asked.key, threshold, asked.kind).edges, method_color(asked.key, dark)
    if pair == "methods":
        one, other = (study.averaged(key, threshold, asked.kind).edges for key in ("boot", "boot_bc"))
        titles, colors = ("naive", "corrected"), (method_color("boot", dark), method_color("boot_bc", dark))
    elif pair == "answers" and asked.real is not None:
        one, other = averaged, bn.averaged_network(asked.real.probability, threshold, asked.data.names).edges
        titles, colors = ("found again", "real"), (color, posterior_color(dark))
    else:
        one, other = study.reference.edges, averaged
        titles, colors = ("learned from the data", "averaged"), (aside(dark), color)
    two_graphs(
        asked.data.names, one, other, titles, colors, "two_networks", arrange, "dot" if pair == "data" else "solid"
    )
    how = "posterior probability" if pair == "answers" else "strength"
    by = "" if pair == "methods" else f" Found again by: {TITLES[asked.key]}."
    show.note(f"Pairs whose {how} reaches the threshold, each in its more frequent direction.{by}", "pair")
