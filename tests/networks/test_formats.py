"""Networks and graphs as files, opened by programs that know nothing of the writer."""

import io
import itertools
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
from bnengine.networks import network_files
from bnengine.networks.formats import FORMATS
from tests.strategies import make_data

#: Six digits are written where a format is not written in full, and numbers are read in single precision.
TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def network():
    """Several parents, listed out of column order, and tables that no rounding leaves alone."""
    data = make_data([2, 3, 4, 2], 60, seed=3)
    made = bn.fit(data, [(data.names[p], data.names[c]) for p, c in ((0, 2), (1, 2), (3, 1), (3, 2))], ess=1 / 3)
    parents = list(made.parents)
    assert parents[2] == (0, 1, 3)
    table = made.tables[2].reshape(2, 3, 2, 4).transpose(1, 2, 0, 3).reshape(12, 4)
    parents[2] = (1, 3, 0)
    tables = (*made.tables[:2], table, made.tables[3])
    return bn.BayesianNetwork(made.names, made.states, tuple(parents), tables, "of four")


def written(network, suffix):
    buffer = io.BytesIO()
    changed = bn.write_network(network, buffer, suffix)
    return buffer.getvalue(), changed


def cells(network, named=str, stated=lambda _, state: state):
    """{(child and state, parents and states): probability}, which no order of variables or parents changes."""
    found = {}
    for v, parents in enumerate(network.parents):
        configurations = itertools.product(*(range(len(network.states[p])) for p in parents))
        for row, configuration in zip(network.tables[v], configurations, strict=True):
            given = frozenset(
                (named(network.names[p]), stated(network.names[p], network.states[p][k]))
                for p, k in zip(parents, configuration, strict=True)
            )
            for state, p in zip(network.states[v], row, strict=True):
                found[named(network.names[v]), stated(network.names[v], state), given] = p
    return found


def renamed_cells(network, changed):
    return cells(
        network, lambda name: changed.get(name, name), lambda name, state: changed.get(f"{name}={state}", state)
    )


def read(raw, suffix):
    """Read as from a file of that name; BIF by another program, which knows nothing of the original names in it."""
    if suffix == "bif":
        return network_files._by_pyagrum(raw, "network.bif", suffix, "")
    file = io.BytesIO(raw)
    file.name = f"network.{suffix}"
    return bn.read_network(file)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS)
def test_what_is_written_is_read_again(suffix, network):
    raw, changed = written(network, suffix)
    again = read(raw, suffix)
    assert cells(again) == pytest.approx(renamed_cells(network, changed), abs=TOLERANCE)


HAND_MADE = {
    "bif": """network n { }
variable A { type discrete [ 2 ] { a0, a1 }; } variable B { type discrete [ 3 ] { b0, b1, b2 }; }
variable C { type discrete [ 2 ] { c0, c1 }; }
probability ( A ) { table 0.5, 0.5; } probability ( B ) { table 0.2, 0.3, 0.5; }
probability ( C | A, B ) { (a0, b0) 0.1, 0.9; (a0, b1) 0.2, 0.8; (a0, b2) 0.3, 0.7;
  (a1, b0) 0.4, 0.6; (a1, b1) 0.55, 0.45; (a1, b2) 0.65, 0.35; }""",
    "bifxml": """<?xml version="1.0"?><BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
<VARIABLE TYPE="nature"><NAME>A</NAME><OUTCOME>a0</OUTCOME><OUTCOME>a1</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>B</NAME><OUTCOME>b0</OUTCOME><OUTCOME>b1</OUTCOME><OUTCOME>b2</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>C</NAME><OUTCOME>c0</OUTCOME><OUTCOME>c1</OUTCOME></VARIABLE>
<DEFINITION><FOR>A</FOR><TABLE>0.5 0.5</TABLE></DEFINITION>
<DEFINITION><FOR>B</FOR><TABLE>0.2 0.3 0.5</TABLE></DEFINITION>
<DEFINITION><FOR>C</FOR><GIVEN>A</GIVEN><GIVEN>B</GIVEN>
<TABLE>0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6 0.55 0.45 0.65 0.35</TABLE></DEFINITION></NETWORK></BIF>""",
    "dsc": """belief network "unknown"
node A { type : discrete [ 2 ] = { "a0", "a1" }; } node B { type : discrete [ 3 ] = { "b0", "b1", "b2" }; }
node C { type : discrete [ 2 ] = { "c0", "c1" }; }
probability ( A ) { 0.5, 0.5; } probability ( B ) { 0.2, 0.3, 0.5; }
probability ( C | A, B ) { (0, 0) : 0.1, 0.9; (1, 0) : 0.4, 0.6; (0, 1) : 0.2, 0.8;
  (1, 1) : 0.55, 0.45; (0, 2) : 0.3, 0.7; (1, 2) : 0.65, 0.35; }""",
    "net": """net { } node A { states = ("a0" "a1"); } node B { states = ("b0" "b1" "b2"); }
node C { states = ("c0" "c1"); } potential (A) { data = (0.5 0.5); } potential (B) { data = (0.2 0.3 0.5); }
potential (C | A B) { data = (((0.1 0.9) (0.2 0.8) (0.3 0.7)) ((0.4 0.6) (0.55 0.45) (0.65 0.35))); }""",
    "xdsl": """<?xml version="1.0"?><smile version="1.0" id="n"><nodes>
<cpt id="A"><state id="a0"/><state id="a1"/><probabilities>0.5 0.5</probabilities></cpt>
<cpt id="B"><state id="b0"/><state id="b1"/><state id="b2"/><probabilities>0.2 0.3 0.5</probabilities></cpt>
<cpt id="C"><state id="c0"/><state id="c1"/><parents>A B</parents>
<probabilities>0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6 0.55 0.45 0.65 0.35</probabilities></cpt></nodes>
<extensions><genie version="1.0" app="GeNIe" name="n"><node id="A"><name>A</name><interior color="e5f6f7"/></node>
<node id="B"><name>B</name></node><node id="C"><name>C</name></node></genie></extensions></smile>""",
}


@pytest.mark.parametrize("suffix", HAND_MADE)
def test_files_made_by_hand_from_the_definitions_of_their_formats(suffix):
    """P(C = c0) by the states of A, then of B: 0.1, 0.2, 0.3; 0.4, 0.55, 0.65."""
    names, states = ("A", "B", "C"), (("a0", "a1"), ("b0", "b1", "b2"), ("c0", "c1"))
    table = np.array([[p, 1 - p] for p in (0.1, 0.2, 0.3, 0.4, 0.55, 0.65)])
    tables = (np.array([[0.5, 0.5]]), np.array([[0.2, 0.3, 0.5]]), table)
    expected = bn.BayesianNetwork(names, states, ((), (), (0, 1)), tables)
    for named in (suffix, "model"):  # the suffix says which format, or else the content
        assert cells(read(HAND_MADE[suffix].encode(), named)) == pytest.approx(cells(expected), abs=1e-7)


@pytest.mark.parametrize("suffix", HAND_MADE)
def test_edges_are_read_where_a_row_was_never_seen(suffix, tmp_path):
    """As bnlearn writes after maximum likelihood; only our own two formats are read then."""
    path = tmp_path / f"fitted.{suffix}"
    path.write_text(HAND_MADE[suffix])
    assert bn.read_graph(path).remark == ""
    if suffix in ("bif", "dsc"):
        path.write_text(HAND_MADE[suffix].replace("0.65, 0.35", "NaN, NaN"))
        with pytest.raises(bn.DataError, match=r"'C' lacks a parent configuration: \(A=a1, B=b2\).*bn\.read_graph"):
            bn.read_network(path)
        assert "'C' has no probabilities for some states of its parents" in bn.read_graph(path).remark
    graph = bn.read_graph(path)
    assert (graph.names, graph.edges) == (("A", "B", "C"), (("A", "C"), ("B", "C")))


def test_a_file_that_is_not_read_says_which_are(monkeypatch):
    formats = "BIF, DSC and, with pyAgrum, BIFXML, NET and XDSL; graphs also as lists of edges"
    for raw, suffix in ((b"RDX3", "rds"), (b"digraph {}", "gv"), (b"a,b", "csv")):
        with pytest.raises(bn.DataError, match=formats):
            read(raw, suffix)
    with pytest.raises(bn.DataError, match="no network in HUGIN's NET that pyAgrum reads"):
        read(b"net { } node A {", "net")
    monkeypatch.setattr(network_files, "find_spec", lambda name: None)
    for suffix in ("net", "xdsl", "bifxml"):
        with pytest.raises(bn.DataError, match=r"needs pyAgrum: pip install 'bnengine\[formats\]'; BIF, DSC and lists"):
            read(HAND_MADE[suffix].encode(), suffix)
    assert read(HAND_MADE["dsc"].encode(), "dsc").names == ("A", "B", "C")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS)
def test_names_of_any_letters_stay_apart(suffix):
    states = (("≤ 1", "1 – 2", "1 | 2", "1 _ 2", "node", ""), ("a,b", "a b", "a_b"), ("0", "-1", "<&>"))
    names = ("Lung function", "Lung_function", "net")
    rng = np.random.default_rng(1)
    tables = tuple(rng.dirichlet(np.ones(r), size=q) for r, q in ((6, 1), (3, 6), (3, 18)))
    network = bn.BayesianNetwork(names, states, ((), (0,), (0, 1)), tables, "odd & <ends>")
    raw, changed = written(network, suffix)
    again = read(raw, suffix)
    assert cells(again) == pytest.approx(renamed_cells(network, changed), abs=TOLERANCE)
    assert changed["Lung function"] != changed.get("Lung_function", "Lung_function")
    assert set(changed) <= {*names, *(f"{n}={s}" for n, own in zip(names, states, strict=True) for s in own)}


def test_the_suffix_is_that_of_the_path_and_an_unknown_one_is_refused(tmp_path, network):
    bn.write_network(network, tmp_path / "mine.NET")
    assert (tmp_path / "mine.NET").read_bytes() == written(network, "net")[0]
    for name in ("n.pkl", "n", "n.o3prm"):
        with pytest.raises(ValueError, match="bif, bifxml, net, xdsl; got"):
            bn.write_network(network, tmp_path / name)


NAMES = ("A", "two words", 'quoted "B"', "naïve → 变量", "<b>bold</b>", "salt & pepper", "alone", "a\\b")
EDGES = [("A", "two words"), ("two words", 'quoted "B"'), ("naïve → 变量", "A"), ("<b>bold</b>", "salt & pepper")]
STRENGTH = np.linspace(0.1, 0.9, 64).reshape(8, 8)
DIRECTION = np.linspace(1.0, 0.5, 64).reshape(8, 8)


def graph_in(suffix, names=NAMES, edges=EDGES, **shares):
    buffer = io.BytesIO()
    if shares:
        columns = {key: [of_edge(matrix, edge) for edge in edges] for key, matrix in shares.items()}
        edges = pd.DataFrame(edges, columns=["parent", "child"]).assign(**columns)
    bn.write_graph(names, edges, buffer, suffix)
    return buffer.getvalue()


def of_edge(shares, edge):
    return shares[NAMES.index(edge[0]), NAMES.index(edge[1])]


def test_graphml_is_xml_and_read_by_networkx():
    raw = graph_in("graphml", strength=STRENGTH)
    root = ElementTree.fromstring(raw)
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    found = {(edge.get("source"), edge.get("target")): float(edge.findtext("g:data", None, space)) for edge in
             root.iterfind("g:graph/g:edge", space)}  # fmt: skip
    assert found == {edge: of_edge(STRENGTH, edge) for edge in EDGES}
    assert {node.get("id") for node in root.iterfind("g:graph/g:node", space)} == set(NAMES)
    graph = nx.read_graphml(io.BytesIO(raw))
    assert graph.is_directed()
    assert set(graph.edges) == set(EDGES)


def test_a_table_of_edges_goes_along_with_all_that_it_says_of_each():
    table = pd.DataFrame(EDGES, columns=["parent", "child"]).assign(found_again=[0.1, 0.5, 0.75, 1.0])
    odd = table.assign(verdict='says "≤5"\x00', real=[0.5, np.nan, 0.25, 1.0], close=True)
    raw = {suffix: graph_in(suffix, edges=odd) for suffix in ("json", "graphml", "dot", "csv", "svg")}
    graph, drawn = (
        nx.node_link_graph(json.loads(raw["json"]), edges="edges"),
        pygraphviz.AGraph(string=raw["dot"].decode()),
    )
    found, marked = graph.edges, nx.read_graphml(io.BytesIO(raw["graphml"])).edges
    assert graph.is_directed()
    assert list(graph.nodes) == list(NAMES)
    assert {node.replace("\\\\", "\\") for node in drawn.nodes()} == set(NAMES)
    assert set(found) == set(marked) == set(drawn.edges()) == set(EDGES)
    for row in odd.to_dict("records"):
        edge = row.pop("parent"), row.pop("child")
        known = {key: value for key, value in row.items() if value == value}
        assert found[edge] == known
        assert marked[edge] == known | {"verdict": 'says "≤5"␀'}
        attributes = drawn.get_edge(*edge).attr
        assert (float(attributes["found_again"]), attributes["verdict"]) == (known["found_again"], 'says "≤5"␀')
    assert list(pd.read_csv(io.BytesIO(raw["csv"])))[2:] == ["found_again", "verdict", "real", "close"]
    assert raw["svg"] == graph_in("svg", edges=table.rename(columns={"found_again": "strength"}))


def test_the_edge_table_has_bnlearn_s_columns():
    table = pd.read_csv(io.BytesIO(graph_in("csv", strength=STRENGTH, direction=DIRECTION)), dtype=str)
    assert list(table) == ["from", "to", "strength", "direction"]
    assert set(zip(table["from"], table["to"], strict=True)) == set(EDGES)
    for row in table.itertuples(index=False):
        assert float(row.strength) == of_edge(STRENGTH, (row[0], row[1]))
        assert float(row.direction) == of_edge(DIRECTION, (row[0], row[1]))
    assert list(pd.read_csv(io.BytesIO(graph_in("csv")))) == ["from", "to"]


def test_the_matrix_has_parents_in_rows():
    frame = pd.read_csv(io.BytesIO(graph_in("adjacency.csv")), index_col=0)
    assert list(frame.index) == list(frame.columns) == list(NAMES)
    assert {(parent, child) for parent in NAMES for child in NAMES if frame.loc[parent, child]} == set(EDGES)
    assert frame.to_numpy().sum() == len(EDGES)


def test_an_svg_is_xml_with_every_label_and_edge():
    root = ElementTree.fromstring(graph_in("svg", strength=STRENGTH))
    space = {"s": "http://www.w3.org/2000/svg"}
    assert {text.text for text in root.iterfind(".//s:text", space)} == set(NAMES)
    groups = [group.get("class") for group in root.iterfind(".//s:g", space)]
    assert groups.count("edge") == len(EDGES)
    assert groups.count("node") == len(NAMES)
    assert not any("href" in key for element in root.iter() for key in element.attrib)


ODD = st.sampled_from(["a\x00", "a␀", "\x01", "\ufffe", "%", "% fat"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8) | ODD, min_size=2, unique=True))
def test_svg_and_graphml_are_xml_for_any_names(names):
    names = names[:4]
    edges = [(names[0], name) for name in names[1:]]
    root = ElementTree.fromstring(graph_in("svg", names, edges))
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(texts)
    graph = nx.read_graphml(io.BytesIO(graph_in("graphml", names, edges)))
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (len(names), len(edges))
    if not any(name.isspace() for name in names):
        drawn = pygraphviz.AGraph(string=graph_in("dot", names, edges).decode())
        assert len(drawn.nodes()) == len(names)


def test_a_png_is_an_image_sharp_enough_for_slides():
    net = bn.load_network("alarm")
    with Image.open(io.BytesIO(graph_in("png", net.names, net.edges))) as image:
        image.load()
        assert image.format == "PNG"
        assert 1000 < image.width < 4000
        assert 700 < image.height < 4000
        dark = np.asarray(image.convert("L")) < 128
    assert 0.005 < dark.mean() < 0.3  # there is ink, on paper


def test_a_pdf_has_one_page_of_the_picture_s_size():
    raw = graph_in("pdf")
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
        ({"edges": pd.DataFrame({"from": ["A"], "to": ["B"]})}, "columns parent and child; it has from, to"),
        ({"edges": pd.DataFrame({"parent": ["A"], "child": ["B"], "to": ["C"]})}, "be no 'to'"),
    ],
)
def test_what_cannot_be_written_is_refused(change, says):
    given = {"names": ["A", "B"], "edges": [("A", "B")], "suffix": "csv"} | change
    with pytest.raises(ValueError, match=says):
        bn.write_graph(target=io.BytesIO(), **given)
