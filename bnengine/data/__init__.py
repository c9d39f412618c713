"""Tables: reading, missing cells, cut points, and the Dataset of coded columns."""
