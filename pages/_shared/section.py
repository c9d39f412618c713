"""Pages that show one section at a time, so that nothing is computed for the others."""

from collections.abc import Callable, Mapping
from typing import Any

from pages._shared import app_guard
from pages._shared.jobs import warming
from pages._shared.require_data import own_data
from pages._shared.widgets.choice import tabs


def section_page(sections: Mapping[str, Callable[..., Any]], key: str, with_data: bool = True) -> None:
    """Choose a section and show it; ``with_data`` passes the session's data set to it."""
    app_guard.through_app()
    data = own_data() if with_data else None
    if with_data and data is None:
        return
    chosen = tabs("Section", list(sections), key)
    warming.wait()
    sections[str(chosen)](*([data] if with_data else []))
