"""The results as text: every number, and which sentence stands, comes from the raw table."""

from __future__ import annotations

import pandas as pd
from scipy.stats import t as t_distribution

from benchmarks.report import listed, markdown, percent, short, signed, with_error
from benchmarks.scorer import LEVEL, SETTING, ahead_on_average, compared, losses, sure

from .by_search import by_search_section
from .methods import METHODS
from .questions import BANDS, FOUND_AGAIN, MEASURE_NAMES, REAL, Answer, Question, band_name
from .sections import calibration_section, cost_section, directed_section, measures_section, pi_section

_LISTED = 8  # settings in a list of the worst


def report(
    frame: pd.DataFrame, bins: pd.DataFrame, figures: dict[str, str], by_search: pd.DataFrame | None = None
) -> str:
    """Return the whole text; ``figures`` are the files by name, ``by_search`` the raw table of searches compared."""
    main, held_out = frame[~frame["held_out"]], frame[frame["held_out"]]
    answers = {q.name: Answer(q, main) for q in (FOUND_AGAIN, REAL)}
    parts = [
        "# Which confidence to believe",
        "Written by `benchmarks/which_confidence.py report` from `which_confidence.parquet`; nothing here is typed by "
        "hand. Which code made that table stands in `made_by.json`; `python -m benchmarks` lists what is older than "
        "today's.",
        *(recommendation(answer) for answer in answers.values()),
        "## What was run",
        what_was_run(main, frame.attrs),
    ]
    for answer in answers.values():
        parts += question_section(answer, figures)
    parts += [
        "## Calibration of *real*",
        f"![Reliability]({figures['reliability']})",
        *calibration_section(main, bins[~bins["held_out"]], answers[REAL.name].choice.method),
        "## Directed edges",
        *directed_section(main),
        "## Cost",
        cost_section(main),
    ]
    if by_search is not None:
        parts += ["## What the search does to confidence", *by_search_section(by_search, frame)]
    if len(held_out):
        parts += ["## Held out", *held_out_section(held_out, answers, frame.attrs)]
    parts += ["## How it was measured", measures_section(frame.attrs)]
    return "\n\n".join(parts) + "\n"


def title(method: str) -> str:
    """Return a method in words."""
    return METHODS[method].title


def recommendation(answer: Answer) -> str:
    """Return which method should be offered first, how firm that is, and what it gains and loses."""
    choice, question = answer.choice, answer.question
    line, second = answer.line(choice.method), answer.line(choice.runner_up)
    complete = int((answer.table["settings"] == answer.n_settings).sum())
    firm = "" if choice.share >= 0.9 else ", so these networks do not settle the order of the two"
    judged = "smallest worst regret" + (
        " by log-loss and Brier score together" if len(question.deciding) > 1 else " in Σ |p − π|"
    )
    return (
        f"**{question.name.capitalize()}: {title(choice.method)}** has the {judged} among the {complete} methods "
        f"computed in all {answer.n_settings} settings: at worst {short(line['worst'])} {question.unit} more than the "
        f"best method of a setting ({line['where']}), on average {short(line['regret'])}. Next is "
        f"{title(choice.runner_up)}: {short(second['worst'])} and {short(second['regret'])}. Sets of networks drawn "
        f"with replacement from these lead to the same choice in {percent(choice.share)} of cases{firm}. "
        + _single(answer)
        + _smallest_mean(answer)
        + _against_leading(answer, choice.method)
    )


def _smallest_mean(answer: Answer) -> str:
    """Return the complete method with the smallest mean regret, where it is not the first."""
    complete = answer.table[answer.table["settings"] == answer.n_settings]
    line = complete.loc[complete["regret"].idxmin()]
    if line["method"] == answer.choice.method:
        return ""
    ahead, error, share = ahead_on_average(answer.losses, line["method"], answer.choice.method)
    sets = f"in {percent(share)} of the resampled sets of networks{'' if share >= 0.9 else ': undecided'}"
    by = f"{short(ahead)} ± {short(error, 2)} {answer.question.unit}"
    return (
        f"On average the {title(line['method'])} is nearest to the best: mean regret {short(line['regret'])}, at worst "
        f"{short(line['worst'])}. It is ahead of the {title(answer.choice.method)} by {by} on average, {sets}. "
    )


def _single(answer: Answer) -> str:
    """Return the best method that is not a mean of others, where the first is one."""
    if not METHODS[answer.choice.method].mean_of:
        return ""
    method = next(key for key in answer.choice.ranked if not METHODS[key].mean_of)
    line = answer.line(method)
    return (
        f"The best that is not a mean of two methods is the {title(method)}: {short(line['worst'])} and "
        f"{short(line['regret'])}. "
    )


def _against_leading(answer: Answer, method: str) -> str:
    line, unit = answer.line(method), answer.question.unit
    if method == "leading":
        return "It is the method that the others are compared with."
    limit = t_distribution.ppf(1 - LEVEL / 2, max(line["networks"] - 1, 1))
    clear = abs(line["difference"]) > limit * line["error"]
    verdict = ("less" if line["difference"] < 0 else "more") if clear else "not clearly different"
    return (
        f"Against the corrected bootstrap its loss differs by {with_error(line['difference'], line['error'])} {unit} "
        f"(mean over networks ± standard error: {verdict}); it is better in {line['won']} of {line['settings']} "
        f"settings and worse in {line['lost']}."
    )


def what_was_run(frame: pd.DataFrame, about: dict) -> str:
    """Describe networks, sizes, scores, and how many tables each setting has."""
    networks = frame.drop_duplicates("network")
    lines = [
        [str(n.network), str(n.variables), str(n.true_edges), *_per_parameter(frame, n.network)]
        for n in networks.itertuples()
    ]
    sizes = sorted(frame["rows"].unique())
    counts = frame.groupby([*SETTING, "method"])["table"].size().groupby("method").agg(["size", "min", "median", "max"])
    per_method = [
        [title(key), *(f"{c[column]:g}" for column in ("size", "min", "median", "max"))]
        for key, c in ((k, counts.loc[k]) for k in METHODS if k in counts.index)
    ]
    return "\n\n".join(
        [
            f"{len(networks)} networks × {listed(f'{n:,}' for n in sizes)} rows × "
            f"{listed(frame['score'].unique())}, hill climbing; {about['replicates']} replicates of each resampling "
            f"method, π from {about['fresh']} fresh tables, seed {about['seed']}. Rows per free parameter of the true "
            "network stand beside it.",
            markdown(["Network", "Variables", "Edges", *(f"N/\\|θ\\| at {n:,}" for n in sizes)], lines),
            "Tables that each method was applied to (the same tables in the same order for every method and score):",
            markdown(["Method", "Settings", "Fewest tables", "Median", "Most"], per_method),
            *_refused(about["refused"]["held out" if frame["held_out"].any() else "chosen by"]),
        ]
    )


def _refused(found: dict[str, list[str]]) -> list[str]:
    """List the methods that could not be applied everywhere, with one of the reasons."""
    return [
        f"Not everywhere applicable: the {title(key)}, refused in {len(where)} of the settings ({where[0]})."
        for key, where in found.items()
    ]


def _per_parameter(frame: pd.DataFrame, network: str) -> list[str]:
    own = frame[frame["network"] == network].drop_duplicates("rows").sort_values("rows")
    return [short(value) for value in own["rows_per_parameter"]]


def question_section(answer: Answer, figures: dict[str, str]) -> list[str]:
    """Tabulate all methods on one question, by rows per parameter, score, network, and where the first choice loses."""
    question = answer.question
    return [
        f"## {question.name.capitalize()}",
        f"![{question.name}]({figures[question.name]})",
        f"Losses in {question.unit}; differences to the corrected bootstrap, mean over networks ± standard error over "
        "networks; *in all*, of the sums over all settings; regret to the best method of each setting. Sorted by worst "
        "regret. *Won* and *lost*: settings with a smaller and with a larger mean.",
        all_methods(answer),
        *elsewhere_unknown(answer),
        *(pi_section(answer.frame) if question is FOUND_AGAIN else []),
        "### By rows per parameter of the setting",
        "Mean difference to the corrected bootstrap ± standard error over networks; the smallest in bold.",
        by_band(answer),
        "### By score that graphs are learned with",
        by_group(answer, "score"),
        "### By network",
        by_group(answer, "network"),
        "### Where the first choice loses",
        head_to_head(answer, answer.choice.method),
        where_it_loses(answer),
    ]


def all_methods(answer: Answer) -> str:
    """Tabulate one row per method."""
    rows = [
        [
            title(m["method"]) + ("" if m["settings"] == answer.n_settings else f" ({m['settings']} settings)"),
            with_error(m["difference"], m["error"]) if m["method"] != "leading" else "–",
            f"{signed(100 * m['ratio'])} %" if m["method"] != "leading" else "–",
            short(m["regret"]),
            short(m["worst"]),
            m["where"],
            str(m["won"]),
            str(m["lost"]),
        ]
        for _, m in answer.table.iterrows()
    ]
    return markdown(["Method", "Difference", "In all", "Mean regret", "Worst regret", "There", "Won", "Lost"], rows)


def elsewhere_unknown(answer: Answer) -> list[str]:
    """Compare methods that were computed in some settings only, against the first choice in these."""
    paired = losses(answer.frame, answer.question.measure, answer.choice.method)
    there = compared(paired).set_index("method")
    texts = [
        f"{title(key)} {with_error(line['difference'], line['error'])} ({line['settings']} settings, "
        f"{line['networks']} networks, better in {line['won']})"
        for key, line in there.iterrows()
        if line["settings"] < answer.n_settings
    ]
    if not texts:
        return []
    return [
        f"Computed in some settings only, difference there to the {title(answer.choice.method)}: {'; '.join(texts)}."
    ]


def by_band(answer: Answer) -> str:
    """Return the mean differences by rows per parameter."""
    bands = {band_name(*band): answer.band(*band) for band in BANDS}
    tables = {name: compared(band).set_index("method") for name, band in bands.items() if len(band)}
    rows = []
    for method in answer.table["method"]:
        cells = []
        for found in tables.values():
            if method not in found.index:
                cells.append("–")
                continue
            line = found.loc[method]
            text = with_error(line["difference"], line["error"]) if method != "leading" else "0"
            complete = found[found["settings"] == found["settings"].max()]
            cells.append(f"**{text}**" if line["difference"] == complete["difference"].min() else text)
        rows.append([title(method), *cells])
    n = {name: len(band[SETTING].drop_duplicates()) for name, band in bands.items()}
    return markdown(["Method", *(f"{name} ({n[name]} settings)" for name in tables)], rows)


def by_group(answer: Answer, column: str) -> str:
    """Return the mean losses by score or by network.

    The smallest of the methods that are there in every setting in bold.
    """
    losses = answer.losses
    means = losses.pivot_table(index="method", columns=column, values="loss", aggfunc="mean", sort=False)
    counts = losses.pivot_table(index="method", columns=column, values="loss", aggfunc="size", sort=False)
    best = means.where(counts == counts.max()).min()
    rows = []
    for method in answer.table["method"]:
        whole = counts.loc[method] == counts.max()
        line = [
            "–" if not whole[key] else f"**{short(value)}**" if value == best[key] else short(value)
            for key, value in means.loc[method].items()
        ]
        rows.append([title(method), *line])
    return markdown(["Method", *map(str, means.columns)], rows)


def where_it_loses(answer: Answer) -> str:
    """Return the settings in which the chosen method is worse than the corrected or the naive bootstrap."""
    method, question = answer.choice.method, answer.question
    texts = []
    for base in [key for key in ("leading", "naive") if key != method]:
        paired = against(answer.frame, question, method, base)
        lost = paired[paired["difference"] > 0].sort_values("difference", ascending=False)
        beyond = sure(paired)
        surely = [int((beyond & (sign * paired["difference"] > 0)).sum()) for sign in (-1, 1)]
        worst = [
            f"{row.network}, N = {row.rows:,}, {row.score} (by {short(row.difference)})"
            for row in lost.head(_LISTED).itertuples()
        ]
        where = f", most in {'; '.join(worst)}" if worst else ""
        several = int((paired["tables"] > 1).sum())
        certain = (
            f" Of the {several} settings with several tables it is surely better in {surely[0]} and surely worse in "
            f"{surely[1]}."
            if several
            else " One table a setting: no single setting is sure."
        )
        texts.append(
            f"Against the {title(base)}, the {title(method)} is better in {len(paired) - len(lost)} of {len(paired)} "
            f"settings and worse in {len(lost)}{where}.{certain}"
        )
    return "\n\n".join(texts)


def against(frame: pd.DataFrame, question: Question, method: str, base: str) -> pd.DataFrame:
    """Tabulate paired differences of one method to another in each setting."""
    found = losses(frame, question.measure, base)
    return found[found["method"] == method]


def held_out_section(frame: pd.DataFrame, answers: dict[str, Answer], about: dict) -> list[str]:
    """Return the choices of the main part, on networks that had no part in them."""
    parts = [
        "Networks that no method was chosen by. The choices above are judged here without choosing again.",
        what_was_run(frame, about),
    ]
    for name, answer in answers.items():
        here, method = Answer(answer.question, frame), answer.choice.method
        if method not in set(here.table["method"]):
            parts.append(f"**{name.capitalize()}**: {title(method)} was not computed here.")
            continue
        place = list(here.table["method"]).index(method) + 1
        line = here.line(method)
        parts += [
            f"**{name.capitalize()}: {title(method)}** has place {place} of {len(here.table)} by worst regret "
            f"({short(line['worst'])} {answer.question.unit}, {line['where']}). {_against_leading(here, method)}",
            head_to_head(here, method),
            all_methods(here),
        ]
    return parts


def head_to_head(answer: Answer, method: str) -> str:
    """Say in how many settings a method has the smaller losses than the naive and the corrected bootstrap."""
    texts = []
    for measure in answer.question.deciding:
        counts = []
        for base in [key for key in ("naive", "leading") if key != method]:
            found = losses(answer.frame, measure, base)
            own = found[found["method"] == method]
            counts.append(f"the {title(base)} in {int((own['difference'] < 0).sum())} of {len(own)}")
        texts.append(f"{MEASURE_NAMES[measure]} than {listed(counts)}")
    return f"Settings in which it has a smaller {'; a smaller '.join(texts)}."
