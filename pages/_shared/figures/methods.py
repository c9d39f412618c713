"""How the resampling methods, and what counts as an edge, are called wherever they are shown."""

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
}

#: What counts as an edge.
KINDS = {"directed": "directed edges", "adjacency": "adjacencies", "compelled": "compelled edges"}
