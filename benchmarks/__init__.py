"""Studies of the engine on known truths and their parts: worlds, scorer, running, timing, report."""
