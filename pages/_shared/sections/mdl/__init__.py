"""Parts of the MDL page."""
