"""The registry of resampling methods: what is computed, and what pages, reports, tables and scripts say about each.

A method is a resampler together with a bias correction. Its entry in ``resampling_methods.toml`` is the only place that
tells its key, names, colours, the question that it answers and its counterpart in R.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bnengine._core.setting_kinds import checked_names
from bnengine._core.settings import settings_of
from bnengine._core.validation import Repeats, RowCount, validated
from bnengine.bootstrap import resamplers

#: The question that a method answers unless its entry names another one.
FOUND_AGAIN = "would it be found again?"


@dataclass(frozen=True)
class Method:
    """A resampling method together with a bias correction.

    Attributes
    ----------
    correction : {"none", "leading", "matched"}
    """

    key: str
    resampler: resamplers.Resampler
    correction: str


@dataclass(frozen=True)
class ResamplingMethod:
    """An entry of the registry.

    Attributes
    ----------
    key : str
        In settings, files, links and tables.
    name : str
        As words of a sentence.
    row : str
        Row label in Table 1 of Steck & Jaakkola (2003), or one like it.
    help : str
        What it does, in a sentence.
    question : str
        ``FOUND_AGAIN``, ``REAL`` or ``OF_THE_SEARCH``.
    color, on_dark : str
        In pictures; ``""`` for that of text, and on a dark ground for the same colour.
    resampler : class of resamplers, optional
        None if it is no resampling method, but stands beside them.
    correction : {"none", "leading", "matched"}
    in_r : str
        R code for bnlearn that learns the replicates' graphs, with ``{n}`` and ``{d}``; ``""`` for ``boot.strength``.
    not_in_r : str
        What bnlearn lacks, so that ``in_r`` is only the nearest.
    """

    key: str
    name: str
    row: str
    help: str
    question: str = FOUND_AGAIN
    color: str = ""
    on_dark: str = ""
    resampler: Any = None
    correction: str = "none"
    in_r: str = ""
    not_in_r: str = ""

    @property
    def label(self) -> str:
        """The name at the beginning of a line."""
        return self.name[0].upper() + self.name[1:]

    @property
    def settings(self) -> tuple[str, ...]:
        """Which of a study's settings ``n``, ``d``, ``size`` and ``strength`` it depends on.

        The matched correction needs samples of as many rows as the data have.
        """
        declared = [one.name for one in settings_of(self.resampler)] if self.resampler else []
        of_any_size = self.correction != "matched"
        used = [name for name in ("n", "d", "size") if name in declared and (name != "size" or of_any_size)]
        return (*used, *(["strength"] if self.correction == "leading" else []))

    def made(self, **given: Any) -> Method:
        """Return the method with those of the given settings that its resampler takes."""
        if self.resampler is None:
            raise ValueError(f"'{self.key}' is no resampling method")
        own = {name: value for name, value in given.items() if name in self.settings}
        return Method(self.key, self.resampler(**own), self.correction)


#: Keys of the two bootstraps that the paper compares.
NAIVE, CORRECTED = "bootstrap", "bootstrap_corrected"


_FILE = Path(__file__).with_suffix(".toml")
_RESAMPLERS = {one.__name__: one for one in resamplers.SimpleResampler.__subclasses__()}


def _entry(key: str, resampler: str = "", **texts: str) -> ResamplingMethod:
    return ResamplingMethod(key=key, resampler=_RESAMPLERS[resampler] if resampler else None, **texts)


#: The registry, in the order of tables; the posterior, which resamples nothing, stands beside the resampling methods.
RESAMPLING_METHODS: dict[str, ResamplingMethod] = {
    key: _entry(key, **texts) for key, texts in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
#: The questions about an edge, and about the search, that other entries answer.
REAL, OF_THE_SEARCH = RESAMPLING_METHODS["posterior"].question, RESAMPLING_METHODS["data"].question
#: The methods that resample.
ALL_KEYS = tuple(key for key, entry in RESAMPLING_METHODS.items() if entry.resampler)
#: Methods of Table 1 below the row of the data, in the paper's order.
TABLE1_KEYS = (CORRECTED, NAIVE, "jackknife_delete_1", "jackknife_delete_d")
#: Methods of an experiment by default: the paper's two bootstraps, and the one that is shown first. The jackknives, one
#: of which learns a graph for every row, run where they are asked for.
DEFAULT_KEYS = (CORRECTED, NAIVE, "predictive")
#: Methods that ``calibrate`` compares by default, in addition to the graph learned from the data.
CALIBRATED_KEYS = (NAIVE, CORRECTED, "bootstrap_matched", "parametric", "jackknife_delete_d")


class _Named(dict[str, str]):
    """By key; a method of the caller's own is called by its key."""

    def __missing__(self, key: str) -> str:
        return key


#: Names as words of a sentence, and as labels.
TITLES = _Named({key: entry.name for key, entry in RESAMPLING_METHODS.items()})
LABELS = _Named({key: entry.label for key, entry in RESAMPLING_METHODS.items()})
#: Colours of the methods in all pictures (Okabe & Ito: safe for colour-blind readers).
COLORS = {key: entry.color for key, entry in RESAMPLING_METHODS.items() if entry.color}
#: Colours of the given data, text and axes; of borders and what is less important.
INK, FAINT = "#1B1F24", "#C9D0D8"


@validated
def resampling_methods(
    n: Repeats = 200, d: RowCount | None = None, keys: Sequence[str] = DEFAULT_KEYS, size: RowCount | None = None
) -> list[Method]:
    """Return resampling methods by key, in the order of ``ALL_KEYS``; by default those of the pages.

    Parameters
    ----------
    n : int
        Replicates of each method except the delete-1 jackknife, which has one per row.
    d : int, optional
        Rows left out by the delete-d jackknife; None for a tenth of the rows.
    keys : sequence of str
        Some of ``ALL_KEYS``.
    size : int, optional
        Rows of each sample of ``"bootstrap"`` and ``"bootstrap_corrected"``; None for as many as the data have, which
        ``"bootstrap_matched"`` needs.

    Returns
    -------
    list of Method

    Raises
    ------
    ValueError
        If a key is unknown.

    Examples
    --------
    >>> [method.key for method in resampling_methods(50, keys=["bootstrap", "predictive"])]
    ['bootstrap', 'predictive']
    """
    keys = checked_names(keys, "keys", '["bootstrap", "bootstrap_corrected"]')
    unknown = [key for key in keys if key not in ALL_KEYS]
    if unknown:
        raise ValueError(f"methods must be among {', '.join(ALL_KEYS)}; got '{unknown[0]}'")
    return [RESAMPLING_METHODS[key].made(n=n, d=d, size=size) for key in ALL_KEYS if key in keys]


def default_method(keys: Sequence[str]) -> str:
    """Return the key of the method that answers *would it be found again?* unless another is chosen.

    The predictive bootstrap where it was run, which has the smallest worst regret of those that need no posterior
    (``benchmarks/RESULTS_CONFIDENCE.md``), else the first in the order of ``ALL_KEYS``.

    Raises
    ------
    ValueError
        If there is no key.
    """
    run = [*(key for key in ALL_KEYS if key in keys), *(key for key in keys if key not in ALL_KEYS)]
    if not run:
        raise ValueError(f"methods is empty; name some of {', '.join(ALL_KEYS)}")
    if "predictive" in run:
        return "predictive"
    return next((key for key in run if key != "data"), run[0])


#: What counts as an edge, as words of a sentence.
EDGE_KIND_PLURAL = {"directed": "directed edges", "adjacency": "adjacencies", "compelled": "compelled edges"}
#: One of them.
EDGE_KIND_SINGULAR = {"directed": "directed edge", "adjacency": "adjacency", "compelled": "compelled edge"}
#: How an edge is written.
JOINS = {"directed": "→", "adjacency": "–", "compelled": "→"}
