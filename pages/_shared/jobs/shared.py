"""Results that all visitors may see, since nothing in them depends on anyone's data."""

from typing import Any

from bnengine._core.bounded_cache import BoundedCache

_MOST_BYTES, _MOST_RESULTS = 64 * 2**20, 4
_kept: BoundedCache[str, Any] = BoundedCache(_MOST_BYTES, _MOST_RESULTS)


def known(key: str) -> Any:
    """The result that an earlier visitor's work gave, or None."""
    return _kept.get(key)


def keep(key: str, result: Any) -> None:
    """Keep a finished result for all visitors."""
    _kept.keep(key, result)


def forget() -> None:
    """Forget all of them."""
    _kept.clear()
