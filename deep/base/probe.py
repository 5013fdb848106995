"""What a piece of work costs on this device: its seconds, and the most memory it holds at once."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

__all__ = ["Probe", "probe"]

_REPEATS = 5
_EMPTY = (torch.ops.aten.empty, torch.ops.aten.new_empty, torch.ops.aten.empty_like, torch.ops.aten.empty_strided)
_ENOUGH = 1.0  # seconds after which nothing is repeated


@dataclass(frozen=True)
class Probe:
    """`seconds`: the median of a few repetitions. `peak_bytes`: of the tensors made meanwhile, and not those before."""

    seconds: float
    peak_bytes: int


def probe(work: Callable[[], object], device: torch.device) -> Probe:
    """`work` done once to warm up and to see its memory, then up to five times for its seconds.

    On the CPU the memory is the sizes of the tensors that operations write to, without the scratch space inside of
    single operations; on CUDA it is what the allocator says.
    """
    peak = _peak_on_cuda(work, device) if device.type == "cuda" else _peak(work)
    seconds: list[float] = []
    while len(seconds) < _REPEATS and sum(seconds) < _ENOUGH:
        began = perf_counter()
        work()
        _wait(device)
        seconds.append(perf_counter() - began)
    return Probe(median(seconds), peak)


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _peak_on_cuda(work: Callable[[], object], device: torch.device) -> int:
    _wait(device)
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    work()
    _wait(device)
    peak = torch.cuda.max_memory_allocated(device)
    return int(peak - before)


def _peak(work: Callable[[], object]) -> int:
    held = _Held()
    with held:
        work()
    return held.peak


class _Held(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the bytes of storages from when something is written there until nobody holds them any more."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.peak = 0
        self._now = 0
        self._known: set[int] = set()
        self._untouched: set[int] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = {
            leaf.untyped_storage()._cdata: leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)
        }
        for key in self._untouched & given.keys():
            self._untouched.discard(key)
            self._made(given[key].untyped_storage(), key)
        outputs = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(outputs):
            if not isinstance(leaf, Tensor):
                continue
            storage = leaf.untyped_storage()
            key = storage._cdata
            if key in given or key in self._known:
                continue
            if func.overloadpacket in _EMPTY:
                self._untouched.add(key)
                weakref.finalize(storage, self._untouched.discard, key).atexit = False
            else:
                self._made(storage, key)
        return outputs

    def _made(self, storage: torch.UntypedStorage, key: int) -> None:
        size = storage.nbytes()
        self._known.add(key)
        self._now += size
        self.peak = max(self.peak, self._now)
        weakref.finalize(storage, self._freed, key, size).atexit = False

    def _freed(self, key: int, size: int) -> None:
        self._known.discard(key)
        self._now -= size
