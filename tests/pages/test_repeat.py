"""The command beside a result repeats it: what it prints is what the page shows."""

import contextlib
import io
import shlex

import pandas as pd
import pytest

from bnengine import cli
from pages.shared.keys import Key

pytestmark = pytest.mark.slow


def shown_commands(visitor):
    return [block.value for block in visitor.at.code if block.value.startswith("bnengine ")]


def printed(visitor, command, folder):
    """What a command prints about the experiment as the page saves it, as a table."""
    (folder / "experiment.json").write_text(visitor.experiment.to_json(), encoding="utf-8")
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as out:
        assert cli.main(shlex.split(command)[1:]) == 0
    return pd.read_csv(io.StringIO(out.getvalue()))


def check_repeats(visitor, folder):
    """Both pages' commands print the page's numbers."""
    visitor.go("learn")
    (command,) = shown_commands(visitor)
    edges = next(frame.value for frame in visitor.at.main.dataframe if "gain_nats" in frame.value)
    learned = printed(visitor, command, folder)  # the page also says which edges are in the known network
    shown = edges[learned.columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(learned, shown, check_dtype=False, check_exact=True)
    visitor.go("confidence")
    (command,) = shown_commands(visitor)
    expected = visitor.experiment.run().edge_table(visitor.experiment.kind)
    pd.testing.assert_frame_equal(printed(visitor, command, folder), expected, check_dtype=False)


@pytest.fixture
def few(visitor):
    return visitor.few(20)


def test_the_first_visit_s_commands_repeat_it(few, tmp_path):
    check_repeats(few, tmp_path)


def test_the_commands_follow_data_search_and_kind(few, tmp_path):
    few.simulate("asia", 150, 3)
    few.go("confidence").choose(Key.SEARCH, "tabu")
    few.write(Key.FORBIDDEN, "smoke -> lung")
    few.view("network").choose(Key.KIND, "adjacency")
    check_repeats(few, tmp_path)
