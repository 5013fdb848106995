"""Ten more bounds that are false by 0.01 to 50 per cent in a small corner, each with an exact instance at which it is.

Made from other claims than those of `nearly_tight`, by reasoning about where each bound is attained, and without trying
the search on them: where one constant is smaller, most of them have another one larger, so that the corner is small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from tests.traps.nearly_tight import Letters, NearlyTight
from validation import Case, Family

__all__ = ["SEALED", "Sealed"]


@dataclass(frozen=True)
class Sealed:
    """A false bound with an instance at which it is: of the case or family `of`, there at `sizes`, in `numbers`.

    `why`: why it is false there.
    """

    trap: NearlyTight
    of: str
    sizes: Mapping[str, int]
    numbers: Mapping[str, Any]
    why: str

    @property
    def case(self) -> Case:
        """The case that the instance is of."""
        (item,) = [item for item in self.trap.test.cases if item.name == self.of]
        return item.at(**self.sizes) if isinstance(item, Family) else item

    @property
    def instance(self) -> dict[str, Any]:
        """The instance, in fractions."""
        return {name: _exact(value) for name, value in self.numbers.items()}


def _exact(value: Any) -> Any:
    return [_exact(v) for v in value] if isinstance(value, list) else Fraction(value)


def _weighed_squares(_: Any, s: Letters) -> Any:
    return 2 * s["drift"] / s["eta"] + sp.Rational(999, 8000) * s["eta"] * s["grad2"]


def _slow_start(_: Any, s: Letters) -> Any:
    noise = sp.Rational(394, 100) * s["B_most"] / s["mu"] ** 2
    return sp.Max(noise, 2 * s["delta0"] * s["gamma"]) / (s["T"] + s["gamma"])


def _less_curved(_: Any, s: Letters) -> Any:
    moved = s["L"] * s["square"] * s["step"] ** 2 / (2 * s["K"] ** 2 * s["eta_l"] ** 2)
    return 10 * s["gap"] * s["step"] - s["grad"] * s["step"] / 2 + sp.Rational(999, 1000) * moved


def _less_drop(_: Any, s: Letters) -> Any:
    C, L, eta, noise = s["C"], s["L"], s["eta"], s["noise"]
    first = sp.Rational(132, 100) * (1 - C) * s["drop"] / (s["T"] * eta * s["tau"])
    rest = 2 * s["B"] * C + s["B"] * s["W_D"] * (1 - C) + 2 * (s["tau"] - 1) * noise * L**2 * eta**2
    rest += 2 * (1 - C) * L * eta * noise * s["square_weights"]
    return (first + 2 * rest) / (1 - C - 2 * s["A"] * C - s["W_D"] * (1 - C))


def _less_noise(_: Any, s: Letters) -> Any:
    eta, L, tau = s["eta"], s["L"], s["tau"]
    moved = (1 - sp.Rational(11, 10) * L * eta * tau) * s["Q"]
    return (
        eta * tau * (4 * s["N3"] - s["G"] - moved) / 2
        + sp.Rational(499, 1000) * L * s["S"] * eta**2 * s["sigma2"] * tau
    )


def _less_excess(_: Any, s: Letters) -> Any:
    above = sp.Rational(199, 200) * s["above"] + 5 * s["L"] * sp.Symbol("apart", nonnegative=True)
    return 2 * s["L"] * s["eta"] ** 2 * s["theta"] * above


def _less_spread(_: Any, s: Letters) -> Any:
    step, q, up = s["c"] * s["eta"], s["q"], (1 + s["side"]) / 2
    mean, spread = (1 - step * q) ** 2, s["P2"] * step**2 * q * (1 - q)
    changed = (1 + up) * mean + (1 - up / 500) * spread
    return s["w2"] * ((1 + step) ** 2 + s["side"] * changed)


SEALED = (
    Sealed(
        NearlyTight(
            "EA-E20b",
            "minus sign before the half",
            "squares weighed 4 to 1/4, and a thousandth less of the second",
            _weighed_squares,
        ),
        "quadratic clients",
        {"N": 2, "d": 1},
        {
            "spectrum": [[1], [1]],
            "mirror": [[1], [1]],
            "optimum": [[8], [-8]],
            "share": ["1/2", "1/2"],
            "weights": [[1, 0], [0, 1]],
            "start": [1],
            "local": [[8], [7]],
            "step": "1/4",
        },
        "AM–GM with these weights is an equality at Wᵢ = W̄ − η∇Fᵢ(W̄)/4 alone: η = 1/4, the gradient 16, the move 1",
    ),
    Sealed(
        NearlyTight(
            "EA-S5",
            "the largest B of the run",
            "3.94 in place of 4 before B, and twice γΔ₀",
            _slow_start,
        ),
        "the recursion",
        {"T": 1000},
        {"mu": 1, "gamma": 7, "B_bar": 1, "difference": 0, "delta0": "1/1000000"},
        "(γ + T)Δ tends to 4B/μ² as the start is forgotten, for Δ₀ = 0 within γ/(γ + T) of it",
    ),
    Sealed(
        NearlyTight(
            "FA-MN14", "rate, k >= 1", "74/25 in place of 4; 3 is attained, at k = 1", lambda e, s: 37 * e / 50
        ),
        "runs of Frank–Wolfe",
        {"N": 2, "d": 2},
        {"m": [[0, "1/20"], [1, 0]], "mu": [1, 0], "k": 1},
        "the first step leaves the shortest vector for one at a right angle: h − h* = 1 − 1/400, D² = 1 + 1/400",
    ),
    Sealed(
        NearlyTight("FA-E6", "smooth clients", "999/1000 of the quadratic term, and 20 times the error", _less_curved),
        "smooth clients, noise profile 0",
        {"N": 1, "K": 1},
        {
            "curvature": [1],
            "optimum": [1],
            "share": [1],
            "start": 2,
            "first": "1/8",
            "server": 10000,
            "sigma": ["1/1000"],
            "window": 1,
        },
        "one quadratic client with a server step of 1250/L: the dropped −½‖Ĝ‖² is 1/1250 of the rest",
    ),
    Sealed(
        NearlyTight("RA-P-L2.4", "as printed", "49/50 of the bound; (E − 1)/E is attained", lambda e, s: 49 * e / 50),
        "any gradients",
        {"E": 100, "N": 2, "d": 1},
        {"gradients": [[[1], [-1]]] * 100, "weights": ["1/2", "1/2"], "first": 1, "drop": 1, "late": 0},
        "99 equal differences with equal steps: 99² against 100·99·49/50",
    ),
    Sealed(
        NearlyTight(
            "SSA-TA5",
            "A <= 1, denominator positive, w fixed, noises independent",
            "1.32 in place of 2 before the drop, all else twice; 4/3 is attained",
            _less_drop,
        ),
        "whole runs",
        {"K": 1, "d": 1, "tau": 1, "T": 20},
        {
            "common": [1],
            "unit": [[0]],
            "spread": "1/100",
            "pull": [[1]],
            "flat": 0,
            "share": [1],
            "weights": [1],
            "mix": 0,
            "start": [1],
            "settled": 0,
            "step_fraction": 1,
            "slack": 1,
            "extra": 1,
            "noise": [[1]],
            "lift": 0,
            "noisy": 0,
            "even": 0,
        },
        "gradient descent at ηL = 1/2 on a parabola: the squared gradients add up to 4/3 of the first, 2L·drop",
    ),
    Sealed(
        NearlyTight(
            "SSA-E25",
            "weights fixed before the round",
            "499/1000 in place of 1 before the noise, 1.1 in place of 2 before Lτη, and 4N₃; 1/2, 1 and 1 would do",
            _less_noise,
        ),
        "1 client, d = 1, τ = 1, noise",
        {},
        {
            "curvature": [[1]],
            "bend": [[1]],
            "optimum": [[1]],
            "start": [2],
            "share": [1],
            "weights": [1],
            "noise": [[10]],
            "sway": 0,
            "step": "1/10",
            "A": 1,
            "extra": 1,
        },
        "a parabola on which noise of 100 times the squared gradient does not cross to the other side",
    ),
    Sealed(
        NearlyTight(
            "EFL-E34", "first to last member", "199/200 of the excess, and five times L‖ω̄ − ωᵏ‖² more", _less_excess
        ),
        "quadratic clients, models anywhere",
        {"N": 1, "d": 1},
        {
            "curvature": [[1]],
            "optimum": [[1]],
            "share": [1],
            "coefficient": [1],
            "slack": "1/1000",
            "active": [1],
            "virtual": [1],
            "local": [[1]],
            "step": 1,
        },
        "one client of curvature L at the virtual model, θ within a thousandth of p_τ/p",
    ),
    Sealed(
        NearlyTight(
            "K27", "as stated", "of the half with +, twice the mean and 1/500 less of the spread", _less_spread
        ),
        "Bernoulli participation",
        {"N": 1},
        {"share": [1], "chance": "1/3", "step": 3, "curvature": 1, "start": 1, "side": 1},
        "an identity where 1 − ηqc = 0, but for 1/500 of η²c²q(1 − q)",
    ),
    Sealed(
        NearlyTight(
            "K16",
            "as stated",
            "1/50 − 1/(5n) less of the bound, so that it is false for more than 10 entries",
            lambda e, s: e * (sp.Rational(49, 50) + 1 / (5 * s["n"])),
        ),
        "any vector",
        {"n": 20},
        {"entries": [1] * 20, "k": 1},
        "20 entries of one size lose 19/20 of the squared norm",
    ),
)
