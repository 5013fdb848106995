"""K11, K12, K14 and K16: shortest points of hulls, the cost of heterogeneity, and the largest entries of a vector."""

from __future__ import annotations

from typing import Any

from paper_checks.known_truths.geometry_cases import federations, largest_entries, shortest_points
from validation import Bound, Canary, Claim, Family, Inequality, Kind, Reading, symbols

__all__ = ["CLAIMS"]

inner, pairs, shortest, mean2, n, k = symbols("inner pairs shortest mean2 n k")
L, mu, L_mean, far2, squares, mean_off2 = symbols("L mu L_mean far2 squares mean_off2")
norm2, top2 = symbols("norm2 top2")
DEGREES = {
    **dict.fromkeys(("inner", "shortest", "far2", "norm2"), (0, 2)),
    **dict.fromkeys(("n", "k"), (0, 0)),
    "L": (1, -2),
}


def _as_stated(
    says: str, expression: Any, again: Any, cases: tuple[Family, ...], degrees: tuple[int, int]
) -> tuple[Reading]:
    return (Reading("as stated", says, Inequality(Bound(expression, again, DEGREES), cases, degrees=degrees)),)


_HULL = shortest_points(11)
K11 = Claim(
    id="K11",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Every vector leans towards the shortest point",
    statement=r"\|d\|^2\le\langle m_i,d\rangle\quad\forall i,\qquad d=\arg\min_{u\in\mathrm{conv}\{m_1,\dots,m_N\}}\|u\|",
    says="The shortest point d of the hull of the mᵢ has an inner product of at least ‖d‖² with each of them.",
    assumes=("d is the point of least norm in the convex hull of the mᵢ",),
    readings=_as_stated(
        "The least inner product over i; d is the shortest of the stationary points of all faces, up to four vectors.",
        inner,
        lambda inner: inner * 1,
        _HULL,
        (0, 2),
    ),
    canaries=(
        Canary(
            "mean instead of the shortest point",
            Inequality(Bound(inner), shortest_points(11, of=1.0)),
            "for m = 1 and −3 the mean is −1, and its inner product with 1 is −1 < 1",
        ),
        Canary(
            "one vector left out of the hull",
            Inequality(Bound(inner), shortest_points(11, of=2.0)),
            "for m = 1 and −1 the point is d = 1 if −1 is left out, and −1 has inner product −1 with it",
        ),
        Canary(
            "inner products of pairs",
            Inequality(Bound(pairs), _HULL),
            "for m = (1, 1) and (−1/2, 1) the shortest point is (0, 1), of ‖d‖² = 1, and ⟨m₁, m₂⟩ = 1/2",
        ),
        Canary(
            "inner product squared",
            Inequality(Bound(inner**2), _HULL),
            "for one vector both printed sides are ‖m‖², and ‖m‖⁴ < ‖m‖² for ‖m‖ < 1",
        ),
    ),
    tight="every mᵢ that takes part in d",
    verdict_words=(
        "Moving from d towards any mᵢ stays in the hull and cannot shorten d, so the derivative ⟨mᵢ − d, d⟩ is >= 0. It "
        "is 0 for every mᵢ of positive weight."
    ),
    supremum=1.0,
)

_NORM = shortest_points(12)
K12 = Claim(
    id="K12",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="The shortest point is no longer than any vector",
    statement=r"\|d\|\le\min_i\|m_i\|",
    says="The shortest point of the hull is no longer than the shortest vector; both sides are squared here.",
    assumes=("d is the point of least norm in the convex hull of the mᵢ",),
    readings=_as_stated(
        "d is the stationary point of a face that meets the condition of optimality, up to four vectors.",
        shortest,
        lambda shortest: shortest / 1,
        _NORM,
        (0, 2),
    ),
    canaries=(
        Canary(
            "mean instead of the shortest point",
            Inequality(Bound(shortest), shortest_points(12, of=1.0)),
            "for m = 1 and 3 the mean is 2 > 1",
        ),
        Canary(
            "one vector left out of the hull",
            Inequality(Bound(shortest), shortest_points(12, of=2.0)),
            "for m = 2 and 1 the point is d = 2 if 1 is left out",
        ),
        Canary(
            "mean of squared norms over n, as for independent vectors",
            Inequality(Bound(mean2 / n), _NORM),
            "for equal vectors ‖d‖² = ‖m‖², and the right side is ‖m‖²/n",
        ),
        Canary(
            "inner products of pairs",
            Inequality(Bound(pairs), _NORM),
            "for m = (1, 1) and (−1/2, 1) the shortest point is (0, 1), of ‖d‖² = 1, and ⟨m₁, m₂⟩ = 1/2",
        ),
    ),
    tight="⟨mᵢ, m⟩ >= ‖m‖² for the shortest m and all i",
    verdict_words="Each mᵢ is itself a point of the hull, and d is the shortest of them all.",
    supremum=1.0,
)

_FEDERATIONS = federations()
K14 = Claim(
    id="K14",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Cost of heterogeneity",
    statement=r"\Gamma=F^\star-\sum_ip_iF_i^\star\le\frac L2\sum_ip_i\|w^\star-w_i^\star\|^2",
    says="The gap Γ is at most L/2 times the weighted mean square distance of the clients' minimisers to w*.",
    assumes=("every Fᵢ is L-smooth with minimiser wᵢ*", "w* minimises F = Σ pᵢFᵢ", "p on the simplex"),
    readings=_as_stated(
        "Strongly convex quadratic clients in up to three bases, each with its own minimum.",
        L * far2 / 2,
        lambda L, far2: far2 * (L / 2),
        _FEDERATIONS,
        (1, 0),
    ),
    canaries=(
        Canary(
            "μ in place of L",
            Inequality(Bound(mu * far2 / 2), _FEDERATIONS),
            "the same argument from below gives Γ >= (μ/2)Σ pᵢ‖w* − wᵢ*‖², strictly unless all curvatures are μ",
        ),
        Canary(
            "weights squared",
            Inequality(Bound(L * squares / 2), _FEDERATIONS),
            "with one curvature for all both printed sides are equal, and pᵢ² < pᵢ",
        ),
        Canary(
            "square of the mean instead of the mean square",
            Inequality(Bound(L * mean_off2 / 2), _FEDERATIONS),
            "with one curvature for all w* is the mean of the wᵢ*, so the right side is 0 and Γ > 0",
        ),
        Canary(
            "mean of the clients' smoothness in place of the largest",
            Inequality(Bound(L_mean * far2 / 2), _FEDERATIONS),
            "shares 0.01 and 0.99, curvatures 10 and 1, minima 1 and 0: w* = 0.0917, Γ = 0.0454, the right side 0.0090",
        ),
    ),
    tight="every w* − wᵢ* along an axis of curvature L",
    verdict_words=(
        "Each Fᵢ(w*) − Fᵢ* is at most (L/2)‖w* − wᵢ*‖², the parabola above Fᵢ at its own minimiser; the weighted mean "
        "of these is the statement."
    ),
    supremum=1.0,
)

_ENTRIES = largest_entries()
K16 = Claim(
    id="K16",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="What keeping the k largest entries loses",
    statement=r"\|x-\mathrm{top}_k(x)\|^2\le\Big(1-\frac kn\Big)\|x\|^2",
    says="Keeping the k largest of n entries loses at most the share 1 − k/n of the squared norm.",
    assumes=("top_k keeps k entries of largest size", "0 < k <= n"),
    readings=_as_stated(
        "Every k from 1 to n.",
        (1 - k / n) * norm2,
        lambda k, n, norm2: (n - k) / n * norm2,
        _ENTRIES,
        (0, 2),
    ),
    canaries=(
        Canary(
            "first entries instead of the largest",
            Inequality(Bound((1 - k / n) * norm2), largest_entries(0.0)),
            "x = (0, 1) with k = 1 loses everything, and the right side is 1/2",
        ),
        Canary(
            "1 − k/n squared",
            Inequality(Bound((1 - k / n) ** 2 * norm2), _ENTRIES),
            "entries of equal size lose exactly the share 1 − k/n, more than its square for k < n",
        ),
        Canary(
            "k + 1 in place of k",
            Inequality(Bound((1 - (k + 1) / n) * norm2), _ENTRIES),
            "entries of equal size lose exactly the share 1 − k/n",
        ),
        Canary(
            "largest entry in place of the norm",
            Inequality(Bound((1 - k / n) * top2), _ENTRIES),
            "entries of equal size: n − k entries of size 1 are lost, against (n − k)/n",
        ),
    ),
    tight="all entries of equal size",
    verdict_words=(
        "The k largest squared entries have at least the mean of all n, so they carry at least the share k/n of the sum."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K11, K12, K14, K16)
