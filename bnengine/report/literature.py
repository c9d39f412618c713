"""The literature that a methods section cites: by score, search, rule of the threshold, method and posterior."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bnengine.bootstrap.resampling_methods import NAIVE
from bnengine.posterior import EdgePosterior


@dataclass(frozen=True)
class Source:
    """A publication: its key, how a sentence names it, and what a list of references says."""

    key: str
    authors: str
    year: int
    title: str
    where: str

    @property
    def named(self) -> str:
        """Authors and year, as in a sentence: Steck & Jaakkola 2003."""
        families = [author.split(",")[0] for author in self.authors.split(" and ")]
        first = f"{families[0]} et al." if len(families) > 2 else " & ".join(families)
        return f"{first} {self.year}"

    @property
    def listed(self) -> str:
        """One line of a list of references."""
        return f"{self.authors.replace(' and ', '; ')} ({self.year}). {self.title}. {self.where}."

    @property
    def bibtex(self) -> str:
        """The entry of a BibTeX file."""
        fields = {"author": self.authors, "year": self.year, "title": f"{{{self.title}}}", "howpublished": self.where}
        lines = "".join(f"  {name} = {{{_tex(str(value))}}},\n" for name, value in fields.items())
        return f"@misc{{{self.key},\n{lines}}}\n"


def _tex(text: str) -> str:
    return text.replace("&", r"\&").replace("–", "--").replace("ä", r"{\"a}")


#: All publications, by their keys.
LITERATURE = {
    key: Source(key, **about)
    for key, about in json.loads(Path(__file__).with_name("literature.json").read_text(encoding="utf-8")).items()
}
#: Keys by the score's tag; one that is not listed is named without a source.
SCORES = {
    "aic": "akaike1974",
    "bic": "schwarz1978",
    "k2": "cooper1992",
    "bdeu": "heckerman1995",
    "bde": "heckerman1995",
    "bds": "scutari2016",
    "fnml": "silander2008",
    "qnml": "silander2018",
}
#: Keys by the search's tag.
SEARCHES = {
    "k2": "cooper1992",
    "chow_liu": "chow1968",
    "annealing": "kirkpatrick1983",
    "tabu": "glover1989",
    "iterated": "lourenco2003",
    "exact": "silander2006",
}
#: Keys by the rule that suggests a threshold.
RULES = {"mean": "steck2003", "l1": "scutari2013", "convention": "briganti2023", "permutation": "broom2012"}


def sources_of(keys: dict[str, str], tag: str) -> tuple[Source, ...]:
    """Return what the sentence about a score, a search or a rule cites; nothing for a threshold chosen by hand."""
    return (LITERATURE[keys[tag]],) if tag in keys else ()


def sources_of_method(key: str) -> tuple[Source, ...]:
    """Return what the sentence about a resampling method cites."""
    if key.startswith("jackknife"):
        return (LITERATURE["shao1989"],)
    if key == NAIVE:
        return LITERATURE["efron1979"], LITERATURE["friedman1999"]
    corrected = key.startswith("bootstrap_") or key.endswith("_corrected")
    return (LITERATURE["steck2003"],) if corrected else ()


def sources_of_posterior(posterior: EdgePosterior) -> tuple[Source, ...]:
    """Return what the posterior's sentence cites: how it was computed, the scores, resamples and correction."""
    how = {"exact": "koivisto2004", "order": "friedman2003"}[posterior.method]
    return tuple(LITERATURE[key] for key in (how, "heckerman1995", "huggins2023", "steck2003"))
