"""``bnengine app``: what the server is started with, and the table that the pages open on."""

import runpy
import sys

import pytest

import bnengine as bn
from bnengine import cli
from bnengine.cli import FILE_VARIABLE, script
from pages.shared.keys import Key
from tests.commands import ROOT


@pytest.fixture
def survey(tmp_path, monkeypatch):
    path = tmp_path / "survey.csv"
    path.write_text("drinks,smokes\n" + "yes,no\nno,yes\nyes,yes\nno,no\n" * 10)
    monkeypatch.setenv(FILE_VARIABLE, str(path))
    return path


@pytest.mark.slow
def test_the_first_page_is_data_on_that_table_until_it_is_left_and_a_link_for_it_opens(survey, arrive):
    visitor = arrive()
    assert visitor.shows("40", "2")
    recipe = visitor.recipe
    assert (recipe.source, recipe.name) == ("file", "survey.csv")
    assert visitor.go("network").shows("survey.csv", 40)
    assert visitor.sample("titanic").open("network").recipe.name == "titanic"
    second = arrive(**{Key.ADDRESS: bn.Experiment(recipe, seed=7).to_link()})
    assert (second.experiment.seed, second.recipe) == (7, recipe)


@pytest.mark.slow
@pytest.mark.parametrize("content", [None, b"\0\0\0"])
def test_a_table_that_cannot_be_read_is_told_and_a_sample_shown(survey, arrive, content):
    survey.unlink() if content is None else survey.write_bytes(content)
    visitor = arrive()
    assert visitor.warns("The table could not be opened", "A sample is shown instead")
    assert visitor.recipe.source == "sample"


def test_the_command_starts_the_app_of_the_checkout(survey, monkeypatch, capsys):
    started = []
    monkeypatch.setattr(runpy, "run_path", lambda name: started.append((name, sys.argv[1:])))
    monkeypatch.setattr(sys, "argv", ["bnengine"])
    monkeypatch.chdir(survey.parent)  # and back: the command changes to its own folder
    assert cli.main(["app", "--port", "8080", "--address", "0.0.0.0", "--file", str(survey)]) == 0
    assert script() == ROOT / "app.py"
    words = ["run", str(script()), "--server.port=8080", "--server.address=0.0.0.0"]
    assert started == [(str(ROOT / "pages" / "shared" / "start.py"), words)]
