"""Violated on less than 1e-4 of the sampled volume: attained bounds with their constant lowered by a few per cent."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from tests.traps.model import Checked, Trap, contraction, rng_of, short, trap_claim
from theory.exact import dot, weighted_sum
from validation import Case, Choice, Instance, LogScale, Space, Uniform, symbols
from validation.statement.claim import ExactCheck

chi2, mean2, tilt2, reach2 = symbols("chi2 mean2 tilt2 reach2")


def _reweighted(x: Instance) -> Mapping[str, Any]:
    lam = x["samples"] / x["samples"].sum(axis=-1, keepdims=True)
    tilde = x["applied"] / x["applied"].sum(axis=-1, keepdims=True)
    moved = ((lam - tilde)[..., None] * x["updates"]).sum(axis=1)
    return {
        "lhs": (moved**2).sum(axis=-1),
        "chi2": ((lam - tilde) ** 2 / lam).sum(axis=-1),
        "mean2": (lam * (x["updates"] ** 2).sum(axis=-1)).sum(axis=-1),
    }


def reweighted_exact(x: Mapping[str, Any]) -> Checked:
    """Shares lam_i = n_i / sum n, weights in use tilde_i likewise, and any updates g_i."""
    lam = [n / sum(x["samples"]) for n in x["samples"]]
    tilde = [n / sum(x["applied"]) for n in x["applied"]]
    moved = weighted_sum([p - q for p, q in zip(lam, tilde, strict=True)], x["updates"])
    return {"sample counts positive": min(*x["samples"], *x["applied"]) > 0}, {
        "lhs": dot(moved, moved),
        "chi2": sum((p - q) ** 2 / p for p, q in zip(lam, tilde, strict=True)),
        "mean2": sum(p * dot(g, g) for p, g in zip(lam, x["updates"], strict=True)),
    }


def _reweighted_case(n_clients: int, dim: int) -> Case:
    space = Space(
        (
            LogScale("samples", 1.0, 10.0, (n_clients,)),
            LogScale("applied", 1.0, 10.0, (n_clients,)),
            Uniform("updates", -1.0, 1.0, (n_clients, dim)),
        )
    )
    name = f"{n_clients} clients, dimension {dim}"
    return Case(name, space, _reweighted, ExactCheck(reweighted_exact, (dot, weighted_sum)))


def _bias(x: Instance) -> Mapping[str, Any]:
    a, h, m = x["samples"] / x["samples"].sum(axis=-1, keepdims=True), x["curvature"], x["optimum"]
    gone = 1 - contraction(x) ** x["local_steps"][:, None]
    middle = (a * h * m).sum(axis=-1) / (a * h).sum(axis=-1)
    fixed = (a * gone * m).sum(axis=-1) / (a * gone).sum(axis=-1)
    skew = gone / h
    root = np.sqrt(skew.max(axis=-1) / skew.min(axis=-1))
    return {
        "lhs": (fixed - middle) ** 2,
        "tilt2": ((root - 1) / (root + 1)) ** 2,
        "reach2": (m.max(axis=-1) - m.min(axis=-1)) ** 2,
        "magnitude": 1e-3 * (m**2).max(axis=-1),
    }


def root_above(x: Fraction) -> Fraction:
    """A rational at most 2^-199 above the square root, by Newton on whole numbers."""
    n = x.numerator * 2**400 // x.denominator + 1
    r = 1 << (n.bit_length() + 1) // 2
    while r * r > n:
        r = (r + n // r) // 2
    return Fraction(r + 1, 2**200)


def bias_exact(x: Mapping[str, Any]) -> Checked:
    """The point FedAvg converges to, on h_i/2 (w - m_i)^2 at step size 1, and the minimiser; tilt2 rounded upwards."""
    n, h, m = x["samples"], x["curvature"], x["optimum"]
    clients = range(len(h))
    gone = [1 - (1 - c) ** int(x["local_steps"]) for c in h]
    middle = sum(n[i] * h[i] * m[i] for i in clients) / sum(n[i] * h[i] for i in clients)
    fixed = sum(n[i] * gone[i] * m[i] for i in clients) / sum(n[i] * gone[i] for i in clients)
    skew = [g / c for g, c in zip(gone, h, strict=True)]
    root = root_above(max(skew) / min(skew))
    hypotheses = {"sample counts positive": min(n) > 0, "0 < h_i <= L = 1": min(h) > 0 and max(h) <= 1}
    return hypotheses, {
        "lhs": (fixed - middle) ** 2,
        "tilt2": ((root - 1) / (root + 1)) ** 2,
        "reach2": (max(m) - min(m)) ** 2,
    }


def _bias_case(n_clients: int, n_local: int) -> Case:
    space = Space(
        (
            LogScale("samples", 0.1, 10.0, (n_clients,)),
            LogScale("curvature", 0.05, 1.0, (n_clients,)),
            Uniform("optimum", -1.0, 1.0, (n_clients,)),
            Choice("local_steps", (float(n_local),)),
        )
    )
    return Case(f"{n_clients} clients, E = {n_local}", space, _bias, ExactCheck(bias_exact, (root_above,)))


def narrow(seed: int) -> Trap:
    """Bounds that are attained, but only along a curve in many dimensions, lowered by 2 to 4 per cent.

    Even seeds: ‖Σ(λᵢ − λ̃ᵢ)gᵢ‖² <= (1 − ε)χ²·Σλᵢ‖gᵢ‖², attained without ε for gᵢ ∝ (λᵢ − λ̃ᵢ)/λᵢ alone (Cauchy–Schwarz).
    Odd seeds: the bias of FedAvg, |w_∞ − w*|² <= (1 − ε)((√s − 1)/(√s + 1))²·D² with s the quotient of the largest and
    smallest (1 − (1 − hᵢ)^E)/hᵢ. Without ε that is attained, only by clients at the two ends of the reach D, with the
    extreme curvatures, and one balance of their sample counts.
    """
    rng = rng_of("narrow", seed)
    less = 1 - short(rng.uniform(0.02, 0.04))
    if seed % 2 == 0:
        n_clients, dim = int(rng.integers(4, 8)), int(rng.integers(2, 4))
        says = f"Reweighting costs at most {float(less):.4g} χ² Σλᵢ‖gᵢ‖²."
        mutant = ("half the bound", chi2 * mean2 / 2, "attained, so half of it is too small")
        claim = trap_claim("narrow", seed, says, less * chi2 * mean2, (_reweighted_case(n_clients, dim),), mutant)
    else:
        n_clients, n_local = int(rng.integers(4, 7)), int(rng.integers(5, 30))
        says = f"The bias of FedAvg is at most {float(less):.4g} of its supremum."
        mutant = ("half the bound", tilt2 * reach2 / 2, "attained, so half of it is too small")
        claim = trap_claim("narrow", seed, says, less * tilt2 * reach2, (_bias_case(n_clients, n_local),), mutant)
    return Trap(claim, below_volume=1e-4)
