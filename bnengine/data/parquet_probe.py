"""Look through one Parquet file on standard input: a script that runs in a process of its own.

In some damaged files a column's summary makes pyarrow end its process instead of raising an error (one in some hundred
files with a few bytes changed; pyarrow 26). What happens here does not happen to a server.
"""

import contextlib
import io
import sys

#: Address space, and processor time.
_MEMORY, _SECONDS = 4 * 2**30, 20
_ROWS = 10_000


def main() -> None:
    """Ask for everything that the reader asks for, and keep nothing."""
    import pyarrow.parquet as pq

    raw = sys.stdin.buffer.read()
    with contextlib.suppress(ImportError):
        import resource

        for what, most in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CPU, _SECONDS), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(what, (most, most))
    with contextlib.suppress(Exception):  # the reader meets it, too, and has the words for it
        metadata = pq.read_metadata(io.BytesIO(raw))
        for g in range(metadata.num_row_groups):
            for c in range(metadata.row_group(g).num_columns):
                assert metadata.row_group(g).column(c).encodings is not None
        for _ in pq.ParquetFile(io.BytesIO(raw)).iter_batches(_ROWS):
            pass


if __name__ == "__main__":
    main()
