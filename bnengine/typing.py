"""Types for annotations: arrays by what they hold, and the callback that reports progress."""

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine._core.parallel import Progress

__all__ = ["BoolArray", "FloatArray", "IntArray", "Progress", "UInt8Array"]
