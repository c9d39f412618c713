"""Types for annotations: arrays by what they hold, results, and the callback that reports progress."""

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine._core.parallel import Progress
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.study import Study
from bnengine.search import LearnedGraph

__all__ = ["BoolArray", "Ensemble", "FloatArray", "IntArray", "LearnedGraph", "Progress", "Study", "UInt8Array"]
