"""Work in threads, the line it waits in, and those it is done for; independent of the session."""
