"""Second moments of the steps of ω̄ in EFL's proof: one step (57) and the sum of a round (58).

Gradients are arbitrary vectors, random through two scenarios; several steps in one coordinate, where lengths are rational.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    split_client,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

E, G2, each, jensen, squares, linear = symbols("E G2 each jensen squares linear")
_DEGREES = {"E": (0, 0), "squares": (0, 0), "linear": (0, 0), **dict.fromkeys(("G2", "each", "jensen"), (2, -2))}


def _measure(x: Instance) -> Mapping[str, Any]:
    g, share = x["gradient"], x["share"]
    p = share * x["coefficient"]
    q = np.stack([x["chance"], 1 - x["chance"]], axis=1)
    on = (x["active"] >= 0.5).astype(float) + np.zeros((1, 2, 1, 1))
    h2 = (np.einsum("nk,nrek,nrekd->nred", p, on, g) ** 2).sum(axis=3)
    norms = (g**2).sum(axis=4)

    def mean(values: Any) -> Any:
        return (q * values).sum(axis=1)

    weight = (p**2 / share)[:, None, None]
    lhs = mean(np.sqrt(h2).sum(axis=2) ** 2)
    jensen_ = mean((weight * on * norms).sum(axis=(2, 3)))
    return {
        "lhs": lhs,
        "E": np.full(len(p), float(g.shape[2])),
        "G2": np.einsum("nr,nrek->nek", q, norms).max(axis=(1, 2)),
        "each": mean(h2.sum(axis=2)),
        "jensen": jensen_,
        "linear": mean((p[:, None, None] * on).sum(axis=(2, 3))),
        "squares": mean((weight * on).sum(axis=(2, 3))),
        "magnitude": lhs + jensen_,
    }


def lengths_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two scenarios of a round; (sum of h)^2, sum of h^2 and the weighted squares of the active gradients."""
    g, share = x["gradient"], x["share"]
    clients, steps, dims = range(len(share)), range(len(g[0])), range(len(g[0][0][0]))
    p = [share[k] * x["coefficient"][k] for k in clients]
    c = {name: Fraction(0) for name in ("lhs", "each", "jensen", "squares", "linear")}
    seconds = [[Fraction(0) for _ in clients] for _ in steps]
    for number, chance in enumerate((x["chance"], 1 - x["chance"])):
        active = x["active"][number if len(x["active"]) > 1 else 0]
        path = Fraction(0)
        for i in steps:
            on = [active[i][k] >= Fraction(1, 2) for k in clients]
            push = [sum((p[k] * g[number][i][k][d] for k in clients if on[k]), Fraction(0)) for d in dims]
            square = sum(v * v for v in push)
            path = path + abs(push[0])
            c["each"] = c["each"] + chance * square
            for k in clients:
                size = sum(v * v for v in g[number][i][k])
                seconds[i][k] = seconds[i][k] + chance * size
                if on[k]:
                    c["jensen"] = c["jensen"] + chance * p[k] ** 2 / share[k] * size
                    c["linear"] = c["linear"] + chance * p[k]
                    c["squares"] = c["squares"] + chance * p[k] ** 2 / share[k]
            if len(steps) == 1:
                c["lhs"] = c["lhs"] + chance * square
        if len(steps) > 1:
            c["lhs"] = c["lhs"] + chance * path**2
    met = {
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "probabilities": 0 <= x["chance"] <= 1,
        "one coordinate, or a single step": len(steps) == 1 or len(dims) == 1,
    }
    return met, {**c, "E": Fraction(len(steps)), "G2": max(max(row) for row in seconds)}


def _case(n: int, n_local: int, dim: int, *, sees: bool) -> Case:
    space = Space(
        (
            Signed("gradient", 1e-2, 1e2, (2, n_local, n, dim)),
            Uniform("active", 0.0, 1.0, (2 if sees else 1, n_local, n)),
            LogScale("coefficient", 1e-2, 1e2, (n,), at=(1.0,)),
            Simplex("share", n, interior=True),
            Uniform("chance", 0.0, 1.0, at=(0.0, 0.5, 0.01)),
        )
    )
    every = {"gradient": 2, "active": 2, "coefficient": 0, "share": 0}
    return Case(
        f"{n} clients, {n_local} steps, d = {dim}" + (", activity sees the batches" if sees else ""),
        space,
        _measure,
        ExactCheck(lengths_exact),
        cost=max(1.0, n * n_local * dim / 15),
        symmetries=(units({"gradient": (1, -1)}), permuted_clients(every), split_client(every, ("share",))),
    )


def _lengths(expression: Any, again: Any = None, *, single: bool = False, sees: bool = False) -> Inequality:
    one = Family(
        "one step",
        (Size("N", 1, 300, 2), Size("d", 1, 8, 1)),
        lambda N, d: _case(int(N), 1, int(d), sees=sees),
    )
    more = Family(
        "a round",
        (Size("N", 1, 100, 2), Size("E", 2, 100, 2)),
        lambda N, E: _case(int(N), int(E), 1, sees=sees),
    )
    bound = Bound(expression, again=again, degrees=_DEGREES)
    return Inequality(bound, (one,) if single else (one, more), degrees=(2, -2))


def jensen_again(jensen: Any) -> Any:
    """The middle member of (57)."""
    return jensen + 0


def step_again(G2: Any, squares: Any) -> Any:
    """The last member of (57)."""
    return squares * G2


def each_again(E: Any, each: Any) -> Any:
    """The middle member of (58)."""
    return each * E


def round_again(E: Any, G2: Any, squares: Any) -> Any:
    """The last member of (58)."""
    return squares * E * G2


_SEEING = "No correlation of the activity is excluded; α and s averaged on the right, which the print for every outcome implies."
E57 = Claim(
    id="EFL-E57",
    kind=Kind.INEQUALITY,
    source="Eq. (57), A.2.1",
    title="Second moment of a step",
    statement=(
        r"\mathbb E_\xi[h_{\tau E+j}^2]=\mathbb E_\xi\Big\|\sum_kp_\tau^k\alpha g^k\Big\|^2\le\sum_k\frac{(p_\tau^k)^2}{p^k}\mathbb E_\xi"
        r"\|\alpha g^k\|^2\le\sum_k\frac{(p_\tau^k)^2}{p^k}G^2\alpha_{\tau E+j}^k"
    ),
    says="The mean squared step of ω̄ is at most G² times the weighted number of active clients.",
    assumes=("A4", "pᵏ > 0, Σpᵏ = 1", "any coefficients, clients not independent"),
    readings=(
        Reading("first to middle member", "Jensen.", _lengths(jensen, jensen_again, single=True, sees=True)),
        Reading("first to last member, activity fixed", "α given.", _lengths(G2 * squares, step_again, single=True)),
        Reading(
            "first to last member, activity depends on the batches",
            _SEEING,
            _lengths(G2 * squares, step_again, single=True, sees=True),
        ),
    ),
    canaries=(
        Canary(
            "p_τᵏ in place of (p_τᵏ)²/pᵏ",
            _lengths(G2 * linear, single=True),
            "one client with p_τᵏ = 10: the left side is 100 times its squared gradient, the right side 10 times",
        ),
    ),
    tight="(p_τᵏ/pᵏ)g the same for all clients, of mean square G²",
    depends_on=("EFL-A4",),
    verdict_words=(
        "Jensen's inequality for the shares pᵏ, then A4. The line takes the activity as given, since α stands "
        "outside the expectation over the batches; so it is true. Were the activity to depend on the batches, a "
        "step done just when its gradient is large would have a larger mean square than G² times the chance of "
        "being done."
    ),
)
E58 = Claim(
    id="EFL-E58",
    kind=Kind.INEQUALITY,
    source="Eq. (58), A.2.1",
    title="Second moment of the path of a round",
    statement=(
        r"\mathbb E_\xi\Big[\Big(\sum_{j=0}^{E-1}h_{\tau E+j}\Big)^2\Big]\le\mathbb E_\xi\Big[E\sum_{j=0}^{E-1}h_{\tau E+j}^2\Big]\le EG^2"
        r"\sum_k\frac{(p_\tau^k)^2}{p^k}s_\tau^k"
    ),
    says="The mean squared path of ω̄ in a round is at most EG² times the weighted number of steps.",
    assumes=("A4", "pᵏ > 0, Σpᵏ = 1", "any coefficients"),
    readings=(
        Reading("first to middle member", "Cauchy–Schwarz.", _lengths(E * each, each_again, sees=True)),
        Reading("first to last member, activity fixed", "s given.", _lengths(E * G2 * squares, round_again)),
        Reading(
            "first to last member, activity depends on the batches",
            _SEEING,
            _lengths(E * G2 * squares, round_again, sees=True),
        ),
    ),
    canaries=(
        Canary(
            "factor E dropped", _lengths(each), "two equal steps: the square of their sum is 4, the sum of squares 2"
        ),
    ),
    tight="equal steps of one client, all of mean square G²",
    depends_on=("EFL-E57",),
    verdict_words=(
        "Cauchy–Schwarz and (57), attained by equal steps. As in (57) the line takes the activity as given, with "
        "s outside the expectation; if it depended on the batches, the last member could be too small."
    ),
)

CLAIMS: tuple[Claim, ...] = (E57, E58)
