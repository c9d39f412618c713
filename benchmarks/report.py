"""What a study leaves: sections of the results in Markdown, figures that pages quote, files that the engine reads."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

HERE = Path(__file__).parent
RESULTS, CONFIDENCE = HERE / "RESULTS.md", HERE / "RESULTS_CONFIDENCE.md"
MEASURED = HERE.parent / "pages" / "shared" / "measured.json"


@dataclass(frozen=True)
class Report:
    """What the lines of a study say."""

    sections: dict[str, str] = field(default_factory=dict)  # of ``RESULTS.md``, by title; "": before all titles
    confidence: dict[str, str] = field(default_factory=dict)  # of ``RESULTS_CONFIDENCE.md``
    measured: dict[str, Any] = field(default_factory=dict)  # of ``measured.json``, which pages and manual quote
    files: dict[Path, Any] = field(default_factory=dict)  # further JSON files, or texts

    def write(self) -> None:
        """Put everything in its place."""
        for file, sections in ((RESULTS, self.sections), (CONFIDENCE, self.confidence)):
            for title, text in sections.items():
                write_section(title, text, file)
        if self.measured:
            known = json.loads(MEASURED.read_text(encoding="utf-8")) | self.measured
            MEASURED.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        for path, found in self.files.items():
            text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, separators=(",", ":"))
            path.write_text(text.rstrip() + "\n", encoding="utf-8")

    def __str__(self) -> str:
        texts = [f"## {title}\n\n{text}" for title, text in (self.sections | self.confidence).items()]
        texts += [f"{name}: {json.dumps(found, indent=1, ensure_ascii=False)}" for name, found in self.measured.items()]
        return "\n\n".join(texts + [found for found in self.files.values() if isinstance(found, str)])


def write_section(title: str, text: str, file: Path = RESULTS) -> None:
    """Put a section in the place of the last one of its title, or at the end; what has no title begins the file."""
    start, *sections = file.read_text(encoding="utf-8").split("\n## ")
    known = {section.partition("\n")[0]: section.partition("\n")[2] for section in sections}
    if title:
        known[title] = f"\n{text.strip()}\n"
    else:
        start = f"{text.strip()}\n"
    file.write_text("\n## ".join([start, *(f"{name}\n{body}" for name, body in known.items())]), encoding="utf-8")


def between(file: Path, mark: str, text: str) -> str:
    """Return a Markdown file with a text between a mark's two comments, in the place of the last one."""
    whole, end = file.read_text(encoding="utf-8"), f"<!-- end of {mark} -->"
    before, begin, rest = whole.partition(f"<!-- {mark} -->")
    return f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"


# Words and tables


def short(value: float, digits: int = 3) -> str:
    """Write three significant digits, at most three decimals; a real minus sign."""
    if not math.isfinite(value):
        return "–"
    if value == 0 or abs(value) < 0.0005:
        return "0"
    decimals = min(3, max(0, digits - 1 - math.floor(math.log10(abs(value)))))
    return f"{value:,.{decimals}f}".replace("-", "−")


def signed(value: float) -> str:
    """Write as ``short`` does, with a plus sign."""
    return f"+{short(value)}" if value > 0 and short(value) != "0" else short(value)


def with_error(value: float, error: float) -> str:
    """Return a difference ± its standard error."""
    return f"{signed(value)} ± {short(error, 2)}" if math.isfinite(error) else signed(value)


def mean_and_error(values: Iterable[float] | npt.NDArray[Any], digits: int = 1) -> str:
    """Return a mean ± its standard error, with as many decimals."""
    found = pd.Series(np.asarray(list(values), dtype=float)).dropna()
    if not len(found):
        return "–"
    mean = f"{found.mean():.{digits}f}"
    return f"{mean} ± {found.sem():.{digits}f}" if len(found) > 1 else mean


def percent(share: float) -> str:
    """Return a share as whole per cent."""
    return f"{100 * share:.0f} %"


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown: its first column to the left, the others to the right."""
    lines = [list(header), ["---", *["---:"] * (len(header) - 1)], *[list(map(str, row)) for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tabulated(lines: pd.DataFrame | Iterable[Mapping[str, Any]], heads: str, line: str) -> str:
    """Return a table in Markdown from its heads and how a line is written, such as ``{rows:,} | {ms:.1f}``."""
    records = lines.to_dict("records") if isinstance(lines, pd.DataFrame) else lines
    return markdown(heads.split(" | "), [[line.format_map(one)] for one in records])


def frame_in_markdown(frame: pd.DataFrame, form: str = "{}", head: str = "") -> str:
    """Return a frame as a table in Markdown, its index under its head to the left, each value in the form."""
    lines = zip(frame.index, frame.to_numpy(), strict=True)
    return markdown([head, *map(str, frame)], [[name, *map(form.format, line)] for name, line in lines])
