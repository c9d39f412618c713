"""The manual's table of ideas names files that exist, and words that went do not come back."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "reference" / "development.md").read_text(encoding="utf-8")
ROWS = [line for line in TEXT.partition("## Where is it?")[2].splitlines() if ".py`" in line]


def files_of(row):
    """Paths named in a row; one without a folder is in the folder of the one before it."""
    folder = ROOT / "bnengine"
    for name in re.findall(r"`([\w/]+\.py)`", row):
        base = ROOT if name.startswith(("benchmarks/", "pages/", "tests/")) else ROOT / "bnengine"
        path = base / name if "/" in name else folder / name
        folder = path.parent
        yield path


def test_ideas_are_where_the_table_says():
    missing = {row: [str(path.relative_to(ROOT)) for path in files_of(row) if not path.is_file()] for row in ROWS}
    assert len(ROWS) > 30
    assert {row: paths for row, paths in missing.items() if paths} == {}


GONE = re.search(
    r"keeps them out of the\ncode and its texts: (.*?)\.\n", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.S
)


def test_words_that_went_do_not_come_back():
    words = re.findall(r"`([^`]+)`", GONE[1])
    assert {"said", "told", "OfBag"} <= {*words}
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    paths = [ROOT / "app.py", *sorted((ROOT / "bnengine").rglob("*.py"))]
    paths += sorted(path for path in (ROOT / "pages").rglob("*.*") if path.suffix in (".py", ".toml"))
    found = {
        f"{path.relative_to(ROOT)}:{number}": line.strip()
        for path in paths
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if pattern.search(line)
    }
    assert found == {}
