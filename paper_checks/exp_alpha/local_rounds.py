"""The worlds of Lemmas 3 and 5: one round of local steps, of one client or many, and its models step by step."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from theory.worlds.local_path import local_path, local_path_exact
from theory.worlds.local_round import local_round, local_round_exact
from validation import (
    Case,
    Choice,
    Family,
    Instance,
    LogScale,
    Mechanism,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)
from validation.world.mechanisms import always
from validation.world.world import World, case

__all__ = ["clients_round", "one_clients_round", "step_by_step"]


def _late(rising: bool) -> LogScale:
    return LogScale("late", 1.0, 2.0, at=(1.0, 2.0)) if rising else LogScale("late", 0.5, 1.0, at=(0.5, 1.0))


def clients_round(*, rising: bool = False, kept: bool = True, drawn: tuple[float, ...] = (), most: int = 300) -> World:
    """N clients, E steps whose sizes rise or fall; one weight vector a round or any; `drawn`: how many by weight."""

    def at(N: float, E: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-4, 1e1, (n,), at=(1e-4, 1.0)),
                Signed("optimum", 1e-2, 1e4, (n,)),
                Signed("start", 1e-2, 1e2),
                LogScale("sigma", 1e-2, 1e2, (n,), at=(1.0,)),
                Simplex("weights", n, (1 if kept else 2,)),
                LogScale("step", 1e-4, 1.0, at=(1e-4, 0.1)),
                _late(rising),
                Choice("noisy", (0.0, 1.0)),
                *((Choice("drawn", drawn),) if drawn else ()),
            )
        )
        return case(
            f"{n} clients, E = {int(E)}",
            space,
            local_round,
            local_round_exact,
            cost=max(1.5, N * E / 60),
            symmetries=(
                units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1), "step": (-1, 2)}),
                permuted_clients({"curvature": 0, "optimum": 0, "sigma": 0, "weights": 1}),
            ),
            mechanisms=(Mechanism("several local steps", (), always),) if E > 1 else (),
            E=int(E),
            kept=kept,
            rising=rising,
        )

    words = f"η {'rises' if rising else 'falls'}, {'one weight vector a round' if kept else 'weights free'}"
    return World(NOTATION, (Family(words, (Size("N", 1, min(300, most), 2), Size("E", 1, most, min(8, most))), at),))


def one_clients_round(*, whole: bool, rising: bool = False, longest: float = 2.0, most: int = 300) -> World:
    """One client and E up to `most`; `whole`: all E gradients, `longest`: the first step's largest ηh."""

    def at(E: float) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-4, 1e2, at=(1e-4, 1.0)),
                Signed("optimum", 1e-2, 1e4),
                Signed("start", 1e-2, 1e2),
                Signed("sigma", 1e-2, 1e2),
                LogScale("step", 1e-6, longest, at=(1e-6, 0.25, longest)),
                _late(rising),
                Simplex("parts", int(E)),
            )
        )
        return case(
            f"one client, E = {int(E)}, steps that {'rise' if rising else 'fall'}",
            space,
            local_path,
            local_path_exact,
            cost=max(1.0, E / 75),
            symmetries=(units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (0, 1)}),),
            E=int(E),
            whole=whole,
            rising=rising,
        )

    return World(NOTATION, (Family("one client's round", (Size("E", 1, most, 5),), at),))


Gradients: TypeAlias = Literal["their own", "the last for all", "one more"]


def models(x: Instance, *, E: int, whole: bool, gradients: Gradients, from_start: bool) -> Mapping[str, Any]:
    """The largest over clients of (Wᵢ − W̄ᵗ⁰ + Σηⱼgⱼ)², after E − 1 local steps or the whole round, sample by sample.

    `gradients` of the sum; not `from_start`: W̄ᵗ, the mean before the last step, in place of W̄ᵗ⁰.
    """
    h, m = x["curvature"], x["optimum"]
    etas, terms = x["eta"] / h.max(axis=1, keepdims=True), E if whole else E - 1
    paths, slopes = [np.repeat(x["start"][:, None], h.shape[1], axis=1)], []
    for j in range(E):
        slopes.append(h * (paths[-1] - m + x["noise"][:, :, j]))
        paths.append(paths[-1] - etas[:, j, None] * slopes[-1])
    end, last = paths[terms], min(terms, E - 1)
    scaled = [etas[:, j, None] * g for j, g in enumerate(slopes)]
    total = np.sum(scaled[:terms], axis=0) if terms else np.zeros_like(end)
    total = terms * scaled[last] if gradients == "the last for all" else total
    total = total + scaled[last] if gradients == "one more" else total
    mean = (x["weights"] * paths[max(terms - 1, 0)]).sum(axis=1, keepdims=True)
    reach = sum(np.max([np.abs(v).max(axis=1) for v in of], axis=0) for of in (paths, scaled))
    left = (end - (x["start"][:, None] if from_start else mean) + total) ** 2
    return {"left_over": left.max(axis=1), "sizes": {"left_over": (E * reach) ** 2}}


def models_exact(
    x: Mapping[str, Any], *, E: int, whole: bool, gradients: str, from_start: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same, client by client."""
    N, terms, worst, paths = len(x["curvature"]), E if whole else E - 1, Fraction(0), []
    etas = [e / max(x["curvature"]) for e in x["eta"]]
    for i in range(N):
        w, path = x["start"], []
        for j in range(E):
            g = x["curvature"][i] * (w - x["optimum"][i] + x["noise"][i][j])
            path.append((w, g))
            w = w - etas[j] * g
        paths.append([*path, (w, None)])
    mean = sum(x["weights"][i] * paths[i][max(terms - 1, 0)][0] for i in range(N))
    last = min(terms, E - 1)
    for i in range(N):
        total = sum(etas[j] * paths[i][j][1] for j in range(terms))
        if gradients == "the last for all":
            total = terms * etas[last] * paths[i][last][1]
        if gradients == "one more":
            total += etas[last] * paths[i][last][1]
        worst = max(worst, (paths[i][terms][0] - (x["start"] if from_start else mean) + total) ** 2)
    met = {
        "strongly convex, smooth": min(x["curvature"]) > 0,
        "positive steps": min(x["eta"]) > 0,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
    }
    return met, {"left_over": worst}


def step_by_step(*, whole: bool, gradients: Gradients = "their own", from_start: bool = True) -> World:
    """A round of N clients, sample by sample: what is left of Wᵢ − W̄ᵗ⁰ + Σηⱼgⱼ; see `models`."""

    def at(N: float, E: float) -> Case:
        n, e = int(N), int(E)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Signed("start", 1e-2, 1e2),
                Signed("noise", 1e-2, 1e2, (n, e)),
                Simplex("weights", n),
                LogScale("eta", 1e-3, 2.0, (e,), at=(0.25, 1.0)),
            )
        )
        same = (
            units({"curvature": (1, -2), **dict.fromkeys(("optimum", "start", "noise"), (0, 1))}),
            permuted_clients(dict.fromkeys(("curvature", "optimum", "noise", "weights"), 0)),
        )
        return case(
            f"{n} clients, E = {e}, step by step",
            space,
            models,
            models_exact,
            cost=max(1.0, n * e / 40),
            symmetries=same,
            E=e,
            whole=whole,
            gradients=gradients,
            from_start=from_start,
        )

    return World(NOTATION, (Family("a round of local steps", (Size("N", 1, 300, 2), Size("E", 1, 100, 4)), at),))
