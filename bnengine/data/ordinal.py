"""Ordered answers: which states follow one another, by what is written in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: A number at the beginning, as in 3, ≤2.5, 10–19, (1, 2], 65+, "4 = agree"; with what stands before it.
_NUMBER = re.compile(r"(?:([<>≤≥(\[]|under|below|over|above|bis|unter|über|ab)\s*)?(-?\d+(?:[.,]\d+)?)", re.IGNORECASE)
#: What puts a state just below, or just above, the number it names.
_BELOW, _ABOVE = ("<", "≤", "under", "below", "bis", "unter"), (">", "≥", "over", "above", "über", "ab")
#: Answers in increasing order; the words of one place mean the same.
_SCALES = tuple(
    tuple(tuple(words.split("|")) for words in scale.split(" < "))
    for scale in (
        "no|false|absent|negative|n|nein|falsch|non|faux|no es|falso"
        " < yes|true|present|positive|y|ja|wahr|oui|vrai|sí|si|verdadero|vero",
        "never|nie|jamais|nunca|mai < almost never|very rarely|fast nie|presque jamais|casi nunca|quasi mai"
        " < rarely|seldom|selten|rarement|rara vez|raramente"
        " < sometimes|occasionally|manchmal|gelegentlich|parfois|quelquefois|a veces|algunas veces"
        "|a volte|qualche volta"
        " < often|frequently|usually|oft|häufig|souvent|a menudo|frecuentemente|spesso"
        " < very often|almost always|sehr oft|fast immer|très souvent|presque toujours|casi siempre|quasi sempre"
        " < always|immer|toujours|siempre|sempre",
        "strongly disagree|disagree strongly|completely disagree|totally disagree|stimme überhaupt nicht zu"
        "|stimme gar nicht zu|trifft gar nicht zu|trifft überhaupt nicht zu|pas du tout d'accord"
        "|totalmente en desacuerdo|muy en desacuerdo|completamente in disaccordo"
        " < disagree|stimme nicht zu|trifft nicht zu|pas d'accord|en desacuerdo|in disaccordo"
        " < somewhat disagree|slightly disagree|rather disagree|stimme eher nicht zu|trifft eher nicht zu"
        "|plutôt pas d'accord|algo en desacuerdo|piuttosto in disaccordo"
        " < neutral|neither|undecided|neither agree nor disagree|teils teils|teils/teils|weder noch|unentschieden"
        "|neutre|ni d'accord ni pas d'accord|ni de acuerdo ni en desacuerdo|né d'accordo né in disaccordo|neutrale"
        " < somewhat agree|slightly agree|rather agree|stimme eher zu|trifft eher zu|plutôt d'accord|algo de acuerdo"
        "|piuttosto d'accordo"
        " < agree|stimme zu|trifft zu|d'accord|de acuerdo|d'accordo"
        " < strongly agree|agree strongly|completely agree|totally agree|stimme voll zu|stimme völlig zu"
        "|stimme voll und ganz zu|trifft völlig zu|trifft voll zu|trifft voll und ganz zu|tout à fait d'accord"
        "|totalmente de acuerdo|muy de acuerdo|completamente d'accordo",
        "none|zero|keine|keiner|aucun|aucune|ninguno|ninguna|nessuno|nessuna"
        " < very low|sehr niedrig|sehr gering|très faible|très bas|muy bajo|molto basso"
        " < low|little|niedrig|gering|faible|bas|bajo|baja|basso|bassa"
        " < medium|moderate|middle|normal|average|mittel|mäßig|moyen|moyenne|modéré|medio|media|moderado"
        " < high|hoch|élevé|élevée|haut|alto|alta|elevato < very high|sehr hoch|très élevé|muy alto|molto alto",
        "none|normal|keine|aucun|aucune < minimal < mild|slight|leicht|léger|légère|leve|lieve"
        " < moderate|mittel|mäßig|modéré|modérée|moderado|moderato < severe|strong|schwer|sévère|grave|severo"
        " < very severe|sehr schwer|très sévère|muy grave",
        "very small|sehr klein|très petit|muy pequeño < small|klein|petit|pequeño|piccolo"
        " < medium|mittel|moyen|mediano|medio < large|big|groß|grand|grande"
        " < very large|sehr groß|très grand|muy grande",
        "not at all|überhaupt nicht|gar nicht|pas du tout|para nada|per niente"
        " < a little|slightly|a little bit|wenig|ein wenig|un peu|un poco|poco"
        " < somewhat|moderately|etwas|mäßig|moyennement|algo|moderadamente"
        " < quite|quite a bit|a lot|ziemlich|assez|bastante|abbastanza"
        " < very|very much|extremely|sehr|très|beaucoup|mucho|molto",
        "very poor|very bad|terrible|sehr schlecht|très mauvais|muy malo|pessimo"
        " < poor|bad|schlecht|mauvais|malo|cattivo < fair|acceptable|average|mittel|mäßig|passable|regular|discreto"
        " < good|gut|bon|bonne|bueno|buono < very good|sehr gut|très bon|très bonne|muy bueno|molto buono"
        " < excellent|outstanding|ausgezeichnet|hervorragend|excelente|eccellente",
        "very dissatisfied|sehr unzufrieden|très insatisfait|muy insatisfecho"
        " < dissatisfied|unsatisfied|unzufrieden|insatisfait|insatisfecho"
        " < neutral|neither|weder noch|neutre < satisfied|zufrieden|satisfait|satisfecho"
        " < very satisfied|sehr zufrieden|très satisfait|muy satisfecho",
        "decreased|lower|worse|gesunken|schlechter < same|unchanged|equal|gleich|unverändert"
        " < increased|higher|better|gestiegen|besser",
    )
)
_PLACES = tuple({word.casefold(): place for place, words in enumerate(scale) for word in words} for scale in _SCALES)


def state_order(states: Sequence[str]) -> tuple[int, ...] | None:
    """Find the order of ordered states.

    Numbers and ranges are ordered, and so are the answers of common scales (such as never … always, disagree … agree,
    low … high, no and yes) in English, German, French, Spanish and Italian.

    Parameters
    ----------
    states : sequence of str

    Returns
    -------
    tuple of int or None
        The numbers of the states in increasing order; None where no order is known.

    Examples
    --------
    >>> state_order(["agree", "disagree", "neutral"])
    (1, 2, 0)
    >>> state_order(["≤2", "2–5", ">5"])
    (0, 1, 2)
    >>> state_order(["red", "green"]) is None
    True
    """
    places = _numbers(states) or _answers(states)
    if places is None or len(set(places)) < len(places):
        return None
    return tuple(sorted(range(len(places)), key=places.__getitem__))


def _numbers(states: Sequence[str]) -> list[tuple[float, int]] | None:
    found = []
    for state in states:
        match = _NUMBER.match(state.lstrip())
        if match is None:
            return None
        before = (match[1] or "").lower()
        found.append((float(match[2].replace(",", ".")), (before in _ABOVE) - (before in _BELOW)))
    return found


def _answers(states: Sequence[str]) -> list[int] | None:
    words = [" ".join(state.replace("’", "'").casefold().split()) for state in states]
    for places in _PLACES:
        if all(word in places for word in words):
            return [places[word] for word in words]
    return None
