"""Graphs as files, opened by programs that know nothing of the writer."""

import io
import json
import re
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pandas as pd
import pygraphviz
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import bnengine as bn

NAMES = ("A", "two words", 'quoted "B"', "naïve → 变量", "<b>bold</b>", "salt & pepper", "alone", "a\\b")
EDGES = [("A", "two words"), ("two words", 'quoted "B"'), ("naïve → 变量", "A"), ("<b>bold</b>", "salt & pepper")]
STRENGTH = np.linspace(0.1, 0.9, 64).reshape(8, 8)
DIRECTION = np.linspace(1.0, 0.5, 64).reshape(8, 8)


def written(suffix, names=NAMES, edges=EDGES, **shares):
    buffer = io.BytesIO()
    bn.write_graph(names, edges, buffer, suffix, **shares)
    return buffer.getvalue()


def of_edge(shares, edge):
    return shares[NAMES.index(edge[0]), NAMES.index(edge[1])]


def test_dot_is_read_by_graphviz():
    graph = pygraphviz.AGraph(string=written("dot", strength=STRENGTH, direction=DIRECTION).decode())
    assert {node.replace("\\\\", "\\") for node in graph.nodes()} == set(NAMES)
    assert set(graph.edges()) == set(EDGES)
    for edge in EDGES:
        assert float(graph.get_edge(*edge).attr["strength"]) == pytest.approx(of_edge(STRENGTH, edge), rel=1e-5)
        assert float(graph.get_edge(*edge).attr["direction"]) == pytest.approx(of_edge(DIRECTION, edge), rel=1e-5)


def test_graphml_is_xml_and_read_by_networkx():
    raw = written("graphml", strength=STRENGTH)
    root = ElementTree.fromstring(raw)
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    found = {(edge.get("source"), edge.get("target")): float(edge.findtext("g:data", None, space)) for edge in
             root.iterfind("g:graph/g:edge", space)}  # fmt: skip
    assert found == {edge: of_edge(STRENGTH, edge) for edge in EDGES}
    assert {node.get("id") for node in root.iterfind("g:graph/g:node", space)} == set(NAMES)
    graph = nx.read_graphml(io.BytesIO(raw))
    assert graph.is_directed()
    assert set(graph.edges) == set(EDGES)


def test_json_is_read_by_networkx():
    graph = nx.node_link_graph(json.loads(written("json", strength=STRENGTH, direction=DIRECTION)), edges="edges")
    assert graph.is_directed()
    assert list(graph.nodes) == list(NAMES)
    assert set(graph.edges) == set(EDGES)
    for edge in EDGES:
        assert graph.edges[edge] == {"strength": of_edge(STRENGTH, edge), "direction": of_edge(DIRECTION, edge)}


def test_the_edge_table_has_bnlearn_s_columns():
    table = pd.read_csv(io.BytesIO(written("csv", strength=STRENGTH, direction=DIRECTION)), dtype=str)
    assert list(table) == ["from", "to", "strength", "direction"]
    assert set(zip(table["from"], table["to"], strict=True)) == set(EDGES)
    for row in table.itertuples(index=False):
        assert float(row.strength) == of_edge(STRENGTH, (row[0], row[1]))
        assert float(row.direction) == of_edge(DIRECTION, (row[0], row[1]))
    assert list(pd.read_csv(io.BytesIO(written("csv")))) == ["from", "to"]


def test_the_matrix_has_parents_in_rows():
    frame = pd.read_csv(io.BytesIO(written("adjacency.csv")), index_col=0)
    assert list(frame.index) == list(frame.columns) == list(NAMES)
    assert {(parent, child) for parent in NAMES for child in NAMES if frame.loc[parent, child]} == set(EDGES)
    assert frame.to_numpy().sum() == len(EDGES)


def test_an_svg_is_xml_with_every_label_and_edge():
    root = ElementTree.fromstring(written("svg", strength=STRENGTH))
    space = {"s": "http://www.w3.org/2000/svg"}
    assert {text.text for text in root.iterfind(".//s:text", space)} == set(NAMES)
    groups = [group.get("class") for group in root.iterfind(".//s:g", space)]
    assert groups.count("edge") == len(EDGES)
    assert groups.count("node") == len(NAMES)
    assert not any("href" in key for element in root.iter() for key in element.attrib)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text(min_size=1, max_size=8) | st.sampled_from(["a\x00", "a␀", "\x01", "\ufffe"]), min_size=2, unique=True
    )
)
def test_svg_and_graphml_are_xml_for_any_names(names):
    names = names[:4]
    edges = [(names[0], name) for name in names[1:]]
    root = ElementTree.fromstring(written("svg", names, edges))
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(texts)
    graph = nx.read_graphml(io.BytesIO(written("graphml", names, edges)))
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (len(names), len(edges))
    if not any(name.isspace() for name in names):
        drawn = pygraphviz.AGraph(string=written("dot", names, edges).decode())
        assert len(drawn.nodes()) == len(names)


def test_a_png_is_an_image_sharp_enough_for_slides():
    net = bn.load_network("alarm")
    with Image.open(io.BytesIO(written("png", net.names, net.edges))) as image:
        image.load()
        assert image.format == "PNG"
        assert 1000 < image.width < 4000
        assert 700 < image.height < 4000
        dark = np.asarray(image.convert("L")) < 128
    assert 0.005 < dark.mean() < 0.3  # there is ink, on paper


def test_a_pdf_has_one_page_of_the_picture_s_size():
    raw = written("pdf")
    assert raw.startswith(b"%PDF-")
    assert raw.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type\s*/Page\b", raw)) == 1
    width, height = map(float, re.search(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)", raw).groups())
    assert 100 < width < 2000
    assert 50 < height < 2000


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"suffix": "gif"}, "graphs are written as svg, pdf, .*; got 'gif'"),
        ({"suffix": None}, "graphs are written as"),
        ({"names": ["A", "A"]}, "'A' occurs twice"),
        ({"names": "AB"}, "names must be a list"),
        ({"edges": [("A", "C")]}, "no variable is named 'C'"),
        ({"strength": np.ones((3, 3))}, r"strength must have one row .* \(2, 2\); got \(3, 3\)"),
        ({"strength": [[0, 1.5], [0, 0]]}, "strength of A → B must be between 0 and 1; got 1.5"),
        ({"direction": [[0, np.nan], [0, 0]]}, "direction of A → B must be between 0 and 1; got nan"),
    ],
)
def test_what_cannot_be_written_is_refused(change, says):
    given = {"names": ["A", "B"], "edges": [("A", "B")], "suffix": "csv"} | change
    with pytest.raises(ValueError, match=says):
        bn.write_graph(target=io.BytesIO(), **given)
