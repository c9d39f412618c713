"""Running work: processors, progress shared between pieces, caches bounded in bytes, the process that reads files."""

from bnengine._core.environment import BoundedCache
from bnengine._core.isolated import keep_ready
from bnengine._core.parallel import processors, shared_progress

__all__ = ["BoundedCache", "keep_ready", "processors", "shared_progress"]
