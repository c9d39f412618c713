"""Lessons run on a table and default settings of their own; a switch turns them to the visitor's."""

import pytest

from pages.shared.keys import Key


def turned(visitor, page, key, section):
    visitor.at.session_state[key] = section
    return visitor.go(page)


def switches(visitor):
    return [toggle for toggle in visitor.at.toggle if toggle.key == Key.USE_OWN]


@pytest.mark.slow
def test_a_lesson_stays_as_it_is_until_the_visitor_turns_it(visitor):
    visitor.on("titanic")
    turned(visitor, "mdl", Key.MDL_SECTION, "Search space")
    assert visitor.shows("ASIA")
    (switch,) = switches(visitor)
    assert "Titanic" in switch.label
    switch.set_value(True).run()
    assert visitor.settle().shows("Titanic")
    turned(visitor, "bayesian", Key.BAYES_SECTION, "Prior strength")  # it holds for every lesson
    assert visitor.shows("Titanic")
    switches(visitor)[0].set_value(False).run()
    assert visitor.settle().shows("ASIA")


def test_a_file_that_cannot_be_learned_from_does_not_stop_a_lesson(visitor):
    visitor.upload("mine.csv", "only\na\na\n")
    turned(visitor, "mdl", Key.MDL_SECTION, "Search space")
    assert visitor.shows("ASIA")
