"""Compiling ahead, part by part."""

from bnengine.experiment.warm_up import warm_up


def test_everything_is_compiled_in_parts_and_can_be_stopped():
    told = []

    def stop_at_the_third(done, n_parts):
        told.append((done, n_parts))
        return done < 2

    warm_up(progress=stop_at_the_third)
    assert [done for done, _ in told] == [0, 1, 2]
    told.clear()
    warm_up(progress=lambda done, n_parts: told.append((done, n_parts)))
    assert told[-1][0] == told[-1][1] > 10
