"""A score as the compiled kernel reads it, and the interface of a score."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from bnengine.networks.network import BayesianNetwork


class ScoreForm(NamedTuple):
    """A score as the kernel reads it.

    The two functions of a count (see ``_count_terms``), their equivalent sample size (the number of rows where they
    are expectations over resamples), and the penalties of a family: ``penalty`` nats for each free parameter,
    ``edge_penalty`` nats for each parent, if ``uniform_parent_sizes`` the logarithm of the number of parent sets of
    that size, and if ``quotient`` the regret ln C(N, q r) - ln C(N, q). With a ``network``, its marginals are the
    prior, and the count functions are not used. With ``unbias``, the average that bootstrap resampling adds to each
    family is subtracted (see ``correction``).
    """

    cell: int
    configuration: int
    ess: float
    penalty: float
    edge_penalty: float = 0.0
    uniform_parent_sizes: bool = False
    quotient: bool = False
    network: BayesianNetwork | None = None
    unbias: bool = False


@runtime_checkable
class TableScore(Protocol):
    """The interface of a score."""

    @property
    def name(self) -> str:
        """The score's name in tables and figures."""

    def form(self, n_rows: int) -> ScoreForm:
        """The score's description for a sample of ``n_rows`` rows."""
