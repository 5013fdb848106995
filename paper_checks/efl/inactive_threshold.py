"""Corollary 1 of EFL: when an inactive client should be abandoned, and the threshold in its explicit form."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Integer,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Space,
    symbols,
    units,
)
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]


def second_term(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(H J/(tau E + gamma) with H = y tau, the limit y J of the text)."""
    return Fraction(y * tau * J) / (tau * E + gamma), y * J


def second_term_corrected(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(the same, y J/E)."""
    return Fraction(y * tau * J) / (tau * E + gamma), y * J / Fraction(E)


def second_term_squared(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(the same, y J/E^2)."""
    return Fraction(y * tau * J) / (tau * E + gamma), y * J / Fraction(E) ** 2


def every_round(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(H J/(tau E + gamma) with H = tau, since E[p s]/p^k differs in every round, the limit y J of the text)."""
    return Fraction(tau * J) / (tau * E + gamma), y * J


_FIXED = {"E": (1, 2, 10), "gamma": (64,), "y": (Fraction(1, 10), Fraction(1, 2)), "J": (1,)}
_CONSTANTS = ("E", "gamma", "y", "J")


def _limit(at: Any) -> Order:
    family = OrderFamily("H grows with the rounds", at, {"tau": symbols("n")}, _FIXED, degree=1)
    return Order("limit", (family,), "tau", may_depend_on=_CONSTANTS, grid=tuple(2**k for k in range(4, 16)))


def _losses(x: Instance) -> Mapping[str, Any]:
    """Where long runs with and without client 0 end, E = 1 and equal curvatures: excess loss of each, over whom asked."""
    p, m, y, h = x["share"], x["optimum"], x["inactive"], x["curvature"]
    kept = p.copy()
    kept[:, 0] = p[:, 0] * (1 - y)
    rest = p.copy()
    rest[:, 0] = 0.0
    over = p if x["everyone"][0] > 0 else rest
    ends = [(w * m).sum(axis=1) / w.sum(axis=1) for w in (rest, kept)]
    without, keeping = (0.5 * h * (over * (end[:, None] - m) ** 2).sum(axis=1) for end in ends)
    return {"lhs": without, "keeping": keeping, "magnitude": h * (m**2).max(axis=1)}


def losses_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Limits of the models for T to infinity: w = sum of q_k m_k, q_k the mean weights E[p^k], client 0 with y or gone."""
    p, m, clients = x["share"], x["optimum"], range(len(x["share"]))
    over = [p[k] if k > 0 or x["everyone"] > 0 else Fraction(0) for k in clients]

    def loss(weights: Any) -> Any:
        end = sum(weights[k] * m[k] for k in clients) / sum(weights)
        return x["curvature"] * sum(over[k] * (end - m[k]) ** 2 for k in clients) / 2

    without = [p[k] if k > 0 else Fraction(0) for k in clients]
    kept = [p[k] if k > 0 else p[k] * (1 - x["inactive"]) for k in clients]
    met = {
        "0 < y < 1": 0 < x["inactive"] < 1,
        "p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0,
        "y J > f_1(T) -> 0: some D_k > 0": len(set(m)) > 1,
    }
    return met, {"lhs": loss(without), "keeping": loss(kept)}


def keeping_again(keeping: Any) -> Any:
    """The loss with the client kept."""
    return keeping * 1


def _decision(*, everyone: bool) -> Inequality:
    def case(n: int) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Simplex("share", n, interior=True),
                LogScale("inactive", 1e-3, 0.99, at=(0.1, 0.5)),
                Choice("everyone", (float(everyone),)),
            )
        )
        return Case(
            f"{n} clients of one curvature, E = 1, T → ∞",
            space,
            _losses,
            ExactCheck(losses_exact),
            symmetries=(units({"curvature": (1, -2), "optimum": (0, 1)}),),
        )

    bound = Bound(symbols("keeping"), again=keeping_again, degrees={"keeping": (1, 0)})
    return Inequality(bound, tuple(case(n) for n in (2, 3, 10, 100)), degrees=(1, 0))


C1A = Claim(
    id="EFL-C1a",
    kind=Kind.INEQUALITY,
    source="Corollary 1, eq. (8), Sec. 4.1",
    title="When to abandon an inactive client",
    statement=r"y^{a}J>f_1(T),\qquad f_0\approx y^aJ,\quad f_1(\tau)=\frac{\widetilde C_\tau}{(E(\tau-\tau_0)+\widetilde\gamma)^2}",
    says="An inactive client should be abandoned if yᵃJ, where the bound with it settles, exceeds the bound without it.",
    assumes=(
        "client a is inactive with probability 0 < y < 1 in each round",
        "f₀ the bound (7) with the client, f₁ the one without it; both as T → ∞, where f₁ → 0",
    ),
    readings=(
        Reading(
            "f₀ → yᵃJ, Hτ = yᵃτ",
            "The second term of (7) against the limit that the text gives.",
            _limit(second_term),
        ),
        Reading(
            "f₀ → yᵃJ, rτ by its definition",
            "rτ is defined by expectations, which differ in every round as soon as y > 0: Hτ = τ.",
            _limit(every_round),
        ),
        Reading(
            "abandoning gives the smaller loss over all clients",
            "If «training loss» is that of all clients: whenever (8) holds for T → ∞, F at the limit without the "
            "client is at most F at the limit with it.",
            _decision(everyone=True),
        ),
        Reading(
            "abandoning gives the smaller loss of the others",
            "The same for the loss of the remaining clients, the training loss of the smaller system.",
            _decision(everyone=False),
        ),
        Reading("f₀ → yᵃJ/E", "The limit with Hτ = yᵃτ, computed.", _limit(second_term_corrected), repair="edit"),
    ),
    canaries=(
        Canary(
            "f₀ → yᵃJ/E²",
            _limit(second_term_squared),
            "the second term is yJτ/(τE + γ), whose limit has one factor E in its denominator",
        ),
        Canary(
            "loss over all clients for two clients",
            _decision(everyone=True),
            "any weight on client a moves the limit towards the minimiser of F",
        ),
    ),
    depends_on=("EFL-T1", "EFL-S2"),
    verdict_words=(
        "The left side of (8) lacks a factor 1/E: the second term of (7) settles at yᵃJ/E, not at yᵃJ. With Hτ = yᵃτ, "
        "as Sec. 4.1 counts, that term is yᵃJτ/(τE + γ), so the E of (7) forces the factor; (9) has it, and yᵃJ/E > "
        "f₁(T) gives (9) exactly. By the definition of rτ in A.2.1 every round counts as soon as y > 0, and the term "
        "settles at J/E whatever y is. As T → ∞ f₁ tends to 0, so (8), corrected or not, always says «abandon». For "
        "the loss of the remaining clients that is right, since it is smallest at their own optimum; for the loss "
        "over all clients it is wrong. The paper does not say which «training loss» it means."
    ),
)


def threshold(T: Any, E: Any, gamma: Any, C: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(f_1(T)/J with C~ = T C and tau_0 = 0, C/(J T E))."""
    return Fraction(T * C) / (E * T + gamma) ** 2 / J, Fraction(C) / (J * T * E)


def threshold_corrected(T: Any, E: Any, gamma: Any, C: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(the same from y J/E > f_1, C/(J T E))."""
    return E * Fraction(T * C) / (E * T + gamma) ** 2 / J, Fraction(C) / (J * T * E)


def threshold_squared(T: Any, E: Any, gamma: Any, C: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(the same, C/(J T E^2))."""
    return E * Fraction(T * C) / (E * T + gamma) ** 2 / J, Fraction(C) / (J * T * E**2)


_PATH = {"T": symbols("n")}
_BOTH = {"T": symbols("n"), "E": symbols("n")}


def _order(kind: Any, at: Any, *paths: Mapping[str, Any]) -> Order:
    fixed = {"gamma": (64,), "C": (1, 100), "J": (1,)}
    families = tuple(
        OrderFamily(
            "T grows" if "E" not in path else "T and E grow",
            at,
            path,
            fixed if "E" in path else {**fixed, "E": (1, 10, 100, 1000)},
            degree=6,
        )
        for path in paths
    )
    grid = tuple(2**k for k in range(4, 20))
    return Order(kind, families, "T", may_depend_on=("gamma", "C", "J"), uniform_in=("E",), grid=grid)


def _more_steps(x: Instance) -> Mapping[str, Any]:
    """C/(JTE), C and J as in EFL-T1-R for p = pᵏ, s = E: with E and, as the right side, with E = 1; T = 1, m = E.

    Σp = 1 < 2: the brackets of (59) and (49) with a positive part are both Σps = E.
    """

    def value(E: Any) -> Any:
        drift = (2 + x["mu"] / (6 * x["mu"] * x["kappa"])) * E * (E - 1) * x["G2"] * E
        growth = E * x["sigma2"] + 8 * x["mu"] * x["kappa"] * E * x["D"] + drift + 2 * E**2 * x["G2"]
        return (16 * E) ** 2 * growth / (x["mu"] * E) ** 2 / (32 * E * x["D"] / x["mu"]) / E

    return {"lhs": value(x["E"]), "fewer": value(1.0 + 0 * x["E"])}


def more_steps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """theta = 2, sum p = 1, sum p s = sum p^2 s/p^k = E = m, D the mean of the D_k; the bracket is E, (sum p - 2)_+ = 0."""
    mu, L, G2, D = x["mu"], x["mu"] * x["kappa"], x["G2"], x["D"]

    def value(E: Any) -> Any:
        B = E * x["sigma2"] + 2 * 4 * L * E * D + (2 + mu / (2 * 3 * L)) * E * (E - 1) * G2 * E
        C = (16 * E) ** 2 * (B + 2 * E * G2 * E) / (mu * E) ** 2
        J = 32 * E * (E * D) / (mu * E)
        return C / (J * E)

    met = {"0 < mu <= L, D > 0": mu > 0 and x["kappa"] >= 1 and D > 0, "E >= 2": x["E"] >= 2}
    return met, {"lhs": value(x["E"]), "fewer": value(Fraction(1))}


def fewer_again(fewer: Any) -> Any:
    """The threshold with one local step."""
    return fewer + 0


def _sensitivity() -> Inequality:
    space = Space(
        (
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            LogScale("kappa", 1.0, 1e4, at=(1.0,)),
            LogScale("sigma2", 1e-2, 1e2, at=(1.0,)),
            LogScale("G2", 1e-2, 1e4, at=(1.0,)),
            LogScale("D", 1e-2, 1e2, at=(1.0,)),
            Integer("E", 2, 300),
        )
    )
    degrees = {"mu": (1, -2), "sigma2": (2, -2), "G2": (2, -2), "D": (1, 0)}
    case = Case("C and J from EFL-T1-R", space, _more_steps, ExactCheck(more_steps_exact), symmetries=(units(degrees),))
    return Inequality(Bound(symbols("fewer"), again=fewer_again, degrees={"fewer": (0, 0)}), (case,), degrees=(0, 0))


C1B = Claim(
    id="EFL-C1b",
    kind=Kind.ORDER,
    source="Corollary 1, eq. (9), Sec. 4.1",
    title="Explicit threshold of inactivity",
    statement=r"y^{a}>O\Big(\frac{C}{JTE}\Big)\quad\text{from (8) with }C_\tau\approx\widetilde C_\tau=\tau C,\ \gamma\approx\widetilde\gamma",
    says=(
        "An inactive client should go above a probability O(C/(JTE)); «the more epochs …, the more sensitive» the "
        "training is to inactivity."
    ),
    assumes=(
        "τ₀ fixed (0 here), T → ∞",
        "C and J constants",
        "prose: «the more epochs, the more sensitive to inactivity»",
    ),
    readings=(
        Reading(
            "f₁(T)/J is at most of this order",
            "With a constant that does not depend on E.",
            _order("upper", threshold, _PATH, _BOTH),
        ),
        Reading(
            "f₁(T)/J is of exactly this order",
            "Stronger than the print: also from below, with a constant that does not depend on E, as a threshold "
            "would need.",
            _order("lower", threshold, _PATH, _BOTH),
        ),
        Reading(
            "more local steps lower C/(JTE)",
            "C and J as in EFL-T1-R for full participation, p = pᵏ, s = E, where the bracket is Σps = E: the threshold for "
            "E >= 2 is at most that for E = 1.",
            _sensitivity(),
        ),
        Reading(
            "from yᵃJ/E > f₁(T)",
            "With the limit yᵃJ/E of the second term: of exactly this order.",
            _order("lower", threshold_corrected, _PATH, _BOTH),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "order C/(JTE²) from yᵃJ/E > f₁(T)",
            _order("upper", threshold_squared, _BOTH),
            "one factor E too many: the quotient grows with E",
        ),
    ),
    depends_on=("EFL-C1a", "EFL-T1-R"),
    verdict_words=(
        "(9) holds as the upper order that O(·) says; the sentence after it, that more local epochs make the training "
        "more sensitive to inactivity, is false with the constants of the proof. There C/J grows like E², so the "
        "threshold C/(JTE) grows, in the end, like E. With every constant 1 it is lower than that of one step for E = "
        "2 to 4 and higher from E = 5 on. With C and J held fixed it would fall like 1/E, but both depend on E. As to "
        "(9) itself: from (8) as printed the threshold is f₁(T)/J = TC/(J(ET + γ)²), of order C/(JTE²), so a "
        "two-sided reading, which is stronger than the print, fails. With the limit yᵃJ/E that (7) has (EFL-C1a) the "
        "order is exactly C/(JTE)."
    ),
)

CLAIMS: tuple[Claim, ...] = (C1A, C1B)
