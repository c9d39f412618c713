"""Constraints as a CSV table: one line per required or forbidden edge, and per variable with a tier."""

from __future__ import annotations

import csv
import io

from bnengine.graphs.constraints import Constraints

_HEADER = ("kind", "parent", "child", "variable", "tier")
_LARGEST = 20_000_000  # bytes


def write_constraints(constraints: Constraints) -> str:
    """Return the constraints as CSV, which ``read_constraints`` reads; ``max_parents`` is no part of it.

    Examples
    --------
    >>> print(write_constraints(Constraints(required=[("a", "b")], tiers=[["a"], ["b"]])), end="")
    kind,parent,child,variable,tier
    required,a,b,,
    tier,,,a,1
    tier,,,b,2
    """
    text = io.StringIO(newline="")
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(_HEADER)
    for kind, edges in (("required", constraints.required), ("forbidden", constraints.forbidden)):
        lines.writerows((kind, parent, child, "", "") for parent, child in edges)
    for number, tier in enumerate(constraints.tiers, start=1):
        lines.writerows(("tier", "", "", name, number) for name in tier)
    return text.getvalue()


def read_constraints(content: bytes) -> Constraints:
    """Return the constraints in a CSV table as ``write_constraints`` makes it; columns may be in any order.

    Raises
    ------
    ValueError
        If the content is not such a table; the message names the line.
    """
    if len(content) > _LARGEST:
        raise ValueError(f"the table of constraints has {len(content):,} bytes; at most {_LARGEST:,} are read")
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise ValueError("the table of constraints is not CSV in UTF-8; save it as that") from None
    edges: dict[str, list[tuple[str, str]]] = {"required": [], "forbidden": []}
    tiers: dict[int, list[str]] = {}
    for number, row in enumerate(rows, start=2):
        cells = {str(name).strip().lower(): str(cell or "").strip() for name, cell in row.items()}
        kind, tier = cells.get("kind", "").lower(), cells.get("tier", "")
        if kind in edges and cells.get("parent") and cells.get("child"):
            edges[kind].append((cells["parent"], cells["child"]))
        elif kind == "tier" and cells.get("variable") and tier.isascii() and tier.isdecimal() and len(tier) < 10:
            tiers.setdefault(int(tier), []).append(cells["variable"])
        else:
            raise ValueError(
                f"line {number} of the constraints must be required or forbidden with a parent and a child, or tier "
                f"with a variable and a whole number; the columns are {', '.join(_HEADER)}"
            )
    return Constraints(edges["required"], edges["forbidden"], tiers=[tiers[number] for number in sorted(tiers)])
