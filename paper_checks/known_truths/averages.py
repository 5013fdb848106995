"""K7, K8, K10, K13, K15 and K17: what weights on the simplex do to vectors, points and losses."""

from __future__ import annotations

from typing import Any

from paper_checks.known_truths.averages_cases import point_spread, reweighted_sum, weighted_mean
from paper_checks.known_truths.weights_cases import excess_losses, opposite_orders, softmax_weights
from validation import Bound, Canary, Choice, Claim, Family, Inequality, Kind, LogScale, Reading, symbols

__all__ = ["CLAIMS"]

mean2, squares, plain, but_last, chi2, swapped, applied2 = symbols("mean2 squares plain but_last chi2 swapped applied2")
around_v, shift2, total, n, smallest = symbols("around_v shift2 total n smallest")
tilt, mean_excess, least, chi, apart = symbols("tilt mean_excess least chi apart")
top, low, half, p_i, p_j = symbols("top low half p_i p_j")
DEGREES = {
    **dict.fromkeys(("mean2", "around_v"), (0, 2)),
    **dict.fromkeys(("total", "mean_excess"), (1, 0)),
    **dict.fromkeys(("chi2", "n", "tilt", "top", "low"), (0, 0)),
}


def _as_stated(
    says: str, expression: Any, again: Any, cases: tuple[Family, ...], degrees: tuple[int, int]
) -> tuple[Reading]:
    return (Reading("as stated", says, Inequality(Bound(expression, again, DEGREES), cases, degrees=degrees)),)


_WEIGHTED = weighted_mean()
K7 = Claim(
    id="K7",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Square of a weighted mean",
    statement=r"\Big\|\sum_ia_ig_i\Big\|^2\le\sum_ia_i\|g_i\|^2",
    says="The squared norm of a weighted mean is at most the weighted mean of the squared norms.",
    assumes=("a on the simplex", "gᵢ any vectors"),
    readings=_as_stated(
        "Weights also on faces and vertices of the simplex.", mean2, lambda mean2: +mean2, _WEIGHTED, (0, 2)
    ),
    canaries=(
        Canary(
            "weights squared",
            Inequality(Bound(squares), _WEIGHTED),
            "that needs vectors of mean zero and independent; equal vectors with a = (1/2, 1/2) give 1 against 1/2",
        ),
        Canary(
            "plain mean on the right",
            Inequality(Bound(plain), _WEIGHTED),
            "with a = (1, 0) and g = (1, 0) the left side is 1, the plain mean 1/2",
        ),
        Canary(
            "last client dropped on the right",
            Inequality(Bound(but_last), _WEIGHTED),
            "with all weight on the last client the right side is 0",
        ),
        Canary(
            "weights may sum to more than 1",
            Inequality(Bound(mean2), weighted_mean(LogScale("total", 1.0, 10.0))),
            "equal vectors and weights of sum s give s² against s",
        ),
    ),
    tight="all vectors of clients with positive weight equal",
    verdict_words="Jensen's inequality for the convex ‖·‖²: the difference of the two sides is the weighted variance.",
    supremum=1.0,
)

_SIMPLEX = reweighted_sum("weights on the simplex")
_REWEIGHTED = reweighted_sum("weights on the simplex", "any weights")
K8 = Claim(
    id="K8",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Cost of reweighting",
    statement=(
        r"\Big\|\sum_i(\lambda_i-\tilde\lambda_i)g_i\Big\|^2\le"
        r"\Big(\sum_i\frac{(\lambda_i-\tilde\lambda_i)^2}{\lambda_i}\Big)\sum_i\lambda_i\|g_i\|^2"
    ),
    says="Changing the weights moves a weighted sum by at most χ² times the weighted mean of squared norms.",
    assumes=("λᵢ > 0", "λ̃ and the vectors gᵢ are any"),
    readings=_as_stated(
        "Weights on the simplex, and weights of any sum with λ̃ of any sign; path by path.",
        chi2 * mean2,
        lambda chi2, mean2: mean2 * chi2,
        _REWEIGHTED,
        (0, 2),
    ),
    canaries=(
        Canary(
            "λ̃ in the denominator",
            Inequality(Bound(swapped * mean2), _SIMPLEX),
            "attained by gᵢ = (λᵢ − λ̃ᵢ)/λᵢ with χ² = 1.78 at λ = (0.1, 0.9), λ̃ = (0.5, 0.5); this sum is 0.64 there",
        ),
        Canary(
            "squared norms weighted by λ̃",
            Inequality(Bound(chi2 * applied2), _SIMPLEX),
            "λ = (1/2, 1/2), λ̃ = (1, 0) and g = (0, 1): the left side is 1/4, the right side 0",
        ),
        Canary(
            "square of the sum replaced by a sum of squares",
            Inequality(Bound(squares), _REWEIGHTED),
            "λ = (1/2, 1/2), λ̃ = (1, 0) and g = (−1, 1): the left side is 1, Σ(λᵢ − λ̃ᵢ)²‖gᵢ‖² = 1/2",
        ),
        Canary(
            "χ² squared",
            Inequality(Bound(chi2**2 * mean2), _REWEIGHTED),
            "attained by gᵢ = (λᵢ − λ̃ᵢ)/λᵢ with χ² < 1",
        ),
    ),
    tight="gᵢ proportional to (λᵢ − λ̃ᵢ)/λᵢ",
    verdict_words="The Cauchy–Schwarz inequality for (λᵢ − λ̃ᵢ)/√λᵢ and √λᵢ gᵢ.",
    supremum=1.0,
)

_POINTS = point_spread()
K10 = Claim(
    id="K10",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="The weighted mean is nearest on average",
    statement=r"\sum_ia_i\|w_i-\bar w\|^2\le\sum_ia_i\|w_i-v\|^2,\qquad\bar w=\sum_ia_iw_i",
    says="No point is nearer to the models, in weighted mean square, than their weighted mean.",
    assumes=("a on the simplex", "w̄ = Σ aᵢwᵢ", "wᵢ and v any points"),
    readings=_as_stated("v is given as w̄ plus any vector.", around_v, lambda around_v: around_v * 1, _POINTS, (0, 2)),
    canaries=(
        Canary(
            "plain mean on the left",
            Inequality(Bound(around_v), point_spread(Choice("plain", (1.0,)))),
            "for v = w̄ the right side is the least there is, and the plain mean is another point",
        ),
        Canary(
            "weights squared on the right",
            Inequality(Bound(squares), _POINTS),
            "for v = w̄, a = (1/2, 1/2) and w = (−1, 1) the left side is 1, the right side 1/2",
        ),
        Canary(
            "last client dropped on the right",
            Inequality(Bound(but_last), _POINTS),
            "for v = w̄ the right side has lost a positive term of the left side",
        ),
        Canary(
            "‖w̄ − v‖² taken off twice",
            Inequality(Bound(around_v - 2 * shift2), _POINTS),
            "the two sides differ by exactly ‖w̄ − v‖², so taking off twice as much is too much for v ≠ w̄",
        ),
    ),
    tight="v = w̄",
    verdict_words="Expanding the square around w̄ gives Σ aᵢ‖wᵢ − v‖² = Σ aᵢ‖wᵢ − w̄‖² + ‖w̄ − v‖².",
    supremum=1.0,
)

_OPPOSITE = opposite_orders()
K13 = Claim(
    id="K13",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Weights ordered oppositely",
    statement=r"\sum_ir_ix_i\le\frac1N\sum_ix_i",
    says="Weights that fall where x rises give at most the plain mean of x.",
    assumes=("r on the simplex", "(rᵢ − rⱼ)(xᵢ − xⱼ) <= 0 for all i, j"),
    readings=_as_stated(
        "x of any sign; clients are numbered in the order of x.",
        total / n,
        lambda n, total: total * (1 / n),
        _OPPOSITE,
        (1, 0),
    ),
    canaries=(
        Canary(
            "no order asked for",
            Inequality(Bound(total / n), opposite_orders(0.0)),
            "all weight on the largest x gives the largest x, which exceeds the mean",
        ),
        Canary(
            "ordered alike",
            Inequality(Bound(total / n), opposite_orders(1.0)),
            "the inequality then holds the other way round, strictly for r and x that are not constant",
        ),
        Canary(
            "smallest x in place of the mean",
            Inequality(Bound(smallest), _OPPOSITE),
            "equal weights are ordered oppositely to everything, and the mean exceeds the smallest x",
        ),
        Canary(
            "largest x left out of the sum",
            Inequality(Bound(but_last / n), _OPPOSITE),
            "with equal weights the right side lacks x_N/N > 0",
        ),
    ),
    tight="r constant or x constant",
    verdict_words=(
        "Chebyshev's sum inequality: Σᵢⱼ (rᵢ − rⱼ)(xᵢ − xⱼ) = 2NΣ rᵢxᵢ − 2Σ rᵢ Σ xᵢ is a sum of terms that are all <= 0."
    ),
    supremum=1.0,
)

_LOSSES = excess_losses()
K15 = Claim(
    id="K15",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Excess losses under other weights",
    statement=(r"\sum_i\alpha_i(F_i(w)-F_i^\star)\le\max_i\frac{\alpha_i}{p_i}\cdot\sum_ip_i(F_i(w)-F_i^\star)"),
    says="Other weights raise the mean excess loss by at most the largest quotient of the weights.",
    assumes=("α and p on the simplex, pᵢ > 0", "Fᵢ* the minimum of Fᵢ"),
    readings=_as_stated(
        "Quadratic clients.",
        tilt * mean_excess,
        lambda mean_excess, tilt: mean_excess * tilt,
        _LOSSES,
        (1, 0),
    ),
    canaries=(
        Canary(
            "smallest quotient in place of the largest",
            Inequality(Bound(least * mean_excess), _LOSSES),
            "the left side is a mean of quotients; it exceeds the smallest unless α = p",
        ),
        Canary(
            "Σ αᵢ²/pᵢ in place of the largest quotient",
            Inequality(Bound(chi * mean_excess), _LOSSES),
            "that is the mean of the quotients under α; with all excess at the client of the largest, it is too small",
        ),
        Canary(
            "quotient dropped",
            Inequality(Bound(mean_excess), _LOSSES),
            "p = (1/2, 1/2), α = (1, 0) and all excess at the first client: 1 against 1/2",
        ),
        Canary(
            "quotient of the maxima",
            Inequality(Bound(apart * mean_excess), _LOSSES),
            "α = (1/2, 1/2), p = (0.9, 0.1) and all excess x at the second client: x/2 against x/18",
        ),
    ),
    tight="α = p, or all excess at clients of the largest quotient",
    verdict_words="Each αᵢ is at most max(α/p)·pᵢ, and every excess Fᵢ(w) − Fᵢ* is non-negative.",
    supremum=1.0,
)

_SOFTMAX = softmax_weights()
K17 = Claim(
    id="K17",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Tilt of softmax weights",
    statement=(r"\frac{a_i/p_i}{a_j/p_j}\le\exp\Big(\frac{\max_ks_k-\min_ks_k}{T}\Big),\qquad a_k\propto p_ke^{s_k/T}"),
    says="Softmax weights tilt two clients against each other by at most the exponential of the range of the scores.",
    assumes=("p on the simplex, pₖ > 0", "aₖ ∝ pₖ exp(sₖ/T), T > 0", "i and j any two clients"),
    readings=_as_stated(
        "Scores are given by exp(sₖ/(2T)), any positive numbers, so that both sides are rational.",
        top / low,
        lambda low, top: top * (1 / low),
        _SOFTMAX,
        (0, 0),
    ),
    canaries=(
        Canary(
            "smallest score dropped",
            Inequality(Bound(top), _SOFTMAX),
            "for scores 0 and −1 the left side is exp(1/T), the right side exp(0)",
        ),
        Canary(
            "2T in place of T",
            Inequality(Bound(half), _SOFTMAX),
            "for i of the largest and j of the smallest score the left side is the square of this right side",
        ),
        Canary(
            "shares not divided out",
            Inequality(Bound(top / low * p_j / p_i), _SOFTMAX),
            "it bounds aᵢ/aⱼ; for equal scores that is pᵢ/pⱼ, which exceeds 1 for pᵢ > pⱼ",
        ),
    ),
    tight="i of the largest and j of the smallest score",
    verdict_words="The quotient is exp((sᵢ − sⱼ)/T) exactly: the normalisation and the shares cancel.",
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K7, K8, K10, K13, K15, K17)
