"""A table is the same data set on a page, by a command and in Python; a file that takes long to read can be stopped."""

import io
import threading

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.cli import load, recipe_named
from bnengine.cli.terminal import Terminal
from bnengine.data.reading import StoppedError
from bnengine.experiment import intake
from pages.shared import jobs, upload
from pages.shared.format import sentence
from pages.shared.keys import Key
from tests import exports
from tests.patience import HANG

pytestmark = pytest.mark.slow


def workbook():
    out = io.BytesIO()
    rng = np.random.default_rng(3)
    days = pd.date_range("2021-01-01", periods=60, freq="17D")
    frame = pd.DataFrame({"seen": days, "dose": rng.normal(size=60), "cured": rng.choice(["yes", "no", None], 60)})
    frame.to_excel(out, index=False)
    return out.getvalue()


EXPORT = exports.hospital(21)
TABLES = {
    "book.xlsx": workbook(),
    EXPORT.name: EXPORT.content,
    "plain.csv": bn.load_sample("titanic").to_csv(index=False).encode(),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_same_data_set_everywhere(visitor, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(TABLES[name])
    prepared = bn.prepare(path)
    assert prepared.data.n_rows == len(prepared.frame)  # holes are kept, no row is lost
    settings = bn.Experiment(recipe_named(str(path), None, 0))
    _, of_a_command = load(settings, Terminal(), ["all"])
    visitor.upload(name, TABLES[name])
    assert visitor.data.digest == of_a_command.digest == prepared.data.digest
    assert "ready" in visitor.finding


TABLE = "a,b\n" + "0,0\n1,1\n" * 20


@pytest.fixture
def slow(monkeypatch):
    """Reading that takes until it is told to go on, or to stop."""
    go, told = threading.Event(), threading.Event()

    def read(content, wanted, tell):
        while not go.is_set():
            if tell(450, 1000) is False:
                raise StoppedError(f"reading {wanted.name} was stopped")
            told.set()
            go.wait(0.01)
        return intake.read_upload(content, wanted, tell)

    monkeypatch.setattr(upload, "read_upload", read)
    monkeypatch.setattr(jobs, "GRACE", 0.0)
    return go, told


def upload_only(visitor, name, content):
    visitor.other_data()
    visitor.at.file_uploader(key=Key.UPLOAD).set_value((name, content.encode(), "text/csv"))
    return visitor.run()


def test_reading_shows_its_progress_and_goes_on_while_the_page_is_drawn(visitor, slow):
    go, told = slow
    before = upload_only(visitor, "t.csv", TABLE).recipe
    assert told.wait(HANG)
    assert visitor.run().at.progress[0].value == 45
    assert visitor.recipe == before
    go.set()
    assert visitor.settle().recipe.name == "t.csv"


def test_reading_is_stopped_and_taken_up_again(visitor, slow):
    go, told = slow
    before = upload_only(visitor, "t*1*.csv", TABLE).recipe
    assert told.wait(HANG)
    visitor.at.button(key=Key.stop(upload.KIND)).click()
    visitor.run().settle()
    assert visitor.recipe == before
    assert visitor.at.warning[0].value.startswith(sentence("Reading t*1*.csv was stopped", as_is=True))
    go.set()
    visitor.at.button(key=Key.again(upload.KIND)).click()
    visitor.run().settle()
    assert visitor.recipe.name == "t*1*.csv"
    assert not visitor.at.warning


def test_a_file_that_cannot_be_read_is_tried_once(visitor, monkeypatch):
    tried = []

    def read(content, wanted, tell):
        tried.append(wanted)
        raise bn.DataError("no table, *because*")

    monkeypatch.setattr(upload, "read_upload", read)
    visitor.upload("t.csv", TABLE)
    for _ in range(2):
        assert visitor.run().at.error[0].value.startswith(sentence("no table, *because*", as_is=True))
    assert len(tried) == 1


def test_errors_of_work_are_shown_literally(visitor, monkeypatch):
    says = "variable '*x*' has <b>no</b> [rows](http://example.org)"

    def fail(*_, **more):
        raise ValueError(says)

    monkeypatch.setattr(bn.Experiment, "learn", fail)
    visitor.on("asia_1000").open("network").settle()
    assert [error.value for error in visitor.at.error] == [sentence(says)]
