"""Counterexample to EFL-T1.

Reading: compressed, clients add Δωᴳ, the server averages ST(Δωᵏ).
Instance: 1 clients, d = 2, 1 compressed rounds of E = 1.
Claimed: With decaying steps the expected squared distance to ω* is at most C/(τE+γ)² + HJ/(τE+γ).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def largest_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 for k = 1: the largest entry, of equal ones the first."""
    where = max(range(len(t)), key=lambda i: abs(t[i]))
    return [v if i == where else Fraction(0) for i, v in enumerate(t)]


def with_C(c: Mapping[str, Any]) -> dict[str, Any]:
    """The constants and, for each reading of the bracket, C_T of the induction."""
    out = dict(c)
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        drift = (2 + c["mu"] / (2 * (1 + c["theta"]) * c["L"])) * c["E"] * (c["E"] - 1) * c["G2"] * c[name]
        bar_b = c["noise"] + 2 * (2 + c["theta"]) * c["L"] * c["skew"] + drift
        grown = (16 * c["E"] / c["mu"]) ** 2 * (bar_b + 2 * c["E"] * c["G2"] * c["pull"])
        out[f"C_{name}"] = c["gamma"] ** 2 * c["Delta0"] + grown
    return out


def compressed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Algorithm 1 with ST both ways; models as offsets from w*, start = aside * start; E = 1, s = 1, p_tau^k = p^k.

    E[p s] = p^k, so r_tau = 0 and H = 0; sum p = 1 < 2: the positive part is 0. `told`: clients add ST of the server's
    change, else the change; `sends`: the server averages ST of the clients' changes, else the changes.
    """
    h, m, p, n_rounds = x["curvature"], x["optimum"], x["share"], int(x["rounds"])
    clients, dims = range(len(p)), range(len(x["start"]))
    mu, L, theta = min(min(row) for row in h), max(max(row) for row in h), 1 + x["slack"]
    gamma = (1 + x["later"]) * max(32 * (1 + theta) * L / mu, 4 * theta, 1)
    eta = 16 / (mu * (1 + gamma))  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * L) and eta <= 4 / (mu * theta)
    best = [sum(p[k] * h[k][i] * m[k][i] for k in clients) / sum(p[k] * h[k][i] for k in clients) for i in dims]
    off = [[m[k][i] - best[i] for i in dims] for k in clients]
    start = [x["aside"] * v for v in x["start"]]
    server, base = list(start), list(start)  # everyone takes part: all clients begin at one model
    up, down, G2 = [[Fraction(0) for _ in dims] for _ in clients], [Fraction(0) for _ in dims], Fraction(0)
    for tau in range(n_rounds):
        eta, total = 16 / (mu * (tau + 1 + gamma)), list(down)
        for k in clients:
            g = [h[k][i] * (base[i] - off[k][i]) for i in dims]
            G2 = max(G2, sum(v * v for v in g))
            change = [up[k][i] - eta * g[i] for i in dims]
            packed = largest_exact(change)
            up[k] = [a - b for a, b in zip(change, packed, strict=True)]
            total = [total[i] + p[k] * (packed if x["sends"] > 0 else change)[i] for i in dims]
        heard = largest_exact(total)
        down = [a - b for a, b in zip(total, heard, strict=True)]
        server = [a + b for a, b in zip(server, total, strict=True)]
        base = [a + b for a, b in zip(base, heard if x["told"] > 0 else total, strict=True)]
    D = sum(p[k] * h[k][i] * off[k][i] ** 2 for k in clients for i in dims) / 2
    hypotheses = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E": below and gamma >= 1,
    }
    constants = {
        "lhs": sum(v * v for v in server),
        "gamma": gamma,
        "time": Fraction(n_rounds),
        "E": Fraction(1),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        "Delta0": sum(v * v for v in start),
        "noise": Fraction(0),
        "skew": n_rounds * D,
        "pull": Fraction(n_rounds),
        "H": Fraction(0),
        "J": Fraction(0),
    }
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        constants[name] = Fraction(n_rounds)  # E = 1: the bracket is multiplied by E - 1 = 0
    return hypotheses, with_C(constants)


INSTANCE = {
    'curvature': [[Fraction(5), Fraction(1, 8)]],
    'optimum': [[Fraction(0), Fraction(0)]],
    'share': [Fraction(1)],
    'start': [Fraction(-9, 8), Fraction(41)],
    'aside': Fraction(1),
    'slack': Fraction(1),
    'later': Fraction(1),
    'told': Fraction(0),
    'sends': Fraction(1),
    'rounds': Fraction(1),
}
hypotheses, constants = compressed_exact(INSTANCE)
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
