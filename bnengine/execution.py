"""Running work: processors, shared progress, bounded caches and keys for them, the process that reads files."""

from bnengine._core.digests import digest
from bnengine._core.environment import BoundedCache
from bnengine._core.isolated import keep_ready
from bnengine._core.parallel import processors, shared_progress

__all__ = ["BoundedCache", "digest", "keep_ready", "processors", "shared_progress"]
