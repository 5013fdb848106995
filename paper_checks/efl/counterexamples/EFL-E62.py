"""Counterexample to EFL-E62.

Reading: for each realised participation.
Instance: 2 clients, E = 3, d = 1.
Claimed: When participation is unbiased the objective gap term is not positive.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One round of Algorithm 1 with indicators, world by world, at quadratic clients."""
    h, m, share, n_local = x["curvature"], x["optimum"], x["share"], int(x["local_steps"])
    clients, dims, patterns = range(len(share)), range(len(h[0])), range(len(x["done"]))
    half = Fraction(1, 2)
    on = [[[1 if v >= half else 0 for v in row] for row in pattern] for pattern in x["done"]]
    if x["whole"] > 0:
        on = [[pattern[0]] * n_local for pattern in on]
    s = [[sum(row[k] for row in pattern) for k in clients] for pattern in on]
    chance = [x["chance"], 1 - x["chance"]] if len(patterns) == 2 else [Fraction(1)]
    p = [[share[k] * c[k] for k in clients] for c in x["coefficient"]]
    means = [sum(chance[r] * x["coefficient"][r][k] * s[r][k] for r in patterns) for k in clients]
    if x["fair"] > 0:
        p = [[p[r][k] / means[k] if means[k] else Fraction(0) for k in clients] for r in patterns]
    taken = [sum(chance[r] * p[r][k] * s[r][k] for r in patterns) / share[k] for k in clients]
    theta = (1 + x["slack"]) * max(p[r][k] / share[k] for r in patterns for k in clients)
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    eta = x["step"] / (2 * (1 + theta) ** int(x["power"]) * L)
    if x["capped"] > 0:
        eta = min(eta, 4 * x["step"] / (mu * n_local * theta))
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    top = max(clients, key=lambda k: x["coefficient"][0][k] * (Fraction(1, 1000) + on[0][0][k]))
    rare, when = x["rare"], min(int(x["when"] * n_local), n_local - 1)
    index = min(int(x["pick"] * n_local), n_local - 1)

    def loss(k: int, at: Any) -> Any:
        return sum(h[k][i] * (at[i] - m[k][i]) ** 2 for i in dims) / 2

    def size(vector: Any) -> Any:
        if len(vector) == 1:
            return abs(vector[0])
        return Fraction(float(sum(c * c for c in vector)) ** 0.5)  # only its square is used, from `square` below

    names = ("sum", "last", "scaled", "fixed", "moved", "steps", "start", "kept", "weighted", "B", "H", "pulled")
    c = {name: Fraction(0) for name in (*names, "skew", "picked", "argmin", "best", "free")}
    for r in [0] if x["realised"] > 0 else patterns:
        for q, z in ((1 / (1 + rare**2), rare), (rare**2 / (1 + rare**2), -1 / rare)):
            weight = q if x["realised"] > 0 else chance[r] * q
            place = r if len(x["virtual"]) > 1 else 0
            offset = x["virtual"][place]
            if x["own"] > 0:
                offset = [x["beside"][place] * (m[top][i] - best[i]) for i in dims]
            virtual = [best[i] + offset[i] for i in dims]
            local = [list(virtual) for _ in clients]
            dist, values, alls, acts, B, norms, square = [], [], [], [], Fraction(0), Fraction(0), Fraction(0)
            ps = [p[r][k] * s[r][k] for k in clients]
            for j in range(n_local):
                w = [p[r][k] * on[r][j][k] for k in clients]
                zj = x["noisy"] * z if j == when else Fraction(0)
                g = [[h[k][i] * (local[k][i] - m[k][i]) + zj * x["noise"][k][i] for i in dims] for k in clients]
                dist.append(sum((virtual[i] - best[i]) ** 2 for i in dims))
                values.append(sum(w[k] * loss(k, virtual) for k in clients))
                alls.append(sum(ps[k] * loss(k, virtual) for k in clients))
                acts.append(sum(w))
                drift = sum(w[k] * (virtual[i] - local[k][i]) ** 2 for k in clients for i in dims)
                error = sum((zj * sum(w[k] * x["noise"][k][i] for k in clients)) ** 2 for i in dims)
                B = B + (2 + mu / (2 * (1 + theta) * L)) * drift / eta**2 + error
                B = B + 2 * (2 + theta) * L * sum(w[k] * loss(k, best) for k in clients)
                push = [sum(w[k] * g[k][i] for k in clients) for i in dims]
                square = sum(v * v for v in push)
                norms = norms + size(push)
                virtual = [virtual[i] - eta * push[i] for i in dims]
                local = [[local[k][i] - eta * on[r][j][k] * g[k][i] for i in dims] for k in clients]
            dist.append(sum((virtual[i] - best[i]) ** 2 for i in dims))
            H = square if n_local == 1 else norms**2
            steps, star = sum(ps), sum(ps[k] * loss(k, best) for k in clients)
            lift = Fraction(0)
            for i in dims:
                curved = sum(ps[k] * h[k][i] for k in clients)
                pull = sum(ps[k] * h[k][i] * (best[i] - m[k][i]) for k in clients)
                lift = lift + (pull**2 / curved / 2 if curved > 0 else 0)
            world = {
                "sum": sum(dist[1:]),
                "last": dist[-1],
                "scaled": (1 + mu * eta * steps / 4) * dist[-1],
                "fixed": star - alls[0],
                "moved": star - alls[index],
                "steps": steps,
                "start": dist[0],
                "kept": sum((1 - mu * eta * acts[j] / 2) * dist[j] for j in range(n_local)),
                "weighted": sum(acts[j] * dist[j] for j in range(n_local)),
                "B": B,
                "H": H,
                "pulled": steps * H,
                "skew": star,
                "picked": star - alls[index],
                "argmin": star - alls[values.index(min(values))],
                "best": star - min(alls),
                "free": lift,
            }
            for name, value in world.items():
                c[name] = c[name] + weight * value
    looked = ("sum", "last", "scaled", "fixed", "moved")[int(x["look"])]
    limit = 1 / (2 * (1 + theta) * L)
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": theta > 0 and x["slack"] > 0,
        "eta <= 1/(2 (1 + theta) L)": 0 < eta <= limit,
        "eta <= 4/(mu E theta) where asked": x["capped"] == 0 or eta <= 4 / (mu * n_local * theta),
        "r = 0 only if E[p s] = c p^k": x["fair"] == 0 or max(taken) == min(taken) > 0,
    }
    constants = {name: c[name] for name in names[5:]} | {k: c[k] for k in ("skew", "picked", "argmin", "best", "free")}
    constants = {**constants, "lhs": c[looked], "eta": eta, "mu": mu, "L": L, "theta": theta}
    return met, {**constants, "r": 1 - x["fair"]}


INSTANCE = {
    'curvature': [[Fraction(1)], [Fraction(1)]],
    'optimum': [[Fraction(0)], [Fraction(1)]],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'coefficient': [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]],
    'slack': Fraction(1),
    'done': [[[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)], [Fraction(0), Fraction(1)]], [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)], [Fraction(1), Fraction(0)]]],
    'chance': Fraction(1, 2),
    'virtual': [[Fraction(0)]],
    'beside': [Fraction(-1)],
    'own': Fraction(1),
    'noise': [[Fraction(0)], [Fraction(0)]],
    'rare': Fraction(1),
    'when': Fraction(0),
    'pick': Fraction(0),
    'step': Fraction(1),
    'noisy': Fraction(0),
    'fair': Fraction(1),
    'realised': Fraction(1),
    'whole': Fraction(0),
    'capped': Fraction(0),
    'power': Fraction(1),
    'local_steps': Fraction(3),
    'look': Fraction(3),
}
hypotheses, constants = round_exact(INSTANCE)
r = constants["r"]
skew = constants["skew"]
lhs = constants["lhs"]
rhs = Fraction(r*skew)
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
