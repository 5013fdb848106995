"""How fast the convex simulator is: side by side in one process, medians and ratios.

    python -m tests.benchmarks.simulate [--quick] [--json FILE]

The task: N = 10 clients, d = 20, E = 5, T = 200 rounds, float64, softmax weights from losses each round. One unit is a
client step: one local step of one client of one replica. Each row runs in turns with the plain loop and with a matrix
product on one thread, and shows medians of the ratios, so a busy machine moves both; targets are those of the kernels.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.targets import Table
from theory import (
    FedSoftWorse,
    QuadraticFederation,
    SignNoise,
    constant_steps,
    inverse_steps,
    simulate,
    stream,
    weighted_excess,
)
from theory.base.arrays import one_blas_thread
from theory.compiled.library import library
from theory.federations.families import from_spectra
from theory.worlds.sides import both_sides

N, D, E, T = 10, 20, 5, 200


def federation(n_clients: int = N, dim: int = D, batch: tuple[int, ...] = ()) -> QuadraticFederation:
    rng = stream(0, "benchmark")
    spectrum = 10.0 ** rng.uniform(-1, 0, size=(*batch, n_clients, dim))
    turn = np.linalg.qr(rng.normal(size=(*batch, n_clients, dim, dim)))[0]
    shape = (*batch, n_clients)
    share = np.full(shape, 1 / n_clients)
    return from_spectra(spectrum, turn, rng.normal(size=(*shape, dim)), np.zeros(shape), share)


def plain_loop(fed: QuadraticFederation, start: Any, steps: Any, n_rounds: int) -> Any:
    """The obvious triple loop: rounds, clients, local steps; what a paper's own script would do."""
    model = start.copy()
    for r in range(n_rounds):
        local, losses = [], []
        for i in range(fed.n_clients):
            a, m = fed.curvature[i], fed.centers[i]
            losses.append(0.5 * (model - m) @ a @ (model - m))
            w = model.copy()
            for e in range(E):
                w = w - steps[r * E + e] * (a @ (w - m))
            local.append(w)
        score = np.exp(np.asarray(losses) - max(losses))
        weights = score / score.sum()
        model = sum(weights[i] * local[i] for i in range(fed.n_clients))
    return model


def matmul_loop(fed: QuadraticFederation, start: Any, steps: Any, n_rounds: int) -> Any:
    """Plain batching: one matmul over clients (and replicas) a step."""
    model = start
    for r in range(n_rounds):
        offset = model[..., None, :] - fed.centers
        before = 0.5 * (offset * (fed.curvature @ offset[..., None])[..., 0]).sum(axis=-1)
        w = model[..., None, :] + np.zeros_like(fed.centers)
        for e in range(E):
            w = w - steps[r * E + e] * (fed.curvature @ (w - fed.centers)[..., None])[..., 0]
        score = np.exp(before - before.max(axis=-1, keepdims=True))
        weights = score / score.sum(axis=-1, keepdims=True)
        model = (weights[..., None] * w).sum(axis=-2)
    return model


def median_of(run: Callable[[], Any], repeats: int) -> float:
    run()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def machine_rates() -> dict[str, float]:
    """dgemm in GFLOP/s and copy in GB/s, as NumPy reaches them here."""
    a = np.random.default_rng(0).normal(size=(1024, 1024))
    gemm = median_of(lambda: a @ a, 5)
    big = np.zeros(16 * 2**20 // 8 * 4)
    other = np.empty_like(big)
    copy = median_of(lambda: np.copyto(other, big), 5)
    return {"dgemm_gflops": 2 * 1024**3 / gemm / 1e9, "copy_gbs": 2 * big.nbytes / copy / 1e9}


class NumPySoftmax:
    """The plain loop's own three lines as a rule, which no kernel knows."""

    needs = ("loss_before",)

    def __call__(self, stats: Any) -> Any:
        score = np.exp(stats.loss_before - stats.loss_before.max(axis=-1, keepdims=True))
        return score / score.sum(axis=-1, keepdims=True)


class NoKernel:
    """A rule of the library run as Python."""

    def __init__(self, rule: Any) -> None:
        self.rule, self.needs = rule, rule.needs

    def __call__(self, stats: Any) -> Any:
        return self.rule(stats)


class Race:
    """Rows measured in turns with the plain loop and dgemm, printed as they come."""

    def __init__(self, table: Table, quick: bool) -> None:
        self.table, self.quick = table, quick
        self.n_rounds = 20 if quick else T
        self.fed, self.steps = federation(), inverse_steps(2.0, 20.0, self.n_rounds * E)
        self.one = np.ones(D)
        self.total = N * E * self.n_rounds
        self.matrix = np.random.default_rng(0).normal(size=(512, 512))
        self.kernels = library() is not None

    def plain(self) -> None:
        plain_loop(self.fed, self.one, self.steps, self.n_rounds)

    def dgemm(self) -> None:
        with one_blas_thread():
            self.matrix @ self.matrix

    def add(
        self,
        what: str,
        client_steps: float,
        run: Callable[[], Any],
        repeats: int = 7,
        target: float = 0.0,
        flops: float = 0.0,
        federations: int = 0,
    ) -> None:
        """`target` in × plain loop, or in federations/s where there are any; `flops` the least a client step takes."""
        turns = (self.plain, self.dgemm, run, self.dgemm, self.plain)
        times = [tuple(_timed(f) for f in turns) for _ in range(1 if self.quick else repeats)]
        own = statistics.median(t[2] for t in times)
        per_plain = self.total * 2
        ratio = statistics.median((t[0] + t[4]) / per_plain * client_steps / t[2] for t in times)
        share = statistics.median(flops * client_steps / t[2] * (t[1] + t[3]) / (4 * 512**3) for t in times)
        shown = f"{client_steps / own / 1e6:9.2f} M client steps/s  × {ratio:7.1f}"
        values: dict[str, Any] = {
            "client_steps_per_s": client_steps / own, "seconds": own, "ratio_to_plain_loop": ratio,
        }  # fmt: skip
        if flops:
            shown += f"  {share:4.0%} of dgemm"
            values["share_of_dgemm"] = share
        reached = ratio >= target
        said = f">= {target:g} × plain loop"
        if federations:
            values["federations_per_s"] = federations / own
            shown += f"  {federations / own:9,.0f} federations/s"
            reached, said = federations / own >= target, f">= {target:,.0f} federations/s"
        self.table.add(what, shown, said, reached if target and self.kernels and not self.quick else None, **values)


def _timed(run: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def rows(race: Race) -> None:
    fed, rule, steps, total, one = race.fed, FedSoftWorse(1.0), race.steps, race.total, race.one
    replicas = 64 if race.quick else 1000
    many = np.ones((replicas, D)) * np.linspace(0.5, 1.5, replicas)[:, None]
    noise = SignNoise((0.1,) * N)

    def ours(start: Any, given: Any = rule, noise: Any = None) -> Any:
        return simulate(fed, given, start=start, step_sizes=steps, n_local_steps=E, record=("models",), noise=noise)

    race.add("plain triple loop, one federation", total, race.plain)
    race.add("plain batching (matmul), one federation", total, lambda: matmul_loop(fed, one, steps, race.n_rounds))
    reps = many[: max(1, replicas // 4)]
    name = f"plain batching (matmul), {len(reps)} replicas"
    race.add(name, total * len(reps), lambda: matmul_loop(fed, reps, steps, race.n_rounds), 3)
    race.add("one federation, standard rule", total, lambda: ours(one), 15, 40, 800)
    race.add("one federation, the plain loop's softmax in Python", total, lambda: ours(one, NumPySoftmax()), 15, 4.5)
    race.add("one federation, FedSoftWorse in Python", total, lambda: ours(one, NoKernel(rule)), 15)
    race.add(f"{replicas} replicas, ends of rounds, no noise", total * replicas, lambda: ours(many), 15, 400, 193)
    without = NoKernel(rule)
    name = f"{replicas} replicas, ends of rounds, FedSoftWorse in Python"
    race.add(name, total * replicas, lambda: ours(many, without), 7, 0, 193)
    name = f"{replicas} replicas, sign noise at each step"
    race.add(name, total * replicas, lambda: ours(many, noise=noise), 9, 85, 910)
    name = f"{replicas} replicas, Γ, Ω, drift and G at each step"
    race.add(name, total * replicas, lambda: _each_step(fed, many, steps), 9, 85, 1280)
    with_torch = _with_torch(fed, many, steps)
    if with_torch is not None:
        race.add(f"torch, {replicas} replicas, ends of rounds, no noise", total * replicas, with_torch, 3)
    _search(race)
    million, small = constant_steps(0.5, 10**6), federation(2, 2)
    race.add(
        "10⁶ constant steps, two clients",
        2 * 10**6,
        lambda: simulate(small, rule, start=np.ones(2), step_sizes=million, n_local_steps=10**6, record=()),
        1,
    )


def _each_step(fed: QuadraticFederation, start: Any, steps: Any) -> dict[str, Any]:
    best = fed.losses(fed.optimum()[None, :])
    n = len(start)
    seen = {"omega": np.full(n, np.inf), "gamma": np.zeros(n), "G": np.zeros(n), "drift": np.zeros(n)}

    def reduce(_round: int, at: Any) -> None:
        omega = weighted_excess(at["weights"], at["step_losses"], fed.floor)
        np.minimum(seen["omega"], omega.min(axis=0), out=seen["omega"])
        np.maximum(seen["gamma"], weighted_excess(at["weights"], best, fed.floor), out=seen["gamma"])
        np.maximum(seen["G"], at["gradients"].max(axis=(0, -1)), out=seen["G"])
        np.maximum(seen["drift"], at["spread"].max(axis=0), out=seen["drift"])

    records = ("weights", "virtual", "step_losses", "gradients")
    simulate(fed, FedSoftWorse(1.0), start=start, step_sizes=steps, n_local_steps=E, record=records, observe=reduce)
    return seen


def _with_torch(fed: QuadraticFederation, start: Any, steps: Any) -> Callable[[], Any] | None:
    try:
        from torch import from_numpy as t
    except ImportError:
        return None
    parts = (fed.curvature, fed.centers, fed.floor, fed.share)
    moved = QuadraticFederation(*(t(np.ascontiguousarray(x)) for x in parts))

    def run() -> Any:
        rule, etas = FedSoftWorse(1.0), t(steps)
        return simulate(moved, rule, start=t(start), step_sizes=etas, n_local_steps=E, record=("models",))

    return run


def _search(race: Race) -> None:
    """100,000 different federations (N = 4, d = 3, E = 5, 50 steps) with both sides of a bound."""
    n, chunk = 5_000 if race.quick else 100_000, 2_000
    fed = federation(4, 3, (chunk,))
    weights = stream(0, "weights").dirichlet(np.ones(4), size=(10, chunk))
    steps, start = inverse_steps(2.0, 20.0, 50), np.ones((chunk, 3))

    def run() -> None:
        for _ in range(n // chunk):
            both_sides(fed, weights, start, steps, 5)

    done = n // chunk * chunk
    name = f"{done:,} federations (N = 4, d = 3, 50 steps), both sides"
    race.add(name, done * 4 * 50, run, 7, 250_000, 70, federations=done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--json", help="also write the table there")
    arguments = parser.parse_args()
    rates, kernels = machine_rates(), library()
    level = "absent" if kernels is None else kernels.level
    print(f"dgemm {rates['dgemm_gflops']:.0f} GFLOP/s, copy {rates['copy_gbs']:.0f} GB/s, {os.cpu_count()} cores")
    print(f"compiled kernels: {level}", flush=True)
    table = Table()
    rows(Race(table, arguments.quick))
    table.write(arguments.json, machine=rates, kernels=level)


if __name__ == "__main__":
    main()
