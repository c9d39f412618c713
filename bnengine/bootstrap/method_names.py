"""Names of the resampling methods and of the kinds of edges, wherever they are shown."""

from __future__ import annotations

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
