"""Structure learning for discrete Bayesian networks, and how far to trust each edge.

Data flows one way: ``read_table`` → ``discretize`` → ``Dataset`` → ``learn`` (one graph, by a score and a search) →
``resample`` (an ``Ensemble`` of graphs with the confidence of each edge) → ``study`` (several resampling methods:
Table 1 and Figure 1 of Steck & Jaakkola 2003).

Scores are in nats, higher is better; only ``mdl`` is in bits, lower is better.

``bn.plots`` draws results. More is in ``bn.posterior`` and ``bn.prediction``, in ``bn.settings`` (declarations, and the
files and scripts that repeat an experiment), ``bn.paper`` (the paper's experiments) and ``bn.teaching`` (what only a
lesson needs).
"""

import lazy_loader

__getattr__, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
#: What ``from bnengine import *`` brings; the version is asked for by name.
__all__ = [name for name in _names if name != "__version__"]
