"""An environment outside the checkout that has the libraries of the one that runs the tests, and no bnengine."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: pip takes all that it needs from the environment of the tests, and asks nobody.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class Environment:
    """A virtual environment in a folder; its commands know nothing of the checkout."""

    def __init__(self, folder):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.bin / "python"
        self.site = Path(self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
        libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        # folders that a .pth file names are searched; their own .pth files, such as that of the checkout, are not read
        (self.site / "libraries.pth").write_text("\n".join(sorted(libraries)))

    def variables(self, **more):
        """The variables of a shell in which this environment is active."""
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        return {**kept, **OFFLINE, "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}", **more}

    def run(self, *arguments, **settings):
        """Run Python, away from the checkout unless it is said where."""
        settings = {"cwd": self.bin, "env": self.variables(), **settings}
        done = subprocess.run(
            [self.python, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", **settings
        )
        assert done.returncode == 0, f"{arguments}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done

    def take_compiled_code(self):
        """Use what the checkout has compiled: it is the same code, and the compiler is tested elsewhere."""
        compiled = ROOT / "bnengine" / "__pycache__" / "compiled"
        if compiled.exists():
            shutil.copytree(compiled, self.site / "bnengine" / "__pycache__" / "compiled", dirs_exist_ok=True)
