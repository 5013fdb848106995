"""Weights learned once on models that are trained already: the protocols of Tables 2, 3 and 4, terms and step lengths.

NIID-1 as in these tables. Base algorithms and their numbers: fedssa B.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from deep.runs.samplewise import samplewise_table
from deep.runs.ssa import Trained, accuracy_of, aggregated, trained, weights_after
from paper_checks.fedssa.runs.settings import SEEDS, WEIGHTS, config, described, interval
from theory import SSA, SSASGD, Proportional, make_rule

__all__ = ["ALGORITHMS", "after", "samplewise"]

ALGORITHMS = {
    "FedAvg": "sgd",
    "FedProx": "fed-prox(mu=0.01)",
    "SCAFFOLD": "scaffold",
    "FedDyn": "fed-dyn(alpha=0.01)",
    "MOON": "moon(mu=0.1)",
}
_TARGETS = ("Skew", "Imb-A", "Uniform")
_RATES = (0.1, 0.3, 1, 3, 10, 30, 100)
_TERMS = {
    "cos": "lambda_var=0, lambda_we=0",
    "var": "lambda_cos=0, lambda_we=0",
    "cos, var": "lambda_we=0",
    "cos, we": "lambda_var=0",
    "var, we": "lambda_cos=0",
    "cos, var, we": "",
}
Tick = Callable[[str], None]


def after(tick: Tick) -> dict[str, Any]:
    """Rows of "modularity" (Table 3), "models" (Table 4), "terms" (of the loss) and "rates" (η_ssa)."""
    tables: dict[str, list[dict[str, Any]]] = {"modularity": [], "models": [], "terms": [], "rates": []}
    for target, name in product(_TARGETS, ALGORITHMS):
        runs = [trained(config("NIID-1", target, seed, client=ALGORITHMS[name]), Proportional()) for seed in SEEDS]
        base = [accuracy_of(run.task, run.model, run.buffers) for run in runs]
        asked = {"target": target, "algorithm": name}
        tables["modularity"] += [asked | {"base": interval(base)} | row for row in _learned(runs, base, WEIGHTS)]
        if name == "FedAvg":
            tables["models"].append({"target": target, "fedavg": interval(base), **_of_each(runs)})
            kinds = {f"{kind}: {terms}": _with(kind, _TERMS[terms]) for kind, terms in product(_KINDS, _TERMS)}
            tables["terms"] += [{"target": target} | row for row in _learned(runs, base, kinds)]
            rates = {str(lr): f"fed-ssa-sgd(lr={lr}, epochs=10)" for lr in _RATES}
            tables["rates"] += [{"target": target} | row for row in _learned(runs, base, rates)]
        tick(f"{target}, {name}")
    return {
        "settings": described(config("NIID-1", "Skew", 0)),
        "algorithms": ALGORITHMS,
        "rules": WEIGHTS,
        "seeds": list(SEEDS),
        **tables,
    }


def samplewise(tick: Tick) -> dict[str, Any]:
    """Rows of Table 2 by target and rule: accuracies, and sample-wise FedSSA over FedAvg + Ensemble by seed."""
    texts = {name: WEIGHTS[name] for name in _KINDS}
    rules = {name: make_rule(text) for name, text in texts.items()}
    rows = []
    for target, rule in product(_TARGETS, rules):
        made = rules[rule]
        assert isinstance(made, SSA | SSASGD)
        tables = [samplewise_table(config("NIID-1", target, seed), made) for seed in SEEDS]
        apart = [table["Sample-wise FedSSA"] - table["FedAvg + Ensemble"] for table in tables]
        accuracies = {name: interval([table[name] for table in tables]) for name in tables[0]}
        rows.append({"target": target, "rule": rule, "over_ensemble": interval(apart), "accuracies": accuracies})
        tick(f"{target}, {rule}")
    return {
        "settings": described(config("NIID-1", "Skew", 0)),
        "rules": texts,
        "seeds": list(SEEDS),
        "rows": rows,
    }


_KINDS = {"FedSSA": "fed-ssa-sgd", "FedSSA, minimised": "fed-ssa"}


def _with(kind: str, terms: str) -> str:
    return f"{_KINDS[kind]}({terms})" if terms else _KINDS[kind]


def _learned(runs: list[Trained], base: list[float], rules: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    """What each rule reaches on the last round's models, and how much that is over the base."""
    for name, text in rules.items():
        weights = [weights_after(run, make_rule(text)) for run in runs]
        reached = [accuracy_of(r.task, *aggregated(r.models, w)) for r, w in zip(runs, weights, strict=True)]
        yield {
            "rule": name,
            "accuracy": interval(reached),
            "over_base": interval([a - b for a, b in zip(reached, base, strict=True)]),
            "weight_of_first": sum(float(w[0]) for w in weights) / len(weights),
            "largest_weight": sum(float(w.max()) for w in weights) / len(weights),
        }


def _of_each(runs: list[Trained]) -> dict[str, dict[str, float]]:
    """The accuracy of every client's own model on the target: L1, L2, …"""
    found = [[accuracy_of(r.task, v, b) for v, b in zip(r.models.vectors, r.models.buffers, strict=True)] for r in runs]
    return {f"L{k + 1}": interval([own[k] for own in found]) for k in range(len(found[0]))}
