"""Counterexample to EFL-T1.

Reading: bracket of (59) as printed.
Instance: 1 clients, E = 2, d = 1, 4 rounds.
Claimed: With decaying steps the expected squared distance to ω* is at most C/(τE+γ)² + HJ/(τE+γ).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def law_exact(x: Mapping[str, Any]) -> tuple[list[list[Fraction]], list[list[int]]]:
    """Coefficients and finished steps of every pattern."""
    n_local, clients = int(x["local_steps"]), range(len(x["share"]))
    s = [[min(int(u * (n_local + 1)), n_local) for u in row] for row in x["done"]]
    p = []
    for row, steps in zip(x["coefficient"], s, strict=True):
        if x["rule"] == 1:
            p.append([n_local * x["share"][k] / steps[k] if steps[k] else Fraction(0) for k in clients])
        elif x["rule"] == 2:
            p.append([x["share"][k] * row[k] for k in clients])
        else:
            means = [
                sum(q * c[k] * t[k] for q, c, t in zip(x["chance"], x["coefficient"], s, strict=True)) for k in clients
            ]
            p.append([x["share"][k] * row[k] / means[k] if means[k] else Fraction(0) for k in clients])
    return p, s


def with_C(c: Mapping[str, Any]) -> dict[str, Any]:
    """The constants and, for each reading of the bracket, C_T of the induction."""
    out = dict(c)
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        drift = (2 + c["mu"] / (2 * (1 + c["theta"]) * c["L"])) * c["E"] * (c["E"] - 1) * c["G2"] * c[name]
        bar_b = c["noise"] + 2 * (2 + c["theta"]) * c["L"] * c["skew"] + drift
        grown = (16 * c["E"] / c["mu"]) ** 2 * (bar_b + 2 * c["E"] * c["G2"] * c["pull"])
        out[f"C_{name}"] = c["gamma"] ** 2 * c["Delta0"] + grown
    return out


def random_rounds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Mean and second moment of w - w* step by step, and every constant of (7) as (65) defines them."""
    h, m, share, n_local, n_rounds = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["rounds"])
    clients, dims, chance = range(len(share)), range(len(x["start"])), x["chance"]
    p, s = law_exact(x)
    patterns = range(len(p))
    sigma2 = [(v * x["noisy"]) ** 2 for v in x["sigma"]]
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    theta = (1 + x["slack"]) * max(p[r][k] / share[k] for r in patterns for k in clients)
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    D = [sum(h[k][i] * (best[i] - m[k][i]) ** 2 for i in dims) / 2 for k in clients]
    n_with = min(int(x["stay"] * n_rounds), n_rounds) if "stay" in x else n_rounds
    rounds = []
    for tau in range(n_rounds):
        gone = tau >= n_with
        rounds.append(([[0 if gone and k == 0 else p[r][k] for k in clients] for r in patterns], gone))

    def mean_of(coefficients: Any, value: Any) -> Any:
        return sum(chance[r] * value(coefficients[r], s[r]) for r in patterns)

    def taken(a: Any) -> Any:
        return [sum(chance[r] * a[r][k] * s[r][k] for r in patterns) for k in clients]

    ms = [sum(taken(a)) for a, _ in rounds]
    gamma = max(max(32 * n_local * (1 + theta) * L / (mu * v), 4 * n_local**2 * theta / v, n_local) for v in ms)
    gamma = (1 + x["later"]) * gamma
    sums = {"noise": Fraction(0), "skew": Fraction(0), "pull": Fraction(0), "H": Fraction(0)}
    sums.update({k: Fraction(0) for k in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49")})
    J, G2 = Fraction(0), Fraction(0)
    first, second = [x["start"][i] - best[i] for i in dims], [(x["start"][i] - best[i]) ** 2 for i in dims]
    Delta0, below = sum(second), True
    for tau, (a, _) in enumerate(rounds):
        got, v = taken(a), ms[tau]

        def squares(c: Any, t: Any) -> Any:
            return sum(c[k] ** 2 * t[k] / share[k] for k in clients)

        def steps(c: Any, t: Any) -> Any:
            return sum(c[k] * t[k] for k in clients)

        readings = {
            "printed_59": mean_of(a, lambda c, t: 2 * steps(c, t) + theta * (sum(c) - 2)),
            "printed_49": mean_of(a, lambda c, t: steps(c, t) + (sum(c) - 2) + squares(c, t)),
            "product_59": mean_of(a, lambda c, t: steps(c, t) * (1 + theta * (sum(c) - 2))),
            "plus_59": mean_of(a, lambda c, t: steps(c, t) * (1 + theta * max(sum(c) - 2, 0))),
            "plus_49": mean_of(a, lambda c, t: steps(c, t) + max(sum(c) - 2, 0) * squares(c, t)),
            "noise": mean_of(a, lambda c, t: sum(c[k] ** 2 * t[k] * sigma2[k] for k in clients)),
            "skew": sum(got[k] * D[k] for k in clients),
            "pull": mean_of(a, squares),
        }
        for name, value in readings.items():
            sums[name] = sums[name] + value / v**2
        sums["H"] = sums["H"] + (0 if len({got[k] / share[k] for k in clients}) == 1 else 1)
        J = max(J, 32 * n_local * sum(got[k] * D[k] for k in clients) / (mu * v))
        eta = 16 * n_local / (mu * ((tau + 1) * n_local + gamma) * v)
        below = below and eta <= 1 / (2 * (1 + theta) * L) and eta <= 4 / (mu * n_local * theta)
        new_first, new_second = [], []
        tops = [sigma2[k] for k in clients]
        for i in dims:
            # Client k after j steps from u: mean and mean square of w - m_k, as scale * (u - off) with own variance.
            off = [m[k][i] - best[i] for k in clients]
            scale, own = [[Fraction(1)] for k in clients], [[Fraction(0)] for k in clients]
            for k in clients:
                for _ in range(n_local):
                    scale[k].append(scale[k][-1] * (1 - eta * h[k][i]))
                    own[k].append(own[k][-1] * (1 - eta * h[k][i]) ** 2 + eta**2 * sigma2[k] / len(dims))
                away = second[i] - 2 * first[i] * off[k] + off[k] ** 2
                tops[k] = tops[k] + max(h[k][i] ** 2 * (scale[k][j] ** 2 * away + own[k][j]) for j in range(n_local))
            total_first, total_second = Fraction(0), Fraction(0)
            for r in patterns:
                change = [a[r][k] * (scale[k][s[r][k]] - 1) for k in clients]
                M, b = 1 + sum(change), -sum(change[k] * off[k] for k in clients)
                spread = sum(a[r][k] ** 2 * own[k][s[r][k]] for k in clients)
                total_first = total_first + chance[r] * (M * first[i] + b)
                total_second = total_second + chance[r] * (M * M * second[i] + 2 * M * b * first[i] + b * b + spread)
            new_first.append(total_first)
            new_second.append(total_second)
        G2 = max([G2, *tops])
        first, second = new_first, new_second
    hypotheses = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "the chances of the patterns sum to 1": sum(chance) == 1 and min(chance) >= 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E": below and gamma >= n_local,
    }
    constants = {
        "lhs": sum(second),
        "gamma": gamma,
        "time": Fraction(n_rounds * n_local),
        "E": Fraction(n_local),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        "Delta0": Delta0,
        **sums,
        "J": J,
    }
    return hypotheses, with_C(constants)


INSTANCE = {
    'curvature': [[Fraction(1)]],
    'optimum': [[Fraction(0)]],
    'share': [Fraction(1)],
    'start': [Fraction(0)],
    'sigma': [Fraction(1)],
    'noisy': Fraction(1),
    'chance': [Fraction(0), Fraction(1)],
    'done': [[Fraction(0)], [Fraction(1)]],
    'coefficient': [[Fraction(1)], [Fraction(1)]],
    'slack': Fraction(10),
    'later': Fraction(1),
    'rule': Fraction(2),
    'local_steps': Fraction(2),
    'rounds': Fraction(4),
}
hypotheses, constants = random_rounds_exact(INSTANCE)
C_printed_59 = constants["C_printed_59"]
H = constants["H"]
J = constants["J"]
gamma = constants["gamma"]
time = constants["time"]
lhs = constants["lhs"]
rhs = Fraction(C_printed_59/(gamma + time)**2 + H*J/(gamma + time))
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
