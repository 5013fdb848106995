"""Notebooks run cell after cell, as a kernel would; `python -m tests.notebooks` stores what they print and draw."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.loaded import python
from tests.pages import DOCS, surroundings

FOLDER = DOCS / "notebooks"
_DISPLAY = """from pathlib import Path


class SVG:
    def __init__(self, name):
        print(Path(name).read_text(encoding="utf-8"), end="")
"""
_BETWEEN = "\0\n"  # cells


def read(path: Path) -> dict[str, Any]:
    """A notebook."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def code_of(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Its cells of code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def printed(notebook: dict[str, Any], folder: Path) -> list[str]:
    """What each cell of code prints, a drawing as its SVG, when they run in an empty folder."""
    (folder / "IPython").mkdir()  # what a kernel has
    (folder / "IPython" / "__init__.py").touch()
    (folder / "IPython" / "display.py").write_text(_DISPLAY, encoding="utf-8")
    cells = ["".join(cell["source"]) for cell in code_of(notebook)]
    script = folder / "notebook.py"
    script.write_text(f"\nprint({_BETWEEN.strip()!r}, flush=True)\n".join(cells), encoding="utf-8")
    run = subprocess.run(
        [python(), str(script)], check=False, capture_output=True, text=True, cwd=folder, env=surroundings(folder)
    )
    if run.returncode:
        raise RuntimeError(run.stderr)
    return run.stdout.split(_BETWEEN)


def with_outputs(notebook: dict[str, Any], said: list[str]) -> dict[str, Any]:
    """The notebook with outputs, as Jupyter stores them."""
    for number, (cell, text) in enumerate(zip(code_of(notebook), said, strict=True), start=1):
        cell["execution_count"] = number
        if text.startswith("<?xml"):
            data = {
                "image/svg+xml": text.splitlines(keepends=True),
                "text/plain": ["<SVG object>"],
            }
            cell["outputs"] = [
                {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
            ]
        else:
            stream = {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}
            cell["outputs"] = [stream] if text else []
    return notebook


def stored(notebook: dict[str, Any]) -> list[str]:
    """What `printed` would find, of the outputs that are stored."""
    found = []
    for cell in code_of(notebook):
        (output,) = cell["outputs"] or [{"text": []}]
        found.append("".join(output["text"] if "text" in output else output["data"]["image/svg+xml"]))
    return found


def main() -> None:
    """Store the outputs of all notebooks."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            notebook = read(path)
            made = with_outputs(notebook, printed(notebook, Path(folder)))
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
