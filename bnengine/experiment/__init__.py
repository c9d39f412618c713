"""Settings, the paper's experiments, generated code, warm-up."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["paper"])
