"""The views of the Confidence page: the verdict first, then how the methods compare, and averaged networks."""

from dataclasses import dataclass, field
from functools import cached_property

import bnengine as bn
from bnengine.experiment.default_posterior import python_real
from bnengine.experiment.edge_summary import TwoAnswers, all_answers
from bnengine.experiment.report.document import html_report
from bnengine.experiment.verdict import Verdict
from bnengine.posterior import SampledPosterior
from pages._shared.downloads import take_away
from pages._shared.sections import edge_drawer
from pages._shared.sections.confidence.answers import both_answers
from pages._shared.sections.confidence.further import exact_posterior, falsification_test, features
from pages._shared.sections.confidence.methods import compared_methods
from pages._shared.sections.confidence.network import network_and_edges
from pages._shared.sections.confidence.rows_needed import rows_needed
from pages._shared.sections.confidence.verdict import network_and_list
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs
from pages._shared.widgets.later import by_itself

_VIEWS = {"verdict": "Verdict", "methods": "How the methods compare", "network": "Averaged networks"}


@dataclass(frozen=True)
class Shown:
    """What the views are about, as far as it is known."""

    study: bn.Study
    experiment: bn.Experiment
    data: bn.Dataset
    real: SampledPosterior | None
    found: Verdict
    #: Of the averaged network, as it is shown when the report is asked for.
    threshold: dict[str, float | None] = field(default_factory=dict)

    @cached_property
    def answers(self) -> TwoAnswers:
        """Both answers about every edge of the kind that the experiment counts."""
        return both_answers(self.study, self.experiment, self.real)


@by_itself
def views(shown: Shown) -> None:
    """Draw the chosen view."""
    chosen = tabs("View", _VIEWS, Key.CONFIDENCE_VIEW)
    if chosen == "verdict":
        network_and_list(shown.found, shown.study, shown.experiment)
        features(shown.study, shown.experiment, shown.data, shown.real)
        rows_needed(shown.experiment, shown.data)
        falsification_test(shown.experiment, shown.data)
    elif chosen == "methods":
        compared_methods(shown.study, shown.experiment, shown.data, shown.answers)
        exact_posterior(shown.study, shown.experiment, shown.data)
    else:
        network_and_edges(shown.study, shown.experiment, shown.data, shown.real, shown.threshold)
    edge_drawer.offer(shown.experiment, shown.data, shown.study)


def downloads(shown: Shown) -> None:
    """Offer downloads, and the code that repeats the run."""
    experiment, table = shown.experiment, shown.study.table1().reset_index()
    take_away(
        ("Edges by verdict", shown.found.table(hidden=True), "verdict.csv"),
        ("All edges with both answers", all_answers(shown.study, shown.answers), "edge_confidence.csv"),
        ("Table 1", table, "table1.csv"),
        code=experiment.python() + python_real(experiment, shown.data) + _PYTHON,
        commands=[bn.settings.command_line(experiment, command) for command in ("confidence", "table1", "report")],
        report=lambda: html_report(experiment, shown.data, shown.study, shown.real, shown.threshold.get("shown")),
        r_code=bn.settings.r_script(experiment),
    )


_PYTHON = "print(bn.verdict(study, posterior=posterior).table())\n"
