"""A run that is stopped after a round and resumed, for tests that it is the run undisturbed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deep import run
from deep.config.config import RunConfig
from deep.storage.record import DeepRun
from theory.rules.protocol import AnyRule

__all__ = ["resumed"]


class StopError(Exception):
    """What ends a run from within."""


def resumed(config: RunConfig, rule: AnyRule, out: Path, after: int) -> DeepRun:
    """The run in `out`, whose first process ends in round `after`."""

    def stop(record: Any) -> None:
        if record.round == after:
            raise StopError

    with pytest.raises(StopError):
        run(config, rule, out=out, on_round=stop)
    return run(config, rule, out=out)
