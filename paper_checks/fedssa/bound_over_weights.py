"""SSA-RA6, SSA-RA7, SSA-D5 and SSA-S23: which weights make the right side of Theorem A.5 smallest."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from paper_checks.fedssa.bound_over_weights_cases import limits, mismatch, two_weightings
from validation import Canary, Claim, Identity, symbols
from validation.world.stated import stated

__all__ = ["CLAIMS"]

_QUIET = two_weightings("quiet")
_FARTHER = Canary(
    "p and w exchanged",
    two_weightings("quiet", "swapped"),
    "without noise W_D > 0 makes the numerator larger and the denominator smaller",
)

RA6 = stated(
    r"""SSA-RA6 (remark; Remark A.6): The bound is tightest at w = p
    Print: w=p\ \Rightarrow\ W_D=0,\ T_2=0,\ \text{largest denominator, and the right side of A.5 is smallest}
    Plainly: With weights equal to the objective's coefficients W_D and T₂ vanish, and the bound is the tightest.
    Assumes: p and w on the simplex | everything but w the same
    Reading: the formula as it stands | Denominators of any sign. | part: tightest | cut denominator = negative |
      because: nothing in A.5 keeps the denominator positive
    Reading: denominators positive | The right side at p is at most that at any w on the simplex with a positive
      denominator, too. | part: tightest | because: T₃ carries Σw², which is smallest at equal weights
    Reading: denominators positive and no noise | σ² = 0. | part: tightest | condition: denominators positive |
      condition: σ² = 0
    Reading: denominators positive and equal coefficients | pₖ = 1/K, any noise. | part: tightest | condition:
      denominators positive | condition: p_k = 1/K | met by: the Uniform target of NIID-1, p_k = n_k = 1/5 (Sec. 5.4,
      (3): FedAvg's weights «are appropriate»), with a step for which 1 − C − 2AC > 0
    Reading: W_D, T₂ and the denominator only | W_D = T₂ = 0 at p and the denominator is largest there. | part: W_D,
      T₂ and the denominator
    Mutant: p and w exchanged | without noise W_D > 0 makes the numerator larger and the denominator smaller
    Mutant: p and w exchanged, equal coefficients | equal weights have the least Σw² as well
    Tight: w = p
    Rests on: SSA-TA5, SSA-D2, SSA-D4, SSA-S23
    Verdict: That the bound is the tightest at w = p needs conditions that are not printed: positive denominators and
      equal coefficients, pₖ = 1/K (or no noise). The Uniform target of NIID-1, pₖ = nₖ = 1/5, meets them, with a step
      for which 1 − C − 2AC > 0. The other facts are right as printed: at w = p W_D and T₂ are 0 and the denominator
      is largest. But T₃ carries σ²Σwₖ², which is smallest at equal weights. For p not uniform a small step from p
      towards equal weights lowers T₃ to first order and raises the rest to second order only (SSA-S23), so with any
      noise the bound is smaller somewhere else (by up to an eighth in the search). Where the denominator at w is
      negative, so is the right side.""",
    two_weightings("any_sign"),
    readings={
        "denominators positive": two_weightings(),
        "denominators positive and no noise": _QUIET,
        "denominators positive and equal coefficients": two_weightings("even"),
        "W_D, T₂ and the denominator only": mismatch(),
    },
    mutants={
        "p and w exchanged": two_weightings("quiet", "swapped"),
        "p and w exchanged, equal coefficients": two_weightings("even", "swapped"),
    },
)

RA7 = stated(
    r"""SSA-RA7 (remark; Remark A.7): FedAvg's weights make the bound looser
    Print: w_k:=n_k\ne p_k\ \Rightarrow\ W_D>0\ \text{and the right side of A.5 is larger than at }w=p
    Plainly: With weights by data size, different from p, W_D is positive and the bound is looser.
    Assumes: n any point of the simplex | everything but w the same
    Reading: the formula as it stands, the paper's example | p on client 1 and equal data sizes, K >= 2; denominators
      of any sign. | part: looser | cut denominator = negative
    Reading: denominators positive | Any p and n with both denominators positive. | part: looser | because: FedAvg's
      Σn² may be smaller than Σp², and T₃ with it
    Reading: denominators positive and no noise | σ² = 0. | part: looser | condition: denominators positive |
      condition: σ² = 0 | because: no algorithm or experiment of the paper uses full gradients
    Reading: W_D > 0 | W_D is at least 2K times the largest squared gap. | part: W_D > 0
    Mutant: p and w exchanged | without noise W_D > 0 makes the numerator larger and the denominator smaller
    Tight: n = p
    Rests on: SSA-RA6, SSA-TA5
    Verdict: W_D > 0 is true, looser is refuted: with noise and both denominators positive the bound can be smaller at
      n than at p. The reason is T₃, as n may have the smaller Σwₖ². Without noise and with positive denominators the
      remark holds, but no algorithm or experiment of the paper uses full gradients. Equal coefficients, under which
      SSA-RA6 holds, do not help: no setting of the paper has pₖ = 1/K and n ≠ p. In the paper's own example, p on one
      client and equal sizes, W_D = 2(K − 1) >= 2, the denominator is negative for every K >= 2 and the right side
      negative, so that no comparison is possible (for the targets Imb-A and Imb-B in NIID-1 W_D is about 2.8 and 2.2,
      so the same is true there).""",
    two_weightings("any_sign", "target"),
    readings={
        "denominators positive": two_weightings(),
        "denominators positive and no noise": _QUIET,
        "W_D > 0": mismatch("least"),
    },
    mutants={
        "p and w exchanged": two_weightings("quiet", "swapped"),
    },
)

D5 = stated(
    r"""SSA-D5 (remark; Appendix A, after Remark A.7): Weights that minimise the bound
    Print: \exists\,w^\star\ \text{minimising the right side of A.5},\qquad w^\star_k\approx p_k
    Plainly: Some weights minimise the bound, and weights close to p are to be sought.
    Assumes: denominators positive unless said | weights that sum to one
    Reading: a minimiser exists | Of all weights equally far from p those on the way to equal weights have the
      smallest bound, so the minimum is one over a segment, and the bound tends to ∞ where the denominator vanishes. |
      because: it lies on the way from p to equal weights, within 1/√(2K) of p
    Reading: it is p | Ours here: exactly p, where the sentence says wₖ ≈ pₖ; Remark A.6 has the exact form (SSA-RA6).
      | ours: exact where the print says w_k ≈ p_k; the exact form is Remark A.6, judged at SSA-RA6
    Reading: it is p, the formula as it stands | Ours here: exactly p, and denominators of any sign. | ours: exact
      where the print says w_k ≈ p_k; the sign of the denominator is judged at SSA-TA5 and SSA-D4
    Reading: p is best for the error itself | Ours, the print speaks of the bound: ‖∇F‖² where noiseless runs settle,
      w = p against any other weights, τ = 2, 5, 20. | ours: the print says «minimizes the optimization bound», not
      the error
    Reading: p is best for the error, τ = 1 | Ours as well: one local step, no noise. | condition: τ = 1 | condition:
      no noise | ours: the print says «minimizes the optimization bound», not the error
    Mutant: away from equal weights | at the same distance from p the weights turned away have the larger Σw²
    Tight: w = p without noise, p uniform
    Rests on: SSA-RA6, SSA-RA7
    Verdict: It holds: where the denominator is positive at p some weights minimise the bound, and they are near p,
      never farther than 1/√(2K). They lie between p and equal weights, nearer to p the smaller the noise; the
      distance is limited because W_D < 1 is needed. That the minimiser is exactly p, true without noise or for equal
      coefficients, is Remark A.6 and judged there (SSA-RA6); here the print says wₖ ≈ pₖ. Of the error itself the
      print says nothing: with τ > 1 and unequal curvatures runs with w = p do not settle at the minimiser of F, and
      other weights do better; with τ = 1 and no noise none do.""",
    two_weightings("turned"),
    readings={
        "it is p": two_weightings(),
        "it is p, the formula as it stands": two_weightings("any_sign"),
        "p is best for the error itself": limits(one_step=False),
        "p is best for the error, τ = 1": limits(one_step=True),
    },
    mutants={
        "away from equal weights": two_weightings("turned", "swapped"),
    },
)

# near = 1 − C, below = 1 − C − 2AC, level = 2(1 − C)Lησ², rest = T₁ + T₄ + T₅: none of them depends on w.
B, near, below, level, rest = symbols("B near below level rest")
# Of p and v only Σp², ⟨p, v⟩ and ‖v‖² occur, for any number K of clients.
K, _OF_P, _TURN, _LENGTH = symbols("K squares_p p_v squares_v")
eps = sp.Symbol("eps")
_GAP = 2 * K * eps**2 * _LENGTH
_POWER = _OF_P + 2 * eps * _TURN + eps**2 * _LENGTH
_RIGHT = (rest + near * B * _GAP + level * _POWER) / (below - near * _GAP)
_FIRST = 2 * level * _TURN / below
_AT_P = rest + level * _OF_P
_FLAT = 2 * _LENGTH * (level + 2 * K * near * B) / below
_SECOND = _FLAT + 4 * K * _LENGTH * near * _AT_P / below**2
_SAMPLE = tuple(Fraction(1, k) for k in (2, 3, 5))

S23 = stated(
    r"""SSA-S23 (remark; Right side of Theorem A.5): The bound around w = p
    Print: \frac{d}{d\epsilon}\Big|_0\mathrm{RHS}(p+\epsilon v)=\frac{4(1-C)L\eta\sigma^2\langle p,v\rangle}{1-C
      -2AC},\quad\frac{d^2}{d\epsilon^2}\Big|_0>0
    Plainly: The bound's slope at w = p in a direction v is proportional to σ²⟨p, v⟩; its second derivative is
      positive.
    Assumes: Σvₖ = 0, any number of clients | T₁, T₄, T₅, C and 1 − C − 2AC do not depend on w
    Reading: first derivative | Only T₃ contributes. | part: first derivative
    Reading: second derivative | T₂, T₃ and the denominator; a sum of positive terms where 1 − C − 2AC > 0. | part:
      second derivative
    Mutant: p stationary | the slope of Σwₖ² at p in the direction v is 2⟨p, v⟩
    Mutant: second derivative without the denominator's part | the denominator falls by 2K‖v‖²(1 − C)ε²
    Rests on: SSA-TA5
    Verdict: T₂ and the denominator are flat at w = p, T₃ is not: its slope is 4(1−C)Lησ²⟨p, v⟩, which vanishes in all
      directions only for equal pₖ or σ = 0. So p is no stationary point of the bound in general.""",
    Identity(sp.diff(_RIGHT, eps).subs(eps, 0), _FIRST, _SAMPLE),
    readings={
        "second derivative": Identity(sp.diff(_RIGHT, eps, 2).subs(eps, 0), _SECOND, _SAMPLE),
    },
    mutants={
        "p stationary": Identity(sp.diff(_RIGHT, eps).subs(eps, 0), sp.Integer(0), _SAMPLE),
        "second derivative without the denominator's part": Identity(
            sp.diff(_RIGHT, eps, 2).subs(eps, 0), _FLAT, _SAMPLE
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (RA6, RA7, D5, S23)
