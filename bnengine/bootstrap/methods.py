"""The resampling methods of a study by key: the rows of Table 1 in Steck & Jaakkola (2003), and further ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnengine._core.doors import door
from bnengine._core.names import checked_names
from bnengine.bootstrap.resamplers import Bootstrap, DeleteD, Jackknife, ParametricBootstrap, RepeatedSearch, Resampler
from bnengine.bootstrap.strength_matching import MAX_ROUNDS
from bnengine.data.dataset import Dataset


@dataclass(frozen=True)
class Method:
    """A resampling method together with a bias correction.

    Attributes
    ----------
    key : str
    title : str
        Row label in Table 1.
    resampler : Resampler
    correction : {"none", "leading", "exact", "matched"}
    """

    key: str
    title: str
    resampler: Resampler
    correction: str

    def n_learnings(self, data: Dataset) -> int:
        """Approximate number of graphs to learn: matching a strength learns from each replicate several times."""
        return self.resampler.n_replicates(data) * (MAX_ROUNDS if self.correction == "matched" else 1)


#: Methods of Table 1 below the row of the data, in the paper's order.
TABLE1_KEYS = ("boot_bc", "boot", "jack_1", "jack_d")
#: All methods, in the order of tables. ``"data"`` learns from the given data repeatedly, for a search that draws at
#: random or breaks ties in a drawn order.
METHOD_KEYS = ("data", "boot_bc", "boot_exact", "boot_matched", "boot", "para_bc", "para", "jack_1", "jack_d")
#: Methods that ``calibrate`` compares by default, in addition to the graph learned from the data.
CALIBRATED_KEYS = ("boot", "boot_bc", "boot_exact", "boot_matched", "para", "jack_d")


@door
def methods(n: int = 200, d: int | None = None, keys: Sequence[str] = TABLE1_KEYS) -> list[Method]:
    """Return resampling methods by key, in the order of ``METHOD_KEYS``; by default the rows of Table 1.

    Parameters
    ----------
    n : int
        Replicates of each method except the delete-1 jackknife, which has one per row.
    d : int, optional
        Rows left out by the delete-d jackknife; None for a tenth of the rows.
    keys : sequence of str
        Some of ``METHOD_KEYS``.

    Raises
    ------
    ValueError
        If a key is unknown.
    """
    known = [
        Method("data", "data D", RepeatedSearch(n), "none"),
        Method("boot_bc", "boot BC", Bootstrap(n), "leading"),
        Method("boot_exact", "boot exact", Bootstrap(n), "exact"),
        Method("boot_matched", "boot matched", Bootstrap(n), "matched"),
        Method("boot", "boot", Bootstrap(n), "none"),
        Method("para_bc", "param BC", ParametricBootstrap(n), "leading"),
        Method("para", "param", ParametricBootstrap(n), "none"),
        Method("jack_1", "jack 1", Jackknife(), "none"),
        Method("jack_d", "jack d", DeleteD(d, n), "none"),
    ]
    keys = checked_names(keys, "keys", '["boot", "boot_bc"]')
    unknown = [key for key in keys if key not in METHOD_KEYS]
    if unknown:
        raise ValueError(f"methods must be among {', '.join(METHOD_KEYS)}; got '{unknown[0]}'")
    return [method for method in known if method.key in keys]
