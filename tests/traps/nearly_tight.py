"""Ten bounds that are false by 0.01 to 50 per cent in a small corner: those of five papers with constants made smaller.

Each is a reading that holds, in its own world, of which the smallest constants are known, or a ratio that an instance
attains. With smaller ones it is false, beside instances where both sides are equal or in a corner of many coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from validation import Inequality
from validation.papers.papers import select
from validation.statement.bound import Bound
from validation.statement.claim import Property

__all__ = ["NEARLY_TIGHT", "NearlyTight"]

Letters = Mapping[str, Any]


@dataclass(frozen=True)
class NearlyTight:
    """A reading of a claim, by their names, and its right side with smaller constants, from the printed one.

    `says`: what was made smaller, and what the smallest constants are.
    """

    claim: str
    reading: str
    says: str
    right: Callable[[Any, Letters], Any]

    @property
    def test(self) -> Inequality:
        """The false statement, in the reading's own world."""
        ((_, claim),) = select([self.claim])
        (test,) = [r.test for r in claim.readings if r.name == self.reading]
        test = test.inequality if isinstance(test, Property) else test
        if not isinstance(test, Inequality):
            raise TypeError(f"{self.claim}, {self.reading!r}: expected an inequality, got {type(test).__name__}")
        printed = sp.sympify(test.bound.expression)
        letters = {s.name: s for s in printed.free_symbols}
        return Inequality(Bound(self.right(printed, letters)), test.cases)


def _times(share: str) -> Callable[[Any, Letters], Any]:
    return lambda printed, _: sp.Rational(share) * printed


def _one_step(_: Any, s: Letters) -> Any:
    kept = (1 - s["eta"] * s["mu"]) * s["before"] + 2 * s["eta"] * (s["Gamma"] - s["Omega"])
    return kept + sp.Rational(6, 25) * s["drift"] + 2 * s["L"] * s["eta"] ** 2 * s["Omega"]


def _less_start(_: Any, s: Letters) -> Any:
    errors = 2 * s["G2"] * (8 * s["E"] - 8) + 12 * s["L"] * s["Omega"] + 2 * s["noise"]
    falling = sp.Rational(33, 100) * s["first"] * s["gamma"] + errors / s["mu"] ** 2
    return s["L"] * falling / (s["T"] + s["gamma"]) + s["L"] * (s["Gamma"] - s["Omega"]) / s["mu"]


def _less_drift(_: Any, s: Letters) -> Any:
    kept = s["D"] * (1 - s["eta"] * s["mu"] * (1 + 3 * s["rho"] / 8))
    errors = sp.Rational(99, 100) * s["E"] ** 2 * s["G2"] + s["sigma2"]
    return kept + 2 * s["Gamma"] * s["eta"] * (s["rho_best"] - s["rho"]) + s["eta"] ** 2 * errors


NEARLY_TIGHT = (
    NearlyTight(
        "EA-L1",
        "in expectation, one weight vector a round, fixed before the samples",
        "6/25 of the drift and 2Lη²Ω in place of 2 and 6; about 1/4 and 2 would do",
        _one_step,
    ),
    NearlyTight("EA-L5", "E² in place of E", "39/10 in place of 4; 3.92 is attained", _times("39/40")),
    NearlyTight(
        "EA-T1",
        "γ of A.9 and weights fixed before the round's samples",
        "33/100 of the first distance in place of 1/2; 1/3 would do",
        _less_start,
    ),
    NearlyTight(
        "RA-T1",
        "the round's weights, known before the round, ρ̄ and ρ̃ over every t",
        "99/100 E²G² in place of 32, and no 6ΓLρ; 1 and 0 would do",
        _less_drift,
    ),
    NearlyTight(
        "RA-L2",
        "weights known before the round, step sizes that at most halve within it",
        "98/100 of the bound; 0.9899 is attained",
        _times("49/50"),
    ),
    NearlyTight(
        "FA-LA1",
        "for every client, each within σ_g²",
        "2264/10000 of the bound; 0.22646 is attained",
        _times("2264/10000"),
    ),
    NearlyTight(
        "FA-T4.2",
        "rates chosen for the instance and the horizon",
        "8545/10000 of the bound; 0.85498 is attained",
        _times("8545/10000"),
    ),
    NearlyTight("SSA-E24", "N₂ as a whole", "87/100 of the bound; 0.889 is attained", _times("87/100")),
    NearlyTight("SSA-E42", "as printed", "896/1000 of the bound; 0.8962 is attained", _times("896/1000")),
    NearlyTight(
        "EFL-ALG2",
        "of tied entries the first: residuals",
        "41/100 of the bound; 0.41419 is attained",
        _times("41/100"),
    ),
)
