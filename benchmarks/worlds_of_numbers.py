"""Tables of numbers whose truth is known: simulated kinds, cells of Sachs et al., ALARM's edges; holes in them."""

import numpy as np
import numpy.typing as npt
import pandas as pd

import bnengine as bn
from bnengine.graphs.dag import adjacency_of

Array = npt.NDArray[np.float64]
N_VARIABLES, EDGE_SHARE = 8, 0.25
KINDS = ("linear", "exponentiated", "heavy tails", "monotone", "quadratic", "interactions", "thresholds", "mixed")
KINDS += ("spreads",)
HIDDEN = ("rare states", "rounded sums", "heteroscedastic", "counts")


def effects(rng: np.random.Generator, k: int) -> Array:
    """Draw the strengths of k edges."""
    return rng.uniform(0.4, 1.0, k) * rng.choice([-1, 1], k)


def simulated(kind: str, rng: np.random.Generator, n_rows: int) -> tuple[pd.DataFrame, list[str], Array]:
    """Return a table of the kind, its columns of numbers, and the true graph."""
    truth = np.triu(rng.random((N_VARIABLES, N_VARIABLES)) < EDGE_SHARE, 1)  # edges go forward
    columns = np.zeros((n_rows, N_VARIABLES))
    raw = columns.copy()
    for v in range(N_VARIABLES):
        parents = columns[:, truth[:, v]]
        noise = rng.standard_t(3, n_rows) if kind == "heavy tails" else rng.normal(size=n_rows)
        if kind == "quadratic":
            parents = np.where(rng.random(parents.shape[1]) < 0.5, parents**2 - 1, parents)
        if kind == "monotone":
            parents = np.tanh(2 * parents)
        total = parents @ effects(rng, parents.shape[1])
        if kind == "interactions" and parents.shape[1] > 1:
            total = total + 0.5 * parents[:, 0] * parents[:, 1]
        if kind == "spreads" and parents.shape[1]:
            noise = noise * np.exp(0.5 * parents[:, 0])
        if kind == "heteroscedastic" and parents.shape[1]:
            noise = noise * (0.3 + np.abs(parents[:, 0]))
        if kind == "rounded sums" and parents.shape[1] and rng.random() < 0.3:
            total, noise = parents.sum(axis=1), 0.0 * noise
        column = total + noise
        if kind == "counts":
            column = rng.poisson(np.exp(np.clip(0.5 + total, -3.0, 5.0))).astype(float)
            raw[:, v], column = column, np.log1p(column)
        columns[:, v] = (column - column.mean()) / max(float(column.std()), 1e-9)
    frame = pd.DataFrame(raw if kind == "counts" else columns, columns=[f"x{v}" for v in range(N_VARIABLES)])
    numbers = list(frame)
    if kind == "rounded sums":
        frame = (2 * frame).round() / 2
    if kind == "exponentiated":
        frame = np.exp(frame).round(3)
    if kind in ("thresholds", "mixed"):
        cut = numbers[:: 2 if kind == "mixed" else 3]
        for name in cut:
            frame[name] = pd.cut(frame[name], [-99, -0.5, 0.6, 99], labels=list("abc")).astype(str)
        numbers = [name for name in numbers if name not in cut]
    if kind == "rare states":
        for name in numbers[::2]:
            frame[name] = np.where(frame[name] > frame[name].quantile(1 - rng.uniform(0.01, 0.05)), "rare", "common")
        numbers = numbers[1::2]
    return frame, numbers, truth


def cells(rng: np.random.Generator, n_rows: int) -> tuple[pd.DataFrame, list[str], Array]:
    """Return some of the cells of Sachs et al. (2005), and the network that they hold to be true."""
    frame = bn.load_sample("sachs_raw").rename(columns={"plc": "plcg"})
    frame = frame.iloc[np.sort(rng.choice(len(frame), n_rows, replace=False))].reset_index(drop=True)
    edges = [(parent.lower(), child.lower()) for parent, child in bn.load_network("sachs").edges]
    return frame, list(frame), adjacency_of(list(frame), edges)


def alarm_of_numbers(n_rows: int, seed: int = 1) -> pd.DataFrame:
    """Draw numbers with ALARM's edges, slopes of 0.4 to 1 of either sign, and normal noise, each of variance 1."""
    network, rng = bn.load_network("alarm"), np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    for name in network.ordering:
        parents = [columns[p] for p, child in network.edges if child == name]
        slopes = effects(rng, len(parents))
        value = rng.normal(size=n_rows) + sum(s * p for s, p in zip(slopes, parents, strict=True))
        columns[name] = value / value.std()
    return pd.DataFrame(columns)[list(network.names)]


def with_holes(frame: pd.DataFrame, rng: np.random.Generator, by_others: bool, share: float = 0.2) -> pd.DataFrame:
    """Hide cells of every second column, by chance or by the rank of the next column."""
    holed = frame.astype(object)
    for v in range(0, N_VARIABLES, 2):
        other = frame.iloc[:, v + 1]
        codes = other if other.dtype.kind == "f" else other.astype("category").cat.codes
        chance = 2 * share * codes.rank(pct=True).to_numpy() if by_others else share
        holed.loc[rng.random(len(frame)) < chance, frame.columns[v]] = None
    return holed
