"""Which variables of a table depend on each other most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnengine.data import Dataset
from bnengine.families import LocalScores
from bnengine.scores import LogLikelihood


def mutual_informations(data: Dataset) -> npt.NDArray[np.float64]:
    """Mutual information of each pair in the data, nats a row, shape (V, V), symmetric, zero on the diagonal."""
    scores = LocalScores(data, LogLikelihood())
    alone = [scores(v) for v in range(data.n_variables)]
    information = np.zeros((data.n_variables, data.n_variables))
    for j in range(data.n_variables):
        for i in range(j):
            information[i, j] = information[j, i] = max(scores(j, [i]) - alone[j], 0.0) / data.n_rows
    return information


def most_dependent(data: Dataset, n_variables: int) -> list[str]:
    """So many variables that hang together: the most dependent pair, then always whichever adds most; in column order.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.most_dependent(bn.load_network("asia").sample(2000, rng=1), 3)
    ['smoke', 'bronc', 'dysp']
    """
    if n_variables < 1:
        raise ValueError(f"n_variables must be 1 or more; got {n_variables}")
    information = mutual_informations(data)
    if data.n_variables <= n_variables or n_variables == 1:
        return list(data.names[:n_variables])
    i, j = np.unravel_index(int(np.argmax(information)), information.shape)
    chosen = [int(i), int(j)] if i != j else [0, 1]
    while len(chosen) < n_variables:
        nearest = information[chosen].max(axis=0)
        nearest[chosen] = -1.0
        chosen.append(int(np.argmax(nearest)))
    return [data.names[v] for v in sorted(chosen)]
