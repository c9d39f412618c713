"""What is wrong with a command, as opposed to what is wrong with the data."""


class UsageError(ValueError):
    """The arguments cannot be used; the message names the option, the value and the remedy. Exit code 2."""
