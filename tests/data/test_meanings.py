"""What means different things stays different under every repair that is made without being named."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.repairs.making import repaired

#: Families of cells that may stand in one column: the spellings of each meaning; None for a missing value.
FAMILIES = {
    "masses": [["5 kg", "5kg"], ["5 g"], ["5 mg"], ["0.05 kg"], ["7 kg"]],
    "kinds": [["5 kg"], ["5 cm"], ["5 h"], ["5 l"], ["5 years"], ["5"]],
    "money": [["€5", "5 €"], ["$5"], ["£5"], ["CHF 5"], ["€7"], ["$7.50"]],
    "shares": [["5%"], ["5"], ["50 %"], ["0.5"], ["0.5%"], ["100%"], ["1"], ["5‰"]],
    "alleles": [["A"], ["a"], ["B"], ["b"]],
    "genotypes": [["AA"], ["Aa"], ["aa"], ["AABB"], ["AaBb"], ["aabb"]],
    "haplotypes": [["type A"], ["type a"], ["type B"]],
    "countries": [["DE"], ["FR"], ["NA"], ["US"], ["NO"], ["ZA"]],
    "regions": [["EMEA"], ["NA"], ["APAC"]],
    "elements": [["Na"], ["K"], ["Ca"], ["Co"], ["Fe"]],
    "gases": [["CO"], ["NO"], ["Co"], ["No"], ["SO"]],
    "limits": [["<5"], ["5"], [">5"], ["4"], ["6"], ["<4"]],
    "signs": [["-5"], ["5"], ["0"], ["−6", "-6"], ["6"]],
    "ranges": [["1-2"], ["2-1"], ["12"], ["1"], ["2"], ["1–2"]],
    "versions": [["1.1"], ["1.10"], ["1.2"], ["1.20"], ["1.1.0"]],
    "zeros": [["007"], ["7"], ["07"], ["70"], ["8"], ["9"]],
    "dates": [["2020-01-02"], ["02.03.2020"], ["04/05/2020"], ["2020-01-03"], ["1/2"]],
    "accents": [["schon"], ["schön"], ["Maße"], ["Masse"], ["año"], ["ano"], ["pêche"], ["pêché"], ["si acaso"]],
    "numbers": [["No."], ["no"], ["row"], ["col"]],
    "answers": [["None"], ["no", "No", "NO"], ["yes", "Yes", "y"], ["n/a", "NA", "k.A.", None], ["nothing"]],
    "sex": [["m", "M", "male"], ["f", "F", "female"]],
    "sexes": [["male"], ["female"], ["diverse"], ["other"], ["x"]],
    "ages": [["boy"], ["man"], ["girl"], ["woman"]],
    "sex in Spanish": [["M", "mujer"], ["H", "hombre"]],
    "drugs": [["aspirin", "Aspirin"], ["-"], ["ibuprofen"], ["?", "unknown", None]],
    "compass": [["N"], ["O"], ["S"], ["W"]],
    "charges": [["a+"], ["a-"], ["b+"], ["b-"]],
    "titles": [["Mr"], ["Mrs"], ["Ms"]],
    "letters": [["F"], ["M"], ["W"], ["H"]],
    "answers and a code": [["yes"], ["no"], ["2"], ["-1"]],
    "powers": [["10²"], ["102"], ["10"], ["x²"], ["x2"]],
    "small": [["1e-3"], ["0.1"], ["5e-17"], ["1"], ["3"]],
    "places": [["West", "west", "WEST"], ["East", "east"], ["North-West", "north west"], ["W"], ["E"]],
}
MISSING = {"n/a", "NA", "k.A.", "?", "unknown"}


def joined(before, after):
    """The cells that were made the same."""
    groups = {}
    for cell, made in zip(before, after, strict=True):
        groups.setdefault(None if pd.isna(made) else made, set()).add(cell)
    return groups


@pytest.mark.parametrize("family", FAMILIES)
def test_distinct_meanings_stay_distinct(family):
    """Some of the cells, each in a few or in many rows."""
    rng = np.random.default_rng(1)
    known = [(cell, which) for which, spellings in enumerate(FAMILIES[family]) for cell in spellings]
    meaning = dict(known)
    for _ in range(12):
        rows = {cell: int(rng.choice([0, 1, 2, 30, 200])) for cell in meaning}
        cells = [cell for cell, n in rows.items() for _ in range(n)] or list(meaning)
        frame = pd.DataFrame({"x": pd.Series(cells, dtype="str"), "y": np.resize(list("abc"), len(cells))})
        steps = [one.step for one in bn.proposals(frame) if one.is_sure and one.kind not in ("date", "leave_out")]
        for value, together in joined(cells, repaired(frame, steps)["x"].tolist()).items():
            if value is None:
                assert together - {None} <= MISSING, (together, steps)
            else:
                assert len({meaning[cell] for cell in together}) == 1, (value, together, steps)
