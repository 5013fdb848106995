"""RA-D7, RA-D8 and RA-R3: the speed term V, the error term E, V_min, and the order of the gap they promise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.robust_aggregation.corollary1_leader import quiet_at_best, quiet_exact
from paper_checks.robust_aggregation.endless_skews import LATE, LATE_WITHOUT_START
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Identity,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Space,
    symbols,
    units,
)
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]

L, mu, tau, G2, sigma2, Gamma, gamma, D0, rho = symbols("L mu tau G2 sigma2 Gamma gamma D0 rho")
_V_MIN = 8 * L**2 * Gamma / mu**2 + L * gamma * D0 / 2
_SPEED = 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2 * rho) + 8 * L**2 * Gamma / mu**2 + L * gamma * D0 / 2


def below_floor_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """V_min - V; `sign` -1 changes the sign of the first term of V."""
    L, mu = x["L"], x["L"] * x["part"]
    floor = 8 * L**2 * x["Gamma"] / mu**2 + L * (4 * L / mu) * x["D0"] / 2
    speed = x["sign"] * 4 * L * (32 * x["tau"] ** 2 * x["G2"] + x["sigma2"]) / (3 * mu**2 * x["rho"]) + floor
    met = {"0 < mu <= L, rho > 0": 0 < mu <= L and x["rho"] > 0}
    return met, {"lhs": floor - speed if speed >= 0 else Fraction(1)}


def _below_floor(x: Instance) -> Mapping[str, Any]:
    mu_ = x["L"] * x["part"]
    first = x["sign"] * 4 * x["L"] * (32 * x["tau"] ** 2 * x["G2"] + x["sigma2"]) / (3 * mu_**2 * x["rho"])
    floor = 8 * (x["L"] / mu_) ** 2 * x["Gamma"] + 2 * x["L"] ** 2 / mu_ * x["D0"]
    return {"lhs": np.where(first + floor >= 0, -first, 1.0), "magnitude": floor + np.abs(first)}


def _speeds(sign: float) -> Property:
    space = Space(
        (
            LogScale("L", 1e-2, 1e2, at=(1.0,)),
            LogScale("part", 1e-4, 1.0, at=(1e-4, 1.0)),
            LogScale("tau", 1.0, 300.0, at=(1.0,)),
            LogScale("rho", 1e-4, 1e4, at=(1.0,)),
            *(LogScale(name, 1e-6, 1e3, at=(1e-6, 1.0)) for name in ("G2", "sigma2", "Gamma", "D0")),
            Choice("sign", (sign,)),
        )
    )
    same = units({"L": (1, -2), "G2": (2, -2), "sigma2": (2, -2), "Gamma": (1, 0), "D0": (0, 2)})
    return Property(
        (Case("all constants", space, _below_floor, ExactCheck(below_floor_exact), symmetries=(same,)),), (), (1, 0)
    )


def quiet_error_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much E(rho, rho_best) is below 0 on a run of one step."""
    met, c = quiet_exact(x)
    return met, {"lhs": 8 * c["L"] * c["Gamma"] / (3 * c["mu"]) * (1 - c["rho_best"] / c["rho"])}


def _errors() -> Property:
    case = quiet_at_best(1.0, 1)
    assert case.exact is not None  # the runs have their exact check

    def measure(x: Instance) -> Mapping[str, Any]:
        c = case.measure(x)
        lhs = 8 * c["L"] * c["Gamma"] / (3 * c["mu"]) * (1 - c["rho_best"] / c["rho"])
        return {"lhs": lhs, "magnitude": np.abs(lhs), **{k: c[k] for k in ("admissible", "resolved")}}

    check = ExactCheck(quiet_error_exact, (*case.exact.uses, quiet_exact))
    one = Case(case.name, case.space, measure, check, cost=2.0)
    return Property((one,), degrees=(1, 0))


def undefined_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 where rho = 0, so that V and E have no value: two equal shares, optima +-1, weights (a, 1 - a), model w."""
    a, w = x["a"], x["w"]
    skew = (a * (w - 1) ** 2 + (1 - a) * (w + 1) ** 2) / (((w - 1) ** 2 + (w + 1) ** 2) / 2)
    met = {"0 <= a <= 1": 0 <= a <= 1, "rho is defined": True}
    return met, {"lhs": Fraction(int(skew == 0))}


def _undefined(x: Instance) -> Mapping[str, Any]:
    a, w = x["a"], x["w"]
    return {"lhs": np.where(a * (w - 1) ** 2 + (1 - a) * (w + 1) ** 2 == 0, 1.0, 0.0)}


_AT_OPTIMUM = Property(
    (
        Case(
            "two clients, all weight on one of them",
            Space((Choice("a", (0.0, 0.5, 1.0)), Choice("w", (-1.0, 0.0, 0.5, 1.0)))),
            _undefined,
            ExactCheck(undefined_exact),
        ),
    ),
)

D7 = Claim(
    id="RA-D7",
    kind=Kind.PROPERTY,
    source="Corollary 1, Sec. 2.4",
    title="The speed term V and the error term E",
    statement=(
        r"V(\overline\rho,\tilde\rho)=\frac{4L(32\tau^2G^2+\sigma^2)}{3\mu^2\overline\rho}+\frac{8L^2\Gamma}{\mu^2}+\frac{L\gamma"
        r"\|w^0-w^\star\|^2}2,\quad E(\overline\rho,\tilde\rho)=\frac{8L\Gamma}{3\mu}\left(\frac{\tilde\rho}{\overline\rho}-1\right)"
    ),
    says="V is at least V_min, and E, the «error estimation» of Section 2.5, is not negative.",
    assumes=("the constants of Corollary 1", "ρ defined at w* and at every wₜ (Remark 2)"),
    readings=(
        Reading("V is at least V_min", "For every ρ̄ > 0; V does not depend on ρ̃.", _speeds(1.0)),
        Reading(
            "E is not negative, window up to T",
            "ρ̄ and ρ̃ over the rounds of the run; one step.",
            _errors(),
        ),
        Reading(
            "E is not negative, the run goes on, weights known before the round",
            "For any such weights, a hypothesis that the print lacks, ρ̄ − ρ̃ is at most (‖w₀ − w*‖² + "
            "G²Σηₜ²)/(2ΓΣηₜ), sums over t < T, and this tends to 0: searched for one step a round; more "
            "local steps add to Σηₜ² only.",
            LATE,
        ),
        Reading(
            "defined for every weights on the simplex",
            "ρ̄ is in two denominators; that V and E serve ρ̄ = 0 is ours, A.3 excludes it.",
            _AT_OPTIMUM,
        ),
    ),
    canaries=(
        Canary(
            "the first term of V with a minus sign",
            _speeds(-1.0),
            "V is then below V_min",
        ),
        Canary(
            "‖w₀ − w*‖² left out of the bound on ρ̄ − ρ̃",
            LATE_WITHOUT_START,
            "as the steps become small Σηₜ²/Σηₜ vanishes, while one step with ρ̃ < ρ̄ remains possible",
        ),
    ),
    depends_on=("RA-D4", "RA-D6", "RA-D8"),
    verdict_words=(
        "V is never below V_min; whether E is never negative depends on the rounds over which (7) takes "
        "its extremes, which are not named. That E is not negative is printed nowhere in Corollary 1: "
        "«error estimation» (Sec. 2.5) and the minimum E = 0 (Sec. 2.5.2) take it for granted. It needs "
        "ρ̃ >= ρ̄, which holds over a run that goes on for weights known before the round, and need not "
        "over the rounds up to T. Neither V nor E has a value at ρ̄ = 0, all weight on a client whose "
        "optimum the model has reached; A.3 leaves that out, since its β > 1/(μB) is ρ̄ > 0 at β = 1/μ. "
        "All terms have the unit of a loss, V of a loss times a count. τ is introduced nowhere; it "
        "stands where the proof has E (RA-C1)."
    ),
)


def speed_at(rho: Any) -> tuple[Any, Any]:
    """V at L = 2, mu = tau = G^2 = sigma^2 = Gamma = |w_0 - w*|^2 = 1, and V_min."""
    floor = 8 * Fraction(4) + 2 * Fraction(8) / 2
    return Fraction(8, 3) * 33 / rho + floor, floor


def speed_without_floor_at(rho: Any) -> tuple[Any, Any]:
    """The same against V_min without its start term."""
    speed, _ = speed_at(rho)
    return speed, 8 * Fraction(4)


_N = sp.Symbol("n", positive=True)


def _limit(at: Any) -> Order:
    return Order("limit", (OrderFamily("one set of constants", at, {"rho": _N}, degree=1),), variable="rho")


D8 = Claim(
    id="RA-D8",
    kind=Kind.IDENTITY,
    source="Remark 5, Sec. 2.5",
    title="The limit speed V_min",
    statement=r"V_{\min}:=\frac{8L^2\Gamma}{\mu^2}+\frac{L\gamma\|w^0-w^\star\|^2}2",
    says="V_min is what is left of V as ρ̄ grows without limit.",
    assumes=("V as in Corollary 1", "whether ρ̄ can grow without limit is another question (Remark 5)"),
    readings=(
        Reading(
            "V without its term in ρ̄",
            "V − V_min is the term in 1/ρ̄.",
            Identity(_SPEED - _V_MIN, 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2 * rho)),
        ),
        Reading("the limit of V for ρ̄ → ∞", "At one set of constants, exactly.", _limit(speed_at)),
    ),
    canaries=(
        Canary(
            "the start term left out", _limit(speed_without_floor_at), "V then stays above it by Lγ‖w⁰ − w*‖²/2 > 0"
        ),
        Canary(
            "the term in ρ̄ kept",
            Identity(_SPEED - _V_MIN, sp.Integer(0)),
            "V − V_min is positive for every finite ρ̄",
        ),
    ),
    depends_on=("RA-D7",),
    verdict_words=(
        "Both definitions agree, and V tends to V_min. V_min is a constant of clients and start, as said, with γ = 4L/μ; V reaches it for no finite ρ̄."
    ),
)


def left_out(T: Any) -> Any:
    """The product of 1 - 1/(t + 4) over t < T."""
    return 3 / (T + 3)


def one_client_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """Two equal shares, curvature 1, optima -1 and 1, all weight on the second, eta_t = 1/(t + 4): F(w_T) - F*."""
    w = 1 + (w0 - 1) * left_out(T)
    return w**2 / 2, 1 / T


def average_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """The same with equal weights."""
    w = w0 * left_out(T)
    return w**2 / 2, 1 / T


def shared_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """All weight on the second client, both optima at 0 (Gamma = 0)."""
    w = w0 * left_out(T)
    return w**2 / 2, 1 / T


def seen_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """Identical clients w^2/2, T/2 rounds of two steps 1/(t + 4), the client of noise +1 in the first one taken each time."""
    w = (3 * w0 + T / 2) / (T + 3)
    return w**2 / 2, 1 / T


def noisy_average_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """Equal weights, noise of variance 1 in the average: E w_T^2 = (9 w0^2 + T)/(T + 3)^2."""
    return (9 * w0**2 + T) / (T + 3) ** 2 / 2, 1 / T


def bound_at(T: Any, ratio: Any) -> tuple[Any, Any]:
    """V/(T + gamma) + E with all constants 1 and rho_best = ratio * rho, rho = 1."""
    return (44 + 8 + 2) / (T + 4) + Fraction(8, 3) * (ratio - 1), 1 / T


def _order(
    name: str, at: Any, fixed: str, *values: Any, uses: tuple[Any, ...] = (left_out,), degree: int = 3
) -> OrderFamily:
    return OrderFamily(name, at, {"T": _N}, {fixed: values}, degree=degree, uses=uses)


_STARTS = (Fraction(0), Fraction(3), Fraction(100))
_BY_P = _order("αᵢ = pᵢ", average_gap, "w0", *_STARTS)
_NOISY = _order("αᵢ = pᵢ, noise", noisy_average_gap, "w0", *_STARTS, uses=())
_SEEN = OrderFamily("mirrored noise, seen", seen_gap, {"T": 2 * _N}, {"w0": _STARTS}, degree=3)
_SHARED = _order("Γ = 0", shared_gap, "w0", *_STARTS)
_AT_ONE = _order("ρ̃ = ρ̄", bound_at, "ratio", Fraction(1), uses=())


def _of_order(*families: OrderFamily) -> Order:
    name = next(iter(families[0].fixed))
    return Order("upper", families, may_depend_on=(name,))


def noisy_faster_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """The gap with noise against 1/T^2."""
    return noisy_average_gap(T, w0)[0], 1 / T**2


R3 = Claim(
    id="RA-R3",
    kind=Kind.ORDER,
    source="Remark 3, eq. (10), Sec. 2.4",
    title="The gap is O(1/T)",
    statement=r"E[F(w_T)-F^*]=O(1/T)",
    says="The expected gap falls as 1/T, for every aggregation weights.",
    assumes=("those of Corollary 1", "the constant may depend on all but T"),
    readings=(
        Reading(
            "the gap itself",
            "All weight on one of two clients.",
            _of_order(_order("all weight on one client", one_client_gap, "w0", Fraction(0), Fraction(3))),
        ),
        Reading(
            "the bound of Corollary 1",
            "«From the previous result»: V/(T + γ) + E with ρ̃ = 2ρ̄.",
            _of_order(_order("ρ̃ = 2ρ̄", bound_at, "ratio", Fraction(2), uses=())),
        ),
        Reading(
            "αᵢ = pᵢ",
            "Then ρ̄ = ρ̃ = 1 and E = 0; one step a round, with and without noise.",
            _of_order(_BY_P, _NOISY),
            "condition",
        ),
        Reading(
            "Γ = 0, weights known before the round",
            "All clients share their minimiser; such weights give the noise no mean.",
            _of_order(_SHARED),
            "condition",
        ),
        Reading("the bound with ρ̃ = ρ̄", "E = 0.", _of_order(_AT_ONE), "condition"),
    ),
    canaries=(
        Canary(
            "Γ = 0, weights that have seen the round's earlier samples",
            _of_order(_SEEN),
            "two mirrored clients, rounds of two steps: (T + 3)w_T = 3w₀ + T/2, so the gap tends to 1/8",
        ),
        Canary(
            "O(1/T²) with αᵢ = pᵢ and noise",
            _of_order(_order("αᵢ = pᵢ, noise", noisy_faster_gap, "w0", *_STARTS, uses=(noisy_average_gap,))),
            "E‖w_T − w*‖² = (9w₀² + T)/(T + 3)² is of order 1/T",
        ),
    ),
    depends_on=("RA-C1",),
    verdict_words=(
        "Only V/(T + γ) is O(1/T); the error term E does not depend on T. With all weight on one of two clients, w_T tends to that client's optimum, and "
        "T(F(w_T) − F*) grows in proportion to T: a straight line, exactly. The order is right for αᵢ = pᵢ and for Γ = 0 with weights known before the round (those that have seen its earlier samples keep the gap at a constant), and that of the bound whenever ρ̃ = ρ̄."
    ),
)

CLAIMS: tuple[Claim, ...] = (D7, D8, R3)
