"""Counterexample to RA-Q5.

Reading: every strategy on the run that it makes itself.
Instance: diagonal quadratics, N = 2, d = 1.
Claimed: V falls with ρ̄, and FedWorse has the largest ρ̄, for any Γ.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def losses_at(spectrum: Any, optimum: Any, w: Any) -> list[Any]:
    """F_i(w) - F_i* of every client."""
    return [
        sum(h * (u - v) ** 2 for h, u, v in zip(s, w, m, strict=True)) / 2
        for s, m in zip(spectrum, optimum, strict=True)
    ]


def mixed(weights: Any, values: Any) -> Any:
    """sum_i a_i v_i."""
    return sum((a * v for a, v in zip(weights, values, strict=True)), Fraction(0))


def minimiser(weights: Any, spectrum: Any, optimum: Any) -> list[Any]:
    """Where the weighted mean of the clients is least."""
    total = [mixed(weights, [s[j] for s in spectrum]) for j in range(len(spectrum[0]))]
    pulls = [mixed(weights, [s[j] * m[j] for s, m in zip(spectrum, optimum, strict=True)]) for j in range(len(total))]
    return [u / v for u, v in zip(pulls, total, strict=True)]


def short_run(x: Mapping[str, Any], h: Any, m: Any, rule: int) -> tuple[list[Any], list[Any], Any]:
    """(rho(t, w_t) of every round, rho(t, w*) of every round, sum p_i (F_i - F_i*) after the last)."""
    p, w, L = x["share"], list(x["model"]), max(max(s) for s in h)
    at_best, n = losses_at(h, m, minimiser(p, h, m)), len(p)
    skews, skews_best = [], []
    for r, given in enumerate(x["weights"]):
        here = losses_at(h, m, w)
        extreme = min(here) if rule == 2 else max(here)
        top = [i for i in range(n) if here[i] == extreme]
        hard = [Fraction(int(i in top), len(top)) for i in range(n)]
        a = given if rule == 0 else p if rule == 3 else hard
        skews.append(mixed(a, here) / mixed(p, here))
        if mixed(p, at_best) > 0:
            skews_best.append(mixed(a, at_best) / mixed(p, at_best))
        eta, E = x["step"] / L / (1 + x["fade"] * r), int(x["local_steps"])
        ends = [
            [c + (1 - eta * k) ** E * (v - c) for k, c, v in zip(s, o, w, strict=True)]
            for s, o in zip(h, m, strict=True)
        ]
        w = [mixed(a, [e[j] for e in ends]) for j in range(len(w))]
    return skews, skews_best, mixed(p, losses_at(h, m, w))


def measured_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The line `line` and the constants of one federation."""
    n = len(x["share"])
    x = {**x, "share": [Fraction(1, n)] * n} if x["equal"] > 0 else x
    line, p, w, h = int(x["line"]), x["share"], x["model"], x["spectrum"]
    m = [[0 * v for v in row] for row in x["optimum"]] if x["common"] > 0 else x["optimum"]
    a = x["weights"][0]
    best, end = minimiser(p, h, m), minimiser(a, h, m)
    here, at_best, at_end = losses_at(h, m, w), losses_at(h, m, best), losses_at(h, m, end)
    below, Gamma, last = mixed(p, here), mixed(p, at_best), mixed(p, at_end)
    kappa = [u / q for row in x["weights"] for u, q in zip(row, p, strict=True)]
    away = sum((u - v) ** 2 for u, v in zip(w, best, strict=True))
    mu, L, zero = min(min(s) for s in h), max(max(s) for s in h), Fraction(0)
    rho = mixed(a, here) / below if below > 0 else zero
    rho_best = mixed(a, at_best) / Gamma if Gamma > 0 else zero
    rho_end = mixed(a, at_end) / last if last > 0 else zero
    alike = max(max(v) / min(v) for v in (at_best, at_end)) if min(at_best + at_end) > 0 else zero
    stated, lhs = True, zero
    if line in (1, 2):
        lhs, stated = rho if line == 1 else min(kappa), below > 0
    elif line == 3:
        lhs = Gamma + mu * away / 2
    elif line in (4, 5):
        lhs = Fraction(int((below if line == 4 else Gamma) <= 0))
        stated = {0: True, 1: list(w) != best, 2: any(row != m[0] for row in m)}[int(x["as_stated"])]
    elif line == 6:
        lhs = max(min(kappa) - 1, 1 - max(kappa))
    elif line in (7, 19):
        lhs, stated = last - Gamma, Gamma > 0 and (line == 7 or alike > 0)
    elif line == 8:
        stated = Gamma > 0
        lhs = 1 - rho_best / rho_end
    elif line == 14:
        stated = below > 0
        lhs = x["wanted"] - max(here) / below
    elif line == 10:
        other, stated = minimiser(x["weights"][1], h, m), Gamma > 0
        there = losses_at(h, m, other)
        ratio = mixed(x["weights"][1], at_best) / Gamma / (mixed(x["weights"][1], there) / mixed(p, there))
        lhs = -(rho_best / rho_end - ratio) * (last - mixed(p, there))
    elif line == 16:
        lhs = Gamma - last
    else:
        stated = below > 0 and (Gamma > 0 or x["common"] > 0)
        skews, skews_best, final = short_run(x, h, m, {13: 1, 17: 3, 18: 2}.get(line, 0))
        if line in (9, 13):
            ratio = max(skews_best) / min(skews)
            lhs = ratio if line == 13 else 1 - ratio
        else:
            skews_other, _, final_other = short_run(x, h, m, 3 if line == 18 else 1)
            lhs = (
                min(skews) - min(skews_other)
                if line == 11
                else final_other - final
                if line == 12
                else final - final_other
            )
    hypotheses = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": mu > 0,
        "shares positive, weights on the simplex": min(p) > 0
        and all(sum(v) == 1 and min(v) >= 0 for v in [p, *x["weights"]]),
        "what the statement supposes": stated,
    }
    constants = {"lhs": lhs, "rho": rho, "rho_best": rho_best, "rho_limit": rho_end, "pi": min(kappa), "Pi": max(kappa)}
    constants |= {"N": Fraction(n), "least_share": min(p), "alike": alike, "below": below, "Gamma": Gamma}
    return hypotheses, constants | {"mu": mu, "L": L}


INSTANCE = {
    'share': [Fraction(1, 1000001), Fraction(1000000, 1000001)],
    'weights': [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(0)]],
    'spectrum': [[Fraction(1)], [Fraction(1)]],
    'optimum': [[Fraction(0)], [Fraction(87)]],
    'model': [Fraction(100)],
    'step': Fraction(1, 4),
    'fade': Fraction(1),
    'local_steps': Fraction(5),
    'wanted': Fraction(1),
    'line': Fraction(11),
    'common': Fraction(0),
    'as_stated': Fraction(0),
    'equal': Fraction(0),
}
hypotheses, constants = measured_exact(INSTANCE)
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
