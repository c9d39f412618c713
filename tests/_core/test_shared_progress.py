"""One progress count over several runs in sequence."""

import pytest

from bnengine._core.parallel import shared_progress


def test_runs_count_up_to_the_sum_of_their_sizes():
    reported = []
    shares = shared_progress(lambda done, total: reported.append((done, total)), [2, 0, 3])
    for share, size in zip(shares, [2, 0, 3], strict=True):
        for done in range(size + 1):
            share(done, size)
    assert [done for done, _ in reported] == [0, 1, 2, 2, 2, 3, 4, 5]
    assert {total for _, total in reported} == {5}


@pytest.mark.parametrize("answer", [True, False, None])
def test_the_answer_of_the_caller_is_returned(answer):
    (share,) = shared_progress(lambda done, total: answer, [4])
    assert share(1, 4) is answer


def test_without_a_callback_or_runs_there_is_nothing_to_report():
    assert shared_progress(None, [1, 2]) == [None, None]
    assert shared_progress(print, []) == []
