"""Tables: reading, missing cells, cut points, and the Dataset of discrete variables."""
