"""The icon of the browser tab, drawn here because a named icon would be fetched from another host."""

import numpy as np
from PIL import Image

_SIZE = 32
_NODES = ((9, 16), (23, 7), (23, 25))  # row, column of a parent and its two children


def page_icon() -> Image.Image:
    """A small blue network."""
    row, column = np.mgrid[0:_SIZE, 0:_SIZE]
    drawn = np.zeros((_SIZE, _SIZE), dtype=bool)
    for r, c in _NODES:
        drawn |= (row - r) ** 2 + (column - c) ** 2 <= 30
    (r0, c0), *children = _NODES
    for r, c in children:
        t = np.clip((row - r0) / (r - r0), 0, 1)
        drawn |= (np.abs(column - (c0 + t * (c - c0))) <= 1.2) & (row >= r0) & (row <= r)
    icon = np.zeros((_SIZE, _SIZE, 4), dtype=np.uint8)
    icon[drawn] = (0, 114, 178, 255)
    return Image.fromarray(icon)
