"""Run the studies.

    python -m benchmarks                          # the studies, and which results other code made than today's
    python -m benchmarks NAME run                 # what is missing, then the result and its report
    python -m benchmarks NAME report              # text and figures from the shipped lines
    python -m benchmarks NAME confirm --cells 3   # some shipped cells again; if all are as before, note it
    python -m benchmarks night                    # every study in order; goes on where it was interrupted
    python -m benchmarks night --small            # all of it in a few minutes, writing nothing

``--minutes`` stops after so many and keeps what is done, ``--workers`` are processes of this machine, ``--scheduler
tcp://head:8786`` are those of a Dask cluster in their place. Times that are quoted are measured alone, in one process.
``BNENGINE_PEERS`` names the interpreter of an environment with other programs (``peers.py``). A night goes on after a
study that fails, and names it at the end.
"""

import argparse
import importlib
import math
import sys
import tempfile
import time
import traceback
from pathlib import Path

from benchmarks.running import WORK, RefusedError, Study, confirm, keep_peers, older, run, save

#: In the order of a night: what is quoted most first, then what numbers and replicates are like, times, the longest.
STUDIES = (
    *("cannot_say", "noise_check", "drawn_edges", "no_effects", "published", "controls", "real_tables", "truth_and_pi"),
    *("real_worlds", "real_prior", "real_of_numbers", "holes_in_numbers", "dependent_rows", "many_states", "missing"),
    *("replicates", "intervals", "rows_needed", "posterior", "sparse_edges", "cut_anew", "spreads"),
    *("speed", "growth", "start_up", "inference", "answer", "exact", "searches", "searches_replicates", "references"),
    *("which_confidence_searches", "which_confidence"),
)


def study_of(name: str) -> Study:
    """Return a study by its name."""
    found: Study = importlib.import_module(f"benchmarks.{name}").STUDY
    return found


def listed() -> str:
    """Return the studies with what they ask, and which results are older than the code or not there."""
    old, lines, width = set(older()), [], max(map(len, STUDIES))
    for name in STUDIES:
        asks = str(importlib.import_module(f"benchmarks.{name}").__doc__).splitlines()[0]
        study = study_of(name)
        made = "no lines" if not study.path.exists() else "older code" if old & {*study.files} else "as today"
        lines.append(f"{name:<{width}} {made:<11} {asks}")
    return "\n".join(lines)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", nargs="?", choices=(*STUDIES, "night"), metavar="NAME")
    parser.add_argument("what", nargs="?", choices=("run", "report", "confirm"), default="run")
    parser.add_argument("--small", action="store_true", help="a few cells, and write nothing")
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scheduler", help="address of a Dask cluster")
    parser.add_argument("--cells", type=int, default=3, help="how many of the shipped cells to confirm")
    asked = parser.parse_args()
    if asked.study is None:
        print(listed())
        return
    end, failed = time.monotonic() + 60 * asked.minutes, []
    for name in STUDIES if asked.study == "night" else (asked.study,):
        try:
            do(study_of(name), asked, end)
        except Exception as error:
            if isinstance(error, RefusedError):
                print(error, file=sys.stderr)
            elif asked.study != "night":
                raise
            else:
                traceback.print_exc()
            failed.append(name)
    if failed:
        sys.exit(f"not done: {', '.join(failed)}")


def do(study: Study, asked: argparse.Namespace, end: float) -> None:
    """Do with one study what is asked for."""
    left = (end - time.monotonic()) / 60
    if asked.what == "report":
        study.report(study.shipped()).write()
    elif asked.what == "confirm":
        confirm(study, asked.cells)
    elif asked.small:
        with tempfile.TemporaryDirectory() as folder:
            print(study.report(run(study, True, left, folder=Path(folder))))
    else:
        keep_peers(study)
        lines = run(study, False, left, asked.workers, asked.scheduler, WORK)
        if lines.attrs["cells"] == lines.attrs["of"]:
            save(study, lines)
            study.report(study.shipped()).write()
        else:
            print(f"{study.name}: {lines.attrs['cells']} of {lines.attrs['of']} cells; {study.path.name} stays")


if __name__ == "__main__":
    main()
