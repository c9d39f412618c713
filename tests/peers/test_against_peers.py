"""Scores and networks against other people's programs: asked where they are installed, else by what they answered."""

import itertools

import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests.peers import scores_of_peers as peers


def ours(score, table):
    scores = LocalScores(peers.tables()[table], score)
    return [scores(child, parents) for child, parents in peers.FAMILIES]


@pytest.mark.parametrize(("peer", "word", "table"), peers.COMPARED)
def test_local_scores_against_what_the_peer_answered(peer, word, table):
    expected = peers.kept()[peer]["scores"][word][table]
    assert ours(peers.COMPARED[peer, word, table], table) == pytest.approx(expected, abs=peers.tolerance(peer, word))


@pytest.mark.parametrize("name", ["asia", "alarm", "insurance"])
def test_reading_bif_against_pyagrum(name):
    pyagrum = pytest.importorskip("pyagrum")
    from bnengine.networks.bundled import SAMPLES

    ours, theirs = bn.load_network(name), pyagrum.loadBN(str(SAMPLES / "networks" / f"{name}.bif"))
    assert sorted(ours.names) == sorted(theirs.names())
    assert sorted(ours.edges) == sorted(
        (theirs.variable(i).name(), theirs.variable(j).name()) for i, j in theirs.arcs()
    )
    for v, child in enumerate(ours.names):
        table = theirs.cpt(child)
        assert ours.states[v] == theirs.variable(child).labels()
        for j, configuration in enumerate(itertools.product(*(ours.states[p] for p in ours.parents[v]))):
            given = {ours.names[p]: state for p, state in zip(ours.parents[v], configuration, strict=True)}
            theirs_row = [table[{**given, child: state}] for state in ours.states[v]]
            assert ours.tables[v][j] == pytest.approx(theirs_row, abs=1e-6)
