"""The simulator and the local steps of networks through torch on a device, beside what one thread of its host takes.

    python -m tests.benchmarks.on_device [--quick] [--device cuda] [--json FILE]

Simulator: the federation of `tests.benchmarks.simulate`, float64, so × plain loop is that of the same machine; replicas
are what fills a GPU. Networks: one local step of m clients with batches of 64, by vmap, and as a GPU does it: batched
products, replayed as a graph where the device has graphs; the last column is how far the gradients are apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from deep.base.device import usable_device
from deep.local.products import products
from deep.local.trainers.convolved import convolved_gradients, convolves
from deep.local.trainers.gradients import gradients_of
from deep.local.trainers.graphs import graphed_gradients
from deep.models import make_model, n_parameters
from deep.models.network import Network
from tests.benchmarks.simulate import D, E, N, T, federation, plain_loop
from tests.benchmarks.targets import Table, seconds_of
from theory import FedSoftWorse, QuadraticFederation, inverse_steps, simulate

MODELS = {
    "robust-cnn-flattened": (1, 28, 28),
    "five-layer-cnn": (3, 32, 32),
    "fedssa-cnn-2": (3, 32, 32),
}
BATCH = 64


@dataclass(frozen=True)
class On:
    """A device, and what waits for it."""

    device: torch.device

    def seconds(self, run: Callable[[], Any], repeats: int) -> float:
        """Median seconds of `run`, the device's work done."""

        def waited() -> None:
            run()
            if self.device.type == "cuda":
                torch.cuda.synchronize(self.device)

        return seconds_of(waited, repeats)


def simulator(table: Table, on: On, quick: bool) -> None:
    """Ends of rounds and losses of many replicas."""
    n_rounds = 10 if quick else T
    fed, steps = federation(), inverse_steps(2.0, 20.0, n_rounds * E)
    plain = seconds_of(lambda: plain_loop(fed, np.ones(D), steps, n_rounds), 3) / (N * E * n_rounds)
    parts = (fed.curvature, fed.centers, fed.floor, fed.share)
    there = QuadraticFederation(*(torch.as_tensor(np.ascontiguousarray(x), device=on.device) for x in parts))
    etas = torch.as_tensor(steps, device=on.device)
    for replicas in (8, 16) if quick else (1_000, 10_000, 100_000):
        start = torch.linspace(0.5, 1.5, replicas, dtype=torch.float64, device=on.device)[:, None].expand(-1, D).clone()

        def run(start: Tensor = start) -> Any:
            rule = FedSoftWorse(1.0)
            return simulate(there, rule, start=start, step_sizes=etas, n_local_steps=E, record=("models",))

        took, total = on.seconds(run, 1 if quick else 3), N * E * n_rounds * replicas
        shown = f"{total / took / 1e6:9.1f} M client steps/s  × {plain * total / took:9.1f}"
        values = {"client_steps_per_s": total / took, "ratio_to_plain_loop": plain * total / took}
        table.add(f"torch, {replicas:,} replicas, ends of rounds, no noise", shown, **values)


def local_steps(table: Table, on: On, quick: bool) -> None:
    """One local step of m clients."""
    for name, shape in MODELS.items():
        model = make_model(name, SimpleNamespace(image_shape=shape, n_classes=10), 0)[0].to(on.device)
        assert isinstance(model, Network)
        for m in (2,) if quick else (1, 10, 30):
            given = _drawn(model, shape, m, 4 if quick else BATCH, on.device)
            with products("full", on.device):
                plain, ours = gradients_of(model), _as_on_a_gpu(model, on.device)
                expected, _ = plain(*given)
                apart = float(torch.linalg.vector_norm(ours(*given)[0] - expected) / torch.linalg.vector_norm(expected))
                repeats = 1 if quick else 20
                by_vmap, as_there = (on.seconds(partial(f, *given), repeats) for f in (plain, ours))
            shown = f"{1e3 * as_there:8.2f} ms, vmap {1e3 * by_vmap:8.2f} ms  × {by_vmap / as_there:5.1f}  {apart:.1e}"
            values = {"seconds": as_there, "seconds_vmap": by_vmap, "apart": apart}
            table.add(f"{name}, a step of {m} clients", shown, **values)


def _as_on_a_gpu(model: Network, device: torch.device) -> Callable[..., tuple[Tensor, Tensor]]:
    if device.type == "cuda":
        return graphed_gradients(model)
    return convolved_gradients(model) if convolves(model) else gradients_of(model)


def _drawn(model: Network, shape: tuple[int, ...], m: int, batch: int, device: torch.device) -> tuple[Any, ...]:
    rng = torch.Generator().manual_seed(0)
    vectors = 0.05 * torch.randn(m, n_parameters(model), generator=rng)
    inputs, targets = torch.randn(m, batch, *shape, generator=rng), torch.randint(0, 10, (m, batch), generator=rng)
    buffers = model.initial_buffers().expand(m, -1)
    parts = (vectors, buffers, inputs, targets, torch.full((m, batch), 1 / batch))
    return *(part.to(device) for part in parts), None


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--json", help="also write the table there")
    asked = parser.parse_args(arguments)
    on, table = On(usable_device(asked.device)), Table()
    name = torch.cuda.get_device_name(on.device) if on.device.type == "cuda" else "cpu"
    print(f"torch {torch.__version__}, {name}", flush=True)
    local_steps(table, on, asked.quick)
    simulator(table, on, asked.quick)
    table.write(asked.json, device=name, torch=cast("str", torch.__version__))


if __name__ == "__main__":
    main()
