"""Imports run one way. A module that is new must be given its place here."""

import ast
import os
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "bnengine"
PAGES = ROOT / "pages"

#: The engine's rooms by floors; a room may import from itself and from lower floors.
FLOORS = [
    ["_jit"],
    ["_core"],
    ["graphs", "data"],
    ["networks"],
    ["scores"],
    ["search"],
    ["posterior", "bootstrap", "discretization", "prediction"],
    ["teaching", "answers"],
    ["experiment"],
    ["plots"],
    ["report"],
    ["cli"],
]
DOORS = ["", "__main__", "execution", "settings", "text", "typing"]  # what others import: above all
FLOOR = {room: number for number, rooms in enumerate([*FLOORS, DOORS]) for room in rooms}


@cache
def nodes_of(source):
    return list(ast.walk(ast.parse(source)))


@cache
def imports_in(source, package=""):
    """Names of all modules that a text imports, wherever in it; relative ones completed by the package."""
    names = []
    for node in nodes_of(source):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return names


def roots(source):
    return {name.split(".")[0] for name in imports_in(source)}


#: By the module's name without the package's; a folder's own file has the folder's name.
ENGINE_FILES = {
    ".".join(path.relative_to(ENGINE).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
    for path in sorted(ENGINE.rglob("*.py"))
}
PAGE_FILES = sorted(PAGES.rglob("*.py"))


@cache
def text_of(path):
    return path.read_text(encoding="utf-8")


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
    assert {room_of(module) for module in ENGINE_FILES} == set(FLOOR)
    assert sorted(module for module, path in ENGINE_FILES.items() if path.parent == ENGINE) == DOORS


def test_no_import_leads_upward():
    texts = {module: text_of(path) for module, path in ENGINE_FILES.items() if module not in DOORS}
    assert {module: found for module, text in texts.items() if (found := upward(module, text))} == {}
    asking = [module for module, text in texts.items() if "bnengine" in imports_in(text)]
    assert asking == [], "a room does not import the door"


#: Every file of the program by its module's name.
FILES = {
    **{f"bnengine.{module}".rstrip("."): path for module, path in ENGINE_FILES.items()},
    **{".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in PAGE_FILES},
    "app": ROOT / "app.py",
}


def files_imported(module):
    """The modules that a file imports, wherever in it; of a folder's own file only what it takes from there."""
    path = FILES[module]
    own = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names = {name for name in imports_in(text_of(path), own) if name in FILES and name != module}
    return {name for name in names if FILES[name].name != "__init__.py" or takes_from(path, name, own)}


def takes_from(path, folder, own):
    """Whether a file takes a name from a folder's own file that is no module of that folder."""
    taken = {name.rpartition(".") for name in imports_in(text_of(path), own)}
    return any(above == folder and name and f"{folder}.{name}" not in FILES for above, _, name in taken)


def test_no_files_import_each_other():
    graph = {module: files_imported(module) for module in FILES}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle


def test_the_engine_knows_no_page_and_only_its_figures_know_plotly():
    above = {"streamlit", "pages", "tests", "app"}
    assert [module for module, path in ENGINE_FILES.items() if roots(text_of(path)) & above] == []
    drawing = {room_of(module) for module, path in ENGINE_FILES.items() if "plotly" in roots(text_of(path))}
    assert drawing == {"plots"}


#: What imports a module whose name is a text: as it runs, or when a name is first asked for.
BY_NAME = ("import_module", "__import__", "run_module", "run_path", "attach", "attach_stub")


def imported_by_name(source):
    """The calls of a text that import by name, and what it takes by name from modules that it has imported."""
    nodes = nodes_of(source)
    bound = [alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    modules = {alias.asname or alias.name.partition(".")[0] for alias in bound} - {"pa", "pc", "pd"}  # libraries
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            taken = name == "getattr" and getattr(node.args[0], "id", "") in modules
            if name in BY_NAME or (taken and not isinstance(node.args[1], ast.Constant)):
                yield ast.unparse(node)


def modules_in_texts(source):
    """The modules and rooms of the engine that a text names in its texts, without the documentation."""
    told = {id(node.value) for node in nodes_of(source) if isinstance(node, ast.Expr)}
    texts = [node.value for node in nodes_of(source) if isinstance(node, ast.Constant) and id(node) not in told]
    return {text for text in texts if isinstance(text, str) and re.match(r"bnengine\.\w+[\w.]*(:\w+)?$", text)}


def test_nothing_is_imported_by_name():
    """But libraries asked for late, streamlit, a library's readers, fixed tasks, names behind the lazy doors."""
    found = {module: calls for module, path in ENGINE_FILES.items() if (calls := [*imported_by_name(text_of(path))])}
    assert found == {
        "": ["lazy_loader.attach_stub(__name__, __file__)"],
        "_core.environment": ["import_module(self._name)"],
        "_core.isolated": ["importlib.import_module(name)", "importlib.import_module(module)"],
        "data.program_files": ["getattr(pyreadstat, _reader_of(raw)[1])"],  # one of its readers
        "cli": ["runpy.run_path(str(script().parent / 'pages' / 'shared' / 'start.py'))"],
        "experiment": ["lazy_loader.attach(__name__, submodules=['paper'])"],
        "plots": ["lazy_loader.attach_stub(__name__, __file__)"],
    }
    named = {module: texts for module, path in ENGINE_FILES.items() if (texts := modules_in_texts(text_of(path)))}
    assert set(named) == {"execution"}, "the tasks of the process that reads files stand in one place, above all rooms"
    assert {text.partition(".")[0] for text in modules_in_texts(text_of(ENGINE_FILES["_core.environment"]))} == set()


def private_engine_names(source):
    """What a text imports from the engine whose name, or that of a module above it, begins with an underscore."""
    parts = {name: name.split(".") for name in imports_in(source)}
    private = {
        name: [part for part in own if part.startswith("_") and part != "__version__"] for name, own in parts.items()
    }
    return sorted(name for name, found in private.items() if found and parts[name][0] == "bnengine")


def test_pages_import_nothing_private_from_the_engine():
    files = [ROOT / "app.py", *PAGE_FILES]
    assert {path: found for path in files if (found := private_engine_names(text_of(path)))} == {}


def page_imports(path, source):
    """The pages' modules that a file of theirs imports."""
    package = ".".join(path.parent.relative_to(ROOT).parts)
    return {name for name in imports_in(source, package) if name.startswith("pages.")}


#: Its steps show the sections of the lessons, and what these are about.
LECTURES = PAGES / "present" / "lectures.py"
SUBJECTS = PAGES / "present" / "subjects.py"


def test_a_page_knows_only_its_own_parts_and_what_pages_share():
    found = {}
    for path in PAGE_FILES:
        own = path.relative_to(PAGES).parts[0]
        rooms = {name.split(".")[1] for name in page_imports(path, text_of(path))}
        found[path] = rooms - {own, "shared"} if own != "shared" else rooms - {"shared"}
    assert {path: rooms for path, rooms in found.items() if rooms} == {
        LECTURES: {"bayesian", "bias_lab", "mdl"},
        SUBJECTS: {"bias_lab"},
    }


def test_the_line_of_work_knows_neither_streamlit_nor_a_page():
    path = PAGES / "shared" / "job_queue.py"
    assert "streamlit" not in roots(text_of(path))
    assert not page_imports(path, text_of(path))


def literal_keys(source):
    """Widget keys that a text writes itself, as ``key=``, instead of taking or making them in ``Key``."""
    keys = [node.value for node in nodes_of(source) if isinstance(node, ast.keyword) and node.arg == "key"]
    spelled = (ast.JoinedStr, ast.BinOp, ast.Constant)
    return [ast.unparse(key) for key in keys if isinstance(key, spelled)]


DRAWING = [ROOT / "app.py", *PAGE_FILES]


def test_one_file_knows_the_session_state_and_one_the_keys_of_widgets():
    held = re.compile(r"(st\.|import |context\.)session_state")
    assert [path.name for path in DRAWING if held.search(text_of(path))] == ["state.py", "streamlit_inside.py"]
    assert {path: keys for path in DRAWING if (keys := literal_keys(text_of(path)))} == {}


def test_only_the_room_around_numba_uses_numba_s_own_parts():
    """What any version of numba may change is used behind one fence."""
    used = {
        name
        for name, path in ENGINE_FILES.items()
        if any(n.startswith("numba.core") for n in imports_in(text_of(path)))
    }
    assert used
    assert {room_of(name) for name in used} == {"_jit"}


def parts_of_streamlit(source):
    """What a text imports of Streamlit, or reads of what it imports, beyond the documented module of functions."""
    imported = {name for name in imports_in(source) if name.startswith("streamlit.")}
    read = {
        f"{node.value.id}.{node.attr}"
        for node in nodes_of(source)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("st", "streamlit")
    }
    inner = {name for name in read if name.split(".")[1].startswith("_") or name.split(".")[1] in INNER_ROOMS}
    return sorted(imported | inner)


INNER_ROOMS = ("runtime", "elements", "proto", "web", "delta_generator", "util", "watcher", "testing", "commands")


def test_only_two_files_use_parts_of_streamlit_that_may_change():
    used = {path.name: found for path in [ROOT / "app.py", *PAGE_FILES] if (found := parts_of_streamlit(text_of(path)))}
    assert sorted(used) == ["start.py", "streamlit_inside.py"]


#: Prints the engine's files that are being executed, from ``study`` down, whenever a local score is asked for. With the
#: compiler off the kernel and the search are Python too; the work is done in the thread that hands it in.
CALL_PATH = """
import sys
from concurrent.futures import Executor, Future
from pathlib import Path

import bnengine as bn

class Here(Executor):
    def submit(self, function, /, *arguments, **named):
        done = Future()
        done.set_result(function(*arguments, **named))
        return done

engine, found = Path(bn.__file__).parent, set()

def note(frame, event, argument):
    if event == "call" and frame.f_code.co_filename.endswith("family_scores.py"):
        while frame is not None:
            found.add(Path(frame.f_code.co_filename))
            frame = frame.f_back

data = bn.load_network("cancer").sample(60, rng=1)
methods = bn.resampling_methods(2, keys=("bootstrap_corrected",))
sys.setprofile(note)
bn.study(data, bn.BDeu(), bn.HillClimbing(), methods, executor=Here())
sys.setprofile(None)
print(*sorted(path.relative_to(engine).as_posix() for path in found if engine in path.parents), sep="\\n")
"""


def test_the_corrected_bootstrap_is_read_from_study_to_the_kernel_in_at_most_12_files():
    words = [sys.executable, "-W", "ignore::RuntimeWarning", "-c", CALL_PATH]
    own = {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(words, env={**os.environ, **own}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    path = done.stdout.splitlines()
    ends = {"bootstrap/study.py", "bootstrap/resample.py", "search/hill_climbing.py", "scores/family_scores.py"}
    assert ends <= set(path)
    assert len(path) <= 12, path
