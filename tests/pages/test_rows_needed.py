"""How many rows an edge would need: the part of the Confidence page shows the engine's numbers."""

import dataclasses

import numpy as np
import pytest

import bnengine as bn
from bnengine.experiment.learning import real_posterior
from pages.shared.keys import Key

pytestmark = pytest.mark.slow


def test_the_question_is_answered_with_the_engine_s_numbers(visitor):
    visitor.on("asia_1000").open("confidence")
    visitor.settle().unfold("rows_needed")
    visitor.button("Find out").settle()
    experiment = visitor.experiment
    data, arguments = experiment.data.prepare(experiment.data.load()), experiment.arguments
    posterior = real_posterior(experiment, data)
    found = bn.rows_needed(data, arguments.pop("score"), arguments.pop("search"), graphs=posterior, **arguments)
    assert visitor.note("rows needed") == found.sentence
    shown = next(frame.value for frame in visitor.at.main.dataframe if "fewest" in frame.value)
    np.testing.assert_allclose(shown["rows"].astype(float), found.table()["rows"])
    visitor.choose(Key.ROWS_EDGE, tuple(shown.iloc[-1][["first", "second"]]))
    visitor.at.select_slider(key=Key.ROWS_WANTED).set_value(0.95).run()
    stricter = dataclasses.replace(found, wanted=0.95)
    assert visitor.note("rows needed") == stricter.sentence != found.sentence
