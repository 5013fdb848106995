"""One round of quadratic clients of the line: excess losses, loss changes, and in which order they put the clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.exponential import EXPONENTIAL, exp_weights, slack
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)

__all__ = ["one_round"]


def _facts(x: Instance) -> dict[str, Any]:
    """A round from `start`: excess losses before and after it, and at the weighted mean one step before its end.

    Flags: `alike` one curvature; `one_moved` all optima at 0 but the last; `met` start on the way from 0 to the mean.
    """
    h = np.broadcast_to(x["curvature"][:, :1], x["curvature"].shape) if "alike" in x else x["curvature"]
    m = x["optimum"].copy()
    if "one_moved" in x:
        m[:, :-1] = 0.0
    n_local = int(x["local_steps"][0])
    start = x["progress"] * m.mean(axis=1) if "met" in x else x["start"]
    keep = 1 - (x["step"] / h.max(axis=1))[:, None] * h
    before = 0.5 * h * (start[:, None] - m) ** 2
    after = keep ** (2 * n_local) * before
    last = m + keep ** (n_local - 1) * (start[:, None] - m)
    mean = (x["weights"] * last).sum(axis=1)
    late = 0.5 * h * (mean[:, None] - m) ** 2
    size = h.max(axis=1) * (np.abs(start) + np.abs(m).max(axis=1)) ** 2
    slowest = (1 - x["step"] * h.min(axis=1) / h.max(axis=1)) ** (2 * n_local)
    return {"shift": np.abs(m), "before": before, "after": after, "late": late, "size": size, "slowest": slowest}


def facts_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """One round of E steps, step size step/L, of clients h/2 (w - m)^2 from `start`, no noise; excess losses."""
    n, n_local = len(x["optimum"]), int(x["local_steps"])
    h = [x["curvature"][0] for _ in range(n)] if "alike" in x else x["curvature"]
    m = [Fraction(0) for _ in range(n - 1)] + [x["optimum"][-1]] if "one_moved" in x else x["optimum"]
    start = x["progress"] * sum(m) / n if "met" in x else x["start"]
    eta, paths = x["step"] / max(h), [[start] for _ in range(n)]
    for i in range(n):
        for _ in range(n_local):
            paths[i].append(paths[i][-1] - eta * h[i] * (paths[i][-1] - m[i]))
    mean = sum(x["weights"][i] * paths[i][-2] for i in range(n))
    met = {
        "strongly convex, smooth": min(h) > 0,
        "0 < eta L <= 1": 0 < x["step"] <= 1,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
    }
    return met, {
        "shift": [abs(v) for v in m],
        "before": [h[i] * (start - m[i]) ** 2 / 2 for i in range(n)],
        "after": [h[i] * (paths[i][-1] - m[i]) ** 2 / 2 for i in range(n)],
        "late": [h[i] * (mean - m[i]) ** 2 / 2 for i in range(n)],
        "slowest": (1 - eta * min(h)) ** (2 * n_local),
    }


def _out_of_order(larger: Any, smaller: Any) -> Any:
    """max over pairs of min(aᵢ − aⱼ, bᵢ − bⱼ): > 0 where the larger a has the larger b too."""
    first, second = larger[:, :, None] - larger[:, None, :], smaller[:, :, None] - smaller[:, None, :]
    return np.minimum(first, second).max(axis=(1, 2))


def misordered(larger: list[Fraction], smaller: list[Fraction]) -> Fraction:
    """The largest min(a_i - a_j, b_i - b_j) over pairs: positive where a larger a comes with a larger b."""
    n = range(len(larger))
    return max(min(larger[i] - larger[j], smaller[i] - smaller[j]) for i in n for j in n)


def _pair(kind: str) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        f = _facts(x)
        change = f["after"] - f["before"]
        if kind == "shift":  # in squared lengths, times the largest curvature
            top = x["curvature"][:, :1] if "alike" in x else x["curvature"].max(axis=1, keepdims=True)
            lhs = _out_of_order(top * f["shift"] ** 2, -f["before"])
        else:
            lhs = _out_of_order(f["late" if kind == "late" else "before"], change)
        return {"lhs": lhs, "nothing": np.zeros(len(lhs)), "magnitude": f["size"]}

    return measure


def shift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Positive where a client with the larger |m_i| has the smaller excess loss at the model."""
    met, f = facts_exact(x)
    top = x["curvature"][0] if "alike" in x else max(x["curvature"])
    lhs = misordered([top * s * s for s in f["shift"]], [-b for b in f["before"]])
    return met, {"lhs": lhs, "nothing": Fraction(0)}


def change_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Positive where a client with the larger excess loss at W^(T-E) has the larger exponent."""
    met, f = facts_exact(x)
    change = [a - b for a, b in zip(f["after"], f["before"], strict=True)]
    return met, {"lhs": misordered(f["before"], change), "nothing": Fraction(0)}


def late_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with the excess loss at W_bar^(T-1), the weighted mean one step before the round's end."""
    met, f = facts_exact(x)
    change = [a - b for a, b in zip(f["after"], f["before"], strict=True)]
    return met, {"lhs": misordered(f["late"], change), "nothing": Fraction(0)}


def _corollary(x: Instance) -> Mapping[str, Any]:
    """Pairs where the larger Ωᵢ has the larger weight of Corollary 1.1, 𝒰(y) = α/(α − y); `sized`: any data sizes."""
    f = _facts(x)
    factor = x["weights"] * x["weights"].shape[1] if "sized" in x else np.ones_like(x["weights"])
    raw = factor / (1 + factor * f["before"] / x["alpha"][:, None])
    weights = raw / raw.sum(axis=1, keepdims=True)
    lhs = _out_of_order(f["before"], weights * f["before"].max(axis=1, keepdims=True))
    return {"lhs": lhs, "nothing": np.zeros(len(lhs)), "magnitude": f["size"]}


def corollary_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Positive where the larger Omega_i has the larger weight of Corollary 1.1 with U(y) = alpha/(alpha - y)."""
    met, f = facts_exact(x)
    n = range(len(f["before"]))
    factor = [x["weights"][i] * len(f["before"]) if "sized" in x else Fraction(1) for i in n]
    raw = [factor[i] / (1 + factor[i] * f["before"][i] / x["alpha"]) for i in n]
    lhs = misordered(f["before"], [r / sum(raw) * max(f["before"]) for r in raw])
    return {**met, "alpha > 0": x["alpha"] > 0}, {"lhs": lhs, "nothing": Fraction(0)}


def _approximated(x: Instance) -> Mapping[str, Any]:
    """max |exponent·α + Ωᵢ|, which is what is left of Ωᵢ after the round, against (1 − ημ)^{2E} max Ωᵢ."""
    f = _facts(x)
    lhs = f["after"].max(axis=1)
    power = f["slowest"] ** (2 if "twice" in x else 1)
    return {"lhs": lhs, "shrink": power, "Omega": f["before"].max(axis=1), "magnitude": f["size"]}


def approximated_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How far the loss changes of a round are from -Omega_i, the largest; (1 - eta mu)^(2E); the largest Omega_i."""
    met, f = facts_exact(x)
    power = f["slowest"] ** (2 if "twice" in x else 1)
    lhs = max(abs((a - b) + b) for a, b in zip(f["after"], f["before"], strict=True))
    return met, {"lhs": lhs, "shrink": power, "Omega": max(f["before"])}


def _weighed(x: Instance) -> Mapping[str, Any]:
    """ΣρᵢΩᵢ with Exp-α's weights against the mean of the Ωᵢ, both at W^{T−E}."""
    f = _facts(x)
    scores = (f["after"] - f["before"]) / x["alpha"][:, None]
    raw = np.exp((1.0 if "reversed" not in x else -1.0) * (scores - scores.max(axis=1, keepdims=True)).clip(-700.0))
    raw = raw / raw.max(axis=1, keepdims=True)
    lhs = (raw * f["before"]).sum(axis=1) / raw.sum(axis=1)
    return {"lhs": lhs, "average": f["before"].mean(axis=1), "magnitude": f["size"]}


def weighed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i Omega_i at W^(T-E), rho of Exp-alpha, against the plain mean of the Omega_i."""
    met, f = facts_exact(x)
    sign = -1 if "reversed" in x else 1
    a = exp_weights([sign * (u - v) for u, v in zip(f["after"], f["before"], strict=True)], x["alpha"])
    lhs = sum(w * b for w, b in zip(a, f["before"], strict=True)) - slack() * max(f["before"])
    met = {**met, "alpha > 0": x["alpha"] > 0}
    return met, {"lhs": lhs, "average": sum(f["before"]) / len(f["before"])}


_SAME = (
    units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "alpha": (1, 0)}),
    permuted_clients({"curvature": 0, "optimum": 0, "weights": 0}),
)


_KINDS: Mapping[str, tuple[Callable[[Instance], Mapping[str, Any]], Any]] = {
    "shift": (_pair("shift"), shift_exact),
    "change": (_pair("before"), change_exact),
    "late": (_pair("late"), late_exact),
    "corollary": (_corollary, corollary_exact),
    "approximated": (_approximated, approximated_exact),
    "weighed": (_weighed, weighed_exact),
}


def one_round(kind: str, *flags: str, N: int = 60) -> Family:
    """Clients h/2(w − m)², E local steps of size `step`/L, equal shares; what is measured is named by `kind`.

    `flags`: "alike" one curvature, "one_moved" all optima at 0 but the last, "met" start between 0 and the mean
    optimum, "sized" any data sizes, "reversed" the exponent's sign, "twice" the squared power.
    """
    measure, check = _KINDS[kind]

    def at(N: float, E: float) -> Case:
        n = int(N)
        drawn = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Signed("start", 1e-2, 1e2),
                LogScale("step", 1e-3, 1.0, at=(0.25, 1.0)),
                Simplex("weights", n),
                LogScale("alpha", 1e-2, 1e3, at=(0.2, 1.0)),
                LogScale("progress", 1e-3, 1.0),
                Choice("local_steps", (E,)),
                *(Choice(f, (1.0,)) for f in flags),
            )
        )
        uses = (*EXPONENTIAL, misordered, facts_exact)
        same = _SAME if not {"alike", "one_moved"} & set(flags) else _SAME[:1]
        cost = max(1.0, n / 8)
        name = f"{n} clients, E = {int(E)}" + "".join(f", {f.replace('_', ' ')}" for f in flags)
        return Case(name, drawn, measure, ExactCheck(check, uses), cost=cost, symmetries=same)

    return Family("one round", (Size("N", 2, N, 3), Size("E", 1, 300, 5)), at)
