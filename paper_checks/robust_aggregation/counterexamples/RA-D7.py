"""Counterexample to RA-D7.

Reading: E is not negative, window up to T.
Instance: ρ̃ < ρ̄, T = 1.
Claimed: V and E are well-defined, non-negative amounts of loss.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any

def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def long_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same run step by step."""
    h, m, p, T = x["spectrum"], x["optimum"], x["share"], int(x["horizon"])
    noisy = "sigma" in x
    sigma = x["sigma"] if noisy else [Fraction(0) for _ in h]
    phases = [p, p] if noisy else x["weights"]
    L, mu, clients = x["loose"] * max(h), min(h), range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / dot(p, h)
    at_best = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    Gamma, w, variance, until = dot(p, at_best), best + x["aim"], Fraction(0), int(x["turn"] * T)
    each = dot(p, sigma) ** 2 if x.get("shared", 0) > 0 else sum((p[i] * sigma[i]) ** 2 for i in clients)
    skews, skews_best, G2, far = [], [], Fraction(0), [abs(v - best) for v in m]
    for t in range(T + 1):
        a = phases[0] if t < until else phases[1]
        losses = [h[i] * (w - m[i]) ** 2 / 2 for i in clients]
        far.append(abs(w - best))
        if t < T or x["ahead"] > 0:
            skews.append(dot(a, losses) / dot(p, losses))
            skews_best.append(dot(a, at_best) / Gamma)
        if t == T:
            break
        slopes = [h[i] * (w - m[i]) for i in clients]
        G2 = max([G2] + [slopes[i] ** 2 + h[i] ** 2 * variance + sigma[i] ** 2 for i in clients])
        eta = 1 / (mu * (t + 4 * L / mu))
        w, variance = w - eta * dot(a, slopes), (1 - eta * dot(p, h)) ** 2 * variance + eta**2 * each
    if x["ball"] > 0:
        G2 = max(h[i] ** 2 * (max(far) + abs(m[i] - best)) ** 2 for i in clients)
    if noisy:
        skews, skews_best = [Fraction(1)], [Fraction(1)]
    if x["ahead"] > 1:
        skews_best = [*skews_best, min(skews)]
    hypotheses = {
        "mu-strong convexity and L-smoothness": 0 < mu <= max(h) <= L,
        "p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in [p, *phases]),
        "the weighting skew is defined (Remark 2)": Gamma > 0,
        "rho > 0, so that V is defined": min(skews) > 0,
    }
    distance = (w - best) ** 2 + variance
    constants = {"D": distance, "D0": x["aim"] ** 2, "L": L, "mu": mu, "tau": Fraction(1), "T": Fraction(T), "G2": G2}
    constants |= {"sigma2": max(s**2 for s in sigma), "Gamma": Gamma, "rho": min(skews), "rho_best": max(skews_best)}
    return hypotheses, {**constants, "lhs": dot(p, h) * distance / 2}


def hardly_counted_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients nearly alike hold almost all data, a third one gets all weight."""
    zero, one, tiny = Fraction(0), Fraction(1), x["tiny"]
    given: dict[str, Any] = {name: x[name] for name in ("aim", "loose", "horizon", "ahead")}
    given |= {"spectrum": [one, one, x["curved"]], "optimum": [-x["near"], x["near"], x["far"]]}
    given |= {"share": [(1 - tiny) / 2, (1 - tiny) / 2, tiny], "weights": [[zero, zero, one], [zero, zero, one]]}
    return long_exact({**given, "turn": zero, "ball": one})


def quiet_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The client with all weight has its optimum just beyond w*, the start lies on the other side."""
    given = {name: x[name] for name in ("aim", "loose", "horizon", "ahead", "curved", "tiny")}
    return hardly_counted_exact({**given, "near": x["wide"] * x["aim"], "far": -x["beside"] * x["aim"]})


def quiet_error_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much E(rho, rho_best) is below 0 on a run of one step."""
    met, c = quiet_exact(x)
    return met, {"lhs": 8 * c["L"] * c["Gamma"] / (3 * c["mu"]) * (1 - c["rho_best"] / c["rho"])}


INSTANCE = {
    'aim': Fraction(1),
    'wide': Fraction(1),
    'beside': Fraction(1),
    'loose': Fraction(61),
    'curved': Fraction(1),
    'tiny': Fraction(1, 1000000),
    'horizon': Fraction(1),
    'ahead': Fraction(1),
}
hypotheses, constants = quiet_error_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    try:
        about = f"{float(value):.6g}"
    except OverflowError:
        about = "beyond the range of floats"
    print(f"{side} = {value} = {about}" if short else f"{side} = about {about}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
