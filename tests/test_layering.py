"""Imports run one way. A module that is new must be given its place here."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "bnengine"
PAGES = ROOT / "pages"

#: The engine's modules; each may import those before it and none after it.
LAYERS = [
    "_kept _code_folder _compiled names randomness standard_errors search_space_size small_sets graph data",
    "limits unpacking csv_export",
    "row_weights hashing regret count_functions counting extension constraints",
    "network bif_words bif inference prior_network prior_marginals prior_counts",
    "score_form bootstrap_scores scores score_weights correction families _ordering_sums",
    "likelihood conjugate information",
    "evaluation decomposition equivalent_scores growth",
    "search._families search._neighbourhood search._perturbation search._walk search._random_changes search.found",
    "arc_changes overfitting cross_validation empty_cells",
    "search.hill_climbing search.tabu search.simulated_annealing search.best_first search.tree_search",
    "search._parent_sets search._pieces search._all_sets search._order_graph",
    "search.k2 search.fixed_ordering search.exact search.chow_liu search.column_order search.learning search",
    "order_prior posterior comparison candidates copies sensitivity search_walk traps",
    "resampling selection jackknife workers matching ensemble averaged confidence tie_effect study spurious",
    "calibration averaging",
    "bias iterated jensen dependence bootstrap_bias iterated_bootstrap parameter_precision ties optimism",
    "prediction validation spanning_order arc_by_arc",
    "cuts missing levels description alternation joint_discretization discretize",
    "coded_columns typed_columns text_table workbook sheet_stream sheet_table parquet_table reading describe samples",
    "recipe experiment paper fresh_samples warming thresholds permutation options command __init__",
    "cli.usage cli.arguments cli.checks cli.settings cli.output cli.running cli.table cli.networks cli.study",
    "cli.averaging cli.table1 cli.learn cli.confidence cli.sample cli.score cli __main__",
]
ORDER = [module for layer in LAYERS for module in layer.split()]


def imports_in(source, package=""):
    """Names of all modules that a text imports, wherever in it; relative ones completed by the package."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return names


def roots(source):
    return {name.split(".")[0] for name in imports_in(source)}


def module_name(path):
    return ".".join(path.relative_to(ENGINE).with_suffix("").parts).removesuffix(".__init__")


ENGINE_FILES = {module_name(path): path for path in sorted(ENGINE.rglob("*.py"))}
PAGE_FILES = sorted(PAGES.rglob("*.py"))


def against_the_order(name, source):
    """The modules of the engine that a module imports though they do not stand before it."""
    known = {module for module in ORDER if module != "__init__"}
    inside = name if name in ("search", "cli") else name.rpartition(".")[0]
    package = f"bnengine.{inside}".rstrip(".")
    found = {i.removeprefix("bnengine.") for i in imports_in(source, package) if i.startswith("bnengine.")}
    found -= {inside}  # a package's modules name it when they import each other
    return sorted(module for module in found & known if ORDER.index(module) >= ORDER.index(name))


def test_every_module_has_its_place():
    homeless = sorted(set(ENGINE_FILES) - set(ORDER))
    assert homeless == [], f"give {', '.join(homeless)} a place in ORDER, after all it imports"
    assert sorted(set(ORDER) - set(ENGINE_FILES)) == []
    assert len(set(ORDER)) == len(ORDER)


@pytest.mark.parametrize("name", ENGINE_FILES)
def test_imports_run_one_way(name):
    assert name in ORDER
    assert against_the_order(name, ENGINE_FILES[name].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", ENGINE_FILES)
def test_the_engine_knows_no_page_and_no_picture(name):
    assert not roots(ENGINE_FILES[name].read_text(encoding="utf-8")) & {"streamlit", "plotly", "pages", "tests", "app"}


def test_the_check_sees_imports_of_every_form():
    for text in (
        "from bnengine.families import x",
        "import bnengine.families",
        "from bnengine import families",
        "def f():\n    from bnengine.families import x",
        "from .families import x",
        "from . import families",
    ):
        assert against_the_order("scores", text) == ["families"], text
        assert against_the_order("evaluation", text) == [], text
    assert against_the_order("search.found", "from .k2 import K2") == ["search.k2"]
    assert against_the_order("search.found", "from ..confidence import resample") == ["confidence"]


@pytest.mark.parametrize("path", PAGE_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_know_only_what_they_share_and_the_engine(path):
    imported = {name for name in imports_in(path.read_text(encoding="utf-8"), "pages") if name.startswith("pages.")}
    assert {name for name in imported if not name.startswith("pages._shared")} == set()


@pytest.mark.parametrize(
    "path",
    [*sorted((PAGES / "_shared" / "figures").rglob("*.py")), PAGES / "_shared" / "jobs.py"],
    ids=lambda p: p.name,
)
def test_figures_and_jobs_know_no_streamlit(path):
    text = path.read_text(encoding="utf-8")
    assert "streamlit" not in roots(text)
    assert not {name for name in imports_in(text) if name.startswith("pages._shared.")} & {
        "pages._shared.state",
        "pages._shared.controls",
        "pages._shared.running",
    }


METHODS = {"get", "setdefault", "pop", "update", "keys", "items", "values", "clear", "to_dict"}


def literal_session_keys(source):
    """What a text calls its session keys by, itself, instead of by a name from ``state``."""
    found = []

    def is_session(node):
        return isinstance(node, ast.Attribute) and node.attr == "session_state"

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and is_session(node.value):
            key = node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_session(node.func.value):
            key = node.args[0] if node.args else None
        elif isinstance(node, ast.Compare) and any(map(is_session, node.comparators)):
            key = node.left
        elif isinstance(node, ast.Attribute) and is_session(node.value) and node.attr not in METHODS:
            found.append(node.attr)
            continue
        else:
            continue
        if isinstance(key, ast.JoinedStr) or (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            found.append(ast.unparse(key))
    return found


@pytest.mark.parametrize("path", [ROOT / "app.py", *PAGE_FILES], ids=lambda path: str(path.relative_to(ROOT)))
def test_only_state_names_session_keys(path):
    if path != PAGES / "_shared" / "state.py":
        assert literal_session_keys(path.read_text(encoding="utf-8")) == []


def test_the_check_sees_keys_of_every_form():
    for text in (
        "st.session_state['x']",
        "st.session_state['x'] = 1",
        "st.session_state[f'x {n}']",
        "st.session_state.get('x', 1)",
        "st.session_state.setdefault('x', 1)",
        "'x' in st.session_state",
        "st.session_state.x",
        "st.session_state.x = 1",
    ):
        assert len(literal_session_keys(text)) == 1, text
    assert literal_session_keys("st.session_state[state.X]; st.session_state.get(state.X); y = {'x': 1}['x']") == []
