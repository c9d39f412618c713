"""Where the graph learned from the data and the averaged network disagree, with both answers about each edge."""

from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.experiment.two_answers import disagreements, turned
from pages._shared import show
from pages._shared.downloads import csv_button
from pages._shared.figures.methods import JOINS
from pages._shared.format import counted
from pages._shared.sections.confidence.answers import answer_titles, edges_in_one
from pages._shared.sections.confidence.threshold import Asked

RULES = {"averaged": "the averaged network", "consensus": "the consensus network"}


def disagreement_list(asked: Asked, network: AveragedNetwork, rule: str) -> None:
    """Pairs that only one of the two graphs joins."""
    where = {"data": "the graph learned from the data", "averaged": RULES[rule]}
    learned = asked.study.reference.adjacency
    table = disagreements(learned, network, asked.pairs)
    other_way = turned(learned, network)
    only = {key: int((table["only_in"] == key).sum()) for key in where}
    text = (
        f"**{counted(only['data'], 'edge')}** only in {where['data']}, **{counted(only['averaged'], 'edge')}** only "
        f"in {where['averaged']}, whatever their direction."
    )
    if other_way:
        text += f" {counted(other_way, 'edge')} in both, but in opposite directions."
    show.note(text, "disagreements", small=False)
    if not len(table):
        return
    shown = edges_in_one(table, JOINS["directed" if asked.kind != "adjacency" else "adjacency"])
    shown["only_in"] = shown["only_in"].map(where)
    titles = answer_titles(asked.pairs, shown) | {"only_in": ("Only in", {"width": "medium"})}
    show.table(shown, titles, height=min(38 + 35 * len(shown), 320))
    csv_button("Disagreements", table, "disagreements.csv")
