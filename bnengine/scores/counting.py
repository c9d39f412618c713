"""Counting a family: how often each parent configuration, and each child state within it, was observed.

Two ways to count, with identical counts:

* **bit masks**: one mask of rows per variable state; a configuration is the AND of its parents' masks and a count
  is a popcount. Empty prefixes of a configuration are never entered, so a family of many parents costs what its
  observed configurations cost.
* **coded rows**: each distinct row gets the mixed-radix number of its configuration, and its multiplicity is added
  to that number's cell. Wins when few rows are distinct or arities are large. Where there are more cells than rows,
  only the cells that rows touch are visited; where there are very many, the numbers are ranked through a hash table.

Only observed configurations and cells are ever stored, so neither path needs more memory than the distinct rows do.
"""

from bnengine._core.compiled import Pointer, compiled
from bnengine.scores.counting_by_masks import count_by_masks
from bnengine.scores.counting_by_rows import count_by_rows
from bnengine.scores.score_context import Sample, Workspace

# Measured on one core (benchmarks/counting_paths.py): nanoseconds per unit of work. Only their ratios matter.
MASK_WORD = 0.35
MASK_VISIT = 4.0
ROW_STEP = 0.55
ROW_ADD = 1.4
HASH_STEP = 6.0
CELL_SCAN = 0.9
CELL_TOUCH = 2.0


@compiled
def masks_are_cheaper(sample: Sample, table_size: int, child: int, parents: Pointer, k: int) -> bool:
    """Whether the predicted cost of counting by masks is below that of counting by rows."""
    if sample.n_words == 0:
        return False
    n_distinct = float(sample.n_distinct)
    visits = 0.0
    size = 1.0
    for i in range(k):
        size = min(size, n_distinct) * sample.arities[parents[i]]
        visits += size
    arity = float(sample.arities[child])
    visits += min(size, n_distinct) * max(arity - 1.0, 1.0)
    by_masks = visits * (sample.n_words * MASK_WORD + MASK_VISIT)
    by_rows = n_distinct * (ROW_STEP * k + ROW_ADD)
    if size * arity > table_size:
        by_rows += 2.0 * n_distinct * HASH_STEP
    elif size * arity > n_distinct:
        by_rows += n_distinct * CELL_TOUCH
    else:
        by_rows += size * arity * CELL_SCAN
    return by_masks < by_rows


@compiled
def count(sample: Sample, work: Workspace, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Counts of ``child`` given ``parents[:k]`` by the cheaper path; returns (configurations, cells)."""
    if masks_are_cheaper(sample, work.table_size, child, parents, k):
        return count_by_masks(sample, work, child, parents, k)
    return count_by_rows(sample, work, child, parents, k)
