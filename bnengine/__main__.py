"""``python -m bnengine``: the command line."""

import sys

from bnengine.cli import main

if __name__ == "__main__":
    sys.exit(main())
