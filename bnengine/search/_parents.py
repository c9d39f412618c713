"""Kinds of arrays that searches share, and the margin within which scores are equal."""

from bnengine._core.compiled import compiled


@compiled
def tolerance(n_rows: int) -> float:
    """Differences of a score below this, in nats, are rounding; such ties go by column order."""
    return 1e-9 * max(n_rows, 1)
