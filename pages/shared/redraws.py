"""Bootstrap replicates drawn one after the other, over the graph learned from the data."""

from collections.abc import Sequence
from dataclasses import replace

from bnengine.data.dataset import Dataset
from bnengine.plots.network_drawing import Edge
from bnengine.plots.redraws import redraws
from bnengine.plots.verdict_drawing import learned_picture
from bnengine.typing import Study
from pages.shared import in_use, show, state
from pages.shared.format import escaped
from pages.shared.widgets.constraints_control import chosen_part, part_shown

REDRAWS = "redraws"
#: What one sees; in braces, what is drawn together.
NOTE = (
    "A replicate has as many rows as the table, drawn from it with replacement{}. It is not a new sample: it repeats "
    "the chance patterns of this one. Coloured edges are those that the replicate adds, faint ones those that it loses."
)


def draw(
    study: Study, data: Dataset, known: in_use.Reference | None, arrange: Sequence[Edge] = (), width: int = 620
) -> None:
    """Draw the graph learned from the data, with the replicates of the naive and the corrected bootstrap to play."""
    again = redraws(study, data, state.dark(), known)
    if again is None:
        return
    whole = replace(
        learned_picture(study.reference, state.dark()), arrange=arrange or None, width_hint=width, redraws=again
    )
    picture = chosen_part(whole, REDRAWS)
    show.chart(picture, REDRAWS, "The learned graph, with the edges that a replicate adds or loses")
    units = data.dependent if data.n_units < data.n_rows else None
    together = "" if units is None else f", whole {units.kind}s together"
    unlike = "" if known is None else f" Dashed: not in {escaped(known.name)}."
    show.note(f"{part_shown(picture, whole)} {NOTE.format(together)}{unlike}".strip(), REDRAWS)
