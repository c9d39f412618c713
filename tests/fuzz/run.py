"""Many cases, each within limits: ``python -m tests.fuzz.run --cases 100000``.

The suite's fuzz tests run in worker processes. A case may take 10 s of processor time and 1 GB more than the program
takes at rest; what is not a ``DataError`` or ``ValueError`` is reported, with the case. So is a case that ends its
process; the other cases go on in a new one.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS, BYTES = 10.0, 2**30
MODULES = ("test_tables", "test_networks", "test_settings", "test_arguments", "test_frames")
REPORT = Path(__file__).parents[2] / "benchmarks" / "RELIABILITY.md"
_BATCH = 500
_SHOWN = 1500  # characters of a case that is reported


def targets() -> dict[str, Any]:
    """The fuzz tests by name; those that start a process for each case are left to the suite."""
    found = {}
    for name in MODULES:
        module = importlib.import_module(f"tests.fuzz.{name}")
        for attribute, test in vars(module).items():
            if attribute.startswith("test_") and hasattr(test, "hypothesis"):
                found[f"{name}.{attribute}"] = test
    return found


def work(target: str, seed: int, pipe: Any) -> None:
    """Try cases of one target; send each failure as it happens, and how many cases were tried."""
    import hypothesis

    test = targets()[target]
    limit_memory()
    counted = Counter[str]()

    def limited(inner: Callable[..., None]) -> Callable[..., None]:
        def one(*values: object, **named: object) -> None:
            counted["cases"] += 1
            pipe.send(("began", repr((values, named))[:_SHOWN]))
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            start = time.process_time()
            try:
                inner(*values, **named)
            except Exception as error:
                if type(error).__module__.startswith("hypothesis"):
                    raise
                pipe.send(("failed", place_of(error), f"{type(error).__name__}: {error}"[:300]))
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                counted["longest"] = max(counted["longest"], round(1000 * (time.process_time() - start)))

        return one

    test.hypothesis.inner_test = limited(test.hypothesis.inner_test)
    hypothesis.settings.register_profile("many", database=None, deadline=None)
    hypothesis.settings.load_profile("many")
    hypothesis.seed(seed)(test)()
    pipe.send(("ended", counted["cases"], counted["longest"] / 1000))


def limit_memory() -> None:
    """Allow a gigabyte of address space beyond what the program has at rest."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, used + BYTES))


def place_of(error: BaseException) -> str:
    """The type of an error and the last line of the project that it passed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "site-packages" not in frame.filename]
    last = frames[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno} ({last.name})"


def run_batch(target: str, seed: int) -> tuple[int, float, list[tuple[str, str, str]]]:
    """The cases tried, the longest of them in seconds, and the failures: place, message, case."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work, args=(target, seed, there))
    process.start()
    there.close()
    tried, longest, case, failures = 0, 0.0, "", []
    while True:
        try:
            if not here.poll(60 + 6 * SECONDS):
                failures.append((f"{target} hangs", "no sign of life for two minutes", case))
                process.kill()
                break
            kind, *rest = here.recv()
        except EOFError:
            break
        if kind == "began":
            tried, case = tried + 1, rest[0]
        elif kind == "failed":
            failures.append((rest[0], rest[1], case))
        else:
            tried, longest = rest
    process.join()
    if process.exitcode:
        name = signal.Signals(-process.exitcode).name if process.exitcode < 0 else f"exit code {process.exitcode}"
        failures.append((f"{target} ended its process by {name}", "SIGPROF: more than 10 s", case))
    return tried, longest, failures


def write_between(report: Path, mark: str, lines: list[str]) -> None:
    """Replace what stands between a mark's two comments."""
    text, end = report.read_text(encoding="utf-8"), f"<!-- end of {mark} -->"
    before, begin, rest = text.partition(f"<!-- {mark} -->")
    report.write_text("\n".join([before + begin, *lines, end]) + rest.partition(end)[2], encoding="utf-8")


def main() -> int:
    """Run all targets in turn, batch by batch, and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000, help="cases in all")
    parser.add_argument("--only", default="", help="targets with this in their name")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--report", action="store_true", help="write the figures to benchmarks/RELIABILITY.md")
    parser.add_argument("--out", type=Path, help="figures as JSON")
    chosen = parser.parse_args()
    os.environ["BNENGINE_FUZZ_CASES"] = str(min(_BATCH, chosen.cases))  # read when the tests are imported
    names = [name for name in targets() if chosen.only in name]
    tried, longest, seen = Counter[str](), Counter[str](), {}
    batches = [(name, chosen.seed + k) for k in range(-(-chosen.cases // (len(names) * _BATCH))) for name in names]
    for name, seed in batches:
        done, seconds, failures = run_batch(name, seed)
        tried[name] += done
        longest[name] = max(longest[name], round(seconds, 2))  # type: ignore[assignment]
        for place, message, case in failures:
            if place not in seen:
                print(f"\n{name}, seed {seed}: {place}\n  {message}\n  {case}", flush=True)
            seen[place] = seen.get(place, 0) + 1
        print(f"{sum(tried.values()):>9,} cases, {len(seen)} kinds of failures", end="\r", flush=True)
    print()
    for name in names:
        print(f"{tried[name]:>9,} {name}, longest {longest[name]:.2f} s")
    for place, times in sorted(seen.items(), key=lambda one: -one[1]):
        print(f"{times:>9,} × {place}")
    if chosen.report:
        figures = [f"{sum(tried.values()):,} cases, seed {chosen.seed}: {len(seen)} kinds of failures.", ""]
        figures += ["| What | Cases | Longest, s |", "| --- | --- | --- |"]
        figures += [f"| {name} | {tried[name]:,} | {longest[name]:.2f} |" for name in names]
        write_between(REPORT, "fuzz", [*figures, "", *(f"- {times} × {place}" for place, times in seen.items())])
    if chosen.out:
        figures = {"cases": dict(tried), "longest": dict(longest), "failures": seen, "seed": chosen.seed}
        chosen.out.write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
