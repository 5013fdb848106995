"""SSA-A4: when constants A and B of the modified bounded dissimilarity exist, and what they have to be."""

from __future__ import annotations

from collections.abc import Mapping
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

A, B, grad2 = symbols("A B grad2")
DEGREES = {"A": (0, 0), "B": (2, -2), "grad2": (2, -2)}


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


_PRINTED = Bound(A * grad2 + B, printed_again, DEGREES)
_REST = Bound(B, rest_again, DEGREES)

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

CLAIMS: tuple[Claim, ...] = (A4,)
