"""The list of slow tests names tests that exist, so that the fast run leaves out what it means to leave out."""

import ast
from pathlib import Path

from tests.conftest import slow_tests

ROOT = Path(__file__).parents[1]
LISTED = list(slow_tests())


def test_listed_tests_exist():
    for file in sorted({name.partition("::")[0] for name in LISTED}):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert {name.rpartition("::")[2] for name in LISTED if name.startswith(f"{file}::")} <= functions, file


def test_slow_tests_are_marked(request):
    marked = {item.nodeid.partition("[")[0] for item in request.session.items if item.get_closest_marker("slow")}
    collected = {item.nodeid.partition("[")[0] for item in request.session.items}
    assert marked == collected & set(LISTED)
