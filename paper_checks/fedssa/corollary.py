"""App. A, Corollary A.8: the rate with η = 1/√(τT), and what it says of K."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from paper_checks.fedssa.drawn_runs import own_runs
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.slope_runs import slope_runs
from validation import Claim, symbols
from validation.statement.forms.quotients import n
from validation.world import Le, Order, OrderFamily, World, identity, le, mutant, reading, remark, step, theorem

__all__ = ["CLAIMS"]

_GRID = tuple(2**k for k in range(2, 15))


def root_exact(x: Fraction) -> Fraction:
    """The square root of a whole number that is a square."""
    r = int(x)
    while r * r > x:
        r = (r + int(x) // r) // 2
    if r * r != x:
        raise ValueError(f"root_exact({x}): not a square")
    return Fraction(r)


def right_side(T: Fraction, K: Fraction, eta: Fraction) -> Fraction:
    """Theorem A.5's right side at w = p uniform, tau = 2, L = A = B = sigma^2 = F(start) - F_inf = 1."""
    C = 4 * eta**2
    total = 2 * (1 - C) / (2 * eta * T) + 2 * (1 - C) * eta / K + 2 * eta**2 + 2 * C
    return total / (1 - 3 * C)


def small_step(T: Fraction, K: Fraction) -> list[Fraction]:
    """(bound, 1/sqrt(tau T)) at eta = 1/sqrt(tau T)."""
    eta = 1 / root_exact(2 * T)
    return [right_side(T, K, eta), eta]


def per_client(T: Fraction, K: Fraction) -> list[Fraction]:
    """(bound, 1/sqrt(K tau T)) at eta = 1/sqrt(tau T)."""
    return [right_side(T, K, 1 / root_exact(2 * T)), 1 / root_exact(2 * T * K)]


def larger_step(T: Fraction, K: Fraction) -> list[Fraction]:
    """(bound, 1/sqrt(K tau T)) at eta = sqrt(K/(tau T))."""
    return [right_side(T, K, root_exact(K) / root_exact(2 * T)), 1 / root_exact(2 * T * K)]


def fast(T: Fraction, K: Fraction) -> list[Fraction]:
    """(bound, 1/T) at eta = 1/sqrt(tau T)."""
    return [right_side(T, K, 1 / root_exact(2 * T)), 1 / T]


def _family(name: str, at: Any, **path: Any) -> OrderFamily:
    fixed = {} if "K" in path else {"K": (Fraction(1), Fraction(4), Fraction(100))}
    return OrderFamily(name, at, path=path, fixed=fixed, degree=4, uses=(root_exact, right_side))


D6 = remark(
    "SSA-D6",
    "Appendix A, after Corollary A.8",
    "The rate against the literature's",
    printed=r"""\mathcal O\Big(\frac1{\sqrt{\tau T}}\Big)+\mathcal O\Big(\frac1T\Big)+\mathcal O\Big(\frac\tau T
        \Big)\ \text{«aligns with most FL theoretical literature»}""",
    plainly="The order of Corollary A.8 is that of most of the FL literature.",
    assumes=[
        "w = p uniform, W_D = 0",
        "τ = 2, L = A = B = σ² = F(θ⁰) − F_inf = 1",
        "only the order is compared: the constants may depend on all but T",
    ],
    says=Order("upper", (_family("T = 2n²", small_step, T=2 * n**2),), may_depend_on=("K",), grid=_GRID),
    readings=[
        reading("in the rounds", "η = 1/√(τT): the bound is O(1/√(τT)), the constant may depend on K."),
        reading(
            "in rounds and clients",
            "Ours: η = 1/√(τT), and the bound O(1/√(KτT)), a linear speed-up also as K grows.",
            Order(
                "upper", (_family("T = 2n², K = n²", per_client, T=2 * n**2, K=n**2),), uniform_in=("K",), grid=_GRID
            ),
            ours="a linear speed-up in K, which neither the corollary nor the sentence states",
        ),
        reading(
            "in rounds and clients, η = √(K/(τT))",
            "With the customary larger step, and rounds in proportion to K³.",
            Order(
                "upper", (_family("T = 2n⁶, K = n²", larger_step, T=2 * n**6, K=n**2),), uniform_in=("K",), grid=_GRID
            ),
            edits=["η = √(K/(τT)) in place of 1/√(τT)"],
        ),
    ],
    mutants=[
        mutant(
            "1/T in the rounds",
            Order("upper", (_family("T = 2n²", fast, T=2 * n**2),), may_depend_on=("K",), grid=_GRID),
            "T₁ = 2(1 − C)/√(τT) at this step, whatever the constants",
        )
    ],
    rests_on=["SSA-CA8", "SSA-TA5"],
    verdict="""It holds in the rounds: 1/√(τT) is the usual order for losses that need not be convex, with noise. Only the
        order is compared, so the left side may be several times 1/√(τT); that most of the literature has this order is
        known and not computed here.
        Neither the corollary nor the sentence speaks of the number of clients. A linear speed-up in K (Wang et al.
        2021c have it) would be stronger than the print, and at the corollary's step there is none: T₁ = 2(F(θ⁰) −
        F_inf)/√(τT) does not fall with K. With η = √(K/(τT)) the same theorem gives 1/√(KτT) once T is of the order K³,
        for uniform p. For a one-hot target Σwₖ² = 1 and more clients cannot help.""",
)


_ORDER_GRID = tuple(2**k for k in range(5, 16))


def printed_side(tau: Fraction, T: Fraction, A: Fraction, root: Fraction) -> Fraction:
    """Theorem A.5's right side at W_D = 0, eta = 1/root, root = sqrt(tau T).

    L = B = sigma^2 = F(theta^0) - F_inf = 1, and the sum of w^2 is 1/4.
    """
    C = 2 * (tau - 1) / T
    above = 2 * (1 - C) / root + 2 * (1 - C) / root / 4 + 2 * (tau - 1) / root**2 + 2 * C
    return above / (1 - C - 2 * A * C)


def steps_fixed(T: Fraction, tau: Fraction, A: Fraction) -> tuple[Fraction, Fraction]:
    """tau one of 1, 4, 9 and T a square: the right side and 1/sqrt(tau T) + 1/T + tau/T."""
    side = next(Fraction(k) for k in range(1, 10**6) if k * k == T)
    root = side * next(k for k in (1, 2, 3) if k * k == tau)
    return printed_side(tau, T, A, root), 1 / root + 1 / T + tau / T


def least_rounds(tau: Fraction, T: Fraction, A: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """T >= 4 tau L^2 and no more: bounds of the right side, and 1/tau + 1/T + tau/T, which is above the claimed order.

    As T >= tau, 1/sqrt(tau T) <= 1/tau: T_1 and T_3 lie between 0 and 4/tau together.
    """
    C = 2 * (tau - 1) / T
    rest, D = 2 * (tau - 1) / (tau * T) + 2 * C, 1 - C - 2 * A * C
    return rest / D, (rest + 4 / tau) / D, 1 / tau + 1 / T + tau / T


def enough_rounds(tau: Fraction, T: Fraction, A: Fraction) -> tuple[Fraction, Fraction]:
    """T = 4 (1 + 2A) tau or its tau-fold, 4 (1 + 2A) and tau squares: the right side and the claimed order."""
    side = next(k for k in (2, 4, 6, 10) if k * k == 4 * (1 + 2 * A))
    root = side * tau if side * side * tau == T else side * tau * next(k for k in range(1, 10**6) if k * k == tau)
    return printed_side(tau, T, A, Fraction(root)), 1 / Fraction(root) + 1 / T + tau / T


def no_root(T: Fraction) -> tuple[Fraction, Fraction]:
    """tau = 1, T a square: the right side against 2/T."""
    root = next(Fraction(k) for k in range(1, 10**6) if k * k == T)
    return printed_side(Fraction(1), T, Fraction(1), root), 2 / T


_FIXED = Order(
    "upper",
    (OrderFamily("τ fixed", steps_fixed, path={"T": n**2}, fixed={"tau": (1, 4, 9), "A": (1, 4)}),),
    may_depend_on=("tau", "A"),
    grid=_ORDER_GRID,
)
_LEAST = Order(
    "upper",
    (
        OrderFamily(
            "T = 6τ − 5, A = 1",
            least_rounds,
            path={"tau": n, "T": 6 * n - 5},
            fixed={"A": (1,)},
            form=n,
            because="C = 2(τ−1)/T, so 1 − 3C = 1/T and T₅/D = 4(τ−1), while 1/τ + 1/T + τ/T < 1 for τ >= 4",
        ),
    ),
    may_depend_on=("A",),
    uniform_in=("tau",),
    grid=_ORDER_GRID,
)
_ENOUGH = Order(
    "upper",
    tuple(
        OrderFamily(f"T = {side**2}{power}, A = {A}", enough_rounds, {"tau": n**2, "T": side**2 * T, "A": A})
        for side, A in ((4, sp.Rational(3, 2)), (6, sp.Integer(4)), (10, sp.Integer(12)))
        for power, T in (("τ", n**2), ("τ²", n**4))
    ),
    uniform_in=("tau", "A"),
    grid=_ORDER_GRID[:7],
)

eta, T, tau, L, A, B = NOTATION.symbols("eta T tau L A B")
noise, drop, square_weights, low, average = NOTATION.symbols("noise drop square_weights low average")


def explicit_again(eta: Any, T: Any, tau: Any, L: Any, B: Any, noise: Any, drop: Any, square_weights: Any) -> Any:
    """(8Δ + 6Lσ²Σw²)/(5√(τT)) + 4σ²L²/T + 8BτL²/T."""
    return 2 * (4 * drop + 3 * L * noise * square_weights) * eta / 5 + 4 * (noise + 2 * B * tau) * L**2 / T


def any_rounds_again(
    eta: Any, T: Any, tau: Any, L: Any, A: Any, B: Any, noise: Any, drop: Any, square_weights: Any
) -> Any:
    """The same, and (8 + 16A)L³Δτ/T, which is above 2LΔ where T < 4(1 + 2A)τL²."""
    return explicit_again(eta, T, tau, L, B, noise, drop, square_weights) + (8 + 16 * A) * L**3 * drop * tau / T


_START = sp.Rational(8, 5) * drop * eta
_NOISE = sp.Rational(6, 5) * L * noise * square_weights * eta
_REST = 4 * noise * L**2 / T + 8 * B * tau * L**2 / T
_FEW = 8 * (1 + 2 * A) * L**3 * drop * tau / T


def _explicit(expression: Any, again: Any = None) -> Le:
    """The mean squared gradient of runs with T >= 4(1 + 2A)τL² is below that."""
    why = "the mean squared gradient of a run that diverges is as large as one likes, whatever its first gap"
    return le(average, expression, again=again, trivial=why)


def _many_rounds() -> World:
    return own_runs(le(4 * (1 + 2 * A) * tau * L**2, T))


def _any_rounds(expression: Any, again: Any = None) -> Le:
    """The least squared gradient of runs of any length is below that; it is at most the first, and that 2LΔ."""
    return le(low, expression, again=again, trivial=2 * L * drop)


def _any_runs() -> World:
    return World(NOTATION, (*own_runs(longest=1e3, average=False).cases, slope_runs()))


CA8 = theorem(
    "SSA-CA8",
    "Corollary A.8",
    "Rate with optimal weights",
    printed=r"""W_D=0,\ \eta=\tfrac1{\sqrt{\tau T}}\ \Rightarrow\ \min_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2
        \le\mathcal O\Big(\frac1{\sqrt{\tau T}}\Big)+\mathcal O\Big(\frac1T\Big)+\mathcal O\Big(\frac\tau T\Big)""",
    plainly="With w = p and η = 1/√(τT) the smallest squared gradient is of order 1/√(τT) + 1/T + τ/T.",
    assumes=[
        "W_D = 0, so the factor A lost in (52) does not matter",
        "η L <= 1/(2τ), which is T >= 4τL²",
        "p on the simplex, as coefficients of a target distribution are; Σp_k = 1 is printed, p_k >= 0 is not (SSA-A1)",
    ],
    says=_FIXED,
    readings=[
        reading(
            "T grows, τ fixed",
            "The right side of A.5; constants may depend on all but T.",
            part="the right side of A.5 «can be re-written»",
        ),
        reading(
            "the smallest squared gradient itself, any T and τ",
            """Exact runs against (8Δ + 6Lσ²Σp²)/(5√(τT)) + 4σ²L²/T + 8(BL² + (1 + 2A)L³Δ)τ/T: constants free of τ and
                T.""",
            _any_rounds(_START + _NOISE + _REST + _FEW, any_rounds_again),
            world=_any_runs(),
            part="the printed bound of min E‖∇F‖²",
        ),
        reading(
            "the right side of A.5, constants free of τ, every T >= 4τL²",
            """Ours, stronger than the print: one constant for all τ and all T that the theorem's step size condition
                admits.""",
            _LEAST,
            part="the right side of A.5 «can be re-written»",
            ours="""O(·) in the rounds, made uniform in τ down to the smallest T that the step size condition admits;
                the corollary states no such uniformity, and what it displays, the bound of the smallest gradient, is
                true uniformly""",
        ),
        reading(
            "the right side of A.5, constants free of τ, T >= 4(1 + 2A)τL²",
            "As many rounds as keep the denominator at 1/2 or more.",
            _ENOUGH,
            part="the right side of A.5 «can be re-written»",
            conditions=["T >= 4(1 + 2A)τL²"],
        ),
        reading(
            "explicit constants on runs, T >= 4(1 + 2A)τL²",
            "Exact mean squared gradient of runs with w = p against (8Δ + 6Lσ²Σp²)/(5√(τT)) + 4σ²L²/T + 8BτL²/T.",
            _explicit(_START + _NOISE + _REST, explicit_again),
            world=_many_rounds(),
            part="the printed bound of min E‖∇F‖²",
            conditions=["T >= 4(1 + 2A)τL²"],
        ),
    ],
    mutants=[
        mutant(
            "without 1/√(τT)",
            Order(
                "upper",
                (OrderFamily("τ = 1", no_root, {"T": n**2}, form=n, because="T₁ = 2/n with no drift, against 2/n²"),),
                grid=_ORDER_GRID,
            ),
            "T₁ = 2(F(θ⁰) − F_inf)/√(τT)",
        ),
        mutant(
            "explicit constants, start left out",
            _explicit(_NOISE + _REST),
            "one client without noise: B may be as small as it likes and the right side with it",
            world=_many_rounds(),
        ),
        mutant(
            "explicit constants, noise left out",
            _explicit(_START + 8 * B * tau * L**2 / T),
            "one client started at its optimum has no start term and no dissimilarity, but noise",
            world=_many_rounds(),
        ),
        mutant(
            "any T and τ, without the start in the last constant",
            _any_rounds(_START + _NOISE + _REST),
            "L large against √(T/τ): the gradient at the start is up to 2LΔ, and longer steps only move away",
            world=_any_runs(),
        ),
        mutant(
            "any T and τ, half of the start",
            le(low, _START / 2 + _NOISE + _REST + _FEW),
            "down a straight slope the gradient stays while F falls by τη‖∇F‖² a round",
            world=World(NOTATION, (slope_runs(),)),
        ),
    ],
    rests_on=["SSA-TA5", "SSA-S21", "SSA-S20"],
    meets={
        "SSA-E13": "w = p, and Σp_k = 1 is printed with F",
        "SSA-E17": "w = p is given before the run, so it knows nothing of a round's samples",
    },
    verdict="""It holds: with w = p and η = 1/√(τT) the smallest squared gradient is of order 1/√(τT) + 1/T + τ/T, for T
        → ∞ and even for all T and τ at once. The constants depend on A, B, L, σ² and Δ = F(θ⁰) − F_inf: where T >= 4(1
        + 2A)τL² the denominator of A.5 is at least 1/2, which gives 4, 4 and 8; a sharper descent lemma, the drift summed step by step, gives smaller constants for any smooth
        clients and A >= 1 (SSA-A4). With fewer rounds the
        start alone, ‖∇F‖² <= 2LΔ, is below 8(1 + 2A)L³Δτ/T. For fixed τ the right side of
        A.5 is of this order, too: T₁ and T₃ give 1/√(τT), T₄ 1/T, T₅ τ/T. Uniformly in τ for every T >= 4τL², stronger
        than the print, it is not: below T = 2(1 + 2A)(τ − 1)L² its denominator is negative. A factor 1/L is hidden in
        the step. The noise enters as Σpₖ², 1 for a single target client. What falls in the proof of A.5 (SSA-TA5) plays
        no part at w = p: with W_D = 0 no A is lost, and weights that are fixed, not negative and of sum one are what
        (13), (17) and (31) ask for.""",
)

q = symbols("q", positive=True)
_ETA, _T = 1 / q, q**2 / tau
_C = 2 * tau * (tau - 1) * _ETA**2 * L**2
_SUBSTITUTED = (
    2 * (1 - _C) * drop / (tau * _ETA * _T)
    + 2 * (1 - _C) * L * _ETA * noise * square_weights
    + 2 * (tau - 1) * noise * L**2 * _ETA**2
    + 2 * B * _C
)
_ORDERED = (
    2 * (1 - _C) * (drop + L * noise * square_weights) / q
    + 2 * (tau - 1) / tau * noise * L**2 / _T
    + 4 * B * (tau - 1) * L**2 / _T
)
S21 = step(
    "SSA-S21",
    "Corollary A.8",
    "The step size put in",
    printed=r"""\eta=\tfrac1{\sqrt{\tau T}}:\quad C=\tfrac{2(\tau-1)L^2}T,\ T_1=\tfrac{2(1-C)\Delta}{\sqrt{\tau T}},
        \ T_3=\tfrac{2(1-C)L\sigma^2\sum w_k^2}{\sqrt{\tau T}},\ T_4=\tfrac{2(\tau-1)\sigma^2L^2}{\tau T},\ T_5=
        \tfrac{4B(\tau-1)L^2}T""",
    plainly="The five terms and C after the substitution, term by term.",
    assumes=["q = √(τT), so T = q²/τ", "W_D = 0"],
    says=identity(_C, 2 * (tau - 1) * L**2 / _T),
    readings=[
        reading("C", "C = 2(τ−1)L²/T.", part="C"),
        reading("T₁ + T₃ + T₄ + T₅", "T₂ = 0.", identity(_SUBSTITUTED, _ORDERED), part="T₁ + T₃ + T₄ + T₅"),
    ],
    mutants=[
        mutant(
            "T₅ of order 1/T",
            identity(_SUBSTITUTED, _ORDERED - 4 * B * (tau - 2) * L**2 / _T),
            "T₅ has the factor τ − 1",
        )
    ],
    verdict="As the corollary reads them: T₁ and T₃ of order 1/√(τT), T₄ of order 1/T, C and T₅ of order τ/T.",
)

CLAIMS: tuple[Claim, ...] = (D6, CA8, S21)
