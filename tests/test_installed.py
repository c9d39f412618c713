"""What a stranger gets: the wheel, built from the source archive and installed outside the checkout, and its app."""

import json
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest

import bnengine as bn
from app import PAGES
from tests.installing import ROOT, Environment
from tests.pages.serving import served
from tests.pages.test_origins import shown

pytestmark = pytest.mark.slow

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """The source archive, and the wheel built from what is in it."""
    folder = tmp_path_factory.mktemp("built")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder], cwd=ROOT, check=True)
    (source,) = folder.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / source.name.removesuffix(".tar.gz")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=unpacked, check=True)
    shutil.rmtree(unpacked)
    (wheel,) = folder.glob("*.whl")
    return source, wheel


@pytest.fixture(scope="module")
def installed(archives, tmp_path_factory):
    """The environment in which the wheel is installed."""
    environment = Environment(tmp_path_factory.mktemp("environment"))
    environment.run("-m", "pip", "install", "-q", archives[1])
    environment.take_compiled_code()
    return environment


def test_the_wheel_is_one_package_with_all_its_parts(archives):
    with zipfile.ZipFile(archives[1]) as wheel:
        listed = wheel.namelist()
    names = set(listed)
    assert len(names) == len(listed)
    assert {name.split("/")[0] for name in names} == {"bnengine", f"bnengine-{bn.__version__}.dist-info"}
    pages = {f"bnengine/app/pages/{name}/page.py" for name, _, _ in PAGES}
    assert names >= pages | {"bnengine/app/app.py", "bnengine/app/.streamlit/config.toml", "bnengine/py.typed"}
    tracked = {
        f"bnengine/{'app/' if room == 'pages' else ''}{path.relative_to(ROOT).as_posix().removeprefix('bnengine/')}"
        for room in ("bnengine", "pages", "sample_data")
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not (room == "sample_data" and path.suffix == ".py")
    }
    assert tracked - names == set()


def test_version_and_date_are_the_same_wherever_they_stand(archives):
    source, wheel = archives
    assert source.name == f"bnengine-{bn.__version__}.tar.gz"
    assert wheel.name == f"bnengine-{bn.__version__}-py3-none-any.whl"
    assert "version" not in PROJECT
    for_citing = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    version, date = for_citing["version"], for_citing["datePublished"]
    assert version == bn.__version__
    assert f"\nversion: {version}\ndate-released: {date}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n\n## {version} ({date})\n\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_installed_app_is_served_with_the_project_s_own_settings(installed, tmp_path):
    table = tmp_path / "survey.csv"
    table.write_text("a,b\n1,x\n2,y\n")
    command = [installed.bin / "bnengine", "app", "--file", table]
    log = tmp_path / "log.txt"
    with served(log, command, cwd=tmp_path, env=installed.variables()) as address:
        drawn = " ".join(shown(address, address, ""))
        assert "survey" in drawn
        assert "exception" not in drawn
    assert address in log.read_text()  # the address that config.toml names; Streamlit's own choice is another
    assert "Network URL" not in log.read_text()


SHOWN = """
import sys
import bnengine as bn

data = bn.load_network("cancer").sample(100, rng=1)
study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(3, keys=("bootstrap", "bootstrap_corrected")))
bn.plots.save(study, "figure1.pdf")
figure = bn.plots.figure1(study)
print(type(figure).__name__, "<table>" in study.reference._repr_html_())
print({"pages", "app", "streamlit"} & set(sys.modules), sys.modules[type(figure).__module__].__name__)
"""


def test_results_are_drawn_where_nothing_is_called_pages(installed, tmp_path):
    lines = installed.run("-c", SHOWN, cwd=tmp_path).stdout.splitlines()
    assert lines == ["Figure True", "set() plotly.graph_objs._figure"]
    assert (tmp_path / "figure1.pdf").read_bytes().startswith(b"%PDF")


ENGINE_ALONE = """
import io, sys

missing = ("streamlit", "plotly", "pygraphviz", "pyagrum", "matplotlib", "dask", "distributed")
sys.modules.update(dict.fromkeys(missing))
import bnengine as bn
from bnengine import cli

data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
graph = bn.learn(data, bn.BIC(), bn.HillClimbing())
for suffix in ("svg", "dot", "graphml"):
    try:
        bn.write_graph(data.names, graph.edges, io.BytesIO(), suffix)
    except (ImportError, ValueError) as error:
        print(suffix, "|", error)
try:
    bn.plots.network(graph)
except ModuleNotFoundError as error:
    print("plots", "|", error)
try:
    bn.write_network(bn.load_network("asia"), io.BytesIO(), "net")
except (ImportError, ValueError) as error:
    print("net", "|", error)
print("app", cli.main(["app"]))
"""


def test_the_engine_works_without_the_extras_and_names_the_command_where_one_is_needed(installed, tmp_path):
    done = installed.run("-c", ENGINE_ALONE, cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["svg", "plots", "net", "app"]
    assert all('pip install "bnengine[app]"' in line for line in lines if line.startswith(("svg", "plots")))
    assert all('pip install "bnengine[formats]"' in line for line in lines if line.startswith("net"))
    assert lines[-1] == "app 1"
    assert done.stderr.count("\n") == 1
    assert 'pip install "bnengine[app]"' in done.stderr
