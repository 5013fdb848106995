"""However a command ends, a line says so, by one of five exit codes; a traceback is for our own faults only."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from errno import ENOSPC, EROFS
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from validation.cli import main
from validation.job.job import check_claims
from validation.ledger.ledger import load_entries

CHECK = ("check", "EA-S2", "--budget", "200", "--ledger")
RUN = ("run", "--rule", "proportional", "--rounds", "1", "--out")
LONG = "a" * 300


def ended(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def a_file(folder: Path) -> Path:
    (folder / "file").write_text("mine")
    return folder / "file" / "below"


def a_full_disk(folder: Path) -> Path:
    (folder / "ledger.jsonl").symlink_to("/dev/full")
    return folder


def a_folder_of_that_name(folder: Path) -> Path:
    (folder / "ledger.jsonl").mkdir()
    return folder


def nowhere(_: Path) -> Path:
    return Path("/proc/fedverdict")  # nobody, root included, can make a folder there


needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")


@pytest.mark.parametrize("command", [CHECK, RUN, ("reference", "--l2", "1", "--references"), ("report", "--out")])
@pytest.mark.parametrize(
    ("place", "words"),
    [
        (a_file, r"file/below(/\S*)?: Not a directory$"),
        (lambda folder: folder / LONG, r"a{300}(/\S*)?: File name too long$"),
        pytest.param(nowhere, r"fedverdict: /proc/fedverdict: No such file or directory$", marks=needs_proc),
    ],
)
def test_a_folder_that_cannot_be_made_is_a_message(
    command: tuple[str, ...],
    place: Callable[[Path], Path],
    words: str,
    tmp_path: Path,
) -> None:
    said = ended(*command, str(place(tmp_path)))
    assert said.exit_code == 2, said.output
    assert "Traceback" not in said.output
    assert said.stderr.splitlines()[-1].startswith("fedverdict: ")
    assert re.search(words, said.stderr.strip())


@pytest.mark.parametrize(
    ("place", "words"),
    [
        pytest.param(a_full_disk, "ledger.jsonl: No space left on device", marks=needs_full),
        (a_folder_of_that_name, "ledger.jsonl: Is a directory"),
    ],
)
def test_a_ledger_that_cannot_be_written_is_named(place: Callable[[Path], Path], words: str, tmp_path: Path) -> None:
    said = ended(*CHECK, str(place(tmp_path)))
    assert said.exit_code == 2
    assert said.stderr == f"fedverdict: {tmp_path}/{words}\n"


@pytest.mark.parametrize(("number", "words"), [(ENOSPC, "No space left on device"), (EROFS, "Read-only file system")])
def test_a_disk_that_is_full_or_read_only_while_a_run_goes_on_is_a_message(
    number: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("theory.base.files.os.fsync", failing)
    said = ended(*RUN, str(tmp_path / "out"))
    assert said.exit_code == 2
    last = said.stderr.splitlines()[-1]
    assert last.startswith(f"fedverdict: {tmp_path}/out/")
    assert last.endswith(f": {words}")


def test_a_folder_that_is_removed_meanwhile_is_a_message_and_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "ledger"

    def removing(*arguments: Any, **options: Any) -> Iterator[Any]:
        for entry in check_claims(*arguments, **options):
            shutil.rmtree(folder)
            yield entry

    monkeypatch.setattr("validation.job.job.check_claims", removing)
    said = ended("check", "EA-S2", "EA-E21d", "--budget", "200", "--ledger", str(folder))
    assert said.exit_code == 2
    assert said.stderr == f"fedverdict: {folder}/ledger.jsonl: removed while it was being written\n"
    assert not folder.exists()


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (RuntimeError("planted"), 3, "internal error (RuntimeError: planted); please report the lines above"),
        (KeyboardInterrupt(), 130, "interrupted; what was finished is kept"),
        (ValueError("planted"), 3, "internal error (ValueError: planted); please report the lines above"),
        (PermissionError(13, "Permission denied", "x"), 2, "x: Permission denied"),
    ],
)
def test_a_fault_of_ours_is_3_with_its_traceback_and_ctrl_c_is_130(
    error: BaseException, code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("validation.job.job.check_claims", failing)
    said = ended(*CHECK, str(tmp_path))
    assert said.exit_code == code
    again = f"; to go on: {shlex.join(['fedverdict', *CHECK, str(tmp_path)])}" if code == 130 else ""
    assert said.stderr.splitlines()[-1] == f"fedverdict: {words}{again}"
    assert ("Traceback" in said.stderr) == (code == 3)


def test_a_claim_that_stays_undecided_is_1(tmp_path: Path) -> None:
    said = ended(*CHECK, str(tmp_path), "--recheck-seconds", "1e-9", "--json")
    assert said.exit_code == 1
    assert "recheck beyond 1e-09 seconds" in said.stdout
    assert said.stderr == ""


@pytest.mark.parametrize("words", [("check", "EA-NONE"), ("check", "EA-S2", "--budget", "few"), ("chek",)])
def test_bad_input_is_2(words: tuple[str, ...]) -> None:
    assert ended(*words).exit_code == 2


def command(*arguments: str, stdout: Any) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "validation.cli", *arguments]
    return subprocess.run(line, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.slow
def test_a_reader_who_has_gone_ends_it_quietly_and_the_ledger_is_whole(tmp_path: Path) -> None:
    """`fedverdict check … | head -1`, the reader gone before the first line."""
    read, write = os.pipe()
    os.close(read)
    said = command(*CHECK, str(tmp_path), "--explain", stdout=write)
    os.close(write)
    assert said.returncode == 2
    assert said.stderr == ""
    assert [e.id for e in load_entries(tmp_path / "ledger.json")] == ["EA-S2"]


@pytest.mark.slow
@needs_full
def test_output_that_cannot_be_written_is_a_message() -> None:
    with Path("/dev/full").open("wb") as full:
        said = command("rules", stdout=full)
    assert said.returncode == 2
    assert said.stderr == "fedverdict: No space left on device\n"
