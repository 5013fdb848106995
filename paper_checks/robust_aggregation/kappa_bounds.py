"""RA-Q7 to RA-Q9, RA-E14 and RA-E16: ρ̄ and ρ̃ between the extremes of κ = α/p, and those extremes between each other."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.robust_aggregation.kappa_cases import at_most, never
from validation import (
    Canary,
    Case,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Simplex,
    Size,
    Space,
    symbols,
)
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]

Pi, pi, N, least = symbols("Pi pi N least")
alpha, lambda2 = symbols("alpha lambda2")
_WHERE = "Sec. 2.5.2, «General bounds»"
_POSITIVE = "pᵢ > 0 and αₜⁱ > 0 for all i and t; ρ defined at every wₜ and at w*; αₜⁱ = κₜⁱpᵢ"

Q8 = Claim(
    id="RA-Q8",
    kind=Kind.INEQUALITY,
    source=_WHERE,
    title="ρ̄ and ρ̃ between the extremes of κ",
    statement=r"\frac{\tilde\rho}{\overline\rho}\le\frac\Pi\pi,\qquad\frac1{\overline\rho}\le\frac1\pi",
    says="The ratio ρ̃/ρ̄ is at most Π/π, and 1/ρ̄ at most 1/π.",
    assumes=(_POSITIVE, "π and Π over the rounds that ρ̄ and ρ̃ are taken over"),
    readings=(
        Reading("ρ̃/ρ̄ <= Π/π", "The use in (13) asks for it.", at_most(Pi / pi, 1, lambda Pi, pi: Pi / pi)),
        Reading("1/ρ̄ <= 1/π", "The second one.", at_most(1 / pi, 2, lambda pi: 1 / pi)),
        Reading("accents as they can be read", "ρ̃/ρ̃ <= Π/π and 1/ρ̃ <= 1/π.", never(3)),
    ),
    canaries=(
        Canary("1/ρ̄ <= 1/Π", at_most(1 / Pi, 2), "with the loss on the client of smallest κ, ρ̄ = π < Π"),
        Canary(
            "ρ̃/ρ̄ <= Π",
            at_most(Pi, 1),
            "with all loss at w₀ on the client of smallest κ and at w* on another, ρ̃/ρ̄ = Π/π > Π",
        ),
    ),
    tight="all loss at the worst round's model on the client of smallest κ, at w* on the one of largest κ",
    depends_on=("RA-D5", "RA-D6", "RA-D9"),
    verdict_words=(
        "ρ(t, w) is an average of the κₜⁱ with weights pᵢ(Fᵢ(w) − Fᵢ*), so it lies between πₜ and Πₜ, at every model. That gives both, whichever accents "
        "are read. Both extremes are attained. A client with pᵢ = 0 and αₜⁱ > 0 has no κ and has to be excluded."
    ),
    supremum=1.0,
)


def thirteen_at(eps: Any) -> tuple[Any, Any]:
    """The right side of (13) for two equal shares and weights (1 - eps, eps), all constants 1, against 1."""
    low, high = 2 * eps, 2 * (1 - eps)
    return (1 + 1 / low) / 2 + (high - low) / low, Fraction(1)


def raised_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much the raised weights miss being positive, on the simplex and within eps of the given ones."""
    a, eps, n = x["weights"], x["eps"], len(x["weights"])
    raised = [(1 - eps) * v + eps / n for v in a]
    off = max(abs(u - v) for u, v in zip(raised, a, strict=True))
    met = {"weights on the simplex, 0 < eps < 1": sum(a) == 1 and min(a) >= 0 and 0 < eps < 1}
    return met, {"lhs": max(-min(raised), abs(sum(raised) - 1), off - eps)}


def _raised(x: Instance) -> Mapping[str, Any]:
    a, eps = x["weights"], x["eps"][:, None]
    raised = (1 - eps) * a + eps / a.shape[1]
    off = np.abs(raised - a).max(axis=1) - x["eps"]
    return {
        "lhs": np.maximum(np.maximum(-raised.min(axis=1), off), np.abs(raised.sum(axis=1) - 1)),
        "magnitude": np.ones(len(a)),
    }


def lost_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How far the sum is from 1 when zeros are raised and nothing is taken off."""
    raised = [max(v, x["eps"]) for v in x["weights"]]
    return {"weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0}, {"lhs": abs(sum(raised) - 1)}


def _lost(x: Instance) -> Mapping[str, Any]:
    raised = np.maximum(x["weights"], x["eps"][:, None])
    return {"lhs": np.abs(raised.sum(axis=1) - 1), "magnitude": np.ones(len(raised))}


def _raising(measure: Any, exact: Any) -> Property:
    def at(N: float) -> Case:
        space = Space((Simplex("weights", int(N)), LogScale("eps", 1e-9, 0.1, at=(1e-9, 0.1))))
        return Case(f"N = {int(N)}", space, measure, ExactCheck(exact), cost=max(1.0, N / 40))

    return Property((Family("weights with zeros", (Size("N", 2, 300, 3),), at),), degrees=(0, 0))


_TO_ZERO = sp.Symbol("n", positive=True)
Q7 = Claim(
    id="RA-Q7",
    kind=Kind.PROPERTY,
    source=_WHERE,
    title="«Without loss of generality» πₜ > 0",
    statement=(
        r"\forall t,\ \pi_t>0\quad\text{w.l.o.g.: «we assign to the }\alpha_t^i\text{ equal to zero an infinit"
        r"esimal value and increment the other }\alpha_t^i\text{ substantially»}"
    ),
    says="Weights equal to zero may be replaced by infinitesimal ones without loss.",
    assumes=(
        "weights on the simplex, some of them 0",
        "the others are lowered («incremented» in the print), so that the sum stays 1",
    ),
    readings=(
        Reading(
            "nothing is lost in the weights",
            "They can be made positive, however little they may change, if the others are lowered, not "
            "«incremented»: (1 − ε)α + ε/N is on the simplex, positive, and within ε of α.",
            _raising(_raised, raised_exact),
        ),
        Reading(
            "nothing is lost in the bounds that follow",
            "The right side of (13) stays bounded as the infinitesimal value ε tends to 0.",
            Order(
                "upper",
                (OrderFamily("two clients, weights (1 − ε, ε)", thirteen_at, {"eps": 1 / _TO_ZERO}, degree=2),),
                variable="eps",
            ),
        ),
    ),
    canaries=(
        Canary(
            "the other weights left as they are",
            _raising(_lost, lost_exact),
            "raising a zero without lowering another weight makes the sum exceed 1",
        ),
    ),
    depends_on=("RA-D9",),
    verdict_words=(
        "Nothing is lost in the weights, which is what the sentence changes, but the bounds that follow "
        "are lost; of what no generality is lost is not said. Weights can be made positive by a change "
        "as small as one likes, and the run changes as little. The bounds (13), (15) and (17), for which "
        "πₜ > 0 is assumed, contain 1/π: for the infinitesimal value ε they are at least of order 1/ε. "
        "So FedWorse, FedBetter and all rules that give a client no weight are not covered by them in "
        "any useful sense. The recipe as printed needs a correction: with the other weights «incremented "
        "substantially» their sum would exceed the 1 of Section 2.1; they have to be lowered."
    ),
)

Q9 = Claim(
    id="RA-Q9",
    kind=Kind.IDENTITY,
    source=_WHERE + ", before (14)",
    title="κ for equal shares",
    statement=r"p_i=1/N:\quad\kappa_t^i=n\,\alpha_t^i",
    says="With equal shares κ is the number of clients times the weight.",
    assumes=("αₜⁱ = κₜⁱpᵢ, pᵢ = 1/N", "n is the number of clients, elsewhere N"),
    readings=(Reading("n = N", "κ = α/p.", Identity(alpha / (1 / N), N * alpha)),),
    canaries=(Canary("κ = α/N", Identity(alpha / (1 / N), alpha / N), "the sides then differ by the factor N²"),),
    depends_on=("RA-D9",),
    verdict_words=(
        "Immediate from α = κp. That «only one client» reaches the largest and the smallest value is not needed for (14): "
        "several that share an extreme only make its right side looser."
    ),
)

E14 = Claim(
    id="RA-E14",
    kind=Kind.INEQUALITY,
    source="Eq. (14), Sec. 2.5.2",
    title="Π and E for equal shares",
    statement=(
        r"\Pi_t/N\le1-(N-1)\pi_t/N\ \to\ \Pi\le N-(N-1)\pi\ \to\ E(\overline\rho,\tilde\rho)\le\lambda_2\frac{N(1-\pi)}\pi\le"
        r"\lambda_2\Big(\frac N\pi-N\Big)"
    ),
    says="For equal shares the smallest κ bounds the largest one, and with it the error term.",
    assumes=("pᵢ = 1/N, αₜⁱ > 0", "E = λ₂(ρ̃/ρ̄ − 1) with λ₂ = 8LΓ/(3μ)"),
    readings=(
        Reading("first inequality", "At every t.", never(4, equal=True)),
        Reading(
            "second inequality",
            "π and Π over all rounds.",
            at_most(N - (N - 1) * pi, 5, lambda N, pi: N - N * pi + pi, equal=True),
        ),
        Reading(
            "third inequality",
            "The bound on E.",
            at_most(lambda2 * N * (1 - pi) / pi, 9, lambda lambda2, N, pi: lambda2 * (N / pi - N), equal=True),
        ),
        Reading("last inequality", "It is an equality.", Identity(lambda2 * N * (1 - pi) / pi, lambda2 * (N / pi - N))),
    ),
    canaries=(
        Canary("N − Nπ in place of N − (N − 1)π", at_most(N - N * pi, 5, equal=True), "for equal weights Π = π = 1"),
        Canary(
            "E <= λ₂(1 − π)/π",
            at_most(lambda2 * (1 - pi) / pi, 9, equal=True),
            "with all weight but ε on one client, which has all the loss at w*, ρ̃ tends to N, and ρ̄ can be π",
        ),
    ),
    tight="all clients but one at the smallest κ; the last sign is an equality",
    depends_on=("RA-Q8", "RA-Q9"),
    verdict_words=(
        "All four hold. The weights of a round sum to 1, so the largest is what the others leave, and they are at least π/N each; the third uses "
        "RA-Q8. The last «<=» is an equality."
    ),
    supremum=1.0,
)


def sixteen_again(N: Any, pi: Any, least: Any) -> Any:
    """The bound on E/λ₂ after (16) once more."""
    return (1 - N * pi * least) / (pi * least)


def pi_again(N: Any, pi: Any, least: Any) -> Any:
    """The bound on Π after (16) once more."""
    return 1 / least - N * pi + pi


E16 = Claim(
    id="RA-E16",
    kind=Kind.INEQUALITY,
    source="Eq. (16), Sec. 2.5.2",
    title="Π and E for any shares",
    statement=(
        r"\Pi\min p_i\le\max\kappa_t^ip_i\le1-(N-1)\min\kappa_t^ip_i\le1-(N-1)\pi\min p_i;\quad\Pi\le\frac{1-(N-1)\pi\min p_i}"
        r"{\min p_i},\quad E\le\frac1{\pi\min p_i}-N"
    ),
    says="For any shares the smallest κ and the smallest share bound the largest κ, and with it the error term.",
    assumes=(_POSITIVE, "λ₂ = 8LΓ/(3μ)"),
    readings=(
        Reading("the chain, max and min over clients and rounds", "All three inequalities.", never(7)),
        Reading(
            "the first inequality at every t",
            "The max over the clients of the round t: ours, neither end of (16) has a t.",
            never(8),
        ),
        Reading(
            "the bound on Π",
            "After the chain.",
            at_most((1 - (N - 1) * pi * least) / least, 5, pi_again),
        ),
        Reading(
            "the bound on E, in units of loss",
            "E = λ₂(ρ̃/ρ̄ − 1) as in (14), to the letter: no λ₂ before the bracket.",
            at_most(1 / (pi * least) - N, 9, sixteen_again),
        ),
        Reading(
            "the bound on E, in units of λ₂",
            "The sentence goes on, «obtaining» (17), where this bracket stands with the factor λ₂.",
            at_most(1 / (pi * least) - N, 6, sixteen_again),
        ),
    ),
    canaries=(
        Canary(
            "Π <= (1 − (N − 1)π)/min p",
            at_most((1 - (N - 1) * pi) / least, 5),
            "for αᵢ = pᵢ it says 1 <= (2 − N)/min p, false for N >= 2",
        ),
        Canary("E/λ₂ <= 1/π − N", at_most(1 / pi - N, 6), "for αᵢ = pᵢ it says 0 <= 1 − N"),
    ),
    tight="two clients: the one of smallest share gets all weight that π leaves it",
    depends_on=("RA-Q8", "RA-D9"),
    verdict_words=(
        "The bound on E has lost its factor λ₂ = 8LΓ/(3μ); with it, everything in (16) and what is "
        "inferred from it holds. The sentence itself forces it: it goes on, «obtaining», to (17), where "
        "this bracket stands with λ₂, and (14) has E <= λ₂(N/π − N) for equal shares. To the letter a "
        "loss is compared with a pure number, and a large Γ breaks it. The chain and the bound on Π hold "
        "with max and min over all clients and rounds, as π and Π have them. Taken at one t the first "
        "inequality would be false, since Π may come from another round; that is stronger than the "
        "print, as neither end of (16) has a t."
    ),
)

CLAIMS: tuple[Claim, ...] = (Q8, Q7, Q9, E14, E16)
