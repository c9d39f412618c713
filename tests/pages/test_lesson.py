"""Lessons run on a table and default settings of their own; a switch turns them to the visitor's."""

import pytest

import bnengine as bn
from pages.shared.format import short
from pages.shared.keys import Key


def turned(visitor, page, key, section):
    visitor.at.session_state[key] = section
    return visitor.go(page)


def switches(visitor):
    return [toggle for toggle in visitor.at.toggle if toggle.key == Key.USE_OWN]


@pytest.mark.slow
def test_a_lesson_stays_as_it_is_until_the_visitor_turns_it(visitor):
    visitor.on("titanic")
    turned(visitor, "mdl", Key.MDL_SECTION, "Compare networks")
    assert visitor.shows("ASIA", 1000)
    (switch,) = switches(visitor)
    assert "Titanic" in switch.label
    switch.set_value(True).run()
    assert visitor.settle().shows("Titanic", 2201)
    turned(visitor, "bayesian", Key.BAYES_SECTION, "Prior strength")  # it holds for every lesson
    assert visitor.shows("Titanic")
    switches(visitor)[0].set_value(False).run()
    assert visitor.settle().shows("ASIA")


@pytest.mark.slow
def test_settings_change_a_lesson_only_together_with_the_data(visitor):
    visitor.few().choose(Key.SCORE, "bdeu")
    turned(visitor, "bias_lab", Key.LAB_SECTION, "Any statistic")
    visitor.at.segmented_control(key=Key.LAB_STATISTIC).set_value("Variance").run()
    assert not switches(visitor)  # measurements are drawn
    visitor.at.segmented_control(key=Key.LAB_STATISTIC).set_value("Number of edges").run()
    assert visitor.settle().shows("BIC")
    switches(visitor)[0].set_value(True).run()
    study = visitor.settle().experiment.run()
    assert isinstance(visitor.experiment.score, bn.BDeu)
    assert short(study.mean_edges("bootstrap")) in visitor.finding


def test_a_file_that_cannot_be_learned_from_does_not_stop_a_lesson(visitor):
    visitor.upload("mine.csv", "only\na\na\n")
    turned(visitor, "mdl", Key.MDL_SECTION, "Compare networks")
    assert visitor.shows("ASIA")
