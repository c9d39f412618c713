"""The paper's two experiments: Table 1, its values beside ours, and Figure 1."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.resampling_methods import LABELS, TITLES
from bnengine.experiment.paper import HOW_TO_READ, SECOND, figure1_panel, figure1_panels
from bnengine.plots.confidence import figure1_figure
from bnengine.plots.methods import edges_figure
from bnengine.typing import Study
from pages.shared import frame, jobs, results, show, state
from pages.shared.benchmark_results import shipped
from pages.shared.downloads import take_away
from pages.shared.experiments import progress_of
from pages.shared.format import duration, escaped, plus_minus, short
from pages.shared.keys import Key
from pages.shared.run import run_state
from pages.shared.widgets.choice import choice, lazy_expander
from pages.shared.words import EVIDENCE as WORDS


def draw() -> None:
    """Repeat the experiments of Table 1, once for all visitors."""
    experiments = bn.paper.alarm_experiments()
    frame.without_settings()
    of = ({title: one.key for title, one in experiments.items()},)
    words, figure1 = st.columns([3, 1], vertical_alignment="center")
    heading = words.empty()
    show.finding("The paper's Table 1", heading)
    icon = ":material/play_arrow:"
    figure1.button("ALARM edge by edge", type="primary", icon=icon, key=Key.PAPER, on_click=run_state.open_figure1)
    studies = jobs.result_of(
        "table1",
        of,
        lambda progress: bn.paper.run_experiments(experiments, progress=progress),
        "graphs",
        for_all=complete,
    )
    if studies is None:
        return
    if not complete(studies):
        done = "; ".join(f"{escaped(title)}: {progress_of(study)}" for title, study in studies.items())
        jobs.offer_again("table1", of, f"Stopped early. The partial result is shown: {done}.")
    table = bn.paper.paper_table(studies)
    show.finding(sentence(table), heading)
    st.caption(WORDS["table1"])
    pictures(table)
    icon = ":material/help:"
    lazy_expander("Why our numbers differ from the paper's", "why", icon, lambda: why_ours_differ(experiments))
    take_away(
        ("Table", table, "table1.csv"),
        code="studies = bn.paper.run_experiments(bn.paper.alarm_experiments())\nprint(bn.paper.paper_table(studies))\n",
    )
    show.note(on_spreads(shipped("measured")["spreads"]), "spreads")
    second_experiment()


def complete(studies: dict[str, Study]) -> bool:
    """Return whether all replicates of all experiments were learned."""
    return not any(study.status == "stopped" for study in studies.values())


_PANELS = 2  # side by side
_MORE = {True: "more", False: "fewer"}


def sentence(table: pd.DataFrame) -> str:
    """Say how many more or fewer edges than the data's graph those of both bootstraps have, over the experiments."""
    by_method = table.pivot(index="experiment", columns="method", values="mean")
    parts = []
    for key in ("bootstrap", "bootstrap_corrected"):
        excess = (by_method[key] - by_method["data"]).dropna() if key in by_method else pd.Series(dtype=float)
        if len(excess):
            low, high = float(excess.min()), float(excess.max())
            start = short(abs(low)) if low * high > 0 else f"{short(abs(low))} {_MORE[low > 0]}"
            words = short(abs(high)) if low == high else f"{start} to {short(abs(high))}"
            parts.append(f"the {TITLES[key]} **{words} {_MORE[high > 0]}**")
    if not parts:
        return "No graphs were learned from replicates yet."
    return f"Edges compared with the graph of the data: {', '.join(parts)}."


def pictures(table: pd.DataFrame) -> None:
    """Show a panel for each experiment, and the table."""
    means, spreads = table[["mean", "paper_mean"]], table[["sd", "paper_sd"]].fillna(0.0).to_numpy()
    least, most = float((means - spreads).min().min()), float((means + spreads).max().max())
    margin = 0.05 * (most - least) + 0.5
    titles = list(dict.fromkeys(table["experiment"]))
    for first in range(0, len(titles), _PANELS):
        for column, title in zip(st.columns(_PANELS, gap="medium"), titles[first : first + _PANELS], strict=False):
            column.markdown(f"**{escaped(title)}**")
            lines = table[table["experiment"] == title]
            figure = edges_figure(lines, state.dark(), most + margin, least - margin)
            show.chart(figure, f"edges {title}", f"Number of edges by method, {title}", column)
    st.caption(
        "Mean and standard deviation of the number of edges over the replicates. Dotted line: given data."
        + (" Open marks: values reported in the paper." if table["paper_mean"].notna().any() else "")
    )
    shown = side_by_side(table).T.rename_axis("Experiment")  # five methods fit where eight experiments do not
    st.dataframe(shown, width="stretch", column_config=show.columns(shown, {}))


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """Tabulate methods as rows, experiments as columns, each followed by the paper's values if there are any."""
    columns = {}
    for title, lines in table.groupby("experiment", sort=False):
        methods, named = lines["method"].map(LABELS).rename("Method"), str(title).removeprefix("ALARM, ")
        for start, source in (("", ""), ("paper, ", "paper_")):
            if lines[f"{source}mean"].notna().any():
                texts = list(map(plus_minus, lines[f"{source}mean"], lines[f"{source}sd"]))
                columns[f"{start}{named}"] = pd.Series(texts, index=methods)
    return pd.DataFrame(columns)


# The second experiment, and Figure 1, which the paper draws of it.

_RECIPE = bn.Recipe("sample", "regulon_320")
_SCORES = {"bdeu": "BDeu, α = 25", "bic": "BIC"}
_RUNS = (40, 80, 160, 320)
_OURS, _PAPERS = "invented genes", "paper: pheromone"


def second_experiment() -> None:
    """Show the published values, and run the experiment on a table of the same size once that is asked for."""
    st.header("The second experiment: simulated annealing", anchor=False)
    st.caption(WORDS["annealing"])
    left, right, _ = st.container(key=Key.wide("second")).columns([1, 1, 2], gap="medium")
    ess = 25.0 if choice("Score", _SCORES, Key.SECOND_SCORE, left) == "bdeu" else None
    n = choice("Runs of each method", _RUNS, Key.SECOND_RUNS, right, first=80)
    experiment = bn.paper.annealing_experiment(_RECIPE, n, ess)
    study = annealed(experiment)
    published = SECOND if ess else "BIC"
    table = bn.paper.paper_table({published: study} if study else {})
    columns = side_by_side(table).T.to_dict("index") if study else {}
    shown = pd.DataFrame({_OURS: next(iter(columns.values()), {}), _PAPERS: _published() if ess else {}})
    if study is None:
        if ess:
            st.dataframe(shown[[_PAPERS]].T.rename_axis("Data"), width="stretch")
        return
    show.finding(sentence(table))
    panels = [pair for pair in figure1_panels(study) if set(pair) <= set(study.keys)]
    for place, (across, up) in zip(st.columns(3, gap="small"), panels, strict=False):
        with place:
            panel = figure1_panel(study, across, up)
            show.chart(figure1_figure(panel, state.dark()), f"annealing {across} {up}", panel.description, square=True)
    st.caption(f"Figure 1 as the paper draws it, one mark per edge, on this table. {HOW_TO_READ}")
    st.dataframe(shown.dropna(axis=1, how="all").T.rename_axis("Data"), width="stretch")
    take_away(
        ("Table", table, "annealing.csv"),
        ("Edges", study.edge_table(), "annealing_edges.csv"),
        code=f"import bnengine as bn\n\nexperiment = bn.paper.annealing_experiment(bn.{_RECIPE!r}, {n}, {ess})\n"
        "study = experiment.run()\nprint(study.table1())\nbn.plots.figure1(study)\n",
    )


def _published() -> dict[str, str]:
    return {LABELS[key]: plus_minus(mean, sd) for key, (mean, sd) in bn.paper.PUBLISHED[SECOND].items()}


def annealed(experiment: bn.Experiment) -> Study | None:
    """Return what is known of the experiment; None before its button is pressed, which says how long it takes."""
    data = experiment.load()
    of = (data, experiment.key)
    known: Study | None = results.stored(results.key_of(_ANNEALING, *of))
    if known is None:
        seconds = jobs.result_of(
            "timing", of, lambda _: bn.paper.expected_seconds(experiment, data), "Timing a run", counted=False
        )
        if seconds is None:
            return None
        so_far: list[Study] = []
        return jobs.result_of(
            _ANNEALING,
            of,
            lambda progress: experiment.run(data, progress=progress, seen=so_far.append),
            "graphs",
            ("Run the second experiment", f"About {duration(seconds)} on this computer."),
            so_far=so_far,
        )
    if known.status == "stopped":
        jobs.offer_again(_ANNEALING, of, f"Stopped early. The partial result is shown: {progress_of(known)}.")
    return known


_ANNEALING = "annealing"


def on_spreads(found: dict[str, Any]) -> str:
    """Say what was found about the standard deviations, which are smaller than the paper's."""
    lines = found["lines"]
    shares = [line["most"] / line["published"] for line in lines]
    names = dict.fromkeys(name for line in lines for name in line["candidates"])
    reached = [sum(line["candidates"].get(name, 0) >= line["published"] for line in lines) for name in names]
    within = [line["least"] ** 2 <= line["published"] <= line["most"] ** 2 for line in lines]
    of_bic = [one for one, line in zip(within, lines, strict=True) if line["experiment"].endswith("BIC")]
    mean, sd = bn.paper.PUBLISHED[SECOND]["bootstrap"]
    return (
        f"**The paper's standard deviations are unexplained.** On {lines[0]['tables']} fresh tables, with "
        f"{found['replicates']} replicates each, the largest that we find is {short(min(shares))} to "
        f"{short(max(shares))} times the paper's, and as large in {sum(one >= 1 for one in shares)} of the "
        f"{len(lines)} cells of ALARM. We also tried, one by one: {', '.join(names)}; none reaches the "
        f"paper's in more than {max(reached)} of the cells to which it applies. Read as *variances*, {sum(within)} of "
        f"the {len(lines)} numbers, {sum(of_bic)} of the {len(of_bic)} under BIC, lie in the range of those tables. If "
        "edges came and went "
        "independently, the variance could not exceed the mean; on the pheromone data "
        f"{short(sd)}² is {short(sd**2 / mean)} times the mean."
    )


# Remarks on the paper's values: their difference from ours, and the effect of the settings.

_SAMPLES = 100


def why_ours_differ(experiments: Mapping[str, bn.Experiment]) -> None:
    """Show the paper's numbers of edges compared with those of new samples from the network."""
    table = jobs.complete_result_of(
        "fresh samples",
        ({title: experiment.key for title, experiment in experiments.items()}, _SAMPLES),
        lambda progress: bn.paper.fresh_samples(experiments, _SAMPLES, progress=progress),
        "new samples",
    )
    if table is None or not len(table):
        return
    show.note(WORDS["why_ours_differ"].format(found=finding(table)), "why ours differ", small=False)
    shown = {
        "learned graph": table["experiment"],
        "paper": list(map(short, table["paper"])),
        f"{_SAMPLES} new samples": list(map(plus_minus, table["mean"], table["sd"])),
        "least to most": [f"{a} to {b}" for a, b in zip(table["least"], table["most"], strict=True)],
    }
    show.table(shown)


def finding(table: pd.DataFrame) -> str:
    """Return the number of experiments in which the paper's value is outside the range of new samples."""
    outside = table[(table["paper"] < table["least"]) | (table["paper"] > table["most"])]
    start = "The rows are another sample from the same network, and graphs learned from different samples differ"
    if not len(outside):
        return f"{start}: each of the paper's values is within the range of {_SAMPLES} new samples."
    listed = "; ".join(
        f"{escaped(line.experiment)}: {short(line.paper)} edges in the paper, {line.least} to {line.most} in new "
        f"samples (mean {short(line.mean)})"
        for line in outside.itertuples()
    )
    return (
        f"{start}. This does not explain all differences: in {len(outside)} of {len(table)} experiments the paper's "
        f"value is outside the range of {_SAMPLES} new samples of that size ({listed}). The difference is "
        "**unexplained**."
    )
