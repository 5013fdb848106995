"""Counterexample to EFL-T1.

Reading: elastic term, anchors at the end, ω* of the round's F.
Instance: 1 clients with elastic terms, 500 rounds of E = 1.
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


def anchors_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """EFL without compression: F~_k = h_k/2 (w - m_k)^2 + sum_i pull_i/2 (w - a_i)^2, pull = lambda I, anchors a of last round.

    E = 1, s = 1, p_tau^k = p^k, full gradients: E[p s] = p^k, so r_tau = 0 and H = 0; sum p = 1 < 2: the positive part is 0.
    """
    h, m, p, clients, n_rounds = x["curvature"], x["optimum"], x["share"], range(len(x["share"])), int(x["rounds"])
    pull = [x["elastic"] * i for i in x["fisher"]]
    stiff = [c + sum(pull) for c in h]
    mu, L, theta = min(stiff), max(stiff), 1 + x["slack"]
    gamma = (1 + x["later"]) * max(32 * (1 + theta) * L / mu, 4 * theta, 1)
    eta = 16 / (mu * (1 + gamma))  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * L) and eta <= 4 / (mu * theta)
    w, anchor = x["start"], [x["start"] for _ in clients]

    def aim() -> Any:
        held = [0 if x["risks"] > 0 else pull[i] for i in clients]
        bent = [h[k] + sum(held) for k in clients]
        own = [(h[k] * m[k] + sum(held[i] * anchor[i] for i in clients)) / bent[k] for k in clients]
        best = sum(p[k] * bent[k] * own[k] for k in clients) / sum(p[k] * bent[k] for k in clients)
        return best, sum(p[k] * bent[k] * (best - own[k]) ** 2 / 2 for k in clients)

    Delta0, skew, G2 = (w - aim()[0]) ** 2, Fraction(0), Fraction(0)
    for tau in range(n_rounds):
        skew = skew + aim()[1]
        g = [h[k] * (w - m[k]) + sum(pull[i] * (w - anchor[i]) for i in clients) for k in clients]
        G2 = max([G2] + [v * v for v in g])
        local = [w - 16 / (mu * (tau + 1 + gamma)) * g[k] for k in clients]
        anchor = local if x["ends"] > 0 else [w for _ in clients]
        w = sum(p[k] * local[k] for k in clients)
    hypotheses = {
        "A1, A2: 0 < mu <= curvatures of F~_k <= L": mu > 0,
        "p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0,
        "lambda and Fisher diagonals >= 0": x["elastic"] >= 0 and min(x["fisher"]) >= 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E": below and gamma >= 1,
    }
    constants = {
        "lhs": (w - aim()[0]) ** 2,
        "gamma": gamma,
        "time": Fraction(n_rounds),
        "E": Fraction(1),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        "Delta0": Delta0,
        "noise": Fraction(0),
        "skew": skew,
        "pull": Fraction(n_rounds),
        "H": Fraction(0),
        "J": Fraction(0),
    }
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        constants[name] = Fraction(n_rounds)  # E = 1: the bracket is multiplied by E - 1 = 0
    return hypotheses, with_C(constants)


INSTANCE = {
    'curvature': [Fraction(1)],
    'optimum': [Fraction(0)],
    'share': [Fraction(1)],
    'elastic': Fraction(100),
    'fisher': [Fraction(1)],
    'start': Fraction(1),
    'slack': Fraction(1),
    'later': Fraction(1),
    'ends': Fraction(1),
    'risks': Fraction(0),
    'rounds': Fraction(500),
}
hypotheses, constants = anchors_exact(INSTANCE)
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
