"""Local scores as other programs compute them, in nats, and the same kept in a file for where they are not installed.

``python -m tests.peers.scores_of_peers`` asks every peer that is installed and writes what it answers to the file.
"""

import importlib.metadata
import json
import math
from pathlib import Path

import bnengine as bn
from tests import naive
from tests.strategies import make_data

FILE = Path(__file__).with_name("scores.json")
FAMILIES = naive.all_families(4)


def tables():
    """A table that shows every joint state, and one that shows few: there some peers define scores differently."""
    full = make_data([2, 3, 4, 2], 1000, seed=8, dependence=0.3)
    sparse = make_data([2, 3, 4, 2], 12, seed=8, unseen=1.0)
    assert full.multiplicities.size == 2 * 3 * 4 * 2
    assert sparse.multiplicities.size <= 12
    return {"full": full, "sparse": sparse}


#: Our score by (peer, its word for it, table). pyAgrum's AIC takes nats from bits; pgmpy's and pyAgrum's marginal
#: likelihoods are other functions where parent configurations are unseen. K2 of pyAgrum is good to about 1e-7.
COMPARED = {
    **{("pyagrum", word, table): score for word, score in (("Log2Likelihood", bn.LogLikelihood()), ("BIC", bn.BIC()))
       for table in ("full", "sparse")},
    ("pyagrum", "K2", "full"): bn.K2Score(),
    **{("pgmpy", word, table): score for word, score in
       (("LogLikelihood", bn.LogLikelihood()), ("BIC", bn.BIC()), ("AIC", bn.AIC())) for table in ("full", "sparse")},
    ("pgmpy", "K2", "full"): bn.K2Score(),
    ("pgmpy", "BDeu", "full"): bn.BDeu(10),
    ("pgmpy", "BDs", "full"): bn.BDs(10),
    **{("bnlearn", word, table): score for word, score in
       (("loglik", bn.LogLikelihood()), ("bic", bn.BIC()), ("aic", bn.AIC()), ("k2", bn.K2Score()),
        ("bde", bn.BDeu(10)), ("bds", bn.BDs(10)), ("fnml", bn.FNML()), ("qnml", bn.QNML()))
       for table in ("full", "sparse")},
}  # fmt: skip


def tolerance(peer, word):
    """In nats."""
    return 1e-5 if (peer, word) == ("pyagrum", "K2") else 1e-8


PACKAGES = {"pyagrum": "pyagrum", "pgmpy": "pgmpy", "bnlearn": "bnlearn-port"}


def by_pyagrum(data, word):
    """PyAgrum's scores are in bits."""
    import pyagrum

    template = pyagrum.BayesNet()
    for name, states in zip(data.names, data.states, strict=True):
        template.add(pyagrum.LabelizedVariable(name, name, list(states)))
    learner = pyagrum.BNLearner(data.to_frame().astype(str), template)
    getattr(learner, f"useScore{word}")()
    if word != "K2":
        learner.useNoPrior()
    names = data.names
    return [learner.score(names[child], [names[p] for p in parents]) * math.log(2) for child, parents in FAMILIES]


def by_pgmpy(data, word):
    import pgmpy.structure_score

    states = {name: list(values) for name, values in zip(data.names, data.states, strict=True)}
    settings = {"equivalent_sample_size": 10} if word in ("BDeu", "BDs") else {}
    peer = getattr(pgmpy.structure_score, word)(data.to_frame(), state_names=states, **settings)
    names = data.names
    return [float(peer.local_score(names[child], tuple(names[p] for p in parents))) for child, parents in FAMILIES]


def by_bnlearn(data, word):
    """Of each family the score of the child in the graph that has no other edges."""
    import pybnlearn

    frame = data.to_frame()
    settings = {"iss": 10} if word in ("bde", "bds") else {}
    values = []
    for child, parents in FAMILIES:
        given = ":".join(data.names[p] for p in parents)
        words = [f"[{name}|{given}]" if v == child and parents else f"[{name}]" for v, name in enumerate(data.names)]
        graph = pybnlearn.model2network("".join(words))
        values.append(float(pybnlearn.score(graph, frame, type=word, by_node=True, **settings)[data.names[child]]))
    return values


ASK = {"pyagrum": by_pyagrum, "pgmpy": by_pgmpy, "bnlearn": by_bnlearn}


def kept():
    """What the peers answered when the file was written, by peer, their word for the score, and table."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def main():
    """Write the file; what a peer that is not installed has answered before stays."""
    answers = kept() if FILE.exists() else {}
    for peer, word, table in COMPARED:
        try:
            version = importlib.metadata.version(PACKAGES[peer])
        except importlib.metadata.PackageNotFoundError:
            continue
        of_peer = answers.setdefault(peer, {"version": version, "scores": {}})
        of_peer["version"] = version
        of_peer["scores"].setdefault(word, {})[table] = ASK[peer](tables()[table], word)
    FILE.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
