"""Training of one client beside the strongest plain loop, pair by pair in one process, with what it is of a product.

    python -m tests.benchmarks.training [--threads 1 2] [--pairs 9] [--only NAME …] [--json FILE]

The strongest plain loop: the ordinary torch module with torch's own batch normalisation and LSTM, images stored pixel
by pixel, fused SGD, memory of a step kept for the next. Both make the same steps from the same model; the largest
difference of a parameter afterwards is in the row. Ratios are medians of pairs, by the clock and in CPU time, above 1
where ours is faster; the share is operations a second of our quicker quarter over those of a product of two float32
matrices (512) by torch, measured beside each, both in CPU time. Several threads wait for each other: where the load is
above the number of cores such a row has no mark. Further rows: ways of our own that are not taken, and
rounded products.
"""

from __future__ import annotations

import argparse
import copy
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from statistics import median
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from deep.local import Client, LocalBatches, Pool, train_in_turn
from deep.local.memory import keep_freed_memory
from deep.local.products import products
from deep.models import cost, initial_buffers, make_model
from deep.models.layout import channels_last
from deep.models.network import Network
from deep.models.norm import BatchNorm
from deep.models.recurrent import LSTM
from tests.benchmarks.targets import Table
from theory.base.streams import stream

LR = 0.05
CPU = torch.device("cpu")
Run = Callable[[], Tensor]


@dataclass(frozen=True)
class Case:
    """Steps of one client. `least`: the ratio to the plain loop that is to be met, or else `share` of a product."""

    model: str
    shape: tuple[int, ...]
    batch: int
    steps: int
    least: float | None = None
    share: float | None = None


CASES = {
    "robust-cnn": Case("robust-cnn-flattened", (1, 28, 28), 64, 10, 1.15, 0.88),
    "five-layer-cnn": Case("five-layer-cnn", (3, 32, 32), 64, 8, 1.15, 0.88),
    "fedssa-cnn-2": Case("fedssa-cnn-2", (3, 32, 32), 64, 15, None, 0.55),
    "resnet-20": Case("resnet-20", (3, 32, 32), 64, 3, None, 0.80),
    "lstm-characters": Case("lstm-characters", (80,), 10, 4, 2.0),
}
_CHARACTERS = 90


def model_of(case: Case) -> tuple[Network, Tensor]:
    if case.model.startswith("lstm"):
        data: Any = SimpleNamespace(length=80, vocabulary=tuple(map(str, range(_CHARACTERS))), n_classes=_CHARACTERS)
    else:
        data = SimpleNamespace(image_shape=case.shape, n_classes=10)
    made, start = make_model(case.model, data, 0)
    assert isinstance(made, Network)
    return made, start


def samples(case: Case) -> tuple[Tensor, Tensor]:
    """Inputs and classes of all steps."""
    rng, n = stream(0, "benchmark"), case.batch * case.steps
    if case.model.startswith("lstm"):
        return torch.from_numpy(rng.integers(0, _CHARACTERS, (n, *case.shape))), torch.from_numpy(
            rng.integers(0, _CHARACTERS, n)
        )
    inputs = torch.from_numpy(rng.standard_normal((n, *case.shape), dtype=np.float32))
    return inputs, torch.from_numpy(rng.integers(0, 10, n))


def ours(case: Case) -> Run:
    """`train_in_turn`."""
    model, start = model_of(case)
    inputs, classes = samples(case)
    rows = np.arange(len(inputs)).reshape(case.steps, case.batch)
    clients = [Client(0, torch.arange(len(inputs)), classes)]
    batches = [LocalBatches(rows, np.full(case.steps, case.batch))]
    running = initial_buffers(model)[None]
    return lambda: train_in_turn(model, start[None], running, Pool(inputs), clients, batches, LR)[0][0]


def _native(module: nn.Module) -> nn.Module:
    """The module with torch's own layers in place of ours."""
    for name, part in module.named_children():
        if isinstance(part, BatchNorm):
            theirs: nn.Module = nn.BatchNorm2d(len(part.weight)) if part.weight is not None else part
            setattr(module, name, theirs)
        elif isinstance(part, LSTM):
            setattr(module, name, _States(part.weight_ih.shape[1], part.hidden))
        else:
            _native(part)
    return module


class _States(nn.LSTM):
    """torch's LSTM, of whose answers the states alone are asked."""

    def __init__(self, n_inputs: int, hidden: int) -> None:
        super().__init__(n_inputs, hidden, batch_first=True)

    def forward(self, inputs: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(inputs)[0]  # type: ignore[no-any-return]


def plain_loop(case: Case) -> Run:
    """The strongest plain loop."""
    model, start = model_of(case)
    inputs, classes = samples(case)
    module = _native(copy.deepcopy(model.module).to_empty(device="cpu")).requires_grad_(True).train()
    if inputs.ndim == 4:
        module, inputs = module.to(memory_format=torch.channels_last), channels_last(inputs)
    optimiser = torch.optim.SGD(module.parameters(), lr=LR, fused=True)

    def run() -> Tensor:
        position = 0
        with torch.no_grad():
            for part in module.parameters():
                part.copy_(start[position : position + part.numel()].view(part.shape))
                position += part.numel()
        for rows in torch.arange(len(inputs)).split(case.batch):
            optimiser.zero_grad()
            cross_entropy(module(inputs[rows[0] : rows[-1] + 1]), classes[rows[0] : rows[-1] + 1]).backward()
            optimiser.step()
        return torch.cat([part.detach().flatten() for part in module.parameters()])

    return run


def pairs(first: Run, second: Run, n: int) -> tuple[list[list[float]], list[list[float]]]:
    """(Seconds, CPU seconds) of each of the two, n times each in alternation, after once that does not count."""
    found: tuple[list[list[float]], list[list[float]]] = ([], [])
    for turn in range(n + 1):
        for run, kept in (
            zip((first, second), found, strict=True) if turn % 2 else (*zip((second, first), found[::-1], strict=True),)
        ):
            began, worked = time.perf_counter(), time.process_time()
            run()
            if turn:
                kept.append([time.perf_counter() - began, time.process_time() - worked])
    return found


def product_rate(n: int = 512) -> float:
    """Operations a second of CPU time of a product of float32 matrices, the best of ten."""
    one, other = torch.randn(n, n), torch.randn(n, n)
    times = []
    for _ in range(10):
        began = time.process_time()
        for _ in range(4):
            one @ other
        times.append((time.process_time() - began) / 4)
    return 2.0 * n**3 / min(times)


def operations(case: Case) -> float:
    """Of all steps: three forward passes each, but for the gradient of the images, which nobody asks for."""
    model, _ = model_of(case)
    first = next((part for part in model.module.modules() if isinstance(part, nn.Conv2d)), None)
    unasked = 0.0
    if first is not None:
        seen: list[torch.Size] = []
        hook = first.register_forward_hook(lambda _, __, made: seen.append(made.shape))
        model.module(torch.zeros(2, *case.shape, device="meta"))
        hook.remove()
        unasked = 2.0 * seen[0][1:].numel() * first.weight[0].numel()
    return (3.0 * cost(model).flops - unasked) * case.batch * case.steps


def quarter(values: list[float]) -> float:
    return sorted(values)[len(values) // 4]


def row(table: Table, name: str, one: Run, other: Run, n: int, **how: Any) -> None:
    """`one` beside `other`: ratios of pairs."""
    case: Case = how.pop("case")
    met, share = how.pop("least", None), how.pop("share", None)
    off = float((one() - other()).abs().max())
    mine, theirs = pairs(one, other, n)
    clock, work = (median(t[k] / m[k] for m, t in zip(mine, theirs, strict=True)) for k in (0, 1))
    rate = operations(case) / quarter([m[1] for m in mine])
    of_product = rate / product_rate()
    load, threads = os.getloadavg()[0], torch.get_num_threads()
    shown = (
        f"× {work:.2f} in CPU time, × {clock:.2f} by the clock; {rate / 1e9:.0f} GFLOP/s, {of_product:.0%} of a product"
    )
    shown += f"; differs by {off:.1e}; {threads} threads, load {load:.1f}"
    if threads > 1 and load > (os.cpu_count() or 1):
        met, share, shown = None, None, f"{shown}: too busy to judge"
    wanted = [f"≥ {met:g} × the plain loop"] if met else []
    wanted += [f"≥ {share:.0%} of a product"] if share else []
    done = (met is not None and work >= met) or (share is not None and of_product >= share)
    table.add(
        name,
        shown,
        " or ".join(wanted),
        done if wanted else None,
        cpu=work,
        clock=clock,
        gflops=rate / 1e9,
        of_product=of_product,
        differs=off,
        threads=threads,
        load=load,
        cpu_milliseconds_a_step=[1e3 * quarter([m[1] for m in kind]) / case.steps for kind in (mine, theirs)],
    )


def within(run: Run, context: Callable[[], AbstractContextManager[Any]]) -> Run:
    def go() -> Tensor:
        with context():
            return run()

    return go


def contests(case: Case) -> Iterator[tuple[str, Run, Run, dict[str, Any]]]:
    """(What is measured, ours, the other, what is to be met)."""
    mine = ours(case)
    yield "beside the strongest plain loop", mine, plain_loop(case), {"least": case.least, "share": case.share}
    if case.model == "resnet-20":
        apart = within(mine, lambda: patch("deep.models.norm._has_client_axis", lambda *_: True))
        yield "beside a pass of its own for the running statistics", within(mine, nullcontext), apart, {}
    if case.model.startswith("lstm"):
        loop = within(mine, lambda: patch("deep.models.recurrent._has_kernel", lambda *_: False))
        yield "beside the loop over time", mine, loop, {}
    else:
        yield "products in bfloat16 beside ours", within(mine, lambda: products("bf16", CPU)), mine, {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--json")
    given = parser.parse_args()
    keep_freed_memory()
    table = Table()
    for threads in given.threads:
        torch.set_num_threads(threads)
        for name in given.only:
            case = CASES[name]
            for what, one, other, wanted in contests(case):
                row(table, f"{name}, batches of {case.batch}, {what}", one, other, given.pairs, case=case, **wanted)
    table.write(given.json, torch=torch.__version__)


if __name__ == "__main__":
    main()
