"""A.4, after (16): what partial participation costs beside the bound (13), as remarked."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedaware.notation import NOTATION, Checked
from validation import Choice, Claim, Instance, LogScale, Space, Uniform
from validation.world import World, at, case, le, mutant, nowhere, numbers, reading, remark

__all__ = ["CLAIMS"]

partial, full = NOTATION.symbols("partial full")


def both_bounds(x: Instance) -> Mapping[str, Any]:
    """The right sides of (16) and of (13), term by term."""
    eta, chi, gamma = x["eta_l"] * x["eta_g"], x["chi"], x["gamma"]
    beta = x.get("beta", np.zeros_like(eta))
    Psi = x["rho"] / (x["eta_l"] ** 2 * x["K"])
    first = 2 * x["drop"] / (x["T"] * x["K"] * eta)
    drift = 4 * (x["eta_l"] * x["L"]) ** 2 * x["K"] * x["noise"]
    step, cross = chi * gamma / (x["eta_l"] * x["L"] * x["K"]) ** 2, chi * gamma / (eta * x["K"] * x["L"])
    ratio, noise = x["L"] * gamma / x["eta_g"], eta * x["L"] * x["noise"]
    full = first + noise + drift * (x["c"] + gamma + step / 2) + eta * x["L"] * Psi * (1 + ratio / 2 + 2 * cross)
    inner = 1 + ratio / 8 + 2 * (1 + 2 * beta) * cross + 4 * beta * chi * gamma
    part = first + drift * (x["c"] + gamma + (1 + 2 * beta) * step) + 2 * noise * (1 + 4 * beta * chi * gamma)
    return {"partial": part + 2 * eta * x["L"] * Psi * inner, "full": full}


def both_bounds_exact(x: Mapping[str, Any]) -> Checked:
    """The right sides of (13) and of (16), with beta as given or 0, written out from the print."""
    T, K, eta_l, L, c, gamma, chi = (x[k] for k in ("T", "K", "eta_l", "L", "c", "gamma", "chi"))
    beta = x.get("beta", Fraction(0))
    eta_g, noise, drop, rho = x["eta_g"], x["noise"], x["drop"], x["rho"]
    eta = eta_l * eta_g
    Psi = rho / (eta_l**2 * K)
    full = 2 * drop / (T * K * eta) + eta * L * noise
    full += 4 * (c + gamma + chi * gamma / (2 * (eta_l * L * K) ** 2)) * (eta_l * L) ** 2 * K * noise
    full += eta * L * (1 + L * gamma / (2 * eta_g) + 2 * chi * gamma / (eta * K * L)) * Psi
    part = 2 * drop / (eta * T * K) + 2 * L * (1 + 4 * beta * chi * gamma) * eta * noise
    part += 4 * (c + gamma + (1 + 2 * beta) * chi * gamma / (eta_l * L * K) ** 2) * (eta_l * L) ** 2 * K * noise
    inner = 1 + L * gamma / (8 * eta_g) + 2 * (1 + 2 * beta) * chi * gamma / (eta * K * L) + 4 * beta * chi * gamma
    part += 2 * eta * L * inner * Psi
    return {"all constants positive": min(x.values()) >= 0}, {"partial": part, "full": full}


_CONSTANTS = ("T", "K", "eta_l", "L", "c", "gamma", "chi", "eta_g", "noise", "drop", "rho")


def _bounds(words: str, *factor: Uniform) -> World:
    space = Space((*(LogScale(name, 1e-2, 1e2, at=(1.0,)) for name in _CONSTANTS), *factor))
    return World(NOTATION, (case(f"any constants, {words}", space, both_bounds, both_bounds_exact, cost=2.5),))


_SETTINGS = numbers(NOTATION, "the setting of §5 and B.1", Choice("alpha", (0.5,)))

R11 = remark(
    "FA-R11",
    "A.4, after (16)",
    "Partial participation costs only terms in β",
    printed=r"\text{RHS}(16)=\text{RHS}(13)+\beta(\cdots),\quad\beta=(1-\alpha p)^2\ll1\text{ in practice}",
    plainly="Compared with (13), partial participation only adds minor terms multiplied by β, which is small.",
    assumes=["the right sides of (13) and (16) as printed, any positive constants"],
    says=le(partial, full),
    world=_bounds("β = 0"),
    open={
        "only": nowhere("""«only induces additional minor coefficients multiplied by β»: beyond that equal, or up to a
            constant factor, is not said""")
    },
    readings=[
        reading(
            "nothing but β terms",
            "At β = 0 the right side of (16) is no larger than that of (13).",
            part="«only induces additional … coefficients multiplied by β»",
            options={"only": "else equal"},
        ),
        reading(
            "nothing but β terms, up to a factor 2",
            "At β = 0, twice (13).",
            le(partial, 2 * full),
            part="«only induces additional … coefficients multiplied by β»",
            options={"only": "else of the same order"},
        ),
        reading(
            "β small in practice",
            "β <= 1/2 at α = 0.5 of B.1 and 10 of 100 clients.",
            le((1 - NOTATION.symbols("alpha") / 10) ** 2, sp.Rational(1, 2)),
            world=_SETTINGS,
            part="«As β ≪ 1 in practice»",
            because="0.9025 at the paper's own α and p: false by any threshold",
        ),
    ],
    mutants=[
        mutant(
            "a factor 2 for every β",
            le(partial, 2 * full),
            "the term 4βχ̃γ multiplies ησ_l² and has no counterpart in (13)",
            world=_bounds("any β", Uniform("beta", 0.0, 1.0, at=(0.0, 1.0))),
        )
    ],
    tight=[
        "for the factor 2, where all terms but those in χ̃σ_l² are small",
        at(
            T=1,
            K=1,
            eta_l=1,
            L=1,
            c="1/1000",
            gamma="1/1000",
            chi=1000,
            eta_g=1,
            noise=1,
            drop="1/1000",
            rho="1/1000",
        ),
    ],
    rests_on=["FA-E13", "FA-E16"],
    written="the equation, for «only induces additional minor coefficients multiplied by β»",
    verdict="""Its second half is false: β is not small in the paper's own practice, (1 − 0.5 × 10/100)² = 0.9025 with 10 of 100 clients a
        round and α = 0.5. At α = 1 it is still (1 − 10/100)² = 0.81. So the added terms are as large as the others, and the
        robustness argued from β ≪ 1 has no ground in these settings. The first half, on the form, is open: at β = 0 the bound (16) does not become (13), as the terms in ησ_l² and in χ̃σ_l² are twice as large, and so are those in the mean consensus, but for Lγ/η_g, which is half as large; up to a factor 2 it holds, and what «only» allows is not printed.""",
)

CLAIMS: tuple[Claim, ...] = (R11,)
