"""Personal models: Moreau envelopes, mixtures of a client's own model and the global one, models held near it.

Source: Moreau 1965 and Dinh, Tran and Nguyen 2020 (envelopes, pFedMe); Deng, Kamani and Mahdavi 2020 (APFL); Li, Hu,
Beirami and Smith 2021 (Ditto).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import LogScale, Signed, Uniform
from validation.world import Domain, Parameter, VectorInequality, at, inner, le, mutant, square, vectors

__all__ = ["CLAIMS"]

mu, L, prox, h, x = NOTATION.symbols("mu L prox h x")
V_own, bias2, mix, global2, own2, both = NOTATION.symbols("V_own bias2 mix global2 own2 both")
near = sp.Symbol("l", positive=True)
grad, moved = vectors("g d")
FACTOR = Domain((Parameter("l", 0),))
FALLEN = -inner(grad, moved) - near / 2 * square(moved)
ENVELOPE = stated(
    "LIT-111",
    "How far a Moreau envelope is below its loss",
    r"-\langle\nabla F(w),d\rangle-\tfrac\lambda2\|d\|^2\le\frac1{2\lambda}\|\nabla F(w)\|^2",
    "A convex loss falls by at most ‖∇F‖²/(2λ) to its envelope min F(w + d) + λ/2·‖d‖², wherever d leads.",
    VectorInequality(FALLEN, square(grad) / (2 * near), FACTOR),
    None,
    mutant("half of it", VectorInequality(FALLEN, square(grad) / (4 * near), FACTOR), at(l=1, d=-1, g=1)),
    mutant(
        "no proximal term",
        VectorInequality(-inner(grad, moved), square(grad) / (2 * near), FACTOR),
        at(l=1, d=-1, g=1),
    ),
    because="F(w + d) >= F(w) + ⟨∇F(w), d⟩, and the right side exceeds the left one by ‖∇F + λd‖²/(2λ)",
    tight="d = −∇F/λ, for a loss that is linear in between",
)
BENDS = (
    *(LogScale("L", 1e-2, 1e2, at=(1.0,)), Signed("h", 1e-2, 1e2)),
    LogScale("prox", 1e-2, 1e3, at=(2.0,)),
)
SMOOTH = stated(
    "LIT-112",
    "Envelopes of losses that are not convex are λ-smooth",
    r"\frac{\lambda|h|}{|\lambda+h|}\le\lambda\quad\text{for}\quad|h|\le L,\ \lambda\ge2L",
    "Where λ is at least twice the largest curvature of either sign, the envelope has none above λ, of either sign.",
    le(prox * sp.Abs(h) / sp.Abs(prox + h), prox),
    free("curvatures of either sign", *BENDS, where=(le(sp.Abs(h), L), le(2 * L, prox))),
    mutant(
        "λ >= 3L/2",
        None,
        "a curvature of −L leaves little of λ − L",
        at(L=1, h=-1, prox="3/2"),
        world=free("a smaller λ", *BENDS, where=(le(sp.Abs(h), L), le(3 * L, 2 * prox))),
    ),
    mutant("L for λ", le(prox * sp.Abs(h) / sp.Abs(prox + h), L), "a curvature of −L"),
    because="|λ + h| >= λ − L >= L >= |h|",
    tight=at(L=1, h=-1, prox=2),
)
RISK = mix**2 * V_own + (1 - mix) ** 2 * bias2
BEST = V_own * bias2 / (V_own + bias2)
MIXED = stated(
    "LIT-113",
    "The best mixture of own and global model",
    r"\frac{Vb^2}{V+b^2}\le\alpha^2V+(1-\alpha)^2b^2",
    "No weight α of a client's own model, of variance V, beside a global one that is b off, errs less than Vb²/(V + b²).",
    le(BEST, RISK),
    free(
        "variance, bias and a weight",
        *(LogScale("V_own", 1e-2, 1e2, at=(1.0,)), LogScale("bias2", 1e-2, 1e2, at=(1.0,))),
        Uniform("mix", 0.0, 1.0, at=(0.0, 0.5, 1.0)),
    ),
    mutant("the better of both", le(sp.Min(V_own, bias2), RISK), "a mixture of two models as good as each other"),
    mutant("twice", le(2 * BEST, RISK), "the best weight, b²/(V + b²)"),
    because="the right side is (α(V + b²) − b²)²/(V + b²) more",
    tight=at(V_own=1, bias2=1, mix="1/2"),
)
MODELS = free(
    "two global models and the personal ones",
    *(LogScale("mu", 1e-2, 1e2, at=(1.0,)), LogScale("prox", 1e-2, 1e2, at=(1.0,))),
    *(LogScale("global2", 1e-2, 1e2, at=(4.0,)), LogScale("own2", 1e-6, 1e2, at=(1.0,)), Signed("both", 1e-4, 1e2)),
    where=(le((prox + mu) * own2, prox * both), le(both**2, global2 * own2)),
)
PASSED = stated(
    "LIT-114",
    "What Ditto passes on of an attack",
    r"\|v-v'\|^2\le\frac{\lambda^2}{(\lambda+\mu)^2}\|w-w'\|^2",
    "A personal model that is held near the global one moves by at most λ/(λ + μ) of what that is moved.",
    le((prox + mu) ** 2 * own2, prox**2 * global2),
    MODELS,
    mutant("2μ", le((prox + 2 * mu) ** 2 * own2, prox**2 * global2), at(mu=1, prox=1, global2=4, own2=1, both=2)),
    mutant(
        "μ for λ",
        le((prox + mu) ** 2 * own2, mu**2 * global2),
        "a large λ",
        at(mu=1, prox=3, global2=16, own2=9, both=12),
    ),
    because="λ⟨w − w', v − v'⟩ = λ‖v − v'‖² + ⟨∇F(v) − ∇F(v'), v − v'⟩ >= (λ + μ)‖v − v'‖², and Cauchy–Schwarz",
    tight=at(mu=1, prox=1, global2=4, own2=1, both=2),
)
WENT = (h * x / (h + prox)) ** 2
GAINED = h * x**2 / 2 * (1 - (prox / (h + prox)) ** 2)
NEAR = stated(
    "LIT-115",
    "How far Ditto goes from the global model",
    r"\lambda\|v-w\|^2\le F(w)-F(v)",
    "A personal model is as near to the global one as the loss that it saves allows; shown here on an axis of curvature h.",
    le(prox * WENT, GAINED),
    free(
        "a curvature, λ and the distance from the client's optimum",
        *(LogScale("h", 1e-2, 1e2, at=(1.0,)), LogScale("prox", 1e-2, 1e2, at=(1.0,)), Signed("x", 1e-2, 1e2)),
    ),
    mutant("twice", le(2 * prox * WENT, GAINED), "a flat loss"),
    mutant("μ in addition", le((prox + h) * WENT, GAINED), "any curvature above 0"),
    because="F(w) >= F(v) + ⟨∇F(v), w − v⟩ by convexity, and ∇F(v) = λ(w − v)",
)

CLAIMS = (ENVELOPE, SMOOTH, MIXED, PASSED, NEAR)
