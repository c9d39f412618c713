"""Lines of code by room beside their budgets, without docstrings, comments and blanks: ``python -m tests.size``."""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOTALS = {"bnengine": 23_500, "pages": 7_000, "tests": 20_000}
ROOMS = {
    "_jit": 450, "_core": 900, "graphs": 550, "data": 1_900, "networks": 1_500, "scores": 2_200, "search": 3_000,
    "posterior": 1_900, "bootstrap": 2_000, "discretization": 550, "prediction": 430, "answers": 1_300,
    "teaching": 1_800, "experiment": 1_800, "plots": 1_900, "report": 700, "cli": 600,
}  # fmt: skip
_SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def code_lines(source):
    """The number of lines on which a text of Python has code."""
    documented = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            documented |= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = {line for one in tokens if one.type not in _SILENT for line in range(one.start[0], one.end[0] + 1)}
    return len(code - documented)


def counted(folder):
    """Lines of code by the room in a folder, and how many files it has."""
    rooms, files = Counter(), sorted((ROOT / folder).rglob("*.py"))
    for path in files:
        parts = path.relative_to(ROOT / folder).parts
        rooms[parts[0] if len(parts) > 1 else "."] += code_lines(path.read_text(encoding="utf-8"))
    return rooms, len(files)


def main():
    """Print the table."""
    for folder, most in TOTALS.items():
        rooms, n_files = counted(folder)
        print(f"{folder}: {rooms.total():,} of {most:,} lines of code, in {n_files} files")
        for room, lines in sorted(rooms.items()):
            budget = ROOMS.get(room) if folder == "bnengine" else None
            print(f"  {room:<16}{lines:>7,}" + (f" of {budget:,}" if budget else ""))


if __name__ == "__main__":
    main()
