"""What joining states does to *real* where variables have many states and rows are few; the networks are known.

Worlds of nine variables with 5 to 7, or 8 to 12 states, ordered or not. Ordered ones are a table of numbers, the others
a table of words, treated as the pages would. The log-loss is that of a table's 36 pairs of variables, in nats.
"""

from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import HERE, Report, markdown, tabulated
from benchmarks.running import Study, grid
from benchmarks.scorer import clipped_loss, pairs_of
from benchmarks.worlds import answers, continuous, discrete, linear, ordered, uneven_function, uneven_rows
from bnengine.data import rows_and_states
from bnengine.data.rows_and_states import JOINED_ORDERED, JOINED_OTHERS
from bnengine.experiment import many_states
from bnengine.experiment import recipe as of_recipe

ARITIES = {"5–7": (5, 6, 7), "8–12": (8, 9, 10, 11, 12)}
#: From how many rows for each free parameter on a table falls into a class.
ENDS = (0, 2, 5, 10, 20, 40, 80, 160)
STATES, SURE = (3, 4, 5), 0.95
TARGET = Path(many_states.__file__).with_suffix(".json")
#: The makers of worlds, and whether their states are ordered.
WORLDS = {
    "proportional odds": (partial(discrete, by=[ordered]), True),
    "answers on a scale": (partial(discrete, by=[answers]), True),
    "linear Gaussian, cut": (partial(continuous, effect=linear), True),
    "Dirichlet CPTs": (partial(discrete, by=[uneven_rows]), False),
    "noisy functions": (partial(discrete, by=[uneven_function]), False),
}


def judged(data: bn.Dataset, joined: Any, seed: int, name: str) -> dict[str, float]:
    """Return the log-loss of *real* on all pairs in nats, and how many pairs it gives 0.95 or more, and false ones."""
    truth, real = pairs_of(joined), pairs_of(bn.edge_posterior(data, rng=seed).pair_probability)
    sure = real >= SURE
    counts = {f"sure, {name}": float(sure.sum()), f"false, {name}": float((sure & ~truth).sum())}
    return {name: clipped_loss(real, truth), **counts}


def measure(states: str, kind: str, rows: int, world: int) -> list[dict[str, Any]]:
    """Return the log-loss with the states as they are, and joined to some numbers of states; nothing of a constant."""
    make, is_ordered = WORLDS[kind]
    seed = [list(ARITIES).index(states), list(WORLDS).index(kind), rows, world]
    made = make(np.random.default_rng(seed), rows, arities=ARITIES[states])
    frame = made.data.to_frame().astype(int) if is_ordered else "s" + made.data.to_frame().astype(str)
    recipe = bn.Recipe("file", "world.csv")
    data = recipe.prepare(frame)
    if (data.arities < 2).any():
        return []
    line = {"ordered": is_ordered, "rows for each parameter": float(np.median(many_states.rows_per_parameter(data)))}
    line |= judged(data, made.joined, world, "as they are")
    for number in STATES:
        with patch.object(of_recipe, "JOINED_ORDERED", number), patch.object(rows_and_states, "JOINED_OTHERS", number):
            names = [v for v, arity in zip(data.names, data.arities, strict=True) if arity > number]
            small = many_states.joined_states(recipe, names).prepare(frame)
        line |= judged(small, made.joined, world, f"to {number}")
    return [line]


def by_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Count by rows for each free parameter, for the sentences on the pages."""
    of, means = frame.groupby("from"), {"before": ("as they are", "mean"), "after": ("offered", "mean")}
    means |= {"change": ("change", "mean"), "error": ("change", "sem")}
    counts = of[["sure, as they are", "false, as they are", "sure, offered", "false, offered"]].sum().astype(int)
    lines = of.agg(tables=("change", "size"), **means).round(2).join(counts).reset_index()
    return list(lines.to_dict("records"))


def report(frame: pd.DataFrame) -> Report:
    """Return the page of results, and the table that the pages of the app use."""
    of_rows = np.searchsorted(ENDS, frame["rows for each parameter"], side="right") - 1
    frame, ordered = frame.assign(**{"from": np.take(ENDS, of_rows)}), frame["ordered"]
    for what in ("", "sure, ", "false, "):  # as the pages offer it
        numbers, others = (frame[f"{what}to {n}"] for n in (JOINED_ORDERED, JOINED_OTHERS))
        frame[f"{what}offered"] = numbers.where(ordered, others)
    frame["change"] = frame["offered"] - frame["as they are"]
    counted = {"ordered": by_rows(frame[ordered]), "others": by_rows(frame[~ordered])}
    columns, upper = ["as they are", *(f"to {number}" for number in STATES)], dict(pairwise([*ENDS, "more"]))
    rows = [
        [f"{low} to {upper[low]}", states, "ordered" if is_ordered else "unordered", len(own)]
        + [f"{own[name].mean():.1f}" for name in columns]
        for (low, is_ordered, states), own in frame.groupby(["from", "ordered", "states"])
    ]
    classes = [{"kind": kind, **one} for kind, of_kind in counted.items() for one in of_kind]
    heads = "states | rows for each parameter from | tables | before | after | change | false of sure, before | after"
    line = "{kind} | {from} | {tables} | {before:.1f} | {after:.1f} | {change:+.1f} ± {error:.1f} | "
    line += "{false, as they are} of {sure, as they are} | {false, offered} of {sure, offered}"
    parts = [
        "# Many states, few rows",
        "Written by `python -m benchmarks many_states run`. Log-loss of *real* in nats on the 36 pairs of a table, by "
        "rows for each free parameter of an edge, N / ((r − 1)(m − 1)), with the states as they are and joined.",
        markdown(["rows for each parameter", "states", "order", "tables", *columns], rows),
        f"As the pages join them: to {JOINED_ORDERED} states where they are ordered, else to {JOINED_OTHERS}. "
        "Sure are pairs with *real* of 0.95 or more.",
        tabulated(classes, heads, line),
    ]
    return Report(files={TARGET: counted, HERE / "MANY_STATES.md": "\n\n".join(parts)})


CELLS = grid(states=ARITIES, kind=WORLDS, rows=(100, 200, 500, 1_000, 2_000, 5_000, 10_000), world=range(8))
SMALL = grid(states="5–7", kind=("proportional odds", "noisy functions"), rows=100, world=(0, 1))
STUDY = Study("many_states", CELLS, measure, SMALL, report, ("scores", "posterior", "data", "experiment"))
