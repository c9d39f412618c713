"""The identity of data is the file's fingerprint and how it was read, on every way back to them."""

import dataclasses
import hashlib
import io
from types import SimpleNamespace

import openpyxl
import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession

import bnengine as bn
from bnengine.experiment.archives import SETTINGS
from pages.shared import streamlit_inside
from pages.shared.keys import Key
from tests.experiment.test_saved import members, packed
from tests.pages.reading import unescaped
from tests.pages.test_sharing import address

pytestmark = pytest.mark.slow

#: Rows in which the second column follows the first, and rows in which it does not.
FOLLOWS, FREE = ([(k % 2, k % 2) for k in range(40)], [(k % 2, k // 2 % 2) for k in range(40)])


def workbook():
    """Two sheets with the same columns: an edge in the first, none in the second."""
    book = openpyxl.Workbook()
    for sheet, rows in ((book.active, FOLLOWS), (book.create_sheet("Second"), FREE)):
        for row in [("a", "b"), *rows]:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def lines(rows, separator=","):
    return "\n".join(separator.join(map(str, row)) for row in rows).encode()


HEADED = lines([("x", "y"), *(("xy"[a], "xy"[b]) for a, b in FOLLOWS)])
MARKED = lines([("a", "b"), *((f"1,{a}00", f"2,{b}00") for a, b in FOLLOWS)], ";")
#: By option: the file's name, its content, and another value than the detected one.
READINGS = {
    "sheet": ("book.xlsx", workbook(), "Second"),
    "header": ("headed.csv", HEADED, False),
    "decimal": ("marked.csv", MARKED, "point"),
}


def read_otherwise(visitor, option, content, value):
    """Change an option of reading under “How to read it”."""
    key = Key.of(Key.READING, option, hashlib.sha256(content).hexdigest()[:8])
    boxes = visitor.at.checkbox if isinstance(value, bool) else visitor.at.selectbox
    boxes(key=key).set_value(value).run()
    return visitor.settle()


@pytest.fixture
def back(monkeypatch):
    """Go back to an earlier address, as by the browser's button."""

    def go_back(visitor, earlier):
        with monkeypatch.context() as patch:
            patch.setattr(streamlit_inside, "went_back", lambda: True)
            visitor.at.query_params[Key.ADDRESS] = earlier
            visitor.run()
        return visitor.run().settle()

    return go_back


def check_as_read(visitor, content, name):
    """The session's table is the one that its recipe reads from the file."""
    wanted = bn.read_table(io.BytesIO(content), **visitor.recipe.reading)
    found = visitor.at.session_state["uploads"][visitor.recipe.for_table].frame
    assert found.equals(wanted)


def test_a_file_is_read_again_on_the_way_back_when_its_table_was_dropped(visitor, back):
    name, content, _ = READINGS["decimal"]
    visitor.upload(name, content)
    first, address_then = visitor.recipe, address(visitor)
    for value in ("point", "comma"):
        read_otherwise(visitor, "decimal", content, value)
    read_otherwise(visitor, "header", content, False)
    assert first.for_table not in visitor.at.session_state["uploads"]
    back(visitor, address_then)
    assert visitor.recipe == first
    check_as_read(visitor, content, name)


@pytest.mark.parametrize("source", ["file", "sample", "network"])
def test_the_way_back_is_not_undone_by_what_is_still_chosen_on_the_data_page(visitor, back, source):
    name, content, _ = READINGS["header"]
    arrive_at, change = {
        "file": (lambda: visitor.upload("marked.csv", MARKED), lambda: visitor.sample("titanic")),
        "sample": (lambda: visitor.sample("asia_1000"), lambda: visitor.sample("titanic")),
        "network": (lambda: visitor.simulate("asia", 50, 1), lambda: visitor.simulate("cancer", 50, 1)),
    }[source]
    arrive_at()
    recipe, address_then = visitor.recipe, address(visitor)
    for turn in (change, lambda: visitor.upload(name, content)):
        turn()
        assert visitor.recipe.for_table != recipe.for_table
        back(visitor, address_then)
        assert visitor.run().recipe == recipe


@pytest.mark.parametrize(
    ("requests", "runs"),
    [
        # a click at once afterwards begins another run
        ([("a", True), ("a", False)], [("a", False, True), ("a", False, False)]),
        # back twice: the run for the first address begins after both, and a click drops what the second said of itself
        ([("b", True), ("a", True), ("a", False)], [("b", True, True), ("a", False, True), ("a", False, False)]),
    ],
)
def test_the_way_back_is_not_forgotten_whatever_follows_at_once(monkeypatch, requests, runs):
    asked = []
    monkeypatch.setattr(streamlit_inside, "_asked", lambda session, one: asked.append(one))
    for session, address_then, back in [("other", "a", True), *(("this", *one) for one in requests)]:
        state = ClientState(query_string=address_then, is_history_navigation=back)
        AppSession.request_rerun(SimpleNamespace(id=session), state)
    assert len(asked) == len(requests) + 1
    for address_now, back, expected in runs:
        run = SimpleNamespace(session_id="this", query_string=address_now, is_history_navigation=back)
        monkeypatch.setattr(streamlit_inside, "get_script_run_ctx", lambda run=run, **_: run)
        assert streamlit_inside.went_back() == expected


def test_a_link_that_names_a_reading_waits_for_the_file_and_reads_it_so(arrive):
    name, content, value = READINGS["sheet"]
    link = address(read_otherwise(arrive().upload(name, content), "sheet", content, value))
    visitor = arrive(run=link).upload(name, content)
    assert visitor.recipe.sheet == value
    check_as_read(visitor, content, name)


def test_a_reading_that_the_file_does_not_have_is_refused_with_a_sentence(visitor, back):
    name, content, _ = READINGS["sheet"]
    visitor.upload(name, content)
    there = visitor.experiment
    gone = dataclasses.replace(there, data=dataclasses.replace(there.data, sheet="Third"))
    for page in ("network", "data"):
        visitor.open(page)
        back(visitor, gone.to_link())
        assert any("Third" in unescaped(error.value) for error in visitor.at.error)
        visitor.at.button(key=Key.WITHOUT_FILE).click().run()
        assert visitor.settle().experiment.data == there.data


def session_of(content, name, settings=lambda text: text, **reading):
    """A saved session with its data, the text of whose settings may have been changed."""
    recipe = bn.Recipe("file", name, fingerprint=hashlib.sha256(content).hexdigest(), **reading)
    parts = members(bn.settings.SessionFile(bn.Experiment(recipe), file=content).to_bytes())
    return packed(parts | {SETTINGS: settings(parts[SETTINGS])})


def test_a_session_brings_its_workbook_and_the_sheet_that_was_read(visitor):
    name, content, value = READINGS["sheet"]
    visitor.upload("session.zip", session_of(content, name, sheet=value))
    assert visitor.recipe.reading == {"sheet": value}
    assert visitor.shows(name)
    assert not visitor.messages
    check_as_read(visitor, content, name)
    visitor.upload(name, content)  # read as it is in use
    assert visitor.recipe.reading == {"sheet": value}
    read_otherwise(visitor, "sheet", content, "")
    check_as_read(visitor, content, name)
