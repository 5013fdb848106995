"""What is fuzzed and how: a target is a strategy and what is done with its values, and what it met is counted."""

from __future__ import annotations

import resource
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

__all__ = ["Seen", "Target", "fuzz"]

SECONDS, GIGABYTE = 2.0, 2**30


@dataclass(frozen=True)
class Target:
    """`inputs` are tried by `read(value, folder)`; a refusal has to contain one of `names`."""

    inputs: st.SearchStrategy[Any]
    read: Callable[[Any, Path], object]
    names: tuple[str, ...] = ("fuzzed",)


@dataclass
class Seen:
    """What a target met: inputs, how many of them were refused, the slowest, and the memory the process grew by."""

    inputs: int = 0
    refused: int = 0
    slowest: float = 0.0
    grown: int = 0

    @property
    def read(self) -> int:
        """Inputs that were not refused."""
        return self.inputs - self.refused


def fuzz(target: Target, n_examples: int) -> Seen:
    """Try `n_examples`; raises `AssertionError` for the first that breaks a promise, shrunk."""
    seen, before = Seen(), _peak()
    with tempfile.TemporaryDirectory() as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's opinion on odd files

        @settings(max_examples=n_examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(target.inputs)
        def one(value: Any) -> None:
            seen.inputs += 1
            began = time.process_time()
            message = None
            try:
                target.read(value, Path(temporary))
            except ValueError as error:
                message = str(error)
            seconds = time.process_time() - began  # of the processor: others may be at work on it
            seen.slowest = max(seen.slowest, seconds)
            assert seconds < SECONDS, f"{seconds:.1f} s"
            assert _peak() - before < GIGABYTE, "more than a gigabyte"
            if message is not None:
                seen.refused += 1
                assert any(name in message for name in target.names), f"names none of {target.names}: {message}"

        one()
    seen.grown = _peak() - before
    return seen


def _peak() -> int:
    """The most memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
