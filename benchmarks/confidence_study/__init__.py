"""Which confidence to believe: every method on many networks, against fresh tables and against the true network."""
