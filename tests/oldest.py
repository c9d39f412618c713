"""The oldest versions that pyproject.toml allows, as constraints of pip: ``python -m tests.oldest > oldest.txt``.

Needs nothing but Python, since it is asked before anything is installed.
"""

import re
import tomllib
from pathlib import Path

BOUND = re.compile(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)")


def oldest():
    """One line for each library of the engine and of the dashboard."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    bounds = [BOUND.match(one).groups() for one in (*project["dependencies"], *extras["app"], *extras["formats"])]
    return [f"{name}=={version}" for name, version in bounds]


if __name__ == "__main__":
    print("\n".join(oldest()))
