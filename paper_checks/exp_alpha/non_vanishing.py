"""EA-R3: whether (L/μ)(Γ − Ω) is an error that stays."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.runs import on_the_line
from paper_checks.exp_alpha.theorem1 import B_BAR, vanishing
from theory.worlds.line_run import line_run, line_run_exact
from validation import Case, Claim, Instance, LogScale, Signed, Simplex, Space, units
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

L, mu, Omega, Gamma, limit = NOTATION.symbols("L mu Omega Gamma limit")
Omega_less, Gamma_less = NOTATION.symbols("Omega_less Gamma_less")


def rate_again(L: Any, mu: Any, gamma: Any, T: Any, E: Any, noise: Any, G2: Any, Omega: Any, first: Any) -> Any:
    """μ/L times the vanishing term of Theorem 1, once more."""
    inside = 2 * noise + 16 * (E - 1) * G2 + 12 * L * Omega
    return (inside / mu + mu * gamma * first / 2) / (gamma + T)


def two_lengths(x: Instance, *, E: int, T: int, gamma: Any) -> Mapping[str, Any]:
    """Ω and Γ of a run, and of the same run without its last round."""
    whole, part = line_run(x, E=E, T=T, gamma=gamma), line_run(x, E=E, T=T - E, gamma=gamma)
    found = {k: whole[k] for k in ("Omega", "Gamma")} | {f"{k}_less": part[k] for k in ("Omega", "Gamma")}
    return {**found, "sizes": dict.fromkeys(found, whole["sizes"]["Omega"])}


def two_lengths_exact(
    x: Mapping[str, Any], *, E: int, T: int, gamma: str
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Omega and Gamma of a run, and of the same run without its last round."""
    met, whole = line_run_exact(x, E=E, T=T, gamma=gamma)
    _, part = line_run_exact(x, E=E, T=T - E, gamma=gamma)
    less = {"Omega_less": part["Omega"], "Gamma_less": part["Gamma"]}
    return met, {**less, "Omega": whole["Omega"], "Gamma": whole["Gamma"]}


_RUNS = World(NOTATION, on_the_line())
_LENGTHS = on_the_line(observe=two_lengths, plain=two_lengths_exact, uses=(line_run_exact,))
_GROWING = World(NOTATION, tuple(c for c in _LENGTHS if not c.name.endswith((", 1 rounds", " 40 rounds"))))


def resting(x: Instance) -> Mapping[str, Any]:
    """Γ and Ω of a run that stays at W* for ever: two pairs of mirrored clients, `tilt`, then `later` on the first."""
    excess = 0.5 * x["curvature"] * x["apart"] ** 2
    sums = [s * excess[:, 0] + (1 - s) * excess[:, 1] for s in (x["tilt"], x["later"])]
    sizes = dict.fromkeys(("Gamma", "Omega"), excess.max(axis=1))
    return {"Gamma": np.maximum(*sums), "Omega": np.minimum(*sums), "sizes": sizes}


def resting_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients at W* -+ apart_1 (one curvature) and W* -+ apart_2 (another), equal shares, from W*, no noise.

    Weight tilt on the first pair in the first round, `later` afterwards, halved within a pair: the two of a pair mirror
    each other at every local step, so W_bar stays at W* and F(W^T) = F* for all T. Gamma and Omega are max and min over
    t of one and the same sum.
    """
    excess = [h * a * a / 2 for h, a in zip(x["curvature"], x["apart"], strict=True)]
    sums = [s * excess[0] + (1 - s) * excess[1] for s in (x["tilt"], x["later"])]
    met = {
        "strongly convex, smooth": min(x["curvature"]) > 0,
        "weights on the simplex": all(0 <= s <= 1 for s in (x["tilt"], x["later"])),
    }
    return met, {"Gamma": max(sums), "Omega": min(sums)}


_REST = case(
    "a run that stays at W*, all t >= 0",
    Space(
        (
            LogScale("curvature", 1e-1, 1e1, (2,), at=(1.0,)),
            LogScale("apart", 1e-1, 1e1, (2,), at=(1.0,)),
            LogScale("tilt", 1e-3, 1.0, at=(0.5, 1.0)),
            LogScale("later", 1e-3, 1.0, at=(0.5, 1.0)),
        )
    ),
    resting,
    resting_exact,
    symmetries=(units({"curvature": (1, -2), "apart": (0, 1)}),),
)


def weight_on_one(x: Instance) -> Mapping[str, Any]:
    """All weight on client 1 for ever: Γ, Ω over all t, and the limit of F(W^T) − F*."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    away = (p * h * m).sum(axis=1) / (p * h).sum(axis=1) - m[:, 0]
    gamma, left = 0.5 * h[:, 0] * away**2, 0.5 * (p * h).sum(axis=1) * away**2
    scale = h.max(axis=1) * (m**2).max(axis=1)
    found = {"Gamma": gamma, "Omega": np.zeros_like(gamma), "limit": left, "mu": h.min(axis=1), "L": h.max(axis=1)}
    return {**found, "sizes": dict.fromkeys(("Gamma", "limit"), scale)}


def weight_on_one_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All weight on client 1: W^T tends to its optimum, Omega (all t) = 0, Gamma = F_1(W*) - F_1*."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients = range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    left = sum(p[i] * h[i] * ((m[0] - m[i]) ** 2 - (best - m[i]) ** 2) for i in clients) / 2
    met = {"strongly convex, smooth": min(h) > 0, "shares on the simplex": sum(p) == 1 and min(p) >= 0}
    found = {"Gamma": h[0] * (best - m[0]) ** 2 / 2, "Omega": Fraction(0), "limit": left, "mu": min(h), "L": max(h)}
    return met, found


def _weighted(k: int) -> Case:
    drawn = Space(
        (LogScale("curvature", 1e-2, 1e2, (k,), at=(1.0,)), Signed("optimum", 1e-2, 1e2, (k,)), Simplex("share", k))
    )
    same = (units({"curvature": (1, -2), "optimum": (0, 1)}),)
    return case(f"{k} clients, weight on the first", drawn, weight_on_one, weight_on_one_exact, symmetries=same)


def _weighted_world(*sizes: int) -> World:
    return World(NOTATION, tuple(_weighted(k) for k in sizes))


R3 = stated(
    r"""EA-R3 (remark; Sec. 3.2, after Theorem 1): A non-vanishing error
    Print: \frac L\mu(\Gamma-\Omega)\ \text{does not decrease over time and results in a non
        -zero error after convergence}
    Plainly: The term (L/μ)(Γ − Ω) is an error: not negative, never decreasing with T, and left over after
        convergence.
    Assumes: A1–A4, the steps of A.9 | any weights fixed in advance | Γ, Ω over 0 <= t < T unless said otherwise
    Open (twice) range_of_t: Theorem 1 defines Ω with «∀t ≥ 0»; A.9 and Lemma 1 print min_t and max_t with no range,
        for a run that ends at T (as in EA-E10)
    Open (nowhere) error: «results in a non-zero error after convergence»: for every weighting with Γ > Ω, or for
        some
    Reading: not negative, 0 <= t < T | Γ >= Ω over every finite run. | part: an error | option range_of_t = the
        steps of the run
    Reading: not negative, all t >= 0 | Ω − Γ over 0 <= t < T lies below μ/L times the vanishing term, so that over
        all t it is at most 0. | part: an error | option range_of_t = all t >= 0
    Reading: does not decrease over time | Γ − Ω over one round more is at least as large. | part: does not decrease
        over time
    Reading: non-zero error whenever Γ > Ω | A run with F(W^T) = F* for all T has Γ = Ω over all t >= 0. | part:
        non-zero after convergence | option error = whenever Γ > Ω
    Reading: non-zero error for some weights | All weight on one client for ever: the limit of F(W^T) − F* is at
        least (μ/L)(Γ − Ω). | part: non-zero after convergence | option error = for some weights
    Mutant: Γ − Ω never grows either | proportional weights: Γ stays and Ω falls as the run nears W*
    Mutant: μ/L dropped | weight on a steep client: Γ counts its curvature, the limit the average one
    Rests on: EA-T1, EA-T1b, EA-D5
    Verdict: Γ − Ω, a maximum less a minimum over a growing range, indeed never decreases, and all weight on one
        client for ever does leave an error of at least (μ/L)(Γ − Ω). But over a finite run it may be negative:
        proportional weights have Γ < Ω until they reach W*, and then the term lowers the bound; only over all t >=
        0 is it never negative. And it is an upper bound, not an error: a run that rests at W* from the start has Γ
        > Ω as soon as its weights change between rounds, though F(W^T) = F* for every T.""",
    says=le(Omega, Gamma),
    world=_RUNS,
    readings={
        "not negative, all t >= 0": le(Omega - Gamma, mu / L * vanishing(B_BAR), again=rate_again),
        "does not decrease over time": but(le(Gamma_less - Omega_less, Gamma - Omega), world=_GROWING),
        "non-zero error whenever Γ > Ω": but(le(Gamma, Omega), world=World(NOTATION, (_REST,))),
        "non-zero error for some weights": but(le(mu / L * (Gamma - Omega), limit), world=_weighted_world(1, 2, 3, 10)),
    },
    mutants={
        "Γ − Ω never grows either": but(le(Gamma - Omega, Gamma_less - Omega_less), world=_GROWING),
        "μ/L dropped": but(le(Gamma - Omega, limit), world=_weighted_world(2, 3)),
    },
)

CLAIMS: tuple[Claim, ...] = (R3,)
