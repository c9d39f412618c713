"""The report as one HTML file, and what a paper needs of a run as one ZIP."""
