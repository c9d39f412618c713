"""Too many states, so that the rows cannot pay for an edge."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.display import counted, percent, quoted, short
from bnengine._core.environment import pd
from bnengine.bootstrap.resampling_methods import CORRECTED, TITLES
from bnengine.data.checked_frame import Values, column_names
from bnengine.data.dataset import Dataset
from bnengine.data.repairs.making import made_names
from bnengine.data.rows_and_states import state_order
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.dag import Adjacency

_FEWEST = 5  # states of a variable from which joining was measured
_MOST_FALSE = 0.025  # of the pairs that *real* gives 0.95 and more
ORDERED, OTHERS = "ordered", "others"


@dataclass(frozen=True)
class ManyStates:
    """Variables with few rows to each free parameter of an edge, and the treatment that joins their states.

    Attributes
    ----------
    variables : tuple of str
    sentence : str
        How few rows there are, and what joining states did in worlds whose networks are known.
    recipe : Recipe
        With their states joined: of ordered ones neighbours, of others the less common ones.
    """

    variables: tuple[str, ...]
    sentence: str
    recipe: Recipe


def many_states(recipe: Recipe, frame: pd.DataFrame, data: Dataset) -> ManyStates | None:
    """Find the variables whose rare states should be merged; None if there are enough rows for all.

    Few rows are so few that joining helped *real* in ``benchmarks/many_states.py``. Weekdays made of dates stay, and
    so do states that are joined already.

    Parameters
    ----------
    recipe : Recipe
    frame : DataFrame
        The raw table.
    data : Dataset
        As the recipe makes it of the table.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> pain = np.random.default_rng(1).integers(0, 11, (200, 3))
    >>> frame = pd.DataFrame(pain, columns=["morning", "noon", "night"])
    >>> recipe = Recipe("file", "diary.csv")
    >>> found = many_states(recipe, frame, recipe.prepare(frame))
    >>> found.sentence.split(",")[0], [len(states) for states in found.recipe.prepare(frame).states]
    ('3 variables have 11 states each: with 200 rows there are only 2 for each free parameter of an edge', [3, 3, 3])
    """
    if recipe.weights or data.n_variables < 2:  # the bins and the rare states of counted rows cannot be found
        return None
    raw, given = {new: old for old, new in recipe.renamed}, column_names(frame)
    dates = [step for step in recipe.repairs if step[0] == "date" and "weekday" in step]
    made = {made_names(step, given)[step[3:].index("weekday")] for step in dates}
    names = [raw.get(name, name) for name in data.names]
    few, by_hand = rows_per_parameter(data), {one[0] for one in recipe.states}
    of = zip(names, data.states, strict=True)
    kinds = [
        ORDERED if name in by_hand or isinstance(states, Values) or state_order(states) else OTHERS
        for name, states in of
    ]
    stays = {*made, *recipe.joined, *(raw.get(name, name) for name in data.numbers)}
    large = (data.arities >= _FEWEST) & [name not in stays for name in names]
    at = [v for v, kind in enumerate(kinds) if large[v] and few[v] < most_helped(kind)]
    if not at:
        return None
    variables, worst = tuple(data.names[v] for v in at), min(at, key=few.__getitem__)
    helped = next(one for one in reversed(measured()[kinds[worst]]) if few[worst] >= one["from"])
    sentence = _sentence(variables, data.arities[at].tolist(), data.n_rows, float(few[worst]), helped)
    return ManyStates(variables, sentence, joined_states(recipe, [names[v] for v in at]))


def _sentence(
    variables: Sequence[str], arities: Sequence[int], n_rows: int, rows_per_parameter: float, helped: dict[str, float]
) -> str:
    """Say how few rows there are, and what joining states did in worlds whose networks are known."""
    low, high, alone = min(arities), max(arities), len(variables) == 1
    lower = percent(1 - helped["after"] / helped["before"])
    many = str(low) if low == high else f"{low} to {high}"
    who = f"'{variables[0]}' has" if alone else f"{len(variables)} variables have"
    return (
        f"{who} {many} states{'' if alone else ' each'}: with {counted(n_rows, 'row')} there are only "
        f"{short(rows_per_parameter, 2)} for each free parameter of an edge, so true edges are missed. In "
        f"{helped['tables']:.0f} simulated tables with about as few, joining states brought the probabilities that "
        f"edges are real nearer to the truth (their log-loss was {lower} lower)."
    )


_MOST_EDGES = 3.0  # to a variable; measured: 3.5 to 12 where BDeu(1) follows chance, at most 2.2 elsewhere


def overfitted(data: Dataset, adjacency: Adjacency) -> str:
    """Say that a graph has more parameters than the rows support; empty if it has not.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("alarm").sample(50, rng=1)
    >>> bool(overfitted(data, ~np.tri(37, dtype=bool))), overfitted(data, bn.learn(data).adjacency)
    (True, '')
    """
    n, arities = data.n_variables, _arities(data)
    log_parameters = np.log(np.maximum(arities - 1, 1)) + np.log(arities) @ adjacency
    many, edges = int((log_parameters > np.log(max(data.n_rows, 1))).sum()), adjacency.sum() / max(n, 1)
    if not many or edges <= _MOST_EDGES:
        return ""
    return (
        f"Many edges of this graph may be chance: {many:,} of {counted(n, 'variable')} have more free parameters than "
        f"there are rows, and there are {short(float(edges), 2)} edges to each variable. BIC learns a sparser graph."
    )


def rows_per_parameter(data: Dataset) -> FloatArray:
    """Return for each variable N / ((r − 1)(m − 1)), m the median number of states of the other variables."""
    arities = _arities(data)
    others = np.array([np.median(np.delete(arities, v)) for v in range(data.n_variables)])
    return np.asarray(data.n_rows / np.maximum((arities - 1) * (others - 1), 1))


def _arities(data: Dataset) -> FloatArray:
    """Return the number of states of each variable; a number has one slope to each other variable, as two states."""
    return np.where(np.isin(data.names, data.numbers), 2.0, data.arities)


#: Rows for each free parameter of an edge below which ``benchmarks/sparse_edges.py`` found ½ \|θ\| to be too much.
SPARSE = 10.0


def sparse_remark(data: Dataset, methods: Collection[str]) -> str:
    """Say of which variables' edges the correction removes too much; empty if of none, or no method is corrected.

    The predictive bootstrap draws from graphs that were learned with the correction, so that it is no better.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"group": [f"g{k:02}" for k in range(60)] * 8, "answer": [*"yyn"] * 160})
    >>> sparse_remark(Dataset.from_frame(frame), ("predictive",))[:74]
    "Edges of 'group' and 'answer' have only 8.1 rows for each free parameter. "
    """
    corrected = [TITLES[key] for key in methods if key in (CORRECTED, "predictive")]
    few = rows_per_parameter(data)
    names = [name for name, rows in zip(data.names, few, strict=True) if rows < SPARSE]
    if not names or not corrected:
        return ""
    return (
        f"Edges of {quoted(names)} have only {short(float(few.min()), 2)} rows for each free parameter. The "
        f"correction of ½ nat per parameter is too large there: under BIC the {' and the '.join(corrected)} find such "
        "edges less often than fresh tables would show them."
    )


def joined_states(recipe: Recipe, names: Sequence[str]) -> Recipe:
    """Return a recipe that also joins the states of some columns."""
    return dataclasses.replace(recipe, repairs=(*recipe.repairs, *(("joined", name) for name in names)))


# What joining states did to *real* in tables of known networks: counted by benchmarks/many_states.py.


@cache
def measured() -> dict[str, list[dict[str, float]]]:
    """Return the log-loss of *real* before and after joining, for tables by their rows for each free parameter."""
    found: dict[str, list[dict[str, float]]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return found


@cache
def most_helped(kind: str) -> float:
    """Return the number of rows for each free parameter below which states should be merged.

    So far joining lowered the log-loss by more than two standard errors, and few of the pairs that *real* then gave
    0.95 and more were false: with more rows, coarse states leave dependence behind that looks like an edge.
    """
    return next((one["from"] for one in measured()[kind] if not _helped(one)), np.inf)


def _helped(one: dict[str, float]) -> bool:
    return one["change"] < -2 * one["error"] and one["false, offered"] <= _MOST_FALSE * one["sure, offered"]
