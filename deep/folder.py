"""A run's folder: begun, appended to, checkpointed, resumed, finished; nothing in it is ever half-written.

- run.json         config, rule and device, which a resumed run has to repeat; partition counts; provenance
- config.toml      the same configuration and rule, for `fedverdict run --config`
- partition.svg    who holds how much of which class; of the first round's clients where they are made anew
- metrics.jsonl    one `RoundRecord.to_dict` a line, appended after every round, without the times: identical runs have
                   identical files
- timings.jsonl    the times of the rounds, a line each
- checkpoint.pt    the `ServerState` after a round; metrics beyond it are dropped on resuming
- result.json      the whole run, once it has ended; from it summary.json, the tables rounds.parquet and
                   clients.parquet (or .json without pyarrow), which `deep.outcome` writes
"""

from __future__ import annotations

import io
import json
import os
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from deep.metrics.files import replace_file
from deep.record import TIMES, DeepRun, Json, RoundRecord, untimed

__all__ = ["FILES", "RunFolder", "ServerState", "open_folder"]

_LINES = ("timings.jsonl", "metrics.jsonl")
FILES = ("timings.jsonl", "metrics.jsonl", "checkpoint.pt", "result.json")


@dataclass(frozen=True, eq=False)
class ServerState:
    """All that a run carries from round to round; every random draw follows from the seed and the round.

    `round`: the next round to play. `model`: float32 vector. `buffers`: its running statistics (n_buffers,), or with
    local normalisation each client's (n_clients, n_buffers); `own`: the parameters each client then keeps,
    (n_clients, n_own), else (0, 0). `rule_state`: the memory of a rule that has one, made of tensors, numbers,
    strings, lists, tuples and dictionaries. `loss_best`: float64, +∞ at first, (n_clients,) of a fixed population.
    """

    round: int
    model: Tensor
    buffers: Tensor
    own: Tensor
    rule_state: Any
    loss_best: Tensor


@dataclass(frozen=True)
class RunFolder:
    """The folder at `path`, which belongs to one config, rule and device."""

    path: Path
    identity: Json
    provenance: Json

    def put(self, name: str, text: str) -> None:
        """Write a file of that name for readers, if it is not there."""
        if not (self.path / name).exists():
            replace_file(self.path / name, text.encode())

    def append(self, record: RoundRecord) -> None:
        """Add one line to the times and one to the metrics, which identical runs share byte by byte."""
        plain = record.to_dict()
        self._add("timings.jsonl", {"round": record.round} | {name: plain[name] for name in TIMES})
        self._add("metrics.jsonl", untimed(plain))

    def _add(self, name: str, line: Json) -> None:
        with (self.path / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")

    def check(self, state: ServerState) -> None:
        """`TypeError` when a rule's memory holds something that could not be read back."""
        _check_readable(state.rule_state, self.identity["rule"])

    def save(self, state: ServerState) -> None:
        """Write the checkpoint; raises as `check`."""
        self.check(state)
        for name in _LINES:
            if (self.path / name).exists():  # on the disk before a checkpoint counts on it
                with (self.path / name).open("rb") as file:
                    os.fsync(file.fileno())
        buffer = io.BytesIO()
        torch.save({name: getattr(state, name) for name in ServerState.__dataclass_fields__}, buffer)
        replace_file(self.path / "checkpoint.pt", buffer.getvalue())

    def resume(self, device: torch.device) -> tuple[ServerState, list[RoundRecord]] | None:
        """The last checkpoint and the records up to it, later ones cut off; None before the first checkpoint.

        Raises `ValueError` when the checkpoint cannot be read, or when metrics it counts on are missing.
        """
        path = self.path / "checkpoint.pt"
        if not path.exists():
            for name in _LINES:
                replace_file(self.path / name, b"")
            return None
        try:
            state = ServerState(**torch.load(path, map_location=device, weights_only=True))
        except (RuntimeError, TypeError, ValueError, EOFError, LookupError, pickle.UnpicklingError) as error:
            raise ValueError(f"{path}: not a checkpoint of this program; use another folder, or delete it") from error
        times, metrics = (self._kept(name, state.round) for name in _LINES)
        try:
            both = [json.loads(line) | json.loads(time) for line, time in zip(metrics, times, strict=True)]
            records = [RoundRecord.from_dict(plain) for plain in both]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{self.path / 'metrics.jsonl'}: not the metrics of this program; delete the folder"
            ) from error
        for name, lines in zip(_LINES, (times, metrics), strict=True):
            replace_file(self.path / name, "".join(line + "\n" for line in lines).encode())
        return state, records

    def _kept(self, name: str, n_rounds: int) -> list[str]:
        path = self.path / name
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if len(lines) < n_rounds:
            raise ValueError(f"{path}: {len(lines)} rounds, but the checkpoint counts {n_rounds}; delete the folder")
        return lines[:n_rounds]

    def finish(self, run: DeepRun) -> None:
        """Write the result."""
        _write_json(self.path / "result.json", run.to_dict())


def open_folder(path: Path, identity: Json, provenance: Json, details: Json) -> RunFolder:
    """The run folder at `path`, made and begun if need be; `details` go into run.json beside `identity`.

    A folder begun before keeps its first provenance; under other versions or another commit, "resumed_under" in it
    says so. Raises `ValueError` when the folder belongs to another run, naming what differs, or lacks its run.json.
    """
    if path.exists() and not path.is_dir():
        raise ValueError(f"run(out={str(path)!r}): a file is there; expected a folder, or nothing yet")
    path.mkdir(parents=True, exist_ok=True)
    begun = path / "run.json"
    identity = json.loads(json.dumps(identity))
    if not begun.exists():
        stray = [name for name in FILES if (path / name).exists()]
        if stray:
            raise ValueError(
                f"run(out={str(path)!r}): holds {stray} but no run.json; use another folder, or delete them"
            )
        _write_json(begun, {**identity, **details, "provenance": provenance})
        return RunFolder(path, identity, provenance)
    try:
        stored = json.loads(begun.read_text(encoding="utf-8"))
        kept: Json = dict(stored["provenance"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{begun}: does not say which run this is; use another folder, or delete it") from error
    differs = _differences({name: stored.get(name) for name in identity}, identity)
    if differs:
        raise ValueError(f"run(out={str(path)!r}): the folder belongs to another run; {differs}; use another folder")
    first = {name: value for name, value in kept.items() if name != "resumed_under"}
    if first != provenance and not (path / "result.json").exists():
        kept = {**first, "resumed_under": provenance}
        _write_json(begun, {**stored, "provenance": kept})
    return RunFolder(path, identity, kept)


def _differences(stored: Any, asked: Any, name: str = "") -> str:
    """What differs between two JSON values, the innermost names first found, for people to read."""
    if isinstance(stored, dict) and isinstance(asked, dict):
        found = [_differences(stored.get(key), asked.get(key), key) for key in sorted({*stored, *asked})]
        return ", ".join(part for part in found if part)
    return "" if stored == asked else f"{name} is {stored!r} there and {asked!r} here"


def _check_readable(value: Any, rule: object) -> None:
    """Only what ``torch.load(weights_only=True)`` reads back may enter a checkpoint."""
    if isinstance(value, dict):
        for item in (*value.keys(), *value.values()):
            _check_readable(item, rule)
    elif type(value) in {list, tuple}:
        for item in value:
            _check_readable(item, rule)
    elif not (value is None or isinstance(value, Tensor) or type(value) in {bool, int, float, str}):
        raise TypeError(
            f"the state of rule {rule} holds a {type(value).__qualname__}; a checkpoint takes tensors, numbers,"
            " strings, lists, tuples and dictionaries"
        )


def _write_json(path: Path, content: Json) -> None:
    replace_file(path, (json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n").encode())
