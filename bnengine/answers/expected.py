"""What was expected of the edges, against the verdict: confirmed, not found, reversed, open, not expected."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bnengine._core.environment import pd
from bnengine._core.validation import validated
from bnengine.answers.verdict import REQUIRED, TOO_LITTLE, UNSURE, Verdict
from bnengine.graphs.dag import skeleton

#: The groups, in the order in which they are listed, and what each means.
CONFIRMED, REVERSED, OPEN, NOT_FOUND, NOT_EXPECTED = GROUPS = (
    "expected and found",
    "expected the other way round",
    "open",
    "expected, not found",
    "not expected",
)
ABOUT = {
    CONFIRMED: "Found again and real; where the direction is open, the data fit yours as well as the other.",
    REVERSED: "The pair is joined, and its direction is settled against yours.",
    OPEN: "Probably real but rarely found again, or too close to one half: more rows would settle it.",
    NOT_FOUND: "Probably not in the network that the data came from, given all other variables.",
    NOT_EXPECTED: "Found again and real, without an edge of yours.",
}


@validated
def expectations(found: Verdict, expected: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """Sort the edges that were expected, and those that were not, by what the verdict says of them.

    Expectations that were stated before the result was seen make a reader judge it better (Hullman, Kay, Kim &
    Shrestha 2018).

    Parameters
    ----------
    found : Verdict
    expected : iterable of (parent, child)
        An edge of either direction is listed in both. Those of variables that the verdict does not have are left out.

    Returns
    -------
    DataFrame
        One row per pair: parent and child as expected (of others as in the verdict), group (see ``GROUPS``), verdict,
        found_again, with a posterior real, direction, and in_words. By group, then by decreasing found_again.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(2_000, rng=1)
    >>> study = bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), bn.resampling_methods(50, keys=["predictive"]))
    >>> found = bn.verdict(study, posterior=bn.edge_posterior(data))
    >>> expectations(found, [("Smoker", "Cancer"), ("Smoker", "Xray")])[["parent", "child", "group"]].values.tolist()
    [['Smoker', 'Cancer', 'expected and found'], ['Smoker', 'Xray', 'expected, not found'], \
['Cancer', 'Xray', 'not expected']]
    """
    place = {name: v for v, name in enumerate(found.names)}
    pairs = dict.fromkeys((place[a], place[b]) for a, b in expected if a in place and b in place and a != b)
    mine = np.zeros_like(found.learned)
    for i, j in pairs:
        mine[i, j] = True
    table = found.rows(found.in_one_direction(skeleton(mine)) | found.drawn)
    groups = [_group(found, mine, place[line.parent], place[line.child]) for line in table.itertuples()]
    words = [found.sentence(*ends) for ends in zip(table["parent"], table["child"], strict=True)]
    i, j = (table[end].map(place).to_numpy() for end in ("parent", "child"))
    as_expected = pd.Series(mine[i, j] | ~mine[j, i])
    parents, children = (
        table[one].where(as_expected, table[other]) for one, other in (("parent", "child"), ("child", "parent"))
    )
    table = table.assign(parent=parents, child=children, group=groups, in_words=words)
    table = table[table["group"] != ""]
    order = table["group"].map({group: k for k, group in enumerate(GROUPS)})
    table = table.assign(order=order).sort_values(["order", "found_again"], ascending=[True, False], kind="stable")
    kept = ["parent", "child", "group", "verdict", "found_again", "real", "direction", "in_words"]
    return table[[name for name in kept if name in table]].reset_index(drop=True)


def _group(found: Verdict, mine: np.ndarray, i: int, j: int) -> str:
    """Return the group of a pair; empty for one that was neither expected nor is certain."""
    kind = found.kinds[found.codes[i, j]]
    certain = kind == found.kinds[0]
    if not (mine[i, j] or mine[j, i]):
        return NOT_EXPECTED if certain else ""
    against = (found.settled[j, i] and not mine[j, i]) or (found.settled[i, j] and not mine[i, j])
    if certain or kind == REQUIRED:
        return REVERSED if against else CONFIRMED
    return OPEN if kind in (UNSURE, TOO_LITTLE) else NOT_FOUND
