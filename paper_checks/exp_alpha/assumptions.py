"""Sec. 3.1, Assumptions 1 to 5: curvature of clients and of their means, noise, gradients, and at which models; the sampling.

Client i: ∇fᵢ(w; ξ) = hᵢ((1 + τξ)(w − mᵢ) + σᵢξ'), ξ and ξ' of mean 0 and variance 1, all independent; so its variance is
hᵢ²(τ²(w − mᵢ)² + σᵢ²). Every round: E local steps of size η, then the mean under that round's weights. `step` is
η·max hᵢ·(1 + τ²), at most 1; so no step oversteps even with its noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.drawing import drawn, over, positive, ranging, signed
from paper_checks.exp_alpha.drawn_clients import on_an_axis
from paper_checks.exp_alpha.notation import NOTATION, Coordinates, Plain, Seen
from paper_checks.exp_alpha.one_step import ENDS, bent_gradient, clients_of, curvature_of
from theory.exact import dot, quadratic_gradient
from validation import Case, Instance, LogScale, Signed, Simplex, Switch, symbols
from validation.statement.forms.quotients import n
from validation.world import Order, OrderFamily, World, at, definition, largest, le, mutant, reading

__all__ = ["CLAIMS"]

beyond_sync, beyond_cap, beyond_start, G2 = NOTATION.symbols("beyond_sync beyond_cap beyond_start G2")
G2_sync, grad_beyond_cap, grad_beyond_plain = NOTATION.symbols("G2_sync grad_beyond_cap grad_beyond_plain")
mu, L, here, there, along, distance2, turn = NOTATION.symbols("mu L here there along distance2 turn")

_ROUNDS = 3


def moments(x: Instance, *, E: int) -> Seen:
    """By how much a client's variance at some model visited exceeds that at the aggregated models (`beyond_sync`), at
    the start (`beyond_start`), and hᵢ²(τ²(2D² + max σⱼ²) + σᵢ²) (`beyond_cap`), D the width of start and optima; the
    largest second moments at all models (`G2`) and the aggregated ones; and what of them exceeds caps, with noise or not.
    """
    h, m, s, tau = x["curvature"], x["optimum"], x["sigma"], x.get("tau", np.zeros(len(x["start"])))[:, None]
    q = x["step"][:, None] * h / (h.max(axis=1, keepdims=True) * (1 + tau**2))
    center, shared = x["start"], np.zeros_like(x["start"])
    noise, grad = {"sync": [], "all": []}, {"sync": [], "all": []}  # type: ignore[var-annotated]

    def look(mean: Any, own: Any, *, sync: bool) -> None:
        off = (mean - m) ** 2 + own
        for key in ("sync", "all") if sync else ("all",):
            noise[key].append(h**2 * (tau**2 * off + s**2))
            grad[key].append(h**2 * ((1 + tau**2) * off + s**2))

    for r in range(x["weights"].shape[1]):
        mean, own, kept = np.repeat(center[:, None], h.shape[1], axis=1), shared[:, None], np.ones_like(h)
        for e in range(E):
            look(mean, own, sync=e == 0)
            own = (1 - q) ** 2 * own + q**2 * (tau**2 * ((mean - m) ** 2 + own) + s**2)
            mean, kept = mean - q * (mean - m), kept * (1 - q)
        a = x["weights"][:, r]
        center = (a * mean).sum(axis=1)
        common = kept**2 * shared[:, None]
        shared = (a**2 * (own - common)).sum(axis=1) + (a * kept).sum(axis=1) ** 2 * shared
    look(np.repeat(center[:, None], h.shape[1], axis=1), shared[:, None], sync=True)
    ends = np.concatenate([m, x["start"][:, None]], axis=1)
    width = (ends.max(axis=1) - ends.min(axis=1))[:, None]
    far = 2 * width**2 + s.max(axis=1, keepdims=True) ** 2
    noise_all, grad_all = np.max(noise["all"], axis=0), np.max(grad["all"], axis=0)
    cap, start = h**2 * (tau**2 * far + s**2), h**2 * (tau**2 * (x["start"][:, None] - m) ** 2 + s**2)
    found = {"beyond_sync": (noise_all - np.max(noise["sync"], axis=0)).max(axis=1)}
    found |= {"beyond_cap": (noise_all - cap).max(axis=1), "beyond_start": (noise_all - start).max(axis=1)}
    found |= {"G2": grad_all.max(axis=1), "G2_sync": np.max(grad["sync"], axis=(0, 2))}
    found |= {"grad_beyond_cap": (grad_all - cap - h**2 * far).max(axis=1)}
    return {**found, "grad_beyond_plain": (grad_all - (h * width) ** 2).max(axis=1)}


def moments_exact(x: Seen, *, E: int) -> Plain:
    """By how much E|noise|^2 and E|grad f|^2 exceed bounds, from the raw moments E w_i and E w_i w_j of all pairs."""
    h, m, s, tau = x["curvature"], x["optimum"], x["sigma"], x.get("tau", Fraction(0))
    clients, rounds = range(len(h)), len(x["weights"])
    eta = x["step"] / (max(h) * (1 + tau**2))
    rate = [eta * k for k in h]
    first, pair = x["start"], x["start"] ** 2
    noise: dict[str, list[Any]] = {"sync": [Fraction(0) for i in clients], "all": [Fraction(0) for i in clients]}
    grad: dict[str, list[Any]] = {"sync": [Fraction(0) for i in clients], "all": [Fraction(0) for i in clients]}
    for r in range(rounds + 1):
        mean = [first for i in clients]
        both = [[pair for j in clients] for i in clients]
        for e in range(E if r < rounds else 1):
            off = [both[i][i] - 2 * m[i] * mean[i] + m[i] ** 2 for i in clients]
            for i in clients:
                own = h[i] ** 2 * (tau**2 * off[i] + s[i] ** 2)
                for key in ("sync", "all") if e == 0 else ("all",):
                    noise[key][i] = max(noise[key][i], own)
                    grad[key][i] = max(grad[key][i], own + h[i] ** 2 * off[i])
            if r == rounds:
                break
            keep = [1 - q for q in rate]
            both = [
                [
                    keep[i] * keep[j] * both[i][j]
                    + keep[i] * rate[j] * m[j] * mean[i]
                    + keep[j] * rate[i] * m[i] * mean[j]
                    + rate[i] * rate[j] * m[i] * m[j]
                    + (rate[i] ** 2 * (tau**2 * off[i] + s[i] ** 2) if i == j else 0)
                    for j in clients
                ]
                for i in clients
            ]
            mean = [keep[i] * mean[i] + rate[i] * m[i] for i in clients]
        if r < rounds:
            a = x["weights"][r]
            first = sum(a[i] * mean[i] for i in clients)
            pair = sum(a[i] * a[j] * both[i][j] for i in clients for j in clients)
    width = max([x["start"], *m]) - min([x["start"], *m])
    far = 2 * width**2 + max(s) ** 2
    met = {
        "A1, A2: curvatures positive": min(h) > 0,
        "weights on the simplex in every round": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
        "eta L (1 + tau^2) <= 1": 0 < x["step"] <= 1,
    }
    start = [h[i] ** 2 * (tau**2 * (x["start"] - m[i]) ** 2 + s[i] ** 2) for i in clients]
    cap = [h[i] ** 2 * (tau**2 * far + s[i] ** 2) for i in clients]
    return met, {
        "beyond_sync": max(noise["all"][i] - noise["sync"][i] for i in clients),
        "beyond_cap": max(noise["all"][i] - cap[i] for i in clients),
        "beyond_start": max(noise["all"][i] - start[i] for i in clients),
        "G2": max(grad["all"]),
        "G2_sync": max(grad["sync"]),
        "grad_beyond_cap": max(grad["all"][i] - cap[i] - h[i] ** 2 * far for i in clients),
        "grad_beyond_plain": max(grad["all"][i] - (h[i] * width) ** 2 for i in clients),
    }


def visited(*, additive: bool = False) -> World:
    """Three rounds of any number of clients and local steps; `additive`: τ = 0."""
    tau = () if additive else (LogScale("tau", 1e-2, 1e1, at=(1.0,)),)

    def at(N: int, E: int) -> Case:
        of: Coordinates = (positive("curvature", N, at=ENDS), signed("optimum", N), signed("start"))
        of += (
            positive("sigma", N),
            *tau,
            LogScale("step", 1e-3, 1.0, at=(0.25, 1.0)),
            Simplex("weights", N, (_ROUNDS,)),
        )
        name = f"{N} clients, E = {E}, three rounds, {'additive' if additive else 'model-dependent'} noise"
        return drawn(name, of, moments, moments_exact, scaled={"sigma": (0, 1)}, cost=max(1.0, N * E / 40), E=E)

    return ranging("three rounds of local SGD", at, N=(1, 100, 2), E=(1, 100, 3))


_VISITED = visited()
_ADDITIVE = "additive noise", "the noise does not depend on the model"
_MAY_BE_ADDITIVE = replace(_VISITED, switches=(Switch(*_ADDITIVE, lambda x: {**x, "tau": np.zeros_like(x["tau"])}),))

A3 = definition(
    "EA-A3",
    "Assumption 3 (Sec. 3.1)",
    "Bounded variance",
    printed=r"""\mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t)\|^2\le\sigma_i^2
        \quad\forall i\in\{1,\dots,N\}""",
    plainly="One number bounds the variance of a client's gradient at every model where the proofs use it, the Wᵢᵗ.",
    assumes=[
        "σᵢ² is the largest variance at the models the reading names",
        "strongly convex clients, ηₜL(1 + τ²) <= 1",
    ],
    says=le(beyond_sync, 0),
    world=_VISITED,
    readings=[
        reading(
            "at the aggregated models Wᵗ, as printed",
            """Wᵗ is the paper's letter for the aggregate; the noise may grow with the distance from the client's
                optimum.""",
            world=_MAY_BE_ADDITIVE,
            because="Sec. 2: «the current global model W^t»",
        ),
        reading(
            "at every model visited",
            "A finite σᵢ², the same for all rounds: hᵢ²(τ²(2D² + max σⱼ²) + σᵢ²), D the width of start and optima.",
            le(beyond_cap, 0),
            edits=["W_i^t in place of W^t"],
            token=True,
            forced_by="""A.8 defines g_t = Σρ_i^{t+1}∇f_i(W_i^t; ξ_i^t), ḡ_t = Σρ_i^{t+1}∇F_i(W_i^t), and (23), where A3
                is used, prints the same g_t and ḡ_t with W^t: the index i is dropped in both places""",
        ),
        reading(
            "at the aggregated models, additive noise",
            "The variance is then the same everywhere.",
            world=visited(additive=True),
            conditions=["the noise does not depend on the model"],
            because="no named setting of the paper has additive noise",
        ),
    ],
    mutants=[
        mutant(
            "at the start only",
            le(beyond_start, 0),
            "a client that starts at its optimum is carried away, and its noise grows",
        )
    ],
    tight="additive noise",
    verdict="""A slip of a letter: Wᵗ is printed, which elsewhere is the aggregated model, and the proofs use the bound
        at the local models Wᵢᵗ, as A.8 prints them. Taken at the aggregated models alone the bound does not reach the
        local ones: where the noise depends on the model, as with least squares on random data, these can scatter more
        within a round, and their variance passes it. At every model visited it can be met by strongly convex clients
        with a constant that does not grow with the number of rounds; with additive noise the question does not arise.
        The display of (23) has Wᵗ too.""",
)


def second_moment(distance: Any, mu: Any, sigma: Any) -> tuple[Fraction, Fraction]:
    """E |grad f|^2 of a client of curvature mu, at this distance from its optimum, noise variance sigma^2; against 1."""
    return Fraction((mu * distance) ** 2 + sigma**2), Fraction(1)


def linear_moment(distance: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """E |grad f|^2 of a client of curvature mu without noise, against the distance."""
    return Fraction((mu * distance) ** 2), Fraction(distance)


def _bounded(name: str, moment: Callable[..., Any], form: Any, because: str, **fixed: tuple[Any, ...]) -> Order:
    """A second moment is at most a constant times what stands beside it, however far from the client's optimum."""
    family = OrderFamily(name, moment, {"distance": n}, fixed, form=form, because=because)
    return Order("upper", (family,), variable="distance", may_depend_on=tuple(fixed))


_STRONGLY = "strong convexity: ‖∇Fᵢ(W)‖ >= μ‖W − Wᵢ*‖, with equality for curvature μ; the noise only adds to it"
_MU = symbols("mu", positive=True)
_SOME: dict[str, tuple[Any, ...]] = {"mu": (Fraction(1, 10), 1, 10), "sigma": (0, 1)}
_EVERYWHERE = _bounded("away from the client's optimum", second_moment, _MU**2 * n**2, _STRONGLY, **_SOME)

A4 = definition(
    "EA-A4",
    "Assumption 4 (Sec. 3.1)",
    "Bounded gradients",
    printed=r"\mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)\|^2\le G^2\quad\forall i\in\{1,\dots,N\}",
    plainly="One number bounds the second moments of all stochastic gradients where the proofs use them, at the Wᵢᵗ.",
    assumes=["A1, A2", "G² is the largest second moment at the models the reading names", "ηₜL(1 + τ²) <= 1"],
    says=_EVERYWHERE,
    world=_VISITED,
    readings=[
        reading(
            "at every point of space, as A1 and A2 are",
            "Some G bounds the gradients of a strongly convex client everywhere.",
            ours="""A4 prints the iterate W^t, where A1 and A2 print «∀W, V»: a bound on all of space is a stronger
                statement, which strong convexity excludes""",
        ),
        reading(
            "at the aggregated models Wᵗ, as printed",
            "Wᵗ is the paper's letter for the aggregate; three rounds with full or noisy gradients.",
            le(G2, G2_sync),
            world=_MAY_BE_ADDITIVE,
            because="Sec. 2: «the current global model W^t»",
        ),
        reading(
            "at every model visited",
            """A finite G², the same for all rounds: hᵢ²((1 + τ²)(2D² + max σⱼ²) + σᵢ²), D the width of start and
                optima.""",
            le(grad_beyond_cap, 0),
            edits=["W_i^t in place of W^t"],
            token=True,
            forced_by="""the proof of Lemma 5, where A4 is used, prints E‖∇f_i(W_i^j; ξ_i^j)‖² ≤ G²; A.8 prints
                ∇f_i(W_i^t; ξ_i^t)""",
        ),
    ],
    mutants=[
        mutant(
            "the bound of full gradients",
            le(grad_beyond_plain, 0),
            "at its optimum a client has second moment hᵢ²σᵢ² > 0, and the width may be 0",
        ),
        mutant(
            "squared distance bounded by the distance",
            _bounded(
                "away from the optimum", linear_moment, _MU**2 * n, "(μ·distance)²/distance = μ²·distance", mu=(1, 10)
            ),
            "the second moment grows with the square of the distance",
        ),
    ],
    rests_on=["EA-A1", "EA-A2"],
    repeats="EA-A3",
    verdict="""The same slip as in A3: Wᵗ for Wᵢᵗ, the models at which Lemmas 3 and 5 use it. At every model visited the
        assumption can be met: with steps of at most 1/(L(1 + τ²)) the iterates stay near the optima, and a G² exists
        that does not grow with the number of rounds; it depends on step size, start and noise, though, and is no
        constant of the problem. On all of space it could not hold beside A1, since ‖∇Fᵢ(W)‖ >= μ‖W − Wᵢ*‖ grows without
        limit; the paper does not ask for that. All checks of this paper take G² over the models visited.""",
)


def two_points(x: Instance, *, concave: bool) -> Seen:
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
    found = {"mu": small, "L": large, "here": (a * losses[1]).sum(axis=1), "there": (a * losses[0]).sum(axis=1)}
    found |= {"along": (step * at_v).sum(axis=-1), "distance2": (step**2).sum(axis=-1)}
    return {**found, "turn": ((at_w - at_v) ** 2).sum(axis=-1)}


def two_points_exact(x: Seen, *, concave: bool) -> Plain:
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
    found = {"mu": min(curves), "L": max(x["spectrum"][0]) if concave else max(curves), "here": loss(V)}
    found |= {"there": loss(W), "along": dot(step, mean(V)), "distance2": dot(step, step), "turn": dot(turned, turned)}
    return met, found


def _pair(N: int, d: int, *, bent: bool = False, concave: bool = False) -> Case:
    curves: Coordinates = (positive("spectrum", N, d, at=ENDS), Signed("mirror", 1e-2, 1.0, (N, d)))
    curves = (positive("low", N, at=ENDS), positive("high", N, at=ENDS)) if bent else curves
    of = (*curves, signed("optimum", N, d), Simplex("weights", N), signed("W", d), signed("V", d))
    told: dict[str, Any] = {"cost": max(1.0, N * d / 20), "permuted": not concave, "concave": concave}
    return drawn(f"{N} {'bent' if bent else 'quadratic'} clients, d = {d}", of, two_points, two_points_exact, **told)


def _points(most: int, usual: int, *bent: int) -> World:
    plain = ranging("quadratic clients", _pair, N=(1, most, usual), d=(1, 8, 2))
    return over(plain, *(_pair(n, 1, bent=True) for n in bent))


_ONE, _MEAN = _points(1, 1, 1), _points(300, 3, 2, 5)
# Each term on the side where it is positive.
_UP, _DOWN = largest(along, 0), largest(-along, 0)


_ABOVE = le(here + _UP + mu / 2 * distance2, there + _DOWN, again=lambda there, along: there + (abs(along) - along) / 2)
_LIPSCHITZ = le(turn, L**2 * distance2)

A1 = definition(
    "EA-A1",
    "Assumption 1 (Sec. 3.1)",
    "Strong convexity",
    printed=r"""F_i(\mathbf W)-F_i(\mathbf V)\ge(\mathbf W-\mathbf V)^T\nabla F_i(\mathbf V)+\tfrac\mu2\|\mathbf W-
        \mathbf V\|_2^2\quad\forall\mathbf W,\mathbf V""",
    plainly="Clients of curvature at least μ lie above their parabolas of curvature μ, and so does every mean of them.",
    assumes=["curvatures at least μ > 0"],
    says=_ABOVE,
    world=_MEAN,
    readings=[
        reading(
            "each client",
            """Quadratic in any basis, and bent ones, with the smallest curvature as μ; each term on the side where it
                is positive.""",
            world=_ONE,
            part="each client",
        ),
        reading(
            "every weighted mean of clients",
            "F = ΣρᵢFᵢ for any weights, μ the smallest curvature of all.",
            part="every weighted mean",
        ),
    ],
    mutants=[
        mutant(
            "L in place of μ",
            le(here + _UP + L / 2 * distance2, there + _DOWN),
            "a client of two curvatures lies below the parabola of the larger one",
        )
    ],
    tight="W − V along an axis of curvature μ",
    verdict="""A definition; the clients used as examples meet it everywhere, with the constant that the checks compute,
        and it passes to every weighted mean, as Σρᵢ(·) in the proofs and F(W*) need. With A2 it asks for μ <= L. The
        proofs call it «Assump. 2» and A2 «Assump. 1». With A4 read on all of space it cannot hold (EA-A4).""",
)

A2 = definition(
    "EA-A2",
    "Assumption 2 (Sec. 3.1)",
    "Smoothness",
    printed=r"""F_i(\mathbf W)-F_i(\mathbf V)\le(\mathbf W-\mathbf V)^T\nabla F_i(\mathbf V)+\tfrac L2\|\mathbf W-
        \mathbf V\|_2^2\quad\forall\mathbf W,\mathbf V""",
    plainly="Clients of curvature at most L lie below parabolas of curvature L; their gradients are L-Lipschitz.",
    assumes=["curvatures at most L", "A1 for the second reading"],
    says=le(
        there + _DOWN,
        here + _UP + L / 2 * distance2,
        again=lambda here, along, L, distance2: (abs(along) + along) / 2 + here + distance2 * L / 2,
    ),
    world=_MEAN,
    readings=[
        reading(
            "the printed inequality",
            """Each client and every weighted mean, with the largest curvature as L; each term on the side where it is
                positive.""",
            part="the printed inequality",
        ),
        reading(
            "«L-smooth»: gradients L-Lipschitz",
            "What the word usually means; squared, for clients that meet A1 too.",
            _LIPSCHITZ,
            part="the word «L-smooth»",
            because="""A1 is a standing assumption of both theorems, so that the one-sided inequality is smoothness in
                the usual sense""",
        ),
    ],
    mutants=[
        mutant(
            "μ in place of L",
            le(there + _DOWN, here + _UP + mu / 2 * distance2),
            "a client of two curvatures lies above the parabola of the smaller one",
        ),
        mutant(
            "A1 dropped, gradients L-Lipschitz",
            _LIPSCHITZ,
            """a concave function of curvature −100 lies below every parabola of curvature L > 0; its gradient is
                100-Lipschitz""",
            world=over(*(_pair(2, d, concave=True) for d in (1, 2))),
        ),
    ],
    tight="W − V along an axis of curvature L",
    rests_on=["EA-A1"],
    verdict="""A definition; the examples meet it with the largest curvature. The printed inequality bounds a function
        from above only: by itself it admits concave functions of any curvature and is not the usual L-smoothness.
        Together with A1 it is, and the theorems always have both. For L < μ no function meets A1 and A2.""",
)

_UNBIASED = le(NOTATION.symbols("off"), 0)
_EQUAL = Switch(
    "equal weights", "ρᵢ = 1/N", lambda x: {**x, "weights": np.full_like(x["weights"], 1 / x["weights"].shape[1])}
)

A5 = definition(
    "EA-A5",
    "Assumption 5 (A.12), eq. (25); Algorithm 1 (A.2)",
    "Sampling K clients by their weights",
    printed=r"""\mathcal S^{t+1}\text{: }K\text{ draws from }\{\rho_i^{t+1}\}\text{ with replacement},
        \quad\mathbf W_i^{t+1}=\frac1K\sum_{i=1}^K\mathbf V_i^{t+1}\ (t+1\in\mathcal I_E),\qquad\mathbb
        E_s[\tilde{\mathbf W}^{t+1}]=\sum_{i=1}^N\rho_i^{t+1}\mathbf V_i^{t+1}""",
    plainly="""The sampled aggregate is on average the weighted mean of all clients, which is what the assumption is
        for.""",
    assumes=["probabilities ρᵢᵗ⁺¹ on the simplex", "1 <= K"],
    says=_UNBIASED,
    world=on_an_axis("by weight"),
    readings=[
        reading(
            "i in (25) a client, from 1 to K",
            "To the letter: V_i is client i's model everywhere else in the paper.",
            world=on_an_axis("the first"),
            ours="""nobody would defend it: the sentence before it draws K clients «repeatedly for K times with
                replacement», and the proof of Lemma 4 prints E_s[V_i^{t+1}] = Σρ_i^{t+1}V_i^{t+1}""",
        ),
        reading("i in (25) the number of a draw", "As the sentence before it describes."),
        reading(
            "the clients that Algorithm 1 selects",
            "K different clients chosen uniformly, weights divided by their sum.",
            world=replace(on_an_axis("subsets", most=12), switches=(_EQUAL,)),
            ours="another scheme: Assumption 5 prints its own sampling, nowhere said to be Algorithm 1's",
        ),
    ],
    mutants=[
        mutant(
            "1/K dropped",
            None,
            "the sum of K draws has K times the mean of one",
            at(weights=[1, 0, 0], local=[-1, 0, 0]),
            world=on_an_axis("by weight, not divided"),
        )
    ],
    rests_on=["EA-D3", "EA-ALG1"],
    verdict="""With i the number of a draw, as the sentence before it says, the aggregate is unbiased, for whatever
        weights; the formula reuses the letter that numbers clients. Another matter is that Algorithm 1, which the
        experiments run, selects K different clients, weighs them by Exp-α and divides by the sum of the chosen weights;
        with uniform selection that is another aggregate on average, unless the weights are equal or K = N. So Theorem 2
        is about another sampling than the one run. With ρᵢ as probabilities the weights enter once, through the draw;
        drawn clients are then averaged plainly.""",
)

CLAIMS = (A3, A4, A1, A2, A5)
