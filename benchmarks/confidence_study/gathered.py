"""The raw tables: each cell's measures, and the reliability of each method in each setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import scorer as measures
from benchmarks.worlds import name_of, network_of
from bnengine.bootstrap.ensemble import possible_edges, presence_of

from .cells import ANY_SCORE, CLIMB, FRESH, Cell, Setting, Store
from .methods import METHODS
from .tables import mean_cell
from .work import PI, Plan, settings

RELIABILITY = ("pairs", "p", "pi", "true")


def gathered(plan: Plan, store: Store) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return measures (one row per cell) and reliability (one row per tenth of p) of all settings whose π is known."""
    rows, bins = [], []
    for setting in settings(plan, own_score=True):
        pi = store.load(name_of(setting.source), setting, PI, FRESH)
        if pi is None:
            continue
        about = _about(setting) | _against_climb(store, setting, pi)
        for key in plan.methods:
            total = np.zeros((measures.BINS, len(RELIABILITY)))
            for table, cell in _cells(plan, store, setting, key):
                rows.append({**about, "method": key, "table": table, **_measured(cell, pi, setting, plan)})
                total += measures.reliability(cell.adjacency, pi.adjacency, _truth(setting, "adjacency"))
            bins += [
                {**about, "method": key, "bin": b, **dict(zip(RELIABILITY, line, strict=True))}
                for b, line in enumerate(total)
                if line[0]
            ]
    return _compact(pd.DataFrame(rows)), _compact(pd.DataFrame(bins))


def measured_cells(frame: pd.DataFrame) -> frozenset[tuple[str, int, str, str, int]]:
    """Return the cells behind a raw table, as ``Plan.measured`` wants them."""
    own = frame["method"].map(lambda key: METHODS[key].own_score)
    scores = frame["score"].where(own, ANY_SCORE)
    columns = (frame["network"], frame["rows"], scores, frame["method"], frame["table"])
    return frozenset(zip(*(column.tolist() for column in columns), strict=True))


def joined(earlier: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of an earlier instalment and of this one; this one's where both have them."""
    which = ["network", "rows", "score", "method", "table", "held_out"]
    both = pd.concat([earlier, frame[list(earlier.columns)]])
    return both.drop_duplicates(which, keep="last", ignore_index=True)


def joined_bins(earlier: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the reliability of two instalments that share no cell: pairs add up."""
    which = [column for column in earlier.columns if column not in RELIABILITY]
    both = pd.concat([earlier, frame[list(earlier.columns)]])
    return _compact(both.groupby(which, sort=False, as_index=False)[list(RELIABILITY)].sum())


def refusals(plan: Plan, store: Store) -> dict[str, list[str]]:
    """Return by method the settings in which it could not be applied to some table, and why not."""
    found: dict[str, list[str]] = {}
    for key in plan.methods:
        for setting in settings(plan, METHODS[key].own_score):
            name = name_of(setting.source)
            reasons = [store.refusal(name, setting, key, table) for table in range(plan.tables)]
            reason = next((text for text in reasons if text), None)
            if reason:
                found.setdefault(key, []).append(f"{name}, N = {setting.rows:,}, {setting.score}: {reason}")
    return found


def _about(setting: Setting) -> dict[str, Any]:
    network = network_of(setting.source)
    return {
        "network": name_of(setting.source),
        "variables": len(network.names),
        "true_edges": len(network.edges),
        "rows": setting.rows,
        "rows_per_parameter": setting.rows / network.n_parameters,
        "score": setting.score,
        "search": setting.search,
    }


def _against_climb(store: Store, setting: Setting, pi: Cell) -> dict[str, float]:
    """Return how far π is from that of a climb; nothing for a climb."""
    climb = store.load(name_of(setting.source), setting._replace(search=CLIMB), PI, FRESH)
    return {"pi_moved": float(np.abs(pi.adjacency - climb.adjacency).sum())} if climb is not None else {}


def _cells(plan: Plan, store: Store, setting: Setting, key: str) -> Iterator[tuple[int, Cell]]:
    """Yield the cells of a method, by table."""
    for table in range(plan.tables):
        cell = _cell(store, setting, key, table)
        if cell is not None:
            yield table, cell


def _cell(store: Store, setting: Setting, key: str, table: int) -> Cell | None:
    """Return one cell; a method that does not use the person's score has one for all scores."""
    method = METHODS[key]
    if method.mean_of:
        parts = [_cell(store, setting, part, table) for part in method.mean_of]
        found = [part for part in parts if part is not None]
        return mean_cell(found) if len(found) == len(parts) else None
    where = setting if method.own_score else setting._replace(score=ANY_SCORE, search=CLIMB)
    return store.load(name_of(setting.source), where, key, table)


def _truth(setting: Setting, kind: str) -> measures.Bools:
    network = network_of(setting.source)
    return possible_edges(presence_of(network.adjacency, kind), kind)


def _measured(cell: Cell, pi: Cell, setting: Setting, plan: Plan) -> dict[str, float]:
    found = measures.against_pi(cell.adjacency, pi.adjacency)
    found |= measures.against_truth(cell.adjacency, _truth(setting, "adjacency"), plan.replicates)
    found["pi_floor"] = measures.floor(pi.adjacency, pi.n, plan.replicates)
    found["pi_edges"] = float(pi.adjacency.sum())
    found["pi_log_loss"] = measures.log_loss(pi.adjacency, _truth(setting, "adjacency"), plan.replicates)
    found |= measures.doubt(cell.adjacency, cell.n)
    found |= {f"pi_{key}": value for key, value in measures.doubt(pi.adjacency, pi.n).items()}
    found["seconds"] = cell.seconds
    if cell.directed.size:
        truth = _truth(setting, "directed")
        found["directed_pi_error"] = measures.against_pi(cell.directed, pi.directed)["pi_error"]
        found["directed_log_loss"] = measures.log_loss(cell.directed, truth, plan.replicates)
        found["directed_brier"] = measures.brier(cell.directed, truth)
    return found


def _compact(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert to single precision: the raw table is to stay small."""
    wide = frame.select_dtypes("float64").columns
    return frame.astype(dict.fromkeys(wide, np.float32))
