"""`import fedverdict as fv`: quick, typed, documented, and never somebody else's package of one of our names."""

from __future__ import annotations

import ast
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import fedverdict as fv

ROOT = Path(__file__).parent.parent
SOURCE = (ROOT / "fedverdict" / "__init__.py").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "reference_python.md").read_text(encoding="utf-8")
POLICY = (ROOT / "docs" / "api_policy.md").read_text(encoding="utf-8")
PROMISED = {
    "check",
    "assert_holds",
    "run",
    "simulate",
    "RunConfig",
    "rules",
    "algorithms",
    "decide_class",
    "__version__",
}


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)


def test_the_import_loads_neither_numpy_nor_torch(tmp_path: Path) -> None:
    code = "import sys, fedverdict; print([name for name in ('numpy', 'torch', 'deep') if name in sys.modules])"
    assert python(code, tmp_path).stdout.strip() == "[]"


def test_functions_that_use_the_name_can_be_sent_to_another_process() -> None:
    """As Ray and Dask do: a function of a script is pickled with the modules that it names."""
    assert pickle.loads(pickle.dumps(fv)) is fv
    cloudpickle = pytest.importorskip("cloudpickle", reason="it comes with the extra cluster")
    space: dict[str, object] = {"fv": fv, "__name__": "__main__"}
    exec("def rule():\n    return fv.make_rule('uniform')", space)
    sent = pickle.loads(cloudpickle.dumps(space["rule"]))
    assert sent() == fv.make_rule("uniform")


def test_what_editors_and_mypy_see_is_what_there_is() -> None:
    """The imports under ``if TYPE_CHECKING:`` are the names, but for the version, which stands there as text."""
    (block,) = (node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    seen = [name.asname or name.name for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names]
    assert sorted([*seen, "__version__"]) == sorted(fv.__all__)
    assert len(fv.__all__) == len(set(fv.__all__))
    assert set(fv.__all__) <= set(dir(fv))
    assert (ROOT / "fedverdict" / "py.typed").is_file()


def test_every_name_has_an_example_in_the_reference_which_runs_with_the_pages() -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", REFERENCE, flags=re.DOTALL))
    assert sorted(set(fv.__all__) - set(re.findall(r"\bfv\.(\w+)", code))) == []


def test_the_policy_names_what_is_promised_and_what_is_provisional() -> None:
    promised, provisional = (set(re.findall(r"`(\w+)`", part)) for part in POLICY.split("## ")[1:3])
    assert PROMISED <= promised <= set(fv.__all__)
    assert {"theorem", "step", "reading", "mutant", "World", "case", "numbers"} <= provisional <= set(fv.__all__)
    assert promised.isdisjoint(provisional)
    assert {"theorem", "reading", "World", *PROMISED} <= set(re.findall(r"`(\w+)`", fv.__doc__ or ""))


def test_the_version_is_the_one_that_is_built() -> None:
    assert fv.__version__ == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


@pytest.mark.parametrize("name", ["theory", "deep", "validation", "paper_checks"])
@pytest.mark.parametrize("kind", ["package", "module"])
def test_a_foreign_package_of_one_of_our_names_is_named_with_its_path(name: str, kind: str, tmp_path: Path) -> None:
    place = tmp_path / name if kind == "package" else tmp_path / f"{name}.py"
    if kind == "package":
        place.mkdir()
        (place / "__init__.py").write_text("")
    else:
        place.write_text("")
    result = python("import fedverdict", tmp_path)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        f"ImportError: fedverdict needs its own package {name!r}, but Python finds {place.resolve()} first;"
        " rename that one, or start Python in another folder"
    )


def test_the_package_runs_as_a_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fedverdict", "--version"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout == f"fedverdict, version {fv.__version__}\n"
