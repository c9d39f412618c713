"""Advance several chains on workers, round by round, with progress and stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from bnengine._core.arrays import UInt8Array
from bnengine._core.parallel import Progress, processors, submitter

State = TypeVar("State")
Result = TypeVar("Result")
#: One step of a piece of work: its new state and what the step gave.
Step = Callable[[Any], tuple[Any, Any]]
#: Called with the number of steps done; returning False stops the run.
StepReport = Callable[[int], bool | None]


class Inline(Executor):
    """Runs each task when it is submitted, in the calling thread: for work that is itself done by a worker."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run it; the future is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


_POLL = 0.05  # seconds between looks at the workers


def run_steps(
    step: Callable[[State], tuple[State, Result]],
    states: Sequence[State],
    n_steps: int,
    stop: UInt8Array,
    executor: Executor | None = None,
    report_steps: StepReport | None = None,
) -> tuple[list[State], list[list[Result]]]:
    """Take every state ``n_steps`` steps forward; the states of the end and what the steps of each gave, in order.

    Parameters
    ----------
    step : callable
        Picklable if an executor of processes or a cluster runs it. In threads it should look at ``stop``.
    states : sequence
    n_steps : int
    stop : ndarray of uint8, shape (1,)
        Set to 1 when ``report_steps`` returns False; then steps under way are waited for and no others are begun.
    executor : Executor, optional
        None for one thread per core.
    report_steps : callable, optional
        Called from this thread with the number of steps done.
    """
    if executor is not None:
        return _run(step, list(states), n_steps, stop, executor, report_steps)
    with ThreadPoolExecutor(max(1, min(processors(), len(states)))) as threads:
        return _run(step, list(states), n_steps, stop, threads, report_steps)


def run_with_progress(
    function: Callable[[], Result], stop: UInt8Array, executor: Executor | None, report_steps: StepReport | None
) -> Result:
    """Call a function in a thread and look after progress and stop meanwhile; directly if this is a worker itself."""
    if isinstance(executor, Inline):
        return function()
    _, results = run_steps(lambda state: (state, function()), [None], 1, stop, None, report_steps)
    return results[0][0]


def _run(
    step: Step, states: list[State], n_steps: int, stop: UInt8Array, executor: Executor, report_steps: StepReport | None
) -> tuple[list[State], list[list[Any]]]:
    results: list[list[Any]] = [[] for _ in states]
    submit = submitter(executor, step)
    # every state takes one step, even if work is to stop already: that step looks at the flag and gives a short, valid
    # result
    futures = {submit(state): number for number, state in enumerate(states if n_steps else [])}
    try:
        while futures:
            finished, _ = wait(futures, timeout=_POLL, return_when=FIRST_COMPLETED)
            for future in finished:
                number = futures.pop(future)
                states[number], result = future.result()
                results[number].append(result)
                if len(results[number]) < n_steps and not stop[0]:
                    futures[submit(states[number])] = number
            if report_steps is not None and not stop[0] and report_steps(sum(map(len, results))) is False:
                stop[0] = 1
                for future in [future for future in futures if future.cancel()]:
                    del futures[future]
    except BaseException:  # an error, or Ctrl-C: end the rest
        stop[0] = 1
        for future in futures:
            future.cancel()
        raise
    return states, results


PARTS = 1_000  # of the progress of one posterior


def scale_progress(tell: Progress | None, parts: int = PARTS) -> Progress | None:
    """Return the callback of one posterior's moves, which reports them as so many parts."""
    return None if tell is None else lambda done, total: tell(parts * done // max(total, 1), parts)
