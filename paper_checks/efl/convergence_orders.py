"""EFL-S1 to S3: what the text reads off Theorem 1, on the growth of C, on inactive and on incomplete clients."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from validation import Canary, Claim, Kind, Reading
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]

_GRID = tuple(2**k for k in range(3, 12))


def constant_c(tau: Any, E: Any, q: Any) -> tuple[Fraction, Fraction]:
    """(C_tau of EFL-T1-R, tau): one client that does all E steps with chance q in every round; mu = L = sigma = 1, G^2 = 2."""
    m, theta, G2 = q * E, 2, 2
    gamma = max(32 * E * (1 + theta) / m, 4 * E**2 * theta / m, E)
    B = m + (2 + Fraction(1, 2 * (1 + theta))) * E * (E - 1) * G2 * m
    return gamma**2 + tau * (16 * E) ** 2 * (B + 2 * E * G2 * m) / m**2, Fraction(tau)


def alternating_c(tau: Any, E: Any, q: Any) -> tuple[Fraction, Fraction]:
    """(the same with chance 1 and chance q in turn, tau): E sum p s lies between q E and E."""
    theta, G2 = 2, 2
    gamma = max(32 * (1 + theta) / q, 4 * E * theta / q, E)
    drift, total = (2 + Fraction(1, 2 * (1 + theta))) * E * (E - 1) * G2, Fraction(gamma) ** 2
    for m, count in ((E, tau - tau // 2), (q * E, tau // 2)):
        total = total + count * (16 * E) ** 2 * (m + drift * m + 2 * E * G2 * m) / Fraction(m) ** 2
    return total, Fraction(tau)


def dwindling_c(tau: Any) -> tuple[Fraction, Fraction]:
    """(what C_tau adds to C_0, tau): one client with E = 1 that takes part in round t with chance 1/(t + 1); the rest as before."""
    added = Fraction(0)
    for t in range(int(tau)):
        m = Fraction(1, t + 1)
        added = added + 256 * (m + 2 * 2 * m) / m**2
    return added, Fraction(tau)


def bound_seven(tau: Any, H: Any, E: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(C_tau/(tau E + gamma)^2 + H J/(tau E + gamma) with C_tau = 1 + tau and gamma = 64 E, its limit 0)."""
    x = tau * E + 64 * E
    return Fraction(1 + tau) / x**2 + Fraction(H * J) / x, Fraction(0)


def _c(at: Any) -> Order:
    fixed = {} if at is dwindling_c else {"E": (1, 2, 10), "q": (1, Fraction(1, 10), Fraction(1, 1000))}
    family = OrderFamily("rounds", at, {"tau": 2 * n if at is alternating_c else n}, fixed, degree=2)
    return Order("upper", (family,), "tau", may_depend_on=() if at is dwindling_c else ("E", "q"), grid=_GRID)


def _vanishes(at: Any, paths: tuple[tuple[str, Any, Any], ...], name: str, degree: int | None = 3) -> Order:
    families = tuple(
        OrderFamily(w, at, {"tau": t, name: h}, {"E": (1, 10), "J": (1,)}, degree=degree) for w, t, h in paths
    )
    return Order("limit", families, "tau", may_depend_on=("E", "J"), uniform_in=(name,), grid=_GRID)


_SUBLINEAR = (("the square root of τ", n**2, n), ("τ to the power 2/3", n**3, n**2), ("none", n, 0 * n))

S1 = Claim(
    id="EFL-S1",
    kind=Kind.ORDER,
    source="Sec. 3.2, after Theorem 1",
    title="Convergence when H is sub-linear",
    statement=r"C_\tau=O(\tau),\qquad H_\tau=o(\tau)\Rightarrow\frac{C_\tau}{(\tau E+\gamma)^2}+\frac{H_\tau J}{\tau E+\gamma}\to0",
    says="C grows at most linearly with the rounds, and the bound tends to 0 if H grows sub-linearly.",
    assumes=("C, H, J, γ as in EFL-T1-R", "E and the other constants fixed while τ grows"),
    readings=(
        Reading(
            "C = O(τ), any participation that A6 allows",
            "«s can generally be time-varying», with EΣps ≠ 0 in every round; here EΣps = 1/(τ + 1).",
            _c(dwindling_c),
        ),
        Reading(
            "EΣps the same in every round: C = O(τ)",
            "One law of participation.",
            _c(constant_c),
            repair="condition",
        ),
        Reading(
            "EΣps bounded from below: C = O(τ)",
            "Two laws in turn; what C gains in a round is at most what it gains at the smallest EΣps.",
            _c(alternating_c),
            repair="condition",
        ),
        Reading(
            "EΣps bounded from below, H sub-linear: the bound tends to 0",
            "For C = O(τ).",
            _vanishes(bound_seven, _SUBLINEAR, "H", None),
            repair="condition",
        ),
    ),
    canaries=(
        Canary("H linear", _vanishes(bound_seven, (("all rounds biased", n, n),), "H"), "the second term tends to J/E"),
    ),
    depends_on=("EFL-T1", "EFL-T1-R"),
    verdict_words=(
        "A6 only asks EΣps ≠ 0. With participation that dwindles like 1/τ no γ meets the proof's conditions for all rounds, and "
        "what C gains alone grows like τ², so that the first term would not vanish. With EΣps bounded away from 0, say one law of "
        "participation for all rounds, C grows linearly and the conclusion about the bound is right. That the model then "
        "converges to ω* also needs Theorem 1 itself, with its conditions: one F, hence λ = 0 or anchors that stay, no "
        "compression, independent participation (EFL-T1)."
    ),
)


def inactive_term(tau: Any, count: Any, E: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(sum_{t < tau} y_t J/(tau E + E^2) with `count` of the y_t equal to 1, its limit 0)."""
    return Fraction(count * J) / (tau * E + E**2), Fraction(0)


_ALL = (("inactive clients in every round", n, n), ("in every second round", 2 * n, n))

S2 = Claim(
    id="EFL-S2",
    kind=Kind.ORDER,
    source="Sec. 4.1",
    title="A mild degree of inactivity",
    statement=r"O\Big(\frac{\sum_{t=0}^{\tau-1}y_tJ}{\tau E+E^2}\Big)\to0\ \text{ if }\ y_t\in O(\tau)",
    says="The part of the bound that inactive clients add tends to 0 when y is of order τ.",
    assumes=(
        "y_t is 1 if a client is inactive in round t, else 0",
        "the upper limit of the sum, printed −1, read as τ − 1",
    ),
    readings=(
        Reading(
            "yₜ in O(τ)",
            "An indicator, at most 1, so every sequence is in O(τ).",
            _vanishes(inactive_term, _ALL, "count"),
        ),
        Reading(
            "the number of such rounds in O(τ)",
            "Σyₜ, up to all rounds.",
            _vanishes(inactive_term, (("every tenth round", 10 * n, n), *_ALL), "count"),
        ),
        Reading(
            "the number of such rounds sub-linear",
            "Σyₜ = o(τ).",
            _vanishes(inactive_term, _SUBLINEAR, "count", None),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "Σyₜ at least a tenth of τ",
            _vanishes(inactive_term, (("every tenth round", 10 * n, n),), "count"),
            "the term tends to J/(10 E)",
        ),
    ),
    depends_on=("EFL-T1", "EFL-C1a"),
    verdict_words=(
        "With an inactive client in every round the term is τJ/(τE + E²), which tends to J/E, not to 0, though yₜ = 1 is in O(τ). What "
        "is needed is that the number of such rounds grows more slowly than τ, as Sec. 3.2 has it for H. The sum is printed up to −1, "
        "an empty sum, which is surely a lost τ. The same section lets the term tend to yJ for inactivity of a fixed probability."
    ),
)


def incomplete_bound(tau: Any, E: Any, few: Any) -> tuple[Fraction, Fraction]:
    """((7) with p = E p^k/s, s = 1 (`few`) or E, and (59)'s bracket with a positive part, the printed order).

    One client, mu = L = sigma = D = Delta_0 = 1, G^2 = 2, theta = 2 E, so m = E, r = 0.
    """
    s, theta, G2 = (Fraction(1) if few else Fraction(E)), 2 * E, 2
    gamma = max(32 * E * (1 + theta) / E, 4 * E**2 * theta / E, E)
    bracket = E + theta * max(E / s - 2, Fraction(0)) * E
    B = E**2 / s + 2 * (2 + theta) * E + (2 + Fraction(1) / (2 * (1 + theta))) * E * (E - 1) * G2 * bracket
    C = gamma**2 + tau * 256 * (B + 2 * E**3 * G2 / s)
    return C / (tau * E + gamma) ** 2, (E**5 * tau / s + E**2 * tau / s) / (tau * E + E**2) ** 2


def incomplete_printed(tau: Any, E: Any, few: Any) -> tuple[Fraction, Fraction]:
    """(the same with the bracket 2 sum p s + theta (sum p - 2) of (59) as printed, the printed order)."""
    s, theta, G2 = (Fraction(1) if few else Fraction(E)), 2 * E, 2
    gamma = max(32 * E * (1 + theta) / E, 4 * E**2 * theta / E, E)
    bracket = 2 * E + theta * (E / s - 2)
    B = E**2 / s + 2 * (2 + theta) * E + (2 + Fraction(1) / (2 * (1 + theta))) * E * (E - 1) * G2 * bracket
    C = gamma**2 + tau * 256 * (B + 2 * E**3 * G2 / s)
    return max(C, Fraction(0)) / (tau * E + gamma) ** 2, (E**5 * tau / s + E**2 * tau / s) / (tau * E + E**2) ** 2


def incomplete_fourth(tau: Any, E: Any, few: Any) -> tuple[Fraction, Fraction]:
    """(the bound with a positive part, the printed order with E^4 in place of E^5)."""
    s, theta, G2 = (Fraction(1) if few else Fraction(E)), 2 * E, 2
    gamma = max(32 * E * (1 + theta) / E, 4 * E**2 * theta / E, E)
    bracket = E + theta * max(E / s - 2, Fraction(0)) * E
    B = E**2 / s + 2 * (2 + theta) * E + (2 + Fraction(1) / (2 * (1 + theta))) * E * (E - 1) * G2 * bracket
    C = gamma**2 + tau * 256 * (B + 2 * E**3 * G2 / s)
    return C / (tau * E + gamma) ** 2, (E**4 * tau / s + E**2 * tau / s) / (tau * E + E**2) ** 2


def _incomplete(at: Any, *, fourth: bool = False) -> Order:
    both = {"few": (0, 1)}
    paths = (
        ("E = 1", n**2, 1),
        ("E = 10", n**2, 10),
        ("E = 300", n**2, 300),
        ("E grows with τ", n, n),
        ("τ = E²", n**2, n),
    )
    if fourth:
        form = 1000 * n
        why = (
            "for E >= 16: B >= 6 E⁵, γ = 8E² and τE = E⁴, so the quotient is at least 256·6·0.9·E⁵/(E⁴ + E²) >= 1000 E"
        )
        families: tuple[OrderFamily, ...] = (
            OrderFamily("τ = E³", at, {"tau": n**3, "E": n}, {"few": (1,)}, form=form, because=why),
        )
    else:
        families = tuple(OrderFamily(w, at, {"tau": t, "E": e + 0 * n}, both) for w, t, e in paths)
    return Order(
        "upper", families, "tau", may_depend_on=("few",), uniform_in=("E",), grid=tuple(2**k for k in range(4, 12))
    )


S3 = Claim(
    id="EFL-S3",
    kind=Kind.ORDER,
    source="Sec. 4.2",
    title="The bound for incomplete clients",
    statement=(
        r"O\Big(\frac{E^5\sum_{t=0}^{\tau-1}\sum_kp^k\mathbb E[1/s_t^k]+E^2\sum_{t=0}^{\tau-1}\sum_k(p^k\sigma_k)^2\mathbb E[1/s_t^k]}"
        r"{(\tau E+E^2)^2}\Big)\quad\text{for }p_\tau^k=\frac{Ep^k}{s_\tau^k}"
    ),
    says="With coefficients E pᵏ/s the bound of Theorem 1 is of this order, with a constant that depends on neither τ nor E.",
    assumes=(
        "C, γ as in EFL-T1-R, s >= 1, so that r = 0; θ = 2E, since A5 needs θ > E",
        "searched for one client with s = 1 or s = E in all rounds; all other constants 1",
    ),
    readings=(
        Reading("bracket of (59) with a positive part", "Σps + θ(Σp − 2)₊Σps.", _incomplete(incomplete_bound)),
        Reading("bracket of (59) as printed", "2Σps + θ(Σp − 2).", _incomplete(incomplete_printed)),
    ),
    canaries=(
        Canary(
            "E⁴ in place of E⁵",
            _incomplete(incomplete_fourth, fourth=True),
            "θ, Σp and Σps are each of order E, and E(E − 1) stands before the bracket",
        ),
    ),
    depends_on=("EFL-T1-R", "EFL-ALG3", "EFL-E58", "EFL-E59"),
    verdict_words=(
        "The powers of E are those of the reconstructed constants: E⁵ from the bracket read as (Σp − 2) times Σps with θ of order E, "
        "which is one more sign that the printed «+» in it is a lost positive part, E² from the noise, and E² in the "
        "denominator from γ. It follows for any number of clients and any law with s >= 1, Q = Σpᵏ𝔼[1/s] >= 1/E: Σps = E, "
        "Σp²s/pᵏ = E²Σpᵏ/s, 𝔼Σp = EQ, so the bracket is at most 3E³Q on average, and γ² and the skew are of order E⁴ <= E⁵Q. With "
        "the bracket as printed E⁴ would do. It bounds the bound, not the run."
    ),
)

CLAIMS: tuple[Claim, ...] = (S1, S2, S3)
