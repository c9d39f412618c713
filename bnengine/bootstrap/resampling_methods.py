"""The resampling methods of a study by key: the rows of Table 1 in Steck & Jaakkola (2003), further ones, names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnengine._core.names import checked_names
from bnengine._core.settings import by_tag
from bnengine._core.validation import Repeats, RowCount, validated
from bnengine.bootstrap.resample import MAX_ROUNDS
from bnengine.bootstrap.resamplers import (
    Bootstrap,
    DeleteD,
    Jackknife,
    ParametricBootstrap,
    PredictiveBootstrap,
    RepeatedSearch,
    Resampler,
    learns_graphs_first,
)
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

    @validated
    def n_learnings(self, data: Dataset) -> int:
        """Estimate the number of graphs to learn: matching a strength learns from each replicate several times."""
        rounds = MAX_ROUNDS if self.correction == "matched" else 1
        return self.resampler.n_replicates(data) * (rounds + learns_graphs_first(self.resampler))


#: The resampling methods by their tags.
RESAMPLERS: dict[str, type[Resampler]] = by_tag(
    Bootstrap, ParametricBootstrap, PredictiveBootstrap, RepeatedSearch, Jackknife, DeleteD
)
#: Methods of Table 1 below the row of the data, in the paper's order.
TABLE1_KEYS = ("boot_bc", "boot", "jack_1", "jack_d")
#: Methods of an experiment by default: those of Table 1, and the one that is shown first.
DEFAULT_KEYS = (*TABLE1_KEYS, "predictive")
#: Methods of the paper and their relatives, in the order of tables. ``"data"`` learns from the given data repeatedly,
#: for a search that draws at random or breaks ties in a drawn order.
METHOD_KEYS = ("data", "boot_bc", "boot_exact", "boot_matched", "boot", "para_bc", "para", "jack_1", "jack_d")
#: All methods, in the order of tables: ``"predictive"`` estimates inclusion probabilities and has no place in Table 1.
ALL_KEYS = (*METHOD_KEYS, "predictive")
#: Methods that ``calibrate`` compares by default, in addition to the graph learned from the data.
CALIBRATED_KEYS = ("boot", "boot_bc", "boot_exact", "boot_matched", "para", "jack_d")


@validated
def methods(
    n: Repeats = 200, d: RowCount | None = None, keys: Sequence[str] = TABLE1_KEYS, size: RowCount | None = None
) -> list[Method]:
    """Return resampling methods by key, in the order of ``ALL_KEYS``; by default the rows of Table 1.

    Parameters
    ----------
    n : int
        Replicates of each method except the delete-1 jackknife, which has one per row.
    d : int, optional
        Rows left out by the delete-d jackknife; None for a tenth of the rows.
    keys : sequence of str
        Some of ``ALL_KEYS``.
    size : int, optional
        Rows of each sample of ``"boot"`` and ``"boot_bc"``; None for as many as the data have. The other corrections
        need as many.

    Raises
    ------
    ValueError
        If a key is unknown.
    """
    known = [
        Method("data", "data D", RepeatedSearch(n), "none"),
        Method("boot_bc", "boot BC", Bootstrap(n, size), "leading"),
        Method("boot_exact", "boot exact", Bootstrap(n), "exact"),
        Method("boot_matched", "boot matched", Bootstrap(n), "matched"),
        Method("boot", "boot", Bootstrap(n, size), "none"),
        Method("para_bc", "param BC", ParametricBootstrap(n), "leading"),
        Method("para", "param", ParametricBootstrap(n), "none"),
        Method("jack_1", "jack 1", Jackknife(), "none"),
        Method("jack_d", "jack d", DeleteD(d, n), "none"),
        Method("predictive", "predictive", PredictiveBootstrap(n), "none"),
    ]
    keys = checked_names(keys, "keys", '["boot", "boot_bc"]')
    unknown = [key for key in keys if key not in ALL_KEYS]
    if unknown:
        raise ValueError(f"methods must be among {', '.join(ALL_KEYS)}; got '{unknown[0]}'")
    return [method for method in known if method.key in keys]


def first_shown(keys: Sequence[str]) -> str:
    """Return the key of the method that answers *would it be found again?* unless another is chosen.

    The predictive bootstrap where it was run, which has the smallest worst regret of those that apply to every score
    (``benchmarks/RESULTS_CONFIDENCE.md``), else the first in the order of ``ALL_KEYS``.

    Raises
    ------
    ValueError
        If there is no key.
    """
    run = [key for key in ALL_KEYS if key in keys]
    if not run:
        raise ValueError(f"methods is empty; name some of {', '.join(ALL_KEYS)}")
    if "predictive" in run:
        return "predictive"
    return next((key for key in run if key != "data"), run[0])


# Names of the resampling methods and of the kinds of edges, wherever they are shown.

#: As words of a sentence.
TITLES = {
    "data": "given data",
    "boot": "naive bootstrap",
    "boot_bc": "corrected bootstrap",
    "boot_exact": "exact-score correction",
    "boot_matched": "matched bootstrap",
    "para": "parametric bootstrap",
    "para_bc": "corrected parametric bootstrap",
    "jack_1": "jackknife, delete 1",
    "jack_d": "jackknife, delete d",
    "posterior": "posterior",
    "predictive": "predictive bootstrap",
}
#: As labels.
LABELS = {key: title[0].upper() + title[1:] for key, title in TITLES.items()}

#: What counts as an edge, as words of a sentence.
KINDS = {"directed": "directed edges", "adjacency": "adjacencies", "compelled": "compelled edges"}
#: One of them.
KIND = {"directed": "directed edge", "adjacency": "adjacency", "compelled": "compelled edge"}
#: How an edge is written.
JOINS = {"directed": "→", "adjacency": "–", "compelled": "→"}
