"""What counts contribute to the scores of families that add one parent to a split one (see ``_incremental_counts``).

A sum over the counts of one candidate is short, and a short sum is mostly waiting. So the columns of neighbouring
candidates are summed side by side, as long as the same tabulated values apply to them. A value that is not in the table
yet is NaN there, and so is every sum it belongs to: those candidates are summed again, one by one.
"""

import numpy as np

from bnengine._core.compiled import Pointer, compiled
from bnengine.scores._count_terms import OBSERVED, is_keyed, row_start, tabulated
from bnengine.scores.score_context import ScoreContext, keys_of_counts


@compiled
def _sum_between(
    context: ScoreContext, n_split: int, first: int, last: int, cell_key: float, configuration_key: float
) -> None:
    """Sum the columns from ``first`` to ``last``, to which the same keys apply."""
    if first == last:
        return
    of_cell = row_start(context.cell, cell_key)
    of_configuration = row_start(context.configuration, configuration_key)
    cell_values, configuration_values = context.cell.values, context.configuration.values
    counts, configurations, sums = context.split.counts, context.split.configurations, context.split.sums
    width = context.sample.n_columns
    column = first
    while column + 4 <= last:  # four at a time: a short loop costs more to begin and end than to run
        sum_0, sum_1, sum_2, sum_3 = 0.0, 0.0, 0.0, 0.0
        cell = 0
        while cell < n_split:
            configuration = configurations[cell]
            n_0, n_1, n_2, n_3 = 0, 0, 0, 0
            score_0, score_1, score_2, score_3 = 0.0, 0.0, 0.0, 0.0
            while cell < n_split and configurations[cell] == configuration:
                at = cell * width + column
                n_0 += counts[at]
                n_1 += counts[at + 1]
                n_2 += counts[at + 2]
                n_3 += counts[at + 3]
                score_0 += cell_values[of_cell + counts[at]]
                score_1 += cell_values[of_cell + counts[at + 1]]
                score_2 += cell_values[of_cell + counts[at + 2]]
                score_3 += cell_values[of_cell + counts[at + 3]]
                cell += 1
            sum_0 += score_0 - configuration_values[of_configuration + n_0]
            sum_1 += score_1 - configuration_values[of_configuration + n_1]
            sum_2 += score_2 - configuration_values[of_configuration + n_2]
            sum_3 += score_3 - configuration_values[of_configuration + n_3]
        sums[column], sums[column + 1], sums[column + 2], sums[column + 3] = sum_0, sum_1, sum_2, sum_3
        column += 4
    while column < last:
        total = 0.0
        cell = 0
        while cell < n_split:
            configuration, n, score = configurations[cell], 0, 0.0
            while cell < n_split and configurations[cell] == configuration:
                n += counts[cell * width + column]
                score += cell_values[of_cell + counts[cell * width + column]]
                cell += 1
            total += score - configuration_values[of_configuration + n]
        sums[column] = total
        column += 1


@compiled
def sum_columns(context: ScoreContext, n_split: int, wanted: Pointer, q: float, arity: float) -> None:
    """Sum the scores of each column's counts, nats, to ``sums`` in the buffer; NaN where ``extended_score`` must do it.

    ``q`` is the number of configurations of the split family's parents.
    """
    sample, sums = context.sample, context.split.sums
    keyed = is_keyed(context.cell) or is_keyed(context.configuration)
    too_large = sample.n_rows >= context.cell.width or sample.n_rows >= context.configuration.width
    if context.cell.form == OBSERVED or too_large:
        for column in range(sample.n_columns):
            sums[column] = np.nan
        return
    first, last, states = 0, 0, 0
    for place in range(sample.n_variables):
        candidate = sample.by_states[place]
        if wanted[candidate] == 0:
            continue
        start, arity_here = sample.first_mask[candidate], sample.arities[candidate]
        if start > last or (keyed and arity_here != states):
            _sum_between(context, n_split, first, last, *keys_of_counts(context, q * states, arity, 0))
            first, states = start, arity_here
        last = start + arity_here
    _sum_between(context, n_split, first, last, *keys_of_counts(context, q * states, arity, 0))


@compiled
def _observed_configurations(context: ScoreContext, n_split: int, candidate: int) -> int:
    """How many configurations of the parents and the candidate were observed."""
    kept, width = context.split, context.sample.n_columns
    first = context.sample.first_mask[candidate]
    observed = 0
    for column in range(first, first + context.sample.arities[candidate]):
        cell = 0
        while cell < n_split:
            configuration, seen = kept.configurations[cell], False
            while cell < n_split and kept.configurations[cell] == configuration:
                seen |= kept.counts[cell * width + column] > 0
                cell += 1
            observed += seen
    return observed


@compiled
def _score_by_itself(context: ScoreContext, n_split: int, candidate: int, q: float, arity: float) -> float:
    """The same, whatever the counts and the form, with values added to the table."""
    cell_function, configuration_function = context.cell, context.configuration
    n_observed = _observed_configurations(context, n_split, candidate) if cell_function.form == OBSERVED else 0
    cell_key, configuration_key = keys_of_counts(context, q, arity, n_observed)
    cell_start = row_start(cell_function, cell_key)
    configuration_start = row_start(configuration_function, configuration_key)
    counts, configurations, width = context.split.counts, context.split.configurations, context.sample.n_columns
    first = context.sample.first_mask[candidate]
    total = 0.0
    for column in range(first, first + context.sample.arities[candidate]):
        cell = 0
        while cell < n_split:
            configuration, in_configuration, in_cells = configurations[cell], 0, 0.0
            while cell < n_split and configurations[cell] == configuration:
                n = counts[cell * width + column]
                in_configuration += n
                in_cells += tabulated(context, cell_function, cell_start, cell_key, n)
                cell += 1
            total += in_cells
            total -= tabulated(
                context, configuration_function, configuration_start, configuration_key, in_configuration
            )
    return total


@compiled
def extended_score(context: ScoreContext, n_split: int, candidate: int, q: float, arity: float) -> float:
    """The counted score of the split family with ``candidate`` added, which has ``q`` configurations, nats."""
    context.scored[0] += 1
    first = context.sample.first_mask[candidate]
    total = 0.0
    for column in range(first, first + context.sample.arities[candidate]):
        total += context.split.sums[column]
    return total if total == total else _score_by_itself(context, n_split, candidate, q, arity)
