"""The plan of a run in words: ``--plan``."""

from __future__ import annotations

from bnengine._core.sizes import gigabytes
from bnengine.cli.output import write_out
from bnengine.experiment.plan import Plan


def write_plan(plan: Plan) -> None:
    """Write it to standard output; nothing is run, so nothing goes to ``--out``."""
    write_out("".join(f"{name:<16}{text}\n" for name, text in plan_lines(plan)))


def plan_lines(plan: Plan) -> list[tuple[str, str]]:
    """What the run would take: graphs, processor time, time, memory, and what comes besides."""
    more = "more than " if plan.cut_short else "about "
    threads = "1 thread" if plan.n_workers == 1 else f"{plan.n_workers} threads"
    free = "" if plan.free is None else f", of which it holds a part; {gigabytes(plan.free)} are free besides"
    each = f"{_seconds(plan.seconds_per_graph)} per {plan.unit}"
    lines = [
        (f"{plan.unit}s", f"{plan.n_graphs:,}"),
        (
            "processor time",
            f"{more}{_seconds(plan.processor_seconds)}, {each}",
        ),
        ("time", f"{more}{_seconds(plan.seconds)} on {threads}"),
        ("memory", f"about {gigabytes(plan.n_bytes)}{free}"),
    ]
    if plan.posterior_seconds is not None:
        lines.append(("posterior", f"roughly {_seconds(plan.posterior_seconds)} of processor time besides"))
    return [*lines, *([("note", plan.remark)] if plan.remark else [])]


def _seconds(seconds: float) -> str:
    """A time that somebody may wait, with two significant digits."""
    for size, unit in ((3600.0, "h"), (60.0, "min"), (1.0, "s")):
        if seconds >= 2 * size or (unit == "s" and seconds >= 1):
            return f"{seconds / size:,.0f} {unit}" if seconds >= 10 * size else f"{seconds / size:.1f} {unit}"
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.2g} ms"
