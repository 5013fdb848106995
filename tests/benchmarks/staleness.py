"""Whether a changed constant, sign or table cell makes every verdict stale that it changes, and how many others.

    python -m tests.benchmarks.staleness [--mutations 30] [--seed 0] [--pool 40] [--budget 150] [--json FILE]

The project is copied; in the copy one number, one sign or one cell of a published table is changed, at places drawn
from the seed: a fifth of them in theory/, a fifth cells. Then fingerprints of all claims are taken in the copy, and
cheap claims are checked there: up to 20 of those that became stale, and a pool of others. One whose result changes
while its fingerprint does not is a missed staleness: this exits with 1.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.ledger.provenance import provenance

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results" / "staleness.json"
_PACKAGES = ("theory", "deep", "validation", "paper_checks")

# What runs in the copy: fingerprints of all claims, then the results of those named on standard input.
PROGRAM = """
import json, sys
from validation import check
from validation.fingerprint.fingerprints import fingerprint
from validation.papers.papers import select
asked = json.loads(sys.stdin.read())
pairs = select(())
marks = {c.id: fingerprint(p, c) for p, c in pairs}
known = asked["marks"]
stale = {i for i in marks if known and marks[i] != known.get(i)}
fresh = [i for i in asked["pool"] if i not in stale]
again = sorted(stale & set(asked["cheap"]))[: asked["stale"]]
claims = {c.id: c for _, c in pairs}
results = {}
for i in fresh + again:
    try:
        e = check(claims[i], budget=asked["budget"], seed=0)
        results[i] = [e["verdict"], e["worst_ratio"], [[r["verdict"], r["worst_ratio"]] for r in e["readings"]]]
    except Exception as error:
        results[i] = f"{type(error).__name__}: {error}"
print("RESULT" + json.dumps({"marks": marks, "stale": sorted(stale), "results": results}))
"""


@dataclass(frozen=True)
class Mutation:
    """One change of one file: the characters from `start` to `end` become `text`."""

    file: str
    start: int
    end: int
    text: str
    says: str


def places(root: Path) -> list[Mutation]:
    """Every number and sign inside functions of theory/ and paper_checks/, and every numeric cell of a table."""
    found: list[Mutation] = []
    for file in sorted([*root.glob("theory/**/*.py"), *root.glob("paper_checks/**/*.py")]):
        if "counterexamples" not in file.parts:
            found += _in_code(file.relative_to(root).as_posix(), file.read_text())
    for file in sorted(root.glob("paper_checks/*/published/*.csv")):
        found += _in_table(file.relative_to(root).as_posix(), file.read_text())
    return found


def _in_code(name: str, source: str) -> Iterator[Mutation]:
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def at(row: int, column: int) -> int:
        line = source[lines[row - 1] : lines[row]]
        return lines[row - 1] + len(line.encode()[:column].decode())

    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and type(part.value) in (int, float) and part.value not in (0, -1):
                start, end = at(part.lineno, part.col_offset), at(part.end_lineno or 0, part.end_col_offset or 0)
                yield Mutation(name, start, end, repr(part.value * 2), f"{part.value} → {part.value * 2}")
            elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add | ast.Sub):
                start = at(part.left.end_lineno or 0, part.left.end_col_offset or 0)
                end = at(part.right.lineno, part.right.col_offset)
                sign = "+" if isinstance(part.op, ast.Add) else "-"
                other = {"+": "-", "-": "+"}[sign]
                between = source[start:end]
                if between.count(sign) == 1:
                    yield Mutation(name, start, end, between.replace(sign, other), f"{sign} → {other}")


def _in_table(name: str, source: str) -> Iterator[Mutation]:
    rows = list(csv.reader(source.splitlines()))
    position = len(source.splitlines(keepends=True)[0])
    for row, line in zip(rows[1:], source.splitlines(keepends=True)[1:], strict=False):
        for cell in row:
            column = line.find("," + cell) + 1
            if cell and column and cell.replace(".", "", 1).isdigit():
                start = position + column
                yield Mutation(name, start, start + len(cell), f"{float(cell) + 7:g}", f"{cell} → {float(cell) + 7:g}")
        position += len(line)


def in_copy(copy: Path, question: dict[str, Any], limit: float) -> dict[str, Any] | str:
    """What the program answers in a copy of the project, or why it does not."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=json.dumps(question),
            cwd=copy,
            env={"PYTHONPATH": str(copy), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {limit:.0f} s"
    line = next((x for x in done.stdout.splitlines() if x.startswith("RESULT")), None)
    if line is None:
        return (done.stderr.strip().splitlines() or ["no answer"])[-1][:200]
    answer: dict[str, Any] = json.loads(line.removeprefix("RESULT"))
    return answer


def cheap() -> list[str]:
    """Ids of the claims of all papers that were cheap to check, by their committed seconds."""
    entries = [
        e for file in sorted(ROOT.glob("paper_checks/*/ledger.json")) for e in json.loads(file.read_text())["entries"]
    ]
    return sorted(e["id"] for e in entries if e["seconds"] < 4)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pool", type=int, default=40)
    parser.add_argument("--budget", type=int, default=150)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a copy may take")
    parser.add_argument("--json", type=Path, default=RESULTS)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    quick = cheap()
    pool = sorted(rng.sample(quick, min(options.pool, len(quick))))
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        for package in _PACKAGES:
            shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        question = {"pool": quick, "cheap": quick, "budget": options.budget, "marks": {}, "stale": 0}
        before = in_copy(copy, question, 3 * options.limit)
        if isinstance(before, str):
            print(f"the unchanged copy: {before}")
            return 1
        question |= {"pool": pool, "marks": before["marks"], "stale": 20}
        every = places(copy)
        code = [m for m in every if m.file.endswith(".py")]
        cells = [m for m in every if m.file.endswith(".csv")]
        print(
            f"{len(before['marks'])} claims, {len(quick)} cheap, pool of {len(pool)};"
            f" {len(code)} places in code, {len(cells)} cells"
        )
        shared = [m for m in code if m.file.startswith("theory/")]
        fifth = options.mutations // 5
        kinds = [shared] * fifth + [cells] * fifth + [code] * (options.mutations - 2 * fifth)
        while kinds:
            mutation = rng.choice(kinds[-1])
            path = copy / mutation.file
            source = path.read_text()
            path.write_text(source[: mutation.start] + mutation.text + source[mutation.end :])
            after = in_copy(copy, question, options.limit)
            path.write_text(source)
            where = f"{mutation.file}:{source.count(chr(10), 0, mutation.start) + 1}: {mutation.says}"
            if isinstance(after, str):
                print(f"left out, it does not run  {where}  ({after})", flush=True)
                continue
            changed = [i for i, r in after["results"].items() if r != before["results"][i]]
            stale = set(after["stale"])
            missed = sorted(set(changed) - stale)
            kinds.pop()
            rows.append({"where": where, "stale": len(stale), "changed": len(changed), "missed": missed})
            print(
                f"stale {len(stale):>3}, changed of those checked {len(changed):>3}, missed {missed}  {where}",
                flush=True,
            )
    report = {"options": vars(options) | {"json": options.json.name}, "pool": pool, "mutations": rows}
    options.json.write_text(json.dumps(report | {"provenance": provenance()}, indent=1, default=str))
    missed_all = [row for row in rows if row["missed"]]
    print(f"{len(rows)} mutations: {len(missed_all)} with missed staleness")
    return int(bool(missed_all))


if __name__ == "__main__":
    raise SystemExit(main())
