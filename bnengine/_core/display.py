"""The door through which results show themselves: as HTML in a notebook, and by the figures of the pages.

What draws a result knows every kind of result, so that it stands above them all: in ``experiment/notebook.py`` and in
``pages/_shared/figures``. It is imported here, by its name, when something is shown for the first time; nothing else in
the engine may import by name.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from bnengine._core.validation import Ge, Le, validated
from bnengine._core.versions import need

#: The width of a picture for print, mm.
Millimetres = Annotated[float, Ge(30), Le(1_000)]

_PACKAGE = Path(__file__).parents[1]


class Displayed:
    """Base of results that a notebook shows as HTML."""

    def _repr_html_(self) -> str:
        return str(import_module("bnengine.experiment.notebook").html_of(self))


class Pictured(Displayed):
    """Base of results that can be drawn: ``_picture`` names the function of the pages' figures that does it."""

    _picture: str

    def _drawn(self, dark: bool, **choices: Any) -> Any:
        return getattr(figures(), self._picture)(self, dark=dark, **choices)


class Printable(Pictured):
    """Base of results that can be drawn for print, too."""

    @validated
    def save_picture(
        self, target: str | Path | BinaryIO, *, width: Millimetres = 85.0, suffix: str | None = None, **choices: Any
    ) -> None:
        """Write the picture for print: no text in it is smaller than 7 points.

        Parameters
        ----------
        target : path or binary file
        width : float
            Of the picture, mm: 85 for a column, 175 for a page of most journals.
        suffix : {"svg", "pdf", "png"}, optional
            None takes the suffix of the path.
        **choices
            As for ``plot``.

        Raises
        ------
        ValueError
            If the format is another, or a network's labels would be smaller.
        """
        figures().save(self, target, float(width), suffix, **choices)


def figures() -> Any:
    """Import the pages' figures of single results: inside an installed package, next to it in a checkout."""
    need("plotly", "app")
    if (_PACKAGE / "app" / "pages").is_dir():
        return import_module("bnengine.app.pages._shared.figures.notebook")
    return import_module("pages._shared.figures.notebook")
