"""App. A, Assumptions A.1 to A.3, and what they exclude."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.settings import OBJECTIVE
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    units,
)
from validation.statement.instances.symmetry import Symmetry
from validation.statement.notation import Notation, Quantity
from validation.world import World, case, definition, le, mutant, reading

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Any]]
_LETTERS = Notation(
    (
        Quantity("L", "L", "largest of the clients' constants", (1, -2), nonnegative=True),
        Quantity("L_least", r"\min_kL_k", "least of them", (1, -2), nonnegative=True),
        Quantity("far2", r"\|x-y\|^2", "squared distance of two points", (0, 2)),
        Quantity("moved2", r"\|\nabla F(x)-\nabla F(y)\|^2", "change of the gradient", (2, -2)),
        Quantity("slope2", r"\|\nabla F(x)\|^2", "squared gradient", (2, -2)),
        Quantity("below_gap", r"F(x)-F_{inf}", "gap to the lower bound", (1, 0)),
        Quantity("here", r"Var\,g(x)", "variance of a sample's gradient", (2, -2)),
        Quantity("there", r"Var\,g(y)", "the same at another point", (2, -2)),
    )
)
L, L_least, far2, moved2, below_gap, slope2 = _LETTERS.symbols("L L_least far2 moved2 below_gap slope2")
here, there = _LETTERS.symbols("here there")
_LENGTHS = units({"curvature": (1, -2), **dict.fromkeys(("optimum", "point", "other"), (0, 1))})


def mixture(x: Instance, *, bounded: bool, free: bool) -> Mapping[str, Any]:
    """F = ΣpₖFₖ of quadratics along common axes at two points: ‖∇F(x) − ∇F(y)‖², ‖x − y‖², ‖∇F(x)‖², F(x) − F_inf.

    `free`: p of any sign, the first one such that they sum to 1. `bounded`: only where F is bounded below.
    """
    h, p = x["curvature"], x["others" if free else "share"]
    p = np.concatenate([1 - p.sum(axis=1, keepdims=True), p], axis=1) if free else p
    H, apart, steepest = (p[..., None] * h).sum(axis=1), x["point"] - x["other"], np.abs(h).max(axis=2)
    found = {"moved2": ((H * apart) ** 2).sum(axis=1), "far2": (apart**2).sum(axis=1)}
    found |= {"L": steepest.max(axis=1), "L_least": steepest.min(axis=1)}
    size = np.abs(p).sum(axis=1) * steepest.max(axis=1)
    if bounded:
        off = x["point"] - (p[..., None] * h * x["optimum"]).sum(axis=1) / H
        found |= {"slope2": ((H * off) ** 2).sum(axis=1), "below_gap": 0.5 * (H * off**2).sum(axis=1)}
        found |= {"admissible": (H > 0).all(axis=1), "resolved": (1e-6 * size[:, None] < H).all(axis=1)}
    return {**found, "magnitude": (size * (np.abs(x["point"]) + np.abs(x["other"])).max(axis=1)) ** 2}


def mixture_exact(x: Mapping[str, Any], *, bounded: bool, free: bool) -> Checked:
    """The same, axis by axis."""
    h, axes, clients = x["curvature"], range(len(x["point"])), range(len(x["curvature"]))
    p = [1 - sum(x["others"]), *x["others"]] if free else x["share"]
    H, rows = [sum(p[k] * h[k][j] for k in clients) for j in axes], [max(abs(v) for v in row) for row in h]
    apart = [a - b for a, b in zip(x["point"], x["other"], strict=True)]
    met = {"sum p_k = 1": sum(p) == 1, "p_k >= 0 where that is asked": free or min(p) >= 0}
    found = {"moved2": sum((H[j] * apart[j]) ** 2 for j in axes), "far2": sum(v * v for v in apart)}
    if bounded:
        met["F bounded below"] = min(H) > 0
        best = [sum(p[k] * h[k][j] * x["optimum"][k][j] for k in clients) / H[j] for j in axes]
        off = [a - b for a, b in zip(x["point"], best, strict=True)]
        found |= {"slope2": sum((H[j] * off[j]) ** 2 for j in axes)}
        found |= {"below_gap": sum(H[j] * off[j] ** 2 for j in axes) / 2}
    return met, {**found, "L": max(rows), "L_least": min(rows)}


def _mixtures(*, bounded: bool = False, free: bool = False) -> World:
    def at(K: float, d: float) -> Case:
        n, dim = int(K), int(d)
        drawn = (
            Signed("curvature", 1e-2, 1e2, (n, dim)),
            Signed("optimum", 1e-2, 1e2, (n, dim)),
            Signed("others", 1e-2, 1e1, (n - 1,)) if free else Simplex("share", n),
            *(Signed(name, 1e-2, 1e3, (dim,)) for name in ("point", "other")),
        )
        every = {"curvature": 0, "optimum": 0, "share": 0}
        same: tuple[Symmetry, ...] = (permuted_clients(every), split_client(every, ("share",)))
        how: dict[str, Any] = {"cost": max(1.0, n / 75), "symmetries": (_LENGTHS, *(() if free else same))}
        name, space = f"{n} quadratics, d = {dim}", Space(drawn)
        return case(name, space, mixture, mixture_exact, **how, bounded=bounded, free=free)

    sizes = (Size("K", 2 if free else 1, 300, 3), Size("d", 1, 8, 2))
    return World(_LETTERS, (Family("quadratics", sizes, at),))


def smooth_again(L: Any, far2: Any) -> Any:
    """The squared distance times the squared constant."""
    return far2 * L * L


def below_again(L: Any, below_gap: Any) -> Any:
    """Twice the gap to the lower bound, times L."""
    return 2 * (below_gap * L)


A1 = definition(
    "SSA-A1",
    "Assumption A.1; used for F in (14)",
    "Smooth clients make a smooth objective",
    printed=r"\|\nabla F_k(\mathbf x)-\nabla F_k(\mathbf y)\|\le L\|\mathbf x-\mathbf y\|\ \text{for some }L",
    plainly="Every client's gradient is L-Lipschitz; (14) uses the same of F = Σpₖ Fₖ.",
    assumes=["one L for all clients", "Σpₖ = 1, the only condition on p in print"],
    says=le(moved2, L**2 * far2, again=smooth_again),
    world=_mixtures(free=True),
    readings=[
        reading(
            "pₖ of any sign",
            "Only Σpₖ = 1; the gradient of F, with the clients' L.",
            cuts={"coefficients": "any sign, sum one"},
            because="«where Σp_k = 1» is all that is printed of p",
        ),
        reading(
            "p on the simplex",
            "Coefficients of a mixture of the clients' distributions.",
            world=_mixtures(),
            conditions=["p_k >= 0"],
            met_by=OBJECTIVE,
        ),
    ],
    mutants=[
        mutant(
            "the least of the clients' constants",
            le(moved2, L_least**2 * far2),
            "with p on the steepest client F is as steep",
            world=_mixtures(),
        )
    ],
    tight="all of p on the client with the steepest axis",
    verdict="""The step from the clients to F, which (14) makes «according to» A.1, needs a condition that is not
        printed: pₖ >= 0. FedAvg's objective pₖ := nₖ and the paper's example, p₁ = 1 and all other pₖ = 0, meet it. A.1
        itself is an assumption about the clients, and there is nothing to judge in it. With coefficients on the simplex
        it follows that F is L-smooth. Of p the paper prints only Σpₖ = 1: with p = (2, −1) and curvatures 1 and −1 the
        objective has curvature 3. That pₖ >= 0 is natural for a target distribution, but it is not written.""",
)

A2 = definition(
    "SSA-A2",
    "Assumption A.2; used in (55)",
    "A lower bound of F",
    printed=r"F(\mathbf w)\ge F_{inf}",
    plainly="F is bounded below; with smoothness ‖∇F‖² is then at most 2L times the gap to the bound.",
    assumes=["A.1, p on the simplex", "clients themselves need not be bounded below"],
    says=le(slope2, 2 * L * below_gap, again=below_again),
    world=_mixtures(bounded=True),
    readings=[
        reading(
            "F bounded below, clients of any curvature",
            "‖∇F(w)‖² <= 2L(F(w) − F_inf), so the gap in T₁ is never negative; F_inf = min F.",
        )
    ],
    mutants=[
        mutant("without the factor 2", le(slope2, L * below_gap), "one client: ‖∇F‖² = h²x² = 2h·(hx²/2)"),
        mutant(
            "the least of the clients' constants",
            le(slope2, 2 * L_least * below_gap),
            "with p on the steepest client its own constant is attained",
        ),
    ],
    tight="one client, along its steepest axis",
    rests_on=["SSA-A1"],
    verdict="""Well posed, and compatible with clients that are not bounded below themselves: only F has to be. The
        search included such clients, up to 300 of them, and found the standard consequence to hold with the clients'
        L.""",
)


def samples(x: Instance, *, alike: bool) -> Mapping[str, Any]:
    """The variance of the gradient of one of n quadratic samples at two points; `alike`: one Hessian."""
    h = np.broadcast_to(x["curvature"][:, :1], x["curvature"].shape) if alike else x["curvature"]
    slopes = [h * (x[at][:, None] - x["optimum"]) for at in ("point", "other")]
    seen = [((s - s.mean(axis=1, keepdims=True)) ** 2).sum(axis=-1).mean(axis=1) for s in slopes]
    found = {"here": seen[0], "there": seen[1], "L": np.abs(h).max(axis=(1, 2))}
    size = sum((s**2).sum(axis=-1).max(axis=1) for s in slopes)
    return {**found, "far2": ((x["point"] - x["other"]) ** 2).sum(axis=1), "magnitude": size}


def samples_exact(x: Mapping[str, Any], *, alike: bool) -> Checked:
    """The same, sample by sample."""
    n, axes = len(x["curvature"]), range(len(x["point"]))
    h = [x["curvature"][0] if alike else row for row in x["curvature"]]

    def variance(w: list[Fraction]) -> Any:
        slopes = [[h[i][j] * (w[j] - x["optimum"][i][j]) for j in axes] for i in range(n)]
        mean = [sum(s[j] for s in slopes) / n for j in axes]
        return sum((s[j] - mean[j]) ** 2 for s in slopes for j in axes) / n

    found = {"here": variance(x["point"]), "there": variance(x["other"]), "L": max(abs(v) for row in h for v in row)}
    return {"a data set": n > 0}, {
        **found,
        "far2": sum((a - b) ** 2 for a, b in zip(x["point"], x["other"], strict=True)),
    }


def _samples(*, alike: bool = False) -> World:
    def at(n: float, d: float) -> Case:
        shape = int(n), int(d)
        drawn = (
            *(Signed(name, 1e-2, 1e2, shape) for name in ("curvature", "optimum")),
            *(Signed(name, 1e-2, 1e3, (shape[1],)) for name in ("point", "other")),
        )
        how: dict[str, Any] = {"cost": max(1.0, n / 75), "symmetries": (_LENGTHS,), "alike": alike}
        return case(f"{shape[0]} samples, d = {shape[1]}", Space(drawn), samples, samples_exact, **how)

    return World(_LETTERS, (Family("mini-batches of one sample", (Size("n", 1, 300, 3), Size("d", 1, 8, 2)), at),))


def near_again(there: Any, L: Any, far2: Any) -> Any:
    """Twice the variance at the other point and twice what L lets it grow."""
    return 2 * there + 2 * far2 * L**2


_EVERYWHERE = le(abs(here - there), 0)
A3 = definition(
    "SSA-A3",
    "Assumption A.3",
    "Bounded variance can be met",
    printed=r"""\mathbb E_\xi[g_k(\mathbf w|\xi)]=\nabla F_k(\mathbf w),\qquad\mathbb E_\xi[\|g_k(\mathbf w|\xi)-\nabla
        F_k(\mathbf w)\|^2]\le\sigma^2""",
    plainly="Mini-batch gradients are unbiased, with one bound on their variance for all clients and all models.",
    assumes=[
        "per client; independence of the clients is added in the proof, below (24)",
        "uniform samples of a data set",
    ],
    says=_EVERYWHERE,
    world=_samples(alike=True),
    readings=[
        reading(
            "all models, samples of one Hessian",
            "The variance of quadratic samples with one Hessian is the same everywhere.",
            part="can be met for all models",
        ),
        reading(
            "models of a bounded set, any samples",
            "At most twice its value at one point and 2L²‖x − y‖² more; the print has no bounded set.",
            le(here, 2 * there + 2 * L**2 * far2, again=near_again),
            world=_samples(),
            part="can be met on a bounded set",
        ),
    ],
    mutants=[
        mutant("unequal Hessians, all models", None, "the gradients of x² and 2x² differ by 2x", world=_samples()),
        mutant(
            "twice the value at one point",
            le(here, 2 * there),
            "the gradients of x² and 2x² agree at 0 only",
            world=_samples(),
        ),
    ],
    tight="one Hessian",
    ours="Assumption A.3 is assumed; that it can be met is our question",
    verdict="""The assumption can be met: on all of ℝᵈ when a client's samples share their Hessian (or the noise is
        added), and on any bounded set for smooth samples. On ℝᵈ the variance of mini-batches with unequal Hessians
        grows without bound. It says nothing of how clients depend on each other; the proof adds independence.""",
)

CLAIMS: tuple[Claim, ...] = (A1, A2, A3)
