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


def experiment() -> bn.Experiment:
    """Declare ALARM, 300 rows, BDeu, K2 with the true ordering, 200 replicates: what the front page's button runs."""
    search = bn.K2(tuple(bn.load_network("alarm").ordering))
    return bn.Experiment(
        bn.Recipe("sample", "alarm_300"), bn.BDeu(1.0), search=search, methods=("bootstrap", "bootstrap_corrected")
    )


def numbers() -> dict[str, Any]:
    """Return each edge's naive and corrected confidence, whether ALARM has it, and mean numbers of edges.

    ``more`` holds how many edges the naive bootstrap's graphs have beyond that of the data, on average, in each of the
    paper's four experiments; ``picture`` is what the browser draws: the learned graph, with replicates to play.
    """
    study = experiment().run()
    table = study.edge_table()
    naive, corrected = (f"confidence_{key}" for key in ("bootstrap", "bootstrap_corrected"))
    seen = table[(table[naive] > 0) | (table[corrected] > 0)]
    every = bn.paper.alarm_experiments().values()
    naive_only = [dataclasses.replace(one, methods=("bootstrap",)).run() for one in every]
    edges = bn.load_network("alarm").edges
    known = set(map(frozenset, edges))
    again = redraws(study, experiment().load(), False, ("ALARM", edges))
    assert again is not None, "both bootstraps have replicates"
    graphs = {key: own[:_PLAYED] for key, own in again.graphs.items()}
    played = dataclasses.replace(again, graphs=graphs, rows=again.rows[:_PLAYED])
    picture = dataclasses.replace(learned_picture(study.reference, False), redraws=played, width_hint=_WIDTH)
    return {
        "picture": picture.spec(),
        "more": [one.mean_edges("bootstrap") - one.mean_edges("data") for one in naive_only],
        "rows": experiment().load().n_rows,
        "replicates": study.ensembles["bootstrap"].n_graphs,
        "mean_edges": {key: study.mean_edges(key) for key in ("data", "bootstrap", "bootstrap_corrected")},
        "edges": [
            [str(parent), str(child), float(x), float(y), frozenset((parent, child)) in known]
            for parent, child, x, y in zip(seen["parent"], seen["child"], seen[naive], seen[corrected], strict=True)
        ],
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(numbers(), indent=None, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(numbers()['edges'])} edges written to {FILE.name}")
