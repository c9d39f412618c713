"""The most recent ensembles, and other results such as graphs: bounded in bytes, dropped when the visitor is gone.

Each is kept under the digest of all that it depends on: whoever finds it would have got the same.
"""

from collections.abc import Mapping
from typing import Any

import bnengine as bn
from bnengine.execution import BoundedCache, digest, limit
from bnengine.typing import Ensemble
from pages.shared import visitors

_ENSEMBLES, _RESULTS, _STOPPED = "ensembles", "results", "stopped"
_MOST = {_ENSEMBLES: 48, _RESULTS: 32, _STOPPED: 1_000}
#: Bytes of each kind of result in a session.
_MOST_BYTES = 2**20 * limit("RESULT_MEGABYTES", 256)


def _kept(kind: str) -> BoundedCache[str, Any]:
    return visitors.store(kind, lambda: BoundedCache(_MOST_BYTES, _MOST[kind]))


def _found(kind: str, key: str) -> Any:
    """Return what is kept here, or in the visitor's other tabs and on the page before it was loaded again; or None."""
    return visitors.found(kind, _kept(kind), key)


def _drop(kind: str, key: str) -> None:
    own = _kept(kind)
    for each in (own, *visitors.others(kind, own)):
        each.drop(key)


def key_of(kind: str, *values: object) -> str:
    """Return the key of a result of a kind, given all that it depends on."""
    return f"{kind} {digest(*values)}"


def stored(key: str) -> Any:
    """Return the result under the key, or None."""
    return _found(_RESULTS, key)


def keep(key: str, result: Any) -> None:
    """Remember a result."""
    _kept(_RESULTS).keep(key, result)


def forget(key: str) -> None:
    """Forget a result, so that it is computed again."""
    _drop(_RESULTS, key)


def study_key(now: bn.Experiment, data: bn.Dataset) -> str:
    """Return the key of the study of the data."""
    return digest(data, now.key)


def _method_keys(now: bn.Experiment, data: bn.Dataset) -> dict[str, str]:
    return {method: digest(data, now.method_key(method)) for method in now.methods_run}


def ensembles(now: bn.Experiment, data: bn.Dataset) -> dict[str, Ensemble]:
    """Return the experiment's known ensembles, by method key, in its order; unfinished ones if it was stopped."""
    keys = _method_keys(now, data)
    found = {method: one for method, key in keys.items() if (one := _found(_ENSEMBLES, key)) is not None}
    if was_stopped(now, data):
        return found
    return {method: ensemble for method, ensemble in found.items() if ensemble.status != "stopped"}


def keep_ensembles(now: bn.Experiment, data: bn.Dataset, study: Mapping[str, Ensemble], stopped: bool) -> None:
    """Remember an experiment's ensembles, and whether the visitor stopped it: its partial result is then shown."""
    keys = _method_keys(now, data)
    _kept(_ENSEMBLES).keep_all({keys[method]: ensemble for method, ensemble in study.items()})
    if stopped:
        _kept(_STOPPED).keep(study_key(now, data), True)


def was_stopped(now: bn.Experiment, data: bn.Dataset) -> bool:
    """Return whether the visitor stopped this experiment, here, in another tab or before the page was loaded again."""
    return _found(_STOPPED, study_key(now, data)) is not None


def forget_unfinished(now: bn.Experiment, data: bn.Dataset) -> None:
    """Forget that an experiment was stopped, and its partial ensembles, so that it can run again."""
    _drop(_STOPPED, study_key(now, data))
    for key in _method_keys(now, data).values():
        found = _found(_ENSEMBLES, key)
        if found is not None and found.status == "stopped":
            _drop(_ENSEMBLES, key)


#: Finished results that all visitors may see, since nothing in them depends on anyone's data.
FOR_ALL: BoundedCache[str, Any] = BoundedCache(64 * 2**20, 4)
