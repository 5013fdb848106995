"""How near learned weights come to p of a known mixture, convex and deep: ‖w − p‖₁ and W_D = 2K Σ(pₖ − wₖ)².

The target is Σ pₖqₖ of the clients' classes, p from Dir(1) and once more all on client 0; clients of NIID-1, whose
classes differ, so that no other p gives that target. The convex side is softmax regression in theory's simulator, the
deep side an MLP; views, target samples and rules are the same objects. A rule called "w = p" gives p itself: what the
paper would have learned weights come to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deep import run
from deep.partition import make_target
from deep.runs.simulated import simulated
from deep.runs.ssa import known_weights
from paper_checks.fedssa.runs.settings import RULES, config, described, interval
from theory import RoundStats, make_rule, weight_discrepancy
from theory.base.arrays import Array, namespace
from theory.base.streams import stream

__all__ = ["DRAWS", "Known", "mixture"]

DRAWS = 20
_KNOWN = "w = p"
_CONVEX = {"model": "softmax-regression", "l2": 0.001, "losses": "all", "dtype": "float64"}


@dataclass(frozen=True)
class Known:
    """wₖ = pₖ in every round, everyone present."""

    weights: tuple[float, ...]
    needs: ClassVar[tuple[str, ...]] = ()

    def __call__(self, stats: RoundStats) -> Array:
        """The weights, (n_clients,)."""
        weights: Array = namespace(stats.share).asarray(self.weights, dtype=stats.share.dtype)
        return weights


def mixture(tick: Callable[[str], None]) -> dict[str, Any]:
    """Rows: distance of the last round's weights from p, by world, kind of target and rule, over 20 draws."""
    rows, curves = [], []
    for kind, world in product(("Skew", "Mixture"), ("convex", "deep")):
        found = {rule: [_distances(kind, world, rule, seed) for seed in range(DRAWS)] for rule in (*RULES, _KNOWN)}
        tick(f"{kind}, {world}")
        usual = [own["l1"][-1] for own in found["FedAvg"]]
        for rule, draws in found.items():
            asked = {"target": kind, "world": world, "rule": rule}
            rows.append(asked | _row(draws, usual if rule != "FedAvg" else None))
            if rule != _KNOWN:
                curves.append(asked | {"l1": np.mean([own["l1"] for own in draws], axis=0).tolist()})
    settings = {
        "deep": described(config("NIID-1", "Skew", 0)),
        "convex": described(config("NIID-1", "Skew", 0, **_CONVEX)),
    }
    return {"settings": settings, "rules": RULES, "draws": DRAWS, "rows": rows, "curves": curves}


def _row(draws: list[dict[str, Any]], fedavg: list[float] | None) -> dict[str, Any]:
    """Intervals over draws; `fedavg`: its last ‖w − p‖₁ of each."""
    last = [own["l1"][-1] for own in draws]
    apart = None if fedavg is None else [a - b for a, b in zip(last, fedavg, strict=True)]
    return {
        "l1": interval(last),
        "w_d": interval([own["w_d"][-1] for own in draws]),
        "l1_over_fedavg": None if apart is None else interval(apart),
        "accuracy": interval([own["accuracy"] for own in draws]),
    }


def _distances(kind: str, world: str, rule: str, seed: int) -> dict[str, Any]:
    """‖w − p‖₁ and W_D of every round, and the accuracy reached on the target."""
    target = "skew(client=0)" if kind == "Skew" else _drawn(seed)
    changes: dict[str, Any] = dict(_CONVEX) if world == "convex" else {}
    asked = config("NIID-1", target, seed, **changes)
    p = known_weights(asked, asked.n_clients)
    assert p is not None
    made = Known(tuple(p.tolist())) if rule == _KNOWN else make_rule(RULES[rule])
    result = simulated(asked, made) if world == "convex" else run(asked, made)
    assert result is not None
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
