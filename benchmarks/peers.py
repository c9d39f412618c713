"""Other programs' searches, each in a process of its own, in an environment of its own, within a time limit.

    python -m venv peers && peers/bin/pip install pyagrum pybnesian bnlearn-port pgmpy causal-learn
    BNENGINE_PEERS=peers/bin/python python -m benchmarks searches run

This file runs in both environments: ``ask`` in ours, ``answer`` in theirs. What is timed is learning alone, in
processor seconds of all threads; reading the file and importing are not.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

TABU_SIZE, TABU_PATIENCE = 100, 100  # bnengine's defaults
RESTARTS, CHANGES = 20, 5

#: What a search in another program gives: its edges, parent and child.
Edges = Iterable[tuple[str, str]]
#: A learning that has read its file already, called with the clock running.
Learning = Callable[[], Edges]


def _frame(file: str, states: dict[str, list[str]]) -> Any:
    import pandas as pd

    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    return pd.DataFrame({name: pd.Categorical(frame[name], labels) for name, labels in states.items()})


def pyagrum_learner(
    file: str,
    states: Mapping[str, Sequence[str]],
    score: str = "BIC",
    order: list[int] | None = None,
    tabu: bool = False,
) -> Any:
    """Return a learner of one thread for greedy hill climbing, with a tabu list, or K2 where an order is given.

    Its BDeu is another score than ours, and the same work. States are declared: it need not look for them in each file.
    """
    with warnings.catch_warnings():  # where these are errors, its bindings bring the whole interpreter down
        warnings.simplefilter("ignore", DeprecationWarning)
        import pyagrum

    net = pyagrum.BayesNet()
    for name, labels in states.items():
        net.add(pyagrum.LabelizedVariable(name, name, list(labels)))
    learner = pyagrum.BNLearner(file, net)
    learner.setNumberOfThreads(1)
    learner.useNoPrior()
    if score == "BIC":
        learner.useScoreBIC()
    else:
        learner.useScoreBDeu()
    if tabu:
        learner.useLocalSearchWithTabuList(TABU_SIZE, TABU_PATIENCE)
    elif order is None:
        learner.useGreedyHillClimbing()
    else:
        learner.useK2(order)
    return learner


def _pyagrum(file: str, states: dict[str, list[str]], score: str, tabu: bool = False) -> Learning:
    learner, names = pyagrum_learner(file, states, score, tabu=tabu), list(states)
    return lambda: [(names[parent], names[child]) for parent, child in learner.learnDAG().arcs()]


def _bnlearn(file: str, states: dict[str, list[str]], score: str, algorithm: str = "hc", **how: Any) -> Learning:
    """Learn by ``hc`` under the score, or by an algorithm with a score of its own; empty cells are missing."""
    import pybnlearn

    frame = _frame(file, states)
    pybnlearn.set_seed(1)
    if algorithm == "hc":
        how |= {"score": "bic"} if score == "BIC" else {"score": "bde", "iss": 1}
    learn = partial(getattr(pybnlearn, algorithm), frame, **how)
    return lambda: [(str(parent), str(child)) for parent, child in pybnlearn.arcs(learn())]


def _pybnesian(file: str, states: dict[str, list[str]], score: str) -> Learning:
    import pybnesian

    frame = _frame(file, states)
    start = pybnesian.DiscreteBN(list(states))

    def learn() -> Edges:
        asked = pybnesian.BIC(frame) if score == "BIC" else pybnesian.BDe(frame, 1)
        return pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), asked, start).arcs()

    return learn


def _pgmpy(file: str, states: dict[str, list[str]], score: str) -> Learning:
    from pgmpy.causal_discovery import HillClimbSearch

    frame = _frame(file, states)
    search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
    return lambda: search.fit(frame).causal_graph_.edges()


def _causal_learn(file: str, states: dict[str, list[str]], score: str, boss: bool = False) -> Learning:
    """Learn with its BDeu: a prior over numbers of parents with λ = (V − 1) / 2 makes all graphs equally likely."""
    import numpy as np
    from causallearn.search.PermutationBased.BOSS import boss as find_by_orders
    from causallearn.search.ScoreBased.GES import ges
    from causallearn.utils.PDAG2DAG import pdag2dag

    frame, names = _frame(file, states), list(states)
    codes = np.column_stack([frame[name].cat.codes for name in names]).astype(float)
    parameters = {"sample_prior": 1, "structure_prior": (len(names) - 1) / 2}

    def learn() -> Edges:
        if boss:
            found = find_by_orders(codes, "local_score_BDeu", parameters, verbose=False)
        else:
            found = ges(codes, "local_score_BDeu", parameters=parameters)["G"]
        ends = pdag2dag(found).graph
        return [(names[i], names[j]) for i, j in np.argwhere((ends == -1) & (ends.T == 1))]

    return learn


#: The one that learns from tables with missing cells (``missing.py``).
STRUCTURAL_EM = "bnlearn-port, structural EM"
#: By name: the search, and the scores that it has and bnengine has too.
PROGRAMS: dict[str, tuple[Callable[[str, dict[str, list[str]], str], Learning], tuple[str, ...]]] = {
    "pyAgrum, greedy hill climbing": (_pyagrum, ("BIC",)),
    "pyAgrum, tabu list": (partial(_pyagrum, tabu=True), ("BIC",)),
    "PyBNesian, hc": (_pybnesian, ("BIC", "BDeu(1)")),
    "bnlearn-port, hc": (_bnlearn, ("BIC", "BDeu(1)")),
    "bnlearn-port, hc, 20 restarts": (partial(_bnlearn, restart=RESTARTS, perturb=CHANGES), ("BIC", "BDeu(1)")),
    "pgmpy, hill climbing with a tabu list": (_pgmpy, ("BIC",)),
    "causal-learn, GES": (_causal_learn, ("BDeu(1)",)),
    "causal-learn, BOSS": (partial(_causal_learn, boss=True), ("BDeu(1)",)),
    STRUCTURAL_EM: (partial(_bnlearn, algorithm="structural_em"), ()),
}

#: How often a program joins each pair in replicates of a table: two variables, and the share.
Shares = list[tuple[str, str, float]]


def _boot_strength(file: str, states: dict[str, list[str]], replicates: int) -> Shares:
    import pybnlearn

    pybnlearn.set_seed(1)
    how: dict[str, Any] = {"replicates": replicates, "algorithm_args": {"score": "bic"}}
    found = pybnlearn.boot_strength(_frame(file, states), "hc", **how)
    return list(zip(found["from"], found["to"], found["strength"].astype(float), strict=True))


def _resampled(search: str, file: str, states: dict[str, list[str]], replicates: int) -> Shares:
    """Bootstrap a program that has no bootstrap of its own."""
    import pandas as pd

    frame, joined = pd.read_csv(file, dtype=str, keep_default_na=False), Counter[tuple[str, ...]]()
    with tempfile.TemporaryDirectory() as folder:
        resample = str(Path(folder) / "resample.csv")
        for seed in range(replicates):
            frame.sample(len(frame), replace=True, random_state=seed).to_csv(resample, index=False)
            joined.update(tuple(sorted(edge)) for edge in PROGRAMS[search][0](resample, states, "BIC")())
    return [(a, b, count / replicates) for (a, b), count in joined.items()]


#: By name: the bootstrap of a program's hill climbing under BIC, and its number of replicates.
BOOTSTRAPS: dict[str, tuple[Callable[[str, dict[str, list[str]], int], Shares], int]] = {
    "bnlearn-port, boot.strength": (_boot_strength, 200),
    "pyAgrum, bootstrap": (partial(_resampled, "pyAgrum, greedy hill climbing"), 200),
    "pgmpy, bootstrap": (partial(_resampled, "pgmpy, hill climbing with a tabu list"), 20),
}


def answer() -> None:
    """Answer the question on the standard input with one line of JSON."""
    warnings.simplefilter("ignore")
    printed, sys.stdout = sys.stdout, sys.stderr  # what the programs print is no answer
    limit, program, file, states, score = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        if program in BOOTSTRAPS:
            bootstrap, replicates = BOOTSTRAPS[program]
            found: dict[str, Any] = {"shares": bootstrap(file, states, replicates)}
        else:
            learn = PROGRAMS[program][0](file, states, score)
            start = time.process_time()
            found = {"edges": [list(edge) for edge in learn()], "seconds": time.process_time() - start}
    except Exception as refused:  # whatever another program raises
        found = {"refused": f"{type(refused).__name__}: {refused}"}
    print(json.dumps(found), file=printed, flush=True)


def ask(python: str, limit: int, program: str, data: Any, score: str = "BIC") -> dict[str, Any]:
    """Return what the program of an interpreter's environment finds in a ``Dataset``.

    ``edges`` and processor ``seconds`` of a search, ``shares`` of a bootstrap; or, in words, why it ``refused``: it may
    take ``limit`` processor seconds, importing and reading included.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, states = str(Path(folder) / "data.csv"), dict(zip(data.names, map(list, data.states), strict=True))
        data.to_frame().to_csv(file, index=False)
        question = json.dumps([limit, program, file, states, score])
        command = [python, "-W", "ignore", __file__]
        done = subprocess.run(command, input=question, capture_output=True, text=True, check=False)
    if not done.stdout:  # what dies after its answer has answered
        late = done.returncode == -signal.SIGXCPU
        return {"refused": f"no graph within {limit} s" if late else "the process died"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    answer()
