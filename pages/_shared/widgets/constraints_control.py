"""Background knowledge about the graph, one item per line."""

import re
from collections.abc import Iterable

import streamlit as st

import bnengine as bn
from pages._shared.format import escaped
from pages._shared.session import Key, kept


def written(constraints: bn.Constraints) -> dict[str, str]:
    """The constraints as text for the widgets."""

    def edges(pairs: Iterable[tuple[str, str]]) -> str:
        return "\n".join(f"{parent} -> {child}" for parent, child in pairs)

    tiers = "\n".join(", ".join(tier) for tier in constraints.tiers)
    return {Key.REQUIRED: edges(constraints.required), Key.FORBIDDEN: edges(constraints.forbidden), Key.TIERS: tiers}


def constraints_control(data: bn.Dataset | None) -> bn.Constraints:
    """Required and forbidden edges and tiers; contradictory constraints are reported and not used."""
    with st.expander("Constraints", icon=":material/rule:"):
        example = f"{data.names[0]} -> {data.names[-1]}" if data and data.n_variables > 1 else "A -> B"
        required, forbidden = (
            st.text_area(f"{label} edges, one per line", **kept(key), placeholder=example, height=80)
            for label, key in (("Required", Key.REQUIRED), ("Forbidden", Key.FORBIDDEN))
        )
        tiers = st.text_area(
            "Tiers, earliest first, one per line",
            **kept(Key.TIERS),
            placeholder="A, B\nC",
            height=80,
            help="No edge leads from a later tier to an earlier one; variables in no tier are free.",
        )
        try:
            constraints = bn.Constraints(
                required=_typed_edges(required), forbidden=_typed_edges(forbidden), tiers=_typed_tiers(tiers)
            )
            if data:
                constraints.resolve(data.names)
        except ValueError as error:
            st.error(f"{escaped(str(error))}. No constraints are used.")
            return bn.Constraints()
    return constraints


def _typed_edges(text: str) -> tuple[tuple[str, str], ...]:
    edges = []
    for line in filter(None, map(str.strip, text.splitlines())):
        ends = re.split(r"\s*(?:->|→)\s*", line)
        if len(ends) != 2 or not all(ends):
            raise ValueError(f"'{line}' is not an edge; write parent -> child")
        edges.append((ends[0], ends[1]))
    return tuple(edges)


def _typed_tiers(text: str) -> tuple[tuple[str, ...], ...]:
    lines = filter(None, map(str.strip, text.splitlines()))
    return tuple(tuple(name.strip() for name in line.split(",") if name.strip()) for line in lines)
