"""Sec. 2.5.2, «General bounds»: ratios of weights to shares, the bounds (13) to (17) that they give, and Remark 9's world."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Symbol

from paper_checks.robust_aggregation.closed_runs import ALIKE
from paper_checks.robust_aggregation.corollary1 import V_MIN
from paper_checks.robust_aggregation.long_runs import ended, ended_exact, long_runs
from paper_checks.robust_aggregation.mixed_runs import MIXED_WITH_ALL
from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.one_curvature import one_against_many
from paper_checks.robust_aggregation.runs import BY_P, EQ1, ROUND, noisy, plain, run_exact, world
from paper_checks.robust_aggregation.seen_runs import seen_rounds
from paper_checks.robust_aggregation.settings import GENERALIZED
from paper_checks.robust_aggregation.skews import federations
from theory.exact import dot
from validation import Case, Claim, Family, Instance, Instant, Size, World, case, permuted_clients, split_client
from validation.statement.instances.draw import LogScale, Signed, Simplex, Space, Uniform
from validation.statement.says import all_of, identity, le
from validation.world import FalseVariant, Order, OrderFamily, Variant, at, mutant, reading, remark, step, theorem

__all__ = ["CLAIMS", "FIFTEEN", "KNOWN", "SEEN", "SPEED"]

L, mu, tau, T, G2, sigma2, Gamma, gap = NOTATION.symbols("L mu tau T G2 sigma2 Gamma gap")
Pi, pi, N, least, smallest, peak, lowest_peak = NOTATION.symbols("Pi pi N least smallest peak lowest_peak")
rho, rho_best, lambda2, at_a_round, alpha = NOTATION.symbols("rho rho_best lambda2 at_a_round alpha")
raised_least, raised_total, raised_by = NOTATION.symbols("raised_least raised_total raised_by")
lost_total, eps, largest = NOTATION.symbols("lost_total eps largest")
swapped_bound, other_bound = NOTATION.symbols("swapped_bound other_bound")


def weights(x: Instance, *, equal: bool) -> Mapping[str, Any]:
    """Positive weights of a few rounds at any excess losses; row 0 is w*, which each round's weights are held against."""
    a, excess, n = x["weights"], np.abs(x["excess"]), x["weights"].shape[-1]
    p = np.full((len(a), n), 1.0 / n) if equal else x["share"]
    kappa, below = a / p[:, None], (p[:, None] * excess).sum(axis=-1)
    defined, held = below.min(axis=1) > 0, np.where(below > 0, below, 1.0)
    skews, at_best = (a * excess).sum(axis=-1) / held, (a * excess[:, :1]).sum(axis=-1) / held[:, :1]
    defined, low, high = defined & (skews.min(axis=1) > 0), kappa.min(axis=(1, 2)), kappa.max(axis=(1, 2))
    return {
        "Pi": high,
        "pi": low,
        "N": np.full_like(low, n),
        "least": p.min(axis=1),
        "largest": p.max(axis=1),
        "smallest": a.min(axis=(1, 2)),
        "peak": a.max(axis=(1, 2)),
        "lowest_peak": a.max(axis=-1).min(axis=1),
        "at_a_round": ((kappa.max(axis=-1) + (n - 1) * kappa.min(axis=-1)) / n).max(axis=1),
        "lambda2": x["lambda2"],
        "rho": np.where(defined, skews.min(axis=1), 1.0),
        "rho_best": np.where(at_best.max(axis=1) > 0, at_best.max(axis=1), 1.0),
        "admissible": defined,
        "magnitude": 1 + high / low,
    }


def weights_exact(x: Mapping[str, Any], *, equal: bool) -> Pair:
    """All quantities of the general bounds at given weights and excess losses, row 0 of which is w*."""
    a, n = x["weights"], len(x["weights"][0])
    p, excess = [Fraction(1, n)] * n if equal else x["share"], [[abs(e) for e in row] for row in x["excess"]]
    kappas = [[w / q for w, q in zip(row, p, strict=True)] for row in a]
    met = {"p and the weights are positive and sum to 1": all(sum(r) == 1 and min(r) > 0 for r in [p, *a])}
    return met, {
        "Pi": max(max(k) for k in kappas),
        "pi": min(min(k) for k in kappas),
        "N": Fraction(n),
        "least": min(p),
        "largest": max(p),
        "smallest": min(min(row) for row in a),
        "peak": max(max(row) for row in a),
        "lowest_peak": min(max(row) for row in a),
        "at_a_round": max((max(k) + (n - 1) * min(k)) / n for k in kappas),
        "lambda2": x["lambda2"],
        "rho": min(dot(row, e) / dot(p, e) for row, e in zip(a, excess, strict=True)),
        "rho_best": max(dot(row, excess[0]) / dot(p, excess[0]) for row in a),
    }


def _weights(*, equal: bool = False, split: bool = False) -> World:
    def at(N: float, R: float) -> Case:
        n, rounds = int(N), int(R)
        space = Space(
            (
                *(() if equal else (Simplex("share", n, interior=True),)),
                Simplex("weights", n, (rounds,), interior=True),
                Signed("excess", 1e-4, 1e4, (rounds, n)),
                LogScale("lambda2", 1e-3, 1e3, at=(1.0,)),
            )
        )
        axes = {"weights": 1, "excess": 1} | ({} if equal else {"share": 0})
        same = (permuted_clients(axes), *((split_client(axes, ("share", "weights")),) if split else ()))
        name, cost = f"N = {n}, {rounds} rounds", max(1.0, n / 40)
        return case(name, space, weights, weights_exact, uses=(dot,), cost=cost, symmetries=same, equal=equal)

    return world(Family("weights of a few rounds", (Size("N", 2, 300, 3), Size("R", 1, 8, 2)), at))


_ANY, _EQUAL, _SPLIT = _weights(), _weights(equal=True), _weights(split=True)

Q8 = step(
    "RA-Q8",
    "Sec. 2.5.2, «General bounds»",
    "ρ̄ and ρ̃ between the extremes of κ",
    printed=r"\frac{\tilde\rho}{\overline\rho}\le\frac\Pi\pi,\qquad\frac1{\overline\rho}\le\frac1\pi",
    plainly="The ratio ρ̃/ρ̄ is at most Π/π, and 1/ρ̄ at most 1/π.",
    assumes=[
        "pᵢ > 0 and αₜⁱ > 0 for all i and t; ρ defined at every wₜ and at w*; αₜⁱ = κₜⁱpᵢ",
        "π and Π over the rounds that ρ̄ and ρ̃ are taken over",
    ],
    says=le(rho_best / rho, Pi / pi),
    world=_SPLIT,
    readings=[
        reading("ρ̃/ρ̄ <= Π/π", "The use in (13) asks for it.", part="ρ̃/ρ̄ <= Π/π"),
        reading("1/ρ̄ <= 1/π", "The second one.", le(1 / rho, 1 / pi), part="1/ρ̄ <= 1/π"),
        reading(
            "accents as they can be read",
            "ρ̃/ρ̃ <= Π/π and 1/ρ̃ <= 1/π.",
            all_of(le(1, Pi / pi), le(1 / rho_best, 1 / pi)),
            world=_ANY,
            ours="the accents of our extracted copy; (13) fixes ρ̃/ρ̄ and 1/ρ̄",
        ),
    ],
    mutants=[
        mutant("1/ρ̄ <= 1/Π", le(1 / rho, 1 / Pi), "with the loss on the client of smallest κ, ρ̄ = π < Π"),
        mutant(
            "ρ̃/ρ̄ <= Π",
            le(rho_best / rho, Pi),
            "with all loss at w₀ on the client of smallest κ and at w* on another, ρ̃/ρ̄ = Π/π > Π",
        ),
    ],
    tight="all loss at the worst round's model on the client of smallest κ, at w* on the one of largest κ",
    rests_on=["RA-D5", "RA-D6", "RA-D9"],
    supremum=1.0,
    verdict="""ρ(t, w) is an average of the κₜⁱ with weights pᵢ(Fᵢ(w) − Fᵢ*), so it lies between πₜ and Πₜ, at every
        model. That gives both, whichever accents are read. Both extremes are attained. A client with pᵢ = 0 and αₜⁱ > 0
        has no κ and has to be excluded.""",
)


def raised(x: Instance) -> Mapping[str, Any]:
    """Zeros of the weights raised to ε: all moved to (1 − ε)α + ε/N, or the others left as they are."""
    a, eps, n = x["weights"], x["eps"][:, None], x["weights"].shape[1]
    now = (1 - eps) * a + eps / n
    found = {"raised_least": now.min(axis=1), "raised_total": now.sum(axis=1), "raised_by": np.abs(now - a).max(axis=1)}
    return {**found, "lost_total": np.maximum(a, eps).sum(axis=1), "eps": x["eps"], "magnitude": np.ones(len(a))}


def raised_exact(x: Mapping[str, Any]) -> Pair:
    """(1 - eps) a + eps/n, and max(a, eps)."""
    a, eps, n = x["weights"], x["eps"], len(x["weights"])
    now = [(1 - eps) * v + eps / n for v in a]
    met = {"weights on the simplex, 0 < eps < 1": sum(a) == 1 and min(a) >= 0 and 0 < eps < 1}
    found = {
        "raised_least": min(now),
        "raised_total": sum(now),
        "raised_by": max(abs(u - v) for u, v in zip(a, now, strict=True)),
    }
    return met, {**found, "lost_total": sum(max(v, eps) for v in a), "eps": eps}


def _raising(N: float) -> Case:
    space = Space((Simplex("weights", int(N)), LogScale("eps", 1e-9, 0.1, at=(1e-9, 0.1))))
    return case(f"N = {int(N)}", space, raised, raised_exact, cost=max(1.0, N / 40))


def thirteen_at(eps: Any) -> tuple[Any, Any]:
    """The right side of (13) for N = 2, p = 1/2, weights (1 - eps, eps), C = lambda1 = lambda2 = 1, T + gamma = 2; and 1."""
    low, high = 2 * eps, 2 * (1 - eps)
    return (1 + 1 / low) / 2 + (high - low) / low, Fraction(1)


_TO_ZERO = OrderFamily(
    "two clients, weights (1 − ε, ε)", thirteen_at, {"eps": 1 / Symbol("n", positive=True)}, degree=2
)
_LOST = le(abs(lost_total - 1), 0)

Q7 = remark(
    "RA-Q7",
    "Sec. 2.5.2, «General bounds»",
    "«Without loss of generality» πₜ > 0",
    printed=r"""\forall t,\ \pi_t>0\quad\text{w.l.o.g.: «we assign to the }\alpha_t^i
        \text{ equal to zero an infinitesimal value and increment the other }\alpha_t^i\text{ substantially»}""",
    plainly="Weights equal to zero may be replaced by infinitesimal ones without loss.",
    assumes=[
        "weights on the simplex, some of them 0",
        "zeros are raised to ε; what then becomes of the other weights each reading says",
    ],
    says=_LOST,
    world=world(Family("weights with zeros", (Size("N", 2, 300, 3),), _raising)),
    readings=[
        reading(
            "as printed, the others incremented",
            """Zeros are raised to ε and no other weight is lowered. The number shown is the sum where the others stay as they
                are; what they gain makes it only larger.""",
        ),
        reading(
            "the others lowered",
            """Positive weights, however little they may change: (1 − ε)α + ε/N is on the simplex, positive, and within
                ε of α.""",
            all_of(le(-raised_least, 0), le(raised_by, eps), le(abs(raised_total - 1), 0)),
            edits=["the others lowered, in place of incremented"],
            token=True,
            forced_by="Σα = 1 of Section 2.1, which «for each t» every recipe has to keep",
            carries=True,
        ),
        reading(
            "nothing is lost in the bounds that follow",
            "The right side of (13) stays bounded as the infinitesimal value ε tends to 0.",
            Order("upper", (_TO_ZERO,), variable="eps"),
            ours="that the bounds stay finite is printed nowhere; at π → 0 they grow without limit, and stay true",
        ),
    ],
    mutants=[
        mutant(
            "the other weights left as they are",
            _LOST,
            "raising a zero without lowering another weight makes the sum exceed 1",
            at(weights=[0, 0, 1], eps="1/10"),
        )
    ],
    rests_on=["RA-D9"],
    verdict="""«increment» has to read «lower»: the sum of the weights is 1 (Sec. 2.1), and zeros can be raised only at
        the others' cost. Then nothing is lost in the weights: they become positive by a change as small as one likes,
        and the run changes as little. What the bounds are then worth is another matter: (13), (15) and (17), for which
        πₜ > 0 is assumed, contain 1/π and for the infinitesimal value ε are at least of order 1/ε. So FedWorse,
        FedBetter and all rules that give a client no weight are not covered by them in any useful sense.""",
)

Q9 = step(
    "RA-Q9",
    "Sec. 2.5.2, «General bounds», before (14)",
    "κ for equal shares",
    printed=r"p_i=1/N:\quad\kappa_t^i=n\,\alpha_t^i",
    plainly="With equal shares κ is the number of clients times the weight.",
    assumes=["αₜⁱ = κₜⁱpᵢ, pᵢ = 1/N", "n is the number of clients, elsewhere N"],
    says=identity(alpha / (1 / N), N * alpha),
    readings=[reading("n = N", "κ = α/p.")],
    mutants=[mutant("κ = α/N", identity(alpha / (1 / N), alpha / N), "the sides then differ by the factor N²")],
    rests_on=["RA-D9"],
    verdict="""Immediate from α = κp. n is printed here alone and nowhere defined; it can only be the N of pᵢ = 1/N in the same line, with which the line is an identity. That «only one client» reaches the largest and the smallest value is not needed for (14), which holds with ties, too, and is attained by one: of three clients with κ = (2, 1/2, 1/2) the largest κ is 3 − (3 − 1) × 1/2 = 2.""",
)

_E = lambda2 * (rho_best / rho - 1)
_UP = lambda2 * N * (1 - pi) / pi

E14 = step(
    "RA-E14",
    "Eq. (14), Sec. 2.5.2",
    "Π and E for equal shares",
    printed=r"""\Pi_t/N\le1-(N-1)\pi_t/N\ \to\ \Pi\le N-(N-1)\pi\ \to\ E(\overline\rho,\tilde\rho)\le\lambda_2
        \frac{N(1-\pi)}\pi\le\lambda_2\Big(\frac N\pi-N\Big)""",
    plainly="For equal shares the smallest κ bounds the largest one, and with it the error term.",
    assumes=["pᵢ = 1/N, αₜⁱ > 0", "E = λ₂(ρ̃/ρ̄ − 1) with λ₂ = 8LΓ/(3μ)"],
    says=le(at_a_round, 1),
    world=_EQUAL,
    readings=[
        reading("first inequality", "At every t.", part="first inequality"),
        reading("second inequality", "π and Π over all rounds.", le(Pi, N - (N - 1) * pi), part="second inequality"),
        reading("third inequality", "The bound on E.", le(_E, _UP), part="third inequality"),
        reading("last inequality", "It is an equality.", identity(_UP, lambda2 * (N / pi - N)), part="last inequality"),
    ],
    mutants=[
        mutant("N − Nπ in place of N − (N − 1)π", le(Pi, N - N * pi), "for equal weights Π = π = 1"),
        mutant(
            "E <= λ₂(1 − π)/π",
            le(_E, lambda2 * (1 - pi) / pi),
            "with all weight but ε on one client, which has all the loss at w*, ρ̃ tends to N, and ρ̄ can be π",
        ),
    ],
    tight="all clients but one at the smallest κ; the last sign is an equality",
    rests_on=["RA-Q8", "RA-Q9"],
    supremum=1.0,
    verdict="""All four hold. The weights of a round sum to 1, so the largest is what the others leave, and they are at
        least π/N each; the third uses RA-Q8. The last «<=» is an equality.""",
)

_LARGEST = (1 - (N - 1) * pi * least) / least
_LAMBDA2 = 8 * L * Gamma / (3 * mu)
_STARTS = federations(sizes=((2, 2, 10), (1, 1, 2)), interior=True, above=True, differ=True)

E16 = step(
    "RA-E16",
    "Eq. (16), Sec. 2.5.2",
    "Π and E for any shares",
    printed=r"""\Pi\min p_i\le\max\kappa_t^ip_i\le1-(N-1)\min\kappa_t^ip_i\le1-(N-1)\pi\min p_i;
        \quad\Pi\le\frac{1-(N-1)\pi\min p_i}{\min p_i},\quad E\le\frac1{\pi\min p_i}-N""",
    plainly="For any shares the smallest κ and the smallest share bound the largest κ, and with it the error term.",
    assumes=["pᵢ > 0 and αₜⁱ > 0 for all i and t; ρ defined at every wₜ and at w*; αₜⁱ = κₜⁱpᵢ", "λ₂ = 8LΓ/(3μ)"],
    says=all_of(le(Pi * least, peak), le(peak, 1 - (N - 1) * smallest), le((N - 1) * pi * least, (N - 1) * smallest)),
    world=_ANY,
    readings=[
        reading("the chain, max and min over clients and rounds", "All three inequalities.", part="the chain"),
        reading(
            "the first inequality at every t",
            "The max over the clients of the round t: ours, neither end of (16) has a t.",
            le(Pi * least, lowest_peak),
            part="the chain",
            ours="""neither end of (16) has a t, so its max and min are over i and t, as those in Π and π are; (14), at
                one t, writes Πₜ and πₜ""",
        ),
        reading("the bound on Π", "After the chain.", le(Pi, _LARGEST), part="the bound on Π"),
        reading(
            "the bound on E, in units of loss",
            """E = λ₂(ρ̃/ρ̄ − 1) as in (14), to the letter: no λ₂ before the bracket. Quadratic clients in the first
                round of a run.""",
            le(_LAMBDA2 * (rho_best / rho - 1), 1 / (pi * least) - N),
            world=_STARTS,
            part="the bound on E",
        ),
        reading(
            "the bound on E, in units of λ₂",
            "The sentence goes on, «obtaining» (17), where this bracket stands with the factor λ₂.",
            le(rho_best / rho - 1, 1 / (pi * least) - N),
            part="the bound on E",
            edits=["factor λ₂ before the bracket of the bound on E"],
            token=True,
            forced_by="""(17), to which the same sentence goes on («obtaining»), has λ₂(1/(π min pᵢ) − N), and (14)
                prints E <= λ₂(N/π − N) for equal shares""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "Π <= (1 − (N − 1)π)/min p",
            le(Pi, (1 - (N - 1) * pi) / least),
            "for αᵢ = pᵢ it says 1 <= (2 − N)/min p, false for N >= 2",
        ),
        mutant("E/λ₂ <= 1/π − N", le(rho_best / rho - 1, 1 / pi - N), "for αᵢ = pᵢ it says 0 <= 1 − N"),
    ],
    tight="two clients: the one of smallest share gets all weight that π leaves it",
    rests_on=["RA-Q8", "RA-D9"],
    verdict="""The bound on E has lost its factor λ₂ = 8LΓ/(3μ); with it, everything in (16) and what is inferred from
        it holds. The sentence itself forces it: it goes on, «obtaining», to (17), where this bracket stands with λ₂,
        and (14) has E <= λ₂(N/π − N) for equal shares. To the letter a loss is compared with a pure number: multiply
        all losses by a large number, and E grows with Γ while the bracket stays. The chain and the bound on Π hold with
        max and min over all clients and rounds, as π and Π have them. Taken at one t the first inequality would be
        false, since Π may come from another round; that is stronger than the print, as neither end of (16) has a t.""",
)


def weighed(x: Instance, *, E: int, R: int, equal: bool, rule: str, **how: Any) -> dict[str, Any]:
    """A short run whose shares and weights are positive, or its shares equal, and the ratios of its rounds."""
    n = x["share"].shape[-1]
    mixed = {k: (100 * x[k] + 1 / n) / 101 for k in ("share", "weights")}
    y = {**x, **mixed, **({"share": np.full_like(x["share"], 1 / n)} if equal else {})}
    kappa = y["weights"][:, :-1] / y["share"][:, None]
    found = {"pi": kappa.min(axis=(1, 2)), "Pi": kappa.max(axis=(1, 2)), "N": np.full(len(kappa), float(n))}
    return {**ended(y, E=E, R=R, rule=rule, **how), **found, "least": y["share"].min(axis=1)}


def weighed_exact(x: Mapping[str, Any], *, E: int, R: int, equal: bool, rule: str, **how: Any) -> Pair:
    """Every weight v is taken as (100 v + 1/n)/101, shares too, or they are equal."""
    n = len(x["share"])
    rows = [[(100 * v + Fraction(1, n)) / 101 for v in row] for row in [x["share"], *x["weights"]]]
    p = [Fraction(1, n)] * n if equal else rows[0]
    met, found = ended_exact({**x, "share": p, "weights": rows[1:]}, E=E, R=R, rule=rule, **how)
    kappas = [w / q for row in rows[1:-1] for w, q in zip(row, p, strict=True)]
    return met, {**found, "pi": min(kappas), "Pi": max(kappas), "N": Fraction(n), "least": min(p)}


def _known(*, equal: bool) -> tuple[Case | Family, ...]:
    """Weights known before the round: closed forms, long runs, short runs under three conventions, several steps."""
    found: list[Case | Family] = [
        ALIKE,
        long_runs("before", equal=equal),
        long_runs("before", noisy=True, most=1000, equal=equal),
    ]
    how: dict[str, Any] = {"uses": (run_exact, ended_exact), "equal": equal}
    for of in (EQ1, BY_P, ROUND):
        at_end, sizes = of.but(harmonic=True), ((2, 1, 2), (2, 2, 1))
        found.append(plain(at_end, weighed, weighed_exact, most=100, split=False, **how))
        found += noisy(at_end, weighed, weighed_exact, rules=("given",), sizes=sizes, **how)
    return (*found, *seen_rounds(Instant.BEFORE_ROUND, positive=True), one_against_many(equal=equal))


_GAMMA = 4 * L / mu
SPEED = (V_MIN + 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2) / pi) / (T + _GAMMA)
SEEN = seen_rounds(Instant.BEFORE_STEP, positive=True)
_NOISY = world(long_runs("before", noisy=True, most=100, equal=True))
KNOWN = world(*_known(equal=True))
FIFTEEN = SPEED + _LAMBDA2 * (N / pi - N)
_THIRTEEN, _SEVENTEEN = SPEED + _LAMBDA2 * (Pi - pi) / pi, SPEED + _LAMBDA2 * (1 / (pi * least) - N)
_MIXED = world(MIXED_WITH_ALL)


def _mutants(bound: Any, *, equal: bool) -> list[FalseVariant]:
    return [
        mutant(
            "the weights have seen the earlier samples of the round",
            None,
            """weights that follow the noise give the noise of many clients a mean; the gap stays, V/(T + γ) vanishes, and
            λ₂ is proportional to Γ, which is as small as one likes""",
            world=world(*SEEN[2:3]),
        ),
        mutant(
            "an eleventh of the right side",
            le(11 * gap, bound),
            "one client against many of the same curvature takes more of the right side than that as T grows",
            world=world(one_against_many(equal=equal)),
        ),
        mutant(
            "error term dropped",
            le(gap, SPEED),
            "with nearly all weight on one client w_T tends to a point near its optimum, which is not w*",
            world=world(ALIKE, long_runs("before", equal=equal)),
        ),
        mutant(
            "gradient and noise term dropped",
            le(gap, V_MIN / (T + _GAMMA) + bound - SPEED),
            "FedAvg of equal shares started at w* with Γ small: the first noisy step leaves w*, and the error term is 0",
            world=_NOISY,
        ),
    ]


def _readings(bound: Any, known: World) -> list[Variant]:
    return [
        reading(
            "as printed",
            """Weights chosen before the step of the aggregation, the earlier samples of the round seen: FedWorse judged
                by the local models, mixed with FedAvg. E >= 2, equal shares; G on a ball that holds all models and
                optima.""",
            cuts={"weights": "see the round's earlier samples"},
            sees="before the step",
            used_by="""FedWorse and FedSoftWorse where they know the round's earlier samples: by (1) and (2) their Fᵢ(wₜ) are
                taken at a wₜ that contains the earlier steps, and the interpretation of FedWorse judges «the client's
                local model with the worst performance at the end of the previous communication round» (Sec. 3.1). The
                weights of the instance mix FedWorse with FedAvg in fixed shares, as we write it: Sec. 3.2 names no such
                mixture""",
        ),
        reading(
            "weights of no named strategy",
            """In each half of the clients any weight on the one that noise drove farthest; aggregation as in (1) and as
                in Algorithm 1.""",
            world=world(*SEEN),
            cuts={"weights": "see the round's earlier samples"},
            sees="before the step",
            ours="""no strategy of Section 3 has these weights; they know no more than those of FedWorse and
                FedSoftWorse""",
        ),
        reading(
            "weights known before the round",
            """G at the points visited; long runs of one step a round, runs with E >= 1 under three conventions, noise;
                long runs with E >= 2 and G on a ball.""",
            world=known,
            conditions=["weights known before the round"],
            met_by=GENERALIZED,
        ),
        reading(
            "3/32 of the right side, weights known before the round",
            "How far the print is from being attained, on the same runs.",
            le(32 * gap, 3 * bound),
            world=known,
            ours="the paper does not claim it",
        ),
    ]


_ASSUMED = [
    "those of Corollary 1, τ = E, any convention on aggregation",
    "every pᵢ > 0 and αₜⁱ > 0; π and Π over the rounds before T",
    "C, λ₁, λ₂ as (9) gives them: C = V_min, λ₁ = 4L(32τ²G² + σ²)/(3μ²), λ₂ = 8LΓ/(3μ)",
    "what the weights may have seen is not said",
    "Assumptions 3 and 4 bound the noise of each client; that of different clients may be dependent",
]
_SHARES = world(*_known(equal=False))

E13 = theorem(
    "RA-E13",
    "Eq. (13), Sec. 2.5.2",
    "The bound by π and Π",
    printed=r"""\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}\left[C+\frac{\lambda_1}\pi\right]+\lambda_2
        \left(\frac{\Pi-\pi}\pi\right)""",
    plainly="The gap is bounded with the smallest and the largest κ in place of ρ̄ and ρ̃.",
    assumes=_ASSUMED,
    says=le(gap, _THIRTEEN),
    world=_MIXED,
    readings=_readings(_THIRTEEN, _SHARES),
    mutants=_mutants(_THIRTEEN, equal=False),
    tight="""not tight: quadratic clients on the line, one step a round, weights fixed: the left side is less than 3/32
        of the right one""",
    rests_on=["RA-C1", "RA-Q8"],
    repeats="RA-C1",
    verdict="""With weights known before the round no violation was found; with weights that have seen the earlier
        samples of their round, which the print does not exclude, it fails. It is Corollary 1 with π for ρ̄ and Π for ρ̃, and falls by one of its faults, which counts there (RA-C1). A strategy that fails mixes FedWorse, judged by the local models as Section 3.1 interprets it (its formula takes
        Fᵢ(wₜ)), with FedAvg in fixed shares; Section 3.2 combines the two and names no such mixture. The noise is
        dependent between the clients, which Assumptions 3 and 4 allow: exactly one client of each half has a large
        sample in each round. In every round the client that the noise of the first step drove away from its optimum
        gets more weight, always within π and Π; the gap stays, while for optima that nearly agree λ₂ is next to nothing
        and the rest falls as 1/T. By (1) and (2) FedSoftWorse, for which Section 3.1 offers (17), knows as much, as its
        wₜ contains the earlier steps of the round; but with one temperature it leans less and less as the steps
        shorten, and no run of it that fails is known. FedAvg-generalized, and FedSoftWorse with its losses at the model
        sent out, meet the condition. There π <= 1 <= Π rules out Corollary 1's other failures: the error term is never
        negative, and 1/π at least 1. (13) is loose by nature: the limit error of fixed weights is at most Γ(Π/π − 1),
        3μ/(8L) of the error term, and for quadratic clients at most Γ/4·(Π/π − 1)(1 − π/Π), less than 3μ/(32L) of it.
        With one step a round on the line what is left of their start and noise is less than 3/32 of the other terms,
        too. So for these, with weights fixed in advance, the gap is less than 3/32 = 0.09375 of the right side at any
        T; one client of hardly any share against others of the same curvature, π = 1/2 and T large come as near to that
        as one likes. Runs of several steps a round came no nearer.""",
)

E15 = theorem(
    "RA-E15",
    "Eq. (15), Sec. 2.5.2",
    "The bound for equal shares",
    printed=r"""\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}\left[C+\frac{\lambda_1}\pi\right]+\lambda_2
        \left(\frac N\pi-N\right)""",
    plainly="For equal shares the gap is bounded by the smallest κ alone.",
    assumes=[*_ASSUMED, "pᵢ = 1/N"],
    says=le(gap, FIFTEEN),
    world=_MIXED,
    readings=_readings(FIFTEEN, KNOWN),
    mutants=_mutants(FIFTEEN, equal=True),
    tight="""not tight: quadratic clients on the line, one step a round, weights fixed: the left side is less than 3/32
        of the right one""",
    rests_on=["RA-C1", "RA-Q8", "RA-E13", "RA-E14"],
    repeats="RA-C1",
    verdict="""With weights known before the round no violation was found; with weights that have seen the earlier
        samples of their round, which the print does not exclude, it fails. It is (13) with Π <= N − (N − 1)π, and falls with it, by the fault that is counted at RA-C1; as a bound that is printed to be used it has its own word. A strategy that fails mixes FedWorse, judged by the local models as Section 3.1 interprets it (its formula takes Fᵢ(wₜ)), with
        FedAvg in fixed shares; Section 3.2 combines the two and names no such mixture. The noise is dependent between
        the clients, which Assumptions 3 and 4 allow: exactly one client of each half has a large sample in each round.
        In every round the client that the noise of the first step drove away from its optimum gets more weight, always
        within π and Π; the gap stays, while for optima that nearly agree λ₂ is next to nothing and the rest falls as
        1/T. By (1) and (2) FedSoftWorse, for which Section 3.1 offers (17), knows as much, as its wₜ contains the
        earlier steps of the round; but with one temperature it leans less and less as the steps shorten, and no run of
        it that fails is known. FedAvg-generalized, and FedSoftWorse with its losses at the model sent out, meet the
        condition. There π <= 1 <= Π rules out Corollary 1's other failures: the error term is never negative, and 1/π
        at least 1. (15) is loose by nature: the limit error of fixed weights is at most Γ(Π/π − 1), 3μ/(8L) of the
        error term, and for quadratic clients at most Γ/4·(Π/π − 1)(1 − π/Π), less than 3μ/(32L) of it. With one step a
        round on the line what is left of their start and noise is less than 3/32 of the other terms, too. So for these,
        with weights fixed in advance, the gap is less than 3/32 = 0.09375 of the right side at any T; one client
        against very many of the same curvature, π = 1/2 and T large come as near to that as one likes. Runs of several
        steps a round came no nearer.""",
)

E17 = theorem(
    "RA-E17",
    "Eq. (17), Sec. 2.5.2",
    "The bound for any shares",
    printed=r"""\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}\left[C+\frac{\lambda_1}\pi\right]+\lambda_2
        \left(\frac1{\pi\min p_i}-N\right)""",
    plainly="For any shares the gap is bounded by the smallest κ and the smallest share.",
    assumes=_ASSUMED,
    says=le(gap, _SEVENTEEN),
    world=_MIXED,
    readings=_readings(_SEVENTEEN, _SHARES),
    mutants=_mutants(_SEVENTEEN, equal=False),
    tight="""not tight: quadratic clients on the line, one step a round, weights fixed: the left side is less than 3/32
        of the right one""",
    rests_on=["RA-C1", "RA-Q8", "RA-E13", "RA-E16"],
    repeats="RA-C1",
    verdict="""With weights known before the round no violation was found; with weights that have seen the earlier
        samples of their round, which the print does not exclude, it fails. It is (13) with the bound on Π after (16), keeps λ₂(1/min p − N) even at αᵢ = pᵢ, and falls with (13), by the fault that is counted at RA-C1. A strategy that fails mixes FedWorse, judged by the local models as Section
        3.1 interprets it (its formula takes Fᵢ(wₜ)), with FedAvg in fixed shares; Section 3.2 combines the two and
        names no such mixture. The noise is dependent between the clients, which Assumptions 3 and 4 allow: exactly one
        client of each half has a large sample in each round. In every round the client that the noise of the first step
        drove away from its optimum gets more weight, always within π and Π; the gap stays, while for optima that nearly
        agree λ₂ is next to nothing and the rest falls as 1/T. By (1) and (2) FedSoftWorse, for which Section 3.1 offers
        (17), knows as much, as its wₜ contains the earlier steps of the round; but with one temperature it leans less
        and less as the steps shorten, and no run of it that fails is known. FedAvg-generalized, and FedSoftWorse with
        its losses at the model sent out, meet the condition. There π <= 1 <= Π rules out Corollary 1's other failures:
        the error term is never negative, and 1/π at least 1. (17) is loose by nature: the limit error of fixed weights
        is at most Γ(Π/π − 1), 3μ/(8L) of the error term, and for quadratic clients at most Γ/4·(Π/π − 1)(1 − π/Π), less
        than 3μ/(32L) of it. With one step a round on the line what is left of their start and noise is less than 3/32
        of the other terms, too. So for these, with weights fixed in advance, the gap is less than 3/32 = 0.09375 of the
        right side at any T; one client against very many of equal share of the same curvature, π = 1/2 and T large come
        as near to that as one likes. Runs of several steps a round came no nearer.""",
)


def swapped(x: Instance) -> Mapping[str, Any]:
    """(17) after two steps of two clients of curvature 1 and equal shares, weights (a, 1 − a) and the other way round."""
    a, m, start, found = x["a"], x["apart"], x["start"] * x["apart"], []
    for w1 in (a, 1 - a):
        after = start - (start - (1 - w1) * m) / 4
        G2 = np.max([np.abs(v - c) for v in (start, after) for c in (0 * m, m)], axis=0) ** 2
        speed = m**2 + 2 * (start - m / 2) ** 2 + 128 * G2 / (6 * np.minimum(a, 1 - a))
        found.append(speed / 6 + m**2 / 3 * (1 / np.minimum(a, 1 - a) - 2))
    return {"swapped_bound": found[0], "other_bound": found[1]}


def swapped_exact(x: Mapping[str, Any]) -> Pair:
    """Both right sides of (17): L = mu = tau = 1, sigma = 0, T + gamma = 6."""
    centers, start, half, sides = [Fraction(0), x["apart"]], x["start"] * x["apart"], Fraction(1, 2), []
    best = sum(centers) / 2
    Gamma = sum((best - c) ** 2 for c in centers) / 4
    for a in ([x["a"], 1 - x["a"]], [1 - x["a"], x["a"]]):
        pi, w, G2 = min(v / half for v in a), start, Fraction(0)
        for t in range(2):
            G2 = max([G2] + [(w - c) ** 2 for c in centers])
            w = w - sum(v * (w - c) for v, c in zip(a, centers, strict=True)) / (t + 4)
        sides.append(
            (8 * Gamma + 2 * (start - best) ** 2 + 128 * G2 / (3 * pi)) / 6 + 8 * Gamma / 3 * (1 / (pi * half) - 2)
        )
    met = {"0 < a < 1": 0 < x["a"] < 1, "Gamma > 0": Gamma > 0}
    return met, {"swapped_bound": sides[0], "other_bound": sides[1]}


_SWAPPED = case(
    "two clients, their weights exchanged",
    Space(
        (
            Uniform("a", 0.01, 0.99, at=(0.25,)),
            LogScale("apart", 1e-2, 1e2, at=(1.0,)),
            Uniform("start", -1.0, 2.0, at=(0.5,)),
        )
    ),
    swapped,
    swapped_exact,
)
_ONLY_PI, _OF_SHARES = SPEED + _LAMBDA2 * (_LARGEST - pi) / pi, rho_best / rho - 1

Q10 = remark(
    "RA-Q10",
    "Sec. 2.5.2, after (17)",
    "What (17) allows to state",
    printed=r"""\text{(17): «the new speed and error bounds depend only on }
        \pi\text{», and «a well chosen minimal value of the }\alpha_t^i\text{» gives a bound on the error term, here: }
        \alpha_t^i\ge a\Rightarrow\frac{E}{\lambda_2}\le\frac{\max p_i}{a\min p_i}-N""",
    plainly="The bounds of (17) depend only on π, and a lower bound on the weights gives one on the error term.",
    assumes=["every pᵢ > 0, αₜⁱ >= a > 0", "E/λ₂ = ρ̃/ρ̄ − 1"],
    says=le(_OF_SHARES, largest / (smallest * least) - N),
    world=_ANY,
    readings=[
        reading(
            "a minimal weight bounds the error term",
            "π >= a/max p, so (17) gives max p/(a min p) − N.",
            part="a minimal weight bounds the error term",
        ),
        reading(
            "of the weights only π enters, G given",
            """For one federation: with Π at its bound after (16) the right side of (13) is that of (17), and no other
                quantity of the weights is left.""",
            identity(_ONLY_PI, _SEVENTEEN),
            part="the bounds depend only on π",
        ),
        reading(
            "only on π, G over the run",
            """Stronger than the print, with G measured over each run: two weightings of one federation with the same π
                have the same right side of (17).""",
            le(abs(swapped_bound - other_bound), 0),
            world=world(_SWAPPED),
            part="the bounds depend only on π",
            ours="""after (13) «C, λ₁ and λ₂ are constants», and Assumption 4 has one G for all; a G measured on each
                strategy's own run is ours""",
        ),
    ],
    mutants=[
        mutant(
            "min p left out", le(_OF_SHARES, largest / smallest - N), "for equal shares and weights it says 0 <= 1 − N"
        ),
        mutant(
            "Π at 1/min p",
            identity(SPEED + _LAMBDA2 * (1 / least - pi) / pi, _SEVENTEEN),
            "the sides then differ by λ₂(N − 1)",
        ),
    ],
    rests_on=["RA-E17", "RA-E16"],
    written="the bound after «here:»",
    verdict="""For one federation, with G given, π alone of the weights enters (17), and weights of at least a bound the
        error term. Weights of at least a give π >= a/max p and with it a finite bound, for the soft strategies, too; N,
        min p, C and λ₂ are data. After (13) «C, λ₁ and λ₂ are constants», and Assumption 4 has one G for all. With a G
        measured on each strategy's own run, which is ours, λ₁ depends on where the strategy goes, and two weightings
        with the same π can have different bounds. No choice of the smallest weight makes the bound small, which is not
        claimed: for unequal shares it is at least λ₂(1/min p − N) > 0, even at αᵢ = pᵢ, where E = 0.""",
)

CLAIMS: tuple[Claim, ...] = (Q7, Q8, Q9, E13, E14, E15, E16, E17, Q10)
