"""Errors raised in a user's own model, rule, client, server or data set, named as theirs: file, line and call."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from validation.commands.terminal import out_of_memory

if TYPE_CHECKING:
    from deep.config.settings import Settings

__all__ = ["OwnFaults"]


class OwnFaults(AbstractContextManager[None]):
    """What a user's own part of these runs raises becomes a `ValueError` that names the part, the file and the call."""

    def __init__(self, runs: Sequence[Settings]) -> None:
        self.runs = runs

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise the error as one of the part's, if it was raised there; else let it pass."""
        if not isinstance(error, Exception) or isinstance(error, MemoryError) or out_of_memory(error):
            return
        named = _named(error, _own_places(self.runs))
        if named:
            raise ValueError(named) from error


def _own_places(runs: Sequence[Settings]) -> dict[str, str]:
    """The kind of each part that is not ours, by its place: {"mine:Net": "model"}."""
    from deep.runs.own import own_origins
    from deep.task.setup import Setup

    found: dict[str, str] = {}
    for one in runs:
        try:
            setup = Setup.of(one.config, one.rule)
        except ValueError:  # that is what was wrong with the run
            continue
        for kind, places in own_origins(setup).items():
            found |= {place.partition(" ")[0]: kind for place in places.split(", ")}
    return found


def _named(error: Exception, places: dict[str, str]) -> str:
    """The error with the part, file, line and call; '' where no code of these parts was running."""
    theirs = {place.partition(":")[0].partition(".")[0] for place in places}
    frames = list(walk_tb(error.__traceback__))
    inside = [(f, line) for f, line in frames if str(f.f_globals.get("__name__")).partition(".")[0] in theirs]
    said = f"{type(error).__name__}: {' '.join(str(error).split())}"
    inputs = _inputs(frame for frame, _ in frames)
    called = f"; the model was called with inputs of shape {inputs}" if inputs else ""
    if inside:
        part = _part(inside[0][0], places)
        frame, line = inside[-1]
        file = frame.f_code.co_filename
        source = linecache.getline(file, line).strip()
        return f"error in {part}, {file}, line {line}, in {frame.f_code.co_name}: {source!r} raised {said}{called}"
    model = next((place for place, kind in places.items() if kind == "model"), "")
    # A module put together from torch's own layers runs no line of the user's file.
    defined = getattr(sys.modules.get(model.partition(":")[0]), "__file__", None)
    return f"error in your model {model}, {defined}: it raised {said}{called}" if inputs and model else ""


def _part(frame: FrameType, places: dict[str, str]) -> str:
    """«your model mine:Net», for the first frame of a user's code; «your own code» where it is no part by name."""
    module, name = str(frame.f_globals.get("__name__")), frame.f_code.co_qualname.partition(".")[0]
    kind = places.get(f"{module}:{name}")
    return f"your own code {module}" if kind is None else f"your {kind} {module}:{name}"


def _inputs(frames: Iterable[FrameType]) -> str:
    """The shape of what a torch module was called with, in the outermost call of one; '' where none was called."""
    for frame in frames:
        if frame.f_globals.get("__name__") == "torch.nn.modules.module" and frame.f_locals.get("args"):
            return str(tuple(getattr(frame.f_locals["args"][0], "shape", ())))
    return ""
