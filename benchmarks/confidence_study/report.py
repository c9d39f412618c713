"""The results as text: every number, and which sentence stands, comes from the raw table."""

from typing import Any

import pandas as pd
from scipy.stats import t as t_distribution

from benchmarks.confidence_study.evidence import EVIDENCE, QUESTIONS, RELIABILITY, Answer, evidence, reliability
from benchmarks.confidence_study.methods import BAGS, EXACT_UP_TO, METHODS
from benchmarks.report import Report, markdown, percent, short, signed, with_error
from benchmarks.scorer import BASE, SETTING
from bnengine._core.display import listed


def report_of(frame: pd.DataFrame, bins: pd.DataFrame) -> Report:
    """Return the text, and what pages and answers read."""
    main, held_out, about = frame[~frame["held_out"]], frame[frame["held_out"]], frame.attrs
    answers, judged = ([Answer(question, part) for question in QUESTIONS] for part in (main, held_out))
    parts = {
        "": [
            "# Which confidence to believe",
            "Written by `python -m benchmarks which_confidence report` from `which_confidence.parquet`; nothing here "
            "is typed by hand. Which code made that table stands in `made_by.json`; `python -m benchmarks` lists what "
            "is older than today's.",
            *map(recommendation, answers),
        ],
        "What was run": what_was_run(main, about),
        **{answer.question.name.capitalize(): question_section(answer) for answer in answers},
        "Held out": held_out_section(held_out, answers, judged, about) if len(held_out) else [],
        "How it was measured": measures_section(about),
    }
    return Report(
        confidence={name: "\n\n".join(part) for name, part in parts.items() if part},
        files={EVIDENCE: evidence(frame, {"chosen by": answers, "held out": judged}), RELIABILITY: reliability(bins)},
    )


def title(method: str) -> str:
    """Return a method in words."""
    return METHODS[method].title


def sizes(frame: pd.DataFrame) -> str:
    """Return how many variables and rows the tables have that figures come from, in words."""
    ends = [(frame[column].min(), frame[column].max()) for column in ("variables", "rows")]
    of = [f"{least:,} to {most:,}" if least < most else f"{least:,}" for least, most in ends]
    return f"{of[0]} variables and {of[1]} rows"


# The choice


def recommendation(answer: Answer) -> str:
    """Return which method should be offered first, how firm that is, and what it gains and loses."""
    choice, question, table = answer.choice, answer.question, answer.table
    line, second = table.loc[choice.method], table.loc[choice.ranked[1]]
    firm = "" if choice.share >= 0.9 else ", so these networks do not settle the order of the two"
    judged = "by log-loss and Brier score together" if len(question.deciding) > 1 else "in Σ |p − π|"
    return (
        f"**{question.name.capitalize()}: {title(choice.method)}** has the smallest worst regret {judged} among the "
        f"{len(choice.ranked)} methods computed in all {answer.n_settings} settings (tables of "
        f"{sizes(answer.frame)}): at worst {worst(line)} {question.unit} more than the best method of a "
        f"setting ({line['where']}), on average {short(line['regret'])}. Next is {title(choice.ranked[1])}: "
        f"{worst(second)} and {short(second['regret'])}. Sets of networks drawn with "
        f"replacement from these lead to the same choice in {percent(choice.share)} of cases{firm}. "
        + _against_leading(answer, choice.method)
    )


def worst(line: pd.Series) -> str:
    """Return a method's worst regret ± its standard error."""
    error = short(line["worst_error"], 2)
    return short(line["worst"]) + ("" if error == "–" else f" ± {error}")


def _against_leading(answer: Answer, method: str) -> str:
    line = answer.table.loc[method]
    if method == BASE:
        return "It is the method that the others are compared with."
    limit = t_distribution.ppf(0.975, max(line["networks"] - 1, 1))
    clear = abs(line["difference"]) > limit * line["error"]
    verdict = ("less" if line["difference"] < 0 else "more") if clear else "not clearly different"
    return (
        f"Against the corrected bootstrap its loss differs by {with_error(line['difference'], line['error'])} "
        f"{answer.question.unit} (mean over networks ± standard error: {verdict}); it is better in {line['won']} of "
        f"{line['settings']} settings and worse in {line['lost']}."
    )


# What was run, and how


def what_was_run(frame: pd.DataFrame, about: dict[str, Any]) -> list[str]:
    """Describe networks, sizes, scores, and how many tables each setting has."""
    rows = sorted(frame["rows"].unique())
    networks = frame.drop_duplicates(["network", "rows"]).pivot_table(
        index=["network", "variables", "true_edges"], columns="rows", values="rows_per_parameter", sort=False
    )
    counts = frame.groupby([*SETTING, "method"])["table"].size().groupby("method").agg(["size", "min", "median", "max"])
    return [
        f"{len(networks)} networks × {listed([f'{n:,}' for n in rows])} rows × {listed(frame['score'].unique())}, hill "
        f"climbing; {about['replicates']} replicates of each resampling method, π from {about['fresh']} fresh tables, "
        f"seed {about['seed']}. Rows per free parameter of the true network stand beside it.",
        markdown(
            ["Network", "Variables", "Edges", *(f"N/\\|θ\\| at {n:,}" for n in rows)],
            [[*network, *map(short, line[rows])] for network, line in networks.iterrows()],
        ),
        "Tables that each method was applied to (the same tables in the same order for every method and score):",
        markdown(
            ["Method", "Settings", "Fewest tables", "Median", "Most"],
            [[title(key), *(f"{n:g}" for n in counts.loc[key])] for key in METHODS if key in counts.index],
        ),
    ]


def measures_section(about: dict[str, Any]) -> list[str]:
    """Write definitions."""
    n = about["replicates"]
    return [
        "* All pairs of variables count; those that no method ever joins add nothing to the differences.\n"
        "* *Found again*: Σ |p − π| over adjacencies; π is that of the score that graphs are learned with, also for a "
        "method that does not use this score.\n"
        f"* *Real*: against the adjacencies of the true network. For log-loss every probability, of bootstraps "
        f"and posteriors alike, is moved off 0 and 1 as (n p + ½) / (n + 1) with n = {n}: none gains "
        "by being allowed nearer to certainty.\n"
        "* Differences are paired by table. Losses are divided by the true network's number of edges, so that large "
        "networks do not decide alone. Standard errors are over networks, which are the sampling units.\n"
        "* Regret: loss in a setting (network, rows, score) less that of the best method there, of those that were "
        "applied to several tables. The largest of many noisy differences is too large on average, for every method.\n"
        f"* Posteriors are exact up to {EXACT_UP_TO} variables and sampled above, with the same prior mass "
        "for each number of parents unless said to be flat (the same for each parent set); bagged ones are means over "
        f"{BAGS} resamples of the rows. They are the same for every score "
        "that graphs are learned with, and so are set against the confidences under each."
    ]


# One question


def question_section(answer: Answer) -> list[str]:
    """Tabulate all methods on one question."""
    question = answer.question
    return [
        f"Tables of {sizes(answer.frame)}. Losses in {question.unit}; differences to the corrected bootstrap, mean "
        "over networks ± standard error over networks; *in all*, of the sums over all settings; regret to the best "
        "method of each setting, at worst ± standard error over tables. Sorted by worst regret. *Won* and *lost*: "
        "settings with a smaller and with a larger mean.",
        all_methods(answer),
    ]


def all_methods(answer: Answer) -> str:
    """Tabulate one row per method."""
    rows = [
        [
            title(key) + ("" if m["settings"] == answer.n_settings else f" ({m['settings']} settings)"),
            with_error(m["difference"], m["error"]) if key != BASE else "–",
            f"{signed(100 * m['ratio'])} %" if key != BASE else "–",
            *(short(m["regret"]), worst(m), m["where"], m["won"], m["lost"]),
        ]
        for key, m in answer.table.iterrows()
    ]
    return markdown(["Method", "Difference", "In all", "Mean regret", "Worst regret", "There", "Won", "Lost"], rows)


def held_out_section(
    frame: pd.DataFrame, answers: list[Answer], judged: list[Answer], about: dict[str, Any]
) -> list[str]:
    """Return the choices of the main part, on networks that had no part in them."""
    parts = [
        f"Networks that no method was chosen by, tables of {sizes(frame)}. The choices above are judged here without "
        "choosing again.",
        *what_was_run(frame, about),
    ]
    for answer, here in zip(answers, judged, strict=True):
        method = answer.choice.method
        line = here.table.loc[method]
        parts += [
            f"**{answer.question.name.capitalize()}: {title(method)}** has place "
            f"{here.table.index.get_loc(method) + 1} of {len(here.table)} by worst regret ({worst(line)} "
            f"{answer.question.unit}, {line['where']}). {_against_leading(here, method)}",
            all_methods(here),
        ]
    return parts
