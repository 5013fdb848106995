"""One FedAvg round of a few clients on the line, one noisy local step, and weights that may look at the updates.

Noise per client: σr with chance 1/(1 + r²), else −σ/r; `rule` 0 keeps `applied`, 1 takes the weights of smallest norm, 2
the client with the largest update. All 2^N outcomes are added up.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from validation import Case, Choice, ExactCheck, Instance, LogScale, Signed, Simplex, Space

__all__ = ["SEEING_USES", "outcomes", "seeing", "seeing_case", "seeing_exact", "smallest_norm"]


def _weights(x: Instance, g: Any) -> Any:
    """The weights on every outcome, (n, outcomes, N)."""
    rule, index = int(x["rule"][0]), np.arange(g.shape[-1])
    if rule == 0:
        return x["applied"][:, None] + 0 * g
    if rule == 2:
        return (index == np.argmax(np.abs(g), axis=-1)[..., None]).astype(float)
    low, high = g.min(axis=-1, keepdims=True), g.max(axis=-1, keepdims=True)
    first = (index == np.argmin(g, axis=-1)[..., None]).astype(float)
    last = (index == np.argmax(g, axis=-1)[..., None]).astype(float)
    share = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, high / np.where(high > low, high - low, 1.0)))
    return share * first + (1 - share) * last


def seeing(x: Instance) -> Mapping[str, Any]:
    """The constants of (13) for T = K = 1, the variance of the applied pseudo-gradient, and what reweighting moves."""
    h, m, lam, s = x["curvature"], x["optimum"], x["share"], x["sigma"][:, None]
    n, N = h.shape
    signs = np.array(list(product((False, True), repeat=N)))
    r = x["rare"][:, None, None]
    q = 1 / (1 + x["rare"][:, None] ** 2)
    ups = signs.sum(axis=1)[None]
    chance = q**ups * (1 - q) ** (N - ups)
    L = h.max(axis=1)
    eta_l, eta_g = x["first"] / L, x["server"]
    slopes = h * (x["start"][:, None] - m)
    g = eta_l[:, None, None] * (slopes[:, None] + np.where(signs[None], r, -1 / r) * s[:, None])
    w = _weights(x, g)
    G = (w * g).sum(axis=2)
    slope, H = (lam * slopes).sum(axis=1), (lam * h).sum(axis=1)

    def mean(values: Any) -> Any:
        return (chance * values).sum(axis=1)

    step = eta_g[:, None] * G
    F = mean(step * slope[:, None] - H[:, None] * step**2 / 2)
    applied = mean(G)
    second = mean(G**2)
    own_weights = (lam[:, None] * g).sum(axis=2)
    plain = mean(own_weights**2)
    least = np.minimum(second, plain)
    chi, squares = (((lam[:, None] - w) ** 2) / lam[:, None]).sum(axis=2), (lam[:, None] * g**2).sum(axis=2)
    own = (chance[..., None] * g**2).sum(axis=1).max(axis=1)
    one = np.ones(n)
    return {
        "lhs": slope**2,
        "variance": mean((G - applied[:, None]) ** 2),
        "F": F,
        "T": one,
        "K": one,
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": own / np.where(least > 0, least, 1.0),
        "sigma2": s[:, 0] ** 2,
        "rho": applied**2,
        "chi": mean(chi),
        "moved": mean((own_weights - G) ** 2),
        "mean_square": mean(squares),
        "together": mean(chi * squares),
        "error": mean((slope[:, None] - own_weights / eta_l[:, None]) ** 2),
        "magnitude": (slopes**2).max(axis=1) + s[:, 0] ** 2 * x["rare"] ** 2,
        "admissible": least > 1e-9 * own,
    }


def outcomes(n_clients: int, rare: Any) -> list[tuple[Any, list[Any]]]:
    """(chance, noise in units of sigma per client) of every outcome."""
    q = 1 / (1 + rare * rare)
    out: list[tuple[Any, list[Any]]] = [(Fraction(1), [])]
    for _ in range(n_clients):
        out = [(p * w, [*rest, e]) for p, rest in out for w, e in ((q, rare), (1 - q, -1 / rare))]
    return out


def smallest_norm(g: list[Any]) -> list[Any]:
    """Weights on the simplex for which the weighted sum of these numbers is nearest to 0."""
    low, high = g.index(min(g)), g.index(max(g))
    share = Fraction(1) if g[low] >= 0 else Fraction(0) if g[high] <= 0 else g[high] / (g[high] - g[low])
    out = [Fraction(0) for _ in g]
    out[low] += share
    out[high] += 1 - share
    return out


def seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One round from a fixed model: expectations are sums over all outcomes of the noise."""
    h, m, lam, s, clients = x["curvature"], x["optimum"], x["share"], x["sigma"], range(len(x["share"]))
    L = max(h)
    eta_l, eta_g = x["first"] / L, x["server"]
    slopes = [h[i] * (x["start"] - m[i]) for i in clients]
    slope, H = sum(lam[i] * slopes[i] for i in clients), sum(lam[i] * h[i] for i in clients)
    names = ("one", "G", "G2", "plain2", "F", "chi", "moved", "mean_square", "together", "error")
    total = dict.fromkeys(names, Fraction(0))
    own = [Fraction(0) for _ in clients]
    for chance, noise in outcomes(len(lam), x["rare"]):
        g = [eta_l * (slopes[i] + s * noise[i]) for i in clients]
        if x["rule"] == 0:
            w = x["applied"]
        elif x["rule"] == 1:
            w = smallest_norm(g)
        else:
            chosen = max(clients, key=lambda i: (abs(g[i]), -i))
            w = [Fraction(int(i == chosen)) for i in clients]
        G = sum(w[i] * g[i] for i in clients)
        total["one"] += chance
        total["G"] += chance * G
        total["G2"] += chance * G * G
        plain = sum(lam[i] * g[i] for i in clients)
        total["plain2"] += chance * plain * plain
        total["F"] += chance * (eta_g * G * slope - H * (eta_g * G) ** 2 / 2)
        chi, squares = sum((lam[i] - w[i]) ** 2 / lam[i] for i in clients), sum(lam[i] * g[i] ** 2 for i in clients)
        total["chi"] += chance * chi
        total["moved"] += chance * (plain - G) ** 2
        total["mean_square"] += chance * squares
        total["together"] += chance * chi * squares
        total["error"] += chance * (slope - plain / eta_l) ** 2
        own = [own[i] + chance * g[i] * g[i] for i in clients]
    least = min(total["G2"], total["plain2"])
    met = {
        "noise has mean 0 and variance sigma^2, chances sum to 1": total["one"] == 1,
        "weights on the simplex, lambda positive": sum(lam) == 1 and min(lam) > 0,
        "convex, L-smooth clients": min(h) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "gamma is finite": least > 0,
    }
    constants = {
        "lhs": slope * slope,
        "variance": total["G2"] - total["G"] ** 2,
        "F": total["F"],
        "T": Fraction(1),
        "K": Fraction(1),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(own) / least if least > 0 else Fraction(0),
        "sigma2": s * s,
        "rho": total["G"] ** 2,
        **{name: total[name] for name in ("chi", "moved", "mean_square", "together", "error")},
    }
    return met, constants


SEEING_USES = (outcomes, smallest_norm)


def seeing_case(n_clients: int, rule: int, *, unit: tuple[float, float] = (1e-2, 1e3), of: str = "lhs") -> Case:
    """`n_clients` clients under `rule`; the left side is the constant named `of`."""
    space = Space(
        (
            LogScale("curvature", *unit, (n_clients,), at=(1.0, unit[1])),
            Signed("optimum", 1e-2, 1e2, (n_clients,)),
            Simplex("share", n_clients, interior=True),
            Simplex("applied", n_clients),
            Signed("start", 1e-2, 1e2),
            LogScale("first", 1e-2, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e5),
            LogScale("sigma", 1e-2, 1e2),
            LogScale("rare", 1e-1, 1e1, at=(1.0, 10.0)),
            Choice("rule", (float(rule),)),
        )
    )
    words = ("fixed weights", "weights of smallest norm", "weight on the largest update")[rule]
    if of == "lhs":
        return Case(f"{n_clients} clients, {words}", space, seeing, ExactCheck(seeing_exact, SEEING_USES))
    exact = ExactCheck(variance_exact, (*SEEING_USES, seeing_exact))
    return Case(f"{n_clients} clients, {words}", space, _variance, exact)


def _variance(x: Instance) -> Mapping[str, Any]:
    found = seeing(x)
    # Noise far below the slopes is lost in the floats' rounding of their sum.
    seen = found["sigma2"] > 1e-8 * found["magnitude"]
    return {**found, "lhs": found["variance"], "admissible": found["admissible"] & seen}


def variance_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The variance of the applied pseudo-gradient on the left."""
    met, found = seeing_exact(x)
    return met, {**found, "lhs": found["variance"]}
