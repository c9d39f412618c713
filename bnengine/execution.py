"""Running work: processors, shared progress, bounded caches and keys for them, the process that reads files."""

from bnengine._core import isolated
from bnengine._core.bounded_cache import BoundedCache
from bnengine._core.digests import digest
from bnengine._core.isolated import keep_ready
from bnengine._core.limits import limit
from bnengine._core.parallel import processors, split_progress

__all__ = ["BoundedCache", "digest", "keep_ready", "limit", "processors", "read_files", "split_progress"]

#: All that may be asked of the isolated process, see ``bnengine._core.isolated``.
_TASKS = {
    "table": "bnengine.data.reading:read_here",
    "network": "bnengine.networks.network_files:read_here",
    "sheets": "bnengine.experiment.intake:sheets",
    "intake": "bnengine.experiment.intake:read_upload_in_isolation",
}


def read_files() -> None:
    """Be the isolated process that reads files, until the process that started it ends."""
    isolated.serve(_TASKS)
