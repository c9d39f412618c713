"""Background knowledge about the graph, typed line by line."""

import re
from collections.abc import Iterable

import streamlit as st

import bnengine as bn
from pages._shared.format import escaped
from pages._shared.session import Key, kept


def written(constraints: bn.Constraints) -> dict[str, str]:
    """The texts of the widgets that describe the constraints."""

    def edges(pairs: Iterable[tuple[str, str]]) -> str:
        return "\n".join(f"{parent} -> {child}" for parent, child in pairs)

    tiers = "\n".join(", ".join(tier) for tier in constraints.tiers)
    return {Key.REQUIRED: edges(constraints.required), Key.FORBIDDEN: edges(constraints.forbidden), Key.TIERS: tiers}


def constraints_control(data: bn.Dataset | None) -> bn.Constraints:
    """Required and forbidden edges and tiers; what contradicts itself is told and left out."""
    with st.expander("Constraints", icon=":material/rule:"):
        example = f"{data.names[0]} -> {data.names[-1]}" if data and data.n_variables > 1 else "A -> B"
        required = st.text_area("required edges, one a line", **kept(Key.REQUIRED), placeholder=example, height=80)
        forbidden = st.text_area("forbidden edges, one a line", **kept(Key.FORBIDDEN), placeholder=example, height=80)
        tiers = st.text_area(
            "tiers, earliest first, one a line",
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
            st.error(f"{escaped(str(error))}. No constraint is used.")
            return bn.Constraints()
    return constraints


def _typed_edges(text: str) -> tuple[tuple[str, str], ...]:
    edges = []
    for line in filter(None, map(str.strip, text.splitlines())):
        ends = re.split(r"\s*(?:->|→)\s*", line)
        if len(ends) != 2 or not all(ends):
            raise ValueError(f"'{line}' is no edge; write it as parent -> child")
        edges.append((ends[0], ends[1]))
    return tuple(edges)


def _typed_tiers(text: str) -> tuple[tuple[str, ...], ...]:
    lines = filter(None, map(str.strip, text.splitlines()))
    return tuple(tuple(name.strip() for name in line.split(",") if name.strip()) for line in lines)
