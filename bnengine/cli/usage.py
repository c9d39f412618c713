"""Errors in a command, as opposed to errors in the data."""


class UsageError(ValueError):
    """The arguments cannot be used; exit code 2. The message names the option, the value and the remedy."""
