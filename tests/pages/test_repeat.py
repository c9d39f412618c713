"""The command beside a result repeats it: what it prints is what the page shows."""

import contextlib
import io
import shlex

import pandas as pd
import pytest

from bnengine import cli
from pages._shared.format import plus_minus
from pages._shared.session import Key
from tests.commands import experiment_of

pytestmark = pytest.mark.slow


def shown_commands(visitor):
    return [block.value for block in visitor.at.code if block.value.startswith("bnengine ")]


def printed(command):
    """What a command prints, as a table; what a shell makes of its words is tested in ``tests/cli``."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert cli.main(shlex.split(command)[1:]) == 0
    return pd.read_csv(io.StringIO(out.getvalue()))


def check_repeats(visitor):
    """Both pages' commands describe the page's experiment and print its numbers."""
    visitor.go("learn")
    (command,) = shown_commands(visitor)
    edges = next(frame.value for frame in visitor.at.main.dataframe if "gain_nats" in frame.value)
    learned = printed(command)  # the page also says which edges are in the known network
    shown = edges[learned.columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(learned, shown, check_dtype=False, check_exact=True)

    visitor.go("confidence")
    confidence, table1, report = shown_commands(visitor)
    assert [command.split()[1] for command in (confidence, table1, report)] == ["confidence", "table1", "report"]
    for command in (confidence, table1, report):
        assert experiment_of(shlex.split(command)[1:]) == visitor.experiment
    visitor.view("table1")
    table = next(frame.value for frame in visitor.at.main.dataframe if "edges" in frame.value)
    numbers = printed(table1)
    expected = list(map(plus_minus, numbers["mean"], numbers["sd"]))
    assert list(table["edges"]) == expected
    pd.testing.assert_frame_equal(printed(confidence), visitor.experiment.run().edge_table(), check_dtype=False)
    kept = printed(f"{confidence} --threshold mean --method {visitor.method}")
    visitor.view("network")
    shown = next(frame.value for frame in visitor.at.main.dataframe if "direction" in frame.value).set_index("edge")
    kept.index = kept["parent"] + " → " + kept["child"]
    assert sorted(kept.index) == sorted(shown.index)
    assert kept["strength"].to_dict() == shown["found_again"].to_dict()
    assert kept["direction"].to_dict() == shown["direction"].to_dict()


@pytest.fixture
def few(visitor):
    return visitor.few(20)


def test_the_first_visit_s_commands_repeat_it(few):
    check_repeats(few)


def test_the_commands_follow_data_search_and_kind(few):
    few.simulate("asia", 150, 3)
    few.go("confidence").choose(Key.SEARCH, "tabu")
    few.write(Key.FORBIDDEN, "smoke -> lung")
    check_repeats(few)
    few.choose(Key.KIND, "adjacency")
    assert "--kind adjacency" in shown_commands(few)[0]
    assert "--forbidden smoke,lung" in shown_commands(few)[0]
