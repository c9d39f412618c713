"""What to expect of the edges above the threshold: how many are real, and how many would be found again."""

from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.experiment.two_answers import expected_false
from pages._shared import show
from pages._shared.figures.methods import TITLES
from pages._shared.format import counted, plus_minus, short
from pages._shared.sections.confidence.threshold import Asked
from pages._shared.sections.confidence.words import probability


def expectations(asked: Asked, network: AveragedNetwork) -> None:
    """Expected false edges and precision by the posterior; expected number of edges found again."""
    n, pairs = len(network.edges), asked.pairs
    if not n:
        return
    again = float(pairs.found_again[network.adjacency].sum())
    text = f"Found again? **{short(again)}** of {n} expected in a fresh table ({TITLES[asked.key]})."
    if asked.real is not None:
        false, error = expected_false(asked.real, network.adjacency, asked.pair_kind)
        precision = probability(1 - false / n, error / n)
        false_edges = f"{plus_minus(false, error, 2)} false edges" if error else counted(false, "false edge")
        text += f" Real? **{false_edges}** expected, precision **{precision}** (posterior)."
    show.note(text, "expected", small=False)
