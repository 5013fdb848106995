"""K24: in E local steps no client moves further than E times its longest step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.exact_rounds import symmetric
from paper_checks.known_truths.spectra import descent, offset, quadratic, reflected, sizes_in_words
from theory.exact import dot, matvec
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    Reading,
    Signed,
    Size,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

eta, E, G_max, G_last, G_sum, G_first = symbols("eta E G_max G_last G_sum G_first")


def drift_again(eta: Any, E: Any, G_max: Any) -> Any:
    """K24, squared, once more."""
    return G_max * (E * eta) ** 2


DRIFT = Bound(eta**2 * E**2 * G_max, again=drift_again, degrees={"eta": (-1, 2), "E": (0, 0), "G_max": (2, -2)})


def _drift(x: Instance) -> Mapping[str, Any]:
    """E local steps in the eigenbasis; the displacement is summed up, so that nothing cancels."""
    run, noise = descent(x), x.get("noise")
    moved, squares = np.zeros_like(run.start), []
    for e in range(int(x["local_steps"][0])):
        gradient = x["spectrum"] * (run.start + moved)
        if noise is not None:
            gradient = gradient + run.L[:, None] * reflected(x["mirror"], noise[:, e])
        moved = moved - run.eta[:, None] * gradient
        squares.append((gradient**2).sum(axis=1))
    return {
        "lhs": (moved**2).sum(axis=1),
        "eta": run.eta,
        "E": x["local_steps"],
        "G_max": np.max(squares, axis=0),
        "G_last": squares[-1],
        "G_sum": np.sum(squares, axis=0),
        "G_first": squares[0],
    }


def drift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E local steps from w = `offset`; the noise of each step, if any, in units of L."""
    A, L, w = symmetric(x["spectrum"], x["mirror"]), max(x["spectrum"]), x["offset"]
    eta, squares = x["step"] / L, []
    for e in range(int(x["local_steps"])):
        gradient = matvec(A, w)
        if "noise" in x:
            gradient = [g + L * n for g, n in zip(gradient, x["noise"][e], strict=True)]
        w = [y - eta * g for y, g in zip(w, gradient, strict=True)]
        squares.append(dot(gradient, gradient))
    moved = [y - z for y, z in zip(w, x["offset"], strict=True)]
    constants = {
        "lhs": dot(moved, moved),
        "eta": eta,
        "E": Fraction(len(squares)),
        "G_max": max(squares),
        "G_last": squares[-1],
        "G_sum": sum(squares),
        "G_first": squares[0],
    }
    return {"curvatures positive": min(x["spectrum"]) > 0, "step size positive": eta > 0}, constants


_EXACT = ExactCheck(drift_exact, (dot, matvec, symmetric))


def _case(*, noisy: bool) -> Callable[..., Case]:
    def at(d: float, E: float) -> Case:
        noise = (Signed("noise", 1e-3, 1e3, (int(E), int(d))),) if noisy else ()
        space = Space((*quadratic(int(d), step_to=2.5), offset(int(d)), *noise, Choice("local_steps", (float(E),))))
        name = f"{'stochastic' if noisy else 'full'} gradients, {sizes_in_words(d=d, E=E)}"
        return Case(name, space, _drift, _EXACT, cost=max(1.0, E / 20))

    return at


_FULL = Family("full gradients", (Size("d", 1, 4, 2), Size("E", 1, 300, 2)), _case(noisy=False))
_NOISY = Family("stochastic gradients", (Size("d", 1, 4, 2), Size("E", 1, 50, 2)), _case(noisy=True))
_CASES = (_FULL, _NOISY)

K24 = Claim(
    id="K24",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="How far local steps go",
    statement=r"\|w_i^{(E)}-w\|\le\eta E\max_e\|g_{i,e}\|",
    says="E local steps move a client by at most η E times its largest gradient (both sides squared).",
    assumes=("E local steps of constant step size η along g_{i,0}, …, g_{i,E−1}",),
    readings=(
        Reading(
            "as stated",
            "Both sides squared; full and stochastic gradients of a quadratic, η up to 2.5/L; G_max = max‖g‖².",
            Inequality(DRIFT, _CASES, degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "E² lowered to E",
            Inequality(Bound(eta**2 * E * G_max), _CASES),
            "for ηL → 0 all gradients are nearly alike and the client moves by nearly η E‖g‖, E > 1",
        ),
        Canary(
            "the square of the sum replaced by the sum of squares",
            Inequality(Bound(eta**2 * G_sum), _CASES),
            "E >= 2 nearly equal gradients add up to the square η²E²‖g‖², their squares to η²E‖g‖²",
        ),
        Canary(
            "the last gradient in place of the largest",
            Inequality(Bound(eta**2 * E**2 * G_last), _CASES),
            "on a quadratic with ηL < 1 gradients shrink: the last is the smallest, and the mean of them exceeds it",
        ),
        Canary(
            "the first gradient in place of the largest",
            Inequality(Bound(eta**2 * E**2 * G_first), _CASES),
            "nothing bounds η or the noise: a first gradient of 0 followed by noise gives right side 0, left side not 0",
        ),
        Canary(
            "E − 1 steps in place of E",
            Inequality(Bound(eta**2 * (E - 1) ** 2 * G_max), _CASES),
            "a single step has length η‖g‖ > 0",
        ),
    ),
    tight="one step; or ηL → 0, when all local gradients agree",
    verdict_words=(
        "It holds for any gradients at all: a client's displacement is −η times the sum of E of them, and the norm of a "
        "sum is at most the sum of the norms."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K24,)
