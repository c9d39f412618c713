"""Start Streamlit's server, as ``bnengine app`` does.

Until app.py has run once, Streamlit takes a folder named ``pages`` beside it for pages of the old kind; a visitor who
opened the address of a page first would read that the page does not exist.

Each draw of a page has a thread, and the GNU C library keeps for every thread the large arrays that it gave up. With
2,000 variables that was 230 MB of 1 GB; arrays from 4 MB on now go back to the system at once, at no cost that shows.

The route with the server's statistics is left out: it tells everybody how many bytes each visitor has uploaded.
"""

import sys
from ctypes import CDLL

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main
from streamlit.web.server.starlette import starlette_app

_MMAP_THRESHOLD = -3  # as malloc.h calls it
set_option = getattr(CDLL(None), "mallopt", None) if sys.platform == "linux" else None
if set_option is not None:
    set_option(_MMAP_THRESHOLD, 4 * 2**20)
PagesManager.uses_pages_directory = False
setattr(starlette_app, "create_metrics_routes", lambda runtime, base_url: [])  # noqa: B010
try:
    main()
finally:
    if "pages.shared.job_queue" in sys.modules:  # somebody came
        sys.modules["pages.shared.job_queue"].stop_all()
