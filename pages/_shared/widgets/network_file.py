"""A network uploaded as a BIF file."""

import io

import streamlit as st

import bnengine as bn
from bnengine._core.names import bounded_name
from pages._shared import session
from pages._shared.format import escaped


def uploaded_network(label: str, key: str) -> bn.BayesianNetwork | None:
    """The network last uploaded with this widget; None, with the reason, if there is none or it cannot be read."""
    upload = st.file_uploader(label, type=["bif", "gz"], key=key)
    if upload is not None:
        title = bounded_name(upload.name.removesuffix(".gz").removesuffix(".bif"))
        try:
            session.settings.keep_network(key, bn.read_bif(io.BytesIO(upload.getvalue()), title=title))
        except ValueError as error:
            st.error(f"{escaped(str(error))}.")
            return None
    return session.settings.network(key)
