"""Imports run one way. A module that is new must be given its place here."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "bnengine"
PAGES = ROOT / "pages"

#: The engine's rooms by floors; a room may import from itself and from lower floors.
FLOORS = [
    ["_core"],
    ["graphs", "data"],
    ["networks"],
    ["scores"],
    ["search"],
    ["posterior", "bootstrap", "discretization", "prediction"],
    ["teaching", "experiment"],
    ["cli"],
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
DOORS = ["__init__", "__main__"]  # what a user imports: above all rooms


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


ENGINE_FILES = {".".join(path.relative_to(ENGINE).with_suffix("").parts): path for path in sorted(ENGINE.rglob("*.py"))}
PAGE_FILES = sorted(PAGES.rglob("*.py"))


def room_of(module):
    return module.partition(".")[0]


def engine_imports(module, source):
    """The engine's modules and rooms that a module's text imports, without the package's name."""
    package = ".".join(("bnengine", *module.split(".")[:-1]))
    return {name.removeprefix("bnengine.") for name in imports_in(source, package) if name.startswith("bnengine.")}


def upward(module, source):
    """What a module imports from rooms that are not below its own."""
    own = room_of(module)
    rooms = {name: room_of(name) for name in engine_imports(module, source)}
    return sorted(name for name, room in rooms.items() if room in FLOOR and room != own and FLOOR[room] >= FLOOR[own])


def test_every_module_is_in_a_room():
    assert {room_of(module) for module in ENGINE_FILES} == {*FLOOR, *DOORS}
    assert sorted(module for module in ENGINE_FILES if "." not in module) == DOORS


def test_the_engine_has_at_most_eight_floors():
    assert len(FLOORS) <= 8


@pytest.mark.parametrize("module", [module for module in ENGINE_FILES if module not in DOORS])
def test_no_import_leads_upward(module):
    source = ENGINE_FILES[module].read_text(encoding="utf-8")
    assert upward(module, source) == []
    assert "bnengine" not in imports_in(source) or module == "_core.versions", "a room does not import the door"


def test_no_modules_import_each_other():
    graph = {
        module: engine_imports(module, path.read_text(encoding="utf-8")) & set(ENGINE_FILES)
        for module, path in ENGINE_FILES.items()
        if module not in DOORS
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle


@pytest.mark.parametrize("module", ENGINE_FILES)
def test_the_engine_knows_no_page_and_no_picture(module):
    source = ENGINE_FILES[module].read_text(encoding="utf-8")
    assert not roots(source) & {"streamlit", "plotly", "pages", "tests", "app"}


def test_the_check_sees_imports_of_every_form():
    for text in (
        "from bnengine.search.k2 import x",
        "import bnengine.search.k2",
        "from bnengine.search import k2",
        "def f():\n    from bnengine.search.k2 import x",
        "from ..search.k2 import x",
        "from ..search import k2",
    ):
        assert "search.k2" in upward("scores.evaluation", text), text
        assert upward("teaching.local_optima", text) == [], text
    assert upward("search.result", "from .k2 import K2") == []
    assert upward("posterior.x", "from bnengine.bootstrap.resample import resample") == [
        "bootstrap.resample",
        "bootstrap.resample.resample",
    ]


@pytest.mark.parametrize("path", PAGE_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_know_only_what_they_share_and_the_engine(path):
    imported = {name for name in imports_in(path.read_text(encoding="utf-8"), "pages") if name.startswith("pages.")}
    assert {name for name in imported if not name.startswith("pages._shared")} == set()


@pytest.mark.parametrize(
    "path",
    [*sorted((PAGES / "_shared" / "figures").rglob("*.py")), PAGES / "_shared" / "jobs" / "background.py"],
    ids=lambda p: p.name,
)
def test_figures_and_jobs_know_no_streamlit(path):
    text = path.read_text(encoding="utf-8")
    assert "streamlit" not in roots(text)
    assert not {name for name in imports_in(text) if name.startswith("pages._shared.")} & {
        "pages._shared.session",
        "pages._shared.widgets.controls",
        "pages._shared.jobs.running",
    }


def uses_the_session_state(source):
    """Whether a text names Streamlit's session state in any way."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == "session_state")
        or (isinstance(node, ast.Name) and node.id == "session_state")
        or (isinstance(node, ast.alias) and node.name == "session_state")
        for node in ast.walk(ast.parse(source))
    )


def literal_keys(source):
    """Widget keys that a text writes itself, as ``key=``, instead of taking or making them in ``session``."""
    keys = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.keyword) and node.arg == "key"]
    spelled = (ast.JoinedStr, ast.BinOp, ast.Constant)
    return [ast.unparse(key) for key in keys if isinstance(key, spelled)]


OUTSIDE_SESSION = [path for path in [ROOT / "app.py", *PAGE_FILES] if PAGES / "_shared" / "session" not in path.parents]


@pytest.mark.parametrize("path", OUTSIDE_SESSION, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_session_room_knows_the_session_state_and_its_keys(path):
    source = path.read_text(encoding="utf-8")
    assert not uses_the_session_state(source)
    assert literal_keys(source) == []


@pytest.mark.parametrize("path", OUTSIDE_SESSION, ids=lambda path: str(path.relative_to(ROOT)))
def test_pictures_are_drawn_by_one_helper(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Attribute)]
    assert path.name == "show.py" or "plotly_chart" not in {node.attr for node in calls}


@pytest.mark.parametrize("path", PAGE_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_file_is_longer_than_500_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_the_check_sees_session_state_and_keys_of_every_form():
    for text in (
        "st.session_state['x']",
        "st.session_state.x = 1",
        "from streamlit import session_state",
        "session_state",
    ):
        assert uses_the_session_state(text), text
    assert not uses_the_session_state("session.values.get(Key.X)")
    for text in ("st.button('a', key='b')", "f(key=f'b {n}')", "f(key='b' + n)", "left.slider('a', key='b')"):
        assert len(literal_keys(text)) == 1, text
    assert literal_keys("f(key=Key.X); f(key=Key.of(Key.X, n)); f(x='y'); f(**kept(Key.X)); sorted(a, key=len)") == []
