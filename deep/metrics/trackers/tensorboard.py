"""A run shown in TensorBoard while it goes on: a callback that writes every round's numbers (extra `tensorboard`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from deep.metrics.trackers.scalars import Tracker, round_scalars
from deep.storage.record import RoundRecord

__all__ = ["TensorBoardWriter"]

_HISTOGRAMS = {
    "clients/weight": "weights",
    "clients/loss_before": "loss_before",
    "clients/loss_after": "loss_after",
    "clients/accuracy": "client_accuracy",
}


class TensorBoardWriter(Tracker):
    """Writes event files into `folder`; give it to ``run(on_round=…)``, and close it, or use it in a ``with``.

    Steps are rounds, from 0. Scalars: losses, accuracies (also by group), ‖update‖, bytes, seconds and their parts, and
    the `ROUND_QUANTITIES` that one round determines. Histograms over the clients present: weights, losses, accuracies.
    What was not measured is left out. Every round is flushed, so a killed run loses nothing.
    A resumed run writes into the folder of the one before: its first round r starts a new event file that tells
    TensorBoard to forget all steps >= r, so no step is there twice. One folder belongs to one run.

    Raises `ValueError` without the package tensorboard, and, at the first round, when event files of the folder carry
    times in the future.
    """

    def __init__(self, folder: Path | str) -> None:
        _summary_writer()
        self._folder = Path(folder)
        self._writer: Any = None
        self._next = 0

    def __call__(self, record: RoundRecord) -> None:
        """Write one round."""
        if self._writer is None or record.round != self._next:
            self.close()
            _wait_for_a_later_name(self._folder)
            self._writer = _summary_writer()(str(self._folder), purge_step=record.round)
        for tag, value in round_scalars(record).items():
            self._writer.add_scalar(tag, value, record.round)
        for tag, values in _histograms(record).items():
            self._writer.add_histogram(tag, np.asarray(values, dtype=np.float64), record.round)
        self._writer.flush()
        self._next = record.round + 1

    def close(self, completed: bool = True) -> None:
        """Finish the event file; a later round begins a new one."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _histograms(record: RoundRecord) -> dict[str, list[float]]:
    found = {tag: _of_present(getattr(record, name), record.present) for tag, name in _HISTOGRAMS.items()}
    return {tag: values for tag, values in found.items() if values}


def _of_present(values: Sequence[float | None], present: Sequence[bool]) -> list[float]:
    return [value for value, here in zip(values, present, strict=True) if here and value is not None]


def _wait_for_a_later_name(folder: Path) -> None:
    """TensorBoard reads event files by name, which holds the second they were begun: wait until that is a new one."""
    times = [int(path.name.split(".")[3]) for path in folder.glob("events.out.tfevents.*")]
    while times and time.time() < max(times) + 1:
        if max(times) > time.time() + 2:
            raise ValueError(
                f"TensorBoardWriter({str(folder)!r}): its newest event file begins at {max(times)} s, in the future of"
                " this machine's clock; use another folder"
            )
        time.sleep(0.05)


def _summary_writer() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise ValueError("TensorBoardWriter needs tensorboard: pip install 'fedverdict[tensorboard]'") from error
    return SummaryWriter
