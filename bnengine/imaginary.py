"""The imaginary rows of a prior network: what BDe counts beside the data's rows.

BDe's prior alpha_ijk = M0 P(x_i, pa_i | B0) needs the marginals of the prior network B0 for any family, whose parents
need not be parents in B0. They are obtained by counting weighted rows: all joint states of B0 with their probabilities
where these are few, else a large sample from B0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bnengine.data import Dataset
from bnengine.network import BayesianNetwork, configuration_numbers

#: Joint states up to which the joint distribution is written out.
LARGEST_JOINT = 1 << 16
_SAMPLED_ROWS = 50_000
_SEED = 1995


@dataclass(frozen=True, eq=False)
class ImaginaryRows:
    """Weighted rows that stand for a prior.

    Attributes
    ----------
    codes : ndarray of uint16, shape (V, D)
    weights : ndarray of float, shape (D,)
        They sum to the equivalent sample size, less ``uniform``.
    uniform : float
        Imaginary rows spread evenly over all cells: one row's worth of a sample, so that no cell it missed is
        impossible; 0 where the joint was written out.
    how : str
        "all joint states" or "50,000 sampled rows".
    """

    codes: npt.NDArray[np.uint16]
    weights: npt.NDArray[np.float64]
    uniform: float
    how: str


def how_counted(network: BayesianNetwork) -> str:
    """How the marginals of a prior network are obtained."""
    small = math.prod(len(states) for states in network.states) <= LARGEST_JOINT
    return "all joint states" if small else f"{_SAMPLED_ROWS:,} sampled rows"


@lru_cache(maxsize=8)
def _rows_of(
    network: BayesianNetwork,
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64], npt.NDArray[np.int64] | None]:
    """Codes and probabilities of the joint states; or codes and multiplicities of a sample's distinct rows."""
    if how_counted(network) == "all joint states":
        return *_joint(network), None
    sample = network.sample(_SAMPLED_ROWS, rng=_SEED)
    return sample.distinct_codes, np.zeros(0), sample.multiplicities


def imaginary_rows(network: BayesianNetwork, ess: float, data: Dataset) -> ImaginaryRows:
    """The prior's rows in the data's columns and state numbers; a ValueError says what does not match."""
    network.check_states(data, "prior network")
    order = [network.names.index(name) for name in data.names]
    how = how_counted(network)
    codes, probabilities, multiplicities = _rows_of(network)
    if multiplicities is None:
        weights, uniform = probabilities * ess, 0.0
    else:
        uniform = ess / (_SAMPLED_ROWS + 1)
        weights = multiplicities.astype(np.float64) * uniform
    renumbered = []
    for column, v in enumerate(order):
        place = np.array([data.states[column].index(state) for state in network.states[v]], dtype=np.uint16)
        renumbered.append(place[codes[v]])
    return ImaginaryRows(np.array(renumbered, dtype=np.uint16), weights, uniform, how)


def _joint(network: BayesianNetwork) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]:
    """Every joint state with its probability; impossible ones left out."""
    arities = [len(states) for states in network.states]
    codes = np.indices(arities).reshape(len(arities), -1)
    probability = np.ones(codes.shape[1])
    for v, parents in enumerate(network.parents):
        probability *= network.tables[v][configuration_numbers(codes.T, parents, arities), codes[v]]
    possible = probability > 0
    return codes[:, possible].astype(np.uint16), probability[possible]
