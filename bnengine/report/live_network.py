"""The network of the report as its script draws it: the views, any threshold, the replicates.

The script counts and chooses; every number that it shows stands in the report's table of edges.
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from bnengine._core.environment import pd
from bnengine.answers.edge_answers import HALF
from bnengine.answers.views import NetworkView, views_of
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.plots import verdict_drawing as drawing
from bnengine.plots.network_drawing import MOST_DRAWN, EdgeStyle, NetworkPicture, browser_text, part_of
from bnengine.plots.redraws import Redraws, redraws

#: The lowest threshold that can be chosen, unless a lower one was chosen for the report; pairs above it, at most.
_LOWEST, _MOST_PAIRS = 0.1, 250
_WIDTH = 1080  # pixels of the report


@cache
def script() -> tuple[str, str]:
    """Return the report's script and its digest, by which the report's policy lets it and no other run."""
    text = f"{browser_text('js')}\n{Path(__file__).with_name('report.js').read_text(encoding='utf-8')}"
    return text, f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@dataclass(frozen=True)
class LiveNetwork:
    """The views of a run, the one that the report opens with first in every choice.

    Attributes
    ----------
    study : Study
    data : Dataset
    view : NetworkView
        The one that the report opens with.
    """

    study: Study
    data: Dataset
    view: NetworkView

    @cached_property
    def lowest(self) -> float:
        """The lowest threshold that can be chosen, a whole number of percent."""
        joined = np.sort(self.view.found.answers.found_again[np.triu_indices(len(self.view.names), 1)])[::-1]
        least = max([_LOWEST, *np.ceil(100 * joined[_MOST_PAIRS : _MOST_PAIRS + 1]) / 100])
        return float(min(least, 1.0 if self.view.threshold is None else self.view.threshold))

    @cached_property
    def views(self) -> dict[str, NetworkView]:
        """By their keys; that of the threshold has all pairs which a threshold can show."""
        every = views_of(self.view.found, self.study.reference, self.lowest)
        return {key: replace(one, signed=self.view.signed) for key, one in every.items()}

    @cached_property
    def rows(self) -> pd.DataFrame:
        """Every edge that a view draws, once, as ``Verdict.rows``."""
        return self.view.found.rows(np.any([one.shown for one in (self.view, *self.views.values())], axis=0))

    @cached_property
    def _number(self) -> dict[tuple[str, str], int]:
        """The row of each edge."""
        return {ends: k for k, ends in enumerate(zip(self.rows["parent"], self.rows["child"], strict=True))}

    def _numbers(self, view: NetworkView) -> list[int]:
        """Return the rows of a view's edges."""
        return [self._number[view.names[i], view.names[j]] for i, j in np.argwhere(view.shown)]

    @property
    def at(self) -> float:
        """The threshold that is shown first."""
        return HALF if self.view.threshold is None else self.view.threshold

    @property
    def choices(self) -> list[str]:
        """The views to choose from; replicates can be played if both bootstraps have any."""
        return [*self.views, *([] if self._redraws is None else ["redraws"])]

    @cached_property
    def _redraws(self) -> Redraws | None:
        return redraws(self.study, self.data, False)

    @property
    def shown(self) -> set[int]:
        """The rows of the edges of the view that the report opens with."""
        return set(self._numbers(self.view))

    def _picture(self) -> NetworkPicture:
        """All edges of all views in one picture; its legend has every kind of edge, last the faint ones."""
        styles: dict[tuple[int, int], EdgeStyle] = {}
        for one in self.views.values():
            drawn = drawing.view_picture(one, False)
            styles |= {(i, j): drawn.edges[i, j] for i, j in np.argwhere(one.shown).tolist()}
        found = self.view.found
        legend = [(kind, replace(drawing.verdict_look(kind, False), arrow=False)) for kind in found.kinds]
        legend = drawing.signed_legend(self.views["verdict"], False) if self.view.signed else legend
        return NetworkPicture(
            found.names,
            styles,
            arrange=drawing.arranging(found),
            layered=drawn.layered,
            width_hint=_WIDTH,
            short=self.view.short,
            legend=[*legend, (drawing.NOT_HERE, drawing.absent_look(False))],
        )

    def _in_part(self, picture: NetworkPicture) -> NetworkPicture:
        """Return the part of a large network that is drawn."""
        if len(picture.names) <= MOST_DRAWN:
            return picture
        return part_of(picture, drawing.main_parts(self.views["verdict"])[drawing.HUBS])

    @property
    def note(self) -> str:
        """Which part is drawn of a large network."""
        n = len(self.view.names)
        return "" if n <= MOST_DRAWN else f"Drawn: the {MOST_DRAWN} of {n:,} variables with the most edges."

    def json(self) -> Markup:
        """Return what the script reads; no character of it can end the element that holds it."""
        picture = self._in_part(self._picture())
        looks: dict[str, Any] = {"width_hint": _WIDTH, "short": self.view.short, "redraws": self._redraws}
        learned = drawing.learned_picture(self.study.reference, False)
        learned = replace(learned, arrange=drawing.arranging(self.view.found), layered=picture.layered, **looks)
        spec = picture.spec()
        rows = [self._number[picture.names[i], picture.names[j]] for i, j in picture.edges]
        for edge, row in zip(spec["edges"], rows, strict=True):
            edge |= {"row": row, "kind": self.view.found.kinds.index(self.rows["verdict"][row])}
        spec |= {"views": {key: self._numbers(one) for key, one in self.views.items()}}
        spec["found_again"] = self.rows["found_again"].tolist()
        spec |= {"counted": not self.view.signed, "on_dark": drawing.on_dark()}
        spec["replicates"] = None if self._redraws is None else self._in_part(learned).spec()
        return Markup(json.dumps(spec, separators=(",", ":")).replace("<", r"\u003c"))
