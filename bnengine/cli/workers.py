"""The workers of a command: threads of this machine, or a Dask cluster named by its scheduler."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from click import UsageError

from bnengine._core.cluster import ClusterError, OnWorkers, is_cluster
from bnengine._core.extras import need
from bnengine._core.parallel import processors
from bnengine._core.setting_kinds import shown
from bnengine.cli.output import versions

_PATIENCE = 20  # seconds until a scheduler that does not answer is taken not to be there


def workers(given: Mapping[str, Any]) -> contextlib.AbstractContextManager[Executor | None]:
    """An executor with as many threads as asked for, or of the cluster; None leaves their number to the engine."""
    if given["scheduler"] is None:
        return ThreadPoolExecutor(given["workers"]) if given["workers"] else contextlib.nullcontext()
    if given["workers"]:
        raise UsageError("--workers are threads of this machine and --scheduler names a cluster; give one of them")
    return _cluster(given["scheduler"])


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    need("distributed", "cluster")
    import distributed
    from distributed.comm import get_address_host_port

    try:
        get_address_host_port(address)  # a client that has begun to look for an address that is none does not end
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"--scheduler must be the address of a scheduler, such as tcp://localhost:8786; got {shown(address)} "
            f"({error})"
        ) from None
    try:
        made: Any = distributed.Client  # its types are there only where Dask is installed
        client = made(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, TimeoutError) as error:
        raise ClusterError(
            f"no scheduler answers at {address}; start one with 'dask scheduler', which says its address "
            f"({str(error) or type(error).__name__})"
        ) from error
    with client:
        _check_versions(client)
        yield client.get_executor(pure=False)


def _check_versions(client: Any) -> None:
    """Raise a ClusterError if a worker has no bnengine, or another one."""
    own = versions()
    try:
        found = client.run(versions)
    except ModuleNotFoundError as error:
        raise ClusterError(f"a worker has no {error.name}; install the same bnengine on all machines") from error
    for worker, there in found.items():
        for package in ("bnengine", "numpy"):
            if there[package] != own[package]:
                raise ClusterError(
                    f"worker {worker} has {package} {there[package]}, this machine {own[package]}; install the same on "
                    "all machines, or results may differ"
                )


def n_threads(executor: Executor | None) -> int:
    """How many replicates are learned at the same time."""
    if is_cluster(executor):
        return max(1, OnWorkers(executor, len).threads())
    return min(getattr(executor, "_max_workers", processors()), processors())
