"""EA-A1 and EA-A2: strong convexity and smoothness, of each client and of every weighted mean of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Max

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.one_step import bent_gradient, clients_of, curvature_of
from theory.exact import dot, matvec, quadratic_gradient
from validation import Case, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

mu, L, here, there, along, distance2, turn = NOTATION.symbols("mu L here there along distance2 turn")


def two_points(x: Instance, *, concave: bool) -> Mapping[str, Any]:
    """F = ΣaᵢFᵢ above ΣaᵢFᵢ* at V (`here`) and W (`there`), ⟨W − V, ∇F(V)⟩ (`along`); `concave`: all but the first."""
    m, a = x["optimum"], x["weights"]
    W, V = (np.broadcast_to(x[k][:, None, :], m.shape) for k in ("W", "V"))
    if "low" in x:
        low, high = x["low"][..., None], x["high"][..., None]
        gradients = [np.where(w >= m, high, low) * (w - m) for w in (W, V)]
        losses = [0.5 * (g * (w - m)).sum(axis=-1) for g, w in zip(gradients, (W, V), strict=True)]
        small, large = np.minimum(low, high).min(axis=(1, 2)), np.maximum(low, high).max(axis=(1, 2))
    else:
        clients = clients_of({**x, "share": a})
        sign = np.where(concave & (np.arange(m.shape[1]) > 0), -1.0, 1.0)
        gradients = [sign[None, :, None] * clients.gradients(w) for w in (W, V)]
        losses = [sign * clients.losses(w) for w in (W, V)]
        small = x["spectrum"].min(axis=(1, 2))
        large = x["spectrum"][:, 0].max(axis=1) if concave else x["spectrum"].max(axis=(1, 2))
    at_w, at_v = ((a[..., None] * g).sum(axis=1) for g in gradients)
    step = x["W"] - x["V"]
    reach = np.abs(m).max(axis=(1, 2)) + np.maximum(np.abs(x["W"]), np.abs(x["V"])).max(axis=1)
    return {
        "mu": small,
        "L": large,
        "here": (a * losses[1]).sum(axis=1),
        "there": (a * losses[0]).sum(axis=1),
        "along": (step * at_v).sum(axis=-1),
        "distance2": (step**2).sum(axis=-1),
        "turn": ((at_w - at_v) ** 2).sum(axis=-1),
        "sizes": {**dict.fromkeys(("here", "there", "along"), large * reach**2), "turn": (large * reach) ** 2},
    }


def two_points_exact(x: Mapping[str, Any], *, concave: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F = sum a_i F_i at W and V, above sum a_i F_i*; <W - V, grad F(V)>; squared distances of points and gradients."""
    n, m, W, V, a = len(x["weights"]), x["optimum"], x["W"], x["V"], x["weights"]
    if "low" in x:
        curves = [*x["low"], *x["high"]]
    else:
        A = [curvature_of(s, v) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
        A = [[[-entry for entry in row] for row in matrix] if i and concave else matrix for i, matrix in enumerate(A)]
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
    turned = [p - q for p, q in zip(mean(W), mean(V), strict=True)]
    met = {"curvatures positive": min(curves) > 0, "weights on the simplex": sum(a) == 1 and min(a) >= 0}
    return met, {
        "mu": min(curves),
        "L": max(x["spectrum"][0]) if concave else max(curves),
        "here": loss(V),
        "there": loss(W),
        "along": dot(step, mean(V)),
        "distance2": dot(step, step),
        "turn": dot(turned, turned),
    }


def _pair(N: float, d: float, *, bent: bool = False, concave: bool = False) -> Case:
    n, dim = int(N), int(d)
    curves = ("low", "high") if bent else ("spectrum",)
    space = Space(
        (
            *(LogScale(k, 1e-2, 1e2, (n,) if bent else (n, dim), at=(1e-2, 1.0, 1e2)) for k in curves),
            *(() if bent else (Signed("mirror", 1e-2, 1.0, (n, dim)),)),
            Signed("optimum", 1e-2, 1e2, (n, dim)),
            Simplex("weights", n),
            Signed("W", 1e-2, 1e2, (dim,)),
            Signed("V", 1e-2, 1e2, (dim,)),
        )
    )
    scale = {**dict.fromkeys(curves, (1, -2)), **dict.fromkeys(("optimum", "W", "V"), (0, 1))}
    names = dict.fromkeys((*curves, "optimum", "weights", *(() if bent else ("mirror",))), 0)
    return case(
        f"{n} {'bent' if bent else 'quadratic'} clients, d = {dim}",
        space,
        two_points,
        two_points_exact,
        uses=(dot, matvec, quadratic_gradient, curvature_of, bent_gradient),
        cost=max(1.0, N * d / 20),
        symmetries=(units(scale), *(() if concave else (permuted_clients(names),))),
        concave=concave,
    )


def _points(most: int, usual: int, *bent: int) -> World:
    plain = Family("quadratic clients", (Size("N", 1, most, usual), Size("d", 1, 8, 2)), _pair)
    return World(NOTATION, (plain, *(_pair(n, 1, bent=True) for n in bent)))


_ONE, _MEAN = _points(1, 1, 1), _points(300, 3, 2, 5)
# Each term on the side where it is positive.
_UP, _DOWN = Max(along, 0), Max(-along, 0)


def loss_again(there: Any, along: Any) -> Any:
    """F(W) + ⟨W − V, ∇F(V)⟩₋, once more."""
    return there + (abs(along) - along) / 2


def parabola_again(here: Any, along: Any, L: Any, distance2: Any) -> Any:
    """F(V) + ⟨W − V, ∇F(V)⟩₊ + (L/2)‖W − V‖², once more."""
    return (abs(along) + along) / 2 + here + distance2 * L / 2


_ABOVE = le(here + _UP + mu / 2 * distance2, there + _DOWN, again=loss_again)
_LIPSCHITZ = le(turn, L**2 * distance2)

A1 = stated(
    r"""EA-A1 (definition; Assumption 1 (Sec. 3.1)): Strong convexity
    Print: F_i(\mathbf W)-F_i(\mathbf V)
        \ge(\mathbf W-\mathbf V)^T\nabla F_i(\mathbf V)+\tfrac\mu2\|\mathbf W-\mathbf V\|_2^2
        \quad\forall\mathbf W,\mathbf V
    Plainly: Clients of curvature at least μ lie above their parabolas of curvature μ, and so does every mean of
        them.
    Assumes: curvatures at least μ > 0
    Reading: each client | Quadratic in any basis, and bent ones, with the smallest curvature as μ; each term on the
        side where it is positive. | part: each client
    Reading: every weighted mean of clients | F = ΣρᵢFᵢ for any weights on the simplex, with μ the smallest
        curvature of all. | part: every weighted mean
    Mutant: L in place of μ | a client of two curvatures lies below the parabola of the larger one
    Tight: W − V along an axis of curvature μ
    Verdict: A definition; what is checked is that the clients used as examples meet it everywhere, with the
        constant the checks compute, and that it passes to every weighted mean, as Σρᵢ(·) in the proofs and F(W*)
        need. With A2 it asks for μ <= L. The proofs call it «Assump. 2» and A2 «Assump. 1». With A4 read on all of
        space it cannot hold (EA-A4).""",
    says=_ABOVE,
    world=_MEAN,
    readings={"each client": _ONE},
    mutants={"L in place of μ": le(here + _UP + L / 2 * distance2, there + _DOWN)},
)

A2 = stated(
    r"""EA-A2 (definition; Assumption 2 (Sec. 3.1)): Smoothness
    Print: F_i(\mathbf W)-F_i(\mathbf V)
        \le(\mathbf W-\mathbf V)^T\nabla F_i(\mathbf V)+\tfrac L2\|\mathbf W-\mathbf V\|_2^2
        \quad\forall\mathbf W,\mathbf V
    Plainly: Clients of curvature at most L lie below their parabolas of curvature L, and their gradients are
        L-Lipschitz.
    Assumes: curvatures at most L | A1 for the second reading
    Reading: the printed inequality | Each client and every weighted mean, with the largest curvature as L; each
        term on the side where it is positive. | part: the printed inequality
    Reading: «L-smooth»: gradients L-Lipschitz | What the word usually means; squared, for clients that meet A1 too.
        | part: the word «L-smooth» | because: A1 is a standing assumption of both theorems, so that the one-sided
        inequality is smoothness in the usual sense
    Mutant: μ in place of L | a client of two curvatures lies above the parabola of the smaller one
    Mutant: A1 dropped, gradients L-Lipschitz | a concave function of curvature −100 lies below every parabola of
        curvature L > 0; its gradient is 100-Lipschitz
    Tight: W − V along an axis of curvature L
    Rests on: EA-A1
    Verdict: A definition; the examples meet it with the largest curvature. The printed inequality bounds a function
        from above only: by itself it admits concave functions of any curvature and is not the usual L-smoothness.
        Together with A1 it is, and the theorems always have both. For L < μ no function meets A1 and A2.""",
    says=le(there + _DOWN, here + _UP + L / 2 * distance2, again=parabola_again),
    world=_MEAN,
    readings={"«L-smooth»: gradients L-Lipschitz": _LIPSCHITZ},
    mutants={
        "μ in place of L": le(there + _DOWN, here + _UP + mu / 2 * distance2),
        "A1 dropped, gradients L-Lipschitz": but(
            _LIPSCHITZ, world=World(NOTATION, tuple(_pair(2, d, concave=True) for d in (1, 2)))
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (A1, A2)
