"""`python -m paper_checks.fedssa.runs NAME …`: runs, and a small result file for each name."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from paper_checks.fedssa.runs.after import after, samplewise
from paper_checks.fedssa.runs.mixture import mixture
from paper_checks.fedssa.runs.settings import rounded
from paper_checks.fedssa.runs.whole import whole
from theory.base.files import replace_file

STUDIES: dict[str, Callable[[Callable[[str], None]], dict[str, Any]]] = {
    "whole": whole,
    "mixture": mixture,
    "after": after,
    "samplewise": samplewise,
}
FOLDER = Path(__file__).resolve().parents[1] / "results"


def _say(name: str, what: str) -> None:
    print(f"{name}: {what} ({time.process_time():.0f} s)", flush=True)


def main() -> None:
    """Run what is named and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(STUDIES)}; all by default")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the result files")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for name in asked.names or STUDIES:
        started = time.process_time()
        found = STUDIES[name](partial(_say, name))
        command = f"python -m paper_checks.fedssa.runs {name}"
        table = {"command": command, "seconds": round(time.process_time() - started), **rounded(found)}
        asked.out.mkdir(parents=True, exist_ok=True)
        replace_file(asked.out / f"{name}.json", (json.dumps(table, indent=1, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main()
