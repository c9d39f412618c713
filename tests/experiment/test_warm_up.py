"""Compiling ahead: what is needed is compiled, and what is compiled is known."""

import pytest

import bnengine as bn
from bnengine._jit import compiled
from bnengine.experiment.warm_up import not_compiled, warm_up


@pytest.fixture
def new_machine(tmp_path, monkeypatch):
    """Nothing is marked as compiled."""
    monkeypatch.setattr(compiled, "FOLDERS", [tmp_path])
    monkeypatch.setattr(compiled, "_in_this_process", set())
    return tmp_path


def test_what_a_search_needs_is_known_before_and_after(new_machine, monkeypatch):
    assert not_compiled(bn.BIC(), bn.K2()) == ["counting", "K2"]
    warm_up(search=bn.K2())
    assert not_compiled(bn.BIC(), bn.K2()) == []
    assert not_compiled(bn.BIC(), bn.ChowLiu()) == ["ChowLiu"]
    assert not_compiled(bn.BDe("cancer"), bn.K2()) == ["prior network"]
    monkeypatch.setattr(compiled, "_in_this_process", set())  # another process
    assert not_compiled(bn.BIC(), bn.K2()) == []


@pytest.mark.parametrize("score", [bn.BIC(), bn.BDe("cancer"), bn.WithPrior(bn.QNML(), uniform_parent_sizes=True)])
def test_scores_of_other_variables_are_warmed_up_too(score):
    warm_up(score, bn.ChowLiu())
    assert not_compiled(score, bn.ChowLiu()) == []


def test_everything_is_prepared_in_parts_and_can_be_stopped(new_machine):
    told = []

    def stop_at_the_third(done, n_parts):
        told.append((done, n_parts))
        return done < 2

    warm_up(progress=stop_at_the_third)
    assert [done for done, _ in told] == [0, 1, 2]
    assert len({n_parts for _, n_parts in told}) == 1
    told.clear()
    warm_up(progress=lambda done, n_parts: told.append((done, n_parts)))
    assert told[-1][0] == told[-1][1] > 10
    for search in (bn.Tabu(restarts=2), bn.Exact(), bn.SimulatedAnnealing()):
        assert not_compiled(bn.BIC(), search) == []
