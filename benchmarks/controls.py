"""Negative controls: whole answers to tables in which something is known not to be there. No truth of ours is needed.

Every published network of few variables gives

* tables of independent columns, each with the shares of one of its variables: what is called *found again and real*?
* the table with one column more, a shuffled copy of another: what has an edge at that column?
* the two halves of a table: how often does the second half contradict what the first one shows?
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.methods import answered
from benchmarks.published import names
from benchmarks.report import Report, tabulated
from benchmarks.running import ROOMS, Study, grid
from benchmarks.scorer import error_without
from benchmarks.worlds import network_of
from bnengine.answers.edge_answers import HALF
from bnengine.answers.verdict import REAL
from bnengine.graphs.dag import skeleton

#: Most variables of a network.
MOST = 12
Line = dict[str, float]


def independent(data: bn.Dataset, seed: int) -> Line:
    """Shuffle every column; count the pairs with both numbers above one half, and those that are called so."""
    rng = np.random.default_rng(seed)
    data = bn.Dataset(data.names, data.states, rng.permuted(data.codes, axis=0))
    found = answered(data, seed, copies=True)
    return {"both": found.n_both_high, "called": found.counts().get(REAL, 0)}


def shuffled_column(data: bn.Dataset, seed: int) -> Line:
    """Add a shuffled copy of one column; return the pairs at it, their *real* in all, and how many have a high one."""
    rng = np.random.default_rng(seed)
    copied = int(rng.integers(len(data.names)))
    added = rng.permutation(data.codes[:, copied])
    codes = np.column_stack([data.codes, added])
    data = bn.Dataset((*data.names, "shuffled"), (*data.states, data.states[copied]), codes)
    real = bn.edge_posterior(data, rng=seed).pair_probability[-1, :-1]
    return {"pairs": len(real), "sum": real.sum(), "above_half": (real > HALF).sum(), "high": (real >= 0.8).sum()}


def halves(data: bn.Dataset, seed: int) -> Line:
    """Compare the halves both ways: what is called *found again and real* in one, and what the other says of it."""
    middle = data.n_rows // 2
    parts = [bn.Dataset(data.names, data.states, codes) for codes in (data.codes[:middle], data.codes[middle:])]
    first, second = (answered(part, seed) for part in parts)
    lines = []
    for one, other in ((first, second), (second, first)):
        called, real = np.triu(one.codes == one.kinds.index(REAL), 1), other.answers.real
        line = {"called": called.sum(), "stated": one.answers.found_again[called].sum()}
        line |= {"learned": skeleton(other.learned)[called].sum()}
        line |= {"called_too": (other.codes == other.kinds.index(REAL))[called].sum()}
        line |= {"real_below_half": (real[called] < HALF).sum(), "real_below_fifth": (real[called] < 0.2).sum()}
        lines.append(line)
    return pd.DataFrame(lines).sum().to_dict()


#: What is done to tables, of how many rows, and of what its figures are shares or means.
CONTROLS = {
    "independent columns": (independent, (12, 20, 50, 100), "tables"),
    "a shuffled column": (shuffled_column, (100, 300, 1_000), "tables"),
    "two halves": (halves, (200, 600), "called"),
}
TITLES = {
    "both": "both numbers above ½, a table",
    "called": "called *found again and real*, a table",
    "pairs": "pairs at it",
    "sum": "sum of *real*",
    "above_half": "above ½",
    "high": "≥ 0.8",
    "stated": "stated *found again*",
    "learned": "learned from the other half",
    "called_too": "called so there",
    "real_below_half": "*real* below ½ there",
    "real_below_fifth": "below 0.2 there",
}


def measure(control: str, network: str, rows: int, seed: int) -> list[dict[str, str | float]]:
    """Return the figures of a control on one table of a network."""
    answer, _, _ = CONTROLS[control]
    found = answer(network_of(network).sample(rows, rng=seed), seed)
    return [{"of": of, "value": value} for of, value in found.items()]


def summary(lines: pd.DataFrame, per: str) -> dict[str, float]:
    """Return sums over tables per table, or per pair that is called; standard errors by leaving out a network."""
    tables = lines.pivot_table(index=["network", "seed"], columns="of", values="value")
    networks = tables.assign(tables=1).groupby("network").sum()
    total, without = networks.sum(), networks.sum() - networks
    errors = error_without(without.div(without[per], axis=0)).add_suffix("_error")
    figures = pd.concat([total / total[per], errors]).drop([per, "tables", f"{per}_error", "tables_error"])
    counts = {"networks": len(networks), "tables": len(tables), per: total[per]}
    return {key: round(float(value), 4) for key, value in (counts | figures.to_dict()).items()}


def report(lines: pd.DataFrame) -> Report:
    """Return the section, and what the manual quotes."""
    found = [
        {"control": control, "rows": rows, **summary(part, CONTROLS[control][2])}
        for (control, rows), part in lines.groupby(["control", "rows"])
    ]
    text = [f"Published networks of at most {MOST} variables; ± one standard error, leaving out a network at a time.\n"]
    text += [f"    {STUDY.command}\n"]
    for control, (_, _, per) in CONTROLS.items():
        own = [one for one in found if one["control"] == control]
        counts = dict.fromkeys(("tables", per))
        shown = [key for key in TITLES if any(f"{key}_error" in one for one in own)]
        line = ["{rows:,} rows", *(f"{{{key}:,.0f}}" for key in counts)]
        line += [f"{{{key}:.3f}} ± {{{key}_error:.3f}}" for key in shown]
        heads = [control, *counts, *(TITLES[key] for key in shown)]
        text += [tabulated(own, " | ".join(heads), " | ".join(line)), ""]
    return Report({"Negative controls": "\n".join(text)}, measured={"controls": {"kinds": found}})


SMALL_NETWORKS = [name for name in names() if len(network_of(name).names) <= MOST]
CELLS = [
    cell
    for name, (_, rows, _) in CONTROLS.items()
    for cell in grid(control=name, network=SMALL_NETWORKS, rows=rows, seed=1)
]
SMALL = [cell for cell in CELLS if cell["network"] == "metal" and cell["rows"] <= 100]
STUDY = Study("controls", CELLS, measure, SMALL, report, (*ROOMS, "answers"))
