"""The numbers of the picture on the front page: the paper's first experiment on the bundled ALARM sample.

Run ``python -m benchmarks.home_figure`` (ten seconds). It writes ``pages/shared/home_figure.json``;
``tests/pages/test_front.py`` computes the same numbers again.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

import bnengine as bn
from bnengine.plots.redraws import redraws
from bnengine.plots.verdict_drawing import learned_picture

#: Replicates to play on the front page, and the width of their picture there, pixels.
_PLAYED, _WIDTH = 60, 1150
FILE = Path(__file__).parents[1] / "pages" / "shared" / "home_figure.json"


def numbers() -> dict[str, Any]:
    """Return each edge's naive and corrected confidence, whether ALARM has it, and mean numbers of edges.

    ``more`` holds how many edges the naive bootstrap's graphs have beyond that of the data, on average, in each of the
    paper's four experiments; ``picture`` is what the browser draws: the learned graph, with replicates to play.
    """
    every, naive, corrected = bn.paper.alarm_experiments(), "bootstrap", "bootstrap_corrected"
    experiment = dataclasses.replace(every["ALARM, N = 300, BDeu"], methods=(naive, corrected))
    study = experiment.run()
    table = study.edge_table()
    confidence = [f"confidence_{key}" for key in (naive, corrected)]
    seen = table[(table[confidence] > 0).any(axis=1)]
    naive_only = [dataclasses.replace(one, methods=(naive,)).run() for one in every.values()]
    edges = bn.load_network("alarm").edges
    known = set(map(frozenset, edges))
    again = redraws(study, experiment.load(), False, ("ALARM", edges))
    assert again is not None, "both bootstraps have replicates"
    graphs = {key: own[:_PLAYED] for key, own in again.graphs.items()}
    played = dataclasses.replace(again, graphs=graphs, rows=again.rows[:_PLAYED])
    picture = dataclasses.replace(learned_picture(study.reference, False), redraws=played, width_hint=_WIDTH)
    return {
        "picture": picture.spec(),
        "more": [one.mean_edges(naive) - one.mean_edges("data") for one in naive_only],
        "rows": experiment.load().n_rows,
        "replicates": study.ensembles[naive].n_graphs,
        "mean_edges": {key: study.mean_edges(key) for key in ("data", naive, corrected)},
        "edges": [
            [str(parent), str(child), float(x), float(y), frozenset((parent, child)) in known]
            for parent, child, x, y in seen[["parent", "child", *confidence]].itertuples(index=False)
        ],
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(numbers(), indent=None, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(numbers()['edges'])} edges written to {FILE.name}")
