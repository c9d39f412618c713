"""The house has a budget of lines of code (DESIGN §3): what is added has to be taken away elsewhere."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: Lines of code by top folder; they may only become lower.
CEILINGS = {"bnengine": 27_700, "pages": 7_640, "tests": 25_845}


def lines_of_code(source):
    """Count the lines that are neither blank, comment nor docstring."""
    documented = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node, clean=False):
            documented.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(map(str.strip, source.splitlines()), start=1)
    return sum(bool(line) and line[0] != "#" and number not in documented for number, line in lines)


def test_lines_of_code_are_neither_blank_nor_comments_nor_docstrings():
    assert lines_of_code('"""Doc.\n\nMore."""\n\n# no code\nx = (\n    1,\n)\ndef f():\n    """Do."""\n    x\n') == 5


@pytest.mark.slow
@pytest.mark.parametrize("top", CEILINGS)
def test_the_house_keeps_its_budget(top):
    n = sum(lines_of_code(path.read_text(encoding="utf-8")) for path in (ROOT / top).rglob("*.py"))
    assert n <= CEILINGS[top], f"{top} has {n:,} lines of code, {CEILINGS[top]:,} at most: look for what can go"
