"""Weights that have seen the earlier step of their round, which shows only after many rounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from tests.traps.model import Checked, Trap, log_uniform, rng_of, short, trap_claim
from theory.exact.reference.seen_noise import leaning, outcomes_of_noise, weighted_noise
from theory.noise.seen_noise import one_winner
from validation import Case, Information, Instance, Instant, Integer, LogScale, Signed, Space, Switch, Uniform, symbols
from validation.statement.claim import ExactCheck

__all__ = ["KNOWN", "seen_earlier"]

far, variance = symbols("far variance")
KNOWN = Switch(
    "weights known before the round",
    "The weights have not seen the first step of the round.",
    lambda x: {**x, "sees": np.minimum(x["sees"], Instant.BEFORE_ROUND)},
)
_AT_BEST = Switch("started at the optimum", "w₀ = w*.", lambda x: {**x, "start": np.zeros_like(x["start"])})


def _late(x: Instance) -> Mapping[str, Any]:
    seen, rounds, sigma = x["sees"] > Instant.BEFORE_ROUND, x["rounds"], x["sigma"]
    known, late = (one_winner(x["lean"], 1, seen=of) for of in (False, True))
    mean, second = (np.where(seen, b, a) for a, b in zip(known, late, strict=True))
    total, scale = 3 * x["start"] + rounds * mean * sigma, (2 * rounds + 3) ** 2
    return {
        "lhs": (total**2 + rounds * (second - mean**2) * sigma**2) / scale,
        "far": 9 * x["start"] ** 2 / scale,
        "variance": rounds * sigma**2 / scale,
        "magnitude": np.maximum(sigma, np.abs(x["start"])) ** 2,
    }


def late_exact(x: Mapping[str, Any]) -> Checked:
    """Two clients w^2/2 with noise sigma and -sigma, either way round, in the first of two steps 1/(t + 4): E w_T^2.

    sees > 1: weight `lean` on the client whose noise was positive; else on the first client.
    """
    mean, second = weighted_noise(2, 1, x["lean"], x["sees"] > 1)
    first, square, sigma, rounds = x["start"], x["start"] ** 2, x["sigma"], int(x["rounds"])
    for r in range(rounds):
        early, late = (Fraction(1, 2 * r + 4 + e) for e in (0, 1))
        keep, gain = (1 - early) * (1 - late), early * (1 - late) * sigma
        square = keep**2 * square + 2 * keep * gain * mean * first + gain**2 * second
        first = keep * first + gain * mean
    T = 2 * rounds
    met = {"weights on the simplex": 0 <= x["lean"] <= 1, "at least one round": rounds >= 1}
    scale = Fraction(1, (T + 3) ** 2)
    return met, {"lhs": square, "far": 9 * x["start"] ** 2 * scale, "variance": rounds * sigma**2 * scale}


def seen_earlier(seed: int) -> Trap:
    """E w_T² <= (3w₀/(T + 3))² + C·(T/2)σ²/(T + 3)², C between 200 and 2,000, for rounds of two steps 1/(t + 4).

    True for weights known before the round, at C = 1: the noise of each round has mean 0. Weights that have seen the
    first step give it the mean (2a − 1)σ, so that w_T tends to (a − 1/2)σ: false once T/2 is about C/(2a − 1)².
    """
    rng = rng_of("seen earlier", seed)
    room = short(log_uniform(rng, 200.0, 2000.0))
    space = Space(
        (
            Uniform("lean", 0.5, 1.0),
            LogScale("sigma", 1e-2, 1e2),
            Signed("start", 1e-3, 1e2),
            Integer("rounds", 1, 5000),
            Information("sees", Instant.upto(Instant.BEFORE_STEP)),
        )
    )
    uses = (weighted_noise, leaning, outcomes_of_noise)
    case = Case("mirrored clients, rounds of two steps", space, _late, ExactCheck(late_exact, uses), cost=3.0)
    says = f"Noise costs at most {float(room):.4g} times what independent rounds would."
    mutant = ("noise dropped", far, "from the optimum any noise moves the model away")
    claim = trap_claim("seen-earlier", seed, says, far + room * variance, (case,), mutant, (KNOWN, _AT_BEST))
    return Trap(claim, restored_by=frozenset({KNOWN.name}))
