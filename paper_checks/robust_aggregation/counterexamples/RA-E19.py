"""Counterexample to RA-E19.

Reading: ρ̄ and ρ̃ over a run that goes on, t inside a round.
Instance: at w* whenever (7) looks.
Claimed: The expected gap at t is at most L/2 times ψ/(γ + t).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def inside_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(w_T) - F* for T inside the first round; rho bounded from below and rho_best from above for the run without end.

    Every later round begins at 0, too, and ends there: its models are v w_1 + (1 - v) w_2 with w_1 > 0 > w_2 for some v in (0, 1).
    """
    a, b, eps, E, T = x["curvature"], x["distance"], x["share"], int(x["local_steps"]), int(x["inside"])
    h, c, p = (a, 2 * a, a), (b, -b, 0 * b), (eps, eps / 2, 1 - 3 * eps / 2)
    local = [Fraction(0)] * 3
    paths = [list(local)]
    for t in range(E):
        eta = 1 / (a * t + 4 * 2 * a)  # 1/(mu (t + gamma)), gamma = 4 L/mu
        local = [w - eta * h[i] * (w - c[i]) for i, w in enumerate(local)]
        paths.append(list(local))
    v = -local[1] / (local[0] - local[1])
    weights = (v, 1 - v, Fraction(0))

    def virtual(t: int) -> Any:
        return sum(q * w for q, w in zip(weights, paths[min(t, E)], strict=True))

    own = [h[i] * c[i] ** 2 / 2 for i in range(3)]  # F_i(0) - F_i*
    skew = sum(q * f for q, f in zip(weights, own, strict=True)) / sum(q * f for q, f in zip(p, own, strict=True))
    met = {
        "mu = a, L = 2 a, shares positive": a > 0 and b > 0 and min(p) > 0,
        "w* = 0": sum(q * s * m for q, s, m in zip(p, h, c, strict=True)) == 0,
        "weights on the simplex": 0 < v < 1,
        "the round ends where it began": virtual(E) == 0,
        "1/(2 eps) <= rho(kE, 0) <= 1/eps": 1 / (2 * eps) <= skew <= 1 / eps,
        "models between -b and b, where |F_i'| <= 4 a b": max(abs(w) for path in paths for w in path) <= b,
        "0 < T < E": 0 < T < E,
    }
    gamma = sum(q * f for q, f in zip(p, own, strict=True))
    loss = sum(q * s for q, s in zip(p, h, strict=True)) * virtual(T) ** 2 / 2
    constants = {"L": 2 * a, "mu": a, "G2": (4 * a * b) ** 2, "sigma2": Fraction(0), "Gamma": gamma, "tau": Fraction(E)}
    constants |= {"T": Fraction(T), "D0": Fraction(0), "rho": 1 / (2 * eps), "rho_best": 1 / eps}
    return met, {**constants, "lhs": loss}


INSTANCE = {
    'curvature': Fraction(1),
    'distance': Fraction(1),
    'share': Fraction(1, 1000000000000),
    'local_steps': Fraction(2),
    'inside': Fraction(1),
}
hypotheses, constants = inside_exact(INSTANCE)
D0 = constants["D0"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
L = constants["L"]
T = constants["T"]
mu = constants["mu"]
rho = constants["rho"]
rho_best = constants["rho_best"]
sigma2 = constants["sigma2"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(L*max(4*D0*L/mu, 8*(2*Gamma*(-rho + rho_best)*(4*L/mu + T)/mu + (32*G2*tau**2 + 6*Gamma*L*rho + sigma2)/mu**2)/(3*rho))/(2*(4*L/mu + T)))
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
