"""Counterexample to EFL-T1.

Reading: positive part, participation depends on the past.
Instance: two opposite clients, one takes part, drawn once, E = 2, 8000 rounds.
Claimed: With decaying steps the expected squared distance to ω* is at most C/(τE+γ)² + HJ/(τE+γ).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def with_C(c: Mapping[str, Any]) -> dict[str, Any]:
    """The constants and, for each reading of the bracket, C_T of the induction."""
    out = dict(c)
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        drift = (2 + c["mu"] / (2 * (1 + c["theta"]) * c["L"])) * c["E"] * (c["E"] - 1) * c["G2"] * c[name]
        bar_b = c["noise"] + 2 * (2 + c["theta"]) * c["L"] * c["skew"] + drift
        grown = (16 * c["E"] / c["mu"]) ** 2 * (bar_b + 2 * c["E"] * c["G2"] * c["pull"])
        out[f"C_{name}"] = c["gamma"] ** 2 * c["Delta0"] + grown
    return out


def one_sided_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Clients h/2 (w - a)^2 and h/2 (w + a)^2, p^k = 1/2, w_0 = 0; the first, by a coin, takes part alone for ever, p = 1.

    `certain`: 1 if there is no coin, it is always the first; then r_tau = 1.
    """
    h, a, n_local, n_rounds = x["curvature"], x["away"], int(x["local_steps"]), int(x["rounds"])
    theta = 2 * (1 + x["slack"])  # p_tau^k / p^k is 2 or 0
    m = Fraction(n_local)  # E[sum p s]; E[p^k s^k] = E/2 for both clients, hence r_tau = 0
    gamma = (1 + x["later"]) * max(32 * n_local * (1 + theta) / m, 4 * n_local**2 * theta / m, n_local)
    eta = 16 * n_local / (h * (n_local + gamma) * m)  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * h) and eta <= 4 / (h * n_local * theta)
    # (w - a)/(0 - a) is the product over tau = 1..T of ((y + tau - r)/(y + tau))^E with r = 16/E whole: it telescopes.
    y, r, left = gamma / n_local, 16 // n_local, Fraction(1)
    for i in range(1, r + 1):
        left = left * (y + i - r) / (y + n_rounds - r + i)
    left = left**n_local
    D = h * a * a / 2
    hypotheses = {
        "A1, A2: mu = L = h > 0": h > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E, E divides 16": below
        and gamma >= n_local
        and 16 % n_local == 0,
        "both clients' gradients between 0 and 2ha on the way": 0 <= left <= 1,
    }
    constants = {
        "lhs": (a * (1 - left)) ** 2,
        "gamma": gamma,
        "time": Fraction(n_rounds * n_local),
        "E": Fraction(n_local),
        "mu": h,
        "L": h,
        "theta": theta,
        "G2": (2 * h * a) ** 2,
        "Delta0": Fraction(0),
        "noise": Fraction(0),
        "skew": n_rounds * D * n_local / m**2,
        "pull": n_rounds * 2 * n_local / m**2,
        "H": n_rounds * x["certain"],
        "J": 32 * n_local * D / h,
        "rounds": Fraction(n_rounds),
    }
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        constants[name] = n_rounds * n_local / m**2  # sum p = 1 < 2: the positive part is 0
    return hypotheses, with_C(constants)


INSTANCE = {
    'curvature': Fraction(1),
    'away': Fraction(1),
    'slack': Fraction(1),
    'later': Fraction(1),
    'certain': Fraction(0),
    'local_steps': Fraction(2),
    'rounds': Fraction(8000),
}
hypotheses, constants = one_sided_exact(INSTANCE)
C_plus_59 = constants["C_plus_59"]
H = constants["H"]
J = constants["J"]
gamma = constants["gamma"]
time = constants["time"]
lhs = constants["lhs"]
rhs = Fraction(C_plus_59/(gamma + time)**2 + H*J/(gamma + time))
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
