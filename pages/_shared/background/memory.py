"""The process's memory: permanent objects are left out of garbage collection, freed memory goes back to the system."""

import contextlib
import ctypes
import gc

import pyarrow as pa

_MOST_POOLS = -8  # glibc's M_ARENA_MAX


def share_pools() -> None:
    """Let threads share the C library's pools of memory: what is free in one pool is lost to the others."""
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_MOST_POOLS, 2)


def settle() -> None:
    """Take everything that is in memory now as there for good.

    After every draw Streamlit has all objects searched for garbage. Those of the libraries alone, a quarter of a
    million, take 0.4 s of it, in which no other visitor's page is drawn.
    """
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Return freed memory to the system, where the C library can: it keeps most of what large tables took."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
