"""The manual's notebooks: their cells run as a reader would run them, and keep what they show.

``python -m tests.docs.notebooks`` runs all of them, each in a folder of its own, and writes the outputs anew.
"""

import ast
import contextlib
import io
import json
import tempfile
from pathlib import Path

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))
PLOTLY = "application/vnd.plotly.v1+json"


def read(path):
    """A notebook as it is in the file."""
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook):
    """The cells that run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(path):
    """The outputs of each code cell, run in order in the present folder."""
    names = {}
    return [_outputs("".join(cell["source"]), names, path) for cell in code_cells(read(path))]


def _outputs(source, names, path):
    tree, printed = ast.parse(source), io.StringIO()
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    before = ast.Module([node for node in tree.body if node is not last], [])
    with contextlib.redirect_stdout(printed):
        exec(compile(before, str(path), "exec"), names)
        shown = None if last is None else eval(compile(ast.Expression(last.value), str(path), "eval"), names)
    found = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if shown is not None:
        found.append({"data": _bundle(shown), "metadata": {}, "output_type": "execute_result"})
    return found


def _bundle(shown):
    """What a notebook keeps of a value: a figure with its data, a result as its own HTML, and the text of either."""
    if hasattr(shown, "to_plotly_json"):
        return {PLOTLY: json.loads(shown.to_json()), "text/plain": ["a plotly figure"]}
    if not hasattr(shown, "_repr_html_"):
        return {"text/plain": _lines(repr(shown))}
    text = repr(shown) if hasattr(shown, "columns") else type(shown).__name__
    return {"text/html": _lines(shown._repr_html_()), "text/plain": _lines(text)}


def _lines(text):
    return text.splitlines(keepends=True)


def main():
    """Write the outputs that stand in the notebooks anew."""
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            found = run(path)
        notebook = read(path)
        for number, (cell, outputs) in enumerate(zip(code_cells(notebook), found, strict=True), start=1):
            numbered = [{**one, "execution_count": number} if "data" in one else one for one in outputs]
            cell |= {"execution_count": number, "outputs": numbered}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
