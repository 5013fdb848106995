"""Sec. 3.2 and 4.1 to 4.2: what the text reads off Theorem 1, on C, on inactive and on incomplete clients; Corollary 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

from paper_checks.efl.notation import NOTATION
from paper_checks.efl.settings import AT_RANDOM
from validation import Case, Claim, Instance, World, case, numbers, symbols, units
from validation.statement.forms.quotients import n
from validation.statement.instances.draw import Integer, LogScale, Signed, Simplex, Space
from validation.world import Order, OrderFamily, le, mutant, nowhere, reading, remark, theorem, twice

__all__ = ["CLAIMS"]

Value = tuple[Fraction, Fraction]
_GRID = tuple(2**k for k in range(3, 12))


def constant_c(tau: Any, E: Any, q: Any) -> Value:
    """(C_tau of EFL-T1-R, tau): one client that does all E steps with chance q in every round; mu = L = sigma = 1, G^2 = 2."""
    m, theta, G2 = q * E, 2, 2
    gamma = max(32 * E * (1 + theta) / m, 4 * E**2 * theta / m, E)
    B = m + (2 + Fraction(1, 2 * (1 + theta))) * E * (E - 1) * G2 * m
    return gamma**2 + tau * (16 * E) ** 2 * (B + 2 * E * G2 * m) / m**2, Fraction(tau)


def alternating_c(tau: Any, E: Any, q: Any) -> Value:
    """(the same with chance 1 and chance q in turn, tau): E sum p s lies between q E and E."""
    theta, G2 = 2, 2
    gamma = max(32 * (1 + theta) / q, 4 * E * theta / q, E)
    drift, total = (2 + Fraction(1, 2 * (1 + theta))) * E * (E - 1) * G2, Fraction(gamma) ** 2
    for m, count in ((E, tau - tau // 2), (q * E, tau // 2)):
        total = total + count * (16 * E) ** 2 * (m + drift * m + 2 * E * G2 * m) / Fraction(m) ** 2
    return total, Fraction(tau)


def dwindling_c(tau: Any) -> Value:
    """(what C_tau adds to C_0, tau): one client with E = 1 that takes part in round t with chance 96/(t + 96); the rest as before.

    With gamma = 95 every step size of Theorem 1 is 16/((t + 96) m) = 1/6 = 1/(2(1 + theta)L), as the proof asks.
    """
    added = Fraction(0)
    for t in range(int(tau)):
        m = Fraction(96, t + 96)
        added = added + 256 * (m + 2 * 2 * m) / m**2
    return added, Fraction(tau)


def bound_seven(tau: Any, H: Any, E: Any, J: Any) -> Value:
    """(C_tau/(tau E + gamma)^2 + H J/(tau E + gamma) with C_tau = 1 + tau and gamma = 64 E, its limit 0)."""
    x = tau * E + 64 * E
    return Fraction(1 + tau) / x**2 + Fraction(H * J) / x, Fraction(0)


def _c(at: Callable[..., Value]) -> Order:
    fixed = {} if at is dwindling_c else {"E": (1, 2, 10), "q": (1, Fraction(1, 10), Fraction(1, 1000))}
    family = OrderFamily("rounds", at, {"tau": 2 * n if at is alternating_c else n}, fixed, degree=2)
    return Order("upper", (family,), "tau", may_depend_on=() if at is dwindling_c else ("E", "q"), grid=_GRID)


Paths = tuple[tuple[str, Any, Any], ...]


def _vanishes(at: Callable[..., Value], paths: Paths, name: str, degree: int | None = 3) -> Order:
    families = tuple(
        OrderFamily(w, at, {"tau": t, name: h}, {"E": (1, 10), "J": (1,)}, degree=degree) for w, t, h in paths
    )
    return Order("limit", families, "tau", may_depend_on=("E", "J"), uniform_in=(name,), grid=_GRID)


_SUBLINEAR: Paths = (("the square root of τ", n**2, n), ("τ to the power 2/3", n**3, n**2), ("none", n, 0 * n))

S1 = remark(
    "EFL-S1",
    "Sec. 3.2, after Theorem 1",
    "Convergence when H is sub-linear",
    printed=r"""C_\tau=O(\tau);\qquad\text{and if }H_\tau=o(\tau)\text{, then }\frac{C_\tau}{(\tau E+\gamma)^2}+
        \frac{H_\tau J}{\tau E+\gamma}\to0""",
    plainly="""C grows at most linearly with the rounds, as the text asserts, and the bound tends to 0 if H
        grows sub-linearly.""",
    assumes=["C, H, J, γ as in EFL-T1-R", "E and the other constants fixed while τ grows"],
    says=_c(dwindling_c),
    readings=[
        reading(
            "C = O(τ), any participation that A6 allows",
            "s: «It can generally be time-varying», with EΣps ≠ 0 in every round; here EΣps = 96/(τ + 96).",
            part="C = O(τ)",
            because="Sec. 3.1: s «can generally be time-varying»; A6 asks only that EΣps is not 0",
        ),
        reading(
            "EΣps the same in every round: C = O(τ)",
            "One law of participation.",
            _c(constant_c),
            part="C = O(τ)",
            conditions=["EΣps the same in each round"],
            met_by=AT_RANDOM,
        ),
        reading(
            "EΣps bounded from below: C = O(τ)",
            "Two laws in turn; what C gains in a round is at most what it gains at the smallest EΣps.",
            _c(alternating_c),
            part="C = O(τ)",
            conditions=["EΣps bounded from below over the rounds"],
            met_by=AT_RANDOM,
        ),
        reading(
            "EΣps bounded from below, H sub-linear: the bound tends to 0",
            "For C = O(τ).",
            _vanishes(bound_seven, _SUBLINEAR, "H", None),
            part="H sub-linear: the bound tends to 0",
            conditions=["EΣps bounded from below over the rounds"],
            met_by=AT_RANDOM,
        ),
    ],
    mutants=[
        mutant("H linear", _vanishes(bound_seven, (("all rounds biased", n, n),), "H"), "the second term tends to J/E")
    ],
    rests_on=["EFL-T1", "EFL-T1-R"],
    verdict="""A6 only asks EΣps ≠ 0. With participation that dwindles like 1/τ what C gains grows like τ², so that the
        first term does not vanish. The instance shown keeps the conditions of the proof: at its γ the step size is
        1/(2(1+θ)L) in every round, and below 4/(μEθ). With EΣps bounded
        away from 0, say one law of participation for all rounds, C grows linearly and the conclusion about the bound is
        right. That the model then converges to ω* also needs Theorem 1 itself, with its conditions: one F, hence λ = 0
        or anchors that stay, no compression, independent participation (EFL-T1).""",
)


def inactive_term(tau: Any, count: Any, E: Any, J: Any) -> Value:
    """(sum_{t < tau} y_t J/(tau E + E^2) with `count` of the y_t equal to 1, its limit 0)."""
    return Fraction(count * J) / (tau * E + E**2), Fraction(0)


_ALL: Paths = (("inactive clients in every round", n, n), ("in every second round", 2 * n, n))
_TENTH: Paths = (("every tenth round", 10 * n, n),)

S2 = remark(
    "EFL-S2",
    "Sec. 4.1",
    "A mild degree of inactivity",
    printed=r"O\Big(\frac{\sum_{t=0}^{\tau-1}y_tJ}{\tau E+E^2}\Big)\to0\ \text{ if }\ y_t\in O(\tau)",
    plainly="The part of the bound that inactive clients add tends to 0 when y is of order τ.",
    assumes=[
        "y_t is 1 if a client is inactive in round t, else 0",
        "the upper limit of the sum, printed −1, read as τ − 1",
    ],
    says=_vanishes(inactive_term, _ALL, "count"),
    open={
        "y": nowhere("""«y_t indicates if there are inactive clients in the t-th round», and «y_t ∈ O(τ)»: of an
            indicator of round t no order in τ can be meant; whether it is the number of such rounds is not said""")
    },
    readings=[
        reading(
            "yₜ in O(τ)",
            "An indicator, at most 1, so every sequence is in O(τ).",
            options={"y": "the indicator of round t"},
        ),
        reading(
            "the number of such rounds in O(τ)",
            "Σyₜ, up to all rounds.",
            _vanishes(inactive_term, (*_TENTH, *_ALL), "count"),
            options={"y": "the number of such rounds up to τ"},
        ),
        reading(
            "the number of such rounds sub-linear",
            "Σyₜ = o(τ).",
            _vanishes(inactive_term, _SUBLINEAR, "count", None),
            options={"y": "the number of such rounds up to τ"},
            edits=["o(τ) in place of O(τ)"],
            token=True,
            forced_by="""Sec. 3.2 prints the condition for the same term: it vanishes «if H_τ increases sub-linearly
                with τ»; and in the next paragraph the term does not vanish for an inactivity of fixed probability,
                which is O(τ)""",
            because="Corollary 1 uses the right form: the term settles at a multiple of yᵃJ where Σy = yᵃτ",
        ),
    ],
    mutants=[
        mutant("Σyₜ at least a tenth of τ", _vanishes(inactive_term, _TENTH, "count"), "the term tends to J/(10 E)")
    ],
    rests_on=["EFL-T1", "EFL-C1a"],
    verdict="""With an inactive client in every round the term is τJ/(τE + E²), which tends to J/E, not to 0, though yₜ
        = 1 is in O(τ). What is needed is that the number of such rounds grows more slowly than τ, as Sec. 3.2 has it
        for H. The sum is printed up to −1, an empty sum, which is surely a lost τ. The same section lets the term tend
        to yJ for inactivity of a fixed probability.""",
)


def incomplete(tau: Any, E: Any, few: Any, printed: bool, power: int) -> Value:
    """((7) with p = E p^k/s, s = 1 (`few`) or E; the printed order, or E^`power` in it).

    One client, mu = L = sigma = D = Delta_0 = 1, G^2 = 2, theta = 2 E, so m = E, r = 0; (59)'s bracket with a positive part, or
    2 sum p s + theta (sum p - 2) as `printed`.
    """
    s, theta, G2 = (Fraction(1) if few else Fraction(E)), 2 * E, 2
    gamma = max(32 * E * (1 + theta) / E, 4 * E**2 * theta / E, E)
    bracket = 2 * E + theta * (E / s - 2) if printed else E + theta * max(E / s - 2, Fraction(0)) * E
    B = E**2 / s + 2 * (2 + theta) * E + (2 + Fraction(1) / (2 * (1 + theta))) * E * (E - 1) * G2 * bracket
    C = gamma**2 + tau * 256 * (B + 2 * E**3 * G2 / s)
    return max(C, Fraction(0)) / (tau * E + gamma) ** 2, (E**power * tau / s + E**2 * tau / s) / (tau * E + E**2) ** 2


def incomplete_bound(tau: Any, E: Any, few: Any) -> Value:
    """(the bound with a positive part, the printed order)."""
    return incomplete(tau, E, few, False, 5)


def incomplete_printed(tau: Any, E: Any, few: Any) -> Value:
    """(the bound with the bracket as printed, the printed order)."""
    return incomplete(tau, E, few, True, 5)


def incomplete_fourth(tau: Any, E: Any, few: Any) -> Value:
    """(the bound with a positive part, the printed order with E^4 in place of E^5)."""
    return incomplete(tau, E, few, False, 4)


def _incomplete(at: Callable[..., Value], *, fourth: bool = False) -> Order:
    constant = tuple((f"E = {e}", n**2, e) for e in (1, 10, 300))
    paths = (*constant, ("E grows with τ", n, n), ("τ = E²", n**2, n))
    families = tuple(OrderFamily(w, at, {"tau": t, "E": e + 0 * n}, {"few": (0, 1)}) for w, t, e in paths)
    if fourth:
        why = (
            "for E >= 16: B >= 6 E⁵, γ = 8E² and τE = E⁴, so the quotient is at least 256·6·0.9·E⁵/(E⁴ + E²) >= 1000 E"
        )
        one = OrderFamily("τ = E³", at, {"tau": n**3, "E": n}, {"few": (1,)}, form=1000 * n, because=why)
        families = (one,)
    grid = tuple(2**k for k in range(4, 12))
    return Order("upper", families, "tau", may_depend_on=("few",), uniform_in=("E",), grid=grid)


S3 = remark(
    "EFL-S3",
    "Sec. 4.2",
    "The bound for incomplete clients",
    printed=r"""O\Big(\frac{E^5\sum_{t=0}^{\tau-1}\sum_kp^k\mathbb E[1/s_t^k]+E^2\sum_{t=0}^{\tau-1}\sum_k(p^k
        \sigma_k)^2\mathbb E[1/s_t^k]}{(\tau E+E^2)^2}\Big)\quad\text{for }p_\tau^k=\frac{Ep^k}{s_\tau^k}""",
    plainly="""With coefficients E pᵏ/s the bound of Theorem 1 is of this order, with a constant that depends on neither
        τ nor E.""",
    assumes=[
        "C, γ as in EFL-T1-R, s >= 1, so that r = 0; θ = 2E, since A5 needs θ > E",
        "searched for one client with s = 1 or s = E in all rounds; all other constants 1",
    ],
    says=_incomplete(incomplete_bound),
    open={
        "C": nowhere("""C of Theorem 1 is not defined; the bracket of (59), which enters it, is printed as a sum where
            (24) has a product with Σp − 2""")
    },
    readings=[
        reading(
            "bracket of (59) with a positive part",
            "Σps + θ(Σp − 2)₊Σps.",
            options={"C": "bracket with a positive part"},
        ),
        reading(
            "bracket of (59) as printed",
            "2Σps + θ(Σp − 2).",
            _incomplete(incomplete_printed),
            options={"C": "bracket of (59) as printed"},
        ),
    ],
    mutants=[
        mutant(
            "E⁴ in place of E⁵",
            _incomplete(incomplete_fourth, fourth=True),
            "θ, Σp and Σps are each of order E, and E(E − 1) stands before the bracket",
        )
    ],
    rests_on=["EFL-T1-R", "EFL-ALG3", "EFL-E58", "EFL-E59"],
    verdict="""The powers of E are those of the reconstructed constants: E⁵ from the bracket read as (Σp − 2) times Σps
        with θ of order E, which is one more sign that the printed «+» in it is a lost positive part, E² from the noise,
        and E² in the denominator from γ. It follows for any number of clients and any law with s >= 1, Q = Σpᵏ𝔼[1/s] >=
        1/E: Σps = E, Σp²s/pᵏ = E²Σpᵏ/s, 𝔼Σp = EQ, so the bracket is at most 3E³Q on average, and γ² and the skew are of
        order E⁴ <= E⁵Q. With the bracket as printed E⁴ would do. It bounds the bound, not the run.""",
)


def second_term(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> Value:
    """(H J/(tau E + gamma) with H = y tau, the limit y J of the text)."""
    return Fraction(y * tau * J) / (tau * E + gamma), y * J


def second_term_corrected(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> Value:
    """(the same, y J/E)."""
    return Fraction(y * tau * J) / (tau * E + gamma), y * J / Fraction(E)


def second_term_squared(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> Value:
    """(the same, y J/E^2)."""
    return Fraction(y * tau * J) / (tau * E + gamma), y * J / Fraction(E) ** 2


def every_round(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> Value:
    """(H J/(tau E + gamma) with H = tau, since E[p s]/p^k differs in every round, the limit y J of the text)."""
    return Fraction(tau * J) / (tau * E + gamma), y * J


def _limit(at: Callable[..., Value]) -> Order:
    fixed = {"E": (1, 2, 10), "gamma": (64,), "y": (Fraction(1, 10), Fraction(1, 2)), "J": (1,)}
    family = OrderFamily("H grows with the rounds", at, {"tau": symbols("n", positive=True)}, fixed, degree=1)
    constants = ("E", "gamma", "y", "J")
    return Order("limit", (family,), "tau", may_depend_on=constants, grid=tuple(2**k for k in range(4, 16)))


loss_all, loss_all_kept, loss_rest, loss_rest_kept = NOTATION.symbols("loss_all loss_all_kept loss_rest loss_rest_kept")


def ends(x: Instance) -> Mapping[str, Any]:
    """Where long runs without and with client 0 end, E = 1: the excess loss over all clients, and over the others."""
    p, m, h = x["share"], x["optimum"], x["curvature"]
    rest, kept = p.copy(), p.copy()
    rest[:, 0], kept[:, 0] = 0.0, p[:, 0] * (1 - x["inactive"])
    without, keeping = ((w * m).sum(axis=1) / w.sum(axis=1) for w in (rest, kept))

    def loss(over: Any, end: Any) -> Any:
        return 0.5 * h * (over * (end[:, None] - m) ** 2).sum(axis=1)

    return {
        "loss_all": loss(p, without),
        "loss_all_kept": loss(p, keeping),
        "loss_rest": loss(rest, without),
        "loss_rest_kept": loss(rest, keeping),
        "sizes": dict.fromkeys(("loss_all", "loss_rest"), h * (m**2).max(axis=1)),
    }


def ends_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Limits of the models for T to infinity: w = sum of q_k m_k, q_k the mean weights E[p^k], client 0 with y or gone."""
    p, m, clients = x["share"], x["optimum"], range(len(x["share"]))
    rest = [p[k] if k > 0 else Fraction(0) for k in clients]
    kept = [p[k] if k > 0 else p[k] * (1 - x["inactive"]) for k in clients]

    def loss(over: Any, weights: Any) -> Any:
        end = sum(weights[k] * m[k] for k in clients) / sum(weights)
        return x["curvature"] * sum(over[k] * (end - m[k]) ** 2 for k in clients) / 2

    met = {
        "0 < y < 1": 0 < x["inactive"] < 1,
        "p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0,
        "y J > f_1(T) -> 0: some D_k > 0": len(set(m)) > 1,
    }
    found = {"loss_all": loss(p, rest), "loss_all_kept": loss(p, kept)}
    return met, {**found, "loss_rest": loss(rest, rest), "loss_rest_kept": loss(rest, kept)}


def _ends(count: int) -> Case:
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (count,)),
            Simplex("share", count, interior=True),
            LogScale("inactive", 1e-3, 0.99, at=(0.1, 0.5)),
        )
    )
    same = (units({"curvature": (1, -2), "optimum": (0, 1)}),)
    return case(f"{count} clients of one curvature, E = 1, T → ∞", space, ends, ends_exact, symmetries=same)


_ENDS = World(NOTATION, tuple(_ends(count) for count in (2, 3, 10, 100)))
_OF_ALL = le(loss_all, loss_all_kept)

C1a = theorem(
    "EFL-C1a",
    "Corollary 1, eq. (8), Sec. 4.1",
    "When to abandon an inactive client",
    printed=r"""y^{a}J>f_1(T),\qquad f_0\approx y^aJ,\quad f_1(\tau)=\frac{\widetilde C_\tau}{(E(\tau-\tau_0)+
        \widetilde\gamma)^2}""",
    plainly="""An inactive client should be abandoned if yᵃJ, where the bound with it settles, exceeds the bound without
        it.""",
    assumes=[
        "client a is inactive with probability 0 < y < 1 in each round",
        "f₀ the bound (7) with the client, f₁ the one without it; both as T → ∞, where f₁ → 0",
    ],
    says=_limit(second_term),
    open={
        "H": twice("""Sec. 4.1 counts the rounds with inactive clients (Σ yₜ J in the rate, so H = yᵃτ on average);
            A.2.1, before (61), counts every round in which E[p s] is no multiple of pᵏ, which for y > 0 is every
            round"""),
        "loss": nowhere("""«a smaller training loss when it terminates»: of all clients, or of the clients of the
            smaller system, is not said"""),
    },
    readings=[
        reading(
            "f₀ → yᵃJ, Hτ = yᵃτ",
            "The second term of (7) against the limit that the text gives.",
            part="where the bound with the client settles",
            options={"H": "yᵃτ, the inactive rounds"},
            shown=True,
        ),
        reading(
            "f₀ → yᵃJ, rτ by its definition",
            "rτ is defined by expectations, which differ in every round as soon as y > 0: Hτ = τ.",
            _limit(every_round),
            part="where the bound with the client settles",
            options={"H": "the rounds with rτ = 1"},
        ),
        reading(
            "abandoning gives the smaller loss over all clients",
            """If «training loss» is that of all clients: whenever (8) holds for T → ∞, F at the limit without the
                client is at most F at the limit with it.""",
            _OF_ALL,
            world=_ENDS,
            part="abandoning gives the smaller training loss",
            options={"loss": "over all clients"},
        ),
        reading(
            "abandoning gives the smaller loss of the others",
            "The same for the loss of the remaining clients, the training loss of the smaller system.",
            le(loss_rest, loss_rest_kept),
            world=_ENDS,
            part="abandoning gives the smaller training loss",
            options={"loss": "over the clients that stay"},
        ),
        reading(
            "f₀ → yᵃJ/E",
            "The limit with Hτ = yᵃτ, computed.",
            _limit(second_term_corrected),
            part="where the bound with the client settles",
            options={"H": "yᵃτ, the inactive rounds"},
            edits=["yᵃJ/E in place of yᵃJ"],
            forced_by="""both sides of the display: the second term of (7), HτJ/(τE + γ), with H = yτ tends to yJ/E; and
                (9) is what yᵃJ/E > f₁(T) gives, not what yᵃJ > f₁(T) gives""",
            carries=True,
            because="""printed three times: no slip of one token; the result that rests on it, (9), is printed with the
                right power of E""",
        ),
    ],
    mutants=[
        mutant(
            "f₀ → yᵃJ/E²",
            _limit(second_term_squared),
            "the second term is yJτ/(τE + γ), whose limit has one factor E in its denominator",
        ),
        mutant(
            "loss over all clients for two clients",
            _OF_ALL,
            "any weight on client a moves the limit towards the minimiser of F",
            world=_ENDS,
        ),
    ],
    rests_on=["EFL-T1", "EFL-S2"],
    verdict="""The left side of (8) lacks a factor 1/E: the second term of (7) settles at yᵃJ/E, not at yᵃJ, which is
        right for E = 1 alone if rounds are counted as in Sec. 4.1. With Hτ =
        yᵃτ, as Sec. 4.1 counts, that term is yᵃJτ/(τE + γ), so the E of (7) forces the factor; (9) has it, and yᵃJ/E >
        f₁(T) gives (9) exactly. By the definition of rτ in A.2.1 every round counts as soon as y > 0 (unless the
        coefficients make up for it), and the term settles at J/E whatever y is. As T → ∞ f₁ tends to 0, so (8),
        corrected or not, always says «abandon». For the loss of the remaining clients that is right, since it is
        smallest at their own optimum; for the loss over all clients it is wrong. The paper does not say which «training
        loss» it means.""",
)


def threshold(T: Any, E: Any, gamma: Any, C: Any, J: Any) -> Value:
    """(f_1(T)/J with C~ = T C and tau_0 = 0, C/(J T E))."""
    return Fraction(T * C) / (E * T + gamma) ** 2 / J, Fraction(C) / (J * T * E)


def threshold_corrected(T: Any, E: Any, gamma: Any, C: Any, J: Any) -> Value:
    """(the same from y J/E > f_1, C/(J T E))."""
    return E * Fraction(T * C) / (E * T + gamma) ** 2 / J, Fraction(C) / (J * T * E)


def threshold_squared(T: Any, E: Any, gamma: Any, C: Any, J: Any) -> Value:
    """(the same, C/(J T E^2))."""
    return E * Fraction(T * C) / (E * T + gamma) ** 2 / J, Fraction(C) / (J * T * E**2)


_PATH = {"T": symbols("n", positive=True)}
_BOTH = {"T": symbols("n", positive=True), "E": symbols("n", positive=True)}


def _order(kind: Literal["upper", "lower"], at: Callable[..., Value], *paths: Mapping[str, Any]) -> Order:
    fixed = {"gamma": (64,), "C": (1, 100), "J": (1,)}
    families = tuple(
        OrderFamily("T and E grow", at, path, fixed, degree=6)
        if "E" in path
        else OrderFamily("T grows", at, path, {**fixed, "E": (1, 10, 100, 1000)}, degree=6)
        for path in paths
    )
    grid = tuple(2**k for k in range(4, 20))
    return Order(kind, families, "T", may_depend_on=("gamma", "C", "J"), uniform_in=("E",), grid=grid)


mu, kappa, sigma2, G2, skew_mean, E = NOTATION.symbols("mu kappa sigma2 G2 skew_mean E")


def _threshold(steps: Any) -> Any:
    """C/(JTE), C and J as in EFL-T1-R for p = pᵏ, s = E, T = 1, m = E: Σp = 1 < 2, so the brackets with a positive part are E."""
    drift = (2 + 1 / (6 * kappa)) * steps * (steps - 1) * G2 * steps
    growth = steps * sigma2 + 8 * mu * kappa * steps * skew_mean + drift + 2 * steps**2 * G2
    return (16 * steps) ** 2 * growth / (mu * steps) ** 2 / (32 * steps * skew_mean / mu) / steps


_CONSTANTS = numbers(
    NOTATION,
    "C and J from EFL-T1-R",
    LogScale("mu", 1e-2, 1e2, at=(1.0,)),
    LogScale("kappa", 1.0, 1e4, at=(1.0,)),
    LogScale("sigma2", 1e-2, 1e2, at=(1.0,)),
    LogScale("G2", 1e-2, 1e4, at=(1.0,)),
    LogScale("skew_mean", 1e-2, 1e2, at=(1.0,)),
    Integer("E", 2, 300),
    where=(le(1, kappa), le(2, E)),
)

C1b = theorem(
    "EFL-C1b",
    "Corollary 1, eq. (9), Sec. 4.1",
    "Explicit threshold of inactivity",
    printed=r"""y^{a}>O\Big(\frac{C}{JTE}\Big)\quad\text{from (8) with }C_\tau\approx\widetilde C_\tau=\tau C,
        \ \gamma\approx\widetilde\gamma""",
    plainly="An inactive client should go above a probability of order C/(JTE).",
    assumes=[
        "τ₀ fixed (0 here), T → ∞, since no τ₀ is left in (9)",
        "C and J constants",
        "the sentence after it, «the more epochs the training on the local client, the more sensitive it is to the in-activeness», is judged at EFL-P24",
    ],
    says=_order("upper", threshold, _PATH, _BOTH),
    readings=[
        reading("f₁(T)/J is at most of this order", "With a constant that does not depend on E.", part="(9)"),
        reading(
            "f₁(T)/J is of exactly this order",
            """Stronger than the print: also from below, with a constant that does not depend on E, as a threshold would
                need.""",
            _order("lower", threshold, _PATH, _BOTH),
            part="(9)",
            ours="two-sided, where the print says O(·)",
        ),
        reading(
            "more local steps lower C/(JTE)",
            """C and J as in EFL-T1-R for full participation, p = pᵏ, s = E, where the bracket is Σps = E: the threshold
                for E >= 2 is at most that for E = 1.""",
            le(_threshold(E), _threshold(1)),
            world=_CONSTANTS,
            ours="""of the sentence after (9), «the more epochs the training on the local client, the more sensitive it is to the in-activeness», which EFL-P24
                judges: C and J of the proof at each E""",
        ),
        reading(
            "from yᵃJ/E > f₁(T)",
            "With the limit yᵃJ/E of the second term: of exactly this order.",
            _order("lower", threshold_corrected, _PATH, _BOTH),
            part="(9)",
            edits=["yᵃJ/E in place of yᵃJ in (8)"],
            ours="two-sided, where the print says O(·)",
        ),
    ],
    mutants=[
        mutant(
            "order C/(JTE²) from yᵃJ/E > f₁(T)",
            _order("upper", threshold_squared, _BOTH),
            "one factor E too many: the quotient grows with E",
        )
    ],
    rests_on=["EFL-C1a", "EFL-T1-R"],
    verdict="""(9) holds as the upper order that O(·) says; the sentence after it, that more local epochs make the
        training more sensitive to inactivity, is false with the constants of the proof. There C/J grows like E², so the
        threshold C/(JTE) grows, in the end, like E. With every constant 1 it is lower than that of one step for small E and higher for larger ones. With C and J held fixed it would fall like 1/E, but both depend on E. As to (9)
        itself: from (8) as printed the threshold is f₁(T)/J = TC/(J(ET + γ)²), of order C/(JTE²), so a two-sided
        reading, which is stronger than the print, fails. With the limit yᵃJ/E that (7) has (EFL-C1a) the order is
        exactly C/(JTE). A client may also be abandoned late: f₁(T) = TC/(E(T − τ₀) + γ)² is still of the order of (9)
        while T − τ₀ is at least a fixed share of T; where it stays bounded f₁(T) grows with T, and (9) is not meant.""",
)

CLAIMS: tuple[Claim, ...] = (C1a, C1b, S1, S2, S3)
