"""The process's memory: what stays is not searched for garbage; memory is returned when a visitor's work ends."""

import gc
import threading

import pytest

from pages.shared.jobs import compilation
from pages.shared.session import session_lifetime
from pages.shared.session import session_lifetime as memory
from tests.patience import HANG


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()


def test_what_is_there_after_warming_up_is_not_searched_for_garbage():
    gc.unfreeze()
    compilation._started(lambda: None).join()
    assert gc.get_freeze_count() > 50_000


def test_memory_is_returned_when_something_of_a_visitor_ended(monkeypatch):
    returned = []
    monkeypatch.setattr(memory, "give_back", lambda: returned.append(True))
    lease = session_lifetime.Lease(5.0, lambda: None, lambda: False)
    session_lifetime.look(lease.seen + 4)
    assert not returned
    session_lifetime.look(lease.seen + 6)
    assert returned == [True]


def test_memory_is_returned_some_time_after_somebody_arrived(monkeypatch):
    returned = threading.Event()
    monkeypatch.setattr(memory, "give_back", returned.set)
    monkeypatch.setattr(session_lifetime, "AFTER_ARRIVAL", 0.0)
    monkeypatch.setattr(session_lifetime, "AT_MOST_EVERY", 0.0)
    monkeypatch.setattr(session_lifetime, "_INTERVAL", 0.01)
    monkeypatch.setattr(session_lifetime, "_watching", [])  # a watch of this test's own
    lease = session_lifetime.Lease(1000.0, lambda: None, lambda: True)
    assert returned.wait(HANG)
    lease.cancel()


def test_pools_are_shared():
    memory.share_pools()  # on any system


def test_memory_can_be_returned_more_than_once():
    memory.give_back()
    memory.give_back()
