"""``bn.plots`` draws what the pages show; pictures for print are as wide as asked for and can be read at that width."""

import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import bnengine as bn
from bnengine.experiment.paper import figure1_panel, figure1_panels
from bnengine.graphs.pictures import LEAST_FONT
from bnengine.plots.confidence import figure1_figure
from bnengine.typing import Study

MM = 72 / 25.4  # points
ROUNDED = 1.6  # points: Graphviz writes whole ones


@pytest.fixture(scope="module")
def data():
    return bn.load_network("asia").sample(500, rng=6)


@pytest.fixture(scope="module")
def study(data):
    return bn.study(
        data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected"))
    )


@pytest.fixture(scope="module")
def answers(data, study):
    return bn.answers.two_answers(study, "bootstrap_corrected", bn.edge_posterior(data))


@pytest.fixture(scope="module")
def results(data, study, answers):
    """Every result that is drawn, by its name."""
    return {
        "Study": study,
        "EdgeAnswers": answers,
        "LearnedGraph": study.reference,
        "Ensemble": study.ensembles["bootstrap_corrected"],
        "AveragedNetwork": study.averaged("bootstrap_corrected", 0.5),
        "EdgePosterior": bn.edge_posterior(data),
        "Verdict": bn.verdict(study, method="bootstrap_corrected", posterior=bn.edge_posterior(data)),
    }


# On the screen


def test_figure_1_has_the_marks_of_the_pages_panels(study):
    figure, first = bn.plots.figure1(study), 0
    for across, up in figure1_panels(study):
        panel = figure1_figure(figure1_panel(study, across, up), False)
        for theirs, ours in zip(panel.data, figure.data[first : first + len(panel.data)], strict=True):
            np.testing.assert_array_equal(np.array(ours.x, dtype=float), np.array(theirs.x, dtype=float))
            np.testing.assert_array_equal(np.array(ours.y, dtype=float), np.array(theirs.y, dtype=float))
            assert ours.marker.color == theirs.marker.color
        first += len(panel.data)
    assert len(figure.data) == first
    titles = [figure.layout[f"yaxis{k}"].title.text for k in ("", 2, 3)]
    assert titles == ["Corrected bootstrap", "Naive bootstrap", "Naive bootstrap"]


def test_a_network_has_a_box_for_each_variable_and_an_arrow_for_each_edge(results):
    for name in ("LearnedGraph", "AveragedNetwork", "Ensemble", "EdgePosterior"):
        figure = bn.plots.network(results[name])
        labels, edges = figure.data
        assert list(labels.text) == list(results[name].names)
        shapes = [shape.type for shape in figure.layout.shapes]
        assert shapes.count("rect") == len(results[name].names)
        assert shapes.count("path") == 2 * len(edges.customdata)
    assert list(bn.plots.network(results["Verdict"]).data[0].text) == list(results["Verdict"].names)
    graph = results["LearnedGraph"]
    assert {tuple(pair) for pair in bn.plots.network(graph).data[1].customdata} == set(graph.edges)


def test_a_calibration_is_drawn_by_each_measure():
    found = bn.calibrate(bn.load_network("cancer"), 60, bn.BIC(), bn.HillClimbing(), tables=bn.settings.Tables(2, 10))
    for measure in ("total_absolute_error", "brier", "inclusion_probability", "in_network"):
        assert bn.plots.calibration(found, measure).data
    with pytest.raises(ValueError, match="measure must be one of"):
        bn.plots.calibration(found, "error")


def test_what_cannot_be_drawn_is_refused(study):
    with pytest.raises(ValueError, match="no replicates"):
        bn.plots.figure1(Study(study.reference, {}))
    with pytest.raises(ValueError, match="without a posterior"):
        bn.plots.two_answers(bn.answers.two_answers(study, "bootstrap"))
    with pytest.raises(ValueError, match="graph must be"):
        bn.plots.network(study)


# For print


def sizes_in_svg(raw):
    """The height of every text in points, and the picture's width, as a browser would draw it at its own size."""
    root = ElementTree.fromstring(raw)
    width = float(root.get("width").removesuffix("pt"))
    grown = width / float(root.get("viewBox").split()[2])
    found = []

    def walk(element, scale):
        for name, amount in re.findall(r"(scale)\(([\d.]+)", element.get("transform", "")):
            scale *= float(amount) if name else 1.0
        if element.tag.endswith("text"):
            found.append(float(element.get("font-size")) * scale)
        for child in element:
            walk(child, scale)

    walk(root, grown)
    return found, width


@pytest.mark.parametrize("width", [85, 175])
@pytest.mark.parametrize(
    "name", ["Study", "EdgeAnswers", "LearnedGraph", "Ensemble", "AveragedNetwork", "EdgePosterior", "Verdict"]
)
def test_texts_are_at_least_7_points_high_at_the_width_asked_for(results, name, width, tmp_path):
    path = tmp_path / "picture.svg"
    bn.plots.save(results[name], path, width=width)
    heights, points = sizes_in_svg(path.read_bytes())
    assert len(heights) >= 8
    assert min(heights) >= LEAST_FONT - 0.01
    assert points <= width * MM + 0.5
    if name in ("Study", "EdgeAnswers"):  # a network is no wider than its labels need
        assert points >= width * MM - ROUNDED


def test_the_verdict_is_printed_with_a_head_where_the_direction_is_settled_and_a_legend(results):
    found, out = results["Verdict"], io.BytesIO()
    bn.plots.save(found, out, suffix="svg", width=175)
    root, spaced = ElementTree.fromstring(out.getvalue()), "{http://www.w3.org/2000/svg}"
    lines = [group for group in root.iter(f"{spaced}g") if group.get("class") == "edge"]
    heads = [group for group in lines if group.find(f"{spaced}polygon") is not None]
    kinds = found.kinds[:-1]
    assert len(lines) == found.drawn.sum() + len(kinds)
    assert len(heads) == (found.drawn & found.settled).sum() > 0
    texts = [one.text for one in root.iter(f"{spaced}text")]
    assert texts[-len(kinds) :] == [f"{found.counts()[kind]:,} {kind}" for kind in kinds]


def test_a_network_too_wide_for_its_labels_names_the_width_it_needs():
    network = bn.load_network("alarm")
    graph = bn.answers.averaged_network(network.adjacency.astype(float), 0.5, network.names)
    with pytest.raises(ValueError, match="needs width=") as refused:
        bn.plots.save(graph, io.BytesIO(), suffix="pdf", width=60)
    needed = float(re.search(r"width=(\d+)", str(refused.value))[1])
    out = io.BytesIO()
    bn.plots.save(graph, out, suffix="svg", width=needed)
    heights, points = sizes_in_svg(out.getvalue())
    assert min(heights) >= LEAST_FONT - 0.05
    assert points <= needed * MM + 0.5


def test_marks_are_printed_where_the_figure_has_them(study):
    out = io.BytesIO()
    bn.plots.save(study, out, suffix="svg", width=175)
    circles = [one for one in ElementTree.fromstring(out.getvalue()).iter() if one.tag.endswith("ellipse")]
    x, y = (np.array([float(circle.get(end)) for circle in circles]) for end in ("cx", "cy"))
    panels = [figure1_figure(figure1_panel(study, *pair), False).data[-1] for pair in figure1_panels(study)]
    assert len(circles) == sum(len(marks.x) for marks in panels)
    first = 0
    for marks in panels:
        part = slice(first, first + len(marks.x))
        for shown, meant, sign in ((x[part], marks.x, 1), (y[part], marks.y, -1)):
            meant = np.array(meant, dtype=float)
            slope, start = np.polyfit(meant, shown, 1)
            assert slope * sign > 0
            np.testing.assert_allclose(shown, start + slope * meant, atol=0.02)
        first += len(marks.x)


def test_what_has_no_picture_for_print_is_refused(results, data):
    with pytest.raises(ValueError, match=r"result must be a study, .*; got Figure"):
        bn.plots.save(bn.plots.network(results["LearnedGraph"]), io.BytesIO(), suffix="svg")
