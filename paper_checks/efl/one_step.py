"""One step in the proof of Theorem 1, (31) to (40): how it is split, and the bounds of its terms.

Quadratic clients, ω̄ and every local model anywhere, as offsets from ω*; any activity, any step size.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.notation import NOTATION
from validation import Case, Claim, Family, Instance, Size, permuted_clients, split_client, symbols, units
from validation.statement.forms.vectors import inner, square, vectors
from validation.statement.instances.draw import LogScale, Signed, Simplex, Space, Uniform
from validation.world import Domain, Parameter, VectorInequality, World, case, eq, le, mutant, reading, step

__all__ = ["CLAIMS"]

eta, mu, L, theta, before, far, apart, slopes, above, gap = NOTATION.symbols(
    "eta mu L theta before far apart slopes above gap"
)
own_slope, own_far, own_above, own_gap, own_inner = NOTATION.symbols("own_slope own_far own_above own_gap own_inner")
push2, push2_jensen, B1, A1, A2 = NOTATION.symbols("push2 push2_jensen B1 A1 A2")


def one_step(x: Instance) -> Mapping[str, Any]:
    """Every quantity of (33) to (39); `own_…` of the first client, 0 where it rests."""
    h, m, share, v, u = x["curvature"], x["optimum"], x["share"], x["local"], x["virtual"]
    active = (x["active"] >= 0.5).astype(float)
    p = share * x["coefficient"]
    best = (share[..., None] * h * m).sum(axis=1) / (share[..., None] * h).sum(axis=1)
    off = best[:, None] - m
    g = h * (v + off)
    excess, gaps = 0.5 * (h * (v + off) ** 2).sum(axis=2), 0.5 * (h * off**2).sum(axis=2)
    L, mu = h.max(axis=(1, 2)), h.min(axis=(1, 2))
    eta, w, first = x["step"] / L, p * active, active[:, 0]
    push = (w[..., None] * g).sum(axis=1)
    norm, away = (g**2).sum(axis=2), (v**2).sum(axis=2)
    known = {
        "eta": eta,
        "mu": mu,
        "L": L,
        "theta": (1 + x["slack"]) * x["coefficient"].max(axis=1),
        "before": (u**2).sum(axis=1),
        "far": (w * away).sum(axis=1),
        "apart": (w * ((u[:, None] - v) ** 2).sum(axis=2)).sum(axis=1),
        "slopes": (w * norm).sum(axis=1),
        "above": (w * excess).sum(axis=1),
        "gap": (w * gaps).sum(axis=1),
        "push2": (push**2).sum(axis=1),
        "push2_jensen": (p * x["coefficient"] * active * norm).sum(axis=1),
        "B1": -2 * eta * (u * push).sum(axis=1),
        "A1": ((u - eta[:, None] * push) ** 2).sum(axis=1),
        "own_slope": first * norm[:, 0],
        "own_far": first * away[:, 0],
        "own_above": first * excess[:, 0],
        "own_gap": first * gaps[:, 0],
        "own_inner": first * (v[:, 0] * g[:, 0]).sum(axis=1),
    }
    sums = known["before"] + known["apart"] + 2 * eta * (known["above"] + known["gap"] + mu * known["far"])
    own = known["own_above"] + known["own_gap"] + mu * known["own_far"]
    return {**known, "sizes": {"A1": sums, "B1": sums, "own_inner": own}}


def one_step_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every quantity of (33)-(39) for quadratic clients; models are given as offsets from the minimiser w*."""
    h, m, share, clients = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    dims = range(len(x["virtual"]))
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    eta, p = x["step"] / L, [share[k] * x["coefficient"][k] for k in clients]
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    virtual = [best[i] + x["virtual"][i] for i in dims]
    local = [[best[i] + x["local"][k][i] for i in dims] for k in clients]
    g = [[h[k][i] * (local[k][i] - m[k][i]) for i in dims] for k in clients]
    on = [1 if x["active"][k] >= Fraction(1, 2) else 0 for k in clients]

    def loss(k: int, at: Any) -> Any:
        return sum(h[k][i] * (at[i] - m[k][i]) ** 2 for i in dims) / 2

    def mean(values: Any) -> Any:
        return sum(p[k] * on[k] * values[k] for k in clients)

    push = [mean([g[k][i] for k in clients]) for i in dims]
    norms = [sum(v * v for v in g[k]) for k in clients]
    first = [local[0][i] - best[i] for i in dims]
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
    }
    return met, {
        "eta": eta,
        "mu": mu,
        "L": L,
        "theta": (1 + x["slack"]) * max(p[k] / share[k] for k in clients),
        "before": sum((virtual[i] - best[i]) ** 2 for i in dims),
        "far": mean([sum((local[k][i] - best[i]) ** 2 for i in dims) for k in clients]),
        "apart": mean([sum((local[k][i] - virtual[i]) ** 2 for i in dims) for k in clients]),
        "slopes": mean(norms),
        "above": mean([loss(k, local[k]) for k in clients]),
        "gap": mean([loss(k, best) for k in clients]),
        "push2": sum(v * v for v in push),
        "push2_jensen": sum(p[k] ** 2 / share[k] * on[k] * norms[k] for k in clients),
        "B1": -2 * eta * sum((virtual[i] - best[i]) * push[i] for i in dims),
        "A1": sum((virtual[i] - eta * push[i] - best[i]) ** 2 for i in dims),
        "own_slope": on[0] * norms[0],
        "own_far": on[0] * sum(v * v for v in first),
        "own_above": on[0] * loss(0, local[0]),
        "own_gap": on[0] * loss(0, best),
        "own_inner": on[0] * sum(first[i] * g[0][i] for i in dims),
    }


def _steps(*, first: bool = False) -> World:
    """Steps of all sizes; `first`: the first client alone is looked at."""

    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                LogScale("coefficient", 1e-2, 1e2, (n,), at=(1.0,)),
                LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
                Uniform("active", 0.0, 1.0, (n,)),
                Signed("virtual", 1e-2, 1e2, (dim,)),
                Signed("local", 1e-2, 1e2, (n, dim)),
                LogScale("step", 1e-4, 1e1, at=(1e-2, 0.5, 1.0)),
            )
        )
        every = dict.fromkeys(("curvature", "optimum", "share", "coefficient", "active", "local"), 0)
        same: tuple[Any, ...] = (
            units({"curvature": (1, -2), **dict.fromkeys(("optimum", "virtual", "local"), (0, 1))}),
        )
        if not first:
            same = (*same, permuted_clients(every), split_client(every, ("share",)))
        cost = max(1.0, n * dim / 40)
        return case(f"{n} clients, d = {dim}", space, one_step, one_step_exact, cost=cost, symmetries=same)

    sizes = (Size("N", 1, 300, 2), Size("d", 1, 8, 1))
    return World(NOTATION, (Family("quadratic clients, models anywhere", sizes, at),))


_STEPS, _OWN = _steps(), _steps(first=True)


def cross_term(x: Instance, *, sees: bool) -> Mapping[str, Any]:
    """Mean of the cross term A₂ for one client with two-point noise and activity that may know which point it was."""
    p, eta, slope, u, r, size = (x[name] for name in ("coefficient", "step", "slope", "virtual", "rare", "noise"))
    q, on = 1 / (1 + r**2), (x["active"] >= 0.5).astype(float)
    points = ((q, r * size, on[:, 0]), (1 - q, -size / r, on[:, int(sees)]))
    parts = [c * (u - eta * p * a * slope) * (-p * a * n) for c, n, a in points]
    return {"A2": sum(parts), "sizes": {"A2": sum(np.abs(v) for v in parts) + np.abs(u * p * size)}}


def cross_term_exact(x: Mapping[str, Any], *, sees: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E[A_2], A_2 = (u - eta p a b)(p a b - p a (b + n)), over the two outcomes of the batch."""
    p, r, b = x["coefficient"], x["rare"], x["slope"]
    mean, noise = Fraction(0), Fraction(0)
    for index, chance, n in ((0, 1 / (1 + r * r), r * x["noise"]), (1, r * r / (1 + r * r), -x["noise"] / r)):
        a = 1 if x["active"][index if sees else 0] >= Fraction(1, 2) else 0
        mean = mean + chance * (x["virtual"] - x["step"] * p * a * b) * (p * a * b - p * a * (b + n))
        noise = noise + chance * n
    return {"E g = g_bar": noise == 0}, {"A2": mean}


def _crossed(*, sees: bool = False) -> World:
    space = Space(
        (
            LogScale("coefficient", 1e-2, 1e1, at=(1.0,)),
            LogScale("step", 1e-2, 1e1, at=(1.0,)),
            Signed("slope", 1e-2, 1e1),
            Signed("virtual", 1e-2, 1e1),
            Signed("noise", 1e-2, 1e1),
            LogScale("rare", 1.0, 30.0, at=(1.0,)),
            Uniform("active", 0.0, 1.0, (2,)),
        )
    )
    return World(NOTATION, (case("one client, two outcomes", space, cross_term, cross_term_exact, sees=sees),))


u, g, b, w, o, p1, p2, k1, k2, _a = symbols("u g b w o p1 p2 k1 k2 alpha", positive=True)
_EXPANDED = (u - eta * b) ** 2 + eta**2 * (b - g) ** 2
_x, _y = vectors("x y")

E31 = step(
    "EFL-E31",
    "Eq. (31), A.2.1",
    "Expansion of one step",
    printed=r"""\|\overline\omega_{\tau E+j+1}-\omega^*\|^2=\|\overline\omega_{\tau E+j}-\omega^*-\eta_\tau\Sigma p
        \alpha\overline g\|^2+\eta_\tau^2\|\Sigma p\alpha(\overline g-g)\|^2+2\eta_\tau\langle\overline\omega_{\tau E+
        j}-\omega^*-\eta_\tau\Sigma p\alpha\overline g,\Sigma p\alpha(\overline g-g)\rangle""",
    plainly="One virtual step splits into the full-gradient step, the noise and their cross term.",
    assumes=["one coordinate; both sides are sums over coordinates", "u = ω̄ − ω*, g = Σpαg, b = Σpαḡ"],
    says=eq((u - eta * g - eta * b + eta * b) ** 2, _EXPANDED + 2 * eta * (u - eta * b) * (b - g)),
    readings=[reading("as printed", "First member with +ηb − ηb, last line expanded.")],
    mutants=[
        mutant(
            "g − ḡ in the cross term",
            eq((u - eta * g) ** 2, _EXPANDED + 2 * eta * (u - eta * b) * (g - b)),
            "the sides differ by 4η(u − ηb)(b − g)",
        )
    ],
    rests_on=["EFL-E14"],
    verdict="The square of a sum, after ηΣpαḡ is added and subtracted.",
)

E32 = step(
    "EFL-E32",
    "Eq. (32), A.2.1 (no body in the transcription; from (34), (35), (39) and the sentence before it)",
    "Split of A₁, and E[A₂] = 0",
    printed=r"""A_1=\|\overline\omega_{\tau E+j}-\omega^*-\eta_\tau\Sigma p\alpha\overline g\|^2=
        \|\overline\omega_{\tau E+j}-\omega^*\|^2+B_1+B_2,\qquad\mathbb E_\xi[A_2]=0""",
    plainly="""The full-gradient step splits into distance, inner product and squared gradient; the cross term has mean
        0.""",
    assumes=[
        "one coordinate; both sides are sums over coordinates",
        "B₁ = −2η⟨ω̄ − ω*, Σpαḡ⟩, B₂ = η²‖Σpαḡ‖²",
        "E_ξ g = ḡ",
    ],
    says=eq((u - eta * b) ** 2, u**2 - 2 * eta * u * b + eta**2 * b**2),
    readings=[
        reading("the split", "The square of a difference.", part="the split of A₁"),
        reading(
            "E[A₂] = 0, activity fixed before the batches",
            "p and α given.",
            eq(A2, 0),
            world=_crossed(),
            part="E[A₂] = 0",
        ),
        reading(
            "E[A₂] = 0, activity depends on the batches",
            "Stronger than the print: α follows the batch of its step, and the mean is taken over both.",
            eq(A2, 0),
            world=_crossed(sees=True),
            part="E[A₂] = 0",
            cuts={"activity": "sees the batches"},
            sees="after the step",
            ours="""E_ξ takes p and α as given throughout (they stand outside it in (27) to (30) and (49)); only (64)
                averages over p and s""",
        ),
    ],
    mutants=[
        mutant(
            "B₁ without its factor 2",
            eq((u - eta * b) ** 2, u**2 - eta * u * b + eta**2 * b**2),
            "the sides differ by ηub",
        )
    ],
    rests_on=["EFL-E31"],
    written="the right side of A₁, whose display has no body in our text of the paper",
    verdict="""The split is an identity, and E[A₂] = 0 holds for activity given before the batches, as E_ξ takes p and α
        throughout. The display (32) has no body in the transcription; the split tested here is put together from (31),
        (34), (35) and (39), and so is ours. A stronger statement fails: if a client's step is done or not according to
        its batch, and the mean is taken over that too, the active gradients are biased and E[A₂] is not 0. That mean is
        ours; the print averages over p and s only in (64), while it assumes no correlations of the activity.""",
)

E33 = step(
    "EFL-E33",
    "Eq. (33), A.2.1",
    "Gradient against excess loss",
    printed=r"""\|\alpha_{\tau E+j}^k\overline g_{\tau E+j}^k\|^2\le2L(\widetilde F_k(\omega_{\tau E+j}^k)-\widetilde
        F_k^*)\alpha_{\tau E+j}^k""",
    plainly="The squared gradient of an L-smooth function is at most 2L times its excess over its minimum.",
    assumes=["A1", "α in {0, 1}"],
    says=le(own_slope, 2 * L * own_above),
    world=_OWN,
    readings=[reading("as printed", "Quadratic clients, any point.")],
    mutants=[
        mutant(
            "factor 2 dropped",
            le(own_slope, L * own_above),
            """curvature L everywhere attains the printed
                                                                          factor""",
        )
    ],
    tight="ω − m along the largest curvature",
    rests_on=["EFL-A1"],
    verdict="Standard for smooth functions that have a minimum; attained by quadratics of curvature L.",
)

E34 = step(
    "EFL-E34",
    "Eq. (34), A.2.1",
    "Bound of B₂",
    printed=r"""B_2=\eta_\tau^2\Big\|\sum_kp_\tau^k\alpha_{\tau E+j}^k\overline g_{\tau E+j}^k\Big\|^2
        \le\eta_\tau^2\sum_k\frac{(p_\tau^k)^2}{p^k}\|\alpha_{\tau E+j}^k\overline g_{\tau E+j}^k\|^2\le2L
        \theta\eta_\tau^2\sum_kp_\tau^k(\widetilde F_k(\omega_{\tau E+j}^k)-\widetilde F_k^*)\alpha_{\tau E+j}^k""",
    plainly="The squared averaged gradient is at most 2Lθη² times the weighted excess losses.",
    assumes=["A1", "A5: p_τᵏ < θpᵏ", "Σpᵏ = 1", "searched on quadratic clients"],
    says=le(eta**2 * push2, eta**2 * push2_jensen),
    world=_STEPS,
    readings=[
        reading("first to middle member", "Jensen with the weights pᵏ.", part="first to middle member"),
        reading(
            "first to last member",
            "With (33) and A5.",
            le(eta**2 * push2, 2 * L * theta * eta**2 * above),
            part="first to last member",
        ),
    ],
    mutants=[
        mutant(
            "θ dropped",
            le(eta**2 * push2, 2 * L * eta**2 * above),
            "one client with p above its share: the left side has p², the right side p",
        )
    ],
    tight="one client of curvature L and θ = p_τᵏ/pᵏ, which A5 allows only in the limit",
    rests_on=["EFL-E33", "EFL-A5"],
    verdict="Jensen's inequality for the shares pᵏ, then (33) and p_τᵏ <= θpᵏ; no violation.",
)

E35 = step(
    "EFL-E35",
    "Eq. (35), A.2.1",
    "Split of B₁",
    printed=r"""B_1=-2\eta_\tau\langle\overline\omega_{\tau E+j}-\omega^*,\Sigma p\alpha\overline g\rangle=-2
        \eta_\tau\sum_kp_\tau^k\langle\overline\omega_{\tau E+j}-\omega_{\tau E+j}^k,\alpha\overline g^k\rangle-2
        \eta_\tau\sum_kp_\tau^k\langle\omega_{\tau E+j}^k-\omega^*,\alpha\overline g^k\rangle""",
    plainly="The inner product splits at the local models.",
    assumes=[
        "one coordinate; both sides are sums over coordinates",
        "two clients at k1, k2; g, b their active full gradients, w = ω̄, o = ω*",
    ],
    says=eq(
        -2 * eta * (w - o) * (p1 * g + p2 * b),
        -2 * eta * (p1 * (w - k1) * g + p2 * (w - k2) * b) - 2 * eta * (p1 * (k1 - o) * g + p2 * (k2 - o) * b),
    ),
    readings=[reading("as printed", "Linear in the first argument.")],
    mutants=[
        mutant(
            "second sum with +",
            eq(-2 * eta * (w - o) * p1 * g, -2 * eta * p1 * (w - k1) * g + 2 * eta * p1 * (k1 - o) * g),
            "the sides differ by 4ηp₁(k₁ − o)g",
        )
    ],
    rests_on=["EFL-E32"],
    verdict="Adding and subtracting the local model, for each client by itself: two stand for any number.",
)

_e = symbols("eta", positive=True)
_DOMAIN = Domain((Parameter("eta", 0), Parameter("alpha", 0, 1)))
E36 = step(
    "EFL-E36",
    "Eq. (36), A.2.1",
    "Young's inequality with ητ",
    printed=r"""-2\langle\overline\omega_{\tau E+j}-\omega_{\tau E+j}^k,\alpha\overline g^k
        \rangle\le\Big(\frac1{\eta_\tau}\|\overline\omega_{\tau E+j}-\omega_{\tau E+j}^k\|^2+\eta_\tau\|\overline
        g_{\tau E+j}^k\|^2\Big)\alpha_{\tau E+j}^k""",
    plainly="Minus twice an inner product is at most the squares weighted with 1/η and η.",
    assumes=["η > 0", "α in [0, 1]", "1/η₋ of the transcription read as 1/ητ"],
    says=VectorInequality(-2 * _a * _e * inner(_x, _y), _a * (square(_x) + _e**2 * square(_y)), _DOMAIN),
    readings=[reading("first to last member", "Any two vectors, any η > 0; both sides times η.")],
    mutants=[
        mutant(
            "η² in place of η",
            VectorInequality(-2 * _a * _e * inner(_x, _y), _a * (square(_x) + _e**3 * square(_y)), _DOMAIN),
            "for η < 1 and x = −ηy the left side is 2η², the right side η² + η³",
        )
    ],
    tight="x = −ηy",
    verdict="Completing the square, for every η > 0.",
)

_HALF = mu / 2 * own_far
E37 = step(
    "EFL-E37",
    "Eq. (37), A.2.1",
    "Strong convexity step",
    printed=r"""\langle\omega_{\tau E+j}^k-\omega^*,\alpha\overline g_{\tau E+j}^k\rangle\ge\Big(\widetilde
        F_k(\omega_{\tau E+j}^k)-\widetilde F_k^*+\frac\mu2\|\omega_{\tau E+j}^k-\omega^*\|^2
        \Big)\alpha_{\tau E+j}^k""",
    plainly="The inner product with the gradient is at least the excess loss plus half μ times the squared distance.",
    assumes=[
        "A2",
        "F̃ₖ* the minimum of F̃ₖ, ω* the minimiser of F (Sec. 3.1)",
        "solved for (μ/2)‖ωᵏ − ω*‖²α",
        "searched on quadratic clients",
    ],
    says=le(_HALF, own_inner - own_above, again=lambda own_inner, own_above: -own_above + own_inner),
    world=_OWN,
    readings=[
        reading("F̃ₖ*, as printed", "Excess over the client's own minimum."),
        reading(
            "F̃ₖ(ω*)",
            """F̃ₖ(ω*) in place of F̃ₖ*, which is what strong convexity between ωᵏ and ω* gives and what (42) starts
                from.""",
            le(_HALF, own_inner - own_above + own_gap),
            edits=["F̃ₖ(ω*) in place of F̃ₖ*"],
            token=True,
            forced_by="""strong convexity between ωᵏ and ω*, from which the line is taken, gives F̃ₖ(ω*); and (42)
                begins with the C₁ that F̃ₖ(ω*) gives, 2ηΣpα(F̃ₖ(ω*) − F̃ₖ*) included""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "μ in place of μ/2, with F̃ₖ(ω*)",
            le(_HALF, (own_inner - own_above + own_gap) / 2),
            "one curvature μ: both sides of the repaired inequality are equal",
        )
    ],
    tight="the repaired one: curvature μ in the direction of ωᵏ − ω*",
    rests_on=["EFL-A2", "EFL-DEF1"],
    verdict="""A misprint: F̃ₖ* stands where F̃ₖ(ω*) belongs. Strong convexity between ωᵏ and ω* gives the inequality
        with F̃ₖ(ω*), and the first line of (42) is what follows from it. As printed it is false: at ωᵏ = ω* the left
        side is 0 and the right side Dₖ, which is positive for every client whose own minimiser is not ω*. The slip is
        carried through (38) and (39); from (42) on the proof has the right expression.""",
)

_B1_PRINTED = apart + eta**2 * slopes - 2 * eta * (above + mu / 2 * far)
_B1_MENDED = _B1_PRINTED + 2 * eta * gap
E38 = step(
    "EFL-E38",
    "Eq. (38), A.2.1",
    "Bound of B₁",
    printed=r"""B_1\le\sum_kp_\tau^k\alpha_{\tau E+j}^k\Big(\|\overline\omega_{\tau E+j}-\omega_{\tau E+j}^k\|^2+
        \eta_\tau^2\|\overline g^k\|^2-2\eta_\tau\Big(\widetilde F_k(\omega^k_{\tau E+j})-\widetilde F_k^*+
        \frac\mu2\|\omega^k_{\tau E+j}-\omega^*\|^2\Big)\Big)""",
    plainly="The inner product is bounded by drift, squared gradients and minus the excess losses.",
    assumes=["A2", "(35), (36), (37)", "searched on quadratic clients"],
    says=le(B1, _B1_PRINTED),
    world=_STEPS,
    readings=[
        reading("F̃ₖ*, as printed", "Excess over the client's own minimum."),
        reading(
            "F̃ₖ(ω*)",
            """F̃ₖ(ω*) in place of F̃ₖ*, which is what strong convexity between ωᵏ and ω* gives and what (42) starts
                from.""",
            le(B1, _B1_MENDED),
            edits=["F̃ₖ(ω*) in place of F̃ₖ*"],
            token=True,
            forced_by="strong convexity between ωᵏ and ω*, and the first line of (42)",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "η²‖ḡ‖² dropped, with F̃ₖ(ω*)",
            le(B1, _B1_MENDED - eta**2 * slopes),
            "Young's inequality then has only one of its two squares: with ω̄ − ωᵏ = −ηḡ it is 2η² against η²",
        )
    ],
    rests_on=["EFL-E35", "EFL-E36", "EFL-E37"],
    repeats="EFL-E37",
    verdict="""The misprint of (37), carried on: F̃ₖ* stands where F̃ₖ(ω*) belongs. (35), (36) and the corrected (37)
        give the line with F̃ₖ(ω*), and (42) starts from it. As printed it is false for all η < 1/L, the steps that (42)
        allows among them: with all models at ω* the left side is 0 and the right side Σpα(η²‖ḡ‖² − 2ηDₖ). As ‖ḡ‖² <=
        2LDₖ this is then negative unless Dₖ = 0 for all who do the step.""",
)

_LAST = before - mu * eta * far + apart + 2 * (1 + theta) * L * eta**2 * above - 2 * eta * above
_MENDED = _LAST + 2 * eta * gap
E39 = step(
    "EFL-E39",
    "Eq. (39), A.2.1",
    "Bound of A₁, first form",
    printed=r"""A_1\le\|\overline\omega_{\tau E+j}-\omega^*\|^2-\mu\eta_\tau\sum_kp_\tau^k\alpha\|\omega^k-\omega^*\|^2
        +\sum_kp_\tau^k\alpha\|\overline\omega-\omega^k\|^2+2(1+\theta)L\eta_\tau^2\sum_kp_\tau^k\alpha(\widetilde
        F_k(\omega^k)-\widetilde F_k^*)-2\eta_\tau\sum_kp_\tau^k\alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*)""",
    plainly="The squared distance after a full-gradient step, in terms of drift, distances and excess losses.",
    assumes=["A1, A2, A5", "(33), (34), (38)", "searched on quadratic clients"],
    says=le(
        A1,
        before + 2 * L * theta * eta**2 * above + _B1_PRINTED,
        again=lambda eta, mu, L, theta, before, far, apart, slopes, above: (
            before + 2 * L * theta * above * eta**2 + apart + slopes * eta**2 - eta * (2 * above + mu * far)
        ),
    ),
    world=_STEPS,
    readings=[
        reading("middle member as printed", "F̃ₖ* throughout.", cuts={"member": "the middle one"}),
        reading("last member as printed", "F̃ₖ* throughout.", le(A1, _LAST)),
        reading(
            "F̃ₖ(ω*) in the last sum",
            """F̃ₖ(ω*) in place of F̃ₖ*, which is what strong convexity between ωᵏ and ω* gives and what (42) starts
                from.""",
            le(A1, _MENDED),
            edits=["F̃ₖ(ω*) in place of F̃ₖ*"],
            token=True,
            forced_by="strong convexity between ωᵏ and ω*, and the first line of (42), which is C₁ with F̃ₖ(ω*)",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "2Lη² in place of 2(1 + θ)Lη², with F̃ₖ(ω*)",
            le(A1, _MENDED - 2 * theta * L * eta**2 * above),
            "one client of curvature L and large p: the left side grows with p²η², the right side with pη²",
        )
    ],
    rests_on=["EFL-E32", "EFL-E33", "EFL-E34", "EFL-E38"],
    repeats="EFL-E37",
    verdict="""The misprint of (37), carried on through (38) and counted there: from (34) and (38) as printed the line
        does follow. In the last sum F̃ₖ* stands where F̃ₖ(ω*) belongs. With F̃ₖ(ω*) there,
        as the first line of (42) has it, no violation was found, and (33), (34) and the corrected (38) prove it. The
        same correction in the bracket of the middle member follows from (34) and (38). As printed both members are
        false: with all models at ω* and a short step they are negative, while A₁ is a square. The F̃ₖ* of the other
        sums is right; it comes from (33).""",
)

E40 = step(
    "EFL-E40",
    "Eq. (40), A.2.1",
    "Lower bound of the local distance",
    printed=r"""\|\omega_{\tau E+j}^k-\omega^*\|^2\ge\frac12\|\overline\omega_{\tau E+j}-\omega^*\|^2-\|\omega_{\tau E+
        j}^k-\overline\omega_{\tau E+j}\|^2""",
    plainly="A local model is as far from ω* as the virtual one, up to a factor and the drift.",
    assumes=["x = ωᵏ − ω̄, y = ω̄ − ω*"],
    says=VectorInequality(square(_y) / 2 - square(_x), square(_x + _y)),
    readings=[
        reading("first to last member", "Any two vectors.", part="first to last member"),
        reading(
            "the last step",
            "‖x‖² + ‖y‖² − (2‖x‖² + ½‖y‖²) is the last member, and ‖x + y‖² is not below it.",
            VectorInequality(square(_x) + square(_y) - (2 * square(_x) + square(_y) / 2), square(_x + _y)),
            part="the last step",
        ),
    ],
    mutants=[
        mutant(
            "½‖x‖² subtracted in place of ‖x‖²",
            VectorInequality(square(_y) / 2 - square(_x) / 2, square(_x + _y)),
            "y = −3x/2: the right side is ‖x‖²/4, the left side 5‖x‖²/8",
        )
    ],
    tight="y = −2x",
    verdict="The difference of the two sides is half the square of 2x + y.",
)

CLAIMS: tuple[Claim, ...] = (E31, E32, E33, E34, E35, E36, E37, E38, E39, E40)
