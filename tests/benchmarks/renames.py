"""How many verdicts become stale by changes that compute the same: names, words, places.

    python -m tests.benchmarks.renames [NAME ...]

The project is copied; in the copy each change is made by itself, and fingerprints of all claims are taken. None may
become stale: this exits with 1 where one does. Two changes that do compute something else are made as well, and have
to make some stale.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("fedverdict", "theory", "deep", "validation", "paper_checks")
JUDGE = "validation/judge"

PROGRAM = """
import json
from validation.fingerprint.fingerprints import fingerprint
from validation.papers.papers import select
print("RESULT" + json.dumps({c.id: fingerprint(p, c) for p, c in select(())}))
"""


def fingerprints(copy: Path) -> dict[str, str]:
    """By claim, what its verdict depends on, as a process of its own in the copy finds it."""
    environment = {"PYTHONPATH": str(copy), "PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(copy / "cache")}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    line = next(x for x in done.stdout.splitlines() if x.startswith("RESULT"))
    found: dict[str, str] = json.loads(line.removeprefix("RESULT"))
    return found


def sources(copy: Path, folder: str) -> list[Path]:
    """The modules of a folder and of those inside it."""
    return sorted((copy / folder).rglob("*.py"))


def replaced(files: Iterable[Path], changes: Mapping[str, str]) -> int:
    """Replace whole names in files; how many there were."""
    count = 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        for old, new in changes.items():
            text, n = re.subn(rf"(?<!\w){re.escape(old)}(?!\w)", new, text)
            count += n
        file.write_text(text, encoding="utf-8")
    return count


def edited(file: Path, places: Iterable[tuple[int, int, str]]) -> int:
    """Insert text before (line, column in bytes); how many places."""
    lines = file.read_bytes().split(b"\n")
    found = sorted(places, reverse=True)
    for row, column, text in found:
        line = lines[row - 1]
        lines[row - 1] = line[:column] + text.encode() + line[column:]
    file.write_bytes(b"\n".join(lines))
    return len(found)


def private_functions(copy: Path) -> int:
    """Every private function of the judge's modules that no other module imports."""
    count = 0
    everything = "\n".join(f.read_text(encoding="utf-8") for p in PACKAGES for f in sources(copy, p))
    imported = set(re.findall(r"import \(?([^)\n]*)", everything))
    taken = {name.strip().split(" as ")[0] for names in imported for name in names.split(",")}
    for file in sources(copy, JUDGE):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        own = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name[:1] == "_"]
        free = {name: f"_zz{name}" for name in own if name not in taken and f".{name}" not in everything}
        count += len(free)
        replaced([file], free)
    return count


def a_class(copy: Path) -> int:
    """A class of the judge, wherever it is used."""
    return replaced([f for p in PACKAGES for f in sources(copy, p)], {"Decision": "Ruling"})


def variables(copy: Path) -> int:
    """A variable of the judge's functions, in each of them."""
    count = 0
    for file in sources(copy, JUDGE):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        places = {
            (n.lineno, n.col_offset, "zz_")
            for f in ast.walk(tree)
            if isinstance(f, ast.FunctionDef) and "found" not in {a.arg for a in ast.walk(f) if isinstance(a, ast.arg)}
            for n in ast.walk(f)
            if isinstance(n, ast.Name) and n.id == "found"
        }
        count += edited(file, places)
    return count


def texts_of_errors(copy: Path) -> int:
    """The words of every error that the judge raises with a text of its own."""
    count = 0
    for file in sources(copy, JUDGE):
        places = []
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            exc = node.exc if isinstance(node, ast.Raise) else None
            first = exc.args[0] if isinstance(exc, ast.Call) and exc.args else None
            if isinstance(first, ast.JoinedStr) or (isinstance(first, ast.Constant) and isinstance(first.value, str)):
                places.append((first.lineno, first.col_offset, "'in other words: ' "))
        count += edited(file, places)
    return count


def names_of_readings(copy: Path) -> int:
    """A reading of EA-C1.1 that no case and no relation is named after."""
    return replaced(sources(copy, "paper_checks/exp_alpha"), {"one sequence, equal sizes": "a sequence of equal sizes"})


def moved(copy: Path, old: str, new: str) -> int:
    """A module under another name, in another room; every import follows."""
    (copy / new).parent.mkdir(exist_ok=True)
    (copy / new).parent.joinpath("__init__.py").touch()
    (copy / old).rename(copy / new)
    dotted = {name: name.removesuffix(".py").replace("/", ".") for name in (old, new)}
    count = replaced([f for p in PACKAGES for f in sources(copy, p)], {dotted[old]: dotted[new]})
    (room, own), (room2, own2) = dotted[old].rsplit(".", 1), dotted[new].rsplit(".", 1)
    among = re.compile(rf"^( *)from {re.escape(room)} import (.*\b{own}\b.*)$", re.M)

    def apart(line: re.Match[str]) -> str:
        others = [name for name in line[2].split(", ") if name != own]
        kept = f"{line[1]}from {room} import {', '.join(others)}\n" if others else ""
        return f"{kept}{line[1]}from {room2} import {own2} as {own}"

    for file in [f for p in PACKAGES for f in sources(copy, p)]:
        text = file.read_text(encoding="utf-8")
        changed = among.sub(apart, text)
        if changed != text:
            file.write_text(changed, encoding="utf-8")
            count += 1
    return count


def reasons(copy: Path) -> int:
    """Why a bound has nothing trivial beside it, in every claim that says so."""
    count = 0
    for file in sources(copy, "paper_checks"):
        places = []
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            value = node.value if isinstance(node, ast.keyword) and node.arg == "trivial" else None
            if isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str)):
                places.append((value.lineno, value.col_offset, "'in other words: ' "))
        count += edited(file, places)
    return count


def comments(copy: Path) -> int:
    """A comment above every function of the judge."""
    return sum(
        edited(file, [(n.lineno - len(n.decorator_list), 0, "# another comment\n") for n in _functions(file)])
        for file in sources(copy, JUDGE)
    )


def docstrings(copy: Path) -> int:
    """Another docstring for every function of the judge that has one."""
    places = {file: [n.body[0] for n in _functions(file) if ast.get_docstring(n)] for file in sources(copy, JUDGE)}
    return sum(
        edited(file, [(s.lineno, s.col_offset + 3, "In other words: ") for s in held]) for file, held in places.items()
    )


def _functions(file: Path) -> list[ast.FunctionDef]:
    return [n for n in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(n, ast.FunctionDef)]


def order_of_imports(copy: Path) -> int:
    """The one-line imports of every module of the judge, in the opposite order."""
    count = 0
    for file in sources(copy, JUDGE):
        lines = file.read_text(encoding="utf-8").split("\n")
        tree = ast.parse("\n".join(lines))
        single = [
            n.lineno - 1 for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom) and n.lineno == n.end_lineno
        ]
        single = [row for row in single if "__future__" not in lines[row]]
        held = [lines[row] for row in single]
        for row, line in zip(single, reversed(held), strict=True):
            lines[row] = line
        file.write_text("\n".join(lines), encoding="utf-8")
        count += len(single)
    return count


def a_tolerance(copy: Path) -> int:
    """A number that the judge compares with: not the same."""
    file = copy / JUDGE / "run.py"
    return replaced([file], {"budget // 10": "budget // 20"})


def a_side(copy: Path) -> int:
    """A number added to the first sum of every function of a world that claims use: not the same."""
    file = copy / "theory/worlds/local_round.py"
    places = []
    for function in _functions(file):
        sums = [n for n in ast.walk(function) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)]
        places += [(n.lineno, n.col_offset, "1 + ") for n in sums[:1]]
    return edited(file, places)


CHANGES: dict[str, tuple[Callable[[Path], int], bool]] = {
    "private functions": (private_functions, True),
    "a class": (a_class, True),
    "variables": (variables, True),
    "names of readings": (names_of_readings, True),
    "texts of errors": (texts_of_errors, True),
    "a module of the judge moved": (
        lambda copy: moved(copy, f"{JUDGE}/exact/certify.py", f"{JUDGE}/elsewhere/recheck.py"), True),
    "a module that words what was judged moved": (
        lambda copy: moved(copy, f"{JUDGE}/words/entry.py", f"{JUDGE}/elsewhere/in_words.py"), True),
    "a module that judges one form moved": (
        lambda copy: moved(copy, f"{JUDGE}/orders.py", f"{JUDGE}/elsewhere/growth.py"), True),
    "a world moved": (
        lambda copy: moved(copy, "theory/worlds/local_round.py", "theory/worlds/elsewhere/a_round.py"), True),
    "reasons why nothing is trivial": (reasons, True),
    "comments": (comments, True),
    "docstrings": (docstrings, True),
    "order of imports": (order_of_imports, True),
    "a number of the judge": (a_tolerance, False),
    "a sum of a world": (a_side, False),
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *CHANGES])
    chosen = parser.parse_args().names or list(CHANGES)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        before: dict[str, str] = {}
        for name in ("", *chosen):
            shutil.rmtree(copy, ignore_errors=True)
            for package in PACKAGES:
                ignored = shutil.ignore_patterns("__pycache__", "*.so")
                shutil.copytree(ROOT / package, copy / package, ignore=ignored)
            shutil.copy(ROOT / "pyproject.toml", copy)
            if not name:
                before = fingerprints(copy)
                print(f"{len(before)} claims", flush=True)
                continue
            change, same = CHANGES[name]
            places = change(copy)
            after = fingerprints(copy)
            stale = sum(after[i] != before[i] for i in before)
            expected = not stale if same else stale > 0
            wrong += not expected or not places
            print(f"{stale:>4} stale of {len(before)}, {places:>5} places  {name}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
