"""Sec. 4.2, «Convergence of FedAWARE»: whether other weights, or FedAWARE, converge faster than FedAvg, and α against noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.line_runs import line_runs
from paper_checks.fedaware.notation import NOTATION, Checked
from theory.quantities import chi_square, pseudo_gradient
from validation import Case, Claim, Family, Instance, LogScale, Size, Space, Uniform, permuted_clients, units
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World, case, numbers

__all__ = ["CLAIMS"]

eta, chi = NOTATION.symbols("eta chi")
least_avg, least_fast, least_aware, least_w, end_avg, end_aware = NOTATION.symbols(
    "least_avg least_fast least_aware least_w end_avg end_aware"
)
rest, Psi, share, alpha, less, own2, applied2 = NOTATION.symbols("rest Psi share alpha less own2 applied2")

_BOUNDS = numbers(
    NOTATION,
    "Ψ̃ in units of Ψ",
    *(LogScale(name, 1e-3, 1e3) for name in ("rest", "eta", "Psi")),
    Uniform("share", 0.0, 1.0),
)
_TO_F = le(least_w, least_avg)

R3 = stated(
    r"""FA-R3 (remark; §4.2, after Corollary 4.1): Lower consensus dynamics, faster convergence
    Print: \tilde\Psi<\Psi\ \Rightarrow\ \min_{t\le T}\|\nabla f(x^t(\tilde\lambda))\|^2\le\min_{t\le T}\|\nabla f(x^t(
      \lambda))\|^2
    Plainly: Weights that induce lower client consensus dynamics accelerate the convergence.
    Assumes: strongly convex quadratic clients, no noise, η_l <= 1/(8LK), η <= 1/(24LK) | fixed weights λ̃ against the
      objective's λ, same start and steps
    Open (nowhere) convergence: «the above corollary indicates that … accelerates the FL convergence»: of the runs, or
      of the bounds that are compared, is not said
    Open (twice) dynamics: «lower client consensus dynamics Ψ̃», with χ² as in the corollary; next sentence: «i.e.,
      minimize the norm of the applied pseudo-gradient», without χ²
    Reading: the run, by Ψ̃ of Corollary 4.1 | Ψ̃(λ̃) < Ψ(λ), with the factor χ². | option convergence = of the runs |
      option dynamics = Ψ̃ with χ²
    Reading: the run, by the norm applied | The mean of ρᵗ(λ̃) is below that of ρᵗ(λ). | option convergence = of the
      runs | option dynamics = the norm applied
    Reading: the bound | The right side of Corollary 4.1 is smaller than that of Theorem 4.2. | option convergence = of
      the bounds | option dynamics = Ψ̃ with χ²
    Mutant: the bound, whatever Ψ̃ | a larger Ψ̃ makes the right side larger
    Rests on: FA-T4.2, FA-C4.1
    Verdict: For the bounds it is true, for runs it is not; which of the two «accelerates the FL convergence» speaks of
      is not printed. The right side of Corollary 4.1 increases in Ψ̃, which is all that the comparison of bounds says.
      For runs both measures of the passage fail, Ψ̃ and the norm applied. ρ is the square of the step taken, so a small
      ρ means small steps. Weights that sit on one client let the model settle at that client's minimum, where ρ
      vanishes and ∇f does not. Close to λ the factor χ² makes Ψ̃ as small as one likes without any change of speed; at
      λ̃ = λ it is 0 whatever the run does.""",
    says=_TO_F,
    world=line_runs("Ψ"),
    readings={
        "the run, by the norm applied": line_runs("norm"),
        "the bound": but(le(rest + eta * share * Psi, rest + eta * Psi), world=_BOUNDS),
    },
    mutants={"the bound, whatever Ψ̃": but(le(rest + eta * 2 * share * Psi, rest + eta * Psi), world=_BOUNDS)},
)


def first_bounds(x: Instance) -> Mapping[str, Any]:
    """χ², ρ(λ̃) and ρ(λ) of updates of one sign on a line, so all weight is on the shortest, alone so; equal shares λ."""
    g = x["m"]
    lam, low = np.full(g.shape, 1.0 / g.shape[1]), np.sort(g, axis=1)
    found = {"applied2": low[:, 0] ** 2, "own2": pseudo_gradient(g[..., None], lam)[:, 0] ** 2}
    found["chi"] = chi_square((g == low[:, :1]).astype(float), lam)
    sizes = dict.fromkeys(("applied2", "own2"), low[:, -1] ** 2)
    return {**found, "sizes": sizes, "admissible": low[:, 1] > low[:, 0] * (1 + 1e-9)}


def first_bounds_exact(x: Mapping[str, Any]) -> Checked:
    """Positive updates of which one alone is the shortest: the weights of smallest norm are unique."""
    g = x["m"]
    lam, short = [Fraction(1, len(g)) for _ in g], min(g)
    applied = [Fraction(int(v == short)) for v in g]
    found = {"own2": sum(a * v for a, v in zip(lam, g, strict=True)) ** 2, "applied2": short * short}
    found["chi"] = sum((a - b) ** 2 / a for a, b in zip(lam, applied, strict=True))
    return {"one update alone is the shortest": sum(applied) == 1 and short > 0}, found


def _one_sign(N: float) -> Case:
    size = int(N)
    space = Space((LogScale("m", 1e-2, 1e2, (size,), at=(1.0,)),))
    same = (units({"m": (0, 1)}), permuted_clients({"m": 0}))
    name, cost = f"{size} updates on a line", max(1.0, size / 75)
    return case(name, space, first_bounds, first_bounds_exact, cost=cost, symmetries=same)


_ONE_SIGN = World(NOTATION, (Family("updates of one sign", (Size("N", 3, 300, 3),), _one_sign),))
_FASTER = le(least_aware, least_avg)

R4 = stated(
    r"""FA-R4 (remark; §4.2, «Convergence of FedAWARE»): FedAWARE converges faster than FedAvg
    Print: \alpha=1,\ S^t=[N]:\quad\min_{t\le T}\|\nabla f(x^t_{\text{FedAWARE}})\|^2\le\min_{t\le T}\|\nabla f(x^t_{
      \text{FedAvg}})\|^2
    Plainly: With fresh updates of all clients FedAWARE converges faster than FedAvg on heterogeneous clients.
    Assumes: strongly convex quadratic clients, no noise, η_l <= 1/(8LK), η <= 1/(24LK) | α = 1, everyone takes part |
      same start, same η_l and η_g
    Open (nowhere) convergence: «converges faster»: in the gradient of the theorems, in the loss, or in the bound («the
      above Corollary matches …, ensuring»)
    Reading: in the gradient of f | The quantity of the theorems, after any T. | option convergence = in the gradient
    Reading: in the loss f | f(x^T) − f*, after any T. | option convergence = in the loss
    Reading: in the gradient, one common minimum | Clients that differ in curvature only. | option convergence = in the
      gradient | condition: one common minimum
    Reading: the bound, in the first round | The right side of Corollary 4.1 is no larger than that of Theorem 4.2:
      χ²ρ⁰(λ̃) <= ρ⁰(λ) at weights of smallest norm, equal shares λ. | option convergence = in the bound
    Mutant: faster than FedAvg with twice the server step | for identical clients FedAWARE is FedAvg, which short steps
      make faster with each doubling
    Mutant: the shorter step never shorter | the mean of updates of one sign is longer than the shortest of them
    Tight: identical clients, where the two are the same
    Rests on: FA-C4.1, FA-MN12
    Verdict: It need not be faster, and in general ends elsewhere. The shortest point of the hull is never longer than
      the mean, so at the same model FedAWARE takes the shorter step. On the line with a common minimum it follows the
      flattest client and is never faster. In the plane it may be: with Hessians diag(1, 1/100) and diag(1/100, 1), λ
      = (99/100, 1/100), η = 1/24 and the start (1, 1) it is behind after 100 rounds and far ahead after 300, where
      FedAvg still waits for the client of small share. With minima of their own, the model stops at the first point
      of the hull of the local minima (more generally: as soon as it is Pareto stationary), while FedAvg with K = 1
      goes on to the minimum of f. Nor does Corollary 4.1 say it: at updates 1, 1.1 and 1.1 with equal shares χ² is 2,
      and χ²ρ(λ̃) = 2 against ρ(λ) = 1.14. What FedAWARE does have is FA-MN17: no client gets worse.""",
    says=_FASTER,
    world=line_runs("aware"),
    readings={
        "in the loss f": le(end_aware, end_avg),
        "in the gradient, one common minimum": line_runs("aware", common=True),
        "the bound, in the first round": but(le(chi * applied2, own2), world=_ONE_SIGN),
    },
    mutants={
        "faster than FedAvg with twice the server step": le(least_aware, least_fast),
        "the shorter step never shorter": but(le(own2, applied2), world=_ONE_SIGN),
    },
)

# α(1 − α)ʲ are the weights of a long moving average: their squares sum to α/(2 − α), at α = 1 to 1.
_DRAWN = (
    Uniform("alpha", 1e-3, 0.999, at=(0.1, 0.5, 0.9)),
    Uniform("share", 1e-3, 1.0, at=(0.1, 1.0)),
    LogScale("chi", 1e-2, 1e2),
)
_TWO_ALPHAS = numbers(NOTATION, "two α and p", *_DRAWN, Uniform("less", 1e-3, 0.999, at=(0.5,)))
_MOVED_BY = 16 * chi * (1 - alpha * share) ** 2

R12 = stated(
    r"""FA-R12 (remark; §4.2, «Convergence of FedAWARE»): α against gradient noise
    Print: \text{``a proper selection of }\alpha\text{ can further mitigate the impacts of local gradient variances''}
    Plainly: A suitable α lowers the influence of the gradient noise.
    Assumes: 0 < α < 1 against α = 1 or a smaller α, participation p in (0, 1]
    Open (nowhere) than: «can further mitigate»: further than α = 1, of which the sentences before speak, or than
      another α, is not said
    Reading: in the bound (16), some averaging against none | The σ_l² terms, which depend on α through β = (1 − αp)²,
      are lower at α than at 1. | option than = than with α = 1
    Reading: in the bound (16), a larger α against a smaller one | The same terms at α are no higher than at any smaller
      α; «proper» is then as large as possible. | option than = than with another α
    Reading: in the memory itself | At a frozen model the variance α/(2 − α) of the moving average is lower than that of
      one update. | ours: «The results indicate»: the print speaks of the bound; the memory at a frozen model is another
      statement, and true
    Mutant: twice the variance | 2α/(2 − α) exceeds 1 for α > 2/3
    Tight: α → 1
    Rests on: FA-E16, FA-REC
    Verdict: The moving average does average noise: at a frozen model its variance is α/(2 − α) of an update's. The
      bound does not show it. In (16) α occurs only in β = (1 − αp)², which multiplies positive terms and falls as α
      grows. So the proper α of the bound is 1, with no averaging at all; that averaging helps is true of the algorithm
      and does not follow from the bound.""",
    says=le(_MOVED_BY, 16 * chi * (1 - share) ** 2),
    world=numbers(NOTATION, "any α and p", *_DRAWN),
    readings={
        "in the bound (16), a larger α against a smaller one": but(
            le(_MOVED_BY, 16 * chi * (1 - alpha * less * share) ** 2), world=_TWO_ALPHAS
        ),
        "in the memory itself": le(alpha / (2 - alpha), 1),
    },
    mutants={"twice the variance": le(2 * alpha / (2 - alpha), 1)},
)

CLAIMS: tuple[Claim, ...] = (R3, R4, R12)
