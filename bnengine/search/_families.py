"""Parent sets in a graph under construction: sorted column numbers in a row of a matrix, with their number."""

from bnengine._compiled import compiled


@compiled
def with_parent(parents, k, new, out):  # type: ignore[no-untyped-def]
    """Write the sorted ``parents[:k]`` and ``new`` to ``out``."""
    i = 0
    while i < k and parents[i] < new:
        out[i] = parents[i]
        i += 1
    out[i] = new
    while i < k:
        out[i + 1] = parents[i]
        i += 1


@compiled
def without_parent(parents, k, old, out):  # type: ignore[no-untyped-def]
    """Write the sorted ``parents[:k]`` but ``old`` to ``out``."""
    n = 0
    for i in range(k):
        if parents[i] != old:
            out[n] = parents[i]
            n += 1


@compiled
def parents_of(adjacency, child, out):  # type: ignore[no-untyped-def]
    """Write the sorted parents of ``child`` to ``out``; returns how many there are."""
    k = 0
    for v in range(adjacency.shape[0]):
        if adjacency[v, child]:
            out[k] = v
            k += 1
    return k


@compiled
def tolerance(n_rows):  # type: ignore[no-untyped-def]
    """Differences of a score below this, in nats, are rounding: ties, which go by column order."""
    return 1e-9 * max(n_rows, 1)
