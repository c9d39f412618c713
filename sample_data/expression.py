"""Make the expression-like table and its network: invented genes, simulated, for trying out discretisation.

Run from the project's folder: ``python sample_data/expression.py``. It writes the network, and
``make.py`` the tables: four-level rows drawn from the network, and arrays as they are measured.

No measured data are behind it. A hierarchy of 33 genes with invented names is drawn by a seed: five master regulators,
eight regulators under them, twenty targets, each with one to three activators or repressors among the genes above.
A gene's expression, a logarithm to base 2, answers to its regulators by Hill functions, with biological noise and the
noise of a microarray's measurement. From many such arrays, cut into four levels (far below, below, above and far above
a gene's median: at the quantiles 0.15, 0.5 and 0.85), a network is learned and fitted; its structure and tables are
thus known exactly, as those of no measured table are.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

import bnengine as bn

HERE = Path(__file__).parent
NETWORK = "regulon"
SEED, N_ARRAYS, N_ROWS = 2003, 2000, 320
MASTERS, REGULATORS, TARGETS = 5, 8, 20
LEVELS = ("far_below", "below", "above", "far_above")
QUANTILES = (0.15, 0.5, 0.85)


def gene_names() -> list[str]:
    """Invent names, regulators first: a syllable and a number."""
    stems = ["MAR", "TOV", "KEL", "DUN", "RIS", "PAV", "LOM", "SEK", "FIR", "NUD", "GAL", "BEX", "HIV"]
    return [f"{stem}1" for stem in stems] + [f"{stems[5 + k % 8]}{2 + k // 8}" for k in range(TARGETS)]


def regulation(rng: np.random.Generator) -> list[list[tuple[int, float]]]:
    """Draw for each gene its regulators, with the strength of each (negative: a repressor)."""
    above: list[list[tuple[int, float]]] = [[] for _ in range(MASTERS)]
    for gene in range(MASTERS, MASTERS + REGULATORS + TARGETS):
        first, last = (0, MASTERS) if gene < MASTERS + REGULATORS else (0 if gene % 5 == 0 else MASTERS, 13)
        n = int(rng.choice([1, 2, 3], p=[0.4, 0.45, 0.15]))
        chosen = np.sort(rng.choice(np.arange(first, last), n, replace=False))
        strengths = rng.choice([-1.0, 1.0, 1.0], n) * rng.uniform(1.6, 3.2, n)
        above.append(list(zip(chosen.tolist(), strengths.tolist(), strict=True)))
    return above


def arrays(n: int, seed: int) -> pd.DataFrame:
    """Measure the expression of all genes on ``n`` arrays, log2; columns in the order of the alphabet."""
    structure = regulation(np.random.default_rng(SEED))
    rng = np.random.default_rng(seed)
    active: npt.NDArray[np.float64] = np.zeros((n, len(structure)))
    for gene, regulators in enumerate(structure):
        answers = [strength * hill(active[:, one]) for one, strength in regulators]
        noise = 1.0 if not regulators else 0.45
        active[:, gene] = sum(answers, np.zeros(n)) + noise * rng.normal(size=n)
    measured = 8.0 + active - active.mean(axis=0) + 0.25 * rng.normal(size=active.shape)
    return pd.DataFrame(measured.round(3), columns=gene_names()).sort_index(axis=1)


def hill(activity: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the share of a target's promoters that are bound: Hill's equation with exponent 2, activity in log2."""
    concentration = 2.0 ** (2.0 * activity)
    return concentration / (1.0 + concentration)


def four_levels(frame: pd.DataFrame) -> bn.Dataset:
    """Return each gene cut at its own quantiles."""
    columns = {}
    for name in frame:
        codes = np.searchsorted(np.quantile(frame[name], QUANTILES), frame[name])
        columns[name] = pd.Categorical.from_codes(codes, categories=list(LEVELS))
    return bn.Dataset.from_frame(pd.DataFrame(columns))


def network() -> bn.BayesianNetwork:
    """Learn from the arrays in the order of the hierarchy, and fit with four imaginary rows."""
    data = four_levels(arrays(N_ARRAYS, SEED))
    graph = bn.learn(data, bn.BDeu(4.0), bn.K2(tuple(gene_names()), max_parents=3))
    fitted = bn.fit(data, graph.edges, ess=4.0)
    tables = tuple(rounded(table) for table in fitted.tables)
    return bn.BayesianNetwork(fitted.names, fitted.states, fitted.parents, tables, NETWORK)


def rounded(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round the probabilities to four digits, the last of each row the rest: the file says exactly what holds."""
    most = table.argmax(axis=1)
    kept = table.round(4)
    rows = np.arange(len(table))
    kept[rows, most] = 0.0
    kept[rows, most] = (1.0 - kept.sum(axis=1)).round(4)
    return kept


if __name__ == "__main__":
    made = network()
    bn.write_bif(made, HERE / "networks" / f"{NETWORK}.bif")
    print(f"{NETWORK}.bif: {len(made.names)} variables, {len(made.edges)} edges")
