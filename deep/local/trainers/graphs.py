"""Gradients replayed as CUDA graphs: one launch for a step of small clients, where a GPU waits for Python otherwise."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, cast

import torch
from torch import Tensor

from deep.local.trainers.convolved import convolved_gradients, convolves
from deep.local.trainers.gradients import Gradient, gradients_of
from deep.models import Model
from deep.models.network import Network

__all__ = ["graphed", "graphed_gradients", "recorded_on_cuda"]

_MOST = 128  # graphs of one model that are kept
_SEEN = 2  # calls of one shape before it is recorded: what comes once is not worth it
_WARM = 2  # calls before recording, in which libraries choose their kernels

Recorded = Callable[[], tuple[Tensor, Tensor]]
Record = Callable[[Callable[[], tuple[Tensor, Tensor]]], Recorded]


@lru_cache(maxsize=64)
def graphed_gradients(model: Model) -> Gradient:
    """`gradients_of` as CUDA graphs, convolutions as batched products; the same for a model every time."""
    plain = convolved_gradients(cast("Network", model)) if convolves(model) else gradients_of(model)
    return graphed(plain, recorded_on_cuda())


def graphed(plain: Gradient, record: Record) -> Gradient:
    """`plain`, each of its shapes recorded once by `record` and replayed from then on; results are the caller's own.

    `record` is given a function of no arguments, which reads tensors that stay where they are, and returns what replays
    it. Where memory does not hold the recording, `torch.OutOfMemoryError` is the caller's, who may ask for fewer
    clients at a time. Any other `RuntimeError`, as of a model that asks for a number on the host, is raised with what
    to do: a run never goes on without the graphs that its times were estimated with.
    """
    replays: OrderedDict[Hashable, tuple[list[Tensor], Recorded]] = OrderedDict()
    seen: dict[Hashable, int] = {}

    def gradient(*args: Any) -> tuple[Tensor, Tensor]:
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        key = _products(), *((tuple(a.shape), a.dtype, a.device) if isinstance(a, Tensor) else a for a in args)
        found = replays.get(key)
        if found is None:
            seen[key] = seen.get(key, 0) + 1
            if seen[key] <= _SEEN:
                return plain(*args)
            held = [tensor.detach().clone() for tensor in tensors]
            rest = iter(held)
            stays = [next(rest) if isinstance(arg, Tensor) else arg for arg in args]
            try:
                found = held, record(lambda: plain(*stays))
            except RuntimeError as error:
                if _is_out_of_memory(error):
                    raise torch.OutOfMemoryError(str(error)) from error
                raise RuntimeError(
                    f"the gradient of {len(tensors[0])} clients cannot be recorded as a CUDA graph: {error}; use"
                    " trainer='in-turn', which records none"
                ) from error
            replays[key] = found
            if len(replays) > _MOST:
                seen.pop(replays.popitem(last=False)[0])
        else:
            replays.move_to_end(key)
        held, replay = found
        for kept, tensor in zip(held, tensors, strict=True):
            kept.copy_(tensor)
        flat, after = replay()
        return flat.clone(), after.clone()

    return gradient


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Whether it is one, or arose while one was handled, as what the end of a broken recording raises."""
    while error is not None:
        if isinstance(error, torch.OutOfMemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _products() -> Hashable:
    """What products are done in just now, which is recorded with them."""
    return (
        torch.backends.cuda.matmul.allow_tf32,
        torch.backends.cudnn.allow_tf32,
        torch.is_autocast_enabled("cuda"),
    )


def recorded_on_cuda() -> Record:
    """Records into CUDA graphs that share their memory: one is replayed at a time, and no result outlives that.

    All warm up on one stream, since torch keeps what each stream has freed for that stream alone.
    """
    pool: Any = None
    aside: Any = None

    def record(work: Callable[[], tuple[Tensor, Tensor]]) -> Recorded:
        nonlocal pool, aside
        if aside is None:
            pool, aside = torch.cuda.graph_pool_handle(), torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(_WARM):
                work()
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        # Other threads may allocate meanwhile; what this one does is what is recorded.
        with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
            flat, after = work()

        def replay() -> tuple[Tensor, Tensor]:
            graph.replay()
            return flat, after

        return replay

    return cast("Record", record)
