"""scikit-learn's conventions: ``fit`` on a table, fitted names with an underscore at the end, parameters to clone.

Installed by ``pip install "bnengine[sklearn]"``. Fitted names are those of pgmpy (from 1.1 on), so that programs
written for its estimators read these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bnengine._core.environment import need, pd

need("sklearn", "sklearn")

from sklearn.base import BaseEstimator  # noqa: E402
from sklearn.utils.validation import validate_data  # noqa: E402

from bnengine.bootstrap.ensemble import averaged_network  # noqa: E402
from bnengine.bootstrap.resample import resample  # noqa: E402
from bnengine.bootstrap.resamplers import Bootstrap  # noqa: E402
from bnengine.data.dataset import Dataset  # noqa: E402
from bnengine.graphs.constraints import Constraints  # noqa: E402
from bnengine.graphs.dag import Adjacency, as_networkx  # noqa: E402
from bnengine.scores.scores import BIC, TableScore  # noqa: E402
from bnengine.search import IteratedLocalSearch, Search, learn  # noqa: E402

__all__ = ["EdgeConfidence", "StructureLearner"]


class _Learner(BaseEstimator):  # type: ignore[misc]
    """What both estimators share: the table that is handed in, and the graph that was found."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = False
        return tags

    def _table(self, X: Any) -> Dataset:
        """Read the table as a Dataset; columns without names are called x0, x1 and so on."""
        checked = validate_data(self, X, dtype=None, ensure_min_samples=2)
        if isinstance(X, pd.DataFrame):  # with the declared states of its Categoricals, which an array has not
            return Dataset.from_frame(X)
        names = getattr(self, "feature_names_in_", [f"x{v}" for v in range(checked.shape[1])])
        return Dataset.from_frame(pd.DataFrame(checked, columns=list(names)))

    def _found(self, data: Dataset, adjacency: Adjacency) -> None:
        self.adjacency_matrix_ = pd.DataFrame(adjacency.astype(np.int64), data.names, data.names)
        self.causal_graph_ = as_networkx(data.names, adjacency)


class StructureLearner(_Learner):
    """Learn one graph, as ``bn.learn`` does.

    Parameters
    ----------
    score : score, optional
        Such as ``bn.BDeu(10)``; None for BIC.
    search : search, optional
        Such as ``bn.Exact()``; None for the default of ``bn.learn``.
    constraints : Constraints, optional
    random_state : int, Generator or None
        Seed of what is drawn: restarts, ties. None draws one.

    Attributes
    ----------
    causal_graph_ : networkx.DiGraph
        The learned graph. Its edges are directed as in one member of the equivalence class; nothing here makes them
        causes.
    adjacency_matrix_ : DataFrame of 0 and 1, shape (V, V)
        Parents in rows, children in columns.
    graph_ : LearnedGraph
        With score, bound, status and trace.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If the table has names.

    Examples
    --------
    >>> import bnengine as bn
    >>> table = bn.load_network("cancer").sample(2000, rng=1).to_frame()
    >>> learner = bn.sklearn.StructureLearner(score=bn.BDeu(10)).fit(table)
    >>> list(learner.causal_graph_.edges) == learner.graph_.edges
    True
    >>> list(learner.adjacency_matrix_)
    ['Pollution', 'Smoker', 'Cancer', 'Xray', 'Dyspnoea']
    """

    def __init__(
        self,
        score: TableScore | None = None,
        search: Search | None = None,
        *,
        constraints: Constraints | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.score = score
        self.search = search
        self.constraints = constraints
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: object = None) -> StructureLearner:
        """Learn the graph of a table of discrete columns.

        Parameters
        ----------
        X : DataFrame or array, shape (N, V)
            Each distinct value of a column is a state; the categories of a Categorical are its states.
        y : ignored

        Returns
        -------
        StructureLearner
            Itself.

        Raises
        ------
        DataError
            If a column has missing cells, or more states than ``Dataset.from_frame`` allows.
        """
        data = self._table(X)
        self.graph_ = learn(data, self.score, self.search, self.constraints, rng=self.random_state)
        self._found(data, self.graph_.adjacency)
        return self


class EdgeConfidence(_Learner):
    """Estimate of every edge how often it would be found again, as ``bn.resample`` does.

    Parameters
    ----------
    score : score, optional
        None for BIC.
    search : search, optional
        None for the default of ``bn.learn``.
    n_bootstraps : int
    correction : {"leading", "none", "matched"}
        Bias correction of the score on resamples (Steck & Jaakkola 2003); ``"none"`` is the naive bootstrap.
    threshold : float
        Share of the replicates from which a pair is in the averaged network.
    constraints : Constraints, optional
    random_state : int, Generator or None

    Attributes
    ----------
    edge_prob_ : DataFrame of float, shape (V, V)
        Share of the replicates that have each edge, parents in rows: how often it would be found again, which is not
        the probability that it is real.
    causal_graph_ : networkx.DiGraph
        The averaged network: pairs at or above the threshold, each in its more frequent direction.
    adjacency_matrix_ : DataFrame of 0 and 1, shape (V, V)
    ensemble_ : Ensemble
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If the table has names.

    Examples
    --------
    >>> import bnengine as bn
    >>> table = bn.load_network("cancer").sample(2000, rng=1).to_frame()
    >>> found = bn.sklearn.EdgeConfidence(n_bootstraps=50).fit(table)
    >>> bool(found.edge_prob_.loc["Smoker", "Cancer"] + found.edge_prob_.loc["Cancer", "Smoker"] > 0.9)
    True
    """

    def __init__(
        self,
        score: TableScore | None = None,
        search: Search | None = None,
        *,
        n_bootstraps: int = 200,
        correction: str = "leading",
        threshold: float = 0.5,
        constraints: Constraints | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.score = score
        self.search = search
        self.n_bootstraps = n_bootstraps
        self.correction = correction
        self.threshold = threshold
        self.constraints = constraints
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: object = None) -> EdgeConfidence:
        """Learn a graph from each resample of a table of discrete columns.

        Parameters
        ----------
        X : DataFrame or array, shape (N, V)
        y : ignored

        Returns
        -------
        EdgeConfidence
            Itself.
        """
        data = self._table(X)
        score, search = self.score or BIC(), self.search or IteratedLocalSearch()
        self.ensemble_ = resample(
            data,
            score,
            search,
            Bootstrap(self.n_bootstraps),
            correction=self.correction,
            constraints=self.constraints,
            rng=self.random_state,
        )
        self.edge_prob_ = pd.DataFrame(self.ensemble_.confidence, data.names, data.names)
        self._found(data, averaged_network(self.ensemble_, self.threshold).adjacency)
        return self
