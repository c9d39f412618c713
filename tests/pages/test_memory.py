"""The process's memory: what stays is not searched for garbage; memory is returned when a visitor's work ends."""

import gc

import pytest

from pages._shared import memory
from pages._shared.jobs import presence, warming


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()


def test_what_is_there_after_warming_up_is_not_searched_for_garbage():
    gc.unfreeze()
    warming._started(lambda: None).join()
    assert gc.get_freeze_count() > 50_000


def test_memory_is_returned_when_something_of_a_visitor_ended(monkeypatch):
    returned = []
    monkeypatch.setattr(memory, "give_back", lambda: returned.append(True))
    lease = presence.Lease(5.0, lambda: None, lambda: False)
    presence.look(lease.seen + 4)
    assert not returned
    presence.look(lease.seen + 6)
    assert returned == [True]


def test_memory_can_be_returned_more_than_once():
    memory.give_back()
    memory.give_back()
