"""What the text of a cell means: a missing value, a date, one spelling of a state.

The words are English, German, Dutch, Spanish and French. All patterns take time linear in a cell's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from bnengine._core.environment import pd

#: Text that stands for a missing value, folded (see ``folded``), and marks that do.
MISSING_WORDS = frozenset(
    """na|n/a|n.a|#n/a|<na>|nan|null|#null!|#div/0!|#value!|#ref!|missing|unknown|not available|not applicable|refused
    |not reported|not recorded|not known|no answer|no response|don't know|dont know|prefer not to say
    |k.a|k. a|o.a|o. a|n.b|n. b|keine angabe|keine angaben|ohne angabe|fehlt|fehlend|unbekannt|weiss nicht|nicht bekannt
    |nicht erhoben|nicht bestimmt
    |onbekend|niet bekend|n.v.t|geen antwoord|geen opgave|weet niet|niet ingevuld
    |desconocido|desconocida|no sabe|no contesta|ns/nc|no consta|sin dato|sin datos|sin respuesta
    |inconnu|inconnue|manquant|non renseigne|sans reponse|ne sait pas|nsp""".replace("\n    ", "").split("|")
)
MISSING_MARKS = frozenset(["?", "??", "???", "-", "--", "---", "–", "—", ".", "..", "...", "*", "#", "/"])
#: Of these the ones that may also say that there is none of something, and those that may be a state of words.
_NONE_MARKS = frozenset(["-", "--", "---", "–", "—", "/"])
_STATE_MARKS = _NONE_MARKS | {"*", "#"}
#: Names of a row that adds up the others, folded.
TOTAL_WORDS = frozenset(
    ["total", "totals", "grand total", "sum", "all", "gesamt", "summe", "insgesamt", "gesamtsumme", "somme", "totaal"]
)
_LONGEST_WORD = 20
_YES = frozenset(["ja", "yes", "si", "oui", "true", "wahr", "vrai", "verdadero", "waar"])
_NO = frozenset(["nein", "no", "nee", "non", "false", "falsch", "faux", "falso", "onwaar"])
_SHORT_YES, _SHORT_NO = frozenset(["j", "y", "1"]), frozenset(["n", "0"])
_MALE = frozenset(
    """m|h|male|man|men|boy|mann|manner|mannlich|maennlich|homme|hombre|masculin|masculino|varon|uomo|maschio|masc
    |jongen|junge|garcon""".replace("\n    ", "").split("|")
)
_FEMALE = frozenset(
    """f|w|v|female|woman|women|girl|frau|frauen|weiblich|femme|feminin|mujer|femenino|vrouw|donna|femmina|fem
    |meisje|madchen|fille""".replace("\n    ", "").split("|")
)
_OTHER_SEX = frozenset(["d", "x", "divers", "diverse", "other", "andere", "anders", "autre", "otro"])


#: A hyphen or low line between letters or digits.
_BETWEEN_WORDS = re.compile(r"(?<=[^\W_])[-_](?=[^\W_])")


def folded(label: str) -> str:
    """Return a text without case, accents, repeated blanks, and hyphens or low lines between letters or digits.

    >>> folded(" Früh-Schicht ")
    'fruh schicht'
    """
    letters = unicodedata.normalize("NFKD", label.strip().casefold())
    plain = "".join(one for one in letters if not unicodedata.combining(one))
    if not any(one.isalpha() for one in plain):
        return plain
    return " ".join(_BETWEEN_WORDS.sub(" ", plain).split()).rstrip(" .:;")


#: A code of two letters, by its shape: among such codes, NA may be Namibia, sodium or North America.
_CODES = {"NA": re.compile("[A-Z]{2}"), "Na": re.compile("[A-Z][a-z]?"), "na": re.compile("[a-z]{2}")}
_REGIONS = frozenset(["EMEA", "APAC", "LATAM", "EU", "AMER", "CALA"])


def missing_words(labels: Iterable[str]) -> list[str]:
    """Return the labels that stand for a missing value among these, or may do so (see ``may_be_a_state``)."""
    labels = list(labels)
    signs = "+" in labels
    return [
        label
        for label in labels
        if (label.strip() in MISSING_MARKS and not (signs and label.strip() in "-–—"))
        or (len(label) <= _LONGEST_WORD and folded(label) in MISSING_WORDS and not _is_code(label, labels))
    ]


def may_be_a_state(label: str) -> bool:
    """Return whether a label for a missing value may be a state in a column of words.

    A dash among names of drugs may say that there is none, an asterisk is a level of significance, and a request is
    refused.
    """
    return label.strip() in _STATE_MARKS or folded(label) == "refused"


def may_say_none(label: str) -> bool:
    """Return whether a label for a missing value is a dash, which may say among numbers that there is none."""
    return label.strip() in _NONE_MARKS


def _is_code(label: str, labels: Sequence[str]) -> bool:
    """Return whether "NA" stands among codes of its shape, such as those of countries; genotypes are none."""
    shape = _CODES.get(label)
    if shape is None:
        return False
    others = [one for one in labels if folded(one) not in MISSING_WORDS and one.strip() not in MISSING_MARKS]
    if label.isupper() and _REGIONS.intersection(others):
        return True
    codes = [one for one in others if shape.fullmatch(one) and folded(one) not in _YES | _NO]
    letters = {letter for one in codes for letter in one}
    genotypes = letters <= set("ACGT") or len(letters) < 3
    return len(codes) >= 2 and 2 * len(codes) > len(others) and not genotypes


def spelling_groups(counts: Mapping[str, int]) -> dict[str, str]:
    """Return for each label that is another spelling of a more common one the common one.

    Words go before letters where every value has a word.

    Labels are one value if only blanks, hyphens or the case of words of three letters and more tell them apart, or if ä
    is written as ae; if single letters are each the first of one longer label; or if all of them say yes or no, with 1
    and 0 beside words.

    >>> spelling_groups({"ja": 5, "Ja": 2, "j": 1, "1": 1, "nein": 7, "n": 2})
    {'1': 'ja', 'Ja': 'ja', 'j': 'ja', 'n': 'nein'}
    >>> spelling_groups({"A": 5, "a": 2, "West": 3, "west": 1})
    {'west': 'West'}
    >>> spelling_groups({"year": 4, "año": 5, "ano": 2})
    {}
    >>> spelling_groups({"M": 9, "F": 3, "man": 2, "woman": 5})
    {'F': 'woman', 'M': 'man'}
    >>> spelling_groups({"M": 9, "F": 8, "man": 2})
    {'man': 'M'}
    """
    groups: dict[str, list[str]] = {}
    for label, key in _keys(sorted(counts)).items():
        groups.setdefault(key, []).append(label)
    _join_umlauts(groups)
    _join_initials(groups)
    if len(groups) < 2:
        return {}
    found: dict[str, str] = {}
    words = all(any(len(label) > 1 for label in labels) for labels in groups.values())
    for labels in groups.values():
        best = min(labels, key=lambda one: (one in "01", words and len(one) == 1, -counts[one], -len(one), one))
        found |= {label: best for label in labels if label != best}
    return dict(sorted(found.items()))


_LETTERS = re.compile(r"[^\W\d_]+")
_PAIRS = re.compile(r"(?:aa|bb|cc|dd|ee|ff|gg|hh|ii|jj|kk|ll|mm|nn|oo|pp|qq|rr|ss|tt|uu|vv|ww|xx|yy|zz)+")  # genotypes


def _keys(labels: Sequence[str]) -> dict[str, str]:
    """Return for each label a text that its spellings share."""
    plain = {label: _without_marks(label) for label in labels}
    meanings = _meanings(set(map(folded, labels)))
    alike: dict[str, list[list[str]]] = {}
    for text in plain.values():
        alike.setdefault(text.lower(), []).append(_LETTERS.findall(text))
    keys = {}
    for label, text in plain.items():
        may_vary = zip(_LETTERS.findall(text), _words_that_may_vary(alike[text.lower()]), strict=True)
        words = iter([word.lower() if vary else word for word, vary in may_vary])
        key = _LETTERS.sub(lambda _: next(words), text)  # noqa: B023
        keys[label] = meanings.get(folded(label), key)
    return keys


def _meanings(words: set[str]) -> dict[str, str]:
    """Return what answers, and words for sexes, mean; themselves unless all labels are such, at least one a word.

    M beside mujer is she.
    """
    yes, no = words & (_YES | _SHORT_YES), words & (_NO | _SHORT_NO)
    female = words & (_FEMALE | ({"m"} if "mujer" in words else set()))
    male = words & (_MALE - female)
    spoken = bool(words & (_YES | _NO))
    if words == yes | no and spoken:
        return dict.fromkeys(yes, "yes") | dict.fromkeys(no, "no")
    if yes and no and (spoken or words == yes | no):
        return {word: word for word in yes | no}
    if not (male and female and words <= male | female | _OTHER_SEX):
        return {}
    same = {word: word for word in words}
    return same | dict.fromkeys(male, "male") | dict.fromkeys(female, "female") if max(map(len, words)) > 2 else same


def _words_that_may_vary(texts: Sequence[Sequence[str]]) -> list[bool]:
    """Return for each word of texts that differ in case alone whether its case says nothing.

    That is so from three letters on, and for two letters beside such a word, in lower case, in capitals or with one at
    the start: the alleles A and a, the genotypes AABB and aabb, and Co and CO are not the same.
    """
    places = [set(words) for words in zip(*texts, strict=True)]
    regular = [all(one in (one.lower(), one.upper(), one.capitalize()) for one in words) for words in places]
    first = [next(iter(words)).lower() for words in places]
    long = [fine and len(word) > 2 and not _PAIRS.fullmatch(word) for fine, word in zip(regular, first, strict=True)]
    vary = any(one and len(words) > 1 for one, words in zip(long, places, strict=True))
    return [
        len(words) == 1 or one or (vary and fine and len(word) == 2)
        for words, one, fine, word in zip(places, long, regular, first, strict=True)
    ]


def _without_marks(label: str) -> str:
    """Return a label without repeated blanks, hyphens or low lines between letters or digits, and marks at its end."""
    plain = label.strip()
    if not any(one.isalpha() for one in plain):
        return plain
    spaced = " ".join(_BETWEEN_WORDS.sub(" ", plain).split())
    bare = spaced.rstrip(" .:;")
    return spaced if folded(bare) in _YES | _NO else bare  # "No." may be a number


def _join(groups: dict[str, list[str]], key: str, to: str) -> None:
    if key != to and key in groups and to in groups:
        groups[to] += groups.pop(key)


def _join_umlauts(groups: dict[str, list[str]]) -> None:
    for key in list(groups):
        written = key.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
        if written != key:
            _join(groups, written, key)


def _join_initials(groups: dict[str, list[str]]) -> None:
    """Join single letters to words, if each is the first of one word; to be sure, each word has its letter."""
    long = [key for key in groups if len(key) > 1]
    firsts = [key[0].lower() for key in long]
    short = {key: key.lower() for key in groups if len(key) == 1 and key.isalpha()}
    once = len(set(short.values())) == len(short) and all(firsts.count(one) == 1 for one in short.values())
    known = {*short.values(), *map(folded, long)} <= _MALE | _FEMALE | _OTHER_SEX
    if once and len(long) <= 20 and all(map(_is_word, long)) and (known or set(firsts) == set(short.values())):
        for key, letter in short.items():
            _join(groups, key, long[firsts.index(letter)])


def _is_word(key: str) -> bool:
    return len(key) > 2 or key in _YES | _NO


# Text that was decoded in the wrong way: UTF-8 that was taken for Windows-1252.

#: Two or more characters that the bytes of one in UTF-8 look like in Windows-1252.
_TWICE = re.compile(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178"
    "\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122\ufffd]"
)


def decoded_once_more(text: str) -> str | None:
    """Return the text that UTF-8 taken for Windows-1252 stands for; None unless all of it does, and nothing is lost.

    >>> decoded_once_more("StÃ¤dte"), decoded_once_more("Städte"), decoded_once_more("NÃO")
    ('Städte', None, None)
    """
    if _TWICE.search(text) is None:
        return None
    try:
        # five bytes that Windows-1252 leaves free are written as the control characters of Latin-1
        raw = b"".join(one.encode("latin-1" if "\u0080" <= one <= "\u009f" else "cp1252") for one in text)
        right = raw.decode("utf-8")
    except UnicodeError:
        return None
    return right if right.isprintable() else None


# Dates.

_LONGEST = 40
_DATE = re.compile(
    r"([0-9]{1,4})([-./])([0-9]{1,2})[-./]([0-9]{1,4})"
    r"(?:[ T]([0-9]{1,2}):([0-9]{2})(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def date_in(text: str, order: str) -> datetime | None:
    """Return the date, to the minute, in a cell's text whose parts are in the order "ymd", "dmy" or "mdy"."""
    parts = _DATE.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if parts is None:
        return None
    one, _, two, three, hour, minute = parts.groups()
    if len(one if order == "ymd" else three) != 4:
        return None
    year, month, day = {"ymd": (one, two, three), "dmy": (three, two, one), "mdy": (three, one, two)}[order]
    try:
        return datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0))
    except ValueError:
        return None


def date_order(counts: Mapping[str, int], share: float) -> str:
    """Return the order of parts in which at least a share of the cells are dates; "" if none, or it is not clear."""
    allowed = (1 - share) * sum(counts.values())
    fits = []
    for order in ("ymd", "dmy", "mdy"):
        wrong = 0
        for label, n in counts.items():
            wrong += 0 if date_in(label, order) else n
            if wrong > allowed:
                break
        else:
            fits.append(order)
    if fits == ["dmy", "mdy"]:
        return "dmy" if all("." in label for label in counts) else ""
    return fits[0] if fits else ""


# CSV export that is safe to open in a spreadsheet: no column name or state is executed as a formula.

#: Characters that start a formula in common spreadsheet programs, also in their wide forms.
_STARTS = frozenset("=+-@＝＋－＠")
#: Characters that end a cell where a semicolon or a tab separates cells; quotes do not help within such a line.
_SEPARATORS = re.compile("([;\t\r\n])")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,5})?")


def csv_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV, without its index and with all digits of its numbers.

    A string that a spreadsheet would take for a formula gets an apostrophe, see ``without_formula``.

    Examples
    --------
    >>> import pandas as pd
    >>> print(csv_text(pd.DataFrame({"=cmd()": ["-1.5", "+ growth", "+"], "n": [-1, 2, 3]})), end="")
    '=cmd(),n
    -1.5,-1
    '+ growth,2
    +,3
    """
    safe = frame.copy(deep=False)
    for c, kind in enumerate(frame.dtypes):
        if isinstance(kind, pd.CategoricalDtype) or not (
            pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind)
        ):
            safe.isetitem(c, frame.iloc[:, c].astype(object).map(_cell, na_action="ignore"))
    safe.columns = [_cell(name) for name in frame.columns]
    return str(safe.to_csv(index=False, lineterminator="\n"))


def without_formula(text: str) -> str:
    """Return the text with an apostrophe wherever a spreadsheet would find the beginning of a formula.

    That is at its start and after a semicolon, tab or line break, at which programs of other countries split cells;
    blanks, quotes and invisible characters before the formula do not hide it. Strings that are numbers, and single
    characters such as ``+``, are unchanged.

    >>> without_formula("=1+1"), without_formula("x;=1+1"), without_formula("-1.5")
    ("'=1+1", "x;'=1+1", '-1.5')
    """
    ends = text.lstrip("'")[:1] in ("\t", "\r", "\n")
    if not ends and _STARTS.isdisjoint(text):
        return text
    parts = _SEPARATORS.split(text)
    return ("'" if ends else "") + "".join(f"'{part}" if _is_formula(part, len(parts) > 1) else part for part in parts)


def _is_formula(part: str, among_others: bool) -> bool:
    """Return whether a spreadsheet may run a part of a cell, also after quotes, blanks and invisible characters."""
    hidden = (a in "'\"" or a.isspace() or unicodedata.category(a) in ("Cc", "Cf") for a in part)
    start = next((k for k, is_hidden in enumerate(hidden) if not is_hidden), len(part))
    alone = len(part) - start == 1 and not among_others
    return part[start : start + 1] in _STARTS and not alone and not _NUMBER.fullmatch(part, start)


def _cell(cell: Any) -> Any:
    """Return the cell with formulas disarmed; carriage returns, which would start a new row, become line feeds."""
    return without_formula(cell.replace("\r\n", "\n").replace("\r", "\n")) if isinstance(cell, str) else cell
