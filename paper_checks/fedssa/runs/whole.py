"""FedSSA round after round against FedAvg, by target and division, paired over seeds (the shape of Tables 1, 5, 9)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from deep import run
from paper_checks.fedssa.runs.settings import DIVISIONS, RULES, SEEDS, TARGETS, config, described, interval
from theory import make_rule

__all__ = ["whole"]


def whole(tick: Callable[[str], None]) -> dict[str, Any]:
    """Rows: accuracy on the target of each rule, its difference to FedAvg of the same seed, and weights at the end."""
    rows = []
    for division, target in product(DIVISIONS, TARGETS):
        reached: dict[str, list[float]] = {}
        last: dict[str, list[list[float]]] = {}
        for rule, seed in product(RULES, SEEDS):
            record = run(config(division, target, seed), make_rule(RULES[rule])).history[-1]
            assert record.test_accuracy is not None
            reached.setdefault(rule, []).append(record.test_accuracy)
            last.setdefault(rule, []).append(list(record.weights))
        tick(f"{division}, {target}")
        for rule, values in reached.items():
            apart = [a - b for a, b in zip(values, reached["FedAvg"], strict=True)]
            rows.append(
                {
                    "division": division,
                    "target": target,
                    "rule": rule,
                    "accuracy": interval(values),
                    "over_fedavg": interval(apart) if rule != "FedAvg" else None,
                    "by_seed": values,
                    "largest_weight": sum(map(max, last[rule])) / len(SEEDS),
                    "weight_of_first": sum(weights[0] for weights in last[rule]) / len(SEEDS),
                }
            )
    return {
        "settings": {name: described(config(name, "Skew", 0)) for name in DIVISIONS},
        "rules": RULES,
        "seeds": list(SEEDS),
        "rows": rows,
    }
