"""EA-D1 to EA-D4: the objective, proportional weights, the virtual sequence and the local step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
    units,
)
from validation.draw import Coordinate

__all__ = ["CLAIMS"]

Measure = Callable[[Instance], Mapping[str, Any]]
n_1, n_2, n_3, S_1, S_2, S_3 = symbols("n_1 n_2 n_3 S_1 S_2 S_3")


def _missing(lhs: Any, magnitude: Any) -> Mapping[str, Any]:
    return {"lhs": lhs, "nothing": np.zeros_like(lhs), "magnitude": magnitude}


def _family(
    name: str, drawn: Callable[[int], tuple[Coordinate, ...]], measure: Measure, check: Any, *more: Coordinate
) -> Family:
    """Cases of 1 to 60 clients whose coordinates carry clients on the first axis."""
    lengths = {"optimum": (0, 1), "point": (0, 1), "other": (0, 1), "local": (0, 1), "noise": (1, -1)}
    scaled = {**lengths, "curvature": (1, -2)}

    def at(N: float) -> Case:
        coordinates = (*drawn(int(N)), *more)
        names = {c.name for c in coordinates}
        each = {c.name: 0 for c in drawn(int(N)) if c.name in {"curvature", "optimum", "weights", "share", "local"}}
        same = [units({k: v for k, v in scaled.items() if k in names})]
        same += [permuted_clients(each)] if "tilt" not in names else []
        cost = max(1.0, N / 20)
        return Case(
            f"{int(N)} clients, {name}", Space(coordinates), measure, ExactCheck(check), cost, False, tuple(same)
        )

    return Family(name, (Size("N", 1, 60, 3),), at)


def _clients(n: int) -> tuple[Coordinate, ...]:
    return (LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)), Signed("optimum", 1e-2, 1e2, (n,)))


def _sizes(h: Any, *points: Any) -> Any:
    return h.max(axis=1) * sum(np.abs(p).reshape(len(h), -1).max(axis=1) for p in points) ** 2


def _convexity(x: Instance) -> Mapping[str, Any]:
    """By how much F = Σρᵢhᵢ/2(w − mᵢ)² misses μ/2|v − w|² <= F(v) − F(w) − F'(w)(v − w) <= L/2|v − w|²."""
    h, m, w, v, p = x["curvature"], x["optimum"], x["point"], x["other"], x["weights"]
    if "tilt" in x:
        p = np.concatenate([1 + x["tilt"][:, None] * (1 - p[:, :1]), -x["tilt"][:, None] * p[:, 1:]], axis=1)
    each = 0.5 * h * ((v[:, None] - m) ** 2 - (w[:, None] - m) ** 2)
    bend = (p * (each - h * (w[:, None] - m) * (v - w)[:, None])).sum(axis=1)
    square = (v - w) ** 2
    return _missing(
        np.maximum(h.min(axis=1) * square / 2 - bend, bend - h.max(axis=1) * square / 2), _sizes(h, m, w, v)
    )


def convexity_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F = sum rho_i h_i/2 (w - m_i)^2 against the two quadratics of strong convexity and smoothness at w."""
    h, m, w, v, p = x["curvature"], x["optimum"], x["point"], x["other"], x["weights"]
    if "tilt" in x:
        p = [1 + x["tilt"] * (1 - p[0])] + [-x["tilt"] * a for a in p[1:]]
    bend = sum(
        p[i] * (h[i] * ((v - m[i]) ** 2 - (w - m[i]) ** 2) / 2 - h[i] * (w - m[i]) * (v - w)) for i in range(len(h))
    )
    square = (v - w) ** 2
    lhs = max(min(h) * square / 2 - bend, bend - max(h) * square / 2)
    met = {"A1, A2": min(h) > 0, "weights of sum 1": sum(p) == 1}
    return met, {"lhs": lhs, "nothing": Fraction(0)}


def _two_points(n: int) -> tuple[Coordinate, ...]:
    return (*_clients(n), Simplex("weights", n), Signed("point", 1e-2, 1e2), Signed("other", 1e-2, 1e2))


D1 = Claim(
    id="EA-D1",
    kind=Kind.PROPERTY,
    source="(1), Sec. 2",
    title="The federated objective",
    statement=r"F(\mathbf W):=\sum_i\rho_iF_i(\mathbf W),\quad F_i(\mathbf W)=\mathbb E_{\xi\sim P_i}[f(\mathbf W;\xi)],\quad\sum_i\rho_i=1",
    says="F has the convexity and smoothness of the clients, and with proportional weights is the mean over all the data.",
    assumes=("A1, A2 for every Fᵢ", "ρᵢ >= 0, as (2) prints, Σρᵢ = 1"),
    readings=(
        Reading(
            "μ and L are inherited",
            "Between the two quadratics at every pair of points.",
            never_missed((_family("two points", _two_points, _convexity, convexity_exact),), degrees=(1, 0)),
        ),
        Reading(
            "mean over the union of the data",
            "Three data sets of nᵢ samples with loss sums Sᵢ.",
            Identity(
                (n_1 * (S_1 / n_1) + n_2 * (S_2 / n_2) + n_3 * (S_3 / n_3)) / (n_1 + n_2 + n_3),
                (S_1 + S_2 + S_3) / (n_1 + n_2 + n_3),
            ),
        ),
    ),
    canaries=(
        Canary(
            "weights of either sign",
            never_missed(
                (_family("signed weights", _two_points, _convexity, convexity_exact, LogScale("tilt", 0.1, 10.0)),),
                degrees=(1, 0),
            ),
            "ρ = (2, −1) with curvatures 1 and 10 is concave",
        ),
        Canary(
            "plain mean of the clients' means",
            Identity(
                (S_1 / n_1 + S_2 / n_2 + S_3 / n_3) / 3,
                (S_1 + S_2 + S_3) / (n_1 + n_2 + n_3),
            ),
            "one client of one sample and two of a hundred",
        ),
    ),
    tight="equal curvatures for μ and L",
    verdict_words=(
        "A weighted mean of functions between two quadratics is between them, and with proportional weights F is the empirical "
        "mean over all samples. Both need ρᵢ >= 0; (1) prints only the sum, the sign stands beside (2)."
    ),
)

D2 = Claim(
    id="EA-D2",
    kind=Kind.IDENTITY,
    source="Sec. 2",
    title="Proportional weights",
    statement=r"\rho_i=\frac{|\Xi_i|}{\sum_{j=1}^N|\Xi_j|}",
    says="Proportional weights sum to 1 and give every sample the same weight, 1 over the number of samples.",
    assumes=("at least one sample in all; written for three clients, a sum of any number is alike",),
    readings=(
        Reading("sum 1", "Three clients.", Identity((n_1 + n_2 + n_3) / (n_1 + n_2 + n_3), n_1 / n_1)),
        Reading(
            "every sample alike",
            "ρ₁/|Ξ₁| = ρ₂/|Ξ₂|.",
            Identity(n_1 / (n_1 + n_2 + n_3) / n_1, n_2 / (n_1 + n_2 + n_3) / n_2),
        ),
    ),
    canaries=(
        Canary(
            "own size left out of the sum",
            Identity(n_1 / (n_2 + n_3) + n_2 / (n_1 + n_3) + n_3 / (n_1 + n_2), n_1 / n_1),
            "equal sizes give 3/2",
        ),
        Canary("equal weights", Identity(1 / n_1, 1 / n_2), "a sample of a small client then counts more"),
    ),
    depends_on=("EA-D1",),
    verdict_words="Elementary: the weights lie on the simplex whenever there is any data, and ρᵢ/|Ξᵢ| is one constant.",
)


def _virtual(x: Instance) -> Mapping[str, Any]:
    """(W̄ᵗ⁺¹ − Σρᵢᵗ⁺¹Vᵢᵗ⁺¹)², inside a round and at a synchronisation; `total` the sum of the weights, 1 if left out."""
    a = x["weights"] * (x["total"][:, None] if "total" in x else 1.0)
    met = (a * x["local"]).sum(axis=1)
    models = np.where(x["sync"][:, None] > 0, met[:, None], x["local"])
    gap = (a * models).sum(axis=1) - met
    return _missing(gap**2, np.abs(x["local"]).max(axis=1) ** 2)


def virtual_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The virtual model of (2) at t + 1, synchronisation or not, less the weighted mean of the V_i, squared."""
    total = x["total"] if "total" in x else Fraction(1)
    a = [total * w for w in x["weights"]]
    met = sum(w * v for w, v in zip(a, x["local"], strict=True))
    models = [met for _ in a] if x["sync"] > 0 else x["local"]
    gap = sum(w * v for w, v in zip(a, models, strict=True)) - met
    return {"weights >= 0": min(a) >= 0}, {"lhs": gap * gap, "nothing": Fraction(0)}


def _locals(n: int) -> tuple[Coordinate, ...]:
    return (Simplex("weights", n), Signed("local", 1e-2, 1e2, (n,)), Choice("sync", (0.0, 1.0)))


D3 = Claim(
    id="EA-D3",
    kind=Kind.IDENTITY,
    source="(2), Sec. 3.1; (5), (6), A.8",
    title="The virtual sequence",
    statement=(
        r"\bar{\mathbf W}^{t+1}=\sum_i\rho_i^{t+1}\mathbf W_i^{t+1},\quad\mathbf W_i^{t+1}=\mathbf V_i^{t+1}"
        r"\text{ or }\sum_i\rho_i^{t+1}\mathbf V_i^{t+1}\text{ at }t+1\in\mathcal I_E"
    ),
    says="At every step, synchronisation or not, the virtual model is the weighted mean of the local results Vᵢ.",
    assumes=("ρᵗ⁺¹ on the simplex; coordinates are alike, so models on the line",),
    readings=(
        Reading(
            "both branches",
            "W̄ᵗ⁺¹ = Σρᵢᵗ⁺¹Vᵢᵗ⁺¹ inside a round and at its end.",
            never_missed((_family("local results", _locals, _virtual, virtual_exact),), degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "weights that do not sum to 1",
            never_missed(
                (_family("any sum", _locals, _virtual, virtual_exact, LogScale("total", 0.5, 2.0)),), degrees=(0, 2)
            ),
            "at a synchronisation the sum enters twice: the weights of A.11 would scale the model each time",
        ),
    ),
    depends_on=("EA-D4",),
    verdict_words=(
        "The two branches agree because the weights sum to 1: averaging equal models again changes nothing. Two slips of the "
        "print do no harm: the synchronisation steps are «n = 0, ..2» in the text we have, and i is both free and summed over "
        "in the second branch. What ρᵗ is inside a round is defined nowhere for Exp-α (EA-VS, EA-D7)."
    ),
)


def _step(x: Instance) -> Mapping[str, Any]:
    """(E V − (W − η∇F))² over noise ±n, or F(V) − F(W) of a noiseless step, ηL = `length`."""
    h, m, w = x["curvature"], x["optimum"], x["local"]
    eta = (x["length"] / h.max(axis=1))[:, None] * (-1.0 if "uphill" in x else 1.0)
    slope = h * (w - m)
    if "descent" in x:
        after = w - eta * slope
        return _missing((0.5 * h * ((after - m) ** 2 - (w - m) ** 2)).max(axis=1), _sizes(h, m, w))
    ahead = x["noise"][:, None] * (0.5 if "biased" in x else 0.0)
    mean = 0.5 * ((w - eta * (slope + x["noise"][:, None])) + (w - eta * (slope - x["noise"][:, None]))) - eta * ahead
    gap = ((mean - (w - eta * slope)) ** 2).max(axis=1)
    return _missing(gap, (np.abs(w).max(axis=1) + np.abs(m).max(axis=1) + np.abs(eta[:, 0] * x["noise"])) ** 2)


def step_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """V = W - eta (grad F_i(W) + noise), noise +-n with chance 1/2: the mean of V, or F_i(V) - F_i(W) without noise."""
    h, m, w, n = x["curvature"], x["optimum"], x["local"], range(len(x["optimum"]))
    eta = x["length"] / max(h) * (-1 if "uphill" in x else 1)
    met = {"A1, A2": min(h) > 0, "eta > 0": x["length"] > 0}
    if "descent" in x:
        after = [w[i] - eta * h[i] * (w[i] - m[i]) for i in n]
        return met, {
            "lhs": max(h[i] * ((after[i] - m[i]) ** 2 - (w[i] - m[i]) ** 2) / 2 for i in n),
            "nothing": Fraction(0),
        }
    ahead = x["noise"] / 2 if "biased" in x else Fraction(0)
    gaps = []
    for i in n:
        drawn = [w[i] - eta * (h[i] * (w[i] - m[i]) + s * x["noise"] + ahead) for s in (1, -1)]
        gaps.append((sum(drawn) / 2 - (w[i] - eta * h[i] * (w[i] - m[i]))) ** 2)
    return met, {"lhs": max(gaps), "nothing": Fraction(0)}


def _stepping(longest: float) -> Callable[[int], tuple[Coordinate, ...]]:
    return lambda n: (
        *_clients(n),
        Signed("local", 1e-2, 1e2, (n,)),
        LogScale("noise", 1e-2, 1e2),
        LogScale("length", 1e-3, longest, at=(0.25, min(2.0, longest))),
    )


def _steps(longest: float, *flags: str) -> Family:
    more = tuple(Choice(f, (1.0,)) for f in flags)
    return _family("one step" + "".join(f", {f}" for f in flags), _stepping(longest), _step, step_exact, *more)


D4 = Claim(
    id="EA-D4",
    kind=Kind.PROPERTY,
    source="(4), A.8",
    title="The local step",
    statement=r"\mathbf V_i^{t+1}=\mathbf W_i^t-\eta_t\nabla f_i(\mathbf W_i^t;\xi_i^t)",
    says="The local step is a gradient step of the client's risk on average, and without noise never uphill for ηL <= 2.",
    assumes=("noise of mean 0, independent of Wᵢᵗ", "quadratic clients on the line"),
    readings=(
        Reading("on average", "E Vᵢ = Wᵢ − η∇Fᵢ(Wᵢ).", never_missed((_steps(2.0),), degrees=(0, 2))),
        Reading(
            "never uphill",
            "Fᵢ(V) <= Fᵢ(W) without noise, ηL <= 2: also for η₀ = 2/L of the theorems.",
            never_missed((_steps(2.0, "descent"),), degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary("biased noise", never_missed((_steps(2.0, "biased"),), degrees=(0, 2)), "its mean is half the noise"),
        Canary("sign of the step", never_missed((_steps(2.0, "descent", "uphill"),), degrees=(1, 0)), "ascent"),
        Canary("ηL up to 4", never_missed((_steps(4.0, "descent"),), degrees=(1, 0)), "at ηL = 3 the distance doubles"),
    ),
    tight="ηL = 2 for a client of curvature L",
    verdict_words="The usual SGD step; what A3 and A4 bound is its noise at the local model Wᵢᵗ, though they print Wᵗ.",
)


CLAIMS: tuple[Claim, ...] = (D1, D2, D3, D4)
