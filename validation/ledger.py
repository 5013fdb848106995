"""The ledger: append-only JSON lines, nothing lost when interrupted; ledger.json and the scripts derive from it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Ledger", "load_entries", "write_atomically"]

Entry = dict[str, Any]


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that a reader, or a crash, sees either the old content or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def load_entries(path: Path) -> list[Entry]:
    """The entries of a ledger.json; an empty list when there is none.

    Raises `ValueError` naming the file when it is not an array of entries.
    """
    if not path.is_file():
        return []
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: not JSON ({error}); delete it and check again") from None
    if not isinstance(entries, list) or not all(isinstance(e, dict) and "id" in e for e in entries):
        raise ValueError(f"{path}: expected a JSON array of ledger entries, each with an id")
    return entries


class Ledger:
    """A folder with ledger.jsonl (every result ever appended), ledger.json (the newest of each claim) and scripts.

    A line of ledger.jsonl is a claim's entry, or one finished unit of work with the hash of its inputs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines = folder / "ledger.jsonl"

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add one result; it is on disk when this returns."""
        self.folder.mkdir(parents=True, exist_ok=True)
        line = json.dumps(entry, ensure_ascii=False, allow_nan=False)
        with self.lines.open("a+b") as handle:
            # A line cut short by a crash must not swallow this one.
            if handle.tell() > 0:
                handle.seek(-1, os.SEEK_END)
                if handle.read(1) != b"\n":
                    handle.write(b"\n")
            handle.write(line.encode() + b"\n")
            handle.flush()
            os.fsync(handle.fileno())

    def append_part(self, claim_id: str, unit: str, inputs: str, part: Mapping[str, Any]) -> None:
        """Add one finished unit of work; `inputs` is the hash of all it depends on."""
        self.append({"claim": claim_id, "unit": unit, "inputs": inputs, "part": part})

    def _rows(self) -> Iterator[Entry]:
        """Every whole line; one cut short by a crash is left out."""
        if self.lines.is_file():
            for line in self.lines.read_bytes().splitlines():
                try:
                    yield json.loads(line)
                except ValueError:  # torn, or torn within a character
                    continue

    def entries(self) -> dict[str, Entry]:
        """The newest entry of each claim."""
        return {row["id"]: row for row in self._rows() if "id" in row}

    def parts(self) -> dict[str, Entry]:
        """The finished units of work, by the hash of their inputs."""
        return {row["inputs"]: row["part"] for row in self._rows() if "inputs" in row}

    def derive(self, order: Iterable[str]) -> Path:
        """Write ledger.json, entries in the given order of ids, and the counterexamples' scripts."""
        newest = self.entries()
        chosen = [newest[name] for name in order if name in newest]
        return write_ledger(self.folder, chosen)


def write_ledger(folder: Path, entries: list[Entry]) -> Path:
    """ledger.json and every entry's scripts, in `folder`; scripts of claims no longer refuted are removed."""
    scripts = folder / "counterexamples"
    wanted: dict[str, str] = {}
    for entry in entries:
        for reading in entry["readings"]:
            if reading.get("counterexample"):
                wanted[Path(reading["counterexample"]).name] = reading["counterexample_source"]
            for mechanism in reading.get("mechanisms") or ():
                wanted[Path(mechanism["counterexample"]).name] = mechanism["counterexample_source"]
    for name, source in wanted.items():
        write_atomically(scripts / name, source)
    if scripts.is_dir():
        for file in scripts.glob("*.py"):
            if file.name not in wanted:
                file.unlink()
    path = folder / "ledger.json"
    write_atomically(path, json.dumps(entries, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    return path
