"""What joining states does to *real* where variables have many states and rows are few; the networks are known.

    python benchmarks/many_states.py    # MANY_STATES.md, and the table that the pages use; about 15 minutes of a core

Worlds of nine variables with 5 to 7, or 8 to 12 states, ordered or not. Ordered ones are a table of numbers, the others
a table of words, treated as the pages would. The log-loss is that of a table's 36 pairs of variables, in nats.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from real_worlds import V, World, answers, any_of, dag, discrete, drawn_from, linear, ordered, table

import bnengine as bn
from bnengine.answers.edge_answers import real_probability
from bnengine.data import rows_and_states
from bnengine.data.rows_and_states import JOINED_ORDERED, JOINED_OTHERS
from bnengine.experiment import many_states
from bnengine.experiment import recipe as of_recipe

ROWS = (100, 200, 500, 1_000, 2_000, 5_000, 10_000)
FEW, MANY = (5, 6, 7), (8, 9, 10, 11, 12)
#: From how many rows for each free parameter on a table falls into a class.
ENDS = (0, 2, 5, 10, 20, 40, 80, 160)
STATES = (3, 4, 5)
SURE = 0.95
OFF = 1e-3  # probabilities are moved as far off 0 and 1
TARGET = Path(many_states.__file__).with_suffix(".json")
REPORT = Path(__file__).with_name("MANY_STATES.md")


def common(rng: np.random.Generator, r: int) -> np.ndarray:
    """Return shares of states of which some are far more common than others."""
    shares = 1.0 / np.arange(1, r + 1) ** rng.uniform(0.5, 1.5)
    return np.asarray(shares / shares.sum())


def uneven_rows(rng: np.random.Generator, number: Any, q: int, r: int, n: int, **_: Any) -> Any:
    """Draw each row of a table from a Dirichlet distribution about uneven shares."""
    return drawn_from(rng.dirichlet(common(rng, r) * r / 2 + 1e-3, q)[number], rng)


def uneven_function(rng: np.random.Generator, number: Any, q: int, r: int, n: int, **_: Any) -> Any:
    """Draw a function of the parents that holds in 40 to 80 % of rows; a state by its share in the others."""
    shares = common(rng, r)
    value = rng.choice(r, q, p=shares)[number] if q > 1 else rng.choice(r, n, p=shares)
    return np.where(rng.random(n) < rng.uniform(0.2, 0.6), rng.choice(r, n, p=shares), value)


def cut_values(arities: tuple[int, ...]) -> Any:
    """Return the maker of worlds of linear Gaussian variables, each cut into so many bins of equally many rows."""

    def world(rng: np.random.Generator, n_rows: int) -> World:
        parents, values, columns, states = dag(rng, V), [], [], []
        for v in range(V):
            value = rng.normal(size=n_rows) + sum(linear(rng, values[p]) for p in parents[v])
            values.append((value - value.mean()) / value.std())
            states.append(int(rng.choice(arities)))
            cuts = np.quantile(values[-1], np.arange(1, states[-1]) / states[-1])
            columns.append(np.searchsorted(cuts, values[-1]))
        return table(rng, columns, states, parents)

    return world


def worlds(arities: tuple[int, ...]) -> dict[str, tuple[Any, bool]]:
    """Return the makers of worlds, and whether their states are ordered."""
    return {
        "proportional odds": (discrete(any_of(ordered), arities), True),
        "answers on a scale": (discrete(any_of(answers), arities), True),
        "linear Gaussian, cut": (cut_values(arities), True),
        "Dirichlet CPTs": (discrete(any_of(uneven_rows), arities), False),
        "noisy functions": (discrete(any_of(uneven_function), arities), False),
    }


def judged(data: bn.Dataset, joined: Any, seed: int, name: str) -> dict[str, float]:
    """Return the log-loss of *real* on all pairs in nats, and how many pairs it gives 0.95 or more, and false ones."""
    places = np.triu_indices(len(joined), 1)
    truth, real = joined[places], real_probability(bn.edge_posterior(data, rng=seed), "adjacency")[0][places]
    loss = -np.log(np.clip(np.where(truth, real, 1 - real), OFF, 1 - OFF)).sum()
    sure = real >= SURE
    return {name: float(loss), f"sure, {name}": float(sure.sum()), f"false, {name}": float((sure & ~truth).sum())}


def measured(n_worlds: int) -> pd.DataFrame:
    """Return one row per table: log-loss with the states as they are, and joined to some numbers of states."""
    found = []
    for k, arities in enumerate((FEW, MANY)):
        for place, (kind, (make, is_ordered)) in enumerate(worlds(arities).items()):
            for n_rows in ROWS:
                for world in range(n_worlds):
                    made = make(np.random.default_rng([k, place, n_rows, world]), n_rows)
                    frame = made.data.to_frame().astype(int if is_ordered else str)
                    frame = frame if is_ordered else "s" + frame
                    recipe = bn.Recipe("file", "world.csv")
                    data = recipe.prepare(frame)
                    if (data.arities < 2).any():
                        continue
                    rows = float(np.median(many_states.rows_per_parameter(data)))
                    line = {"kind": kind, "ordered": is_ordered, "states": "5–7" if k == 0 else "8–12", "rows": n_rows}
                    line |= {"rows for each parameter": rows, **judged(data, made.joined, world, "as they are")}
                    for number in STATES:
                        with (
                            patch.object(of_recipe, "JOINED_ORDERED", number),
                            patch.object(rows_and_states, "JOINED_OTHERS", number),
                        ):
                            names = [v for v, arity in zip(data.names, data.arities, strict=True) if arity > number]
                            small = many_states.joined_states(recipe, names).prepare(frame)
                        line |= judged(small, made.joined, world, f"to {number}")
                    found.append(line)
            print(kind, f"{time.process_time():.0f} s", file=sys.stderr, flush=True)
    return pd.DataFrame(found)


def as_offered(frame: pd.DataFrame) -> np.ndarray:
    """Return what is judged, shape (tables, 3), with the states joined as the pages offer it."""
    numbers = np.where(frame["ordered"], JOINED_ORDERED, JOINED_OTHERS)
    made = {n: frame[[f"{what}to {n}" for what in ("", "sure, ", "false, ")]].to_numpy() for n in STATES}
    return np.array([made[n][k] for k, n in enumerate(numbers)])


#: Pairs that *real* gives 0.95 or more, and false ones among them, before and after.
COUNTED = ("sure, as they are", "false, as they are", "sure, offered", "false, offered")


def by_rows(frame: pd.DataFrame) -> list[dict[str, float]]:
    """Count by rows for each free parameter, for the sentences on the pages."""
    classes = np.searchsorted(ENDS, frame["rows for each parameter"], side="right") - 1
    change = frame["offered"] - frame["as they are"]
    found = []
    for place, low in enumerate(ENDS):
        own = classes == place
        found.append(
            {
                "from": low,
                "tables": int(own.sum()),
                "before": round(float(frame.loc[own, "as they are"].mean()), 2),
                "after": round(float(frame.loc[own, "offered"].mean()), 2),
                "change": round(float(change[own].mean()), 2),
                "error": round(float(change[own].std(ddof=1) / np.sqrt(own.sum())), 2),
                **{name: int(frame.loc[own, name].sum()) for name in COUNTED},
            }
        )
    return found


def markdown(frame: pd.DataFrame, counted: dict[str, list[dict[str, float]]]) -> str:
    """Return the report."""
    frame = frame.assign(at=np.searchsorted(ENDS, frame["rows for each parameter"], side="right") - 1)
    columns = ["as they are", *(f"to {number}" for number in STATES)]
    lines = [
        "# Many states, few rows",
        "",
        "Written by `python benchmarks/many_states.py`. Log-loss of *real* in nats on the 36 pairs of a table, by rows "
        "for each free parameter of an edge, N / ((r − 1)(m − 1)), with the states as they are and joined.",
        "",
        "| rows for each parameter | states | order | tables | " + " | ".join(columns) + " |",
        "|---|---|---|---|" + "---|" * len(columns),
    ]
    for (at, is_ordered, states), own in frame.groupby(["at", "ordered", "states"]):
        upper = f"{ENDS[at + 1]}" if at + 1 < len(ENDS) else "more"
        numbers = " | ".join(f"{own[name].mean():.1f}" for name in columns)
        order = "ordered" if is_ordered else "unordered"
        lines.append(f"| {ENDS[at]} to {upper} | {states} | {order} | {len(own)} | {numbers} |")
    lines += [
        "",
        f"As the pages join them: to {JOINED_ORDERED} states where they are ordered, else to {JOINED_OTHERS}.",
    ]
    lines += [
        "",
        "| states | rows for each parameter from | tables | before | after | change |",
        "|---|---|---|---|---|---|",
    ]
    for kind, classes in counted.items():
        for one in classes:
            change = f"{one['change']:+.1f} ± {one['error']:.1f}"
            numbers = f"{one['tables']} | {one['before']:.1f} | {one['after']:.1f} | {change}"
            wrong = [f"{one[f'false, {at}']} of {one[f'sure, {at}']}" for at in ("as they are", "offered")]
            lines.append(f"| {kind} | {one['from']} | {numbers} | {wrong[0]} | {wrong[1]} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write what came out."""
    frame = measured(n_worlds=8)
    frame[["offered", "sure, offered", "false, offered"]] = as_offered(frame)
    ordered_ones = frame["ordered"]
    counted = {"ordered": by_rows(frame[ordered_ones]), "others": by_rows(frame[~ordered_ones])}
    TARGET.write_text(json.dumps(counted, indent=1) + "\n", encoding="utf-8")
    REPORT.write_text(markdown(frame, counted), encoding="utf-8")


if __name__ == "__main__":
    main()
