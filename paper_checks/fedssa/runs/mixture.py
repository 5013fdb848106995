"""How near learned weights come to p of a known mixture, convex and deep: ‖w − p‖₁ and W_D = 2K Σ(pₖ − wₖ)².

The target is Σ pₖqₖ of the clients' classes, p from Dir(1) and once more all on client 0; clients of NIID-1, whose
classes differ, so that no other p gives that target. The convex side is softmax regression in theory's simulator, the
deep side an MLP; views, target samples and rules are the same objects.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep import run
from deep.partition import make_target
from deep.simulated import simulated
from deep.ssa import known_weights
from paper_checks.fedssa.runs.settings import RULES, config, described, interval
from theory import make_rule, weight_discrepancy
from theory.streams import stream

__all__ = ["DRAWS", "mixture"]

DRAWS = 20
_CONVEX = {"model": "softmax-regression", "l2": 0.001, "losses": "all", "dtype": "float64"}


def mixture(tick: Callable[[str], None]) -> dict[str, Any]:
    """Rows: distance of the last round's weights from p, by world, kind of target and rule, over 20 draws."""
    rows, curves = [], []
    for kind, world in product(("Skew", "Mixture"), ("convex", "deep")):
        found = {rule: [_distances(kind, world, rule, seed) for seed in range(DRAWS)] for rule in RULES}
        tick(f"{kind}, {world}")
        for rule, draws in found.items():
            l1 = np.asarray([own["l1"] for own in draws])
            gap = np.asarray([own["w_d"] for own in draws])
            apart = l1[:, -1] - np.asarray([own["l1"][-1] for own in found["FedAvg"]])
            rows.append(
                {
                    "target": kind,
                    "world": world,
                    "rule": rule,
                    "l1": interval(l1[:, -1].tolist()),
                    "w_d": interval(gap[:, -1].tolist()),
                    "l1_over_fedavg": interval(apart.tolist()) if rule != "FedAvg" else None,
                    "accuracy": interval([own["accuracy"] for own in draws]),
                }
            )
            curves.append({"target": kind, "world": world, "rule": rule, "l1": l1.mean(axis=0).tolist()})
    settings = {
        "deep": described(config("NIID-1", "Skew", 0)),
        "convex": described(config("NIID-1", "Skew", 0, **_CONVEX)),
    }
    return {"settings": settings, "rules": RULES, "draws": DRAWS, "rows": rows, "curves": curves}


def _distances(kind: str, world: str, rule: str, seed: int) -> dict[str, Any]:
    """‖w − p‖₁ and W_D of every round, and the accuracy reached on the target."""
    target = "skew(client=0)" if kind == "Skew" else _drawn(seed)
    changes: dict[str, Any] = dict(_CONVEX) if world == "convex" else {}
    asked = config("NIID-1", target, seed, **changes)
    made = make_rule(RULES[rule])
    result = simulated(asked, made) if world == "convex" else run(asked, made)
    assert result is not None
    p = known_weights(asked, asked.n_clients)
    assert p is not None
    weights = np.asarray([record.weights for record in result.history])
    return {
        "l1": np.abs(weights - p).sum(axis=-1).tolist(),
        "w_d": np.asarray(weight_discrepancy(weights, p)).tolist(),
        "accuracy": result.history[-1].test_accuracy,
    }


def _drawn(seed: int) -> str:
    """A mixture with p from Dir(1), its last entry what the others, written with four digits, leave."""
    p: NDArray[np.float64] = stream(seed, "fedssa mixture").dirichlet(np.ones(5)).round(4)
    p[-1] = max(0.0, 1 - p[:-1].sum())
    text = f"mixture(weights=[{', '.join(repr(float(v)) for v in p)}])"
    make_target(text)
    return text
