"""Files are replaced in one step, and what goes wrong names the file."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path

import pytest

from theory.files import naming, replace_file


def full(_: int) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))


def test_a_failed_write_leaves_the_old_file_and_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.json"
    replace_file(path, b"old")
    monkeypatch.setattr("theory.files.os.fsync", full)
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
