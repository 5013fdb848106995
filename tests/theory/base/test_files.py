"""Files are replaced in one step, and what goes wrong names the file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from errno import ENOSPC
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from theory.base.files import naming, replace_file


def full(_: int) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))


def test_a_failed_write_leaves_the_old_file_and_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.json"
    replace_file(path, b"old")
    monkeypatch.setattr("theory.base.files.os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*t\.json'$"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_its_place_is_named_and_stays(tmp_path: Path) -> None:
    (tmp_path / "t" / "kept").mkdir(parents=True)
    with pytest.raises(IsADirectoryError, match=r"/t'$"):
        replace_file(tmp_path / "t", b"new")
    assert (tmp_path / "t" / "kept").is_dir()
    assert list(tmp_path.iterdir()) == [tmp_path / "t"]


def test_an_error_without_words_is_named_all_the_same(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=rf"odd: '{tmp_path}'"), naming(tmp_path):
        raise OSError("odd")


TEXTS = [bytes([letter]) * (1 << 18) for letter in b"ABCD"]  # more than one write each


def written(path: Path, text: bytes) -> set[bytes]:
    """What a reader found between twenty writings of a text."""
    found = set()
    for _ in range(20):
        replace_file(path, text)
        found.add(path.read_bytes())
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="no locks that end with their process")
@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_several_at_one_file_write_one_after_the_other(pool: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    more = {"mp_context": get_context("forkserver")} if pool is ProcessPoolExecutor else {}
    with pool(len(TEXTS), **more) as workers:
        found = set().union(*workers.map(written, [path] * len(TEXTS), TEXTS))
    assert found <= set(TEXTS)
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
import os, signal, sys
from pathlib import Path
from theory.base.files import replace_by_parts
def parts():
    yield b"torn" * 10_000
    os.kill(os.getpid(), signal.SIGKILL)
replace_by_parts(Path(sys.argv[1]), parts())
"""


def test_what_a_killed_writer_left_holds_nobody_up_and_is_gone_after_the_next_writing(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.with_name("t.json.draft").exists()
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
