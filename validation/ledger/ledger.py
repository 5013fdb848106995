"""The ledger: append-only JSON lines, nothing lost when interrupted; ledger.json and the scripts derive from it."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from errno import ENOENT
from pathlib import Path

from filelock import FileLock

from theory.base.files import naming, replace_file
from validation.judge.entry import Entry
from validation.judge.record import PLAIN, Json, read
from validation.ledger.evidence import FORMAT, Row, digest_of, joined, rows_of, split
from validation.ledger.notices import LedgerWarning
from validation.ledger.words import check_words

__all__ = [
    "EVIDENCE",
    "Ledger",
    "LedgerWarning",
    "load_entries",
    "load_rows",
    "scripts_of",
    "write_committed",
    "write_ledger",
]

__judges__ = "no"

_LOCK = "ledger.lock"
_LINE = 2  # the format of a line of ledger.jsonl
EVIDENCE = "evidence.json.xz"
_NEXT = "evidence-next.json.xz"  # while a pair is replaced
_UNPACKED = 1 << 28  # bytes; the largest paper has 2.4 million


@dataclass(frozen=True)
class _Part:
    """A finished unit of work as a line keeps it."""

    claim: str
    unit: str
    inputs: str
    part: Row = field(metadata=PLAIN)


def load_entries(path: Path) -> list[Entry]:
    """The entries of a ledger.json, with their evidence where that is kept apart; none without a file.

    Raises `ValueError` naming file and cure, and claim and field where that is known: where the ledger is damaged,
    edited or of another format, the evidence is not its own, or committed words are not those of the outcomes.
    """
    rows, apart = _held(path)
    entries = [Entry.of(row, f"{path}: entry") for row in rows]
    if apart:
        check_words(entries, path)
    return entries


def load_rows(path: Path) -> list[Row]:
    """The same entries as JSON objects; of what is in them nothing but the digest is checked."""
    return _held(path)[0]


def _held(path: Path) -> tuple[list[Row], bool]:
    """(whole entries, whether their evidence is kept apart)."""
    if not path.is_file():
        return [], False
    try:
        held = _parsed(path, path.read_bytes())
        rows = rows_of(held)
    except ValueError as error:
        raise ValueError(str(error) if str(path) in str(error) else f"{path}: {error}") from None
    digest = held.get("evidence") if isinstance(held, dict) else None
    if digest is None:
        return rows, False
    beside = path.with_name(EVIDENCE)
    evidence = _parsed(beside, _evidence(path.parent, digest))
    if not isinstance(evidence, dict):
        raise ValueError(f"{beside}: expected a JSON object of evidence by claim id")
    try:
        return joined(rows, evidence), True
    except ValueError as error:
        raise ValueError(f"{beside}: {error}; check again with --update-committed") from None


def _evidence(folder: Path, digest: str) -> bytes:
    """The evidence of that digest, unpacked; also where the process that wrote it ended before it had its name."""
    coming = folder / _NEXT
    if coming.is_file():
        with suppress(ValueError):
            text = _unpacked(coming)
            if hashlib.sha256(text).hexdigest() == digest:
                return text
    beside = folder / EVIDENCE
    cure = "restore both files, or check the paper again with --update-committed"
    if not beside.is_file():
        raise ValueError(f"{beside}: missing, though ledger.json was written with it; {cure}")
    text = _unpacked(beside)
    if hashlib.sha256(text).hexdigest() != digest:
        raise ValueError(f"{beside}: not what ledger.json was written with: its digest differs; {cure}")
    return text


def _parsed(path: Path, text: bytes) -> object:
    try:
        held: object = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error}); delete it and check again") from None
    return held


def _unpacked(path: Path) -> bytes:
    """The bytes of an .xz file; raises `ValueError` where it is none, cut short, or more than `_UNPACKED` of them."""
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_UNPACKED)
    try:
        text = reader.decompress(path.read_bytes(), max_length=_UNPACKED)
    except lzma.LZMAError as error:
        raise ValueError(f"{path}: not an .xz file ({error}); delete it and check again") from None
    if not reader.eof:
        more = "cut short" if reader.needs_input else f"more than {_UNPACKED:,} bytes"
        raise ValueError(f"{path}: {more} when unpacked; delete it and check again")
    return text


def _checksum(row: Mapping[str, Json]) -> str:
    text = json.dumps(row, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _read(line: bytes) -> Entry | _Part:
    """What a line keeps; raises `ValueError` saying why it cannot be trusted."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # torn, perhaps within a character
        raise ValueError("not JSON, cut short or damaged") from None
    if not isinstance(row, dict) or row.get("format") != _LINE:
        raise ValueError(f"not of format {_LINE}")
    checksum = row.pop("checksum", None)
    try:
        same = checksum == _checksum(row)
    except ValueError:
        same = False
    if not same:
        raise ValueError("changed since it was written: its checksum differs")
    del row["format"]
    if "inputs" not in row:
        return Entry.of(row)
    part = read(_Part, row, "unit of work")
    if not isinstance(part.part, dict):
        raise ValueError("unit of work without an object")
    return part


class Ledger:
    """A folder with ledger.jsonl (every result ever appended), ledger.json (the newest of each claim) and scripts.

    A line of ledger.jsonl is a claim's entry, or one finished unit of work with the hash of its inputs. It carries the
    version of its format and a checksum, which shows accidents and edits by hand; it is no signature. Lines that
    cannot be trusted are left where they are and set aside with a `LedgerWarning`; their work is done again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines = folder / "ledger.jsonl"
        self._begun = False

    def append(self, entry: Entry) -> None:
        """Add the entry of a claim; it is on disk when this returns.

        Raises `OSError` naming the file, also when what this ledger wrote before is no longer there.
        """
        self._append(entry.json())

    def append_part(self, claim_id: str, unit: str, inputs: str, part: Mapping[str, Json]) -> None:
        """Add one finished unit of work; `inputs` is the hash of all it depends on."""
        self._append({"claim": claim_id, "unit": unit, "inputs": inputs, "part": part})

    def _append(self, kept: Mapping[str, Json]) -> None:
        if not self._begun:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._begun = True
        elif not self.lines.exists():
            raise FileNotFoundError(ENOENT, "removed while it was being written", str(self.lines))
        row = {**kept, "format": _LINE}
        line = json.dumps({**row, "checksum": _checksum(row)}, ensure_ascii=True, allow_nan=False)
        # One process at a time: a long line is more than one write, and another's half line looks cut short.
        with self._alone(), naming(self.lines), self.lines.open("a+b") as handle:
            # A line cut short by a crash must not swallow this one.
            torn = False
            if handle.tell() > 0:
                handle.seek(-1, os.SEEK_END)
                torn = handle.read(1) != b"\n"
            handle.write((b"\n" if torn else b"") + line.encode() + b"\n")
            handle.flush()
            os.fsync(handle.fileno())

    def _rows(self) -> Iterator[Entry | _Part]:
        """Every line that can be trusted; a warning names the others, but for a last one that is cut short."""
        if not self.lines.is_file():
            return
        aside = []
        lines = self.lines.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield _read(line)
            except ValueError as error:
                if number < len(lines):
                    aside.append(f"line {number} {error}")
        if aside:
            more = f"; and {len(aside) - 3} more" if len(aside) > 3 else ""
            count = f"{len(aside)} lines" if len(aside) > 1 else "1 line"
            text = f"{self.lines}: {count} set aside ({'; '.join(aside[:3])}{more}); nothing else is lost"
            warnings.warn(text, LedgerWarning, stacklevel=3)

    def entries(self) -> dict[str, Entry]:
        """The newest entry of each claim."""
        return {row.id: row for row in self._rows() if isinstance(row, Entry)}

    def parts(self) -> dict[str, Row]:
        """The finished units of work, by the hash of their inputs."""
        return {row.inputs: row.part for row in self._rows() if isinstance(row, _Part)}

    def derive(self, order: Iterable[str]) -> Path:
        """Write ledger.json, entries in the given order of ids, and the counterexamples' scripts.

        One process at a time does so in a folder, so that what another one appended meanwhile is in the last writing.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._alone():
            return self._derived(order)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """What one process at a time does in this folder."""
        lock = FileLock(self.folder / _LOCK)
        with naming(self.folder / _LOCK):
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _derived(self, order: Iterable[str]) -> Path:
        rows = [row for row in self._rows() if isinstance(row, Entry)]
        newest = {row.id: row for row in rows}
        chosen = [newest[name] for name in order if name in newest]
        return write_ledger(self.folder, chosen, before=rows)


def scripts_of(entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    """(file name, source) of every counterexample."""
    for entry in entries:
        for reading in entry.readings:
            if reading.counterexample and reading.counterexample_source is not None:
                yield Path(reading.counterexample).name, reading.counterexample_source
            for mechanism in reading.mechanisms:
                yield Path(mechanism.counterexample).name, mechanism.counterexample_source


def write_ledger(folder: Path, entries: list[Entry], *, before: Iterable[Entry] = ()) -> Path:
    """ledger.json and every entry's scripts, in `folder`; scripts of claims no longer refuted are removed.

    Only files with a text that this folder's ledgers (or the entries `before`) hold are overwritten or removed: what a
    person put there, or changed, stays, with a `LedgerWarning` where a script would have that name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ledger.json"
    scripts = folder / "counterexamples"
    ours = set(scripts_of(before)) | set(scripts_of(_earlier(path))) | set(scripts_of(entries))
    wanted = dict(scripts_of(entries))
    if scripts.is_symlink():
        text = f"{scripts} is a symbolic link, which is not followed; the scripts are in {path}"
        warnings.warn(text, LedgerWarning, stacklevel=2)
        wanted, ours = {}, set()
    for name, source in wanted.items():
        held = _text(scripts / name)
        if held is None or (name, held) in ours:
            if held != source:
                scripts.mkdir(exist_ok=True)
                replace_file(scripts / name, source.encode("utf-8", "backslashreplace"))
        else:
            text = f"{scripts / name} was not written by this check and is left as it is; the script is in {path}"
            warnings.warn(text, LedgerWarning, stacklevel=2)
    for name in {name for name, _ in ours} - wanted.keys():
        if (name, _text(scripts / name)) in ours:
            (scripts / name).unlink()
    replace_file(path, _document([entry.json() for entry in entries]))
    return path


def write_committed(folder: Path, entries: list[Entry]) -> Path:
    """A paper's ledger.json, the verdicts alone, and evidence.json.xz beside it; scripts are made on demand.

    A reader meets the old pair until the new ledger.json is in its place, and then the new pair, also where this
    process ends in between.
    """
    verdicts, evidence = split([entry.json() for entry in entries])
    path, coming = folder / "ledger.json", folder / _NEXT
    text = _text_of(evidence).encode("utf-8", "backslashreplace")
    replace_file(coming, lzma.compress(text))
    replace_file(path, _document(verdicts, hashlib.sha256(text).hexdigest()))
    with naming(folder / EVIDENCE):
        coming.replace(folder / EVIDENCE)
    return path


def _document(rows: Sequence[Row], evidence: str | None = None) -> bytes:
    """The text of a ledger.json with the digest of its evidence, and of both; entries begin on lines of their own."""
    held = {"format": FORMAT, "evidence": evidence, "digest": digest_of(rows, evidence), "entries": rows}
    return _text_of(held).encode("utf-8", "backslashreplace")


def _text_of(rows: object) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _earlier(path: Path) -> list[Entry]:
    """The entries of a ledger.json about to be replaced; none where it is damaged."""
    try:
        return load_entries(path)
    except (OSError, ValueError):
        return []


def _text(file: Path) -> str | None:
    """The text of a file; None when there is none, "" when it is no text (or no file)."""
    if not file.exists() and not file.is_symlink():
        return None
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
