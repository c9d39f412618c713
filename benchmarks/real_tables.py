"""How far can each number be trusted on real cells? Amounts kept as numbers or cut; experiments known or ignored.

Cells and network are those of Sachs et al. (2005): ``sachs_raw`` has the amounts, ``sachs_experiments`` the same cells
in thirds, proteins that were set in the state they were set to, ``sachs_discrete`` 5,400 cells as the authors cut them.
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.methods import REPLICATES
from benchmarks.published import OURS
from benchmarks.report import Report, tabulated
from benchmarks.running import ROOMS, Study, grid
from benchmarks.scorer import NEAREST, clipped_loss, error_without, pairs_of
from bnengine.graphs.dag import adjacency_of

#: The figures, and what each is a share of.
PER = {"log_loss": "edges", "of_naive": "naive", "true_above_half": "edges", "false_high": "high", "right": "directed"}
READINGS = {
    "numbers": "sachs_raw",
    "cut by default": "sachs_raw",
    "thirds of all cells": "sachs_experiments",
    "cut by the authors": "sachs_discrete",
    "numbers, nothing set": "sachs_raw",
}
#: What was set in the conditions of ``sachs_discrete``, in the order of its rows; which 600 cells of each is not known.
WAS_SET = ("pka", "", "akt", "pkc", "pip2", "mek", "", "pkc", "")


def sampled(reading: str, experiments: bool, rows: int, table: int) -> bn.Dataset:
    """Draw cells without replacement: the same ones wherever there are as many to draw from."""
    whole = bn.load_sample(READINGS[reading])
    whole["INT"] = np.repeat(WAS_SET, 600) if "authors" in reading else bn.load_sample("sachs_experiments")["INT"]
    whole = whole[whole["INT"].isna()] if "nothing set" in reading else whole
    drawn = np.random.default_rng([table, rows]).choice(len(whole), rows, replace=False)
    frame = whole.iloc[np.sort(drawn)].reset_index(drop=True)
    frame = bn.discretize(frame) if reading == "cut by default" else frame
    frame = frame if experiments else frame.drop(columns="INT")
    numbers = bn.load_sample("sachs_raw").columns if "numbers" in reading else ()
    return bn.Dataset.from_frame(frame, interventions="INT" if experiments else None, numbers=list(numbers))


def measure(reading: str, experiments: bool, rows: int, table: int, replicates: int) -> list[dict[str, object]]:
    """Return a line for each method: its log-loss in nats, and numbers of pairs and of directions."""
    data = sampled(reading, experiments, rows, table)
    edges = [[name.lower().replace("plcg", "plc") for name in edge] for edge in bn.load_network("sachs").edges]
    true = adjacency_of(data.names, edges)
    edge = pairs_of(true | true.T)
    between = pairs_of(np.array([["-".join(sorted([a, b])) for b in data.names] for a in data.names]))
    ensembles = bn.study(data, methods=bn.resampling_methods(replicates, keys=[*OURS]), rng=table).ensembles
    found = [(ensembles[key].adjacency_confidence, ensembles[key].confidence) for key in OURS]
    real = bn.edge_posterior(data, rng=table)
    found.append((real.pair_probability, real.probability))
    lines: list[dict[str, object]] = []
    for method, (joined, directed) in zip((*OURS.values(), "real"), found, strict=True):
        p, one_way = pairs_of(joined), directed > 0.5
        high, false = p >= 0.8, ~edge & (p >= 0.8)
        line = {"method": method, "edges": edge.sum(), "log_loss": clipped_loss(p, edge)}
        line |= {"true_above_half": (edge & (p > 0.5)).sum(), "high": high.sum(), "false_high": false.sum()}
        line |= {"directed": (one_way & (true | true.T)).sum(), "right": (one_way & true).sum()}
        lines.append(line | {"false": " ".join(sorted(between[false])) or "-"})
    return lines


def figures(lines: pd.DataFrame) -> pd.DataFrame:
    """Return the shares by reading, experiments, rows (0: all) and method; errors by leaving out a table at a time."""
    by = ["reading", "experiments", "rows", "method"]
    naive = lines.groupby([*by[:3], "table"])["log_loss"].transform("first")
    lines = lines.drop(columns=["replicates", "false"]).assign(of_naive=lines["log_loss"], naive=naive)
    sums = pd.concat([lines, lines.assign(rows=0)]).groupby([*by, "table"], sort=False).sum()
    each = sums.groupby(by, sort=False)
    whole, without = (
        pd.DataFrame({name: one[name] / one[per] for name, per in PER.items()})
        for one in (each.sum(), each.transform("sum") - sums)
    )
    return whole.join(without.groupby(by, sort=False).agg(error_without).add_suffix("_error")).reset_index()


def report(lines: pd.DataFrame) -> Report:
    """Return the section, and what the manual quotes."""
    found, n = figures(lines), lines["table"].nunique()
    false = lines.query("method == 'real' and false != '-'")["false"].str.split().explode().value_counts()
    common = ", ".join(f"{pair} ({times})" for pair, times in false.head(4).items())
    text = f"""{n} samples of each size of the cells of Sachs et al. (2005) in nine readings, by the pages' default
search, score, priors and {REPLICATES} replicates. An inhibited protein has its measured amount in four readings and is
low in four; in the last none was set. Log-loss in nats per true edge, clipped at {NEAREST:g}; *right*: of the true
edges with more than ½ in one direction; ± one standard error, leaving out a table at a time. All tables share cells of
one source: errors say nothing about others. The network that judges is incomplete; its authors learned it from such
cells, cut as they did, with the experiments. Some pairs that it lacks may be real: over all samples and readings
*real* gives 0.8 or more to such pairs {false.sum()} times, most often to {common}. Such cells helped to choose how
*real* takes numbers (`real_of_numbers`), and tables of the network what pages offer first (`which_confidence`);
the figures here chose nothing. `{STUDY.command}`

"""
    heads = "reading | experiments | cells | method | log-loss | ÷ naive | true above ½ | false at ≥ 0.8 | right"
    form = "{reading} | {experiments} | {rows} | {method} | "
    form += " | ".join(f"{{{key}:.2f}} ± {{{key}_error:.2f}}" for key in PER)
    shown = found.replace({"experiments": {False: "ignored", True: "known"}, "rows": {0: "all"}})
    text += tabulated(shown[(found["rows"] == 0) | (found["method"] == "real")], heads, form)
    real = shown.round(4)[found["method"] == "real"].set_index(["reading", "experiments", "rows"])
    quoted = {", ".join(map(str, about)): one for about, one in real.to_dict("index").items()}
    return Report({"Real cells": text}, measured={"real_tables": quoted})


EACH = grid(reading=[*READINGS][:4], experiments=(False, True)) + grid(reading=[*READINGS][4:], experiments=False)
#: Seeds beyond those by which ``real_of_numbers`` drew cells.
REST = grid(rows=(100, 300, 1_000), table=range(2_001, 2_016), replicates=REPLICATES)
CELLS = [one | rest for one in EACH for rest in REST]
SMALL = [one | rest for one in EACH for rest in grid(rows=100, table=(2_001, 2_002), replicates=5)]
STUDY = Study("real_tables", CELLS, measure, SMALL, report, (*ROOMS, "data", "discretization"))
