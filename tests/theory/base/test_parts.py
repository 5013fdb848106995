"""Entry points of parts are read once, and again when something was installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from theory.base import parts
from theory.base.parts import own_names


def test_entry_points_are_read_once_and_what_is_installed_later_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(tmp_path, (0, 0))  # as if it were there for long: two changes within one tick of the clock are one
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "quieter" not in own_names("rule")
    info = tmp_path / "quiet-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: quiet\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[fedverdict.rules]\nquieter = quiet:Rule\n", encoding="utf-8")
    assert "quieter" in own_names("rule")

    def again(**_: object) -> None:
        raise AssertionError("read once more")

    monkeypatch.setattr(parts, "entry_points", again)
    assert "quieter" in own_names("rule")
    os.utime(tmp_path, (1, 1))
    with pytest.raises(AssertionError, match="read once more"):
        own_names("rule")
