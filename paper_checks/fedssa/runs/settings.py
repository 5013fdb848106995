"""What all runs share: the digits, an MLP or softmax regression, the paper's two divisions and its targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import sqrt
from statistics import mean, stdev
from typing import Any

from scipy.stats import t as student

from deep import RunConfig

__all__ = ["DIVISIONS", "RULES", "SEEDS", "TARGETS", "WEIGHTS", "config", "described", "interval", "rounded"]

SEEDS = tuple(range(10, 15))  # settings were chosen on seeds 0 to 4
DIVISIONS = {  # fedssa §5.1; classes of the ten are C/5 = 2 for each of five clients
    "NIID-1": {"partition": "classes(m=2)", "n_clients": 5, "n_sampled": 5},
    "NIID-2": {"partition": "dirichlet(beta=0.5, min_size=8)", "n_clients": 10, "n_sampled": 10},
}
TARGETS = {
    "Skew": "skew(client=0)",
    "Imb-A": "exponential(rho=100)",
    "Imb-B": "exponential(rho=50)",
    "Uniform": "uniform",
}
WEIGHTS = {  # of FedSSA and its designed rules
    "FedSSA": "fed-ssa-sgd(lr=3, epochs=10, batch_size=64)",
    "FedSSA, minimised": "fed-ssa",
    "Similarity": "similarity(predictions=softmax)",
    "Confidence": "confidence(predictions=softmax)",
}
RULES = {"FedAvg": "proportional", **WEIGHTS}


def config(division: str, target: str, seed: int, **changes: Any) -> RunConfig:
    """The run of a division and target by their names above, 10 rounds of 10 local epochs (§5.1) unless changed."""
    settings: dict[str, Any] = {
        "model": "mlp(hidden=[64])",
        "target": TARGETS.get(target, target),
        "n_rounds": 10,
        "n_local_steps": 0,
        "n_local_epochs": 10,
        "batch_size": 32,
        "local_lr": 0.1,
        "n_target_samples": 0,
        "losses": "none",
        "floor": "zero",
        "evaluate_every": 1000,
        "seed": seed,
        **DIVISIONS[division],
    }
    return RunConfig(**{**settings, **changes})


def described(config: RunConfig) -> dict[str, Any]:
    """What differs from the defaults, seed and target left out: they are in the rows."""
    usual = asdict(RunConfig())
    return {k: v for k, v in asdict(config).items() if v != usual[k] and k not in {"seed", "target"}}


def interval(values: Sequence[float], level: float = 0.95) -> dict[str, float]:
    """Mean and Student's interval of independent values, `level` sure: {"mean", "low", "high", "n"}."""
    n, centre = len(values), mean(values)
    half = float(student.ppf((1 + level) / 2, n - 1)) * stdev(values) / sqrt(n)
    return {"mean": centre, "low": centre - half, "high": centre + half, "n": n}


def rounded(value: Any) -> Any:
    """Six significant digits: what a seed says to others, and small files."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value
