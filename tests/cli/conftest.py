"""Few copies for the check against noise, which comes with every verdict of a command in this process."""

import pytest


@pytest.fixture(autouse=True)
def _few_copies(monkeypatch):
    monkeypatch.setattr("bnengine.answers.noise.COPIES", 2)
    monkeypatch.setattr("bnengine.answers.noise.FEWER", 1)
