"""``python -m bnengine``, and the command ``bnengine``."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C ends it also while its modules are imported, with the exit code of a stop."""
    try:
        from bnengine.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
