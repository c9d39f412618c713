"""The list of edges beside a network: grouped, two numbers and one sentence each; a click chooses the edge in both.

Streamlit's table cuts sentences off, and its selection cannot be set by a click in the network.
"""

from pages._shared.widgets.edge_list.component import draw

__all__ = ["draw"]
