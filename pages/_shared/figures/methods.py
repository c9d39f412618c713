"""Names of the resampling methods and of the kinds of edges, as the engine writes them."""

from bnengine.bootstrap.method_names import JOINS, KIND, KINDS, LABELS, TITLES

__all__ = ["JOINS", "KIND", "KINDS", "LABELS", "TITLES"]
