"""Reading and writing networks in BIF."""

import gzip
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core.setting_kinds import composed
from bnengine.data import reading_options
from bnengine.networks.bundled import SAMPLES, network_names

SMALL = """
network small { property author "me; {others}"; }
// a line
variable rain { type discrete [ 2 ] { no, yes }; property position = (10, 20); }
variable wet { type discrete [ 3 ] { dry, damp, wet }; }
/* several
   lines { } ; */
probability ( rain ) { table 0.75, 0.25; }
probability ( wet | rain ) {
  (yes) 0.125, 0.125, 0.75;
  (no) 5.0e-1, 2.5E-01, +2.5e-1;
}
"""


def read(text):
    return bn.read_bif(io.BytesIO(text.encode()))


def same(one, other):
    """Whether two networks are equal to the last bit; a title may lose characters that a file cannot hold."""
    return (one.names, one.states, one.parents) == (other.names, other.states, other.parents) and all(
        (a == b).all() for a, b in zip(one.tables, other.tables, strict=True)
    )


def again(network):
    target = io.BytesIO()
    bn.write_bif(network, target)
    return bn.read_bif(io.BytesIO(target.getvalue()))


def test_a_small_file_against_what_it_says():
    network = read(SMALL)
    assert network.title == "small"
    assert network.names == ("rain", "wet")
    assert network.states == (("no", "yes"), ("dry", "damp", "wet"))
    assert network.parents == ((), (0,))
    assert network.tables[0].tolist() == [[0.75, 0.25]]
    assert network.tables[1].tolist() == [[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]]


#: Variables, edges and parameters as the repository that publishes the networks states them.
PUBLISHED = {
    "alarm": (37, 46, 509),
    "andes": (223, 338, 1157),
    "asia": (8, 8, 18),
    "cancer": (5, 4, 10),
    "child": (20, 25, 230),
    "earthquake": (5, 4, 10),
    "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453),
    "insurance": (27, 52, 1008),
    "regulon": (33, 43, 891),  # of our own making
    "sachs": (11, 17, 178),
    "survey": (6, 6, 21),
    "water": (32, 66, 10083),
    "win95pts": (76, 112, 574),
}


@pytest.mark.parametrize("name", network_names())
def test_bundled_networks_against_published_sizes(name):
    network = bn.load_network(name)
    assert (len(network.names), len(network.edges), network.n_parameters) == PUBLISHED[name]
    assert network.title == name


@pytest.mark.parametrize("name", network_names())
def test_bundled_networks_come_back_exactly_invariant(name):
    network = bn.load_network(name)
    assert same(again(network), network)


def test_a_path_plain_or_packed(tmp_path):
    network = read(SMALL)
    bn.write_bif(network, tmp_path / "n.bif")
    (tmp_path / "n.bif.gz").write_bytes(gzip.compress((tmp_path / "n.bif").read_bytes()))
    for name in ("n.bif", "n.bif.gz"):
        assert same(bn.read_bif(tmp_path / name), network)
        assert bn.read_bif(str(tmp_path / name), title="other").title == "other"


def test_quoted_words_scientific_numbers_and_other_dress():
    quoted = SMALL.replace("{ no, yes }", '{ "no", "yes" }').replace("variable wet", 'variable "wet"')
    assert same(read(quoted), read(SMALL))
    packed = re.sub(r"\s*([{}()\[\],;|])\s*", r"\1", SMALL)
    assert same(read(packed), read(SMALL))
    assert same(bn.read_bif(io.BytesIO(SMALL.encode("utf-8-sig"))), read(SMALL))
    assert bn.read_bif(io.BytesIO(SMALL.replace("damp", "fröst").encode("latin-1"))).states[1][1] == "fröst"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (SMALL, "", "the file declares no variable"),
        (SMALL, "a,b\n1,2\n", "expected network, variable or probability but found 'a' "),
        ("[ 2 ]", "[ 3 ]", "variable 'rain' .* 3 states but lists 2"),
        ("{ no, yes }", "{ }", "variable 'rain' "),
        ("probability ( rain ) { table 0.75, 0.25; }", "", "variable 'rain' has no probability block"),
        ("(no) 5.0e-1, 2.5E-01, +2.5e-1;", "", r"block of 'wet' lacks a .*configuration.*: \(rain=no\)"),
        ("(no)", "(maybe)", "block of 'wet' names the state 'maybe', which is not declared"),
        ("wet | rain", "wet | sun", "block of 'wet' names 'sun', which is not a variable"),
        ("0.75, 0.25;", "0.75;", "block of 'rain' has 1 numbers; 2 are needed"),
        ("0.75, 0.25;", "0.75, much;", "probabilities of 'rain' contain .*: 0.75 much"),
        ("0.75, 0.25;", "nan, 0.25;", "block of 'rain' lacks its probabilities"),
        ("0.75, 0.25;", "inf, 0.25;", "probabilities of 'rain' contain inf,"),
        ("0.75, 0.25;", "-0.5, 1.5;", "probabilities of 'rain' contain -0.5,"),
        ("0.75, 0.25;", "0.75, 0.5;", r"'rain' .* row 1 sums to 1\.25; probabilities are 0 or more and sum to 1"),
        ("5.0e-1, 2.5E", "0.75, 2.5E", r"'wet' has a row .* row 1, given rain=no, sums to 1\.25"),
        ("(no) 5", "(yes) 5", r"block of 'wet' gives the row \(yes\) twice; keep one"),
        (
            "(no) 5.0e-1, 2.5E-01, +2.5e-1;",
            "default 1, 0, 0; default 0, 1, 0;",
            "'wet' has two default lines; keep one",
        ),
        ("table 0.75, 0.25;", "table 0.75, 0.25; table 0.5, 0.5;", "block of 'rain' gives its table twice; keep one"),
        (
            "probability ( wet",
            "probability ( rain ) { table 0.5, 0.5; }\nprobability ( wet",
            "variable 'rain' has two probability blocks; keep one",
        ),
        ("+2.5e-1;\n}", "+2.5e-1", "the file ends in the middle of a block"),
        ("probability ( rain )", "probability ( )", "probability"),
        ("variable wet {", "variable rain {", "rain"),
        ("dry, damp, wet", "dry, dry, wet", "dry"),
        ("wet | rain", "wet | rain, rain", "rain"),
    ],
)
def test_errors_say_where(old, new, says):
    assert old in SMALL
    with pytest.raises(bn.DataError, match=says):
        read(SMALL.replace(old, new))


@given(st.data())
def test_any_damage_gives_a_network_or_a_value_error_invariant(draws):
    words = re.findall(r"\s+|[\w.+-]+|.", SMALL)
    for _ in range(draws.draw(st.integers(1, 3))):
        place = draws.draw(st.integers(0, len(words) - 1))
        words[place : place + draws.draw(st.integers(0, 2))] = [draws.draw(st.sampled_from(["", *sorted(set(words))]))]
    try:
        network = read("".join(words))
        written = again(network)
    except ValueError:
        return
    assert same(written, network)


def test_damaged_files_are_refused(tmp_path):
    packed = gzip.compress((SAMPLES / "networks" / "asia.bif").read_bytes())
    for damaged in (packed[:60], packed[:12] + b"\xff" * 12 + packed[24:]):
        with pytest.raises(bn.DataError, match="damaged gzip file; pack or download it again"):
            bn.read_bif(io.BytesIO(damaged))
    with pytest.raises(ValueError, match="no bundled network is named 'iris'; there are alarm, "):
        bn.load_network("iris")


NAMES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=2, max_size=5)


@given(NAMES.map(lambda words: tuple(dict.fromkeys(map(composed, [*words, "≤1", "le_1"])))))
def test_any_names_come_back_from_a_file_of_identifiers_invariant(words):
    """Which is what pyAgrum and bnlearn read; both pass over properties."""
    tables = np.full((1, len(words)), 1 / len(words)), np.full((len(words), 2), 0.5)
    network = bn.BayesianNetwork(words[:2], (words, ("≤0", "0")), ((), (0,)), tables)
    assert same(again(network), network)
    target = io.BytesIO()
    bn.write_bif(network, target)
    lines = [line for line in target.getvalue().decode().splitlines() if not line.startswith("  property original = ")]
    plain = read("\n".join(lines))
    assert len(set(plain.states[0])) == len(words)
    assert all(re.fullmatch(r"[A-Za-z]\w*", word, re.ASCII) for word in plain.names)
    assert all(re.fullmatch(r"[A-Za-z]\w*|-?[0-9]+", word, re.ASCII) for word in plain.states[0])


def test_cut_numbers_are_words_that_other_programs_read():
    states = ("≤44.5", "44.5–70.5", ">70.5", "<=1", "-1", "Größe", "table", "(missing)", "le_1")
    long = bn.BayesianNetwork(("Wie oft, wenn überhaupt; (a/b) " * 15,), (("a", "b"),), ((),), (np.full((1, 2), 0.5),))
    assert again(long).names == long.names
    network = bn.BayesianNetwork(("Größe (cm)",), (states,), ((),), (np.full((1, 9), 1 / 9),))
    target = io.BytesIO()
    bn.write_bif(network, target)
    (words,) = re.findall(r"\{ (.*) \}", target.getvalue().decode())
    expected = "le_44_5, x44_5_to_70_5, gt_70_5, le_1_2, -1, Gro_e, table_, missing, le_1"
    assert words == expected
    assert b"variable Gro_e_cm {" in target.getvalue()


@pytest.mark.parametrize(
    ("property_", "found"),
    [
        ('original = "Rain", "kein", "ja"', ("Rain", ("kein", "ja"))),
        ('original = "Rain"', ("rain", ("no", "yes"))),
        ("original", ("rain", ("no", "yes"))),
        ('original = "wet", "no", "yes"', ("rain", ("no", "yes"))),  # another variable has this name
        ('original = "rain", "no", "no"', ("rain", ("no", "yes"))),
    ],
)
def test_original_names_count_if_there_is_one_for_each(property_, found):
    text = SMALL.replace("property position = (10, 20)", f"property {property_}")
    assert (read(text).names[0], read(text).states[0]) == found


def test_packed_networks_are_bounded_while_they_are_unpacked(monkeypatch):
    """A file that would unpack to a gigabyte; its first word would otherwise be refused, at the end of all memory."""
    monkeypatch.setattr(reading_options, "LIMITS", reading_options.Limits(network_megabytes=1))
    bomb = gzip.compress(b"network n {}" + b" " * 2**24)
    with pytest.raises(bn.DataError, match="larger than 1 MB"):
        bn.read_bif(io.BytesIO(bomb))


@pytest.mark.parametrize("n_parents", [27, 30, 2000])
def test_tables_are_counted_before_they_are_made(n_parents):
    """Each parent doubles the table; 30 of them would ask for 16 GB."""
    names = [f"p{k}" for k in range(n_parents)]
    text = "".join(f"variable {name} {{ type discrete [ 2 ] {{ 0, 1 }}; }}\n" for name in [*names, "c"])
    text += "".join(f"probability ( {name} ) {{ table 0.5, 0.5; }}\n" for name in names)
    text += f"probability ( c | {', '.join(names)} ) {{ default 0.5, 0.5; }}"
    with pytest.raises(bn.DataError, match=f"with the {n_parents} parents of 'c' .* more than 50,000,000 cells"):
        read(text)
