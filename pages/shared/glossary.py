"""The words of this field in plain English, one click away on every page."""

import streamlit as st

from pages.shared.benchmark_results import on_directions
from pages.shared.keys import Key

#: Each term in one or two sentences, in alphabetical order.
TERMS = {
    "ALARM": "A network of 37 variables for monitoring patients (Beinlich et al. 1989), often used to test learning.",
    "Bayesian network": "Variables joined by directed edges without a cycle, and for each variable a table of "
    "probabilities given its parents.",
    "BDeu": "Score: the log probability of the data given the graph, with a Dirichlet prior that treats equivalent "
    "graphs alike. Its one setting is the equivalent sample size.",
    "BIC": "Score: the maximum log-likelihood minus ½ ln N per free parameter. Minus BIC, in bits, is the MDL.",
    "Bit": "Unit of information: what one toss of a fair coin tells. 1 bit = 0.693 nats.",
    "Bootstrap": "Draw N rows from the N rows of the data with replacement, again and again, and learn a graph from "
    "each: what varies between the graphs is uncertain.",
    "Calibrated": "Of the edges given a confidence near 0.7, about 70% are what the confidence says they are.",
    "Compelled edge": "An edge directed alike in all graphs of an equivalence class.",
    "Confidence": "Share of replicates whose graph has the edge. An estimate of π, not the probability that the edge "
    "is real.",
    "Corrected": "Learned with a score from which the bootstrap's bias is subtracted: about ½ nat per free parameter "
    "(Steck & Jaakkola 2003).",
    "CPDAG": "The picture of an equivalence class: compelled edges are directed, the others are not.",
    "Cross-validation": "Split the rows into folds; predict each fold from a network learned on the others.",
    "DAG": "Directed acyclic graph: directed edges without a cycle.",
    "Discretize": "Cut a measurement into a few states, at cut points.",
    "Edge": "Two variables joined directly: an arrow from parent to child where the direction is settled, else a line.",
    "Effective rows": "How many independent rows are worth as much as rows that depend on each other, as the visits of "
    "one person do; scores count these (Rao & Scott 1984).",
    "Equivalence class": "All graphs that state the same conditional independences. Observations alone cannot tell "
    "them apart.",
    "Equivalent sample size (ess)": "How many rows the prior counts of BDeu are worth together.",
    "fNML": "Score: the log-likelihood minus the log of the sum of the best likelihoods of all possible data, for each "
    "family (Silander et al. 2008). It has no setting.",
    "Found again, π": "The share of fresh tables from which the same search would learn the edge: its inclusion "
    "probability.",
    "Free parameters, |θ|": "How many probabilities of a network can be chosen: (r − 1)·q for a variable of r states "
    "with q parent configurations.",
    "Fresh table": "Another sample, as large as yours, from where your data came from.",
    "Hill climbing": "Search: make the single change of an edge that improves the score most, until none does.",
    "Jackknife": "Leave out one row (delete 1) or d rows (delete d), and learn again. No row occurs twice, so no "
    "dependence is added.",
    "K2": "Search: given an ordering of the variables, add to each one the parents that improve its score most.",
    "Local score": "The score of one variable with its parents; a graph's score is their sum.",
    "Markov blanket": "A variable's parents, children and the children's other parents. Given these, no other variable "
    "tells more about it.",
    "MDL": "Minimum description length: bits for the network plus bits for the rows given the network. Shorter is "
    "better.",
    "Naive": "Learned from bootstrap replicates as if they were new data. On average it finds too many edges.",
    "Nat": "Unit of information with the natural logarithm: 1 nat = 1.44 bits.",
    "Posterior probability": "How probable something is given data and prior. *Real* is a mean of such probabilities.",
    "Prior counts": "Rows imagined before the data are seen, one number for each cell of a table.",
    "Real": "How probably an edge is in the network that the data came from.",
    "Replicate": "One resample together with the graph learned from it.",
    "Settled direction": "In at least three quarters of the graphs that join the pair, no equivalent graph has it the "
    f"other way round. Any other direction is open. {on_directions()}",
    "SHD": "Structural Hamming distance: how many edges must be added, removed or reversed to turn one graph into "
    "another.",
    "Standard error": "How far an estimate from few draws typically lies from the one from endless draws.",
    "Threshold": "Edges with at least this confidence are kept in the averaged network.",
    "Tie": "Two graphs with the same score. Which of them is taken is drawn at random, anew in every replicate.",
    "Verdict": "What both numbers say of an edge. Found again and real: trust it first. Doubtful: found again, "
    "but probably not real. Too little data: probably real, but rarely found again.",
}
_STYLE = """
.st-key-glossary button, .st-key-glossary button * {
  color: inherit !important; background: transparent !important; transition: none !important
}
.st-key-glossary {
  position: fixed; top: 0; right: .8rem; width: auto; height: 3.75rem; justify-content: center; z-index: 1000000
}
[data-testid=stPopoverBody]:has(.st-key-glossary_terms) {max-height: 75vh; overflow-y: auto}
"""


def glossary() -> None:
    """Draw the button in the page's upper right corner that opens the terms."""
    st.html(f"<style>{_STYLE}</style>")
    with (
        st.container(key=Key.GLOSSARY),
        st.popover("Glossary", icon=":material/menu_book:", type="tertiary"),
        st.container(key=Key.GLOSSARY_TERMS),
    ):
        _terms()


@st.fragment
def _terms() -> None:
    wanted = st.text_input("Find a term", key=Key.GLOSSARY_FIND).strip().casefold()
    found = {term: meaning for term, meaning in TERMS.items() if wanted in f"{term} {meaning}".casefold()}
    st.markdown("\n\n".join(f"**{term}.** {meaning}" for term, meaning in found.items()) or "Not in the glossary.")
