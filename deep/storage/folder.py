"""A run's folder: begun, appended to, checkpointed, resumed, finished; nothing in it is ever half-written.

- run.json                config, rule and device, which a resumed run has to repeat; partition counts; provenance
- config.toml             the same configuration and rule, for `fedverdict run --config`
- partition.svg           who holds how much of which class; of the first round's clients where they are made anew
- metrics.jsonl           one `RoundRecord.to_dict` a line, without the times: identical runs have identical files;
                          each line ends in a running digest (`deep.storage.lines`); of more than a hundred clients what
                          is as before, or as of most, is written once (`deep.storage.thin`). Appended after every
                          round; rounds that follow on one another within a second are written together
- timings.jsonl           the times of the rounds, a line each, in the same way
- checkpoint.safetensors  the `ServerState` after a round (`deep.storage.checkpoint`); metrics beyond it are dropped on
                          resuming
- rows.bin                remembered updates of many clients, which the checkpoint counts on
                          (`deep.aware_memory.mapped_file`)
- result.json             the whole run, once it has ended; from it summary.json, the tables rounds.parquet and
                          clients.parquet (or .json without pyarrow), which `deep.runs.outcome` writes
- lock, owner.json        who is at work on it (`deep.base.lock`)
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from time import monotonic

from deep.aware_memory.mapped_file import NAME as ROWS
from deep.aware_memory.mapped_file import rows_of
from deep.base.lock import locked
from deep.storage.checkpoint import ServerState, check_readable, differences, from_bytes, to_bytes
from deep.storage.history import History
from deep.storage.lines import DamagedError, all_or_none, append_lines, bodies, checked_lines, first_digest
from deep.storage.record import TIMES, DeepRun, Json, RoundRecord, untimed
from deep.storage.thin import all_whole, thinned
from theory.base.files import naming, replace_by_parts, replace_file

__all__ = ["CHECKPOINT", "FILES", "RunFolder", "open_folder"]

_METRICS, _TIMINGS, CHECKPOINT = "metrics.jsonl", "timings.jsonl", "checkpoint.safetensors"
_LINES = (_TIMINGS, _METRICS)
_EARLIER = "checkpoint.pt"  # of a format that is no longer read
FILES = (*_LINES, CHECKPOINT, "result.json", _EARLIER)
_OF_READERS = (
    *("run.json", "config.toml", "partition.svg", "summary.json", ROWS),
    *(f"{table}.{ending}" for table in ("rounds", "clients") for ending in ("parquet", "json")),
)
TOGETHER = 1.0  # seconds between one writing of lines and the next: short rounds go to the disk together


@dataclass(frozen=True)
class RunFolder:
    """The folder at `path`, which belongs to one config, rule and device.

    `digests`: the running digest of each file of lines, by its name. `last`: the record of the last round that is
    written, which the next is written after (`deep.storage.thin`). `waiting`: records of later rounds, which are not
    yet;
    `since`: when lines were written last, by a clock that never goes back.
    """

    path: Path
    identity: Json
    provenance: Json
    digests: dict[str, str]
    last: RoundRecord | None = None
    waiting: tuple[RoundRecord, ...] = ()
    since: float = 0.0

    def put(self, name: str, text: str) -> None:
        """Write a file of that name for readers, unless it is there as it is."""
        path = self.path / name
        if not path.exists() or path.read_bytes() != text.encode():
            replace_file(path, text.encode())

    def append(self, record: RoundRecord) -> RunFolder:
        """The folder with one line more of times and one of metrics, which identical runs share byte by byte; in the
        files, or soon to be.
        """
        more = replace(self, waiting=(*self.waiting, record))
        return more.written() if monotonic() - self.since >= TOGETHER else more

    def written(self) -> RunFolder:
        """The folder with the lines of all rounds in its files."""
        if not self.waiting:
            return self
        lines: dict[str, list[Json]] = {name: [] for name in _LINES}
        before = self.last
        for record in self.waiting:
            plain = record.columns()
            lines[_TIMINGS].append({"round": record.round, **{name: plain[name] for name in TIMES}})
            lines[_METRICS].append(thinned(untimed(plain), None if before is None else vars(before)))
            before = record
        with all_or_none([self.path / name for name in _LINES]):  # who tries again adds no line twice
            digests = {name: append_lines(self.path / name, lines[name], self.digests[name]) for name in _LINES}
        return replace(self, digests=digests, last=before, waiting=(), since=monotonic())

    def check(self, state: ServerState) -> None:
        """`TypeError` when a rule's memory holds something that could not be read back."""
        check_readable(state.rule_state, f"the state of rule {self.identity['rule']}")

    def save(self, state: ServerState) -> RunFolder:
        """The folder with a checkpoint, and all lines before it; raises as `check`."""
        self.check(state)
        rows = [*rows_of(state.rule_state)]
        lines = [self.path / name for name in _LINES]
        with all_or_none(lines, self.path / CHECKPOINT):  # else who writes what waits would write it twice
            folder = self.written()
            for name in _LINES:
                if (self.path / name).exists():  # on the disk before a checkpoint counts on it
                    with (self.path / name).open("rb") as file:
                        os.fsync(file.fileno())
            for one in rows:
                one.file.flush()
            replace_file(self.path / CHECKPOINT, to_bytes(state, self.identity, folder.digests[_METRICS]))
        for one in rows:
            one.file.release(one.at)
        return folder

    def resume(self, first: ServerState) -> tuple[RunFolder, ServerState]:
        """The folder and the state of its last checkpoint, later lines cut off; `first` before that.

        `first`, the state before the first round, says the device, the shapes and the types that the state must have.
        Raises `ValueError` naming the file when the checkpoint is damaged or another run's, or when metrics that it
        counts on are not as they were written.
        """
        path = self.path / CHECKPOINT
        if (self.path / _EARLIER).exists():
            raise ValueError(f"{self.path / _EARLIER}: of an earlier version of this program; use another folder")
        if not path.exists():
            return self.begun_anew(), first
        try:
            state, digest = from_bytes(path.read_bytes(), self.identity, first, first.model.device)
        except ValueError as error:
            raise ValueError(
                f"{path}: not a checkpoint of this run: it {error}; use another folder, or delete it"
            ) from error
        found = self._read(state.round)
        if found.digests[_METRICS] != digest:
            raise ValueError(f"{self.path / _METRICS}: not the rounds that the checkpoint counts on; delete the folder")
        return found, state

    def _read(self, n_rounds: int) -> RunFolder:
        """The folder after so many rounds, whose records are read one at a time; what is beyond them is cut off."""
        digests, ends, last = _begun(self.identity), dict.fromkeys(_LINES, 0), None

        def parsed(name: str) -> Iterator[Json]:
            for line, digest, end in checked_lines(self.path / name, n_rounds, digests[name]):
                digests[name], ends[name] = digest, end
                yield line

        times = parsed(_TIMINGS)
        try:
            for line in all_whole(parsed(_METRICS)):
                timed = next(times, {})
                last = RoundRecord.from_dict(line | {name: timed[name] for name in TIMES})
        except DamagedError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{self.path / _METRICS}: not the metrics of this program; delete the folder") from error
        for name in _LINES:
            with naming(self.path / name), (self.path / name).open("ab") as file:
                file.truncate(ends[name])
        return replace(self, digests=digests, last=last)

    def history(self) -> History:
        """The records of the rounds that are written, read when they are asked for."""
        n_rounds = 0 if self.last is None else self.last.round + 1
        return History(self.path / _METRICS, self.path / _TIMINGS, n_rounds, self.last)

    def begun_anew(self) -> RunFolder:
        """The folder without a round."""
        for name in _LINES:
            replace_file(self.path / name, b"")
        return replace(self, digests=_begun(self.identity), last=None, waiting=())

    def finish(self, run: DeepRun) -> None:
        """Write the result."""
        head = json.dumps(run.about(), allow_nan=False, ensure_ascii=False)  # indented it takes ten times as long
        lines = bodies(self.path / _METRICS, len(run.history)) if run.history else iter(())
        rest = (b", " + line if number else line for number, line in enumerate(lines))
        replace_by_parts(self.path / "result.json", chain([head[:-1].encode(), b', "history": ['], rest, [b"]}\n"]))


@contextmanager
def open_folder(
    path: Path, identity: Json, provenance: Json, details: Json, overwrite: bool = False
) -> Iterator[RunFolder]:
    """The run folder at `path`, made and begun if need be, and nobody else's meanwhile.

    `details` go into run.json beside `identity`. A folder begun before keeps its first provenance; under other versions
    or another commit, "resumed_under" in it says so. `overwrite`: a folder that holds a run is emptied of its files
    first, and of nothing else. Raises `ValueError` when the folder is in use or belongs to
    another run, naming by whom and what differs, or lacks its run.json.
    """
    if path.exists() and not path.is_dir():
        raise ValueError(f"run(out={str(path)!r}): is a file; expected a folder, or a path that does not exist yet")
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        if overwrite and (path / "run.json").exists():
            for name in (*FILES, *_OF_READERS):
                (path / name).unlink(missing_ok=True)
        yield _opened(path, json.loads(json.dumps(identity)), provenance, details)


def _opened(path: Path, identity: Json, provenance: Json, details: Json) -> RunFolder:
    """What `open_folder` gives, once the folder is locked."""
    begun = path / "run.json"
    if not begun.exists():
        stray = [name for name in FILES if (path / name).exists()]
        if stray:
            raise ValueError(
                f"run(out={str(path)!r}): holds {stray} but no run.json; use another folder, or delete them"
            )
        _write_json(begun, {**identity, **details, "provenance": provenance})
        return RunFolder(path, identity, provenance, _begun(identity))
    try:
        stored = json.loads(begun.read_text(encoding="utf-8"))
        kept: Json = dict(stored["provenance"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{begun}: does not say which run this is; use another folder, or delete it") from error
    differs = differences({name: stored.get(name) for name in identity}, identity)
    if differs:
        if _restartable(path, {name: stored.get(name) for name in identity}, identity):
            _write_json(begun, {**identity, **details, "provenance": provenance})
            return RunFolder(path, identity, provenance, _begun(identity))
        raise ValueError(
            f"run(out={str(path)!r}): the folder belongs to another run; {differs}; use another folder, or overwrite it"
        )
    first = {name: value for name, value in kept.items() if name != "resumed_under"}
    if _where(first) != _where(provenance) and not _ended(path, provenance):
        kept = {**first, "resumed_under": provenance}
        _write_json(begun, {**stored, "provenance": kept})
    return RunFolder(path, identity, kept, _begun(identity))


def _restartable(path: Path, stored: Json, identity: Json) -> bool:
    """Whether another run may start in the folder: the earlier one finished no round, or has no checkpoint and the
    code of a user's own parts alone has changed since.
    """
    held = {name for name in FILES if (path / name).exists() and (path / name).stat().st_size > 0}
    same_but_code = all(stored.get(name) == value for name, value in identity.items() if name != "own_parts")
    return not held or (held <= {*_LINES} and same_but_code)


def _where(provenance: Json) -> Json:
    """What a provenance says beside the configuration, which the identity compares."""
    return {name: value for name, value in provenance.items() if name != "config"}


def _ended(path: Path, provenance: Json) -> bool:
    """Whether the folder holds the result of as many rounds as are asked for, so that none will be played."""
    try:
        played = json.loads((path / "result.json").read_text(encoding="utf-8"))["config"]["n_rounds"]
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        return False
    asked = provenance.get("config")
    return not isinstance(asked, dict) or played == asked.get("n_rounds")


def _begun(identity: Json) -> dict[str, str]:
    """The running digests before the first round."""
    return {name: first_digest(identity, name) for name in _LINES}


def _write_json(path: Path, content: Json) -> None:
    replace_file(path, (json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n").encode())
