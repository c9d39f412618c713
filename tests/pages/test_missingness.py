"""The Data page: where the holes of a table are, what each way would use, and on what the holes depend."""

import pytest

import bnengine as bn
from bnengine.plots.data import missing_figure
from pages.data.treatment import MISSING
from pages.shared.benchmark_results import on_missing_cells
from pages.shared.keys import Key
from tests.pages.reading import shows, unescaped

pytestmark = pytest.mark.slow


def test_the_section_says_where_the_holes_are_and_warns(visitor):
    visitor.sample("house_votes_84").go("data")
    found = bn.answers.missingness(bn.load_sample("house_votes_84"))
    (head,) = (box.label for box in visitor.at.expander if "missing cell" in box.label)
    assert shows(head, int(found.missing.sum()), 16, 435 - found.n_complete)
    said = unescaped(" ".join(text.value for text in visitor.at.markdown))
    assert all(text in said for text in found.uses().values())
    assert visitor.warns("31%", "13%", "republican", "1%")
    assert visitor.note("missing cells measured") == unescaped(on_missing_cells())
    assert "It is not advised here" in said
    (ways,) = (one for one in visitor.at.radio if one.key.startswith(f"{Key.MISSING} "))
    assert MISSING["complete_families"] not in ways.options
    assert MISSING["drawn"] in ways.options
    visitor.sample("asia_1000").go("data")
    assert not any("missing cell" in box.label for box in visitor.at.expander)


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_a_line_for_each_variable_with_holes(dark):
    found = bn.answers.missingness(bn.load_sample("house_votes_84"))
    bars, matrix = missing_figure(found, dark).data
    assert len(bars.x) == int((found.missing > 0).sum()) == len(matrix.z)
    assert list(bars.x) == sorted(bars.x, reverse=True)


def test_the_network_page_says_how_missing_cells_were_dealt_with(visitor):
    visitor.on("house_votes_84").open("network")
    while not visitor.note("missing way"):
        visitor.run()  # beside the posterior, which takes longest and is not what is told of here
    assert shows(visitor.note("missing way"), "draws", 392, 203, 435)
