"""Quadratic clients at one local step of a round: what Lemma 1 and the virtual sequence are checked on.

Fᵢ(w) = ½(w − mᵢ)ᵀAᵢ(w − mᵢ), Aᵢ a diagonal matrix seen in a mirror. A round starts at a common `start`, t = 0; after its
first step, whatever the samples were, client i stands at `local`ᵢ; the step looked at is the second, t = 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.exact import dot, matvec, quadratic_gradient, quadratic_loss, quadratic_optimum, solve, weighted_sum
from validation import Instance, LogScale, Signed, Simplex, Space, Switch, Symmetry, permuted_clients, units
from validation.draw import Coordinate

__all__ = [
    "EXACT_STEP",
    "NO_NOISE",
    "SAME_WEIGHTS",
    "Clients",
    "clients_of",
    "curvature_of",
    "one_step_exact",
    "same_as",
    "space",
]

Float = NDArray[np.float64]


def _reflected(mirror: Float, vectors: Float) -> Float:
    """(I − 2vvᵀ/‖v‖²) x on the last axis, v = `mirror`; v = 0 leaves x."""
    size = (mirror**2).sum(axis=-1, keepdims=True)
    found: Float = vectors - 2 * mirror * (mirror * vectors).sum(axis=-1, keepdims=True) / np.where(size > 0, size, 1)
    return found


@dataclass(frozen=True, eq=False)
class Clients:
    """The clients of many instances, arrays (n, n_clients, d)."""

    spectrum: Float
    mirror: Float
    optimum: Float
    share: Float

    def gradients(self, w: Float) -> Float:
        """∇Fᵢ at wᵢ, one point for each client."""
        return _reflected(self.mirror, self.spectrum * _reflected(self.mirror, w - self.optimum))

    def losses(self, w: Float) -> Float:
        """Fᵢ(wᵢ) − Fᵢ*, (n, n_clients)."""
        found: Float = 0.5 * (self.spectrum * _reflected(self.mirror, w - self.optimum) ** 2).sum(axis=-1)
        return found

    def best(self) -> Float:
        """W* = argmin Σ pᵢFᵢ, (n, d)."""
        eye = np.broadcast_to(np.eye(self.spectrum.shape[-1]), (*self.spectrum.shape, self.spectrum.shape[-1]))
        columns = _reflected(
            self.mirror[..., None, :], self.spectrum[..., None, :] * _reflected(self.mirror[..., None, :], eye)
        )
        mixed = (self.share[..., None, None] * columns).sum(axis=1)
        pull = (
            self.share[..., None] * _reflected(self.mirror, self.spectrum * _reflected(self.mirror, self.optimum))
        ).sum(axis=1)
        found: Float = np.linalg.solve(mixed, pull[..., None])[..., 0]
        return found


def clients_of(x: Instance) -> Clients:
    """The clients of drawn instances."""
    return Clients(x["spectrum"], x["mirror"], x["optimum"], x["share"])


def curvature_of(spectrum: list[Any], mirror: list[Any]) -> list[list[Any]]:
    """H diag(spectrum) H for the reflection H = I - 2 v v^T / |v|^2, v = mirror; v = 0 leaves the diagonal."""
    dims, size = range(len(spectrum)), dot(mirror, mirror)
    h = [[Fraction(int(i == j)) - (2 * mirror[i] * mirror[j] / size if size else 0) for j in dims] for i in dims]
    return [[dot([h[i][k] * spectrum[k] for k in dims], h[j]) for j in dims] for i in dims]


def one_step_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Steps t = 0 and t = 1 of a round of two steps: hypotheses, and every quantity of Lemma 1 at t = 1."""
    clients = range(len(x["share"]))
    A = [curvature_of(s, v) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
    m, a, b = x["optimum"], x["weights"][0], x["weights"][1]  # a = rho^1, b = rho^2
    L, mu = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"])
    eta, best = x["step"] / L, quadratic_optimum(x["share"], A, m)
    W, before = x["local"], weighted_sum(a, x["local"])
    exact = [quadratic_gradient(A[i], m[i], W[i]) for i in clients]
    noisy = [[g + L * n for g, n in zip(exact[i], x["noise"][i], strict=True)] for i in clients]
    V = [[w - eta * g for w, g in zip(W[i], noisy[i], strict=True)] for i in clients]
    after, g, g_bar = weighted_sum(b, V), weighted_sum(b, noisy), weighted_sum(b, exact)

    def square(u: list[Any], v: list[Any]) -> Any:
        return sum((p - q) ** 2 for p, q in zip(u, v, strict=True))

    def excess(weights: list[Any], w: list[Any]) -> Any:
        return sum(weights[i] * quadratic_loss(A[i], m[i], Fraction(0), w) for i in clients)

    Omegas = [excess(a, x["start"]), excess(b, before)]
    constants = {
        "after": square(after, best),
        "virtual": square([w - eta * y for w, y in zip(before, g, strict=True)], best),
        "residual": square(after, [w - eta * y for w, y in zip(before, g, strict=True)]),
        "eta": eta,
        "mu": mu,
        "L": L,
        "before": square(before, best),
        "spread": sum(b[i] * square(before, W[i]) for i in clients),
        "Omega": min(Omegas),
        "Omega_t": Omegas[1],
        "Gamma": max(excess(a, best), excess(b, best)),
        "deviation": square(g, g_bar),
    }
    hypotheses = {
        "A1, A2: mu > 0, curvatures in [mu, L]": mu > 0,
        "eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "data shares on the simplex": sum(x["share"]) == 1 and min(x["share"]) >= 0,
        "weights on the simplex at every step": all(sum(r) == 1 and min(r) >= 0 for r in x["weights"]),
    }
    return hypotheses, constants


EXACT_STEP = (
    dot,
    matvec,
    weighted_sum,
    solve,
    quadratic_loss,
    quadratic_gradient,
    quadratic_optimum,
    curvature_of,
    one_step_exact,
)


def _kept(x: Instance) -> Instance:
    if "weights" not in x:
        return {**x, "kept": np.ones_like(x["kept"])}
    return {**x, "weights": np.broadcast_to(x["weights"][:, :1], x["weights"].shape)}


SAME_WEIGHTS = Switch("one weight vector a round", "ρᵗ is the same at every step of a round", _kept)
NO_NOISE = Switch(
    "no noise", "full local gradients", lambda x: {**x, "noise": np.zeros_like(x["noise"])} if "noise" in x else x
)


def space(n_clients: int, dim: int, *extra: Coordinate) -> Space:
    """Everything of one step, noise in units of L."""
    return Space(
        (
            LogScale("spectrum", 1e-2, 1e2, (n_clients, dim), at=(1e-2, 1.0, 1e2)),
            Signed("mirror", 1e-2, 1.0, (n_clients, dim)),
            Signed("optimum", 1e-2, 1e2, (n_clients, dim)),
            Simplex("share", n_clients),
            Simplex("weights", n_clients, (2,)),
            Signed("start", 1e-2, 1e2, (dim,)),
            Signed("local", 1e-2, 1e2, (n_clients, dim)),
            Signed("noise", 1e-2, 1e2, (n_clients, dim)),
            LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
            *extra,
        )
    )


def same_as() -> tuple[Symmetry, ...]:
    """The clients' names, and units."""
    lengths = {"optimum": (0, 1), "start": (0, 1), "local": (0, 1), "noise": (0, 1)}
    every = {"spectrum": 0, "mirror": 0, "optimum": 0, "share": 0, "weights": 1, "local": 0, "noise": 0}
    return (permuted_clients(every), units({"spectrum": (1, -2), **lengths}))
