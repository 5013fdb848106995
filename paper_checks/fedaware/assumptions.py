"""FA-A4.1 to FA-A4.3: where the paper's assumptions can hold, and where not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, squares
from theory.exact import dot, weighted_sum
from theory.quantities import pseudo_gradient
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
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

spread0, L, far2 = symbols("spread0 L far2")
DEGREES = {"spread0": (2, -2), "L": (1, -2), "far2": (0, 2)}


def _spread(x: Instance) -> Mapping[str, Any]:
    """Σλᵢ‖∇fᵢ − ∇f‖² at x, or by how much it differs from that at y (`same`); `global`: ‖∇f(x) − ∇f(y)‖²."""
    h, m, lam, at, other = x["curvature"], x["optimum"], x["weights"], x["point"], x["other"]
    slope, slope0 = h * (at[:, None] - m), h * (other[:, None] - m)
    mean, mean0 = pseudo_gradient(slope, lam), pseudo_gradient(slope0, lam)
    here = (lam * squares(slope - mean[:, None])).sum(axis=1)
    there = (lam * squares(slope0 - mean0[:, None])).sum(axis=1)
    size = squares(slope).max(axis=1) + squares(slope0).max(axis=1)
    lhs = np.abs(here - there) if "same" in x else squares(mean - mean0) if "global" in x else here
    smooth = np.abs(h).max(axis=2)
    return {
        "lhs": lhs,
        "spread0": there,
        "L": smooth.min(axis=1) if "least" in x else smooth.max(axis=1),
        "far2": squares(at - other),
        "magnitude": size,
    }


def spread_exact(x: Mapping[str, Any]) -> Checked:
    """Quadratic clients (or samples of one client) of given curvatures along common axes, at two points."""
    h, m, lam, at, other = x["curvature"], x["optimum"], x["weights"], x["point"], x["other"]

    def slopes(w: Any) -> Any:
        return [[a * (b - c) for a, b, c in zip(u, w, v, strict=True)] for u, v in zip(h, m, strict=True)]

    def spread(w: Any) -> Any:
        mean = weighted_sum(lam, slopes(w))
        return sum(
            a * sum((b - c) ** 2 for b, c in zip(g, mean, strict=True)) for a, g in zip(lam, slopes(w), strict=True)
        )

    smooth = [max(abs(a) for a in u) for u in h]
    L = min(smooth) if "least" in x else max(smooth)
    move = [a - b for a, b in zip(weighted_sum(lam, slopes(at)), weighted_sum(lam, slopes(other)), strict=True)]
    lhs = abs(spread(at) - spread(other)) if "same" in x else dot(move, move) if "global" in x else spread(at)
    met = {
        "lambda on the simplex": sum(lam) == 1 and min(lam) >= 0,
        "equal Hessians where that is asked": "alike" not in x or all(u == h[0] for u in h),
    }
    far2 = sum((a - b) ** 2 for a, b in zip(at, other, strict=True))
    return met, {"lhs": lhs, "spread0": spread(other), "L": L, "far2": far2}


class _Alike(Signed):
    """The same curvatures for every client."""

    def decode(self, cube: Any) -> Any:
        """One row of the cube, repeated for all clients."""
        drawn = super().decode(cube)
        return np.repeat(drawn[:, :1], self.shape[0], axis=1)

    def rationalise(self, value: Any, limit: int) -> Any:
        """One row of Fractions, repeated."""
        row = super().rationalise(np.asarray(value)[0], limit)
        return [row for _ in value]


def _points(*flags: str) -> Family:
    kind = _Alike if "alike" in flags else Signed

    def at(N: float, d: float) -> Case:
        size, dim = int(N), int(d)
        space = Space(
            (
                kind("curvature", 1e-2, 1e2, (size, dim)),
                Signed("optimum", 1e-2, 1e2, (size, dim)),
                Simplex("weights", size),
                Signed("point", 1e-2, 1e3, (dim,)),
                Signed("other", 1e-2, 1e3, (dim,)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        every = {"curvature": 0, "optimum": 0, "weights": 0}
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1), "other": (0, 1)}),
            permuted_clients(every),
            split_client(every, ("weights",)),
        )
        check = ExactCheck(spread_exact, (dot, weighted_sum))
        return Case(f"{size} quadratics, d = {dim}", space, _spread, check, cost=max(1.0, size / 75), symmetries=same)

    return Family("quadratics at two points", (Size("N", 1, 300, 3), Size("d", 1, 8, 2)), at)


def near_again(spread0: Any, L: Any, far2: Any) -> Any:
    """Twice the spread at the other point and twice what L lets it grow."""
    return 2 * (spread0 + L**2 * far2)


def smooth_again(L: Any, far2: Any) -> Any:
    """L² times the squared distance."""
    return far2 * L**2


_NEAR = Inequality(Bound(2 * spread0 + 2 * L**2 * far2, near_again, DEGREES), (_points(),), degrees=(2, -2))
_FIXED = Canary(
    "twice the value at one point",
    Inequality(Bound(2 * spread0, degrees={"spread0": (2, -2)}), (_points(),), degrees=(2, -2)),
    "for f₁ = x² and f₂ = 2x² all gradients agree at 0 and nowhere else",
)
_CONSTANT = Property((_points("alike", "same"),), degrees=(2, -2))
_UNEQUAL = Canary(
    "unequal Hessians",
    Property((_points("same"),), degrees=(2, -2)),
    "the gradients of x² and 2x² differ by 2x, the more the further out",
)

A41 = Claim(
    id="FA-A4.1",
    kind=Kind.PROPERTY,
    source="Assumption 4.1, §4.1",
    title="Bounded dissimilarity can be met",
    statement=r"\sum_i\lambda_i\mathbb E\|\nabla f_i(x)-\nabla f(x)\|^2\le\sigma_g^2\quad\forall x\in\mathcal X",
    says="The clients' gradients differ by a bounded amount.",
    assumes=("𝒳 a subset of ℝᵈ that is not specified", "fᵢ smooth (A4.2)"),
    readings=(
        Reading(
            "𝒳 = ℝᵈ, equal Hessians",
            "The dissimilarity of quadratics with one Hessian is the same everywhere.",
            _CONSTANT,
        ),
        Reading("𝒳 bounded, any Hessians", "At most 2·(its value at x₀) + 2L²‖x − x₀‖².", _NEAR),
    ),
    canaries=(_UNEQUAL, _FIXED),
    tight="equal Hessians for the first",
    depends_on=("FA-A4.2",),
    verdict_words=(
        "The assumption is compatible with the others, strong convexity included: on all of ℝᵈ for clients with one "
        "Hessian, and for any smooth clients on a bounded set. On ℝᵈ with unequal Hessians no finite σ_g exists, and which "
        "set 𝒳 is meant, and that runs stay in it, the paper does not say. The 𝔼 has nothing to average."
    ),
)

A42 = Claim(
    id="FA-A4.2",
    kind=Kind.INEQUALITY,
    source="Assumption 4.2, §4.1",
    title="Smooth clients make a smooth objective",
    statement=r"\|\nabla f_i(x)-\nabla f_i(y)\|\le L\|x-y\|\ \forall i\ \Rightarrow\ \|\nabla f(x)-\nabla f(y)\|\le L\|x-y\|",
    says="A weighted mean of L-smooth clients is L-smooth, as the proofs use.",
    assumes=("λ on the simplex", "one L for all clients"),
    readings=(
        Reading(
            "as used",
            "L = max over clients of the largest curvature; roots squared away.",
            Inequality(Bound(L**2 * far2, smooth_again, DEGREES), (_points("global"),), degrees=(2, -2)),
        ),
    ),
    canaries=(
        Canary(
            "the least of the clients' constants",
            Inequality(Bound(L**2 * far2, degrees=DEGREES), (_points("global", "least"),), degrees=(2, -2)),
            "with all weight on the steepest client f is as steep",
        ),
    ),
    tight="identical clients along the steepest axis",
    verdict_words="A mean of L-Lipschitz gradients is L-Lipschitz. One L serves all clients; it is the largest of theirs.",
)

A43 = Claim(
    id="FA-A4.3",
    kind=Kind.PROPERTY,
    source="Assumption 4.3, §4.1",
    title="Bounded variance can be met",
    statement=(
        r"\mathbb E[\nabla F_i(x,\xi_i)]=\nabla f_i(x),\qquad\mathbb E\|\nabla F_i(x,\xi_i)-\nabla f_i(x)\|^2\le\sigma_l^2"
    ),
    says="Stochastic gradients are unbiased with a variance bounded over all models.",
    assumes=("x any point of ℝᵈ", "a stochastic gradient is that of one sample, drawn with the weights given"),
    readings=(
        Reading(
            "samples of one Hessian",
            "The variance is the same at every x: noise that is added to the gradient.",
            _CONSTANT,
        ),
        Reading("samples of any Hessians, bounded set", "At most 2·(its value at x₀) + 2L²‖x − x₀‖².", _NEAR),
    ),
    canaries=(_UNEQUAL, _FIXED),
    tight="samples of one Hessian",
    depends_on=("FA-A4.2",),
    verdict_words=(
        "The gradient of a random sample is unbiased by construction. Its variance is that of additive noise if all samples "
        "have one Hessian, and then the assumption holds on ℝᵈ; least squares with different inputs has a variance that "
        "grows like ‖x‖², and needs a bounded set, which is not in the statement."
    ),
)


CLAIMS: tuple[Claim, ...] = (A41, A42, A43)
