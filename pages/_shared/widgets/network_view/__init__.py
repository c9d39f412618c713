"""The view of a network in the browser: an SVG picture that can be moved, zoomed, searched and clicked.

Plotly draws text at a fixed size over boxes that shrink with the picture, takes the wheel from the page, and forgets a
selection when the figure changes; a network then cannot be read on a narrow screen. This component is drawn here, asks
nothing of any other server, and has no library behind it.
"""

from pages._shared.widgets.network_view.component import draw

__all__ = ["draw"]
