"""What a machine does to a deep run: no room, no folder, no memory, signals, a closed stdout, company.

Whatever happens there is one line, nothing is half-written, and called again the run ends as an undisturbed one.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest

from deep import RunConfig, run
from tests.processes import Command, no_larger_files
from theory import ExpAlpha

CONFIG = RunConfig(n_rounds=3, n_local_steps=2, checkpoint_every=2, seed=2)
RULE = ExpAlpha(0.2)
WORDS = ["run", "--rule", "exp-alpha(alpha=0.2)", "--local-steps", "2", "--checkpoint-every", "2", "--seed", "2"]


def content(folder: Path) -> dict[str, object]:
    """What equal runs share, where and when they were made apart, and that there is no draft beside it."""
    assert not list(folder.glob("*.draft"))
    result = json.loads((folder / "result.json").read_text())
    files = {name: (folder / name).read_bytes() for name in ("metrics.jsonl", "checkpoint.safetensors")}
    return files | {name: value for name, value in result.items() if name != "provenance"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("whole")
    run(CONFIG, RULE, out=folder)
    return content(folder)


def begun(folder: Path, rounds: int, before: Callable[[], object] | None = None) -> Command:
    return Command(*WORDS, "--rounds", str(rounds), "--out", str(folder), before=before)


def rounds(file: Path) -> list[int]:
    return [json.loads(line)["round"] for line in file.read_text().splitlines()]


def told(process: Command) -> tuple[int, list[str]]:
    """Exit code, and what was said beside the configuration."""
    code, _, said = process.told()
    assert "Traceback" not in said
    return code, [line for line in said.splitlines() if line.startswith("fedverdict: ")]


def some_rounds(process: Command, folder: Path) -> None:
    path, deadline = folder / "metrics.jsonl", time.monotonic() + 60
    while not (path.exists() and len(path.read_bytes().splitlines()) > 3):
        assert process.poll() is None, process.told()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def failure(folder: Path) -> OSError | None:
    """What the disk had to say of the run."""
    try:
        run(CONFIG, RULE, out=folder)
    except OSError as error:
        return error
    return None


class Failing:
    """Stands for a disk on which write number `at` finds no room; `torn` leaves the beginning of a line behind."""

    def __init__(self, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at, self.number = at, count()
        folder, *others = (import_module(f"deep.{name}") for name in ("storage.folder", "base.lock", "runs.outcome"))
        put, append = folder.replace_file, folder.append_lines

        def replaced(path: Path, data: bytes) -> None:
            self.write(path)
            put(path, data)

        def appended(path: Path, lines: list[dict[str, object]], before: str) -> str:
            self.write(path, torn=b'{"round": 0, "cli')
            return append(path, lines, before)

        for module in (folder, *others):
            monkeypatch.setattr(module, "replace_file", replaced)
        monkeypatch.setattr(folder, "append_lines", appended)
        monkeypatch.setattr(folder, "TOGETHER", 0.0)  # each round is a write of its own, on any machine

    def write(self, path: Path, torn: bytes = b"") -> None:
        if next(self.number) == self.at:
            if torn:
                with path.open("ab") as file:
                    file.write(torn)
            raise OSError(errno.ENOSPC, "No space left on device", str(path))


def test_whichever_write_finds_no_room_the_file_is_named_and_the_run_goes_on_from_there(
    whole: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in count():
        folder = tmp_path / str(at)
        with monkeypatch.context() as patch:
            disk = Failing(at, patch)
            error = failure(folder)
        if error is None:
            break
        assert (error.errno, Path(str(error.filename)).parent) == (errno.ENOSPC, folder)
        for file in folder.glob("*.jsonl"):  # whole lines, none twice, and as many in both
            assert rounds(file) == list(range(len(rounds(folder / "timings.jsonl")))), f"write {at}"
        run(CONFIG, RULE, out=folder)
        assert content(folder) == whole, f"write {at}"
    assert next(disk.number) > 12  # lock, folder, lines, checkpoints, result, tables


def test_lines_that_a_new_checkpoint_counts_on_stay_whatever_comes_after_it(
    whole: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("deep.storage.folder")
    put = module.replace_file

    def interrupted(path: Path, data: bytes) -> None:
        put(path, data)
        if path.name == module.CHECKPOINT:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "replace_file", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(CONFIG, RULE, out=tmp_path / "run")
    run(CONFIG, RULE, out=tmp_path / "run")
    assert content(tmp_path / "run") == whole


def test_a_folder_removed_in_the_middle_is_named_and_nothing_of_it_comes_back(
    whole: dict[str, object], tmp_path: Path
) -> None:
    folder = tmp_path / "run"

    def remove(record: object) -> None:
        shutil.rmtree(folder)

    with pytest.raises(FileNotFoundError, match=r"timings\.jsonl"):
        run(CONFIG, RULE, out=folder, on_round=remove)
    assert not folder.exists()
    run(CONFIG, RULE, out=folder)
    assert content(folder) == whole


@pytest.mark.slow
def test_a_file_that_may_not_grow_is_named_and_the_run_goes_on_when_it_may(tmp_path: Path) -> None:
    folder, whole = tmp_path / "run", tmp_path / "whole"
    run(replace(CONFIG, n_rounds=4), RULE, out=folder)
    limit = max(path.stat().st_size for path in folder.iterdir()) + 300
    code, (line,) = told(begun(folder, 60, partial(no_larger_files, limit)))
    assert code == 2
    assert line.startswith(f"fedverdict: {folder}/")
    assert line.endswith(": File too large")
    for out in (folder, whole):
        run(replace(CONFIG, n_rounds=60), RULE, out=out)
    assert content(folder) == content(whole)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
def test_a_signal_to_end_is_a_line_and_the_run_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    folder, whole = tmp_path / "run", tmp_path / "whole"
    process = begun(folder, 3000, partial(signal.signal, number, signal.SIG_DFL))
    some_rounds(process, folder)
    second = told(begun(folder, 3000))  # two processes at one folder: the second is told, the first goes on
    assert second[0] == 2
    assert "in use by process" in second[1][0]
    assert process.poll() is None
    process.send_signal(number)
    code, words = told(process)
    assert (code, len(words)) == (128 + number, 1)
    assert words[0].startswith(
        f"fedverdict: ended by {number.name}; what was finished is kept; to go on: fedverdict run "
    )
    assert not (folder / "owner.json").exists()
    rounds = len((folder / "metrics.jsonl").read_bytes().splitlines())
    for out in (folder, whole):
        run(replace(CONFIG, n_rounds=rounds + 2), RULE, out=out)
    assert content(folder) == content(whole)


@pytest.mark.slow
def test_without_memory_there_is_a_line_and_the_run_goes_on_with_more(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    program = (
        "import resource, sys; import deep; from pathlib import Path; from validation.cli import main\n"
        "held = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()\n"
        "limit = held + int(sys.argv[1]) * 2**20; resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "main(sys.argv[2:])"
    )
    # 160 MB a model, and a round holds several; the data and all libraries are loaded within 400 MB.
    model = ["--model", "mlp(hidden=[6000, 6000])", "--clients", "2", "--sampled", "2", "--rounds", "1"]
    words = [*WORDS, *model, "--out", str(folder)]
    process = subprocess.run(
        [sys.executable, "-c", program, "400", *words], capture_output=True, text=True, check=False
    )
    said = [line for line in process.stderr.splitlines() if line.startswith("fedverdict: ")]
    assert (process.returncode, len(said)) == (2, 1), process.stderr
    assert "out of memory" in said[0]
    assert "Traceback" not in process.stderr
    assert not (folder / "result.json").exists()
    assert not list(folder.glob("*.draft"))


@pytest.mark.slow
@pytest.mark.parametrize(("target", "code"), [("&-", 0), ("/dev/full", 2)])
def test_a_stdout_that_takes_nothing_costs_no_run(
    target: str, code: int, whole: dict[str, object], tmp_path: Path
) -> None:
    if target == "/dev/full" and not Path(target).exists():
        pytest.skip("no /dev/full on this system")
    line = [sys.executable, "-m", "validation.cli", *WORDS, "--rounds", "3", "--out", str(tmp_path)]
    quoted = " ".join(f"'{word}'" for word in line)
    process = subprocess.run(["sh", "-c", f"exec {quoted} >{target}"], stderr=subprocess.PIPE, text=True, check=False)
    assert process.returncode == code, process.stderr
    assert "Traceback" not in process.stderr
    if code:
        assert process.stderr.splitlines()[-1] == "fedverdict: No space left on device"
    assert content(tmp_path) == whole


@pytest.fixture
def mounted(tmp_path: Path) -> Callable[[str, list[str]], subprocess.CompletedProcess[str]]:
    """(options of a file system of its own, words of a run into it) → what came of it; nothing stays mounted."""
    probe = ["unshare", "--mount", "--map-root-user", "sh", "-c", f"mount -t tmpfs none {tmp_path}"]
    if shutil.which("unshare") is None or subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("real mounts: not permitted here")

    def go(options: str, after: list[str]) -> subprocess.CompletedProcess[str]:
        words = " ".join(f"'{word}'" for word in [sys.executable, "-m", "validation.cli", *WORDS])
        script = "; ".join([f"mount -t tmpfs -o {options} none {tmp_path}", *after]).replace("RUN", words)
        line = ["unshare", "--mount", "--map-root-user", "sh", "-c", script]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    return go


@pytest.mark.slow
def test_a_disk_that_is_full_for_real(
    mounted: Callable[[str, list[str]], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    first = f"RUN --rounds 4000 --out {tmp_path}/run; echo code $?; cp -r {tmp_path}/run/metrics.jsonl /dev/stdout"
    found = mounted("size=400k", [first])
    (line,) = [line for line in found.stderr.splitlines() if line.startswith("fedverdict: ")]
    assert line.endswith(": No space left on device")
    assert "code 2" in found.stdout
    kept = [json.loads(line)["round"] for line in found.stdout.splitlines() if line.endswith('"}')]
    assert kept == list(range(len(kept)))
    assert kept


@pytest.mark.slow
def test_a_folder_that_is_read_only_for_real(
    mounted: Callable[[str, list[str]], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    mkdir = f"mkdir {tmp_path}/run"
    found = mounted("size=4m", [mkdir, f"mount -o remount,ro {tmp_path}", f"RUN --rounds 1 --out {tmp_path}/run"])
    assert found.returncode == 2, found.stderr
    (line,) = [line for line in found.stderr.splitlines() if line.startswith("fedverdict: ")]
    assert line.startswith(f"fedverdict: {tmp_path}/run/")
    assert line.endswith(": Read-only file system")


@pytest.mark.skipif(os.geteuid() == 0, reason="read-only by permission: root may write anywhere")
def test_a_folder_without_the_right_to_write_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match=str(tmp_path)):
        run(CONFIG, RULE, out=tmp_path / "run")
