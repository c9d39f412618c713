"""Start Streamlit's server, as ``bnengine app`` does.

Until app.py has run once, Streamlit takes a folder named ``pages`` beside it for pages of the old kind; a visitor who
opened the address of a page first would be told that there is none.
"""

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main

PagesManager.uses_pages_directory = False
main()
