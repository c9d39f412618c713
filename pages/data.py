"""Data: their source, their variables, and their treatment before learning."""

from pages._shared import frame, session
from pages._shared.sections.data.source import choose_source
from pages._shared.sections.data.treatment import finding, treat
from pages._shared.sections.require_data import waits_for_file

frame.through_app()
if not waits_for_file():
    finding()
    choose_source()
    treat(session.data.frame())
