"""The short form of `tests.deep.fuzzing`: a few dozen inputs for each reader of files and texts."""

from __future__ import annotations

import pytest

from tests.deep.fuzzing import TARGETS, fuzz


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_is_read_is_read_or_refused_by_name(name: str) -> None:
    seen = fuzz(TARGETS[name], 40)
    assert seen.inputs >= 20
