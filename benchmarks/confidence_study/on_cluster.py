"""The study's tasks on the workers of a Dask cluster, who are sent this package first."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import distributed

_PACKAGE = Path(__file__).parent


@contextmanager
def cluster_at(address: str) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Yield an executor of the cluster's workers, and how many tasks they can do at a time, which may change.

    Dask gives the tasks of a worker that is lost to the others.

    Raises
    ------
    ClusterError
        If a worker has another version of the engine.
    OSError
        If no scheduler answers there.
    """
    with distributed.Client(address, set_as_default=False) as client:
        executor = client.get_executor(pure=False)
        _send_package(executor)
        yield executor, lambda: max(1, sum(client.nthreads().values()))


def _send_package(executor: Any) -> None:
    """Let every worker, those that join later too, import the study's modules, which are not part of the engine."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{_PACKAGE.name}.zip"
        with zipfile.ZipFile(file, "w") as parts:
            for module in sorted(_PACKAGE.glob("*.py")):
                parts.write(module, f"{_PACKAGE.name}/{module.name}")
        executor._client.upload_file(str(file))
