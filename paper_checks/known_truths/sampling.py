"""K25: clients drawn with replacement give an average whose variance falls as one over their number."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theory.exact import dot, weighted_sum
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

K, mean_square, square_mean, flat = symbols("K mean_square square_mean flat")


def drawn_again(K: Any, mean_square: Any) -> Any:
    """K25 once more."""
    return mean_square / K


DRAWN = Bound(mean_square / K, again=drawn_again, degrees={"K": (0, 0), "mean_square": (2, -2)})


def _drawn(x: Instance) -> Mapping[str, Any]:
    """One draw's variance about the mean, over K independent draws; `once`: the same client K times."""
    p, g, K = x["share"], x["gradient"], x["draws"]
    mean = (p[:, :, None] * g).sum(axis=1)
    law = p if "uniform" not in x else 0 * p + 1 / p.shape[1]
    centre = (law[:, :, None] * g).sum(axis=1)
    spread = (law * ((g - centre[:, None]) ** 2).sum(axis=2)).sum(axis=1)
    return {
        "lhs": spread / (1 if "once" in x else K) + ((centre - mean) ** 2).sum(axis=1),
        "K": K,
        "mean_square": (p * (g**2).sum(axis=2)).sum(axis=1),
        "square_mean": (mean**2).sum(axis=1),
        "flat": (p**2 * (g**2).sum(axis=2)).sum(axis=1),
        "magnitude": 1e-3 * (g**2).sum(axis=2).max(axis=1),
    }


def drawn_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every outcome of the K draws while N^K <= 300; beyond, the mean of K independent draws by its pairs."""
    p, g, K, n = x["share"], x["gradient"], int(x["draws"]), len(x["share"])
    law = [Fraction(1, n) for _ in p] if "uniform" in x else p
    mean = weighted_sum(p, g)
    # Twice the same client: E⟨g, g⟩; two independent ones: ⟨E g, E g⟩.
    own = sum(q * dot(u, u) for q, u in zip(law, g, strict=True))
    centre = weighted_sum(law, g)
    if "once" in x:
        outcomes = [(q, [K * int(i == k) for i in range(n)]) for k, q in enumerate(law)]
    else:
        outcomes = [(Fraction(1), [0] * n)] if n**K <= 300 else []
        for _ in range(K if outcomes else 0):
            outcomes = [
                (chance * law[k], [c + int(i == k) for i, c in enumerate(counts)])
                for chance, counts in outcomes
                for k in range(n)
            ]
    lhs = Fraction(0)
    for q, counts in outcomes:
        apart = [y - z for y, z in zip(weighted_sum([Fraction(c, K) for c in counts], g), mean, strict=True)]
        lhs += q * dot(apart, apart)
    if not outcomes:
        lhs = own / K + Fraction(K - 1, K) * dot(centre, centre) - 2 * dot(centre, mean) + dot(mean, mean)
    constants = {
        "lhs": lhs,
        "K": Fraction(K),
        "mean_square": sum(q * dot(u, u) for q, u in zip(p, g, strict=True)),
        "square_mean": dot(mean, mean),
        "flat": sum(q * q * dot(u, u) for q, u in zip(p, g, strict=True)),
    }
    return {"shares on the simplex": sum(p) == 1 and min(p) >= 0, "K >= 1": K >= 1}, constants


_EXACT = ExactCheck(drawn_exact, (dot, weighted_sum))


def _family(name: str, *flags: str) -> tuple[Family, ...]:
    def at(N: float, K: float, d: float) -> Case:
        space = Space(
            (
                Simplex("share", int(N)),
                Signed("gradient", 1e-3, 1e3, (int(N), int(d))),
                Choice("draws", (float(K),)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        return Case(f"{name}, N = {int(N)}, K = {int(K)}, d = {int(d)}", space, _drawn, _EXACT)

    return (Family(name, (Size("N", 1, 300, 3), Size("K", 1, 300, 2), Size("d", 1, 8, 2)), at),)


_CASES = _family("draws with replacement")
_ONCE = _family("one client drawn K times", "once")
_UNIFORM = _family("uniform draws", "uniform")

K25 = Claim(
    id="K25",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Clients drawn with replacement",
    statement=(r"\mathbb E\Bigl\|\tfrac1K\sum_kg_{i_k}-\sum_ip_ig_i\Bigr\|^2\le\tfrac1K\sum_ip_i\|g_i\|^2"),
    says="The average over K clients drawn with replacement by p misses the mean by at most Σ p_i‖g_i‖²/K in mean square.",
    assumes=("K clients drawn independently by p", "any vectors g_i"),
    readings=(
        Reading(
            "as stated",
            "Up to 300 clients and 300 draws; mean_square is Σ p_i‖g_i‖².",
            Inequality(DRAWN, _CASES, degrees=(2, -2)),
        ),
    ),
    canaries=(
        Canary(
            "draws need not be independent",
            Inequality(DRAWN, _ONCE),
            "one client counted K times has the variance of one draw, and with Σ p_ig_i = 0 that is Σ p_i‖g_i‖²",
        ),
        Canary(
            "1/K lowered to 1/K²",
            Inequality(Bound(mean_square / K**2), _CASES),
            "for Σ p_ig_i = 0 both sides agree with 1/K, and 1/K² < 1/K for K >= 2",
        ),
        Canary(
            "the mean of squares replaced by the square of the mean",
            Inequality(Bound(square_mean / K), _CASES),
            "for Σ p_ig_i = 0 the right side is 0 while the left side is Σ p_i‖g_i‖²/K",
        ),
        Canary(
            "uniform draws, the mean by p",
            Inequality(DRAWN, _UNIFORM),
            "with all of p on a client of g = 0 the right side is 0, and uniform draws bring other clients",
        ),
        Canary(
            "p_i² in place of p_i",
            Inequality(Bound(flat / K), _CASES),
            "for p_1 = p_2 = 1/2, g_2 = −g_1 the left side is ‖g_1‖²/K and the right side half of it",
        ),
    ),
    tight="Σ p_ig_i = 0",
    verdict_words=(
        "It holds. The variance of the mean of K independent draws is 1/K of one draw's, and one draw's variance is its "
        "second moment less the square of its mean."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K25,)
