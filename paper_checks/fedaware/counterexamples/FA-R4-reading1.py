"""Counterexample to FA-R4.

Reading: in the gradient of f.
Instance: 2 clients on the line, T = 1, K = 1.
Claimed: With fresh updates of all clients FedAWARE converges faster than FedAvg on heterogeneous clients.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def runs_exact(x: Mapping[str, Any]) -> Checked:
    """The runs round by round with K local steps of gradient descent, in Fractions."""
    part, T, K = int(x["part"]), int(x["rounds"]), int(x["local_steps"])
    clients = range(len(x["curvature"]))
    h = [x["curvature"][0 if "alike" in x else i] for i in clients]
    m = [x["optimum"][0 if "common" in x else i] for i in clients]
    lam, start, L = x["weights"], x["start"], max(h)
    eta, server = x["step"] / (8 * L * K), x["server"] / 3
    H = sum(lam[i] * h[i] for i in clients)
    best = sum(lam[i] * h[i] * m[i] for i in clients) / H

    def update(curvature: Any, center: Any, at: Any) -> Any:
        here = at
        for _ in range(K):
            here = here - eta * curvature * (here - center)
        return at - here

    def run(weigh: Any, stretch: int = 1) -> tuple[list[Any], list[Any]]:
        at, squares, models = start, [], [start]
        for _ in range(T):
            d = weigh([update(h[i], m[i], at) for i in clients])
            squares.append(d * d)
            at = at - stretch * server * d
            models.append(at)
        return squares, models

    def fixed(w: Any) -> Any:
        return lambda g: sum(a * b for a, b in zip(w, g, strict=True))

    def shortest(g: Any) -> Any:
        return min(g) if min(g) > 0 else max(g) if max(g) < 0 else Fraction(0)

    def least(models: Any) -> Any:
        return min((H * (v - best)) ** 2 for v in models)

    met = {
        "mu > 0": min(h) > 0,
        "eta_l <= 1/(8 L K), eta_l eta_g <= 1/(24 L K)": 0 < 8 * eta * L * K <= 1
        and 0 < 24 * eta * server * L * K <= 1,
        "weights on the simplex": sum(lam) == 1 and min(lam) >= 0,
    }
    rho, models = run(fixed(lam), 2 if "double" in x else 1)
    if part in (1, 2):
        met["lambda > 0, as chi^2 asks"] = min(lam) > 0
        _, own = run(shortest)
        if part == 1:
            return met, {"lhs": least(own) - least(models)}
        return met, {"lhs": H * H * ((own[-1] - best) ** 2 - (models[-1] - best) ** 2)}
    if part in (4, 5):
        w = x["applied"]
        ours, own = run(fixed(w))
        met["applied weights on the simplex"] = sum(w) == 1 and min(w) >= 0
        met["lambda > 0 where chi^2 is used"] = part == 5 or min(lam) > 0
        chi = sum((a - b) ** 2 / a for a, b in zip(lam, w, strict=True)) if part == 4 and min(lam) > 0 else Fraction(1)
        met["lower client consensus dynamics"] = chi * sum(ours) < sum(rho)
        return met, {"lhs": least(own) - least(models)}
    if part == 8:
        at, total = start, Fraction(0)
        for _ in range(T):
            d = update(H, best, at)
            total, at = total + d * d, at - server * d
        return met, {"lhs": (total - sum(rho)) / eta**2}
    first, second = (models[-2], models[-1]) if part in (6, 9) else (models[0], models[-1])
    pairs = []
    for at in (first, second):
        g = [update(h[i], m[i], at) for i in clients]
        pairs.append(
            (sum(a * b * b for a, b in zip(lam, g, strict=True)), sum(a * b for a, b in zip(lam, g, strict=True)) ** 2)
        )
    sign = -1 if part == 9 else 1
    return met, {"lhs": sign * (pairs[0][0] * pairs[1][1] - pairs[1][0] * pairs[0][1]) / eta**4}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(-1)],
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'start': Fraction(0),
    'step': Fraction(1),
    'server': Fraction(1),
    'rounds': Fraction(1),
    'local_steps': Fraction(1),
    'part': Fraction(1),
}
hypotheses, constants = runs_exact(INSTANCE)
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
