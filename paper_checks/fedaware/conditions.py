"""Sec. 4.1, Table 1 and Assumption A.1: what the assumptions ask of quadratic clients, and where they can hold."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.open_points import WEIGHTS
from paper_checks.fedaware.settings import EARLY
from paper_checks.fedaware.vectors import vectors
from theory.exact import dot, weighted_sum
from theory.quantities import pseudo_gradient
from theory.worlds.hull import squares
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
    split_client,
    units,
)
from validation.statement.forms.quotients import n
from validation.world import Order, OrderFamily, World, case, definition, le, mutant, reading

__all__ = ["CLAIMS"]

L, L_least, spread, spread0, far2, change2 = NOTATION.symbols("L L_least spread spread0 far2 change2")
second, largest2, pair_lean, vanishing = NOTATION.symbols("second largest2 pair_lean vanishing")
slopes, slopes2, slope, mean_slope2, sigma, kappa, norm0, reach = NOTATION.symbols(
    "slopes slopes2 slope mean_slope2 sigma kappa norm0 reach"
)
_MANY = Size("N", 1, 300, 3)


def two_points(x: Instance, *, alike: bool = False) -> Mapping[str, Any]:
    """Σλᵢ‖∇fᵢ − ∇f‖² at x and at y (`spread0`), ‖∇f(x) − ∇f(y)‖², and the largest and the least client's L."""
    h, m, lam, at, other = x["curvature"], x["optimum"], x["weights"], x["point"], x["other"]
    slopes = [h * (w[:, None] - m) for w in (at, other)]
    mean, mean0 = (pseudo_gradient(g, lam) for g in slopes)
    here, there = ((lam * squares(g - G[:, None])).sum(axis=1) for g, G in zip(slopes, (mean, mean0), strict=True))
    found = {"spread": here, "spread0": there, "change2": squares(mean - mean0)}
    sizes = dict.fromkeys(found, sum(squares(g).max(axis=1) for g in slopes))
    smooth = np.abs(h).max(axis=2)
    found |= {"L": smooth.max(axis=1), "L_least": smooth.min(axis=1), "far2": squares(at - other)}
    return {**found, "sizes": sizes, "admissible": (h == h[:, :1]).all(axis=(1, 2)) | (not alike)}


def two_points_exact(x: Mapping[str, Any], *, alike: bool = False) -> Checked:
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
    move = [a - b for a, b in zip(weighted_sum(lam, slopes(at)), weighted_sum(lam, slopes(other)), strict=True)]
    met = {
        "lambda on the simplex": sum(lam) == 1 and min(lam) >= 0,
        "equal Hessians where that is asked": not alike or all(u == h[0] for u in h),
    }
    found = {"spread": spread(at), "spread0": spread(other), "change2": dot(move, move)}
    far2 = sum((a - b) ** 2 for a, b in zip(at, other, strict=True))
    return met, {**found, "L": max(smooth), "L_least": min(smooth), "far2": far2}


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


def _points(*, alike: bool = False) -> World:
    def at(N: float, d: float) -> Case:
        size, dim = int(N), int(d)
        space = Space(
            (
                (_Alike if alike else Signed)("curvature", 1e-2, 1e2, (size, dim)),
                Signed("optimum", 1e-2, 1e2, (size, dim)),
                Simplex("weights", size),
                Signed("point", 1e-2, 1e3, (dim,)),
                Signed("other", 1e-2, 1e3, (dim,)),
            )
        )
        every = {"curvature": 0, "optimum": 0, "weights": 0}
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1), "other": (0, 1)}),
            permuted_clients(every),
            split_client(every, ("weights",)),
        )
        name, cost = f"{size} quadratics, d = {dim}", max(1.0, size / 75)
        uses = (dot, weighted_sum)
        return case(name, space, two_points, two_points_exact, uses=uses, cost=cost, symmetries=same, alike=alike)

    return World(NOTATION, (Family("quadratics at two points", (_MANY, Size("d", 1, 8, 2)), at),))


_ANY, _SAME = _points(), le(abs(spread - spread0), 0)
_NEAR = le(spread, 2 * spread0 + 2 * L**2 * far2, again=lambda spread0, L, far2: 2 * (spread0 + L**2 * far2))
_FIXED = le(spread, 2 * spread0)

_UNLIKE = [
    mutant("unequal Hessians", None, "the gradients of x² and 2x² differ by 2x, the more the further out", world=_ANY),
    mutant(
        "twice the value at one point",
        _FIXED,
        "for f₁ = x² and f₂ = 2x² all gradients agree at 0 and nowhere else",
        world=_ANY,
    ),
]

A41 = definition(
    "FA-A4.1",
    "Assumption 4.1, §4.1",
    "Bounded dissimilarity can be met",
    printed=r"\sum_i\lambda_i\mathbb E\|\nabla f_i(x)-\nabla f(x)\|^2\le\sigma_g^2\quad\forall x\in\mathcal X",
    plainly="The clients' gradients differ by a bounded amount.",
    assumes=["𝒳 a subset of ℝᵈ that is not specified", "fᵢ smooth (A4.2): quadratics of either curvature, common axes"],
    says=_SAME,
    world=_points(alike=True),
    readings=[
        reading(
            "𝒳 = ℝᵈ, equal Hessians",
            "The dissimilarity of quadratics with one Hessian is the same everywhere.",
            part="can be met on all of ℝᵈ",
        ),
        reading(
            "𝒳 bounded, any Hessians",
            "At most 2·(its value at x₀) + 2L²‖x − x₀‖².",
            _NEAR,
            world=_ANY,
            part="can be met on a bounded 𝒳",
        ),
    ],
    mutants=_UNLIKE,
    tight="equal Hessians for the first",
    rests_on=["FA-A4.2"],
    verdict="""The assumption is compatible with the others, strong convexity included: on all of ℝᵈ for clients with
        one Hessian, and for any smooth clients on a bounded set. On ℝᵈ with unequal Hessians no finite σ_g exists, and
        which set 𝒳 is meant, and that runs stay in it, the paper does not say. The 𝔼 has nothing to average.""",
)

A42 = definition(
    "FA-A4.2",
    "Assumption 4.2, §4.1",
    "Smooth clients make a smooth objective",
    printed=r"""\|\nabla f_i(x)-\nabla f_i(y)\|\le L\|x-y\|\ \forall i\ \Rightarrow\ \|\nabla f(x)-\nabla f(y)\|\le
        L\|x-y\|""",
    plainly="A weighted mean of L-smooth clients is L-smooth, as the proofs use.",
    assumes=["λ on the simplex", "one L for all clients", "the conclusion, for f, is not printed: the proofs use it"],
    says=le(change2, L**2 * far2, again=lambda L, far2: far2 * L**2),
    world=_ANY,
    readings=[reading("as used", "L = max over clients of the largest curvature; roots squared away.")],
    mutants=[
        mutant(
            "the least of the clients' constants",
            le(change2, L_least**2 * far2),
            "with all weight on the steepest client f is as steep",
        )
    ],
    tight="identical clients along the steepest axis",
    written="what follows «⇒»: the proofs use it",
    verdict="A mean of L-Lipschitz gradients is L-Lipschitz. One L serves all clients; it is the largest of theirs.",
)

A43 = definition(
    "FA-A4.3",
    "Assumption 4.3, §4.1",
    "Bounded variance can be met",
    printed=r"""\mathbb E[\nabla F_i(x,\xi_i)]=\nabla f_i(x),\qquad\mathbb E\|\nabla F_i(x,\xi_i)-\nabla f_i(x)\|^2
        \le\sigma_l^2""",
    plainly="Stochastic gradients are unbiased with a variance bounded over all models.",
    assumes=[
        "x any point of ℝᵈ",
        """a stochastic gradient is that of one sample, drawn with the weights given; samples are quadratics with common
            axes""",
    ],
    says=_SAME,
    world=_points(alike=True),
    readings=[
        reading(
            "samples of one Hessian",
            "The variance is the same at every x: noise that is added to the gradient.",
            part="can be met for all models",
        ),
        reading(
            "samples of any Hessians, bounded set",
            "At most 2·(its value at x₀) + 2L²‖x − x₀‖².",
            _NEAR,
            world=_ANY,
            part="can be met on a bounded set",
        ),
    ],
    mutants=_UNLIKE,
    tight="samples of one Hessian",
    rests_on=["FA-A4.2"],
    verdict="""The gradient of a random sample is unbiased by construction. Its variance is that of additive noise if
        all samples have one Hessian, and then the assumption holds on ℝᵈ; least squares with different inputs has a
        variance that grows like ‖x‖², and needs a bounded set, which is not in the statement.""",
)


def agreeing(x: Instance, *, positive: bool = False) -> Mapping[str, Any]:
    """‖G‖² (`second`), the longest update and the least inner product of two; `positive`: that is above 0."""
    g = x["m"]
    G, largest = squares(pseudo_gradient(g, x["weights"])), squares(g).max(axis=1)
    least = np.einsum("nid,njd->nij", g, g).min(axis=(1, 2)) if positive else np.zeros(len(g))
    found = {"second": G, "largest2": largest, "pair_lean": least}
    sizes = dict.fromkeys(found, largest)
    return {**found, "vanishing": (G == 0).astype(float), "sizes": sizes, "admissible": (least > 0) | (not positive)}


def agreeing_exact(x: Mapping[str, Any], *, positive: bool = False) -> Checked:
    """One round's updates and any weights; the updates agree if every inner product is positive."""
    g, lam = x["m"], x["weights"]
    G = weighted_sum(lam, g)
    found = {"second": dot(G, G), "largest2": max(dot(v, v) for v in g), "vanishing": Fraction(int(dot(G, G) == 0))}
    found["pair_lean"] = min(dot(u, v) for u in g for v in g) if positive else Fraction(0)
    met = {"lambda on the simplex": sum(lam) == 1 and min(lam) >= 0}
    return {**met, "all inner products positive where asked": not positive or found["pair_lean"] > 0}, found


def _positive(N: float, d: float) -> Case:
    size, dim = int(N), int(d)
    space = Space((LogScale("m", 1e-2, 1e2, (size, dim), at=(1e-2, 1.0)), Simplex("weights", size)))
    same = (units({"m": (0, 1)}), permuted_clients({"m": 0, "weights": 0}))
    how: dict[str, Any] = {"uses": (dot, weighted_sum), "cost": max(1.0, size / 40), "symmetries": same}
    name = f"{size} agreeing updates, d = {dim}"
    return case(name, space, agreeing, agreeing_exact, **how, positive=True)


def opposite(T: Fraction) -> tuple[Fraction, Fraction]:
    """|g_1|^2 and |G|^2 in round T of FedAvg, K = 1, eta = 1/2, on (x - 1)^2/2 and (x + 1)^2/2 from x = 1."""
    x = Fraction(1, 2 ** int(T))
    return ((x - 1) / 2) ** 2, (((x - 1) + (x + 1)) / 4) ** 2


_AGREEING = World(NOTATION, (Family("agreeing updates", (Size("N", 1, 100, 3), Size("d", 1, 8, 2)), _positive),))
_OPPOSITE = OrderFamily(
    "two clients pulling apart",
    opposite,
    {"T": n},
    form=n,
    because="the quotient is (2^n − 1)², which is at least n for n >= 1",
)

AA1 = definition(
    "FA-AA.1",
    "Assumption A.1, Appendix A.2",
    "The assumption is mild: updates bounded by the pseudo-gradient",
    printed=r"\mathbb E\|g_i^t\|^2\le\gamma\,\mathbb E\|G^t\|^2,\qquad\forall t\in[T],\ i\in[N],\ \lambda\in\Delta_N",
    plainly="""In every round and for all weights the squared update of each client is at most a constant times the
        squared pseudo-gradient; «a mild assumption».""",
    assumes=[
        "γ is a constant: one number for all rounds, clients and weights",
        "«will not exceed a minor constant in practice»",
    ],
    says=le(vanishing * largest2, 0),
    world=vectors(agreeing, agreeing_exact, "weights", symmetric=False),
    open={"weights": WEIGHTS},
    readings=[
        reading(
            "for all weights",
            "Σλᵢgᵢ = 0 only if all gᵢ = 0, without which no γ exists.",
            options={"weights": "all of the simplex"},
        ),
        # 4ᵗ leaves the floats beyond the grid
        reading(
            "for the weights of the objective, along a run",
            "max‖gᵢ‖²/‖G‖² stays bounded as T grows.",
            Order("upper", (_OPPOSITE,), grid=tuple(2**k for k in range(2, 9))),
            options={"weights": "the applied ones"},
        ),
        reading(
            "updates that agree",
            "⟨gᵢ, gⱼ⟩ >= κ·max‖g‖² for all pairs gives γ = 1/κ, for all weights.",
            le(pair_lean, second, again=lambda second: second * 1.0),
            world=_AGREEING,
            conditions=["⟨gᵢ, gⱼ⟩ >= κ·max‖g‖² for all pairs"],
            met_by=EARLY,
        ),
    ],
    mutants=[
        mutant(
            "γ = 1 for updates that agree",
            le(largest2, second),
            "with all weight on the shorter of two parallel updates the longer one is longer than G",
            world=_AGREEING,
        )
    ],
    tight="equal updates: γ = 1",
    rests_on=["FA-E1"],
    verdict="""A paper may assume what it likes; judged is that the assumption is «mild», with γ «a minor constant in
        practice». That is true only while the updates agree: ⟨gᵢ, gⱼ⟩ >= κ·max‖g‖² for all pairs gives γ = 1/κ. B.2
        describes such updates, of «High cosine values», for the early stage of training; near a point where updates
        balance or are mostly noise they do not agree, not even those of clients of one law. For heterogeneous clients
        no constant serves. For all weights, as the display has it, the shortest point of the hull of the updates is no
        shorter than 1/√γ of the longest update. For the applied weights alone γ grows without bound along every
        noiseless run to a point where the updates balance without vanishing, at two pulling clients with ηL = 1/2 like
        4ᵗ. With one common minimum, early in a run or under enough noise a moderate γ serves. Theorem 4.2, Corollary
        4.1 and (16) rest on one γ for all T.""",
)


def measured(x: Instance, *, best: bool = False, common: bool = False) -> Mapping[str, Any]:
    """Clients on the line: the means of |∇fᵢ| and of its square at x, or at the minimum of f; `common`: one minimum."""
    h, m, p = x["curvature"], x["optimum"], x["weights"]
    m = np.broadcast_to(m[:, :1], h.shape) if common else m
    at = (p * h * m).sum(axis=1) / (p * h).sum(axis=1) if best else x["point"]
    g = h * (at[:, None] - m)
    mean = (p * g).sum(axis=1) * (0.0 if best else 1.0)
    spread = (p * (g - mean[:, None]) ** 2).sum(axis=1)
    return {
        "slopes": (p * np.abs(g)).sum(axis=1),
        "slopes2": (p * g**2).sum(axis=1),
        "slope": np.abs(mean),
        "mean_slope2": mean**2,
        "sigma": np.sqrt(spread) * (1 + x["slack"]),
        "spread": spread,
        "kappa": h.max(axis=1) / h.min(axis=1),
        "norm0": (p * np.abs(h * (x["other"][:, None] - m))).sum(axis=1),
        "reach": h.max(axis=1) * np.abs(at - x["other"]),
        "magnitude": np.abs(h).max(axis=1) * (np.abs(at) + np.abs(m).max(axis=1)),
    }


def measured_exact(x: Mapping[str, Any], *, best: bool = False, common: bool = False) -> Checked:
    """The same at rational points; the root of the dissimilarity is rounded up to a rational sigma."""
    h, m, p = x["curvature"], x["optimum"], x["weights"]
    m = [m[0] for _ in m] if common else m
    clients = range(len(h))
    H = sum(p[i] * h[i] for i in clients)
    at = sum(p[i] * h[i] * m[i] for i in clients) / H if best else x["point"]
    g = [h[i] * (at - m[i]) for i in clients]
    mean = sum(p[i] * g[i] for i in clients)
    spread = sum(p[i] * (g[i] - mean) ** 2 for i in clients)
    scale = 10**18
    root = Fraction(int(Fraction(spread * scale * scale)) + 1, 1)
    low, high = 0, max(1, int(root))
    while low < high:  # the least whole number whose square is at least root
        middle = (low + high) // 2
        low, high = (low, middle) if middle * middle >= root else (middle + 1, high)
    sigma = Fraction(low, scale) * (1 + x["slack"])
    met = {
        "mu > 0": min(h) > 0,
        "weights on the simplex": sum(p) == 1 and min(p) >= 0,
        "sigma^2 at least the dissimilarity": sigma * sigma >= spread,
    }
    return met, {
        "slopes": sum(p[i] * abs(g[i]) for i in clients),
        "slopes2": sum(p[i] * g[i] ** 2 for i in clients),
        "slope": abs(mean),
        "mean_slope2": mean * mean,
        "sigma": sigma,
        "spread": spread,
        "kappa": max(h) / min(h),
        "norm0": sum(p[i] * abs(h[i] * (x["other"] - m[i])) for i in clients),
        "reach": max(h) * abs(at - x["other"]),
    }


def _line(*, best: bool = False, common: bool = False) -> World:
    def at(N: float) -> Case:
        size = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (size,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (size,)),
                Simplex("weights", size),
                Signed("point", 1e-2, 1e3),
                Signed("other", 1e-2, 1e3),
                LogScale("slack", 1e-3, 1.0),
            )
        )
        every = {"curvature": 0, "optimum": 0, "weights": 0}
        same = () if common else (permuted_clients(every), split_client(every, ("weights",)))
        how: dict[str, Any] = {"cost": max(1.0, size / 75), "symmetries": same, "best": best, "common": common}
        return case(f"{size} clients on the line", space, measured, measured_exact, **how)

    return World(NOTATION, (Family("clients on the line", (_MANY,), at),))


def two_slopes(R: Fraction) -> tuple[Fraction, Fraction]:
    """The mean of |grad f_i| at x = R for (x - 1)^2/2 and (x + 1)^2/2, and the constant 1."""
    return (abs(R - 1) + abs(R + 1)) / 2, Fraction(1)


TAB11 = definition(
    "FA-TAB1.1",
    "Table 1, row 1",
    "Gradient dissimilarity",
    printed=r"\mathbb E\|\nabla f_i(x)-\nabla f(x)\|^2\le\sigma_g^2",
    plainly="Bounded dissimilarity bounds the mean square of the local gradients by that of the global one plus σ_g².",
    assumes=["E over the clients with the weights λ of the objective; quadratic clients on the line"],
    says=le(slopes2, mean_slope2 + spread, again=lambda mean_slope2, spread: spread + mean_slope2),
    world=_line(),
    readings=[
        reading("what it says of the local gradients", "𝔼‖∇fᵢ‖² = ‖∇f‖² + dissimilarity, so at most ‖∇f‖² + σ_g².")
    ],
    mutants=[
        mutant(
            "‖∇f‖² dropped", le(slopes2, spread), "identical clients have no dissimilarity and gradients all the same"
        ),
        mutant("σ_g² dropped", le(slopes2, mean_slope2), "at the minimum of f the local gradients do not vanish"),
    ],
    tight="always equal, with the least σ_g",
    rests_on=["FA-A4.1"],
    verdict="""Row 1 is Assumption 4.1 with 𝔼 over clients. With its weights those of the objective it is the same as a
        bound on the mean square of the local gradients with γ = 1. Where a finite σ_g exists is the matter of
        FA-A4.1.""",
)

TAB12 = definition(
    "FA-TAB1.2",
    "Table 1, row 2",
    "Gradient diversity",
    printed=r"\mathbb E\|\nabla f_i(x)\|\le\gamma^2\|\nabla f(x)\|",
    plainly="The mean norm of the local gradients is at most a constant times the norm of the global one.",
    assumes=[
        "E over the clients with the weights λ of the objective; quadratic clients on the line",
        "γ a finite constant",
    ],
    says=le(slopes, 0),
    world=_line(best=True),
    readings=[
        reading(
            "minima of their own",
            "At the minimum of f, where any finite γ asks all local gradients to be 0.",
            ours="""the row defines a measure; that it is finite for clients with minima of their own is not claimed
                (Sec. 4.1 calls such assumptions pessimistic)""",
        ),
        reading(
            "one common minimum, strongly convex clients",
            "γ² = L/μ serves.",
            le(slopes, kappa * slope, again=lambda kappa, slope: slope * kappa),
            world=_line(common=True),
            part="can be met",
            because="as FA-A4.1 and FA-A4.3: a measure is judged by whether it can be met",
        ),
    ],
    mutants=[
        mutant(
            "minima of their own, γ² = L/μ",
            le(slopes, kappa * slope),
            "near the minimum of f the right side vanishes",
            world=_line(),
        )
    ],
    rests_on=["FA-TAB1.1"],
    verdict="""As a measure it can be met: for strongly convex clients with one common minimum γ² = L/μ serves. That is
        interpolation. Where f is stationary the right side is 0, so γ is finite only if every client is stationary
        there too. That it is finite for clients with minima of their own is a stronger statement, ours; the paper calls
        such measures pessimistic. The cited works square both norms. Of single norms that would only change γ² into γ⁴,
        but a mean of squares exceeds the square of the mean: for gradients 0 and 2 of equal shares the mean norm is
        that of the mean, 1, and the mean square is 2.""",
)

TAB13 = definition(
    "FA-TAB1.3",
    "Table 1, row 3",
    "General gradient diversity",
    printed=r"\mathbb E\|\nabla f_i(x)\|\le\gamma^2\|\nabla f(x)\|+\sigma_g^2",
    plainly="""The mean norm of the local gradients is at most a constant times the norm of the global one plus a
        constant.""",
    assumes=[
        "E over the clients with the weights λ of the objective; quadratic clients on the line",
        "σ_g² is printed in all rows, in row 1 for a squared gradient, here for a gradient",
    ],
    says=le(slopes, slope + sigma, again=lambda slope, sigma: sigma + slope),
    world=_line(),
    readings=[
        reading(
            "σ_g a constant of this row",
            "γ = 1 and, in place of σ_g², any number of at least the root of the dissimilarity.",
        ),
        reading(
            "σ_g of row 1",
            "At the minimum of f, where γ does not matter, and σ_g² the dissimilarity there.",
            le(slopes, spread, again=lambda spread: spread * 1),
            world=_line(best=True),
            ours="Sec. 4.1, of this table: «though σ_g's definition is different»",
        ),
    ],
    mutants=[mutant("σ_g dropped", le(slopes, slope), "at the minimum of f the local gradients do not vanish")],
    rests_on=["FA-TAB1.1", "FA-TAB1.2"],
    verdict="""With σ_g² a constant of this row it holds with γ = 1 wherever row 1 does. Sec. 4.1 says so: «σ_g's
        definition is different» from row to row. That the σ_g² of row 1 serves here is a stronger statement, ours, and
        false: left and right then have different units, and shrinking all losses by a factor breaks any such bound.
        Read as usual, with squared norms on both gradients, the rows agree.""",
)

TAB14 = definition(
    "FA-TAB1.4",
    "Table 1, row 4",
    "Bounded gradients",
    printed=r"\mathbb E\|\nabla f_i(x)\|\le\sigma_g^2",
    plainly="The mean norm of the local gradients is bounded.",
    assumes=[
        "E over the clients with the weights λ of the objective; quadratic clients on the line",
        "for which x is not printed",
    ],
    says=Order("upper", (OrderFamily("far from two clients", two_slopes, {"R": n}, degree=1),), variable="R"),
    world=_line(),
    readings=[
        reading(
            "for all x",
            "Two quadratic clients, R from the middle.",
            ours="strongly convex clients on all of ℝᵈ: the row says neither, and Assumption 4.1 has x ∈ 𝒳",
        ),
        reading(
            "on a bounded set",
            "At most its value at x₀ plus L times the distance from x₀.",
            le(slopes, norm0 + reach, again=lambda norm0, reach: reach + norm0),
            part="can be met",
        ),
    ],
    mutants=[mutant("its value at one point", le(slopes, norm0), "one client has no gradient at its own minimum only")],
    rests_on=["FA-TAB1.3"],
    verdict="""On a bounded set, such as the 𝒳 of Assumption 4.1, any smooth clients have bounded gradients. For which x
        the row is meant is not printed. On all of ℝᵈ strongly convex clients never meet it, least squares included, but
        neither they nor all of ℝᵈ are in the print: that reading is ours. Lipschitz losses meet the row everywhere.""",
)

CLAIMS: tuple[Claim, ...] = (A41, A42, A43, AA1, TAB11, TAB12, TAB13, TAB14)
