"""EFL-ALG4: the learning rate of Theorem 1, its decay and the two caps that the proof assumes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from validation import Canary, Claim, Instance, Integer, Kind, LogScale, Property, Reading, Size, Uniform, units
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _rates(T: int) -> Sequence[Coordinate]:
    """T rounds; m is EΣps of each round, in (0, θE)."""
    return (
        LogScale("mu", 1e-2, 1e2, at=(1.0,)),
        LogScale("condition", 1.0, 1e3, at=(1.0,)),
        LogScale("theta", 1.0, 1e2, at=(1.0,)),
        Uniform("work", 1e-3, 1.0, (T,), at=(1.0,)),
        LogScale("later", 1e-6, 1e1, at=(1e-6,)),
        LogScale("gamma", 1e-2, 1e3),
        Integer("steps", 1, 300),
    )


def _eta(x: Instance) -> tuple[Any, Any, Any, Any]:
    E, theta, L = x["steps"][:, None], x["theta"][:, None], (x["mu"] * x["condition"])[:, None]
    m = x["work"] * theta * E
    m = m[:, :1] + 0 * m if "same" in x else m
    need = np.maximum(32 * E * (1 + theta) * x["condition"][:, None] / m, 4 * E**2 * theta / m).max(axis=1)
    gamma = x["gamma"] if "free" in x else (1 + x["later"]) * np.maximum(need, x["steps"])
    tau = np.arange(m.shape[1])
    scale = 16.0 * (4 if "large" in x else 1)
    return scale * E / (x["mu"][:, None] * ((tau + 1) * E + gamma[:, None]) * m), E, theta, L


def _measure(x: Instance) -> Mapping[str, Any]:
    """max (ητ₊₁ − ητ)/ητ (`decay`), or the most by which η exceeds 1/(2(1+θ)L) or 4/(μEθ), relative to it."""
    eta, E, theta, L = _eta(x)
    if "decay" in x:
        lhs = (eta[:, 1:] / eta[:, :-1] - 1).max(axis=1)
        return {"lhs": lhs, "magnitude": np.ones_like(lhs)}
    caps = np.minimum(1 / (2 * (1 + theta) * L), 4 / (x["mu"][:, None] * E * theta))
    lhs = (eta / caps - 1).max(axis=1)
    return {"lhs": lhs, "magnitude": np.ones_like(lhs)}


def rate_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta_tau = 16 E/(mu ((tau + 1) E + gamma) m_tau): its growth from round to round, or against the caps of the proof."""
    E, theta, mu, L = int(x["steps"]), x["theta"], x["mu"], x["mu"] * x["condition"]
    m = [v * theta * E for v in x["work"]]
    if "same" in x:
        m = [m[0] for _ in m]
    gamma = (1 + x["later"]) * max(max(32 * E * (1 + theta) * L / (mu * v), 4 * E**2 * theta / v, E) for v in m)
    if "free" in x:
        gamma = x["gamma"]
    scale = 64 if "large" in x else 16
    eta = [scale * E / (mu * ((tau + 1) * E + gamma) * v) for tau, v in enumerate(m)]
    met = {"0 < E sum p s <= theta E": min(m) > 0 and max(m) <= theta * E, "0 < mu <= L": 0 < mu <= L}
    if "decay" in x:
        return met, {"lhs": max(eta[i + 1] / eta[i] for i in range(len(eta) - 1)) - 1}
    cap = min(1 / (2 * (1 + theta) * L), 4 / (mu * E * theta))
    return met, {"lhs": max(eta) / cap - 1}


def _test(*flags: str) -> Property:
    return drawn(
        "rounds" + "".join(f", {f}" for f in flags),
        _rates,
        _measure,
        rate_exact,
        sizes=(Size("T", 2, 300, 3),),
        flags=dict.fromkeys(flags, 1.0),
        same=(units({"mu": (1, -2)}),),
    )


ALG4 = Claim(
    id="EFL-ALG4",
    kind=Kind.PROPERTY,
    source="Theorem 1, Sec. 3.2; (42), (63), A.2.1",
    title="The learning rate",
    statement=r"\eta_\tau=\frac{16E}{\mu((\tau+1)E+\gamma)\,\mathbb E[\sum_kp_\tau^ks_\tau^k]}",
    says=(
        "«a learning rate that decays with τ» (Sec. 3.1); the proof assumes that it is below 1/(2(1+θ)L) and 4/(μEθ)."
    ),
    assumes=("0 < EΣps <= θE in each round; it may change from round to round", "μ <= L, θ >= 1"),
    readings=(
        Reading("γ any positive number", "Stronger than the print, which says nothing of γ.", _test("free")),
        Reading(
            "γ as the proof needs it",
            "γ >= max{32E(1+θ)L/(μm), 4E²θ/m, E} over all rounds (EFL-T1-R): below both caps.",
            _test(),
        ),
        Reading(
            "decays, participation may change",
            "ητ₊₁ <= ητ for any EΣps; s «may follow different distributions at different time steps».",
            _test("decay"),
        ),
        Reading("decays, EΣps the same in each round", "ητ₊₁ <= ητ.", _test("decay", "same"), repair="condition"),
    ),
    canaries=(
        Canary(
            "64E in place of 16E",
            _test("large"),
            "with γ at its least value η₀ is then nearly four times the smaller cap",
        ),
    ),
    tight="γ large against E",
    depends_on=("EFL-A5", "EFL-A6", "EFL-T1-R"),
    verdict_words=(
        "η decays with τ if EΣps is the same in every round, a condition that is not said; sampling 10 participants "
        "at random in each round, as in A.4, meets it. Sec. 3.1 lets s follow «different distributions at different "
        "time steps»; if EΣps is smaller in a later round, η may rise. The caps that the proof assumes hold in all "
        "rounds with γ >= max{32E(1+θ)L/(μm), 4E²θ/m, E}, m the least EΣps of all rounds. The statement does not "
        "define γ; that any positive γ would do is ours, and false. η also needs μ, L, θ and the law of participation "
        "in advance."
    ),
)

CLAIMS: tuple[Claim, ...] = (ALG4,)
