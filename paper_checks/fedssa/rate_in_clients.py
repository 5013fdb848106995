"""SSA-D6: Corollary A.8's order against the rates of the literature, in rounds and in clients."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from validation import Claim
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily
from validation.world.stated import stated

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


D6 = stated(
    r"""SSA-D6 (remark; Appendix A, after Corollary A.8): The rate against the literature's
    Print: \mathcal O\Big(\frac1{\sqrt{\tau T}}\Big)+\mathcal O\Big(\frac1T\Big)+\mathcal O\Big(\frac\tau T
      \Big)\ \text{«aligns with most FL theoretical literature»}
    Plainly: The order of Corollary A.8 is that of most of the FL literature.
    Assumes: w = p uniform, W_D = 0 | τ = 2, L = A = B = σ² = F(θ⁰) − F_inf = 1 | hidden constants as named
    Reading: in the rounds | η = 1/√(τT): the bound is O(1/√(τT)), the constant may depend on K.
    Reading: in rounds and clients | Ours: η = 1/√(τT), and the bound O(1/√(KτT)), a linear speed-up also as K grows.
      | ours: a linear speed-up in K, which neither the corollary nor the sentence states
    Reading: in rounds and clients, η = √(K/(τT)) | With the customary larger step, and rounds in proportion to K³. |
      edit: η = √(K/(τT)) in place of 1/√(τT)
    Mutant: 1/T in the rounds | T₁ = 2(1 − C)/√(τT) at this step, whatever the constants
    Rests on: SSA-CA8, SSA-TA5
    Verdict: It holds in the rounds: 1/√(τT) is the usual order for losses that need not be convex, with noise.
      Neither the corollary nor the sentence speaks of the number of clients. A linear speed-up in K (Wang et al.
      2021c have it) would be stronger than the print, and at the corollary's step there is none: T₁ = 2(F(θ⁰) −
      F_inf)/√(τT) does not fall with K. With η = √(K/(τT)) the same theorem gives 1/√(KτT) once T is of the order K³,
      for uniform p. For a one-hot target Σwₖ² = 1 and more clients cannot help.""",
    Order("upper", (_family("T = 2n²", small_step, T=2 * n**2),), may_depend_on=("K",), grid=_GRID),
    readings={
        "in rounds and clients": Order(
            "upper", (_family("T = 2n², K = n²", per_client, T=2 * n**2, K=n**2),), uniform_in=("K",), grid=_GRID
        ),
        "in rounds and clients, η = √(K/(τT))": Order(
            "upper", (_family("T = 2n⁶, K = n²", larger_step, T=2 * n**6, K=n**2),), uniform_in=("K",), grid=_GRID
        ),
    },
    mutants={
        "1/T in the rounds": Order("upper", (_family("T = 2n²", fast, T=2 * n**2),), may_depend_on=("K",), grid=_GRID),
    },
)

CLAIMS: tuple[Claim, ...] = (D6,)
