"""Where a benchmark keeps the figures that the pages quote: one file, one entry a script."""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "pages" / "shared" / "measured.json"


def keep(name: str, result: dict[str, Any]) -> None:
    """Put a script's result in the place of its last one."""
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    FILE.write_text(json.dumps({**known, name: result}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
