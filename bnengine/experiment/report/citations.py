"""The literature that a methods section cites: by score, search, resampling method and posterior."""

from __future__ import annotations

from dataclasses import dataclass

from bnengine._core.settings import tag_of
from bnengine.bootstrap.resampling_methods import NAIVE
from bnengine.experiment.experiment import Experiment
from bnengine.posterior import SampledPosterior


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


STECK = Source(
    "steck2003",
    "Steck, Harald and Jaakkola, Tommi S.",
    2003,
    "Bias-corrected bootstrap and model uncertainty",
    "Advances in Neural Information Processing Systems 16",
)
_FRIEDMAN = Source(
    "friedman1999",
    "Friedman, Nir and Goldszmidt, Moises and Wyner, Abraham",
    1999,
    "Data analysis with Bayesian networks: a bootstrap approach",
    "Uncertainty in Artificial Intelligence 15, 196–205",
)
_EFRON = Source(
    "efron1979",
    "Efron, Bradley",
    1979,
    "Bootstrap methods: another look at the jackknife",
    "Annals of Statistics 7, 1–26",
)
_SHAO = Source(
    "shao1989",
    "Shao, Jun and Wu, C. F. Jeff",
    1989,
    "A general theory for jackknife variance estimation",
    "Annals of Statistics 17, 1176–1197",
)
_HECKERMAN = Source(
    "heckerman1995",
    "Heckerman, David and Geiger, Dan and Chickering, David M.",
    1995,
    "Learning Bayesian networks: the combination of knowledge and statistical data",
    "Machine Learning 20, 197–243",
)
_COOPER = Source(
    "cooper1992",
    "Cooper, Gregory F. and Herskovits, Edward",
    1992,
    "A Bayesian method for the induction of probabilistic networks from data",
    "Machine Learning 9, 309–347",
)
_FNML = Source(
    "silander2008",
    "Silander, Tomi and Roos, Teemu and Kontkanen, Petri and Myllymäki, Petri",
    2008,
    "Factorized normalized maximum likelihood criterion for learning Bayesian network structures",
    "European Workshop on Probabilistic Graphical Models 4, 257–264",
)
_KOIVISTO = Source(
    "koivisto2004",
    "Koivisto, Mikko and Sood, Kismat",
    2004,
    "Exact Bayesian structure discovery in Bayesian networks",
    "Journal of Machine Learning Research 5, 549–573",
)
_KOLLER = Source(
    "friedman2003",
    "Friedman, Nir and Koller, Daphne",
    2003,
    "Being Bayesian about network structure: a Bayesian approach to structure discovery in Bayesian networks",
    "Machine Learning 50, 95–125",
)
_KUIPERS = Source(
    "kuipers2017",
    "Kuipers, Jack and Moffa, Giusi",
    2017,
    "Partition MCMC for inference on acyclic digraphs",
    "Journal of the American Statistical Association 112, 282–299",
)

#: By the score's tag; one that is not here is named without a source.
SCORES = {
    "aic": Source(
        "akaike1974", "Akaike, Hirotugu", 1974, "A new look at the statistical model identification",
        "IEEE Transactions on Automatic Control 19, 716–723",
    ),
    "bic": Source(
        "schwarz1978", "Schwarz, Gideon", 1978, "Estimating the dimension of a model", "Annals of Statistics 6, 461–464"
    ),
    "k2": _COOPER,
    "bdeu": _HECKERMAN,
    "bde": _HECKERMAN,
    "bds": Source(
        "scutari2016", "Scutari, Marco", 2016, "An empirical-Bayes score for discrete Bayesian networks",
        "Proceedings of Machine Learning Research 52, 438–448",
    ),
    "fnml": _FNML,
    "qnml": Source(
        "silander2018",
        "Silander, Tomi and Leppä-aho, Janne and Jääsaari, Elias and Roos, Teemu",
        2018,
        "Quotient normalized maximum likelihood criterion for learning Bayesian network structures",
        "Proceedings of Machine Learning Research 84, 948–957",
    ),
}  # fmt: skip
#: By the search's tag.
SEARCHES = {
    "k2": _COOPER,
    "chow_liu": Source(
        "chow1968", "Chow, C. K. and Liu, C. N.", 1968,
        "Approximating discrete probability distributions with dependence trees",
        "IEEE Transactions on Information Theory 14, 462–467",
    ),
    "annealing": Source(
        "kirkpatrick1983", "Kirkpatrick, Scott and Gelatt, C. Daniel and Vecchi, Mario P.", 1983,
        "Optimization by simulated annealing", "Science 220, 671–680",
    ),
    "tabu": Source("glover1989", "Glover, Fred", 1989, "Tabu search, part I", "ORSA Journal on Computing 1, 190–206"),
    "iterated": Source(
        "lourenco2003", "Lourenço, Helena R. and Martin, Olivier C. and Stützle, Thomas", 2003,
        "Iterated local search", "Handbook of Metaheuristics, Springer, 320–353",
    ),
    "exact": Source(
        "silander2006", "Silander, Tomi and Myllymäki, Petri", 2006,
        "A simple approach for finding the globally optimal Bayesian network structure",
        "Uncertainty in Artificial Intelligence 22, 445–452",
    ),
}  # fmt: skip
#: By the rule that suggests a threshold.
RULES = {
    "mean": STECK,
    "l1": Source(
        "scutari2013", "Scutari, Marco and Nagarajan, Radhakrishnan", 2013,
        "Identifying significant edges in graphical models of molecular networks",
        "Artificial Intelligence in Medicine 57, 207–217",
    ),
    "convention": Source(
        "briganti2023", "Briganti, Giovanni and Scutari, Marco and McNally, Richard J.", 2023,
        "A tutorial on Bayesian networks for psychopathology researchers", "Psychological Methods 28, 947–961",
    ),
    "permutation": Source(
        "broom2012", "Broom, Bradley M. and Do, Kim-Anh and Subramanian, Devika", 2012,
        "Model averaging strategies for structure learning in Bayesian networks with limited data",
        "BMC Bioinformatics 13 (Suppl. 13), S10",
    ),
}  # fmt: skip


def of_rule(rule: str) -> tuple[Source, ...]:
    """Return what the threshold's sentence cites; nothing if it was chosen by hand."""
    return _found(RULES, rule)


def of_score(experiment: Experiment) -> tuple[Source, ...]:
    """Return what the score's sentence cites."""
    return _found(SCORES, tag_of(experiment.score))


def of_search(experiment: Experiment) -> tuple[Source, ...]:
    """Return what the search's sentence cites."""
    return _found(SEARCHES, tag_of(experiment.search))


def of_method(key: str) -> tuple[Source, ...]:
    """Return what the sentence about a resampling method cites."""
    if key.startswith("jackknife"):
        return (_SHAO,)
    if key == NAIVE:
        return (_EFRON, _FRIEDMAN)
    return (STECK,) if key.startswith("bootstrap_") or key.endswith("_corrected") else ()


def of_posterior(posterior: SampledPosterior) -> tuple[Source, ...]:
    """Return what the posterior's sentence cites: how it was summed or sampled, and the score under it."""
    how = {"exact": _KOIVISTO, "order": _KOLLER}.get(posterior.method, _KUIPERS)
    return how, _FNML


def _found(sources: dict[str, Source], tag: str) -> tuple[Source, ...]:
    return (sources[tag],) if tag in sources else ()
