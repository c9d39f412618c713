"""What a command hands over: a table as CSV, everything as JSON, a network as BIF; on standard output or in a file."""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnengine.cli.usage import UsageError
from bnengine.data.dataset import Dataset
from bnengine.networks.bif import write_bif
from bnengine.networks.network import BayesianNetwork, fit

if TYPE_CHECKING:
    import pandas as pd

#: The packages whose versions a result may depend on.
PACKAGES = ("bnengine", "numpy", "numba", "pandas", "scipy")


def add_output(parser: argparse.ArgumentParser, *formats: str) -> None:
    """Where the result goes."""
    group = parser.add_argument_group("output")
    group.add_argument("--out", metavar="FILE", default="-", help=f"a file ending in {' or '.join(_suffixes(formats))}")
    group.add_argument("--format", choices=formats, help="default: as the file's ending says; csv on standard output")
    group.add_argument("--progress", action="store_true", help="report on standard error even if it is no terminal")
    parser.set_defaults(formats=formats)


def _suffixes(formats: tuple[str, ...]) -> list[str]:
    return [f".{name}" for name in formats]


def format_of(args: argparse.Namespace) -> str:
    """The format asked for; a UsageError before any work if the file's ending or folder will not do."""
    for path in (None if args.out == "-" else Path(args.out), vars(args).get("save_experiment")):
        if path is not None and not path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} to write {path.name} in")
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder; name a file in it")
        if path is not None and not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise UsageError(f"{path} may not be written; name a file in a folder of yours")
    if args.format is not None:
        return str(args.format)
    if args.out == "-":
        return "csv"
    suffix = Path(args.out).suffix.lower().removeprefix(".")
    if suffix not in args.formats:
        raise UsageError(f"--out must end in {' or '.join(_suffixes(args.formats))}, or --format say what to write")
    return suffix


def write(args: argparse.Namespace, text: str) -> None:
    """Put the result where it was asked for, as UTF-8 with plain line ends on every system."""
    if args.out != "-":
        Path(args.out).write_bytes(text.encode())
        return
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:  # a program has put something else in its place
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    left = memoryview(text.encode())
    while left:  # where Python does not buffer, the system may take a part only
        left = left[stream.write(left) :]
    stream.flush()


def bif_text(network: BayesianNetwork) -> str:
    """A network as BIF."""
    buffer = io.BytesIO()
    write_bif(network, buffer)
    return buffer.getvalue().decode()


def refuse_names(form: str, data: Dataset) -> None:
    """Before the work: a ValueError if the result is to be BIF and BIF cannot hold the data's names."""
    if form == "bif":
        bif_text(fit(data, []))


def document(command: str, **parts: Any) -> str:
    """A result as JSON, after the versions of what made it; NaN, which JSON does not know, is null."""
    return (
        json.dumps(_plain({"command": command, "versions": versions(), **parts}), indent=2, ensure_ascii=False) + "\n"
    )


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that a result may depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a folder, never installed
            from bnengine import __version__

            found[package] = __version__
    return found


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines of a table."""
    lines: list[dict[str, Any]] = frame.to_dict(orient="records")
    return lines


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
