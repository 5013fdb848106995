"""What the printed statement leaves open: weights that see the round's noise, and two mechanisms at once."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from tests.traps.model import Checked, Trap, contraction, rng_of, short, trap_claim
from validation import Case, Choice, Instance, LogScale, Signed, Simplex, Space, Switch, Uniform, symbols
from validation.statement.claim import ExactCheck

far, variance, kept, delta0 = symbols("far variance kept delta0")


def _seeing(x: Instance) -> Mapping[str, Any]:
    p, h, n_rounds = x["share"], x["curvature"], int(x["n_rounds"][0])
    lean = x["lean"] * x["sees"]
    signs = np.asarray(list(product((1.0, -1.0), repeat=p.shape[1])))
    a = p[:, None] * (1 + lean[:, None, None] * signs)
    a = a / a.sum(axis=-1, keepdims=True)
    keep = 1 - (a * h[:, None]).sum(axis=-1)
    push = (a * x["sigma"][:, None] * signs).sum(axis=-1)
    first, second = x["start"], x["start"] ** 2
    for _ in range(n_rounds):
        second = (keep**2).mean(-1) * second - 2 * (keep * push).mean(-1) * first + (push**2).mean(-1)
        first = keep.mean(-1) * first - push.mean(-1)
    rho2 = contraction(x).max(axis=-1) ** 2
    return {
        "lhs": second,
        "far": rho2**n_rounds * x["start"] ** 2,
        "variance": (a**2 * x["sigma"][:, None] ** 2).sum(axis=-1).mean(axis=-1),
        "kept": sum(rho2**t for t in range(n_rounds)),
    }


def seeing_exact(x: Mapping[str, Any]) -> Checked:
    """FedAvg, one step of size 1 a round on h_i/2 w^2, noise +-sigma_i; all 2^N signs of a round, equally likely.

    Weights p_i (1 + lean s_i), normalised, where they see the signs s of the round; else p.
    """
    p, h, sigma, n_rounds = x["share"], x["curvature"], x["sigma"], int(x["n_rounds"])
    clients, lean = range(len(p)), x["lean"] * x["sees"]
    draws = [[]]
    for _ in clients:
        draws = [[*d, s] for d in draws for s in (1, -1)]
    keeps, pushes, variances = [], [], []
    for s in draws:
        raw = [p[i] * (1 + lean * s[i]) for i in clients]
        a = [r / sum(raw) for r in raw]
        keeps.append(1 - sum(a[i] * h[i] for i in clients))
        pushes.append(sum(a[i] * sigma[i] * s[i] for i in clients))
        variances.append(sum(a[i] ** 2 * sigma[i] ** 2 for i in clients))
    n = len(draws)
    first, second = x["start"], x["start"] ** 2
    for _ in range(n_rounds):
        cross = sum(k * q for k, q in zip(keeps, pushes, strict=True)) / n
        second = sum(k * k for k in keeps) / n * second - 2 * cross * first + sum(q * q for q in pushes) / n
        first = sum(keeps) / n * first - sum(pushes) / n
    rho2 = (1 - min(h)) ** 2
    hypotheses = {
        "shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "0 < h_i <= L = 1": min(h) > 0 and max(h) <= 1,
        "weights positive": 0 <= x["lean"] < 1,
    }
    return hypotheses, {
        "lhs": second,
        "far": rho2**n_rounds * x["start"] ** 2,
        "variance": sum(variances, Fraction(0)) / n,
        "kept": sum((rho2**t for t in range(n_rounds)), Fraction(0)),
    }


def _equal(name: str) -> Any:
    """A projection that gives every client the first one's value."""

    def project(x: Instance) -> Instance:
        return {**x, name: np.repeat(x[name][:, :1], x[name].shape[1], axis=1)}

    return project


def _off(name: str, value: float = 0.0) -> Any:
    """A projection that sets one flag or count."""

    def project(x: Instance) -> Instance:
        return {**x, name: np.full_like(x[name], value)}

    return project


IN_ADVANCE = Switch("weights fixed before the samples", "The weights do not see the round's noise.", _off("sees"))
_DECOYS = (
    Switch("equal noise", "All clients have the same noise level.", _equal("sigma")),
    Switch("equal curvature", "All clients have the same curvature.", _equal("curvature")),
)


def seen_noise(seed: int) -> Trap:
    """E w_T² <= ρ^(2T) w_0² + C·E[Σaᵢ²σᵢ²]·Σ_(t<T) ρ^(2t), C >= 1, for FedAvg with E = 1 and clients hᵢ/2·w².

    True for weights fixed before the samples: the noise has mean zero and is independent over clients. Weights that
    lean towards clients of positive noise push the model away from w* = 0 on average, at first order in the start.
    """
    rng = rng_of("information", seed)
    n_clients, n_rounds = int(rng.integers(2, 5)), int(rng.integers(1, 6))
    room = short(rng.uniform(1.0, 4.0))
    space = Space(
        (
            Simplex("share", n_clients),
            LogScale("curvature", 1e-2, 1.0, (n_clients,)),
            LogScale("sigma", 1e-2, 1e2, (n_clients,)),
            Signed("start", 1e-2, 1e2),
            Uniform("lean", 0.0, 0.9),
            Choice("sees", (0.0, 1.0)),
            Choice("n_rounds", (float(n_rounds),)),
        )
    )
    case = Case(f"{n_clients} clients, {n_rounds} rounds", space, _seeing, ExactCheck(seeing_exact))
    says = f"The noise costs at most {float(room):.4g} times its variance."
    mutant = ("noise dropped", far, "from the optimum any noise moves the model away")
    bound = far + room * variance * kept
    claim = trap_claim("information", seed, says, bound, (case,), mutant, (IN_ADVANCE, *_DECOYS))
    return Trap(claim, restored_by=frozenset({IN_ADVANCE.name}))


def _both(x: Instance) -> Mapping[str, Any]:
    p, h, m, sigma = x["share"], x["curvature"], x["optimum"], x["sigma"]
    a = np.where(x["reweighted"][:, None] > 0, x["weights"], p)
    n_rounds, most = int(x["n_rounds"][0]), int(x["local_steps"].max())
    steps, keep = x["local_steps"], contraction(x)
    carried = keep ** steps[:, None]
    alone, together = np.zeros(len(p)), np.zeros(len(p))
    for e in range(most):
        now = (steps > e).astype(float)
        alone = alone + now * (a**2 * sigma**2 * keep ** (2 * e)).sum(axis=-1)
        together = together + now * (a * sigma * keep**e).sum(axis=-1) ** 2
    own = np.where(x["shared"] > 0, together, alone)
    factor = (a * carried).sum(axis=-1)
    mean, spread = x["start"], np.zeros(len(p))
    for _ in range(n_rounds):
        mean = factor * mean + (a * (1 - carried) * m).sum(axis=-1)
        spread = factor**2 * spread + own
    best = (p * h * m).sum(axis=-1) / (p * h).sum(axis=-1)
    rho2 = keep.max(axis=-1) ** 2
    kept = sum(np.where(t < n_rounds * steps, rho2**t, 0.0) for t in range(n_rounds * most))
    return {
        "lhs": (mean - best) ** 2 + spread,
        "far": rho2 ** (n_rounds * steps) * (x["start"] - best) ** 2,
        "variance": (p**2 * sigma**2).sum(axis=-1),
        "kept": kept,
        "magnitude": np.maximum(np.abs(m).max(axis=-1), np.abs(x["start"])) ** 2,
    }


def both_exact(x: Mapping[str, Any]) -> Checked:
    """FedAvg on h_i/2 (w - m_i)^2 at step size 1, noise +-sigma_i: E |w_T - w*|^2, w* the minimiser under the shares.

    `shared`: one sign for all clients in every step; `reweighted`: the weights are not the shares.
    """
    p, h, m, sigma = x["share"], x["curvature"], x["optimum"], x["sigma"]
    a = x["weights"] if x["reweighted"] > 0 else p
    clients, n_local, n_rounds = range(len(p)), int(x["local_steps"]), int(x["n_rounds"])
    carried = [(1 - h[i]) ** n_local for i in clients]
    own = Fraction(0)
    for e in range(n_local):
        parts = [a[i] * sigma[i] * (1 - h[i]) ** e for i in clients]
        own += sum(parts) ** 2 if x["shared"] > 0 else sum(q**2 for q in parts)
    factor = sum(a[i] * carried[i] for i in clients)
    mean, spread = x["start"], Fraction(0)
    for _ in range(n_rounds):
        mean = factor * mean + sum(a[i] * (1 - carried[i]) * m[i] for i in clients)
        spread = factor**2 * spread + own
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    rho2 = (1 - min(h)) ** 2
    hypotheses = {
        "shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "0 < h_i <= L = 1": min(h) > 0 and max(h) <= 1,
    }
    return hypotheses, {
        "lhs": (mean - best) ** 2 + spread,
        "far": rho2 ** (n_rounds * n_local) * (x["start"] - best) ** 2,
        "variance": sum(q**2 * s**2 for q, s in zip(p, sigma, strict=True)),
        "kept": sum((rho2**t for t in range(n_rounds * n_local)), Fraction(0)),
    }


INDEPENDENT = Switch("independent noise", "The clients' noises are independent.", _off("shared"))
SHARES = Switch("weights equal to the shares", "The model is averaged with the data shares.", _off("reweighted"))
ONE_STEP = Switch("one local step", "E = 1.", _off("local_steps", 1.0))
_PAIRS = ((INDEPENDENT, SHARES), (INDEPENDENT, ONE_STEP), (SHARES, ONE_STEP))


def two_mechanisms(seed: int) -> Trap:
    """E|w_T − w*|² <= ρ^(2TE)|w_0 − w*|² + C·Σpᵢ²σᵢ²·Σ_(t<TE) ρ^(2t), C >= 1, in noisy FedAvg.

    True for independent noise, weights equal to the shares and E = 1. Two of the three are left open, by the seed:
    common noise gives (Σpᵢσᵢ)² for Σpᵢ²σᵢ²; other weights have another minimiser; several local steps another fixed
    point.
    """
    rng = rng_of("mechanisms", seed)
    open_ = _PAIRS[seed % 3]
    n_clients, n_rounds = int(rng.integers(3, 6)), int(rng.integers(2, 8))
    room = short(rng.uniform(1.0, 1.5))
    space = Space(
        (
            Simplex("share", n_clients),
            Simplex("weights", n_clients),
            LogScale("curvature", 1e-2, 1.0, (n_clients,)),
            Signed("optimum", 1e-2, 1e2, (n_clients,)),
            LogScale("sigma", 1e-3, 1e2, (n_clients,)),
            Signed("start", 1e-2, 1e2),
            Choice("shared", (0.0, 1.0) if INDEPENDENT in open_ else (0.0,)),
            Choice("reweighted", (0.0, 1.0) if SHARES in open_ else (0.0,)),
            Choice("local_steps", (1.0, 2.0, 5.0) if ONE_STEP in open_ else (1.0,)),
            Choice("n_rounds", (float(n_rounds),)),
        )
    )
    case = Case(f"{n_clients} clients, {n_rounds} rounds", space, _both, ExactCheck(both_exact))
    says = f"FedAvg converges to w* up to {float(room):.4g} times the noise."
    mutant = ("noise dropped", far, "from the optimum any noise moves the model away")
    claim = trap_claim("mechanisms", seed, says, far + room * variance * kept, (case,), mutant, (*open_, _DECOYS[0]))
    return Trap(claim, restored_by=frozenset(s.name for s in open_))
