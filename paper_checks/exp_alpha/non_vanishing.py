"""EA-R3: whether (L/μ)(Γ − Ω) is an error that stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from paper_checks.exp_alpha.theorem1_cases import in_advance, scalar_exact
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Space,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

L, mu, gamma, T, E, noise, G2, Omega, Gamma, delta0 = symbols("L mu gamma T E noise G2 Omega Gamma delta0")
_RATE = L / (gamma + T) * (2 * (noise + 8 * (E - 1) * G2 + 6 * L * Omega) / mu**2 + gamma / 2 * delta0)

_DEGREES = {
    "L": (1, -2),
    "mu": (1, -2),
    **dict.fromkeys(("gamma", "T", "E"), (0, 0)),
    **dict.fromkeys(("noise", "G2"), (2, -2)),
    "Omega": (1, 0),
    "delta0": (0, 2),
}


def rate_again(L: Any, mu: Any, gamma: Any, T: Any, E: Any, noise: Any, G2: Any, Omega: Any, delta0: Any) -> Any:
    """μ/L times the vanishing term of Theorem 1, once more."""
    inside = 2 * noise + 16 * (E - 1) * G2 + 12 * L * Omega
    return (inside / mu + mu * gamma * delta0 / 2) / (gamma + T)


_BELOW_RATE = Bound(mu / L * _RATE, again=rate_again, degrees=_DEGREES)
_LINES = tuple(c for c in in_advance(proof_gamma=True, all_time=False) if c.name.startswith("1-D"))


def negative_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Omega - Gamma over the run."""
    hypotheses, found = scalar_exact(x)
    return hypotheses, {**found, "lhs": found["Omega"] - found["Gamma"], "nothing": Fraction(0)}


def shorter_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gamma - Omega over all rounds but the last, less the same over all rounds."""
    hypotheses, whole = scalar_exact(x)
    _, part = scalar_exact({**x, "weights": x["weights"][:-1]})
    drop = (part["Gamma"] - part["Omega"]) - (whole["Gamma"] - whole["Omega"])
    return hypotheses, {"lhs": drop, "nothing": Fraction(0)}


def _signed(case: Case) -> Case:
    def measure(x: Instance) -> Mapping[str, Any]:
        found = case.measure(x)
        return {**found, "lhs": found["Omega"] - found["Gamma"], "nothing": np.zeros(len(found["Omega"]))}

    return replace(case, measure=measure, exact=ExactCheck(negative_exact, (scalar_exact,)))


def _growing(case: Case) -> Case:
    def measure(x: Instance) -> Mapping[str, Any]:
        whole, part = case.measure(x), case.measure({**x, "weights": x["weights"][:, :-1]})
        drop = (part["Gamma"] - part["Omega"]) - (whole["Gamma"] - whole["Omega"])
        return {"lhs": drop, "nothing": np.zeros_like(drop), "magnitude": whole["magnitude"]}

    return replace(case, measure=measure, exact=ExactCheck(shorter_exact, (scalar_exact,)))


def _negated(case: Case) -> Callable[[Instance], Mapping[str, Any]]:
    return lambda x: {**(found := case.measure(x)), "lhs": -found["lhs"]}


def longer_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """What Gamma - Omega gains by the last round."""
    hypotheses, found = shorter_exact(x)
    return hypotheses, {**found, "lhs": -found["lhs"]}


_SIGNED = tuple(_signed(c) for c in _LINES)
_GROWING = tuple(_growing(c) for c in _LINES if not any(k in c.name for k in (" 1 rounds", " 40 rounds")))


def _resting(x: Instance) -> Mapping[str, Any]:
    """Γ − Ω of a run that stays at W* for ever: two pairs of mirrored clients, `tilt` and then 1 − `tilt` on the first."""
    excess = 0.5 * x["curvature"] * x["apart"] ** 2
    first = x["tilt"] * excess[:, 0] + (1 - x["tilt"]) * excess[:, 1]
    second = x["later"] * excess[:, 0] + (1 - x["later"]) * excess[:, 1]
    lhs = np.abs(first - second)
    return {"lhs": lhs, "nothing": np.zeros_like(lhs), "magnitude": excess.max(axis=1)}


def resting_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients at W* -+ apart_1 (one curvature) and W* -+ apart_2 (another), equal shares, from W*, no noise.

    Weight tilt on the first pair in the first round, `later` afterwards, halved within a pair: the two of a pair mirror
    each other at every local step, so W_bar stays at W* and F(W^T) = F* for all T. Gamma - Omega is max - min over t of
    one and the same sum.
    """
    excess = [h * a * a / 2 for h, a in zip(x["curvature"], x["apart"], strict=True)]
    sums = [s * excess[0] + (1 - s) * excess[1] for s in (x["tilt"], x["later"])]
    met = {
        "strongly convex, smooth": min(x["curvature"]) > 0,
        "weights on the simplex": all(0 <= s <= 1 for s in (x["tilt"], x["later"])),
    }
    return met, {"lhs": max(sums) - min(sums), "nothing": Fraction(0)}


_REST = Case(
    "a run that stays at W*, all t >= 0",
    Space(
        (
            LogScale("curvature", 1e-1, 1e1, (2,), at=(1.0,)),
            LogScale("apart", 1e-1, 1e1, (2,), at=(1.0,)),
            LogScale("tilt", 1e-3, 1.0, at=(0.5, 1.0)),
            LogScale("later", 1e-3, 1.0, at=(0.5, 1.0)),
        )
    ),
    _resting,
    ExactCheck(resting_exact),
    symmetries=(units({"curvature": (1, -2), "apart": (0, 1)}),),
)


def _one_client(x: Instance) -> Mapping[str, Any]:
    """(μ/L)(Γ − Ω) less the limit of F(W^T) − F*, all weight on client 1 for ever; `doubled`: twice as much."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    term = 0.5 * h[:, 0] * (best - m[:, 0]) ** 2
    limit = 0.5 * (p * h).sum(axis=1) * (best - m[:, 0]) ** 2
    ratio = 1.0 if "tilt" in x else h.min(axis=1) / h.max(axis=1)
    return {
        "lhs": ratio * term - limit,
        "nothing": np.zeros_like(best),
        "magnitude": h.max(axis=1) * (m**2).max(axis=1),
    }


def one_client_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All weight on client 1: W^T tends to its optimum, Omega (all t) = 0, Gamma = F_1(W*) - F_1*."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients = range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    term = h[0] * (best - m[0]) ** 2 / 2
    limit = sum(p[i] * h[i] * ((m[0] - m[i]) ** 2 - (best - m[i]) ** 2) for i in clients) / 2
    ratio = Fraction(1) if "tilt" in x else min(h) / max(h)
    met = {"strongly convex, smooth": min(h) > 0, "shares on the simplex": sum(p) == 1 and min(p) >= 0}
    return met, {"lhs": ratio * term - limit, "nothing": Fraction(0)}


def _one(k: int, *more: LogScale) -> Case:
    drawn = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (k,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (k,)),
            Simplex("share", k),
            *more,
        )
    )
    same = (units({"curvature": (1, -2), "optimum": (0, 1)}),)
    return Case(f"{k} clients, weight on the first", drawn, _one_client, ExactCheck(one_client_exact), symmetries=same)


R3 = Claim(
    id="EA-R3",
    kind=Kind.PROPERTY,
    source="Sec. 3.2, after Theorem 1",
    title="A non-vanishing error",
    statement=(
        r"\frac L\mu(\Gamma-\Omega)\ \text{does not decrease over time and results in a non-zero error after convergence}"
    ),
    says="The term (L/μ)(Γ − Ω) is an error: not negative, never decreasing with T, and left over after convergence.",
    assumes=("A1–A4, the steps of A.9", "any weights fixed in advance", "Γ, Ω over 0 <= t < T unless said otherwise"),
    readings=(
        Reading(
            "not negative, 0 <= t < T",
            "Γ >= Ω over every finite run.",
            never_missed(_SIGNED, degrees=(1, 0)),
        ),
        Reading(
            "not negative, all t >= 0",
            "Ω − Γ over 0 <= t < T lies below μ/L times the vanishing term, so that over all t it is at most 0.",
            Inequality(_BELOW_RATE, _SIGNED, degrees=(1, 0)),
        ),
        Reading(
            "does not decrease over time",
            "Γ − Ω over one round more is at least as large.",
            never_missed(_GROWING, degrees=(1, 0)),
        ),
        Reading(
            "non-zero error whenever Γ > Ω",
            "A run with F(W^T) = F* for all T has Γ = Ω over all t >= 0.",
            never_missed((_REST,), degrees=(1, 0)),
        ),
        Reading(
            "non-zero error for some weights",
            "All weight on one client for ever: the limit of F(W^T) − F* is at least (μ/L)(Γ − Ω).",
            never_missed((_one(1), _one(2), _one(3), _one(10)), degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "Γ − Ω never grows either",
            never_missed(
                tuple(
                    replace(c, measure=_negated(c), exact=ExactCheck(longer_exact, (scalar_exact, shorter_exact)))
                    for c in _GROWING
                ),
                degrees=(1, 0),
            ),
            "proportional weights: Γ stays and Ω falls as the run nears W*",
        ),
        Canary(
            "μ/L dropped",
            never_missed((_one(2, LogScale("tilt", 0.5, 1.0)), _one(3, LogScale("tilt", 0.5, 1.0))), degrees=(1, 0)),
            "weight on a steep client: Γ counts its curvature, the limit the average one",
        ),
    ),
    depends_on=("EA-T1", "EA-T1b", "EA-D5"),
    verdict_words=(
        "Γ − Ω, a maximum less a minimum over a growing range, indeed never decreases, and all weight on one client for ever does leave "
        "an error of at least (μ/L)(Γ − Ω). But over a finite run it may be negative: proportional weights have Γ < Ω until they "
        "reach W*, and then the term lowers the bound; only over all t >= 0 is it never negative. And it is an upper bound, "
        "not an error: a run that rests at W* from the start has Γ > Ω as soon as its weights change between rounds, though F(W^T) = F* "
        "for every T."
    ),
)

CLAIMS: tuple[Claim, ...] = (R3,)
