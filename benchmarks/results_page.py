"""``RESULTS.md``: one section a benchmark, each written by its own script."""

from pathlib import Path

FILE = Path(__file__).with_name("RESULTS.md")
_START = """# Results

Each section is written by the script that it names and says how to repeat it. Processor time, since the machine does
other work meanwhile; quote ratios, since absolute times depend on the machine.
"""


def write_section(title: str, text: str) -> None:
    """Put a section in the place of the last one of its title, or at the end."""
    whole = FILE.read_text(encoding="utf-8") if FILE.exists() else _START
    start, *sections = whole.split("\n## ")
    known = {section.partition("\n")[0]: section.partition("\n")[2] for section in sections}
    known[title] = f"\n{text.strip()}\n"
    FILE.write_text("\n## ".join([start, *(f"{name}\n{body}" for name, body in known.items())]), encoding="utf-8")
