"""Recorded gradients, with a recorder that replays on the CPU what a CUDA graph would."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from deep.local.schedule import padded_widths
from deep.local.trainers import graphs
from deep.local.trainers.graphs import graphed

Work = Callable[[], tuple[Tensor, Tensor]]


def plain(vectors: Tensor, running: Tensor, weight: Tensor, fewest: int | None) -> tuple[Tensor, Tensor]:
    return vectors * weight + (fewest or 0), running + 1


class Recorder:
    """Replays into the tensors of the first run, as a graph does."""

    def __init__(self) -> None:
        self.recorded = self.replayed = 0

    def __call__(self, work: Work) -> Work:
        self.recorded += 1
        held = work()

        def replay() -> tuple[Tensor, Tensor]:
            self.replayed += 1
            for kept, new in zip(held, work(), strict=True):
                kept.copy_(new)
            return held

        return replay


def arguments(seed: int, n: int = 2, fewest: int | None = None) -> tuple[Tensor, Tensor, Tensor, int | None]:
    rng = torch.Generator().manual_seed(seed)
    return torch.rand(n, 3, generator=rng), torch.rand(n, 1, generator=rng), torch.rand(n, 3, generator=rng), fewest


def test_what_comes_often_is_recorded_once_and_results_are_the_callers_own() -> None:
    record = Recorder()
    gradient = graphed(plain, record)
    kept = []
    for seed in range(9):
        for n, fewest in ((2, None), (3, None), (2, 4)):
            given = arguments(seed, n, fewest)
            kept.append((given, gradient(*given)))
    for given, found in kept:  # after all calls: none was overwritten by a later one
        for one, expected in zip(found, plain(*given), strict=True):
            assert torch.equal(one, expected)
    assert record.recorded == 3
    assert record.replayed == 3 * (9 - 2)


def test_what_cannot_be_recorded_is_an_error_with_the_cure() -> None:
    def refuse(work: Work) -> Work:
        raise RuntimeError("operation not permitted when stream is capturing")

    gradient = graphed(plain, refuse)
    for seed in range(2):  # what comes once or twice is not recorded
        given = arguments(seed)
        assert torch.equal(gradient(*given)[0], plain(*given)[0])
    with pytest.raises(RuntimeError, match=r"2 clients .* when stream is capturing; use trainer='in-turn'"):
        gradient(*arguments(2))


@pytest.mark.parametrize("hidden", [False, True], ids=["itself", "behind another error"])
def test_memory_that_does_not_hold_a_recording_is_told_apart(hidden: bool) -> None:
    """The end of a recording that memory broke raises an error of its own."""

    def refuse(work: Work) -> Work:
        try:
            raise torch.OutOfMemoryError("out of memory")
        finally:
            if hidden:
                raise RuntimeError("operation failed due to a previous error during capture")

    gradient = graphed(plain, refuse)
    for seed in range(2):
        gradient(*arguments(seed))
    with pytest.raises(torch.OutOfMemoryError):
        gradient(*arguments(2))


def test_other_products_are_recorded_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    record = Recorder()
    gradient = graphed(plain, record)
    for allowed in (False, True, False):
        monkeypatch.setattr(graphs, "_products", lambda allowed=allowed: allowed)
        for seed in range(4):
            gradient(*arguments(seed))
    assert record.recorded == 2


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "_MOST", 2)
    record = Recorder()
    gradient = graphed(plain, record)
    for n in (1, 2, 3, 1):
        for seed in range(4):
            given = arguments(seed, n)
            assert torch.equal(gradient(*given)[0], plain(*given)[0])
    assert record.recorded == 4


class Wide:
    rows = torch.zeros(4, 2, 50, dtype=torch.int64)
    width = (50, 33, 32, 1)


def test_widths_are_padded_to_few() -> None:
    assert padded_widths(Wide()) == (50, 48, 32, 16)  # type: ignore[arg-type]
