"""How many cases the fuzz tests try: fifty in the suite, as many as ``BNENGINE_FUZZ_CASES`` says otherwise."""

import os
from datetime import timedelta

from hypothesis import HealthCheck, settings

_ASKED_FOR = os.environ.get("BNENGINE_FUZZ_CASES")
CASES = int(_ASKED_FOR or "50")

fuzzed = settings(
    max_examples=CASES,
    deadline=timedelta(seconds=10) if _ASKED_FOR else None,  # in the suite no test depends on how fast the machine is
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
#: For what costs a process a case.
fuzzed_in_processes = settings(fuzzed, max_examples=int(_ASKED_FOR or "12"))


def is_a_sentence(error):
    """What is refused is refused with a message of some length."""
    text = str(error)
    assert 0 < len(text) < 1000, text[:200]
