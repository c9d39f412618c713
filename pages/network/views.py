"""The views of a network: one layout, one switch; the picture on the left, the list of its edges on the right."""

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from bnengine.answers.reliability import ends_sentence
from bnengine.answers.verdict import MEANINGS, UNSURE
from bnengine.answers.views import OF_BOOTSTRAPS, VIEWS, NetworkView, learned_view, threshold_view, verdict_view
from bnengine.bootstrap.resampling_methods import LABELS, TITLES, default_method
from bnengine.plots import verdict_drawing as drawing
from bnengine.plots.network_drawing import MOST_DRAWN
from bnengine.scores.edge_effect import EdgeEffect
from bnengine.text import short_labels
from bnengine.typing import LearnedGraph
from pages.network import edge_drawer, export, found_by, methods, naive, trust, variable
from pages.network.run import Run
from pages.network.threshold import chosen_threshold
from pages.shared import redraws, show, state
from pages.shared.benchmark_results import on_strengths
from pages.shared.format import counted, escaped, expected_count, percent, probability
from pages.shared.keys import Key
from pages.shared.run import run_state
from pages.shared.state import persistent
from pages.shared.widgets import edge_list
from pages.shared.widgets.choice import choice, fragment, tabs
from pages.shared.widgets.constraints_control import chosen_part, part_shown
from pages.shared.widgets.edge_list import Group, Line, group_of
from pages.shared.words import NETWORK as WORDS

REAL_HELP = WORDS["real"].format(ends=ends_sentence())
_NETWORK = "network"
_LONGEST_NAME = 34  # characters in the list; the full name is at the pointer
#: The edges of a known network, if it is laid over the picture.
Known = frozenset[tuple[str, str]] | None


def learned_only(graph: LearnedGraph) -> None:
    """Show the learned graph while nothing is known of its edges."""
    left, _ = columns()
    with left:
        whole = drawing.learned_picture(graph, state.dark())
        picture = chosen_part(whole, _NETWORK)
        show.chart(picture, _NETWORK, f"Learned graph with {counted(len(graph.edges), 'edge')}")
        show.note(part_shown(picture, whole), "verdict")


@fragment
def draw(run: Run) -> None:
    """Draw the switch, the chosen view with its list, what can be exported, and what stands below."""
    bar = st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key=Key.BAR)
    name = tabs("View", VIEWS, Key.VIEW, bar, first=run_state.view())
    if st.query_params.get(Key.VIEW, run_state.FIRST_VIEW) != name:  # so that it survives loading the page again
        st.query_params[Key.VIEW] = name
    notes = st.container()
    left, right = columns()
    with notes:
        view = replace(chosen_view(run, name), signed=bool(state.get(Key.SIGNS)), short=export.short_in_use(run))
    latest = naive.shown(run) if name in OF_BOOTSTRAPS else run
    with left:
        if name not in OF_BOOTSTRAPS:
            draw_network(run, view, bar)
        elif not (naive.is_known(latest) or run.bootstraps_first):  # the whole page once, if that waits for others
            st.rerun()
        elif name == "naive":
            naive.draw(latest)
        else:
            redraws.draw(latest.study, run.data, run.reference, drawing.arranging(run.found))
    with right:
        if name in OF_BOOTSTRAPS:
            naive.draw_list(latest)
        else:
            draw_list(run, view)
    with bar:
        export.menu(run, view)
    trust.draw(run)
    methods.draw(run)
    found_by.draw(run, view)
    edge_drawer.offer(run)
    variable.offer(run, view, _NETWORK)


def columns() -> list["st.delta_generator.DeltaGenerator"]:
    """Return the places of the picture and of the list."""
    return st.container(key=Key.wide(_NETWORK)).columns([3, 2], gap="medium")


def chosen_view(run: Run, name: str) -> NetworkView:
    """Return the chosen view, with its own controls and one sentence about it above it."""
    if name == "learned":
        view = learned_view(run.found, run.graph)
        proved = f" (optimal{run.on_draw})" if run.graph.status == "optimal" else ""
        show.note(f"**{counted(len(run.graph.edges), 'edge')}**{proved}{beside_verdict(view)}.", "view")
    elif name == "threshold":
        at = chosen_threshold(run)
        view = verdict_view(run.found) if at is None else threshold_view(run.found, at)
        show.note(threshold_sentence(run, view), "view")
    else:
        view = verdict_view(run.found)
        if name == "naive":
            naive.controls(run)
    return view


def beside_verdict(view: NetworkView) -> str:
    """Say how a view differs from the verdict."""
    more, fewer = int(view.only_here.sum()), int(view.not_here.sum())
    parts = [*([f"{more:,} only here"] if more else []), *([f"{fewer:,} only in the verdict"] if fewer else [])]
    return f": {', '.join(parts)}" if parts else ", the same as in the verdict"


def threshold_sentence(run: Run, view: NetworkView) -> str:
    """Say how many edges the threshold keeps, and how many of them are expected to be false."""
    n = int(view.shown.sum())
    text = f"**{counted(n, 'edge')}** found again in {percent(view.threshold or 0.0)} or more{beside_verdict(view)}."
    if run.real is None or not n:
        return text
    number = expected_count(*view.expected_false(run.real))
    return f"{text} **{number}** of them {'is' if n == 1 else 'are'} expected to be false."


def shows_bootstraps() -> bool:
    """Return whether the view needs the replicates of both bootstraps, which the page then waits for."""
    return run_state.view() in OF_BOOTSTRAPS


def draw_network(run: Run, view: NetworkView, bar: "st.delta_generator.DeltaGenerator") -> None:
    """Draw the network; what changes how it is drawn goes to the bar."""
    fixed = drawing.arranging(run.found)
    with bar.popover("Picture", icon=":material/visibility:", type="tertiary"):
        st.toggle("Strength and sign", **persistent(Key.SIGNS), help=WORDS["signs"])
        if run.reference is not None:
            label = f"Lay the reference over it ({escaped(run.reference.name)})"
            st.toggle(label, **persistent(Key.TRUTH_OVER), help="Colours then show which edges it has.")
        found_again_by(run)
        part = st.container()
    known = known_in(run)
    whole = drawing.view_picture(view, state.dark(), chosen=state.chosen_edge(), known=known, arrange=fixed)
    node = state.chosen_node()
    whole = replace(whole, chosen=view.names.index(node)) if node in view.names else whole
    large = len(run.found.names) > MOST_DRAWN  # then the choice is in sight
    picture = chosen_part(whole, _NETWORK, None if large else part, drawing.main_parts(view))
    alt = f"Network with {counted(int(view.shown.sum()), 'edge')} coloured by verdict; arrows: settled directions"
    show.chart(picture, _NETWORK, alt, clickable=True)
    show.note(" ".join([part_shown(picture, whole), *remarks(run, view, known)]), "verdict")


def found_again_by(run: Run) -> None:
    """Let the visitor choose the method that says what is found again, once all methods are known."""
    if set(run.experiment.methods_run) <= {*run.methods, "data"} and len(run.methods) > 1:
        titles = {key: LABELS[key] for key in run.methods}
        first = default_method(run.methods)
        if choice("Found again by", titles, Key.AVERAGED, first=first, help=WORDS["found_again"]) != run.method:
            st.rerun()


def remarks(run: Run, view: NetworkView, known: Known) -> list[str]:
    """Say how to read the picture, how much of a known network was found, and what depends on the preparation."""
    notes = ["Arrow: the direction is settled. Line: it is open. Click an edge for details."]
    if known is not None:
        place = {name: v for v, name in enumerate(view.names)}
        found = sum(bool(view.shown[i, j] or view.shown[j, i]) for i, j in (map(place.__getitem__, p) for p in known))
        are = "is" if found == 1 else "are"
        notes.append(f"{found:,} of {counted(len(known), 'edge')} of the reference {are} here.")
    ensemble = run.study.ensembles[run.method]
    by = f"Found again by: {TITLES[run.method]}"
    if ensemble.n_graphs < ensemble.n_planned:
        by += "" if ensemble.status == "stopped" else ", a first look"
        by += f" after {ensemble.n_graphs:,} of {ensemble.n_planned:,} replicates"
    notes.append(f"{by}.")
    if text := run.found.preparation_sentence:
        notes.append(f":material/view_column: {escaped(text)}{WORDS['depends'] if run.found.depends.any() else ''}")
    return notes


# The list of the edges beside the network, by verdict.


def draw_list(run: Run, view: NetworkView) -> None:
    """List the edges of the view by verdict, then those that only the verdict has."""
    heads = [("Found again", WORDS["found_again"]), *([("Real", REAL_HELP)] if run.found.has_posterior else [])]
    heads.append(("Strength", WORDS["strength"].format(measured=on_strengths())))
    known = known_in(run)
    parts = [
        (kind, MEANINGS[kind], drawing.verdict_look(kind, state.dark()), rows)
        for kind, rows in view.rows().groupby("verdict", sort=False)
    ]
    if view.not_here.any():
        parts.append((drawing.NOT_HERE, "", drawing.absent_look(state.dark()), run.found.rows(view.not_here)))
    line = partial(line_of, run, known=known, labels=short_labels(run.found.names, _LONGEST_NAME))
    groups = [group_of(kind, in_known(rows, known) + about, look, rows, line) for kind, about, look, rows in parts]
    if view.name == "verdict" and run.found.several:
        lines = [Line((one.child, one.group[0]), one.in_brief,
                      (percent(one.found_again), probability(one.real), ""), one.sentence)
                 for one in run.found.several]  # fmt: skip
        look = drawing.verdict_look(UNSURE, state.dark())
        groups.append(Group(f"One of several ({len(lines):,})", WORDS["several"], look, tuple(lines)))
    if not groups:
        st.caption("No edge to list.")
        return
    edge_list.draw(heads, groups, Key.table(_NETWORK), "Edges by verdict")


def known_in(run: Run) -> Known:
    """Return the edges of the known network if they are laid over the picture."""
    return frozenset(run.reference.edges) if run.reference and state.get(Key.TRUTH_OVER) else None


def in_known(rows: pd.DataFrame, known: Known) -> str:
    """Say how many edges the known network has, if it is laid over the picture."""
    if known is None:
        return ""
    marks = [drawing.mark_of(line, known) for line in rows.itertuples()]
    turned = f", {marks.count('⇄'):,} of them reversed" if "⇄" in marks else ""
    return f"In the reference: {len(marks) - marks.count('✗'):,}{turned}. "


def strength(effect: EdgeEffect | None) -> str:
    """Write the strength of an association in a few letters."""
    return "" if effect is None else f"{effect.in_brief}{', weak' if effect.is_weak else ''}"


def line_of(run: Run, line: "pd.core.frame.Pandas", known: Known, labels: dict[str, str]) -> Line:
    """Return one edge as a line of the list: its name, both numbers, one sentence."""
    ends, effect = (str(line.parent), str(line.child)), run.found.effect(str(line.parent), str(line.child))
    depends = "*" if run.found.depends[run.data.index(ends[0]), run.data.index(ends[1])] else ""
    numbers = [percent(line.found_again), *([f"{probability(line.real)}{depends}"] if run.found.has_posterior else [])]
    numbers.append(strength(effect))
    mark = "" if known is None else drawing.mark_of(line, known)
    full = "" if ends == (labels[ends[0]], labels[ends[1]]) else f"{' and '.join(ends)}: "
    sentence = f"{full}{run.found.sentence(*ends)}"
    sentence += f" {effect.sentence}" if effect else ""
    sentence += f" {drawing.REVERSED.capitalize()}." if mark == "⇄" else ""
    join = "→" if line.direction == "settled" else "–"
    return Line(ends, f" {join} ".join(map(labels.__getitem__, ends)), tuple(numbers), sentence, mark)
