"""Two worker processes on the loopback device, for as long as the tests of a cluster run."""

import contextlib

import pytest

from tests.commands import needs


@pytest.fixture(scope="session")
def new_cluster():
    """Starts a cluster of two processes; ``with new_cluster() as (cluster, client)``."""
    needs("distributed")
    import dask
    import distributed

    @contextlib.contextmanager
    def start(n_workers=2):
        quiet = {"distributed.worker.memory.terminate": False, "distributed.comm.retry.count": 2}
        with (
            dask.config.set(quiet),
            distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # any free port: another cluster may run on this machine
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield cluster, client

    return start


@pytest.fixture(scope="module")  # closed straight after its tests, where nothing else in this process can reach it
def cluster(new_cluster):
    with new_cluster() as (cluster, _):
        yield cluster


@pytest.fixture(scope="module")
def client(cluster):
    import distributed

    with distributed.Client(cluster, set_as_default=False) as client:
        yield client
