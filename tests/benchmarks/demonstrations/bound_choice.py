"""Which weights a bound would choose, and what they are worth: with the true gradients, literally, and in networks.

    python -m tests.benchmarks.demonstrations.bound_choice            # quadratics, seconds
    python -m tests.benchmarks.demonstrations.bound_choice --step 0.02  # constant steps
    python -m tests.benchmarks.demonstrations.bound_choice --networks # digits, minutes

Each number is a rule's last gap F(w) − F* (test loss for networks) over that of FedAvg with data shares: geometric mean
over seeds with the 95 % interval of the mean logarithm.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import exp, log
from typing import Any

import numpy as np
from scipy.stats import t as student

from theory import make_rule, simulate
from theory.federations.families import quadratic_family
from theory.federations.federation import global_loss
from theory.noise.laws import SphereNoise
from theory.simulate.handed import handed

__all__ = ["literal", "main", "told"]

_CLIENTS, _LOCAL = 10, 5
_NOISE = tuple(0.5 * 2.0**k for k in (0, 1, 2, 3, 4)) * 2


def literal(variance: Any, loss: Any, at_optimum: Any, L: float, mu: float, horizon: float) -> Any:
    """argmin over the simplex of 2L/(μ²h)·Σρ²σ² + (L/μ)·Σρᵢ(Fᵢ(w*) − Fᵢ(w)): exp_alpha's Theorem 1 as it is printed."""
    square, slope = 2 * L / (mu**2 * horizon) * variance, L / mu * (at_optimum - loss)
    low, high = float(slope.min()), float(slope.max() + 2 * square.max())
    for _ in range(200):
        level = (low + high) / 2
        weights = np.maximum(level - slope, 0) / (2 * square)
        low, high = (level, high) if weights.sum() < 1 else (low, level)
    return weights / weights.sum()


def told(ratios: list[float]) -> str:
    """Geometric mean and 95 % interval of ratios over seeds."""
    logs = [log(r) for r in ratios]
    mean, half = np.mean(logs), student.ppf(0.975, len(logs) - 1) * np.std(logs, ddof=1) / len(logs) ** 0.5
    return f"{exp(mean):.2f} [{exp(mean - half):.2f}, {exp(mean + half):.2f}]"


def quadratics(n_rounds: int, seeds: range, step: float) -> None:
    """Ten quadratic clients, noise of norm 0.5 to 8, the optimum's gradients known or estimated from updates."""
    found: dict[str, list[float]] = {}
    for seed in seeds:
        federation = quadratic_family(n_clients=_CLIENTS, dim=10, seed=seed, condition=10.0)
        best = federation.optimum()
        spread = np.broadcast_to(best, federation.centers.shape)
        at_optimum, variance = np.asarray(federation.losses(spread)), np.square(_NOISE)
        slopes, constants = np.asarray(federation.gradients(spread)), federation.constants()
        L, mu = float(constants.L), float(constants.mu)
        gamma = max(8 * L / mu, _LOCAL)  # the steps of the theorem: 2/(μ(γ + t))
        rates, horizon = np.full(n_rounds * _LOCAL, step), float(n_rounds * _LOCAL)
        if not step:
            rates, horizon = 2 / (mu * (gamma + np.arange(n_rounds * _LOCAL))), gamma + n_rounds * _LOCAL

        class Literal:
            needs = ("loss_before",)

            def __call__(self, stats: Any, known: Any = (variance, at_optimum, L, mu, horizon)) -> Any:
                v, best_losses, *numbers = known
                return literal(v, np.asarray(stats.loss_before), best_losses, *numbers)

        rules: dict[str, Any] = {
            "shares": make_rule("proportional"),
            "inverse variance": make_rule("inverse-variance"),
            "bound, true gradients": make_rule("bound-optimal", horizon=horizon, gradients="optimum"),
            "bound, estimated": make_rule("bound-optimal", horizon=horizon),
            "print, literally": Literal(),
        }
        signals = handed(rates, _LOCAL, gradient_variance=variance, optimum_gradients=slopes)
        gaps = {}
        for name, rule in rules.items():
            run = simulate(
                federation,
                rule,
                start=np.ones((20, 10)),
                step_sizes=rates,
                n_local_steps=_LOCAL,
                noise=SphereNoise(_NOISE),
                seed=seed,
                signals=None if isinstance(rule, Literal) else _batched(signals),
                record=("models",),
            )
            gap = np.asarray(global_loss(federation, run.models[-1])) - float(global_loss(federation, best))
            gaps[name] = float(gap.mean())
        for name, value in gaps.items():
            found.setdefault(name, []).append(value / gaps["shares"])
    for name, ratios in found.items():
        print(f"{n_rounds} rounds, {name}: {told(ratios)}", flush=True)


def _batched(signals: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Signals of one federation for all replicas."""

    def each(seen: Any) -> dict[str, Any]:
        n = len(seen.model)
        return {k: v if v.shape[0] == n and v.ndim > 1 and k == "step_size" else np.broadcast_to(v, (n, *v.shape))
                for k, v in signals(seen).items()}  # fmt: skip

    return each


def networks(seeds: range) -> None:
    """An MLP on digits: Dirichlet 0.3, and a random split whose clients have flipped labels with chance 0.3."""
    from deep import RunConfig, run

    horizon = 40.0 * 5
    for name, partition in (
        ("Dirichlet 0.3", "dirichlet(beta=0.3)"),
        ("flipped labels", "flipped(base=iid, corruption=0.3)"),
    ):
        found: dict[str, list[float]] = {}
        for seed in seeds:
            losses = {}
            for rule in ("proportional", "inverse-variance(floor=1e-6)", f"bound-optimal(horizon={horizon})"):
                config = RunConfig(
                    dataset="digits", model="mlp", partition=partition, n_clients=10, n_rounds=40, n_local_steps=5,
                    batch_size=16, local_lr=0.1, seed=seed,
                )  # fmt: skip
                losses[rule] = float(run(config, make_rule(rule)).history[-1].test_loss or 0.0)
            for rule, value in losses.items():
                found.setdefault(rule, []).append(value / losses["proportional"])
        for rule, ratios in found.items():
            print(f"{name}, {rule}: {told(ratios)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", action="store_true")
    parser.add_argument("--step", type=float, default=0.0, help="a constant step in place of the theorem's")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    if given.networks:
        networks(range(given.seeds))
    else:
        for n_rounds in (20, 200):
            quadratics(n_rounds, range(given.seeds), given.step)


if __name__ == "__main__":
    main()
