"""Private aggregation: clipping, what one client may change, amplification by sampling.

Source: McMahan, Ramage, Talwar and Zhang 2018 (clipped updates, weighted averages with a least weight); Balle, Barthe
and Gaboardi 2018 (amplification by sampling).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, LogScale, Signed, Uniform
from validation.world import at, largest, le, mutant

__all__ = ["CLAIMS"]

x, y, w, tau, m, p, cosine = NOTATION.symbols("x y w tau m p cosine")
x_norm, y_norm, A_sum, W, W_0, epsilon = NOTATION.symbols("x_norm y_norm A_sum W W_0 epsilon")

# Two updates, by their norms and the cosine between them.
UPDATES = free(
    "two updates",
    *(LogScale("x_norm", 1e-2, 1e2, at=(1.0,)), LogScale("y_norm", 1e-2, 1e2, at=(1.0,))),
    *(Uniform("cosine", -1.0, 1.0, at=(-1.0, 0.0, 1.0)), LogScale("tau", 1e-1, 1e1, at=(1.0,))),
)
CLIP_X, CLIP_Y = sp.Min(x_norm, tau), sp.Min(y_norm, tau)
CLIPPED = CLIP_X**2 + CLIP_Y**2 - 2 * CLIP_X * CLIP_Y * cosine
APART = x_norm**2 + y_norm**2 - 2 * x_norm * y_norm * cosine
# A mean of m clipped values, and one value more.
CLIENTS = free(
    "a mean of clipped values and one more",
    *(Integer("m", 1, 1000), LogScale("tau", 1e-1, 1e1, at=(1.0,)), Signed("x", 1e-2, 1e1), Signed("y", 1e-2, 1e1)),
    where=(le(sp.Abs(x), tau), le(sp.Abs(y), tau)),
)
JOINED = sp.Abs((m * x + y) / (m + 1) - x)
# A weighted sum A of updates of weights up to 1, and one update w of weight p more; weights count as W_0 or more.
FLOOR, LONGER = largest(W_0, W), largest(W_0, W + p)
CHANGED = sp.Abs((A_sum + w) / LONGER - A_sum / FLOOR)
WEIGHED = free(
    "a weighted average with a least weight",
    *(LogScale("tau", 1e-1, 1e1, at=(1.0,)), LogScale("W_0", 1e-1, 1e2, at=(1.0,)), LogScale("W", 1e-2, 1e2)),
    *(Uniform("p", 0.0, 1.0, at=(1.0,)), Signed("A_sum", 1e-2, 1e3), Signed("w", 1e-2, 1e1)),
    where=(le(sp.Abs(A_sum), W * tau), le(sp.Abs(w), p * tau)),
)

PROJECTION = stated(
    "LIT-52",
    "Clipping brings updates no farther apart",
    r"\|\mathrm{clip}_\tau(x)-\mathrm{clip}_\tau(y)\|^2\le\|x-y\|^2",
    "Clipping is the projection onto a ball: clipped updates are no farther apart than they were.",
    le(CLIPPED, APART),
    UPDATES,
    mutant("half of it", le(CLIPPED, APART / 2), "short updates are not clipped"),
    because="projections onto convex sets are non-expansive",
    tight=at(x_norm=1, y_norm=1, cosine=0, tau=2),
)
REPLACED = stated(
    "LIT-53",
    "Replacing one client of a clipped sum",
    r"\|\mathrm{clip}_\tau(x)-\mathrm{clip}_\tau(y)\|^2\le4\tau^2",
    "Another update of one client changes a sum of clipped updates by at most 2τ.",
    le(CLIPPED, 4 * tau**2),
    UPDATES,
    mutant("τ, as for one client more", le(CLIPPED, tau**2), "opposite updates"),
    mutant("not clipped", le(APART, 4 * tau**2), "a long update"),
    because="both clipped updates have norms of at most τ",
    tight=at(x_norm=1, y_norm=1, cosine=-1, tau=1),
)
ONE_MORE = stated(
    "LIT-54",
    "One client more in a clipped average",
    r"\left|\frac{mx+y}{m+1}-x\right|\le\frac{2\tau}{m+1}",
    "One client more changes the average of m clipped updates by at most 2τ/(m + 1).",
    le(JOINED, 2 * tau / (m + 1)),
    CLIENTS,
    mutant("τ", le(JOINED, tau / (m + 1)), "it is opposite to all others"),
    mutant("m + 2 below", le(JOINED, 2 * tau / (m + 2)), "it is opposite to all others"),
    because="the average moves by 1/(m + 1) of y − x, and |y − x| <= 2τ",
    tight=at(m=1, tau=1, x=-1, y=1),
)
LEAST = stated(
    "LIT-55",
    "One client more in a weighted average with a least weight",
    r"\left|\frac{A+w}{\max(W_0,W+p)}-\frac A{\max(W_0,W)}\right|\le\frac{2\tau}{W_0}",
    "Of weighted updates over their weight, or over W_0 if that is more, one client of weight up to 1 changes at most 2τ/W_0.",
    le(CHANGED, 2 * tau / W_0),
    WEIGHED,
    mutant("τ/W_0", le(CHANGED, tau / W_0), "the weights exceed W_0, and it is opposite to all others"),
    mutant(
        "over the weights alone",
        le(sp.Abs((A_sum + w) / (W + p) - A_sum / W), 2 * tau / W_0),
        "the others hardly count",
    ),
    because="A loses at most pτ/max(W_0, W + p) by the longer denominator, w adds at most pτ over the same, p <= 1",
)
LOSS = sp.log(1 + p * (sp.exp(epsilon) - 1))
AMPLIFIED = stated(
    "LIT-56",
    "Privacy is amplified by sampling",
    r"0\le\varepsilon-\log\left(1+p(e^\varepsilon-1)\right)",
    "A mechanism of privacy loss ε on a sample of rate p has a loss of log(1 + p(exp ε − 1)), at most ε.",
    le(0, epsilon - LOSS),
    free("rate and loss", Uniform("p", 0.0, 1.0, at=(0.5,)), LogScale("epsilon", 1e-2, 1e1, at=(1.0,))),
    mutant("p times", le(0, p * epsilon - LOSS), "the logarithm is concave"),
    because="1 + p(exp ε − 1) <= exp ε for p <= 1",
)

CLAIMS = (PROJECTION, REPLACED, ONE_MORE, LEAST, AMPLIFIED)
