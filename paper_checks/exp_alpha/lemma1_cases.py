"""The instances Lemma 1 is attacked with: one step, path by path or with full gradients, weights free or kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.one_step import (
    EXACT_STEP,
    NO_NOISE,
    SAME_WEIGHTS,
    clients_of,
    one_step_exact,
    same_as,
    space,
)
from validation import Case, Choice, ExactCheck, Instance, LogScale, Signed, Space, units

__all__ = ["OPPOSED", "step_case"]


def _step(x: Instance) -> Mapping[str, Any]:
    """The step t = 1 of a round; `virtual`: from W̄ᵗ by ηₜgₜ, in place of the mean of the local models."""
    clients, L_ = clients_of(x), x["spectrum"].max(axis=(1, 2))
    size = x["step"] / L_
    a, b = x["weights"][:, 0, :, None], x["weights"][:, 1, :, None]
    noise = L_[:, None, None] * x["noise"]
    exact = clients.gradients(x["local"])
    best, start = clients.best(), x["start"]
    w_bar = (a * x["local"]).sum(axis=1)
    moved = size[:, None] * (b * (exact + noise)).sum(axis=1)
    kept = (b * x["local"]).sum(axis=1)
    after = np.where((x["virtual"] > 0)[:, None], w_bar, kept) - moved

    def excess(weights: Any, w: Any) -> Any:
        return (weights[..., 0] * clients.losses(np.broadcast_to(w[:, None, :], x["optimum"].shape))).sum(axis=1)

    now = excess(b, w_bar)
    reach = (
        np.abs(x["local"]).max(axis=(1, 2))
        + np.abs(x["optimum"]).max(axis=(1, 2))
        + np.abs(x["noise"]).max(axis=(1, 2))
    )
    return {
        "lhs": ((after - best) ** 2).sum(axis=-1),
        "eta": size,
        "mu": x["spectrum"].min(axis=(1, 2)),
        "L": L_,
        "before": ((w_bar - best) ** 2).sum(axis=-1),
        "spread": (b[..., 0] * ((w_bar[:, None] - x["local"]) ** 2).sum(axis=-1)).sum(axis=1),
        "Omega": np.minimum(excess(a, start), now),
        "Omega_t": now,
        "Gamma": np.maximum(excess(a, best), excess(b, best)),
        "deviation": ((b * noise).sum(axis=1) ** 2).sum(axis=-1),
        "common": ((w_bar - best) ** 2).sum(axis=-1),
        "magnitude": reach**2,
    }


def step_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Both sides of Lemma 1 at t = 1."""
    hypotheses, found = one_step_exact(x)
    return hypotheses, {**found, "lhs": found["virtual" if x["virtual"] > 0 else "after"]}


def step_case(*, virtual: bool, quiet: bool, same: bool) -> Callable[..., Case]:
    """The step of any number of clients in any dimension; `quiet`: full gradients, `same`: one weight vector a round."""
    switches = ((NO_NOISE,) if quiet else ()) + ((SAME_WEIGHTS,) if same else ())

    def at(N: float, d: float) -> Case:
        drawn = space(int(N), int(d), Choice("virtual", (float(virtual),)))
        words = " and ".join(s.name for s in switches) or "noisy, weights free at every step"

        def measure(x: Instance) -> Mapping[str, Any]:
            for switch in switches:
                x = switch.project(x)
            return _step(x)

        function = {(False, False): step_exact, (True, False): quiet_exact, (True, True): plain_exact}[quiet, same]
        uses = tuple(f for f in (*EXACT_STEP, step_exact, quiet_exact) if f is not function)
        exact = ExactCheck(function, uses)
        name = f"{int(N)} clients, d = {int(d)}, {words}"
        return Case(name, drawn, measure, exact, cost=max(3.2, N * d / 4), symmetries=same_as())

    return at


def quiet_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with full gradients."""
    return step_exact({**x, "noise": [[Fraction(0) for _ in row] for row in x["noise"]]})


def plain_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with full gradients, and the weights of the round's start kept."""
    return quiet_exact({**x, "weights": [x["weights"][0], x["weights"][0]]})


def opposed(x: Mapping[str, Any]) -> dict[str, Any]:
    """Two clients of one curvature with optima -u and u, W* = 0; all weight passes to the second, which stands aside."""
    u, h, aside, zero = x["point"], x["curvature"], x["shift"] * x["point"], 0 * x["point"]
    half = (zero + 1) / 2
    later = half if x["kept"] > 0 else 2 * half
    return {
        "spectrum": [[h], [h]],
        "mirror": [[zero], [zero]],
        "optimum": [[-u], [u]],
        "share": [half, half],
        "weights": [[half, half], [1 - later, later]],
        "start": [zero],
        "local": [[u - aside], [u + aside]],
        "noise": [[zero], [zero]],
        "step": x["step"],
        "virtual": 1,
    }


def opposed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Both sides of Lemma 1 for the two opposed clients, W_bar^t - eta_t g_t as the definition."""
    return step_exact(opposed(x))


def _opposed(x: Instance) -> Mapping[str, Any]:
    u, h, ones = x["point"], x["curvature"], np.ones_like(x["point"])
    column = np.stack([-u, u], axis=1)[..., None]
    same = np.where(x["kept"] > 0, 0.5, 0.0)
    return _step(
        {
            "spectrum": np.stack([h, h], axis=1)[..., None],
            "mirror": 0 * column,
            "optimum": column,
            "share": np.stack([ones, ones], axis=1) / 2,
            "weights": np.stack([np.stack([ones, ones], axis=1) / 2, np.stack([same, 1 - same], axis=1)], axis=1),
            "start": 0 * u[:, None],
            "local": u[:, None, None] + x["shift"][:, None, None] * column,
            "noise": 0 * column,
            "step": x["step"],
            "virtual": ones,
        }
    )


OPPOSED = Case(
    "two opposed clients, the weight passes to the second",
    Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            LogScale("point", 1e-2, 1e2, at=(1.0,)),
            Signed("shift", 1e-3, 1.0),
            LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
            Choice("kept", (0.0,)),
        )
    ),
    _opposed,
    ExactCheck(opposed_exact, (*EXACT_STEP, opposed, step_exact)),
    cost=2.5,
    symmetries=(units({"curvature": (1, -2), "point": (0, 1)}),),
)
