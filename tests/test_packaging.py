"""The wheel: built, installed elsewhere without the checkout, and run from any folder."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.made_once import made_once
from tests.turns import one_run_in

ROOT = Path(__file__).parent.parent
READ = {".json", ".toml", ".csv", ".md", ".xz"}  # what the code of a paper reads


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr

    (built,) = made_once(tmp_path_factory, worker_id, "wheel", build).glob("fedverdict-*.whl")
    return built


def installed(environment: Path, *what: str) -> None:
    """Make an environment with that installed, and the dependencies of this one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    site = next((environment / "lib").glob("python*")) / "site-packages"
    # The dependencies of this environment, but not its editable install of the checkout: a path line reads no .pth.
    places = [place for place in sys.path if place.endswith("site-packages")]
    (site / "dependencies.pth").write_text("\n".join([*places, sysconfig.get_path("purelib")]) + "\n")
    command = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python"), "install", "--quiet"]
    # Not compiled: a command loads a part of it, and the first one compiles that.
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--no-compile", *what]
    result = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def of_wheel(wheel: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """An environment with the wheel, which nobody changes."""
    return made_once(tmp_path_factory, worker_id, "of_wheel", lambda folder: installed(folder, str(wheel)))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A copy of the checkout, in a folder called ``fedverdict``, as a clone is; beside it an environment with an

    editable installation of it, ``editable``.
    """
    pytest.importorskip("setuptools", "77", reason="the editable installation is built without a network")

    def install(folder: Path) -> None:
        copy = folder / "fedverdict"
        for name in ("fedverdict", "theory", "deep", "validation", "paper_checks"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy / name)
        installed(folder / "editable", "--editable", str(copy))

    return made_once(tmp_path_factory, worker_id, "editable", install) / "fedverdict"


@pytest.mark.parametrize("kind", ["wheel", "editable"])
@pytest.mark.parametrize("where", ["empty folders", "parent of the checkout"])
def test_folders_of_our_names_in_the_working_directory_change_nothing(
    kind: str, where: str, of_wheel: Path, checkout: Path, tmp_path: Path
) -> None:
    environment = of_wheel if kind == "wheel" else checkout.parent / "editable"
    folder = tmp_path
    if where == "empty folders":
        for name in ("fedverdict", "theory", "deep", "validation", "paper_checks", "tests"):
            (folder / name).mkdir()
    else:
        folder = checkout.parent
        assert (folder / "fedverdict" / "pyproject.toml").is_file()
    python = str(environment / "bin" / "python")
    code = "import fedverdict as fv, validation; print(fv.make_rule('FedAvg')); print(validation.__file__)"
    said = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    rule, place = said.stdout.splitlines()
    assert rule == "Proportional()"
    home = environment if kind == "wheel" else checkout
    assert Path(place).is_relative_to(home)
    for command in ([python, "-m", "fedverdict"], [str(environment / "bin" / "fedverdict")]):
        answer = subprocess.run([*command, "rules"], cwd=folder, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stderr
        assert "exp-alpha" in answer.stdout


def test_the_wheel_holds_the_five_packages_with_their_data_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names if not name.startswith("fedverdict-")}
    assert tops == {"fedverdict", "theory", "deep", "validation", "paper_checks"}
    assert {f"{top}/py.typed" for top in tops} <= set(names)
    for paper in ("efl", "exp_alpha", "fedaware", "fedssa", "robust_aggregation"):
        assert f"paper_checks/{paper}/ledger.json" in names
        assert any(n.startswith(f"paper_checks/{paper}/published/") and n.endswith(".csv") for n in names)
    data = {p.relative_to(ROOT).as_posix() for p in (ROOT / "paper_checks").rglob("*") if p.suffix in READ}
    assert data - set(names) == set()
    assert any(n.startswith("validation/report/templates/") for n in names)
    assert "paper_checks/exp_alpha/evidence.json.xz" in names


def test_pytest_finds_the_plugin_of_an_installed_wheel(of_wheel: Path, tmp_path: Path) -> None:
    """By its entry point, once where it is named as well, and without loading what it may need later."""
    (tmp_path / "test_mine.py").write_text(
        "import sys\n\n\ndef test_budget(fedverdict_budget):\n    assert fedverdict_budget == 70\n\n\n"
        "def test_nothing_is_loaded():\n    assert not {'numpy', 'sympy', 'torch', 'deep'} & set(sys.modules)\n",
        encoding="utf-8",
    )
    command = [of_wheel / "bin" / "python", "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    for named in ([], ["-p", "validation.pytest_plugin"]):
        words = [*command, *named, "--fedverdict-budget", "70", "test_mine.py"]
        found = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "2 passed" in found.stdout, found.stdout + found.stderr
    without = [*command, "-p", "no:validation.pytest_plugin", "--fedverdict-budget", "70", "test_mine.py"]
    refused = subprocess.run(without, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "unrecognized arguments" in refused.stderr


@one_run_in(2)
def test_the_installed_command_works_from_any_folder(of_wheel: Path, tmp_path: Path) -> None:
    command = of_wheel / "bin" / "fedverdict"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    result = subprocess.run(
        [command, "check", "EA-P6", "RA-L1", "--json", "--budget", "500"],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert [e["id"] for e in json.loads(result.stdout)] == ["EA-P6", "RA-L1"]
    assert json.loads(result.stdout)[0]["provenance"]["commit"] is None  # it ran from the wheel, not from the checkout
    # The wheel carries the verdicts, and they are current there where they are in the checkout.
    chosen = ["EA-T1", "RA-C1", "EFL-T1", "FA-T4.2", "SSA-P08", "K1"]
    program = (
        "import json; "
        "from validation.fingerprint.fingerprints import fingerprint; from validation.papers.papers import select;"
        f"print(json.dumps({{c.id: fingerprint(p, c) for p, c in select({chosen})}}))"
    )
    found = [
        subprocess.run([python, "-c", program], cwd=folder, capture_output=True, text=True, check=True).stdout
        for python, folder in ((of_wheel / "bin" / "python", elsewhere), (sys.executable, ROOT))
    ]
    assert sorted(json.loads(found[0])) == sorted(chosen)
    assert found[0] == found[1]


def test_what_is_cited_is_the_version_that_is_built() -> None:
    if not (ROOT / "CITATION.cff").exists():
        pytest.skip("no CITATION.cff in this copy")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    steps = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert 'test "$(cat version)" = "$GITHUB_REF_NAME"' in steps


def core_requirements() -> set[str]:
    """Names of what an installation without extras needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {requirement.partition(">=")[0] for requirement in project["dependencies"]}


def test_every_dependency_has_a_lowest_version_and_torchs_is_beyond_its_advisories() -> None:
    """`.ci/lowest` installs exactly these and runs the fast tests; it refuses a requirement without a lower bound."""
    if not (ROOT / ".ci" / "lowest").exists():
        pytest.skip("no .ci folder in this copy")
    wanted = runpy.run_path(str(ROOT / ".ci" / "lowest"))["requirements"](newest=False)
    pins = dict(pin.split("==") for pin in wanted.values())
    assert "torch" not in core_requirements()
    version = tuple(int(part) for part in pins["torch"].split("."))
    assert version >= (2, 10)  # CVE-2025-32434 is fixed in 2.6, CVE-2026-24747 in 2.10
    assert {"numpy", "scipy", "cvxpy", "sympy", "hypothesis", "pytest"} <= pins.keys()
