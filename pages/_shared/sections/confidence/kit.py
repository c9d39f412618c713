"""The paper kit: what a paper needs of a run, in one ZIP."""

import streamlit as st

import bnengine as bn
from bnengine.experiment.report.paper_kit import paper_kit
from pages._shared import session
from pages._shared.jobs import experiments
from pages._shared.session import Key, kept


def paper_kit_button(
    study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, threshold: dict[str, float | None]
) -> None:
    """Offer the kit, with the data if they are ticked; ``threshold["shown"]`` is that of the network."""
    real = experiments.stored_posterior(experiment)
    with st.popover("Paper kit", icon=":material/folder_zip:"):
        st.markdown(
            "One ZIP with the figures as SVG and PDF, Table 1 and the edges as CSV and LaTeX, a methods paragraph with "
            "its references, the report, and the scripts in Python and R. It opens here again as a session."
        )
        file = None
        if experiment.data.source == "file":
            ticked = st.checkbox(
                "Include my data", **kept(Key.KIT_DATA), help="Your file as it is, all rows and sheets."
            )
            file = session.data.uploaded_file(experiment.data) if ticked else None
        if real is None:
            st.caption("The posterior is not known yet: the kit would say nothing about which edges are real.")
        st.download_button(
            "Download (ZIP)",
            lambda: paper_kit(experiment, data, study, real, threshold.get("shown"), file),
            "paper_kit.zip",
            "application/zip",
            on_click="ignore",
            key=Key.download("paper_kit.zip"),
        )
