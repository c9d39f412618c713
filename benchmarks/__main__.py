"""Run the studies.

    python -m benchmarks                          # the studies, and which results other code made than today's
    python -m benchmarks NAME run                 # what is missing, then the result and its report
    python -m benchmarks NAME report              # text and figures from the shipped lines
    python -m benchmarks NAME confirm --cells 3   # some shipped cells again; if all are as before, note it
    python -m benchmarks night                    # every study in order; goes on where it was interrupted
    python -m benchmarks night --small            # all of it in a few minutes, writing nothing

``--minutes`` stops after so many and keeps what is done, ``--workers`` are processes of this machine, ``--scheduler
tcp://head:8786`` are those of a Dask cluster in their place. Times are always measured alone, in one process.
"""

import argparse
import importlib
import math
import time

from benchmarks.running import Study, confirm, older, run, save

#: In the order of a night: what is quoted most first.
STUDIES = (
    "cannot_say",
    "noise_check",
    "drawn_edges",
    "no_effects",
    "truth_and_pi",
    "real_worlds",
    "real_prior",
    "real_of_numbers",
    "holes_in_numbers",
    "dependent_rows",
    "many_states",
    "missing",
    "replicates",
    "intervals",
    "rows_needed",
    "rows_needed_ends",
    "posterior",
    "sparse_edges",
    "cut_anew",
    "speed",
    "answer",
    "exact",
    "searches",
    "searches_replicates",
)


def study_of(name: str) -> Study:
    """Return a study by its name."""
    found: Study = importlib.import_module(f"benchmarks.{name}").STUDY
    return found


def listed() -> str:
    """Return the studies with what they ask, and which results are older than the code."""
    old, lines = set(older()), []
    for name in STUDIES:
        asks = str(importlib.import_module(f"benchmarks.{name}").__doc__).splitlines()[0]
        lines.append(f"{name:<18} {'older code ' if study_of(name).file in old else 'as today   '} {asks}")
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
    end = time.monotonic() + 60 * asked.minutes
    for study in map(study_of, STUDIES if asked.study == "night" else (asked.study,)):
        if asked.what == "run":
            left = (end - time.monotonic()) / 60
            lines = run(study, asked.small, left, 1 if asked.small else asked.workers, asked.scheduler)
            if asked.small:
                print(study.report(lines))
            elif lines.attrs["cells"] == lines.attrs["of"]:
                save(study, lines)
                study.report(study.shipped()).write()
            else:
                print(f"{study.name}: {lines.attrs['cells']} of {lines.attrs['of']} cells; {study.file} stays")
        elif asked.what == "report":
            study.report(study.shipped()).write()
        else:
            confirm(study, asked.cells)


if __name__ == "__main__":
    main()
