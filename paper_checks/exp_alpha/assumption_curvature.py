"""EA-A1 and EA-A2: strong convexity and smoothness, of each client and of every weighted mean of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.one_step import bent_gradient, clients_of, curvature_of
from theory.exact import dot, matvec, quadratic_gradient
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
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

Exact = Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]]

mu, L, here, there, up, down, apart = symbols("mu L here there up down apart")
_DEGREES = {"mu": (1, -2), "L": (1, -2), "here": (1, 0), "there": (1, 0), "up": (1, 0), "down": (1, 0), "apart": (0, 2)}


def pair_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], dict[str, Any]]:
    """F = sum a_i F_i at W and V, above sum a_i F_i*; <W - V, grad F(V)> = up - down; squared distances."""
    n, m, W, V, a = len(x["weights"]), x["optimum"], x["W"], x["V"], x["weights"]
    if "low" in x:
        curves = [*x["low"], *x["high"]]
    else:
        A = [curvature_of(s, v) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
        if "concave" in x:
            A = [[[-entry for entry in row] for row in matrix] if i else matrix for i, matrix in enumerate(A)]
        curves = [c for row in x["spectrum"] for c in row]

    def gradient(i: int, w: list[Any]) -> list[Any]:
        if "low" in x:
            return [bent_gradient(x["low"][i], x["high"][i], m[i][0], w[0])]
        return quadratic_gradient(A[i], m[i], w)

    def loss(w: list[Any]) -> Any:
        return sum(a[i] * dot(gradient(i, w), [p - q for p, q in zip(w, m[i], strict=True)]) / 2 for i in range(n))

    def mean(w: list[Any]) -> list[Any]:
        rows = [gradient(i, w) for i in range(n)]
        return [sum(a[i] * rows[i][k] for i in range(n)) for k in range(len(w))]

    step = [p - q for p, q in zip(W, V, strict=True)]
    turn = [p - q for p, q in zip(mean(W), mean(V), strict=True)]
    met = {"curvatures positive": min(curves) > 0, "weights on the simplex": sum(a) == 1 and min(a) >= 0}
    return met, {
        "mu": min(curves),
        "L": max(x["spectrum"][0]) if "concave" in x else max(curves),
        "here": loss(V),
        "there": loss(W),
        "up": max(dot(step, mean(V)), Fraction(0)),
        "down": max(-dot(step, mean(V)), Fraction(0)),
        "apart": dot(step, step),
        "turn": dot(turn, turn),
    }


EXACT_PAIR = (dot, matvec, quadratic_gradient, curvature_of, bent_gradient, pair_exact)


def above_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: F(V) + <W - V, grad F(V)>_+ + mu/2 |W - V|^2, above sum a_i F_i*."""
    met, c = pair_exact(x)
    return met, {**c, "lhs": c["here"] + c["up"] + c["mu"] * c["apart"] / 2}


def steep_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: the same with L in place of mu."""
    met, c = pair_exact(x)
    return met, {**c, "lhs": c["here"] + c["up"] + c["L"] * c["apart"] / 2}


def below_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: F(W) + <W - V, grad F(V)>_-, above sum a_i F_i*."""
    met, c = pair_exact(x)
    return met, {**c, "lhs": c["there"] + c["down"]}


def turn_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: |grad F(W) - grad F(V)|^2."""
    met, c = pair_exact(x)
    return met, {**c, "lhs": c["turn"]}


def _pair(x: Instance) -> dict[str, Any]:
    m, a = x["optimum"], x["weights"]
    W, V = (np.broadcast_to(x[k][:, None, :], m.shape) for k in ("W", "V"))
    if "low" in x:
        low, high = x["low"][..., None], x["high"][..., None]
        gradients = [np.where(w >= m, high, low) * (w - m) for w in (W, V)]
        losses = [0.5 * (g * (w - m)).sum(axis=-1) for g, w in zip(gradients, (W, V), strict=True)]
        small, large = np.minimum(low, high).min(axis=(1, 2)), np.maximum(low, high).max(axis=(1, 2))
    else:
        clients = clients_of({**x, "share": a})
        sign = np.where(np.arange(m.shape[1]) > 0, -1.0, 1.0) if "concave" in x else np.ones(m.shape[1])
        gradients = [sign[None, :, None] * clients.gradients(w) for w in (W, V)]
        losses = [sign * clients.losses(w) for w in (W, V)]
        small = x["spectrum"].min(axis=(1, 2))
        large = x["spectrum"][:, 0].max(axis=1) if "concave" in x else x["spectrum"].max(axis=(1, 2))
    at_w, at_v = ((a[..., None] * g).sum(axis=1) for g in gradients)
    step = x["W"] - x["V"]
    reach = np.abs(m).max(axis=(1, 2)) + np.maximum(np.abs(x["W"]), np.abs(x["V"])).max(axis=1)
    return {
        "mu": small,
        "L": large,
        "here": (a * losses[1]).sum(axis=1),
        "there": (a * losses[0]).sum(axis=1),
        "up": np.maximum((step * at_v).sum(axis=-1), 0.0),
        "down": np.maximum(-(step * at_v).sum(axis=-1), 0.0),
        "apart": (step**2).sum(axis=-1),
        "turn": ((at_w - at_v) ** 2).sum(axis=-1),
        "size": large * reach**2,
        "turned": (large * reach) ** 2,
    }


def _pairs(
    bound: Bound, left: Callable[[Mapping[str, Any]], Any], exact: Exact, *, one: bool, flag: str = ""
) -> Inequality:
    """`left` <= bound at two points of one client, or (`one` False) of any weighted mean of clients."""
    degrees = (2, -2) if exact is turn_exact else (1, 0)

    def case(N: float, d: float, *, bent: bool) -> Case:
        n, dim = int(N), int(d)
        curves = ("low", "high") if bent else ("spectrum",)
        drawn = Space(
            (
                *(LogScale(k, 1e-2, 1e2, (n,) if bent else (n, dim), at=(1e-2, 1.0, 1e2)) for k in curves),
                *(() if bent else (Signed("mirror", 1e-2, 1.0, (n, dim)),)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("weights", n),
                Signed("W", 1e-2, 1e2, (dim,)),
                Signed("V", 1e-2, 1e2, (dim,)),
                *((Choice(flag, (1.0,)),) if flag else ()),
            )
        )

        def measure(x: Instance) -> Mapping[str, Any]:
            c = _pair(x)
            return {**c, "lhs": left(c), "magnitude": c["turned" if degrees == (2, -2) else "size"]}

        scale = {**dict.fromkeys(curves, (1, -2)), **dict.fromkeys(("optimum", "W", "V"), (0, 1))}
        names = dict.fromkeys((*curves, "optimum", "weights", *(() if bent else ("mirror",))), 0)
        same = (units(scale), *(() if flag else (permuted_clients(names),)))
        uses = tuple(f for f in EXACT_PAIR if f is not exact)
        words = f"{n} {'bent' if bent else 'quadratic'} clients, d = {dim}"
        return Case(words, drawn, measure, ExactCheck(exact, uses), cost=max(1.0, N * d / 20), symmetries=same)

    if flag:
        return Inequality(bound, (case(2, 1, bent=False), case(2, 2, bent=False)), degrees=degrees)
    most = Size("N", 1, 1 if one else 300, 1 if one else 3)
    plain = Family("quadratic clients", (most, Size("d", 1, 8, 2)), lambda N, d: case(N, d, bent=False))
    return Inequality(bound, (plain, *(case(n, 1, bent=True) for n in ((1,) if one else (2, 5)))), degrees=degrees)


def loss_again(there: Any, down: Any) -> Any:
    """F(W) + ⟨W − V, ∇F(V)⟩₋, once more."""
    return down + there


def parabola_again(here: Any, up: Any, L: Any, apart: Any) -> Any:
    """F(V) + ⟨W − V, ∇F(V)⟩₊ + (L/2)‖W − V‖², once more."""
    return up + here + apart * L / 2


def lipschitz_again(L: Any, apart: Any) -> Any:
    """L²‖W − V‖², once more."""
    return apart * L * L


_LOSS = Bound(there + down, again=loss_again, degrees=_DEGREES)
_PARABOLA = Bound(here + up + L * apart / 2, again=parabola_again, degrees=_DEGREES)
_LIPSCHITZ = Bound(L**2 * apart, again=lipschitz_again, degrees=_DEGREES)


def _above(c: Mapping[str, Any]) -> Any:
    return c["here"] + c["up"] + 0.5 * c["mu"] * c["apart"]


A1 = Claim(
    id="EA-A1",
    kind=Kind.INEQUALITY,
    source="Assumption 1 (Sec. 3.1)",
    title="Strong convexity",
    statement=(
        r"F_i(\mathbf W)-F_i(\mathbf V)\ge(\mathbf W-\mathbf V)^T\nabla F_i(\mathbf V)+\tfrac\mu2\|\mathbf W-\mathbf V\|_2^2"
        r"\quad\forall\mathbf W,\mathbf V"
    ),
    says="Clients of curvature at least μ lie above their parabolas of curvature μ, and so does every mean of them.",
    assumes=("curvatures at least μ > 0",),
    readings=(
        Reading(
            "each client",
            "Quadratic in any basis, and bent ones, with the smallest curvature as μ; each term on the side where it is "
            "positive.",
            _pairs(_LOSS, _above, above_exact, one=True),
        ),
        Reading(
            "every weighted mean of clients",
            "F = ΣρᵢFᵢ for any weights on the simplex, with μ the smallest curvature of all.",
            _pairs(_LOSS, _above, above_exact, one=False),
        ),
    ),
    canaries=(
        Canary(
            "L in place of μ",
            _pairs(
                Bound(there + down), lambda c: c["here"] + c["up"] + 0.5 * c["L"] * c["apart"], steep_exact, one=False
            ),
            "a client of two curvatures lies below the parabola of the larger one",
        ),
    ),
    tight="W − V along an axis of curvature μ",
    verdict_words=(
        "A definition; what is checked is that the clients used as examples meet it everywhere, with the constant the checks "
        "compute, and that it passes to every weighted mean, as Σρᵢ(·) in the proofs and F(W*) need. With A2 it asks for "
        "μ <= L. The proofs call it «Assump. 2» and A2 «Assump. 1». With A4 read on all of space it cannot hold (EA-A4)."
    ),
)

A2 = Claim(
    id="EA-A2",
    kind=Kind.INEQUALITY,
    source="Assumption 2 (Sec. 3.1)",
    title="Smoothness",
    statement=(
        r"F_i(\mathbf W)-F_i(\mathbf V)\le(\mathbf W-\mathbf V)^T\nabla F_i(\mathbf V)+\tfrac L2\|\mathbf W-\mathbf V\|_2^2"
        r"\quad\forall\mathbf W,\mathbf V"
    ),
    says="Clients of curvature at most L lie below their parabolas of curvature L, and their gradients are L-Lipschitz.",
    assumes=("curvatures at most L", "A1 for the second reading"),
    readings=(
        Reading(
            "the printed inequality",
            "Each client and every weighted mean, with the largest curvature as L; each term on the side where it "
            "is positive.",
            _pairs(_PARABOLA, lambda c: c["there"] + c["down"], below_exact, one=False),
        ),
        Reading(
            "«L-smooth»: gradients L-Lipschitz",
            "What the word usually means; squared, for clients that meet A1 too.",
            _pairs(_LIPSCHITZ, lambda c: c["turn"], turn_exact, one=False),
        ),
    ),
    canaries=(
        Canary(
            "μ in place of L",
            _pairs(Bound(here + up + mu * apart / 2), lambda c: c["there"] + c["down"], below_exact, one=False),
            "a client of two curvatures lies above the parabola of the smaller one",
        ),
        Canary(
            "A1 dropped, gradients L-Lipschitz",
            _pairs(Bound(L**2 * apart), lambda c: c["turn"], turn_exact, one=False, flag="concave"),
            "a concave function of curvature −100 lies below every parabola of curvature L > 0; its gradient is 100-Lipschitz",
        ),
    ),
    tight="W − V along an axis of curvature L",
    depends_on=("EA-A1",),
    verdict_words=(
        "A definition; the examples meet it with the largest curvature. The printed inequality bounds a function from above "
        "only: by itself it admits concave functions of any curvature and is not the usual L-smoothness. Together with A1 it "
        "is, and the theorems always have both. For L < μ no function meets A1 and A2."
    ),
)

CLAIMS: tuple[Claim, ...] = (A1, A2)
