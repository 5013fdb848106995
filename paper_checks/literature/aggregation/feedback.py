"""Compressed updates, second part: levels, memories, shifts, and signs by majority.

Source: Alistarh et al. 2017 (levels); Karimireddy et al. 2019 (the model less its memory); Stich and Karimireddy 2020
(squares of the memory); Richtárik, Sokolov and Fatkhullin 2021 (EF21); Mishchenko et al. 2019 (DIANA); Bernstein et al.
2018 (signs, majority of signs).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.aggregation.letters import LETTERS
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, LogScale, Signed, Uniform
from validation.world import at, identity, le, mutant, reading

__all__ = ["CLAIMS"]

u, level, w, e, x, y, delta, G = LETTERS.symbols("u level w e x y delta G")
x_norm, y_norm, rate, omega, p = LETTERS.symbols("x_norm y_norm rate omega p")

ROUNDED = u * (1 - u) ** 2 + (1 - u) * u**2
LEVELS = stated(
    "LIT-158",
    "Variance of rounding to many levels, entry by entry",
    r"u(1-u)\le\min\left\{\tfrac14,\ell+u\right\}",
    "Unbiased rounding of an entry ℓ + u, in units of a level, has at most its size as variance, and at most 1/4.",
    le(ROUNDED, sp.Min(sp.Rational(1, 4), level + u)),
    free("an entry above a level", Uniform("u", 0.0, 1.0, at=(0.5,)), Integer("level", 0, 50), notation=LETTERS),
    mutant("the level below", le(ROUNDED, sp.Min(sp.Rational(1, 4), level)), "an entry below the first level"),
    mutant("a fifth", le(ROUNDED, sp.Min(sp.Rational(1, 5), level + u)), "half way between two levels"),
    because="u(1 − u) <= u, and 1/4 − u(1 − u) is a square",
    tight=at(u="1/2", level=0),
)
VIRTUAL = stated(
    "LIT-159",
    "The model less its memory takes exact steps",
    r"(w-c)-(e+x-c)=(w-e)-x",
    "Whatever is sent of an update and the memory, the model less the memory of what was left out steps by the update.",
    identity((w - y) - (e + x - y), (w - e) - x),
    None,
    mutant("no memory", identity((w - y) - (x - y), (w - e) - x), "what was left out before is then lost"),
    because="what is sent leaves the memory and enters the model",
)
GROWN = (1 - delta) * (sp.Abs(e) + G) ** 2
SQUARES = stated(
    "LIT-160",
    "Squares of the memory contract",
    r"(1-\delta)(|e|+G)^2\le\left(1-\frac\delta2\right)e^2+\frac{(1-\delta)(2-\delta)}\delta G^2",
    "With a compressor of contraction δ a round takes δ/2 off the squared memory and adds less than 2/δ squared updates.",
    le(GROWN, (1 - delta / 2) * e**2 + (1 - delta) * (2 - delta) / delta * G**2),
    free(
        "memory and update",
        *(LogScale("delta", 1e-2, 1.0, at=(0.5, 1.0)), LogScale("G", 1e-1, 1e1, at=(1.0,)), Signed("e", 1e-2, 1e3)),
        notation=LETTERS,
    ),
    mutant("half of it", le(GROWN, (1 - delta / 2) * e**2 + (1 - delta) * (2 - delta) / (2 * delta) * G**2), "small δ"),
    because="Young's inequality with the weight δ/(2(1 − δ))",
    tight=at(delta="1/2", e=2, G=1),
)
ROOT = sp.sqrt(1 - delta)
MOVED = (1 - delta) * (x_norm + y_norm) ** 2
EF21 = stated(
    "LIT-161",
    "Compressed differences follow a gradient",
    r"(1-\delta)(a+b)^2\le\sqrt{1-\delta}\,a^2+\frac{1-\delta}{1-\sqrt{1-\delta}}b^2",
    "With a compressor of contraction δ an estimate keeps √(1 − δ) of its squared error a², and adds what the gradient moves, b².",
    le(MOVED, ROOT * x_norm**2 + (1 - delta) / (1 - ROOT) * y_norm**2),
    free(
        "an error and a change of the gradient",
        *(LogScale("delta", 1e-2, 1.0, at=(0.75, 1.0)), LogScale("x_norm", 1e-2, 1e2, at=(1.0,))),
        LogScale("y_norm", 1e-2, 1e2, at=(1.0,)),
        notation=LETTERS,
    ),
    mutant("not over 1 − √", le(MOVED, ROOT * x_norm**2 + (1 - delta) * y_norm**2), "small δ"),
    mutant(
        "1 − δ kept", le(MOVED, (1 - delta) * (x_norm**2 + y_norm**2 / (1 - ROOT))), "a large error and a small change"
    ),
    because="Young's inequality with the weight 1/√(1 − δ) − 1",
    tight=at(delta="3/4", x_norm=1, y_norm=1),
)
SHIFTED = 1 - 2 * rate + rate**2 * (1 + omega)
SLOW = le(rate * (1 + omega), 1)
DIANA = stated(
    "LIT-162",
    "A shift follows the gradient by compressed differences",
    r"\mathbb E\|h+\alpha Q(g-h)-g\|^2\le(1-\alpha)\|h-g\|^2",
    "A shift that moves by α times the difference, quantised without bias to relative variance ω, comes nearer by 1 − α.",
    le(SHIFTED, 1 - rate),
    free(
        "a rate and a quantiser",
        *(Uniform("rate", 0.0, 1.0, at=(0.0, 0.5, 1.0)), LogScale("omega", 1e-2, 1e2, at=(1.0,))),
        notation=LETTERS,
    ),
    mutant("twice as fast", le(SHIFTED, 1 - 2 * rate), "a noisy quantiser and a rate above 0", where=[SLOW]),
    because="the squared distance is multiplied by 1 − 2α + α²(1 + ω)",
    only=reading("α(1 + ω) <= 1", "The rate is at most 1/(1 + ω).", where=[SLOW]),
)
WRONG = 3 * p**2 - 2 * p**3
MOSTLY = le(p, sp.Rational(1, 2))
MAJORITY = stated(
    "LIT-163",
    "A majority of signs is wrong less often",
    r"3p^2-2p^3\le p",
    "Of three independent signs, each wrong with chance p, the majority is wrong with a chance of at most p.",
    le(WRONG, p),
    free("the chance of a wrong sign", Uniform("p", 0.0, 1.0, at=(0.5,)), notation=LETTERS),
    mutant("p²", le(WRONG, p**2), "signs by a coin", where=[MOSTLY]),
    because="p − 3p² + 2p³ = p(1 − p)(1 − 2p)",
    only=reading("p <= 1/2", "A sign is right at least as often as wrong.", where=[MOSTLY]),
)
SIGN = stated(
    "LIT-164",
    "How often the sign of a noisy entry is wrong",
    r"p\left(\sigma^2+m^2\right)\le\sigma^2",
    "A value of two outcomes, mean m >= 0 and variance σ² is not above 0 with a chance p of at most σ²/(σ² + m²).",
    le(p * (p * x**2 + (1 - p) * y**2), p * (1 - p) * (x - y) ** 2),
    free(
        "a noisy entry",
        *(Uniform("p", 0.0, 1.0, at=(0.5,)), Signed("x", 1e-2, 1e1), Signed("y", 1e-2, 1e1)),
        where=(le(x, 0), le(0, p * x + (1 - p) * y)),
        notation=LETTERS,
    ),
    mutant("half of it", le(p * (p * x**2 + (1 - p) * y**2), p * (1 - p) * (x - y) ** 2 / 2), "0 or 1 by a coin"),
    because="Cantelli's inequality: σ² − p(σ² + m²) is p|x| times 2(1 − p)y − (1 − 2p)x, at least p|x| times |x|",
    tight=at(p="1/2", x=0, y=1),
)

CLAIMS = (LEVELS, VIRTUAL, SQUARES, EF21, DIANA, MAJORITY, SIGN)
