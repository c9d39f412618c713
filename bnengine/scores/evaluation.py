"""Scores of given graphs: total, per family, corrected, in parts, and as description lengths in bits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnengine._core.environment import pd
from bnengine._core.setting_kinds import checked_edges, checked_names
from bnengine._core.validation import accepts, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Edge, dag_of
from bnengine.scores._count_terms import ScoreForm
from bnengine.scores.local_score import LocalScores, default_score
from bnengine.scores.scores import LEADING_STRENGTH, LogLikelihood, TableScore, corrected


@validated
@accepts(interventions=True, missing=True, numbers=True)
def score(data: Dataset, edges: Iterable[Edge], score: TableScore | None = None) -> float:
    """Return the score of a graph on the data, nats; higher is better.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child), or a graph
    score : default BIC(), of numbers GaussianBIC()

    Returns
    -------
    float
        Nats.

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(1000, rng=1)
    >>> bn.score(data, bn.learn(data)) > bn.score(data, [])
    True
    """
    return _total(data, _parents(data, edges), score or default_score(data))


@validated
@accepts(interventions=True, missing=True, numbers=True)
def local_score(data: Dataset, child: str, parents: Sequence[str], score: TableScore) -> float:
    """Return the local score of one child with its parents, nats; higher is better.

    Parameters
    ----------
    data : Dataset
    child : str
    parents : sequence of str
    score : score

    Returns
    -------
    float
        Nats.

    Raises
    ------
    ValueError
        If a name is unknown or occurs twice.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(1000, rng=1)
    >>> bn.local_score(data, "Cancer", ["Smoker"], bn.BIC()) > bn.local_score(data, "Cancer", [], bn.BIC())
    True
    """
    parents = checked_names(parents, "parents")
    if child in parents or len(set(parents)) < len(parents):
        raise ValueError(
            f"the parents of '{child}' must be different variables other than itself; got {', '.join(parents)}"
        )
    return LocalScores(data, score)(data.index(child), [data.index(parent) for parent in parents])


@validated
@accepts(interventions=True, missing=True, numbers=True)
def corrected_score(
    data: Dataset,
    resample: Dataset,
    edges: Iterable[Edge],
    score: TableScore,
    correction: str = "leading",
    strength: float = LEADING_STRENGTH,
) -> float:
    """Return the bias-corrected score of a graph on one resample of the data, nats; higher is better.

    Parameters
    ----------
    data, resample : Dataset
    edges : iterable of (parent, child)
    score : score
    correction : {"none", "leading"}
        ``"leading"`` gives T - strength |theta| (Steck & Jaakkola 2003, Eq. 7).
    strength : float
        Nats per free parameter, for ``"leading"``.

    Returns
    -------
    float
        Nats.

    Raises
    ------
    ValueError
        If the variables or states of the resample differ from those of the data.

    Examples
    --------
    >>> import bnengine as bn
    >>> data, edges = bn.load_network("cancer").sample(500, rng=1), [("Smoker", "Cancer")]
    >>> bn.score(data, edges, bn.BIC()) - bn.corrected_score(data, data, edges, bn.BIC())  # 6 parameters, ½ nat each
    3.0
    """
    if (resample.names, resample.states) != (data.names, data.states):
        raise ValueError("resample must have the variables and states of the data; Dataset.take keeps both")
    return _total(resample, _parents(data, edges), corrected(score, correction, strength))


@validated
@accepts(interventions=True, missing=True, numbers=True)
def edge_gains(data: Dataset, edges: Iterable[Edge], score: TableScore) -> dict[Edge, float]:
    """Return what each edge gains: the score of the graph minus its score without that edge.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    score : score

    Returns
    -------
    dict from (parent, child) to float
        Nats.

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> gains = bn.teaching.edge_gains(network.sample(5000, rng=1), network.edges, bn.BIC())
    >>> min(gains.values()) > 0
    True
    """
    parents = _parents(data, edges)
    scores = LocalScores(data, score)
    return {
        (data.names[i], data.names[j]): scores(j, parents[j]) - scores(j, [p for p in parents[j] if p != i])
        for i, j in itertools.permutations(range(data.n_variables), 2)
        if i in parents[j]
    }


@validated
def decompose(data: Dataset, edges: Iterable[Edge], score: TableScore) -> pd.DataFrame:
    """Split the score of a graph, family by family, into dependence - noise - penalty, nats.

    The log-likelihood is M sum I(X; parents) - M sum H(X) for M rows (Koller & Friedman 2009, Sec. 18.3.1). The noise
    is the same for every graph, and no edge lowers the dependence: without a penalty, ½ ln M per free parameter for
    BIC, the complete graph wins.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    score : score
        Of counts: a score by covariances has no such parts.

    Returns
    -------
    DataFrame
        One line per family: variable, parents, parameters; in nats dependence (M I), noise (M H), penalty
        (log-likelihood minus score, for any score) and score.

    Raises
    ------
    ValueError
        If an edge names an unknown variable, the edges form a cycle, or the score is by covariances.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(200, rng=1)
    >>> parts = bn.teaching.decompose(data, [("Smoker", "Cancer")], bn.BIC()).sum(numeric_only=True)
    >>> bool(abs(parts["dependence"] - parts["noise"] - parts["penalty"] - parts["score"]) < 1e-9)
    True
    """
    if score.form(data.n_rows).degree:
        raise ValueError(f"score must be one of counts to be split in these parts, such as BIC; got {score.name}")
    scores, fits, lines = LocalScores(data, score), LocalScores(data, LogLikelihood()), []
    for v, parents in _parents(data, edges).items():
        fit, alone, total = fits(v, parents), fits(v), scores(v, parents)
        names = ", ".join(data.names[p] for p in parents)
        parts = (_free(data, v, parents), fit - alone, -alone, fit - total, total)
        lines.append((data.names[v], names, *parts))
    columns = ["variable", "parents", "parameters", "dependence", "noise", "penalty", "score"]
    return pd.DataFrame(lines, columns=columns)


@validated
@accepts(interventions=True, missing=True, numbers=True)
def n_parameters(data: Dataset, edges: Iterable[Edge], score: TableScore | None = None) -> int:
    """Return the number of free parameters |theta| of a graph, the sum of (r - 1) q over its families.

    r counts the declared states of the child and q all parent configurations, observed or not. Where the score goes by
    blocks, a family with d features of the child and D of its parents has d (D + 1) + d (d + 1) / 2.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    score : score, default BIC(), of numbers GaussianBIC()

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.teaching.n_parameters(bn.load_network("cancer").sample(10, rng=1), [("Smoker", "Cancer")])
    6
    """
    degree = (score or default_score(data)).form(2).degree
    if not degree and not data.numbers:
        return sum(_free(data, v, parents) for v, parents in _parents(data, edges).items())
    size = np.where(np.isin(data.names, data.numbers), max(degree, 1), data.arities - 1)
    of_parents = size @ dag_of(data.names, edges)
    return int((size * (of_parents + 1) + size * (size + 1) // 2).sum())


@dataclass(frozen=True)
class DescriptionLength:
    """Two-part description length of network and data, bits; lower is better (Rissanen 1978; Lam & Bacchus 1994).

    Of a table with numbers it is that of Gaussian BIC beyond the graph without edges: a density has no length itself.

    Attributes
    ----------
    parameters : int
        Number of free parameters |theta|.
    size_bits : float
        |theta| / 2 log2 N, the length of the encoded parameters; N are the effective rows.
    log2_likelihood : float
        Maximum log-likelihood to base 2; its negative is the length of the data encoded with the network.
    mdl : float
        ``size_bits - log2_likelihood``, which equals -BIC / ln 2.
    """

    parameters: int
    size_bits: float
    log2_likelihood: float
    mdl: float


@validated
@accepts(numbers=True)
def mdl(data: Dataset, edges: Iterable[Edge]) -> DescriptionLength:
    """Return the description length of the data and a network with the given edges, bits; lower is better.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)

    Returns
    -------
    DescriptionLength

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(1000, rng=1)
    >>> length = bn.mdl(data, [("Smoker", "Cancer")])
    >>> length.parameters, abs(length.mdl + bn.score(data, [("Smoker", "Cancer")], bn.BIC()) / math.log(2)) < 1e-6
    (6, True)
    """
    edges = checked_edges(edges, "edges")
    likelihood, parameters = likelihood_of(default_score(data), data.n_rows), n_parameters(data, edges)
    log2_likelihood = score(data, edges, likelihood) / math.log(2)
    if data.numbers:
        parameters -= n_parameters(data, ())
        log2_likelihood -= score(data, (), likelihood) / math.log(2)
    size_bits = 0.5 * parameters * math.log2(data.effective_rows)
    return DescriptionLength(parameters, size_bits, log2_likelihood, size_bits - log2_likelihood)


#: The error for data from which no network can be learned.
ONE_VARIABLE = "There is only one variable, but a network needs at least two."


def explain_empty(data: Dataset, score_used: TableScore | None = None, constraints: Constraints | None = None) -> str:
    """Explain in a sentence why a graph without edges was learned: the gain and penalty of the best allowed edge."""
    score_used = score_used or default_score(data)
    scores = LocalScores(data, score_used)
    plain = LocalScores(data, likelihood_of(score_used, data.n_rows))
    alone = [(scores(v), plain(v)) for v in range(data.n_variables)]
    space = (constraints or Constraints()).resolve(data.names)
    several = data.arities > 1  # an edge to or from a constant has no gain
    possible = space.allowed & several[:, None] & several[None, :]
    pairs = [(int(i), int(j)) for i, j in np.argwhere(possible)] if space.max_parents else []
    if not pairs:
        return ONE_VARIABLE if data.n_variables == 1 else "No edge is allowed here."
    gains = [scores(j, [i]) - alone[j][0] for i, j in pairs]
    best = int(np.argmax(gains))
    i, j = pairs[best]
    fit = plain(j, [i]) - alone[j][1]  # nats
    return (
        f"No edge increases the score. The best one, {data.names[i]} → {data.names[j]}, raises the log-likelihood by "
        f"{fit:.3g} nats, less than its {score_used.name} penalty of {fit - gains[best]:.3g} nats."
    )


def likelihood_of(score: TableScore, n_rows: int) -> TableScore:
    """Return a score's likelihood without its penalty: by covariances to the same degree, or by counts."""
    form = score.form(n_rows)
    return _Likelihood(form) if form.degree else LogLikelihood()


class _Likelihood(NamedTuple):
    """The likelihood of a score by covariances, which counts of cells do not give."""

    of: ScoreForm
    name: str = "log-likelihood"

    def form(self, n_rows: int) -> ScoreForm:
        return self.of._replace(penalty=0.0, edge_penalty=0.0, uniform_parent_sizes=False)


def _parents(data: Dataset, edges: Iterable[Edge]) -> dict[int, list[int]]:
    """Map each variable's number to those of its parents; raise a ValueError if the edges form a cycle."""
    adjacency = dag_of(data.names, edges)
    return {v: np.flatnonzero(adjacency[:, v]).tolist() for v in range(data.n_variables)}


def _free(data: Dataset, child: int, parents: list[int]) -> int:
    arities: list[int] = data.arities.tolist()
    return (arities[child] - 1) * math.prod(arities[parent] for parent in parents)


def _total(data: Dataset, parents: dict[int, list[int]], score: TableScore) -> float:
    scores = LocalScores(data, score)
    return float(sum(scores(child, parents[child]) for child in parents))
