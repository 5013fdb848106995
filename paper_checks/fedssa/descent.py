"""Sec. 4.2 and Algorithm 1: gradients and shapes of the losses, steps on them, and what they leave open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.exponentials import EXACT, entropy, log_near, mass, root_fixed, slack
from paper_checks.fedssa.learning import one_step, three_steps
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.views import of_views
from theory.rules.by_output.ssa_loss import gradient_cos, gradient_var
from validation import Case, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, symbols
from validation.statement.claim import Identity, Inequality
from validation.world import World, case, definition, identity, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Any]]
_STEP = 1e-30  # a complex step has no cancellation, so it may be as small as one likes
off_simplex, ends_apart, rounding, slope_apart = NOTATION.symbols("off_simplex ends_apart rounding slope_apart")


def _outputs(w: Any, z: Any) -> Any:
    """Softmax of the mixed logits, complex weights allowed; (instances, samples, classes)."""
    mixed = np.einsum("nk,nskc->nsc", w, z)
    grown = np.exp(mixed - mixed.real.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def _derivative(w: Any, one: Any, two: Any, of: str) -> Any:
    """∂L/∂w_k by a complex step in every weight, (instances, clients)."""
    found = []
    for k in range(w.shape[1]):
        moved = w.astype(complex)
        moved[:, k] += 1j * _STEP
        u, v = _outputs(moved, one), _outputs(moved, two)
        if of == "cos":
            loss = -(u * v).sum(axis=-1) / np.sqrt((u * u).sum(axis=-1) * (v * v).sum(axis=-1))
        else:
            loss = -sum(((y - y.mean(axis=-1, keepdims=True)) ** 2).mean(axis=-1) for y in (u, v)) / 2
        found.append(loss.mean(axis=-1).imag / _STEP)
    return np.stack(found, axis=-1)


def _pulled(z: Any, y: Any, v: Any) -> Any:
    """zₖᵀ J(y) v with J written out, mean over the samples."""
    J = y[..., :, None] * np.eye(y.shape[-1]) - y[..., :, None] * y[..., None, :]
    return np.einsum("nskc,nscd,nsd->nsk", z, J, v).mean(axis=1)


def gradients(x: Instance, *, of: str, edit: str) -> Mapping[str, Any]:
    """Largest difference of the printed gradient, and of the package's, from the derivative; `edit`: a mutant's."""
    w, one, two = x["weights"], x["view_1"], x["view_2"]
    u, v = _outputs(w, one), _outputs(w, two)
    others, c = [], u.shape[-1]
    if of == "cos":
        a, b = (np.sqrt((y**2).sum(axis=-1, keepdims=True)) for y in (u, v))
        q = np.ones_like(a) if edit == "no cosine" else (u * v).sum(axis=-1, keepdims=True) / (a * b)
        formula = -_pulled(one, u, v / (a * b) - q * u / a**2)
        formula = formula - (0.0 if edit == "one view" else _pulled(two, v, u / (a * b) - q * v / b**2))
        others = [gradient_cos(w, one, two)]
    else:
        formula = -(_pulled(one, u, u) + _pulled(two, v, v)) / (c - (edit == "c − 1"))
        others = [gradient_var(w, one, two), gradient_var(w, one, two, divisor="classes-1") * (c - 1) / c]
    true = _derivative(w, one, two, of)
    apart = [np.abs(found - true).max(axis=1) for found in (formula, *(() if edit else others))]
    return {"slope_apart": np.max(apart, axis=0), "rounding": np.full(len(w), 1e-40), "magnitude": np.full(len(w), 1e3)}


def gradients_exact(x: Mapping[str, Any], *, of: str, edit: str) -> Checked:
    """Largest |printed gradient with J(y) - quotient rule on the unnormalised outputs| over the clients."""
    w, samples, apart = x["weights"], range(len(x["view_1"])), []
    c = len(x["view_1"][0][0])
    classes = range(c)
    outputs = [[mass(w, x[view][s]) for s in samples] for view in ("view_1", "view_2")]

    def of_cos(z: Any, t: Any, e: Any, f: Any) -> Any:
        dot, ee, ff = (sum(a * b for a, b in zip(u, v, strict=True)) for u, v in ((e, f), (e, e), (f, f)))
        size = Fraction(root_fixed(ee * ff))  # |e||f|, whole part of a number above 2^640
        slope_dot = sum(e[j] * f[j] * (z[j] + t[j]) for j in classes)
        slope_ee, slope_ff = (2 * sum(g[j] * g[j] * y[j] for j in classes) for g, y in ((e, z), (f, t)))
        quotient = -(slope_dot / size - Fraction(dot) / size * (slope_ee / ee + slope_ff / ff) / 2)
        y, v = [Fraction(a, sum(e)) for a in e], [Fraction(a, sum(f)) for a in f]
        norms, q = size / (sum(e) * sum(f)), Fraction(1) if edit == "no cosine" else Fraction(dot) / size
        formula = Fraction(0)
        for logits, own, other in ((z, y, v), (t, v, y))[: 1 if edit == "one view" else 2]:
            square = sum(a * a for a in own)
            d = [other[j] / norms - q * own[j] / square for j in classes]
            level = sum(own[j] * d[j] for j in classes)
            formula -= sum(logits[j] * own[j] * (d[j] - level) for j in classes)
        return formula - quotient

    def of_var(z: Any, e: Any) -> Any:
        S, Q = sum(e), sum(a * a for a in e)
        slope_S, slope_Q = sum(e[j] * z[j] for j in classes), 2 * sum(e[j] * e[j] * z[j] for j in classes)
        quotient = -(slope_Q / Fraction(c * S * S) - 2 * Fraction(Q) * slope_S / Fraction(c * S**3)) / 2
        y = [Fraction(a, S) for a in e]
        level = sum(a * a for a in y)
        return -sum(z[j] * y[j] * (y[j] - level) for j in classes) / (c - (edit == "c − 1")) - quotient

    for k in range(len(w)):
        total = Fraction(0)
        for s in samples:
            z, t, e, f = x["view_1"][s][k], x["view_2"][s][k], outputs[0][s], outputs[1][s]
            total += of_cos(z, t, e, f) if of == "cos" else of_var(z, e) + of_var(t, f)
        apart.append(abs(total) / len(samples))
    return {"weights on the simplex": sum(w) == 1}, {"slope_apart": max(apart), "rounding": slack()}


def _gradient(of: str, edit: str = "", at: tuple[int, int, int] | None = None) -> World:
    def one(K: float, c: float, S: float) -> Case:
        n, classes, samples = int(K), int(c), int(S)
        both = (Signed(f"view_{i}", 1e-2, 10.0, (samples, n, classes)) for i in (1, 2))
        name, cost = f"{n} clients, {classes} classes, {samples} samples", max(1.0, n * classes * samples / 60)
        same = (permuted_clients({"weights": 0, "view_1": 1, "view_2": 1}),)
        how: dict[str, Any] = {"uses": EXACT, "cost": cost, "symmetries": same, "of": of, "edit": edit}
        return case(name, Space((Simplex("weights", n), *both)), gradients, gradients_exact, **how)

    sizes = (Size("K", 1, 300, 3), Size("c", 2, 100, 3), Size("S", 1, 20, 1))
    return World(NOTATION, (one(*at) if at else Family("two views", sizes, one),))


_SAME_SLOPE = le(slope_apart, rounding)
LP4 = remark(
    "SSA-LP4",
    "Sec. 4.2, eqs. (4), (5); derived",
    "Gradient of L_cos",
    printed=r"""\frac{\partial\mathcal L_{cos}}{\partial w_k}=-\Big[z_k^{(1)\top}J(y_1)\Big(\frac{y_2}{n_1n_2}-
        \frac{q\,y_1}{n_1^2}\Big)+z_k^{(2)\top}J(y_2)\Big(\frac{y_1}{n_1n_2}-\frac{q\,y_2}{n_2^2}\Big)\Big]""",
    plainly="The derivative of L_cos with respect to a weight, by the chain rule through the softmax.",
    assumes=["finite logits", "J(y) = diag(y) − yyᵀ, nᵢ = ‖yᵢ‖, q = cos(y₁, y₂); mean over the samples"],
    says=_SAME_SLOPE,
    world=_gradient("cos"),
    readings=[
        reading(
            "against the derivative",
            "The formula and the package's gradient equal the derivative, by a complex step and by the quotient rule.",
        )
    ],
    mutants=[
        mutant(
            "cosine q left out",
            None,
            "where q < 1 the part along y itself is then wrong",
            world=_gradient("cos", "no cosine", (2, 2, 1)),
        ),
        mutant(
            "second view left out", None, "the weights act on both views", world=_gradient("cos", "one view", (2, 2, 1))
        ),
    ],
    rests_on=["SSA-E04", "SSA-E05", "SSA-LP1"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""The formula is the chain rule through the softmax. Since L_cos does not see the length of either output,
        the quotient rule on the unnormalised exponentials gives the same number, which is how it was checked
        exactly.""",
)

LP5 = remark(
    "SSA-LP5",
    "Sec. 4.2, eqs. (4), (6); derived",
    "Gradient of L_var",
    printed=r"""\frac{\partial\mathcal L_{var}}{\partial w_k}=-\frac1c\big[z_k^{(1)\top}J(y_1)y_1+z_k^{(2)
        \top}J(y_2)y_2\big]""",
    plainly="The derivative of L_var with respect to a weight; c − 1 in place of c for the sample variance.",
    assumes=["finite logits", "var with divisor c; mean over the samples"],
    says=_SAME_SLOPE,
    world=_gradient("var"),
    readings=[
        reading(
            "against the derivative", "The formula and the package's gradient (either divisor) equal the derivative."
        )
    ],
    mutants=[
        mutant(
            "divisor c − 1 for the loss of divisor c",
            None,
            "the two differ by the factor c/(c − 1)",
            world=_gradient("var", "c − 1", (2, 3, 1)),
        )
    ],
    rests_on=["SSA-E04", "SSA-E06", "SSA-O3"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="The chain rule once more. The divisor of var only scales the gradient, like λ_var would.",
)

w: Any = symbols("w", positive=True)
logs, gained = NOTATION.symbols("logs gained")


def moved(x: Instance) -> Mapping[str, Any]:
    """What moving the part ε of a client's weight a to one of weight 0 adds to L_we, and aε·log ε."""
    a, part = x["a"], x["part"]
    logs = a * part * np.log(part)
    found = {"gained": logs + a * (1 - part) * np.log1p(-part), "logs": logs}  # a·log a cancels
    return {**found, "rounding": np.full(len(a), 1e-40), "magnitude": np.full(len(a), 10.0)}


def moved_exact(x: Mapping[str, Any]) -> Checked:
    """The same with enclosed logarithms; the other weights do not matter."""
    a, part = x["a"], x["part"]
    gained = entropy([part * a, (1 - part) * a]) - entropy([a])
    met = {"0 < a <= 1": 0 < a <= 1, "part of it moved": 0 < part < 1}
    return met, {"gained": gained, "logs": a * part * log_near(part), "rounding": slack()}


_MOVED = World(
    NOTATION,
    (
        case(
            "weight moved to an absent client",
            Space((LogScale("a", 1e-3, 1.0), LogScale("part", 1e-9, 0.5))),
            moved,
            moved_exact,
            uses=EXACT,
        ),
    ),
)
LP6 = remark(
    "SSA-LP6",
    "Sec. 4.2, eq. (7); derived",
    "Gradient and Hessian of L_we",
    printed=r"""\frac{\partial\mathcal L_{we}}{\partial w_k}=\log w_k+1,\quad\nabla^2\mathcal L_{we}=
        \mathrm{diag}(1/w_k),\quad\frac{\partial\mathcal L_{we}}{\partial w_k}\to-\infty\ (w_k\to0)""",
    plainly="The slope of L_we is log w + 1, its curvature 1/w; at a weight of 0 the slope is −∞.",
    assumes=["w_k > 0; at 0 one-sided"],
    says=identity(sp.diff(w * sp.log(w), w), sp.log(w) + 1),
    readings=[
        reading("gradient", "d(w log w)/dw = log w + 1.", part="gradient"),
        reading("Hessian", "d²(w log w)/dw² = 1/w.", identity(sp.diff(w * sp.log(w), w, 2), 1 / w), part="Hessian"),
        reading(
            "at weight 0",
            "Moving the part ε of a weight a to a client of weight 0 changes L_we by at most aε·log ε < 0.",
            le(gained - logs, rounding),
            world=_MOVED,
            part="at weight 0",
        ),
    ],
    mutants=[
        mutant("the 1 left out", identity(sp.diff(w * sp.log(w), w), sp.log(w)), "at w = 1 the slope is 1, not 0"),
        mutant(
            "twice as fast",
            le(gained - 2 * logs, rounding),
            "for small ε the change is about aε(log ε − 1)",
            world=_MOVED,
        ),
    ],
    rests_on=["SSA-E07"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""Elementary. The infinite slope at 0 means that with any λ_we > 0 no minimiser of L_SSA on the simplex
        gives a client exactly 0: the other two losses have finite slopes. A gradient step from w_k = 0 is not defined,
        so implementations have to keep off it.""",
)

_SIZES = ((2, 2, 1), (2, 3, 2), (3, 3, 1), (5, 10, 2), (20, 4, 1))
_SEPARATE = ((2, 2, 1), (2, 3, 1), (2, 3, 3), (2, 10, 1))
_USUAL, _CONVEX = sp.Rational(1, 1000), NOTATION.symbols("spread") ** 2


def _middle(cos: Any, var: Any, we: Any, at: Any = _SIZES, barrier: bool = False) -> Inequality | Identity:
    """In the middle of two weight vectors a loss is at most the mean (`barrier`: the larger) of its values there."""

    def loss(place: str) -> Any:
        losses = NOTATION.symbols(f"cos{place} var{place} we{place}")
        return sum(factor * value for factor, value in zip((cos, var, we), losses, strict=True))

    ends = loss(""), loss("_other")
    level = sp.Max(*ends, evaluate=False) if barrier else (ends[0] + ends[1]) / 2
    return of_views(le(loss("_middle") - level, rounding * (1 + we)), at=at, spans=(6.0,))


LP10 = remark(
    "SSA-LP10",
    "Sec. 4.2, eqs. (5), (6), (8); derived",
    "Convexity in the weights",
    printed=r"""\mathcal L_{we}\text{ convex in }w\text{ on the simplex, }\mathcal L_{SSA}\text{ convex there for }
        \lambda_{we}\ge8R^2;\ \mathcal L_{cos},\ \mathcal L_{var},\ \mathcal L_{SSA}\text{ not}""",
    plainly="Ours, not the paper's: L_we is convex in the weights, and a large enough λ_we makes L_SSA so.",
    assumes=["weights on the simplex", "finite logits", "λ_var = 1; R the largest range of one client's logits"],
    says=_middle(0, 0, 1),
    readings=[
        reading("L_we", "At the middle of two weight vectors at most the mean of its values.", part="L_we"),
        reading(
            "L_SSA with λ_we = 8R²",
            "The same for the whole loss.",
            _middle(1, 1, 8 * _CONVEX),
            part="L_SSA with λ_we = 8R²",
        ),
    ],
    mutants=[
        mutant("L_cos", _middle(1, 0, 0), "between two clients that agree with themselves the views may disagree"),
        mutant("L_var", _middle(0, 1, 0), "between two clients sure of two classes the prediction is undecided"),
        mutant(
            "L_SSA at the paper's λ_we = 10⁻³, at most the larger value in the middle",
            _middle(1, 1, _USUAL, barrier=True),
            "the same two clients make a barrier, with a local minimum on either side",
        ),
        mutant(
            "λ_we = R²/1000",
            _middle(1, 1, _USUAL * _CONVEX, at=((2, 3, 1),)),
            """for R of a few units that is about the paper's λ_we, at which two clients sure of two classes make a
                barrier""",
        ),
    ],
    rests_on=["SSA-LP4", "SSA-LP5", "SSA-LP6"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""The paper asks for no convexity, and at its λ_we there is none: L_cos, L_var and L_SSA are refuted as
        convex (below, as mutants). Two clients sure of two different classes give low loss each alone; between them the
        prediction is undecided, or the views disagree: a barrier with a local minimum on either side. L_we is convex
        with curvature at least 1 along any direction of ℓ₁-length 1, the others curve downwards by at most 7.5R², so
        λ_we = 8R² makes the sum convex; with logits of a few units that is about five orders above the paper's
        10⁻³.""",
)

_KEPT = le(off_simplex - rounding, 0)
O1 = definition(
    "SSA-O1",
    "Eq. (2); Algorithm 1 (left open: how the weights stay on the simplex)",
    "Weights on the simplex",
    printed=r"w_k^t\ge0,\ \sum_kw_k^t=1\ \text{after a gradient step on }\mathcal L_{SSA}",
    plainly="A gradient step on L_SSA leaves the weights non-negative with sum 1, so that equal local models are kept.",
    assumes=["the step starts from positive weights of sum 1", "λ_var = 1, λ_we = 10⁻³; rate from 10⁻³ to 100"],
    says=_KEPT,
    world=one_step("projection"),
    open={
        "constraint": nowhere("""how the aggregation weights stay weights: (2) has only the constraint θ = Σθ_kw_k,
            Algorithm 1 only «arg min»; (7) takes log w_k""")
    },
    readings=[
        reading("projection", "The nearest point of the simplex after the step.", options={"constraint": "projection"}),
        reading(
            "softmax parameters",
            "w = softmax(u), the step on u.",
            world=one_step("softmax parameters"),
            options={"constraint": "softmax parameters"},
        ),
        reading(
            "clipped, divided by the sum",
            "Where any weight is left.",
            world=one_step("normalised"),
            options={"constraint": "clipped, divided by the sum"},
        ),
        reading(
            "none, as (2) is printed",
            "The plain step: (2) constrains θ only.",
            world=one_step("none"),
            options={"constraint": "none"},
        ),
        reading(
            "clipped at 0 only",
            "Negative weights set to 0.",
            world=one_step("clipped"),
            ours="an implementation that keeps the sign and lets the sum go is neither printed nor natural",
        ),
    ],
    mutants=[
        mutant(
            "shifted to sum 1, signs left alone",
            None,
            "a long step makes a weight negative, and the shift keeps the differences",
            world=one_step("shifted", ((2, 3, 1),)),
        )
    ],
    rests_on=["SSA-E02", "SSA-E07", "SSA-LP8"],
    ours="""nowhere is a gradient step said to keep the weights on the simplex; (2) and Algorithm 1 leave open how they
        stay weights""",
    verdict="""It depends on what an implementation adds. As printed, (2) asks only that θ = Σ w_kθ_k: a plain gradient
        step then leaves the simplex, weights no longer sum to 1, so that K equal local models come out scaled; L_we is
        undefined below 0, and scaling all weights up can lower L_cos and L_var without end (SSA-LP8). Projection, a
        softmax parametrisation and clip-and-normalise all keep the simplex, but they are different methods with
        different steps.""",
)

O2 = definition(
    "SSA-O2",
    "Sec. 4.2 and 5.1 (left open: optimiser, batch size, start, warm start, steps)",
    "Start of weight learning",
    printed=r"""\{w_k^t\}:=\arg\min_{\{w_k\}}\mathcal L_{SSA}(\{\theta_k^t\},\{w_k\};\mathcal
        U)\ \text{whatever the start of the descent}""",
    plainly="""Descent on L_SSA reaches the same weights wherever it starts, so that start and warm start need not be
        given.""",
    assumes=[
        "λ_var = 1, λ_we = 10⁻³",
        "two clients for any start, so that the simplex is a segment; descent with steps too small to jump",
    ],
    says=le(ends_apart, sp.Rational(1, 10**9)),
    world=three_steps(),
    open={
        "start": nowhere("""start of the weight learning: Algorithm 1 prints «arg min», Sec. 4.2 and 5.1 name no
            initial weights and no warm start""")
    },
    readings=[
        reading(
            "every start from equal weights, one step size and number of steps",
            "Then it is one method: up to twenty clients get the same weights in whichever order they are named.",
            options={"start": "equal weights"},
        ),
        reading(
            "any start, the paper's λ_we = 10⁻³",
            "Between two starts there is no barrier: at their middle the loss is at most the larger of the two.",
            _middle(1, 1, _USUAL, _SEPARATE, barrier=True),
            options={"start": "any, as «arg min» has it"},
        ),
        reading(
            "λ_we = 8R²",
            "Another λ_we than the paper's, R the largest range of one client's logits: there L_SSA is convex in w (SSA-LP10).",
            _middle(1, 1, 8 * _CONVEX, _SEPARATE, barrier=True),
            edits=["λ_we = 8R² in place of 10⁻³"],
        ),
    ],
    mutants=[
        mutant(
            "L_var alone",
            _middle(0, 1, 0, ((2, 3, 1),), barrier=True),
            """two clients sure of different classes: the mean of their logits is undecided, with less variance than
                either""",
        ),
        mutant(
            "from a start that prefers the client named first",
            None,
            "three short steps keep the start's preference",
            world=three_steps(own=True),
        ),
    ],
    rests_on=["SSA-LP10", "SSA-E02"],
    ours="no start is said to be without effect; Sec. 4.2 and 5.1 leave start, step size and number of steps open",
    verdict="""The paper gives no start, and it decides. The left side shown is by how much the loss in the middle of two weight
        vectors exceeds the larger of their losses; the right side is 0 but for the rounding of exponentials. With one start and one schedule for all the method is well
        defined. With two clients the simplex is a segment, and where the loss in its middle exceeds that at both ends,
        descent from either end stays on its side. So «arg min» in Algorithm 1 does not fix the weights of an
        implementation: start (equal weights, data shares, last round's weights), step size η_ssa and number of epochs
        E_ssa are part of the method, and the text gives only «ten epochs» for Table 3. Whether training ends elsewhere
        needs runs with equal and with warm starts; Figure 4(c, d) varies η_ssa and E_ssa only.""",
)

CLAIMS: tuple[Claim, ...] = (LP4, LP5, LP6, LP10, O1, O2)
