"""Does FedAvg learn what it should? Demonstrations on real files, no table of a paper.

    python -m tests.benchmarks.accuracy [NAME …] [--data-root DATA] [--out FOLDER] [--json FILE]

Each is the TOML file of its name in tests/benchmarks/demonstrations, run as `fedverdict run --config` runs it; called
again with the same --out it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from deep import run
from deep.config.settings import read_layer, resolve
from deep.runs.outcome import outcome

FOLDER = Path(__file__).parent / "demonstrations"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def demonstrate(name: str, out: Path, data_root: Path | None) -> dict[str, Any]:
    """The run called `name`: accuracies on test samples, rounds, seconds, origin."""
    settings = resolve(read_layer(FOLDER / f"{name}.toml"))
    result = run(settings.config, settings.rule, out=out / name, data_root=data_root)
    found = outcome(result)
    note = json.loads((out / name / "run.json").read_text())["note"]
    return {
        "name": name,
        "note": note,
        "status": result.status,
        "rounds": len(result.history),
        "test_accuracy": [r.test_accuracy for r in result.history],
        "seconds": sum(r.seconds for r in result.history),
        "seconds_of": found["summary"]["seconds_of"],  # type: ignore[index]
        "provenance": result.provenance,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(NAMES)}; all by default")
    parser.add_argument("--data-root", type=Path, default=os.environ.get("FEDVERDICT_DATA"))
    parser.add_argument("--out", type=Path, help="folder of the runs; a temporary one by default")
    parser.add_argument("--json", type=Path, help="write the table to this file")
    asked = parser.parse_args()
    unknown = sorted(set(asked.names) - set(NAMES))
    if unknown:
        parser.error(f"no demonstration called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in asked.names or NAMES:
            row = demonstrate(name, asked.out or Path(scratch), asked.data_root)
            rows.append(row)
            last = [accuracy for accuracy in row["test_accuracy"] if accuracy is not None][-1]
            print(
                f"{name:16} {row['rounds']:4} rounds  test accuracy {last:.4f}  {row['seconds']:7.1f} s  {row['note']}"
            )
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
