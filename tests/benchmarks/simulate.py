"""How fast the convex simulator is: side by side in one process, medians and ratios.

    python -m tests.benchmarks.simulate [--quick] [--json FILE]

The task: N = 10 clients, d = 20, E = 5, T = 200 rounds, float64, softmax weights from losses each round. One unit is a
client step: one local step of one client of one replica.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from theory import (
    FedSoftWorse,
    QuadraticFederation,
    Scheduled,
    SignNoise,
    constant_steps,
    gradient_bound,
    inverse_steps,
    simulate,
    stream,
    weighted_excess,
)
from theory.families import from_spectra
from validation.provenance import provenance

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


def rows(quick: bool) -> list[dict[str, Any]]:
    fed, rule, n_rounds = federation(), FedSoftWorse(1.0), 20 if quick else T
    steps = inverse_steps(2.0, 20.0, n_rounds * E)
    repeats, replicas = (1, 64) if quick else (5, 1000)
    one, many = np.ones(D), np.ones((replicas, D)) * np.linspace(0.5, 1.5, replicas)[:, None]
    noise = SignNoise((0.1,) * N)
    out = []

    def add(name: str, client_steps: int, run: Callable[[], Any], repeats: int = repeats) -> None:
        seconds = median_of(run, repeats)
        out.append({"what": name, "client_steps_per_s": client_steps / seconds, "seconds": seconds})

    total = N * E * n_rounds
    add("plain triple loop, one federation", total, lambda: plain_loop(fed, one, steps, n_rounds), 3 * repeats)
    add("plain batching (matmul), one federation", total, lambda: matmul_loop(fed, one, steps, n_rounds))
    reps = many[: max(1, replicas // 4)]
    add(
        f"plain batching (matmul), {len(reps)} replicas",
        total * len(reps),
        lambda: matmul_loop(fed, reps, steps, n_rounds),
        1,
    )

    def ours(start: Any, record: tuple[str, ...], noise: Any = None) -> Any:
        return simulate(fed, rule, start=start, step_sizes=steps, n_local_steps=E, record=record, noise=noise)

    add("ours, one federation, ends of rounds", total, lambda: ours(one, ("models",)))
    add(
        f"ours, {replicas} replicas, ends of rounds, no noise",
        total * replicas,
        lambda: ours(many, ("models",)),
    )
    add(
        f"ours, {replicas} replicas, bounded noise at each step",
        total * replicas,
        lambda: ours(many, ("models",), noise),
        1 if quick else 3,
    )

    def both_sides() -> Any:
        best = fed.losses(fed.optimum()[None, :])
        seen = {
            "omega": np.full(replicas, np.inf),
            "gamma": np.zeros(replicas),
            "G": np.zeros(replicas),
            "drift": np.zeros(replicas),
        }

        def reduce(_round: int, at: Any) -> None:
            omega = weighted_excess(at["weights"], at["step_losses"], fed.floor)
            np.minimum(seen["omega"], omega.min(axis=0), out=seen["omega"])
            np.maximum(seen["gamma"], weighted_excess(at["weights"], best, fed.floor), out=seen["gamma"])
            np.maximum(seen["G"], at["gradients"].max(axis=(0, -1)), out=seen["G"])
            np.maximum(seen["drift"], at["spread"].max(axis=0), out=seen["drift"])

        records = ("weights", "virtual", "step_losses", "gradients")
        simulate(fed, rule, start=many, step_sizes=steps, n_local_steps=E, record=records, observe=reduce)
        return seen

    add(f"ours, {replicas} replicas, Γ, Ω, drift and G at each step", total * replicas, both_sides, 1 if quick else 3)
    try:
        import torch
    except ImportError:
        torch = None  # type: ignore[assignment]
    if torch is not None:
        t = torch.from_numpy
        moved = QuadraticFederation(
            *(t(np.ascontiguousarray(x)) for x in (fed.curvature, fed.centers, fed.floor, fed.share))
        )
        begun = t(many)

        def with_torch() -> Any:
            return simulate(moved, rule, start=begun, step_sizes=t(steps), n_local_steps=E, record=("models",))

        add(
            f"ours on torch ({torch.get_num_threads()} threads), {replicas} replicas, no noise",
            total * replicas,
            with_torch,
        )
    out += _searches(quick)
    million = constant_steps(0.5, 10**6)
    small = federation(2, 2)
    add(
        "ours, 10⁶ constant steps, two clients",
        2 * 10**6,
        lambda: simulate(small, rule, start=np.ones(2), step_sizes=million, n_local_steps=10**6, record=()),
        1,
    )
    # Flops in matrix products per client step: there and back, losses; a rotation a step with noise; all of it a step.
    products = {"ends of rounds": (4 * D * D + 2 * D * N) / E, "bounded noise": (4 * D * D + 2 * D * N) / E + 2 * D * D}
    products["Γ, Ω, drift"] = 4 * D * D + 6 * D * N
    for row in out:
        flops = next(
            (f for words, f in products.items() if row["what"].startswith("ours,") and words in row["what"]), None
        )
        row["matrix_gflops"] = None if flops is None else flops * row["client_steps_per_s"] / 1e9
    reference = out[0]["client_steps_per_s"]
    for row in out:
        row["ratio_to_plain_loop"] = row["client_steps_per_s"] / reference
    return out


def _searches(quick: bool) -> list[dict[str, Any]]:
    """100,000 different federations (N = 4, d = 3, E = 5, 50 steps) with both sides of a bound."""
    n = 5_000 if quick else 100_000
    chunk = 2_000
    feds = [federation(4, 3, (chunk,)) for _ in range(1)]
    weights = stream(0, "weights").dirichlet(np.ones(4), size=(10, chunk))
    steps = inverse_steps(2.0, 20.0, 50)

    def run() -> None:
        for _ in range(n // chunk):
            fed = feds[0]
            start = np.ones((chunk, 3))
            trajectory = simulate(
                fed, Scheduled(weights), start=start, step_sizes=steps, n_local_steps=5, record=("step_losses",)
            )
            best = fed.losses(fed.optimum()[..., None, :])
            gamma = weighted_excess(weights, best, fed.floor).max(axis=0)
            omega = weighted_excess(np.repeat(weights, 5, axis=0), trajectory.step_losses[:-1], fed.floor).min(axis=0)
            bound, _ = gradient_bound(fed, start)
            _ = gamma - omega + bound

    seconds = median_of(run, 1)
    steps_done = n * 4 * 50
    name = f"ours, {n:,} different federations (N = 4, d = 3, 50 steps) with both sides"
    return [
        {"what": name, "client_steps_per_s": steps_done / seconds, "seconds": seconds, "federations_per_s": n / seconds}
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--json", help="also write the table there")
    arguments = parser.parse_args()
    rates, table = machine_rates(), rows(arguments.quick)
    print(f"dgemm {rates['dgemm_gflops']:.0f} GFLOP/s, copy {rates['copy_gbs']:.0f} GB/s, {os.cpu_count()} cores")
    print(f"{'':66} {'M client steps/s':>16} {'× plain loop':>13}")
    for row in table:
        extra = f"   {row['federations_per_s']:,.0f} federations/s" if "federations_per_s" in row else ""
        if row.get("matrix_gflops"):
            extra = f"   {row['matrix_gflops'] / rates['dgemm_gflops']:.0%} of dgemm in products"
        print(f"{row['what']:66} {row['client_steps_per_s'] / 1e6:16.2f} {row['ratio_to_plain_loop']:13.1f}{extra}")
    if arguments.json:
        made = {"machine": rates, "rows": table, "provenance": provenance()}
        Path(arguments.json).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
