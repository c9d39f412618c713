"""The manual's Python examples, block after block of a page, with the output that stands below some of them.

``python -m tests.docs.examples`` runs all of them and writes the outputs anew.
"""

import contextlib
import io
import re
import tempfile
from pathlib import Path

PAGES = sorted((Path(__file__).parents[2] / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$(?:\n\n```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL)


def outputs(page):
    """What each block of a page prints, as a reader would run them: (match, text) in order."""
    text, names, found = page.read_text(encoding="utf-8"), {}, []
    for block in BLOCK.finditer(text):
        line = text[: block.start()].count("\n") + 1
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + block["code"], str(page), "exec"), names)
        found.append((block, printed.getvalue()))
    return found


def main():
    """Write the outputs that stand in the manual anew."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # some examples write files
            found = outputs(page)
        for block, printed in reversed(found):
            if block["output"] is not None:
                text = text[: block.start("output")] + printed + text[block.end("output") :]
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
