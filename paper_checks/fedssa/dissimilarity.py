"""App. A, Assumption A.4: bounded dissimilarity, what it forces, and the conventional form."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact import dot, matvec, solve
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    rotated_space,
    split_client,
    units,
)
from validation.statement.notation import Notation, Quantity
from validation.world import World, at, case, definition, le, mutant, reading, remark

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Any]]
_LETTERS = Notation(
    (
        Quantity("A", "A", "factor of A.4", (0, 0), positive=True),
        Quantity("B", "B", "constant of A.4", (2, -2), nonnegative=True),
        Quantity("s", "s", "how the room of A.4 is shared out", (0, 0), positive=True),
        Quantity("grad2", r"\|\nabla F\|^2", "squared gradient of F", (2, -2)),
        Quantity("largest2", r"\max_k\|\nabla F_k\|^2", "largest squared gradient of a client", (2, -2)),
        Quantity("lean2", r"\max_k\|H_kH^{-1}\|^2", "how far gradients lean on that of F", (0, 0)),
        Quantity("lean2_least", r"\min_k\|H_kH^{-1}\|^2", "the least of them", (0, 0)),
        Quantity("B_own", "B", "least B of A.4, in units of the largest pull", (0, 0)),
        Quantity("B_own_least", "B", "the same at A/p_min", (0, 0)),
        Quantity("B_mixed", "B", "least B of the conventional form", (0, 0)),
        Quantity("least_share", r"p_{min}", "least share", (0, 0)),
    )
)
A, B, grad2, largest2, lean2, lean2_least, s = _LETTERS.symbols("A B grad2 largest2 lean2 lean2_least s")


def quadratics(x: Instance) -> Mapping[str, Any]:
    """max ‖∇Fₖ(w)‖², largest and least ‖Mₖ‖² and B = (1 + s)·max ‖bₖ‖², Mₖ = HₖH⁻¹, bₖ = ∇Fₖ(x*)."""
    raw, m, p, w = x["curvature"], x["optimum"], x["share"], x["point"]
    H = (raw + np.swapaxes(raw, -1, -2)) / 2
    mean = (p[..., None, None] * H).sum(axis=1)
    values, size = np.abs(np.linalg.eigvalsh(mean)), np.abs(H).max(axis=(1, 2, 3))
    known = values.min(axis=1) > 1e-4 * size
    inverse = np.linalg.inv(np.where(known[:, None, None], mean, np.eye(mean.shape[-1])))
    best = (inverse @ ((p[..., None, None] * H) @ m[..., None]).sum(axis=1))[..., 0]
    lean = ((H @ inverse[:, None]) ** 2).sum(axis=(-1, -2))
    pull = ((H @ (best[:, None] - m)[..., None]) ** 2).sum(axis=(-1, -2))
    found = {"largest2": ((H @ (w[:, None] - m)[..., None]) ** 2).sum(axis=(-1, -2)).max(axis=1), "s": x["s"]}
    found |= {"grad2": ((mean @ (w - best)[..., None]) ** 2).sum(axis=(-1, -2)), "admissible": known}
    found |= {"lean2": lean.max(axis=1), "lean2_least": lean.min(axis=1), "B": (1 + x["s"]) * pull.max(axis=1)}
    return {**found, "magnitude": (size * (np.abs(m).max(axis=(1, 2)) + np.abs(w).max(axis=1))) ** 2}


def quadratics_exact(x: Mapping[str, Any]) -> Checked:
    """Quadratic clients of any symmetric Hessians whose weighted mean is invertible, at one point."""
    m, p, w, n = x["optimum"], x["share"], x["point"], len(x["share"])
    axes = range(len(w))
    H = [[[(r[i][j] + r[j][i]) / 2 for j in axes] for i in axes] for r in x["curvature"]]
    mean = [[sum(p[k] * H[k][i][j] for k in range(n)) for j in axes] for i in axes]
    best = solve(mean, [sum(p[k] * matvec(H[k], m[k])[i] for k in range(n)) for i in axes])
    # Row i of M_k = H_k mean^-1 solves mean r = (row i of H_k), both matrices being symmetric.
    lean = [sum((dot(r, r) for r in (solve(mean, row) for row in H[k])), Fraction(0)) for k in range(n)]

    def largest(at: list[Fraction]) -> Any:
        slopes = [matvec(H[k], [a - b for a, b in zip(at, m[k], strict=True)]) for k in range(n)]
        return max(dot(g, g) for g in slopes)

    slope = matvec(mean, [a - b for a, b in zip(w, best, strict=True)])
    met = {"p on the simplex": sum(p) == 1 and min(p) >= 0, "s > 0": x["s"] > 0}
    found = {"largest2": largest(w), "grad2": dot(slope, slope), "B": (1 + x["s"]) * largest(best), "s": x["s"]}
    return met, {**found, "lean2": max(lean), "lean2_least": min(lean)}


def _quadratics() -> World:
    def at(K: float, d: float) -> Case:
        n, dim = int(K), int(d)
        drawn = (
            Signed("curvature", 1e-2, 1e1, (n, dim, dim)),
            Signed("optimum", 1e-2, 1e1, (n, dim)),
            Simplex("share", n),
            Signed("point", 1e-2, 1e3, (dim,)),
            LogScale("s", 1e-2, 1e2, at=(1.0,)),
        )
        every = {"curvature": 0, "optimum": 0, "share": 0}
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1)}),
            permuted_clients(every),
            split_client(every, ("share",)),
            rotated_space(("optimum", "point"), ("curvature",)),
        )
        name, uses, cost = f"{n} quadratics, d = {dim}", (dot, matvec, solve), max(1.0, n * dim / 30)
        return case(name, Space(drawn), quadratics, quadratics_exact, uses=uses, cost=cost, symmetries=same)

    return World(_LETTERS, (Family("quadratics", (Size("K", 1, 300, 3), Size("d", 1, 6, 2)), at),))


def one_point(x: Instance, *, less: bool) -> Mapping[str, Any]:
    """Gradients of all clients at one point, any vectors, and a pair A, B that bounds them there; `less`: half of B."""
    g, A = x["gradients"], x["A"]
    grad2, largest = ((x["share"][..., None] * g).sum(axis=1) ** 2).sum(axis=-1), (g**2).sum(axis=-1).max(axis=1)
    B = np.maximum(largest - A * grad2, 0.0) * (0.5 if less else 1.0) + x["room"] * largest
    return {"grad2": grad2, "A": A, "B": B, "magnitude": largest * (1 + A)}


def one_point_exact(x: Mapping[str, Any], *, less: bool) -> Checked:
    """The same, client by client."""
    g, p, axes = x["gradients"], x["share"], range(len(x["gradients"][0]))
    grad2 = sum(sum(a * v[j] for a, v in zip(p, g, strict=True)) ** 2 for j in axes)
    largest = max(sum(c * c for c in v) for v in g)
    B = max(largest - x["A"] * grad2, Fraction(0)) * (Fraction(1, 2) if less else 1) + x["room"] * largest
    met = {"p on the simplex": sum(p) == 1 and min(p) >= 0, "A.4 at this point": less or largest <= x["A"] * grad2 + B}
    return met, {"grad2": grad2, "A": x["A"], "B": B}


def _one_point(*, less: bool = False) -> World:
    def at(K: float, d: float) -> Case:
        n, dim = int(K), int(d)
        drawn = (
            Signed("gradients", 1e-2, 1e2, (n, dim)),
            Simplex("share", n),
            LogScale("A", 1e-2, 1e2, at=(0.5, 1.0)),
            LogScale("room", 1e-6, 1.0),
        )
        every = {"gradients": 0, "share": 0}
        same = (permuted_clients(every), split_client(every, ("share",)), rotated_space(("gradients",)))
        how: dict[str, Any] = {"cost": max(1.0, n * dim / 60), "symmetries": same, "less": less}
        return case(f"{n} gradients, d = {dim}", Space(drawn), one_point, one_point_exact, **how)

    return World(_LETTERS, (Family("gradients at one point", (Size("K", 1, 300, 3), Size("d", 1, 8, 2)), at),))


def opposite(x: Instance) -> Mapping[str, Any]:
    """Two clients of opposite curvature and equal share: ∇F is constant, the clients' gradients are not."""
    h, m, w = x["curvature"], x["optimum"], x["point"]
    found = {"largest2": (h * (w - m[:, 0])) ** 2, "grad2": (h * (m[:, 1] - m[:, 0]) / 2) ** 2}
    return {**found, "A": x["A"], "B": x["B"], "magnitude": (h * (np.abs(w) + np.abs(m).max(axis=1))) ** 2}


def opposite_exact(x: Mapping[str, Any]) -> Checked:
    """F_1 = h/2 (w - m_1)^2, F_2 = -h/2 (w - m_2)^2, p = (1/2, 1/2): F is linear."""
    h, m, w = x["curvature"], x["optimum"], x["point"]
    found = {"largest2": (h * (w - m[0])) ** 2, "grad2": (h * (m[1] - m[0]) / 2) ** 2}
    return {"A, B > 0": min(x["A"], x["B"]) > 0}, {**found, "A": x["A"], "B": x["B"]}


_OPPOSITE = Space(
    (
        LogScale("curvature", 1e-1, 1e1),
        Signed("optimum", 1e-2, 1e1, (2,)),
        Signed("point", 1e-2, 1e4),
        *(LogScale(name, 1e-2, 1e3) for name in ("A", "B")),
    )
)


def printed_again(A: Any, B: Any, grad2: Any) -> Any:
    """B and A times the squared gradient of F."""
    return B + grad2 * A


def fitted_again(s: Any, lean2: Any, B: Any, grad2: Any) -> Any:
    """The same with A = (1 + 1/s)·max‖HₖH⁻¹‖²."""
    return B + grad2 * lean2 * (s + 1) / s


def rest_again(B: Any) -> Any:
    """B alone."""
    return 0 + B


_PRINTED = le(largest2, A * grad2 + B, again=printed_again)
_FORCED = le((1 - A) * grad2, B, again=rest_again)
A4 = definition(
    "SSA-A4",
    "Assumption A.4",
    "Bounded dissimilarity can be met, and then A >= 1",
    printed=r"\exists A,B>0:\ \|\nabla F_k(\mathbf w)\|^2\le A\|\nabla F(\mathbf w)\|^2+B\quad\forall k,\mathbf w",
    plainly="Every client's squared gradient is at most A times that of F, plus B.",
    assumes=["every k, those with pₖ = 0 too", "every w in ℝᵈ", "p on the simplex"],
    says=le(largest2, (1 + 1 / s) * lean2 * grad2 + B, again=fitted_again),
    world=_quadratics(),
    readings=[
        reading(
            "quadratics whose F has an invertible Hessian",
            "A = (1 + 1/s)·max‖HₖH⁻¹‖², B = (1 + s)·max‖∇Fₖ(x*)‖² (Frobenius norms) for any s > 0; F may be a saddle.",
            part="can be met",
        ),
        reading(
            "what it forces",
            "Wherever the clients obey it, (1 − A)‖∇F‖² <= B: with A < 1 the gradient of F is bounded.",
            _FORCED,
            world=_one_point(),
            part="A >= 1 where ∇F is unbounded",
        ),
    ],
    mutants=[
        mutant(
            "F flat",
            _PRINTED,
            "with curvatures h and −h and equal shares ∇F is constant while both clients' gradients grow without bound",
            at(curvature=1, optimum=[0, 0], point=-1, A=1, B="1/2"),
            world=World(_LETTERS, (case("opposite curvatures", _OPPOSITE, opposite, opposite_exact),)),
        ),
        mutant(
            "A = max‖HₖH⁻¹‖² without 1 + 1/s",
            le(largest2, lean2 * grad2 + B),
            "one Hessian: ‖∇F + b‖² exceeds ‖∇F‖² + (1 + s)‖b‖² far out along b",
        ),
        mutant(
            "the least of ‖HₖH⁻¹‖²",
            le(largest2, (1 + 1 / s) * lean2_least * grad2 + B),
            "the steepest client's gradient grows fastest",
        ),
        mutant(
            "half of B where A < 1", _FORCED, "identical gradients attain (1 − A)‖∇F‖² = B", world=_one_point(less=True)
        ),
    ],
    tight="identical clients for the second reading",
    rests_on=["SSA-A2"],
    verdict="""It can be met together with A.1 to A.3, strong convexity included: for quadratics whenever F's Hessian is
        invertible. It does not follow from A.1 and A.2: where F is flat along a direction in which clients are not, no
        pair exists. Clients with pₖ = 0 count too. As ∇F is a mean of the ∇Fₖ, A < 1 needs a bounded ∇F; so on every
        problem where ‖∇F‖ is unbounded A >= 1. For quadratics whose F has an invertible Hessian A = 1 only if all
        clients with pₖ > 0 have one and the same gradient; where F is flat along a direction, linear parts that cancel
        in F leave A = 1 too (x²/2 + cₖy with Σpₖcₖ = 0: A = 1, B = max cₖ²). That is what makes the factor A that is
        lost in (52) matter.""",
)

B_own, B_mixed, B_own_least, least_share = _LETTERS.symbols("B_own B_mixed B_own_least least_share")


def forms(x: Instance) -> Mapping[str, Any]:
    """The smallest B of A.4, at A and at A/p_min, and of the conventional form, in units of the largest pull squared.

    ∇F_k = leanₖ·∇F + pullₖ for 1-D quadratics; all at one A, for all models.
    """
    h, m, p = x["curvature"], x["optimum"], x["share"]
    H, least = (p * h).sum(axis=1, keepdims=True), p.min(axis=1)
    lean, pull = h / H, h * ((p * h * m).sum(axis=1, keepdims=True) / H - m)
    A, size = (lean**2).max(axis=1) * (1 + x["slack"]), (pull**2).max(axis=1) + 1e-300
    own, scaled = ((pull**2 / (1 - lean**2 * by[:, None])).max(axis=1) for by in (1 / A, least / A))
    mixed = (p * pull**2).sum(axis=1) + (p * lean * pull).sum(axis=1) ** 2 / (A - (p * lean**2).sum(axis=1))
    found = {"B_own": own / size, "B_mixed": mixed / size, "B_own_least": scaled / size, "least_share": least}
    return {**found, "magnitude": (own + mixed / least) / size, "admissible": least > 0}


def forms_exact(x: Mapping[str, Any]) -> Checked:
    """The same, client by client."""
    h, m, p, clients = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    H, least = sum(p[k] * h[k] for k in clients), min(p)
    best = sum(p[k] * h[k] * m[k] for k in clients) / H
    lean, pull = [h[k] / H for k in clients], [h[k] * (best - m[k]) for k in clients]
    A, size = max(v * v for v in lean) * (1 + x["slack"]), max(v * v for v in pull)
    own, scaled = (max(pull[k] ** 2 / (1 - lean[k] ** 2 * by / A) for k in clients) for by in (1, least))
    mean = sum(p[k] * lean[k] * pull[k] for k in clients)
    mixed = sum(p[k] * pull[k] ** 2 for k in clients) + mean**2 / (A - sum(p[k] * lean[k] ** 2 for k in clients))
    met = {
        "convex quadratics": min(h) > 0,
        "p positive, of sum 1": sum(p) == 1 and least > 0,
        "A large enough for both forms": max(v * v for v in lean) < A,
        "clients that differ": size > 0,
    }
    found = {"B_own": own / size, "B_mixed": mixed / size, "B_own_least": scaled / size}
    return met, {**found, "least_share": least}


def _forms(least: int = 2, most: int = 300) -> World:
    def at(K: float) -> Case:
        n = int(K)
        drawn = (
            LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
            Signed("optimum", 1e-1, 1e1, (n,)),
            Simplex("share", n, interior=True),
            LogScale("slack", 1e-2, 1e3),
        )
        every = dict.fromkeys(("curvature", "optimum", "share"), 0)
        same = (permuted_clients(every), units({"curvature": (1, -2), "optimum": (0, 1)}))
        return case(f"{n} 1-D clients", Space(drawn), forms, forms_exact, cost=max(1.0, n / 40), symmetries=same)

    if least == most:
        return World(_LETTERS, (at(least),))
    return World(_LETTERS, (Family("1-D clients", (Size("K", least, most, 3),), at),))


D1 = remark(
    "SSA-D1",
    "Appendix A, after Assumption A.4",
    "The modified dissimilarity bound",
    printed=r"""\|\nabla F_k\|^2\le A\|\nabla F\|^2+B\ \forall k\quad\text{against}\quad\sum_kp_k\|\nabla F_k\|^2
        \le A\|\nabla F\|^2+B""",
    plainly="""A.4 modifies the conventional dissimilarity bound slightly, and the modification does not affect the
        convergence rate.""",
    assumes=["1-D convex quadratic clients, all pₖ > 0", "each form for all models; B the smallest for the given A"],
    says=le(B_mixed - B_own, 0),
    world=_forms(),
    readings=[
        reading(
            "A.4 gives the conventional form",
            "With the same A and B.",
            because="""whatever rate the conventional form gives, A.4 gives: the modification «does not affect the
                convergence rate»""",
        ),
        reading(
            "the conventional form gives A.4",
            "Ours: equivalence, with the same A and B.",
            le(B_own - B_mixed, 0),
            ours="""equivalence with the same constants: the print says «slightly modify» and that the rate is not
                affected""",
        ),
        reading(
            "shares bounded below",
            "The conventional form gives A.4 with A/p_min and B/p_min, if every pₖ >= p_min > 0.",
            le(B_own_least - B_mixed / least_share, 0),
            conditions=["p_k >= p_min > 0"],
            edits=["A/p_min and B/p_min in place of A and B"],
        ),
    ],
    mutants=[
        mutant(
            "conventional form with half of B",
            le(B_mixed - B_own / 2, 0),
            """two clients of equal curvature and share have the same gradient at the optimum, so the mean is the
                largest""",
            at(curvature=[1, 1], optimum=[0, -1], share=["1/2", "1/2"], slack=2),
            world=_forms(2, 2),
        )
    ],
    rests_on=["SSA-A4"],
    written="the second condition, that of the conventional assumption",
    verdict="""It holds in the sense that is printed, «does not affect the convergence rate»: A.4 implies the
        conventional form with the same A and B, so whatever rate that form gives A.4 gives. Equivalence would be
        stronger than the print, and it fails: A.4 is the stronger assumption. From the conventional form it follows
        with A/p_min and B/p_min, so the change is slight where all pₖ are comparable. For p one-hot, the paper's own
        example, it is not slight: the conventional form is empty for A >= 1 (F = F₁), while A.4 binds every client with
        pₖ = 0 to the target's gradient.""",
)

CLAIMS: tuple[Claim, ...] = (A4, D1)
