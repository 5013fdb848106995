"""SSA-A1 to SSA-A3: what smoothness, the lower bound and the noise bound give, and where they can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    symbols,
    units,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

L, far2, gap, there = symbols("L far2 gap there")
DEGREES = {"L": (1, -2), "far2": (0, 2), "gap": (1, 0), "there": (2, -2)}
Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _share(x: Instance) -> Any:
    """p on the simplex, or with `any_sign` the drawn numbers, the last one changed so that they sum to 1."""
    p = x["share"]
    return np.concatenate([p[:, :-1], 1 - p[:, :-1].sum(axis=1, keepdims=True)], axis=1) if "any_sign" in x else p


def _gradients(x: Instance) -> Mapping[str, Any]:
    """‖∇F(x) − ∇F(y)‖², or ‖∇F(x)‖² with `below`, for F = ΣpₖFₖ of quadratics along common axes."""
    h, p = x["curvature"], _share(x)
    H, apart = (p[..., None] * h).sum(axis=1), x["point"] - x["other"]
    if "below" in x:
        best = (p[..., None] * h * x["optimum"]).sum(axis=1) / H
        apart = x["point"] - best
    size = np.abs(p).sum(axis=1) * np.abs(h).max(axis=(1, 2))
    moved = ((H * apart) ** 2).sum(axis=1)
    smooth = np.abs(h).max(axis=(1, 2)) if "own" not in x else np.abs(h).max(axis=2).min(axis=1)
    return {
        "lhs": moved,
        "L": smooth,
        "far2": (apart**2).sum(axis=1),
        "gap": 0.5 * (H * apart**2).sum(axis=1),
        "admissible": np.ones(len(h), dtype=bool) if "below" not in x else (1e-6 * size[:, None] < H).all(axis=1),
        "magnitude": (size * (np.abs(x["point"]) + np.abs(x["other"])).max(axis=1)) ** 2,
    }


def gradients_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|grad F(x) - grad F(y)|^2, or |grad F(x)|^2 and F(x) - F_inf with `below`; quadratics along common axes."""
    h, p, axes = x["curvature"], list(x["share"]), range(len(x["point"]))
    if "any_sign" in x:
        p = [*p[:-1], 1 - sum(p[:-1])]
    H = [sum(p[k] * h[k][j] for k in range(len(p))) for j in axes]
    reference = x["other"]
    if "below" in x:
        reference = [sum(p[k] * h[k][j] * x["optimum"][k][j] for k in range(len(p))) / H[j] for j in axes]
    apart = [x["point"][j] - reference[j] for j in axes]
    rows = [max(abs(v) for v in row) for row in h]
    met = {
        "sum p_k = 1": sum(p) == 1,
        "p_k >= 0 where that is asked": "any_sign" in x or min(p) >= 0,
        "F bounded below where that is asked": "below" not in x or min(H) > 0,
    }
    return met, {
        "lhs": sum((H[j] * apart[j]) ** 2 for j in axes),
        "L": min(rows) if "own" in x else max(rows),
        "far2": sum((v * v for v in apart), Fraction(0)),
        "gap": sum(H[j] * apart[j] ** 2 for j in axes) / 2,
    }


def _family(*flags: str) -> Family:
    def at(K: float, d: float) -> Case:
        n, dim = int(K), int(d)
        share = Signed("share", 1e-2, 1e1, (n,)) if "any_sign" in flags else Simplex("share", n)
        drawn = Space(
            (
                Signed("curvature", 1e-2, 1e2, (n, dim)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                share,
                Signed("point", 1e-2, 1e3, (dim,)),
                Signed("other", 1e-2, 1e3, (dim,)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        every = {"curvature": 0, "optimum": 0, "share": 0}
        same: tuple[Any, ...] = (units({"curvature": (1, -2), **dict.fromkeys(("optimum", "point", "other"), (0, 1))}),)
        if "any_sign" not in flags:
            same = (*same, permuted_clients(every), split_client(every, ("share",)))
        cost = max(1.0, n / 75)
        return Case(f"{n} quadratics, d = {dim}", drawn, _gradients, ExactCheck(gradients_exact), cost, False, same)

    return Family("quadratics", (Size("K", 1, 300, 3), Size("d", 1, 8, 2)), at)


def smooth_again(L: Any, far2: Any) -> Any:
    """The squared distance times the squared constant."""
    return far2 * L * L


def below_again(L: Any, gap: Any) -> Any:
    """Twice the gap to the lower bound, times L."""
    return 2 * (gap * L)


def _smooth(*flags: str) -> Inequality:
    return Inequality(Bound(L**2 * far2, smooth_again, DEGREES), (_family(*flags),), degrees=(2, -2))


A1 = stated(
    r"""SSA-A1 (definition; Assumption A.1; used for F in (14)): Smooth clients make a smooth objective
    Print: \|\nabla F_k(\mathbf x)-\nabla F_k(\mathbf y)\|\le L\|\mathbf x-\mathbf y\|\ \text{for some }L
    Plainly: Every client's gradient is L-Lipschitz; (14) uses the same of F = Σpₖ Fₖ.
    Assumes: one L for all clients | Σpₖ = 1, the only condition on p in print
    Reading: pₖ of any sign | Only Σpₖ = 1; the gradient of F, with the clients' L. | cut coefficients = any sign, sum
      one | because: «where Σp_k = 1» is all that is printed of p
    Reading: p on the simplex | Coefficients of a mixture of the clients' distributions. | condition: p_k >= 0 | met
      by: FedAvg's objective p_k := n_k, and the target of Client 1, p_1 = 1.0, p_k = 0.0 (Appendix A)
    Mutant: the least of the clients' constants | with p on the steepest client F is as steep
    Tight: all of p on the client with the steepest axis
    Verdict: The step from the clients to F, which (14) makes «according to» A.1, needs a condition that is not
      printed: pₖ >= 0. FedAvg's objective pₖ := nₖ and the paper's example, p₁ = 1 and all other pₖ = 0, meet it. A.1
      itself is an assumption about the clients, and there is nothing to judge in it. With coefficients on the simplex
      it follows that F is L-smooth. Of p the paper prints only Σpₖ = 1: with p = (2, −1) and curvatures 1 and −1 the
      objective has curvature 3. That pₖ >= 0 is natural for a target distribution, but it is not written.""",
    _smooth("any_sign"),
    readings={
        "p on the simplex": _smooth(),
    },
    mutants={
        "the least of the clients' constants": _smooth("own"),
    },
)

A2 = stated(
    r"""SSA-A2 (definition; Assumption A.2; used in (55)): A lower bound of F
    Print: F(\mathbf w)\ge F_{inf}
    Plainly: F is bounded below; with smoothness ‖∇F‖² is then at most 2L times the gap to the bound.
    Assumes: A.1, p on the simplex | clients themselves need not be bounded below
    Reading: F bounded below, clients of any curvature | ‖∇F(w)‖² <= 2L(F(w) − F_inf), so the gap in T₁ is never
      negative; F_inf = min F.
    Mutant: without the factor 2 | one client: ‖∇F‖² = h²x² = 2h·(hx²/2)
    Mutant: the least of the clients' constants | with p on the steepest client its own constant is attained
    Tight: one client, along its steepest axis
    Rests on: SSA-A1
    Verdict: Well posed, and compatible with clients that are not bounded below themselves: only F has to be. The
      search included such clients, up to 300 of them, and found the standard consequence to hold with the clients' L.""",
    Inequality(Bound(2 * L * gap, below_again, DEGREES), (_family("below"),), degrees=(2, -2)),
    mutants={
        "without the factor 2": Inequality(Bound(L * gap, degrees=DEGREES), (_family("below"),), degrees=(2, -2)),
        "the least of the clients' constants": Inequality(
            Bound(2 * L * gap, degrees=DEGREES), (_family("below", "own"),), degrees=(2, -2)
        ),
    },
)


def _variance(x: Instance) -> Mapping[str, Any]:
    """The variance of the gradient of one sample at x, or by how much it differs from that at y (`same`)."""
    h = x["curvature"]
    if "alike" in x:
        h = np.broadcast_to(h[:, :1], h.shape)
    slopes = [h * (x[at][:, None] - x["optimum"]) for at in ("point", "other")]
    here, other = (((s - s.mean(axis=1, keepdims=True)) ** 2).sum(axis=-1).mean(axis=1) for s in slopes)
    return {
        "lhs": np.abs(here - other) if "same" in x else here,
        "there": other,
        "L": np.abs(h).max(axis=(1, 2)),
        "far2": ((x["point"] - x["other"]) ** 2).sum(axis=1),
        "magnitude": sum((s**2).sum(axis=-1).max(axis=1) for s in slopes),
    }


def variance_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Variance of the gradient of one of n quadratic samples, drawn uniformly, at two points."""
    n, axes = len(x["curvature"]), range(len(x["point"]))
    h = [x["curvature"][0] if "alike" in x else row for row in x["curvature"]]

    def variance(w: list[Fraction]) -> Fraction:
        slopes = [[h[i][j] * (w[j] - x["optimum"][i][j]) for j in axes] for i in range(n)]
        mean = [sum(s[j] for s in slopes) / n for j in axes]
        return sum(((s[j] - mean[j]) ** 2 for s in slopes for j in axes), Fraction(0)) / n

    here, other = variance(x["point"]), variance(x["other"])
    return {"a data set": n > 0}, {
        "lhs": abs(here - other) if "same" in x else here,
        "there": other,
        "L": max(abs(v) for row in h for v in row),
        "far2": sum(((a - b) ** 2 for a, b in zip(x["point"], x["other"], strict=True)), Fraction(0)),
    }


def _samples(*flags: str, exact: Callable[[Mapping[str, Any]], Checked] = variance_exact) -> Family:
    def at(n: float, d: float) -> Case:
        size, dim = int(n), int(d)
        drawn = Space(
            (
                Signed("curvature", 1e-2, 1e2, (size, dim)),
                Signed("optimum", 1e-2, 1e2, (size, dim)),
                Signed("point", 1e-2, 1e3, (dim,)),
                Signed("other", 1e-2, 1e3, (dim,)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        same = (units({"curvature": (1, -2), **dict.fromkeys(("optimum", "point", "other"), (0, 1))}),)
        cost = max(1.0, size / 75)
        return Case(f"{size} samples, d = {dim}", drawn, _variance, ExactCheck(exact), cost, False, same)

    return Family("mini-batches of one sample", (Size("n", 1, 300, 3), Size("d", 1, 8, 2)), at)


def near_again(there: Any, L: Any, far2: Any) -> Any:
    """Twice the variance at the other point and twice what L lets it grow."""
    return 2 * there + 2 * far2 * L**2


A3 = stated(
    r"""SSA-A3 (definition; Assumption A.3): Bounded variance can be met
    Print: \mathbb E_\xi[g_k(\mathbf w|\xi)]=\nabla F_k(\mathbf w),\qquad\mathbb E_\xi[\|g_k(\mathbf w|\xi)-\nabla
      F_k(\mathbf w)\|^2]\le\sigma^2
    Plainly: Mini-batch gradients are unbiased, with one bound on their variance for all clients and all models.
    Assumes: per client; independence of the clients is added in the proof, below (24) | uniform samples of a data set
    Reading: all models, samples of one Hessian | The variance of quadratic samples with one Hessian is the same
      everywhere. | part: can be met for all models
    Reading: models of a bounded set, any samples | At most twice its value at one point and 2L²‖x − y‖² more. | part:
      can be met on a bounded set
    Mutant: unequal Hessians, all models | the gradients of x² and 2x² differ by 2x
    Mutant: twice the value at one point | the gradients of x² and 2x² agree at 0 only
    Tight: one Hessian
    Rests on: SSA-A1
    Verdict: The assumption can be met: on all of ℝᵈ when a client's samples share their Hessian (or the noise is
      added), and on any bounded set for smooth samples. On ℝᵈ the variance of mini-batches with unequal Hessians
      grows without bound. It says nothing of how clients depend on each other; the proof adds independence.""",
    Property((_samples("alike", "same"),), degrees=(2, -2)),
    readings={
        "models of a bounded set, any samples": Inequality(
            Bound(2 * there + 2 * L**2 * far2, near_again, DEGREES), (_samples(),), degrees=(2, -2)
        ),
    },
    mutants={
        "unequal Hessians, all models": Property((_samples("same"),), degrees=(2, -2)),
        "twice the value at one point": Inequality(Bound(2 * there, degrees=DEGREES), (_samples(),), degrees=(2, -2)),
    },
)

CLAIMS: tuple[Claim, ...] = (A1, A2, A3)
