"""App. A, Assumptions A.1 to A.4, and what they exclude."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact import dot, matvec, solve
from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    rotated_space,
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


A, B, grad2 = symbols("A B grad2")
A4_DEGREES = {"A": (0, 0), "B": (2, -2), "grad2": (2, -2)}


def _quadratics(x: Instance) -> Mapping[str, Any]:
    """max ‖∇Fₖ(w)‖² and the pair A = (1 + 1/s)·max ‖Mₖ‖², B = (1 + s)·max ‖bₖ‖², Mₖ = HₖH⁻¹, bₖ = ∇Fₖ(x*)."""
    raw, m, p, w = x["curvature"], x["optimum"], x["share"], x["point"]
    H = (raw + np.swapaxes(raw, -1, -2)) / 2
    mean = (p[..., None, None] * H).sum(axis=1)
    values = np.abs(np.linalg.eigvalsh(mean))
    size = np.abs(H).max(axis=(1, 2, 3))
    known = values.min(axis=1) > 1e-4 * size
    inverse = np.linalg.inv(np.where(known[:, None, None], mean, np.eye(mean.shape[-1])))
    best = (inverse @ ((p[..., None, None] * H) @ m[..., None]).sum(axis=1))[..., 0]
    lean = ((H @ inverse[:, None]) ** 2).sum(axis=(-1, -2))
    pull = ((H @ (best[:, None] - m)[..., None]) ** 2).sum(axis=(-1, -2))
    factor = 1 + (0 if "plain" in x else 1 / x["s"])
    return {
        "lhs": ((H @ (w[:, None] - m)[..., None]) ** 2).sum(axis=(-1, -2)).max(axis=1),
        "grad2": ((mean @ (w - best)[..., None]) ** 2).sum(axis=(-1, -2)),
        "A": factor * (lean.min(axis=1) if "least" in x else lean.max(axis=1)),
        "B": (1 + x["s"]) * pull.max(axis=1),
        "admissible": known,
        "magnitude": (size * (np.abs(m).max(axis=(1, 2)) + np.abs(w).max(axis=1))) ** 2,
    }


def quadratics_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Quadratic clients of any symmetric Hessians whose weighted mean is invertible, at one point."""
    m, p, w, n = x["optimum"], x["share"], x["point"], len(x["share"])
    axes = range(len(w))
    H = [[[(r[i][j] + r[j][i]) / 2 for j in axes] for i in axes] for r in x["curvature"]]
    mean = [[sum(p[k] * H[k][i][j] for k in range(n)) for j in axes] for i in axes]
    pulled = [sum(p[k] * matvec(H[k], m[k])[i] for k in range(n)) for i in axes]
    best = solve(mean, pulled)
    # Row i of M_k = H_k mean^-1 solves mean r = (row i of H_k), both matrices being symmetric.
    lean = [sum((dot(r, r) for r in (solve(mean, row) for row in H[k])), Fraction(0)) for k in range(n)]

    def square(k: int, at: list[Fraction]) -> Fraction:
        g = matvec(H[k], [a - b for a, b in zip(at, m[k], strict=True)])
        return Fraction(dot(g, g))

    slope = matvec(mean, [a - b for a, b in zip(w, best, strict=True)])
    factor = 1 + (0 if "plain" in x else 1 / x["s"])
    met = {"p on the simplex": sum(p) == 1 and min(p) >= 0, "s > 0": x["s"] > 0}
    return met, {
        "lhs": max(square(k, w) for k in range(n)),
        "grad2": dot(slope, slope),
        "A": factor * (min(lean) if "least" in x else max(lean)),
        "B": (1 + x["s"]) * max(square(k, best) for k in range(n)),
    }


def _pairs(*flags: str) -> Family:
    def at(K: float, d: float) -> Case:
        n, dim = int(K), int(d)
        drawn = Space(
            (
                Signed("curvature", 1e-2, 1e1, (n, dim, dim)),
                Signed("optimum", 1e-2, 1e1, (n, dim)),
                Simplex("share", n),
                Signed("point", 1e-2, 1e3, (dim,)),
                LogScale("s", 1e-2, 1e2, at=(1.0,)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        every = {"curvature": 0, "optimum": 0, "share": 0}
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1)}),
            permuted_clients(every),
            split_client(every, ("share",)),
            rotated_space(("optimum", "point"), ("curvature",)),
        )
        check = ExactCheck(quadratics_exact, (dot, matvec, solve))
        return Case(f"{n} quadratics, d = {dim}", drawn, _quadratics, check, max(1.0, n * dim / 30), False, same)

    return Family("quadratics", (Size("K", 1, 300, 3), Size("d", 1, 6, 2)), at)


def _at_a_point(x: Instance) -> Mapping[str, Any]:
    """(1 − A)‖∇F‖² where every client's gradient at this point is within A‖∇F‖² + B."""
    mean = (x["share"][..., None] * x["gradients"]).sum(axis=1)
    square, largest = (mean**2).sum(axis=-1), (x["gradients"] ** 2).sum(axis=-1).max(axis=1)
    B_ = np.maximum(largest - x["A"] * square, 0.0) * (0.5 if "less" in x else 1.0) + x["room"] * largest
    return {
        "lhs": (1 - x["A"]) * square,
        "B": B_,
        "admissible": np.ones(len(square), dtype=bool),
        "magnitude": largest * (1 + x["A"]),
    }


def point_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gradients of all clients at one point, any vectors, and a pair A, B that bounds them there."""
    g, p, axes = x["gradients"], x["share"], range(len(x["gradients"][0]))
    mean = [sum(a * v[j] for a, v in zip(p, g, strict=True)) for j in axes]
    square, largest = sum(v * v for v in mean), max(sum(c * c for c in v) for v in g)
    B = max(largest - x["A"] * square, Fraction(0)) * (Fraction(1, 2) if "less" in x else 1) + x["room"] * largest
    met = {
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "A.4 at this point": "less" in x or largest <= x["A"] * square + B,
    }
    return met, {"lhs": (1 - x["A"]) * square, "B": B}


def _forced(*flags: str) -> Family:
    def at(K: float, d: float) -> Case:
        n, dim = int(K), int(d)
        drawn = Space(
            (
                Signed("gradients", 1e-2, 1e2, (n, dim)),
                Simplex("share", n),
                LogScale("A", 1e-2, 1e2, at=(0.5, 1.0)),
                LogScale("room", 1e-6, 1.0),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        every = {"gradients": 0, "share": 0}
        same = (permuted_clients(every), split_client(every, ("share",)), rotated_space(("gradients",)))
        cost = max(1.0, n * dim / 60)
        return Case(f"{n} gradients, d = {dim}", drawn, _at_a_point, ExactCheck(point_exact), cost, False, same)

    return Family("gradients at one point", (Size("K", 1, 300, 3), Size("d", 1, 8, 2)), at)


def _flat(x: Instance) -> Mapping[str, Any]:
    """Two clients of opposite curvature and equal share: ∇F is constant, the clients' gradients are not."""
    h, m, w = x["curvature"], x["optimum"], x["point"]
    return {
        "lhs": (h * (w - m[:, 0])) ** 2,
        "grad2": (h * (m[:, 1] - m[:, 0]) / 2) ** 2,
        "A": x["A"],
        "B": x["B"],
        "magnitude": (h * (np.abs(w) + np.abs(m).max(axis=1))) ** 2,
    }


def flat_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F_1 = h/2 (w - m_1)^2, F_2 = -h/2 (w - m_2)^2, p = (1/2, 1/2): F is linear."""
    h, m, w = x["curvature"], x["optimum"], x["point"]
    return {"A, B > 0": min(x["A"], x["B"]) > 0}, {
        "lhs": (h * (w - m[0])) ** 2,
        "grad2": (h * (m[1] - m[0]) / 2) ** 2,
        "A": x["A"],
        "B": x["B"],
    }


_FLAT = Case(
    "opposite curvatures",
    Space(
        (
            LogScale("curvature", 1e-1, 1e1),
            Signed("optimum", 1e-2, 1e1, (2,)),
            Signed("point", 1e-2, 1e4),
            LogScale("A", 1e-2, 1e3),
            LogScale("B", 1e-2, 1e3),
        )
    ),
    _flat,
    ExactCheck(flat_exact),
)


def printed_again(A: Any, B: Any, grad2: Any) -> Any:
    """B and A times the squared gradient of F."""
    return B + grad2 * A


def rest_again(B: Any) -> Any:
    """B alone."""
    return 0 + B


_PRINTED = Bound(A * grad2 + B, printed_again, A4_DEGREES)
_REST = Bound(B, rest_again, A4_DEGREES)

A4 = stated(
    r"""SSA-A4 (definition; Assumption A.4): Bounded dissimilarity can be met, and then A >= 1
    Print: \exists A,B>0:\ \|\nabla F_k(\mathbf w)\|^2\le A\|\nabla F(\mathbf w)\|^2+B\quad\forall k,\mathbf w
    Plainly: Every client's squared gradient is at most A times that of F, plus B.
    Assumes: every k, those with pₖ = 0 too | every w in ℝᵈ | p on the simplex
    Reading: quadratics whose F has an invertible Hessian | A = (1 + 1/s)·max‖HₖH⁻¹‖², B = (1 + s)·max‖∇Fₖ(x*)‖²
      (Frobenius norms) for any s > 0; F may be a saddle. | part: can be met
    Reading: what it forces | Wherever the clients obey it, (1 − A)‖∇F‖² <= B: with A < 1 the gradient of F is
      bounded. | part: A >= 1 where ∇F is unbounded
    Mutant: F flat | with curvatures h and −h and equal shares ∇F is constant while both clients' gradients grow
      without bound
    Mutant: A = max‖HₖH⁻¹‖² without 1 + 1/s | one Hessian: ‖∇F + b‖² exceeds ‖∇F‖² + (1 + s)‖b‖² far out along b
    Mutant: the least of ‖HₖH⁻¹‖² | the steepest client's gradient grows fastest
    Mutant: half of B where A < 1 | identical gradients attain (1 − A)‖∇F‖² = B
    Tight: identical clients for the second reading
    Rests on: SSA-A1, SSA-A2
    Verdict: It can be met together with A.1 to A.3, strong convexity included: for quadratics whenever F's Hessian is
      invertible. It does not follow from A.1 and A.2: where F is flat along a direction in which clients are not, no
      pair exists. Clients with pₖ = 0 count too. As ∇F is a mean of the ∇Fₖ, A < 1 needs a bounded ∇F; so on every
      problem where ‖∇F‖ is unbounded A >= 1. For quadratics whose F has an invertible Hessian A = 1 only if all
      clients with pₖ > 0 have one and the same gradient; where F is flat along a direction, linear parts that cancel
      in F leave A = 1 too (x²/2 + cₖy with Σpₖcₖ = 0: A = 1, B = max cₖ²). That is what makes the factor A that is
      lost in (52) matter.""",
    Inequality(_PRINTED, (_pairs(),), degrees=(2, -2)),
    readings={
        "what it forces": Inequality(_REST, (_forced(),)),
    },
    mutants={
        "F flat": Inequality(_PRINTED, (_FLAT,)),
        "A = max‖HₖH⁻¹‖² without 1 + 1/s": Inequality(_PRINTED, (_pairs("plain"),)),
        "the least of ‖HₖH⁻¹‖²": Inequality(_PRINTED, (_pairs("least"),)),
        "half of B where A < 1": Inequality(_REST, (_forced("less"),)),
    },
)


_IMPLIED, _BACK, _SCALED, _HALVED = 0.0, 1.0, 2.0, 3.0


def _constants(x: Instance) -> Mapping[str, Any]:
    """By how much the smallest B of one form exceeds what the other form's B allows, at the same A, in its units.

    ∇F_k = leanₖ·∇F + pullₖ for 1-D quadratics; `way` 0: A.4 gives the conventional form, 1: the reverse,
    2: the reverse with A and B divided by the smallest share, 3: the first with half of B.
    """
    h, m, p = x["curvature"], x["optimum"], x["share"]
    H = (p * h).sum(axis=1, keepdims=True)
    best = (p * h * m).sum(axis=1, keepdims=True) / H
    lean, pull = h / H, h * (best - m)
    A = (lean**2).max(axis=1) * (1 + x["slack"])
    way = x["way"][0]
    least = p.min(axis=1) if way == _SCALED else np.ones(len(p))
    own = (pull**2 / (1 - lean**2 / (A / least)[:, None])).max(axis=1)
    mixed = (p * pull**2).sum(axis=1) + (p * lean * pull).sum(axis=1) ** 2 / (A - (p * lean**2).sum(axis=1))
    size = (pull**2).max(axis=1) + 1e-300
    gap = {_IMPLIED: mixed - own, _HALVED: mixed - own / 2}.get(way, own - mixed / least)
    return {"lhs": gap / size, "magnitude": (own + mixed / least) / size, "admissible": p.min(axis=1) > 0}


def constants_exact(x: Mapping[str, Any]) -> Checked:
    """Smallest B of one form less what the other's allows; both forms for all w at the same A."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients = range(len(h))
    H = sum(p[k] * h[k] for k in clients)
    best = sum(p[k] * h[k] * m[k] for k in clients) / H
    lean, pull = [h[k] / H for k in clients], [h[k] * (best - m[k]) for k in clients]
    A = max(v * v for v in lean) * (1 + x["slack"])
    way = int(x["way"])
    least = min(p) if way == 2 else Fraction(1)
    own = max(pull[k] ** 2 / (1 - lean[k] ** 2 * least / A) for k in clients)
    mean = sum(p[k] * lean[k] * pull[k] for k in clients)
    mixed = sum(p[k] * pull[k] ** 2 for k in clients) + mean**2 / (A - sum(p[k] * lean[k] ** 2 for k in clients))
    gap = [mixed - own, own - mixed, own - mixed / least, mixed - own / 2][way]
    met = {
        "convex quadratics": min(h) > 0,
        "p positive, of sum 1": sum(p) == 1 and min(p) > 0,
        "A large enough for both forms": max(v * v for v in lean) < A,
        "clients that differ": any(v != 0 for v in pull),
    }
    return met, {"lhs": gap / max(v * v for v in pull)}


def _clients(way: float) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        drawn = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Simplex("share", n, interior=True),
                LogScale("slack", 1e-2, 1e3),
                Choice("way", (way,)),
            )
        )
        every = {"curvature": 0, "optimum": 0, "share": 0}
        same = (permuted_clients(every), units({"curvature": (1, -2), "optimum": (0, 1)}))
        exact = ExactCheck(constants_exact)
        return Case(f"{n} 1-D clients", drawn, _constants, exact, cost=max(1.0, n / 40), symmetries=same)

    return Family("1-D clients", (Size("K", 2, 300, 3),), at)


D1 = stated(
    r"""SSA-D1 (remark; Appendix A, after Assumption A.4): The modified dissimilarity bound
    Print: \|\nabla F_k\|^2\le A\|\nabla F\|^2+B\ \forall k\quad\text{against}\quad\sum_kp_k\|\nabla F_k\|^2\le A\|
      \nabla F\|^2+B
    Plainly: A.4 modifies the conventional dissimilarity bound slightly, and the modification does not affect the
      convergence rate.
    Assumes: 1-D convex quadratic clients, all pₖ > 0 | each form for all models; B the smallest for the given A
    Reading: A.4 gives the conventional form | With the same A and B. | because: whatever rate the conventional form
      gives, A.4 gives: the modification «does not affect the convergence rate»
    Reading: the conventional form gives A.4 | Ours: equivalence, with the same A and B. | ours: equivalence with the
      same constants: the print says «slightly modify» and that the rate is not affected
    Reading: shares bounded below | The conventional form gives A.4 with A/p_min and B/p_min, if every pₖ >= p_min >
      0. | condition: p_k >= p_min > 0 | edit: A/p_min and B/p_min in place of A and B
    Mutant: conventional form with half of B | two clients of equal curvature and share have the same gradient at the
      optimum, so the mean is the largest
    Rests on: SSA-A4
    Verdict: It holds in the sense that is printed, «does not affect the convergence rate»: A.4 implies the
      conventional form with the same A and B, so whatever rate that form gives A.4 gives. Equivalence would be
      stronger than the print, and it fails: A.4 is the stronger assumption. From the conventional form it follows
      with A/p_min and B/p_min, so the change is slight where all pₖ are comparable. For p one-hot, the paper's own
      example, it is not slight: the conventional form is empty for A >= 1 (F = F₁), while A.4 binds every client with
      pₖ = 0 to the target's gradient.""",
    Property((_clients(_IMPLIED),), degrees=(0, 0)),
    readings={
        "the conventional form gives A.4": Property((_clients(_BACK),), degrees=(0, 0)),
        "shares bounded below": Property((_clients(_SCALED),), degrees=(0, 0)),
    },
    mutants={
        "conventional form with half of B": Property((_clients(_HALVED).at(K=2),)),
    },
)

CLAIMS: tuple[Claim, ...] = (
    A1,
    A2,
    A3,
    A4,
    D1,
)
