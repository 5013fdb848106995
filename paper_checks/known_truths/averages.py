"""K7, K8, K10, K13, K15 and K17: what weights on the simplex do to vectors, points and losses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.drawing import over, ranging, sized
from paper_checks.known_truths.notation import NOTATION, Coordinates, Plain, Seen
from theory.exact import dot, weighted_sum
from validation import Case, Instance, LogScale, Signed, Simplex, Space
from validation.world import World, at, case, le, mutant, reading, remark

__all__ = ["CLAIMS"]

joined2, mean2, squares, plain, but_last = NOTATION.symbols("joined2 mean2 squares plain but_last")
moved2, chi2, swapped, applied2 = NOTATION.symbols("moved2 chi2 swapped applied2")
around_mean, around_v, shift2 = NOTATION.symbols("around_mean around_v shift2")
weighed, total, n, smallest, but_largest = NOTATION.symbols("weighed total n smallest but_largest")
reweighed, tilt, mean_excess, least, chi, apart = NOTATION.symbols("reweighed tilt mean_excess least chi apart")
quotient, top, low, half, p_i, p_j = NOTATION.symbols("quotient top low half p_i p_j")


def of_clients(
    name: str,
    drawn: Callable[..., Coordinates],
    seen: Callable[..., Seen],
    exact: Callable[..., Plain],
    *,
    uses: tuple[Callable[..., Any], ...] = (dot, weighted_sum),
    low: int = 1,
    vectors: bool = True,
    **chosen: Any,
) -> World:
    """Up to 300 clients in up to 8 dimensions, or in none: then `drawn` takes N alone."""

    def at(N: int, d: int = 0) -> Case:
        sizes = {"N": N, **({"d": d} if d else {})}
        space, cost = Space(drawn(**sizes)), max(1.0, N * max(d, 1) / 50)
        return case(sized(name, **sizes), space, seen, exact, uses=uses, cost=cost, **chosen)

    of: dict[str, Any] = {"d": (1, 8, 2)} if vectors else {}
    return ranging(name, at, N=(low, 300, 3), **of)


def mean(x: Instance) -> Seen:
    """A weighted sum of vectors against their squares; `total` scales the weights off the simplex."""
    a, g = x["weights"] * x.get("total", np.ones(1))[:, None], x["vectors"]
    size = (g**2).sum(axis=-1)
    return {
        "joined2": (np.einsum("ni,nij->nj", a, g) ** 2).sum(axis=-1),
        "mean2": (a * size).sum(axis=-1),
        "squares": (a**2 * size).sum(axis=-1),
        "plain": size.mean(axis=-1),
        "but_last": (a * size)[:, :-1].sum(axis=-1),
    }


def mean_exact(x: Seen) -> Plain:
    """|sum a_i g_i|^2; `total` scales the weights off the simplex."""
    a, g = [x.get("total", Fraction(1)) * p for p in x["weights"]], x["vectors"]
    joined, parts = weighted_sum(a, g), [p * dot(v, v) for p, v in zip(a, g, strict=True)]
    met = {"weights non-negative, of sum 1 or as drawn": min(a) >= 0 and ("total" in x or sum(a) == 1)}
    return met, {
        "joined2": dot(joined, joined),
        "mean2": sum(parts),
        "squares": dot(a, parts),
        "plain": sum(dot(v, v) for v in g) / len(g),
        "but_last": sum(parts[:-1], Fraction(0)),
    }


def any_vectors(*extra: LogScale) -> World:
    """Weights on the simplex and any vectors; `extra` may bring `total`, the sum of the weights."""

    def drawn(N: int, d: int) -> Coordinates:
        return (Simplex("weights", N), Signed("vectors", 1e-3, 1e3, (N, d)), *extra)

    return of_clients("any vectors", drawn, mean, mean_exact)


def reweighted(x: Instance) -> Seen:
    """Two sets of weights, and gᵢ = pull (λᵢ − λ̃ᵢ)/λᵢ + deviationᵢ, which is any vector at all."""
    lam, tilde = x["weights"], x["applied"]
    gap, some = lam - tilde, tilde > 0
    g = (gap / lam)[..., None] * x["pull"][:, None, :] + x["deviation"]
    size = (g**2).sum(axis=-1)
    return {
        "moved2": (np.einsum("ni,nij->nj", gap, g) ** 2).sum(axis=-1),
        "chi2": (gap**2 / lam).sum(axis=-1),
        "mean2": (lam * size).sum(axis=-1),
        "swapped": (gap**2 * some / np.where(some, tilde, 1.0)).sum(axis=-1),
        "applied2": (tilde * size).sum(axis=-1),
        "squares": (gap**2 * size).sum(axis=-1),
    }


def reweighted_exact(x: Seen) -> Plain:
    """g_i = pull (lam_i − tilde_i)/lam_i + deviation_i, which is any vector at all."""
    lam, tilde = x["weights"], x["applied"]
    gap = [a - b for a, b in zip(lam, tilde, strict=True)]
    g = [
        [p * c / a + e for p, e in zip(x["pull"], row, strict=True)]
        for a, c, row in zip(lam, gap, x["deviation"], strict=True)
    ]
    moved, size = weighted_sum(gap, g), [dot(v, v) for v in g]
    return {"lambda > 0": min(lam) > 0}, {
        "moved2": dot(moved, moved),
        "chi2": sum(c * c / a for a, c in zip(lam, gap, strict=True)),
        "mean2": dot(lam, size),
        "swapped": sum((c * c / b for b, c in zip(tilde, gap, strict=True) if b > 0), Fraction(0)),
        "applied2": dot(tilde, size),
        "squares": sum(c * c * s for c, s in zip(gap, size, strict=True)),
    }


def two_weights(*, simplex: bool) -> World:
    """λ > 0 and λ̃, both on the simplex, or of any sum with λ̃ of any sign."""

    def drawn(N: int, d: int) -> Coordinates:
        of: Coordinates = (LogScale("weights", 1e-3, 1e3, (N,)), Signed("applied", 1e-3, 1e3, (N,)))
        of = (Simplex("weights", N, interior=True), Simplex("applied", N)) if simplex else of
        return (*of, Signed("pull", 1e-3, 1e3, (d,)), Signed("deviation", 1e-6, 1e3, (N, d)))

    return of_clients("weights on the simplex" if simplex else "any weights", drawn, reweighted, reweighted_exact)


def spread(x: Instance, *, weighted: bool) -> Seen:
    """Points about v = w̄ + shift, and about their mean, `weighted` or plain."""
    a, w = x["weights"], x["points"]
    mean = np.einsum("ni,nij->nj", a, w)
    away = ((w - (mean + x["shift"])[:, None]) ** 2).sum(axis=-1)
    center = mean if weighted else w.mean(axis=1)
    return {
        "around_mean": (a * ((w - center[:, None]) ** 2).sum(axis=-1)).sum(axis=-1),
        "around_v": (a * away).sum(axis=-1),
        "squares": (a**2 * away).sum(axis=-1),
        "but_last": (a * away)[:, :-1].sum(axis=-1),
        "shift2": (x["shift"] ** 2).sum(axis=-1),
        "magnitude": 1e3 * (w**2).sum(axis=-1).max(axis=-1),  # distances below 1e-5 of the points are rounding
    }


def spread_exact(x: Seen, *, weighted: bool) -> Plain:
    """Points about v = mean + shift, and about their weighted mean or the plain one."""
    a, w = x["weights"], x["points"]
    mean = weighted_sum(a, w)
    v = [m + s for m, s in zip(mean, x["shift"], strict=True)]
    center = mean if weighted else weighted_sum([Fraction(1, len(a))] * len(a), w)
    about = [[sum((p - c) ** 2 for p, c in zip(one, to, strict=True)) for one in w] for to in (center, v)]
    parts = [p * s for p, s in zip(a, about[1], strict=True)]
    return {"weights on the simplex": sum(a) == 1 and min(a) >= 0}, {
        "around_mean": dot(a, about[0]),
        "around_v": sum(parts),
        "squares": dot(a, parts),
        "but_last": sum(parts[:-1], Fraction(0)),
        "shift2": dot(x["shift"], x["shift"]),
    }


def any_points(*, weighted: bool = True) -> World:
    """Any points and any shift."""

    def drawn(N: int, d: int) -> Coordinates:
        return (Simplex("weights", N), Signed("points", 1e-3, 1e3, (N, d)), Signed("shift", 1e-6, 1e3, (d,)))

    return of_clients("any points", drawn, spread, spread_exact, weighted=weighted)


def ordered(x: Instance, *, order: int) -> Seen:
    """Weights in the opposite order of x (−1), in the same order (1), or in any (0)."""
    r, values = x["weights"], x["values"]
    if order:
        r, values = np.sort(r, axis=-1)[:, ::order], np.sort(values, axis=-1)
    found, size = (r * values).sum(axis=-1), np.abs(values).max(axis=-1)
    return {
        "weighed": found,
        "total": values.sum(axis=-1),
        "n": np.full(len(values), float(values.shape[1])),
        "smallest": values.min(axis=-1),
        "but_largest": values[:, :-1].sum(axis=-1),
        "magnitude": size,
        # Where both sides are negative or nearly 0, and equal to rounding, their quotient says nothing.
        "admissible": (found > 1e-9 * size) | (np.abs(found - values.mean(axis=-1)) > 1e-12 * size),
    }


def ordered_exact(x: Seen, *, order: int) -> Plain:
    """Clients in order of x: r falling for order −1, rising for 1; for 0 no order is asked for."""
    r, values = list(x["weights"]), list(x["values"])
    met = {"weights on the simplex": sum(r) == 1 and min(r) >= 0}
    if order != 0:
        r.sort(reverse=order < 0)
        values.sort()
    if order < 0:
        met["r falls where x rises"] = all(
            (r[i + 1] - r[i]) * (values[i + 1] - values[i]) <= 0 for i in range(len(r) - 1)
        )
    return met, {
        "weighed": dot(r, values),
        "total": sum(values),
        "n": Fraction(len(values)),
        "smallest": min(values),
        "but_largest": sum(values[:-1], Fraction(0)),
    }


def in_order(order: int) -> World:
    """Weights and values, in the opposite order (−1), in the same (1), or in any (0)."""

    def drawn(N: int) -> Coordinates:
        return (Simplex("weights", N), Signed("values", 1e-3, 1e3, (N,)))

    return of_clients("ordered weights", drawn, ordered, ordered_exact, uses=(dot,), vectors=False, order=order)


def excesses(x: Instance) -> Seen:
    """Excess losses of quadratic clients under α and under their shares p."""
    alpha, p = x["weights"], x["shares"]
    excess = 0.5 * (x["curvature"] * (x["model"][:, None, :] - x["optima"]) ** 2).sum(axis=-1)
    return {
        "reweighed": (alpha * excess).sum(axis=-1),
        "tilt": (alpha / p).max(axis=-1),
        "mean_excess": (p * excess).sum(axis=-1),
        "least": (alpha / p).min(axis=-1),
        "chi": (alpha**2 / p).sum(axis=-1),
        "apart": alpha.max(axis=-1) / p.max(axis=-1),
    }


def excesses_exact(x: Seen) -> Plain:
    """F_i(w) − F_i* of quadratic clients with diagonal curvature."""
    alpha, p = x["weights"], x["shares"]
    excess = [
        sum(h * (w - m) ** 2 for h, w, m in zip(row, x["model"], to, strict=True)) / 2
        for row, to in zip(x["curvature"], x["optima"], strict=True)
    ]
    ratios = [a / b for a, b in zip(alpha, p, strict=True)]
    met = {
        "alpha on the simplex": sum(alpha) == 1 and min(alpha) >= 0,
        "p on the simplex, all positive": sum(p) == 1 and min(p) > 0,
        "every client convex": min(min(row) for row in x["curvature"]) > 0,
    }
    return met, {
        "reweighed": dot(alpha, excess),
        "tilt": max(ratios),
        "mean_excess": dot(p, excess),
        "least": min(ratios),
        "chi": dot(alpha, ratios),
        "apart": max(alpha) / max(p),
    }


def quadratic_clients(N: int, d: int) -> Coordinates:
    """Quadratic clients, their shares p > 0, and any weights α on the simplex."""
    of: Coordinates = (Simplex("weights", N), Simplex("shares", N, interior=True))
    of += (LogScale("curvature", 1e-3, 1e3, (N, d), at=(1e-3, 1.0, 1e3)),)
    return (*of, Signed("model", 1e-3, 1e3, (d,)), Signed("optima", 1e-3, 1e3, (N, d)))


def softmax(x: Instance) -> Seen:
    """Weights by shares and root = exp(s/(2T)); i and j are the first two clients."""
    p, root = x["shares"], x["root"]
    raw = p * root**2
    tilts = raw / raw.sum(axis=-1, keepdims=True) / p
    return {
        "quotient": tilts[:, 0] / tilts[:, 1],
        "top": (root**2).max(axis=-1),
        "low": (root**2).min(axis=-1),
        "half": root.max(axis=-1) / root.min(axis=-1),
        "p_i": p[:, 0],
        "p_j": p[:, 1],
    }


def softmax_exact(x: Seen) -> Plain:
    """root_i = exp(s_i/(2T)), so a_i is p_i root_i^2 over the sum; i and j are the first two clients."""
    p, root = x["shares"], x["root"]
    raw = [b * v * v for b, v in zip(p, root, strict=True)]
    a = [r / sum(raw) for r in raw]
    met = {"p on the simplex, all positive": sum(p) == 1 and min(p) > 0, "exp > 0": min(root) > 0}
    return met, {
        "quotient": (a[0] / p[0]) / (a[1] / p[1]),
        "top": max(root) ** 2,
        "low": min(root) ** 2,
        "half": max(root) / min(root),
        "p_i": p[0],
        "p_j": p[1],
    }


def scores(N: int) -> Coordinates:
    """Shares p > 0 and scores s, given as exp(s/(2T))."""
    return (Simplex("shares", N, interior=True), LogScale("root", 1e-3, 1e3, (N,), at=(1e-3, 1.0, 1e3)))


_SIMPLEX = two_weights(simplex=True)

K7 = remark(
    "K7",
    "known truth",
    "Square of a weighted mean",
    printed=r"\Big\|\sum_ia_ig_i\Big\|^2\le\sum_ia_i\|g_i\|^2",
    plainly="The squared norm of a weighted mean is at most the weighted mean of the squared norms.",
    assumes=["a on the simplex", "gᵢ any vectors"],
    says=le(joined2, mean2),
    world=any_vectors(),
    readings=[reading("as stated", "Weights also on faces and vertices of the simplex.")],
    mutants=[
        mutant(
            "weights squared",
            le(joined2, squares),
            "that needs vectors of mean zero and independent; equal vectors of equal weights have a longer mean",
        ),
        mutant(
            "plain mean on the right",
            le(joined2, plain),
            "with all weight on the one vector that is not 0 the left side is more than the plain mean",
        ),
        mutant(
            "last client dropped on the right",
            le(joined2, but_last),
            "with all weight on the last client the right side is 0",
        ),
        mutant(
            "weights may sum to more than 1",
            None,
            "equal vectors and weights of sum s give s² against s",
            world=any_vectors(LogScale("total", 1.0, 10.0)),
        ),
    ],
    tight="all vectors of clients with positive weight equal",
    supremum=1.0,
    verdict="Jensen's inequality for the convex ‖·‖²: the difference of the two sides is the weighted variance.",
)

K8 = remark(
    "K8",
    "known truth",
    "Cost of reweighting",
    printed=r"""\Big\|\sum_i(\lambda_i-\tilde\lambda_i)g_i\Big\|^2\le\Big(\sum_i\frac{(\lambda_i-
        \tilde\lambda_i)^2}{\lambda_i}\Big)\sum_i\lambda_i\|g_i\|^2""",
    plainly="Changing the weights moves a weighted sum by at most χ² times the weighted mean of squared norms.",
    assumes=["λᵢ > 0", "λ̃ and the vectors gᵢ are any"],
    says=le(moved2, chi2 * mean2),
    world=over(_SIMPLEX, two_weights(simplex=False)),
    readings=[reading("as stated", "Weights on the simplex, and weights of any sum with λ̃ of any sign; path by path.")],
    mutants=[
        mutant(
            "λ̃ in the denominator",
            le(moved2, swapped * mean2),
            "attained by gᵢ = (λᵢ − λ̃ᵢ)/λᵢ, where this sum is smaller than χ²",
            world=_SIMPLEX,
        ),
        mutant(
            "squared norms weighted by λ̃",
            le(moved2, chi2 * applied2),
            "λ̃ may leave out a client whose gradient counts on the left",
            world=_SIMPLEX,
        ),
        mutant(
            "square of the sum replaced by a sum of squares",
            le(moved2, squares),
            "for opposed gradients the square of the sum exceeds the sum of squares",
        ),
        mutant("χ² squared", le(moved2, chi2**2 * mean2), "attained by gᵢ = (λᵢ − λ̃ᵢ)/λᵢ with χ² < 1"),
    ],
    tight="gᵢ proportional to (λᵢ − λ̃ᵢ)/λᵢ",
    supremum=1.0,
    verdict="The Cauchy–Schwarz inequality for (λᵢ − λ̃ᵢ)/√λᵢ and √λᵢ gᵢ.",
)

K10 = remark(
    "K10",
    "known truth",
    "The weighted mean is nearest on average",
    printed=r"\sum_ia_i\|w_i-\bar w\|^2\le\sum_ia_i\|w_i-v\|^2,\qquad\bar w=\sum_ia_iw_i",
    plainly="No point is nearer to the models, in weighted mean square, than their weighted mean.",
    assumes=["a on the simplex", "w̄ = Σ aᵢwᵢ", "wᵢ and v any points"],
    says=le(around_mean, around_v),
    world=any_points(),
    readings=[reading("as stated", "v is given as w̄ plus any vector.")],
    mutants=[
        mutant(
            "plain mean on the left",
            None,
            "for v = w̄ the right side is the least there is, and the plain mean is another point",
            world=any_points(weighted=False),
        ),
        mutant(
            "weights squared on the right",
            le(around_mean, squares),
            "for v = w̄, equal weights and opposed models squared weights make the right side too small",
        ),
        mutant(
            "last client dropped on the right",
            le(around_mean, but_last),
            "for v = w̄ the right side has lost a positive term of the left side",
        ),
        mutant(
            "‖w̄ − v‖² taken off twice",
            le(around_mean, around_v - 2 * shift2),
            "the two sides differ by exactly ‖w̄ − v‖², so taking off twice as much is too much for v ≠ w̄",
        ),
    ],
    tight="v = w̄",
    supremum=1.0,
    verdict="Expanding the square around w̄ gives Σ aᵢ‖wᵢ − v‖² = Σ aᵢ‖wᵢ − w̄‖² + ‖w̄ − v‖².",
)

K13 = remark(
    "K13",
    "known truth",
    "Weights ordered oppositely",
    printed=r"\sum_ir_ix_i\le\frac1N\sum_ix_i",
    plainly="Weights that fall where x rises give at most the plain mean of x.",
    assumes=["r on the simplex", "(rᵢ − rⱼ)(xᵢ − xⱼ) <= 0 for all i, j"],
    says=le(weighed, total / n),
    world=in_order(-1),
    readings=[reading("as stated", "x of any sign; clients are numbered in the order of x.")],
    mutants=[
        mutant(
            "no order asked for",
            None,
            "all weight on the largest x gives the largest x, which exceeds the mean",
            at(weights=[0, 1, 0], values=[0, 1, 0]),
            world=in_order(0),
        ),
        mutant(
            "ordered alike",
            None,
            "the inequality then holds the other way round, strictly for r and x that are not constant",
            at(weights=[1, 0, 0], values=[0, 0, 1]),
            world=in_order(1),
        ),
        mutant(
            "smallest x in place of the mean",
            le(weighed, smallest),
            "equal weights are ordered oppositely to everything, and the mean exceeds the smallest x",
            at(weights=[0, "1/2", "1/2"], values=[-1, 0, 0]),
        ),
        mutant(
            "largest x left out of the sum",
            le(weighed, but_largest / n),
            "with equal weights the right side lacks x_N/N > 0",
            at(weights=["1/3", "1/3", "1/3"], values=[0, 0, 1]),
        ),
    ],
    tight="r constant or x constant",
    supremum=1.0,
    verdict="""Chebyshev's sum inequality: Σᵢⱼ (rᵢ − rⱼ)(xᵢ − xⱼ) = 2NΣ rᵢxᵢ − 2Σ rᵢ Σ xᵢ is a sum of terms that are all
        <= 0.""",
)

K15 = remark(
    "K15",
    "known truth",
    "Excess losses under other weights",
    printed=r"\sum_i\alpha_i(F_i(w)-F_i^\star)\le\max_i\frac{\alpha_i}{p_i}\cdot\sum_ip_i(F_i(w)-F_i^\star)",
    plainly="Other weights raise the mean excess loss by at most the largest quotient of the weights.",
    assumes=["α and p on the simplex, pᵢ > 0", "Fᵢ* the minimum of Fᵢ"],
    says=le(reweighed, tilt * mean_excess),
    world=of_clients("quadratic clients", quadratic_clients, excesses, excesses_exact, uses=(dot,)),
    readings=[reading("as stated", "Quadratic clients.")],
    mutants=[
        mutant(
            "smallest quotient in place of the largest",
            le(reweighed, least * mean_excess),
            "the left side is a mean of quotients; it exceeds the smallest unless α = p",
        ),
        mutant(
            "Σ αᵢ²/pᵢ in place of the largest quotient",
            le(reweighed, chi * mean_excess),
            "that is the mean of the quotients under α; with all excess at the client of the largest, it is too small",
        ),
        mutant(
            "quotient dropped",
            le(reweighed, mean_excess),
            "with all of α on the client that has all the excess the quotient is more than 1",
        ),
        mutant(
            "quotient of the maxima",
            le(reweighed, apart * mean_excess),
            "with all excess at the client of the smaller share the quotient of the maxima is too small",
        ),
    ],
    tight="α = p, or all excess at clients of the largest quotient",
    supremum=1.0,
    verdict="Each αᵢ is at most max(α/p)·pᵢ, and every excess Fᵢ(w) − Fᵢ* is non-negative.",
)

K17 = remark(
    "K17",
    "known truth",
    "Tilt of softmax weights",
    printed=r"\frac{a_i/p_i}{a_j/p_j}\le\exp\Big(\frac{\max_ks_k-\min_ks_k}{T}\Big),\qquad a_k\propto p_ke^{s_k/T}",
    plainly="""Softmax weights tilt two clients against each other by at most the exponential of the range of the
        scores.""",
    assumes=["p on the simplex, pₖ > 0", "aₖ ∝ pₖ exp(sₖ/T), T > 0", "i and j any two clients"],
    says=le(quotient, top / low),
    world=of_clients("softmax weights", scores, softmax, softmax_exact, uses=(), low=2, vectors=False),
    readings=[
        reading("as stated", "Scores are given by exp(sₖ/(2T)), any positive numbers, so that both sides are rational.")
    ],
    mutants=[
        mutant(
            "smallest score dropped",
            le(quotient, top),
            "for scores 0 and −1 the left side is exp(1/T), the right side exp(0)",
            at(shares=["1/3", "1/3", "1/3"], root=[1, "1/2", 1]),
        ),
        mutant(
            "2T in place of T",
            le(quotient, half),
            "for i of the largest and j of the smallest score the left side is the square of this right side",
            at(shares=["1/3", "1/3", "1/3"], root=[1, "1/2", 1]),
        ),
        mutant(
            "shares not divided out",
            le(quotient, top / low * p_j / p_i),
            "it bounds aᵢ/aⱼ; for equal scores that is pᵢ/pⱼ, which exceeds 1 for pᵢ > pⱼ",
        ),
    ],
    tight="i of the largest and j of the smallest score",
    supremum=1.0,
    verdict="The quotient is exp((sᵢ − sⱼ)/T) exactly: the normalisation and the shares cancel.",
)

CLAIMS = (K7, K8, K10, K13, K15, K17)
