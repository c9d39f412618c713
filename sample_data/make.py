"""Write the sample tables that are made here: simulated from a bundled network, or written out from published counts.

Run from the project's folder: ``python sample_data/make.py``. The files it writes are the ones in this folder, byte
for byte; a test compares them.
"""

import csv
import gzip
import io
import runpy
from pathlib import Path

import numpy as np

import bnengine as bn

HERE = Path(__file__).parent

#: file name: (network, rows, seed)
SIMULATED = {
    "asia_1000.csv": ("asia", 1000, 1988),
    "alarm_300.csv.gz": ("alarm", 300, 2003),
    "alarm_1000.csv.gz": ("alarm", 1000, 2003),
    "regulon_320.csv.gz": ("regulon", 320, 2003),
}

#: Arrays of the invented genes of ``expression.py``: rows, seed.
ARRAYS = (320, 320)

#: The nine conditions of ``sachs_raw.csv.gz`` in the order of its rows: reagent, rows, the protein that it sets, and to
#: which state (Sachs et al. 2005, table S1). ICAM-2 stimulates the cell in general; LY294002 inhibits PI3K, which was
#: not measured.
SACHS = [
    ("anti-CD3/CD28", 853, "", ""),
    ("ICAM-2", 902, "", ""),
    ("Akt inhibitor", 911, "akt", "low"),
    ("G06976", 723, "pkc", "low"),
    ("psitectorigenin", 810, "pip2", "low"),
    ("U0126", 799, "mek", "low"),
    ("LY294002", 848, "", ""),
    ("PMA", 913, "pkc", "high"),
    ("beta2cAMP", 707, "pka", "high"),
]

#: The lectures' worked example; the eight-row table appends four rows.
LECTURE = [("x1", "y1"), ("x2", "y1"), ("x2", "y2"), ("x2", "y2")]
LECTURE_MORE = [("x2", "y2"), ("x1", "y1"), ("x1", "y1"), ("x2", "y2")]

#: Persons aboard the Titanic by class, sex, age and survival (British Board of Trade 1912; Dawson 1995).
TITANIC = [
    ("1st", "Male", "Child", 0, 5),
    ("1st", "Male", "Adult", 118, 57),
    ("1st", "Female", "Child", 0, 1),
    ("1st", "Female", "Adult", 4, 140),
    ("2nd", "Male", "Child", 0, 11),
    ("2nd", "Male", "Adult", 154, 14),
    ("2nd", "Female", "Child", 0, 13),
    ("2nd", "Female", "Adult", 13, 80),
    ("3rd", "Male", "Child", 35, 13),
    ("3rd", "Male", "Adult", 387, 75),
    ("3rd", "Female", "Child", 17, 14),
    ("3rd", "Female", "Adult", 89, 76),
    ("Crew", "Male", "Adult", 670, 192),
    ("Crew", "Female", "Adult", 3, 20),
]


def titanic_rows() -> list[tuple[str, ...]]:
    """Return one row a person."""
    rows: list[tuple[str, ...]] = []
    for group, sex, age, lost, saved in TITANIC:
        rows += [(group, sex, age, "No")] * lost + [(group, sex, age, "Yes")] * saved
    return rows


def sachs_rows() -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the proteins cut into thirds, and the protein that was set in each row, in the state it was set to.

    A reagent changes what a protein does, which the antibody that measures its amount need not see; so a protein that
    was set is recorded in the state it was set to, as by Sachs et al. (2005).
    """
    cut = bn.discretize(bn.load_sample("sachs_raw"), method="quantile", bins=3)
    columns = {}
    for name in cut.columns:
        low, medium, high = cut[name].cat.categories
        columns[name] = cut[name].cat.rename_categories({low: "low", medium: "medium", high: "high"}).astype(str)
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    first, names, was_set = 0, list(columns), []
    for _, n_rows, protein, state in SACHS:
        for row in rows[first : first + n_rows]:
            if protein:
                row[names.index(protein)] = state
        was_set += [protein] * n_rows
        first += n_rows
    return [*names, "INT"], [(*row, one) for row, one in zip(rows, was_set, strict=True)]


def check_up_rows(n_rows: int, seed: int) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return rows of invented people at a check-up: measurements, counts and states; its edges are in ``tables.toml``.

    Exercise is 0 in about half of the rows, glucose is skewed, and fatigue is high after short and after long nights.
    """
    rng = np.random.default_rng(seed)
    noise = dict(zip("abcdefg", rng.normal(size=(7, n_rows)), strict=True))
    chance = dict(zip("abc", rng.random((3, n_rows)), strict=True))
    age, woman = rng.integers(20, 81, n_rows), chance["a"] < 0.5
    smokes = np.select([chance["b"] < np.where(woman, 0.15, 0.3), chance["b"] < 0.5], ["current", "former"], "never")
    active = np.maximum(1.2 - 0.03 * (age - 30) + 1.5 * noise["a"], 0.0)
    bmi = 27.0 - 1.2 * active + 3.0 * noise["b"]
    pressure = 122.0 + 0.45 * (age - 50) + 1.4 * (bmi - 26) + 9.0 * noise["c"]
    treated = chance["c"] < 1.0 / (1.0 + np.exp(-(pressure - 138.0) / 8.0))
    pulse = 72.0 - 3.0 * active + 7.0 * (smokes == "current") + 6.0 * noise["d"]
    glucose = np.exp(4.55 + 0.035 * (bmi - 26) + 0.1 * noise["e"])
    sleep = 7.0 + 1.1 * noise["f"]
    fatigue = np.clip(2.0 + 1.4 * (sleep - 7.0) ** 2 + 1.2 * noise["g"], 0.0, 10.0)
    visits = rng.poisson(np.exp(0.1 + 0.015 * (age - 50) + 0.12 * fatigue))
    columns = {
        "age": age.astype(str), "sex": np.where(woman, "woman", "man"), "smokes": smokes,
        "exercise": np.char.mod("%.1f", active), "bmi": np.char.mod("%.1f", bmi),
        "pressure": np.char.mod("%.0f", pressure), "treated": np.where(treated, "yes", "no"),
        "pulse": np.char.mod("%.0f", pulse), "glucose": np.char.mod("%.0f", glucose),
        "sleep": np.char.mod("%.1f", sleep), "fatigue": np.char.mod("%.1f", fatigue), "visits": visits.astype(str),
    }  # fmt: skip
    return list(columns), [tuple(map(str, row)) for row in zip(*columns.values(), strict=True)]


def tables() -> dict[str, tuple[list[str], list[tuple[str, ...]]]]:
    """Return header and rows of every file made here."""
    made: dict[str, tuple[list[str], list[tuple[str, ...]]]] = {
        "lecture_4.csv": (["X", "Y"], LECTURE),
        "lecture_8.csv": (["X", "Y"], LECTURE + LECTURE_MORE),
        "check_ups_400.csv": check_up_rows(400, 48),
        "titanic.csv": (["Class", "Sex", "Age", "Survived"], titanic_rows()),
    }
    for name, (network, n_rows, seed) in SIMULATED.items():
        data = bn.load_network(network).sample(n_rows, rng=seed)
        words = [tuple(data.states[v][code] for v, code in enumerate(row)) for row in data.codes]
        made[name] = (list(data.names), words)
    made["sachs_experiments.csv.gz"] = sachs_rows()
    raw = runpy.run_path(str(HERE / "expression.py"))["arrays"](*ARRAYS)
    made["regulon_raw.csv.gz"] = (list(raw.columns), [tuple(f"{value:.3f}" for value in row) for row in raw.to_numpy()])
    return made


def content(header: list[str], rows: list[tuple[str, ...]], packed: bool) -> bytes:
    """Return the file's bytes; gzip without a time stamp, so that they repeat."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    raw = text.getvalue().encode()
    return gzip.compress(raw, mtime=0) if packed else raw


if __name__ == "__main__":
    for name, (header, rows) in tables().items():
        (HERE / name).write_bytes(content(header, rows, name.endswith(".gz")))
        print(f"{name}: {len(rows)} rows, {len(header)} columns")
