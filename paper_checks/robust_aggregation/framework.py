"""Sec. 1 to 2.3: Algorithm 1, the recursions (1) and (2), and mini-batch gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.runs import world
from validation import Case, Claim, Family, Instance, Size, permuted_clients
from validation.statement.instances.draw import Coordinate, Integer, LogScale, Signed, Simplex, Space, Uniform
from validation.world import World, all_of, at, case, definition, le, mutant, nowhere, reading

__all__ = ["CLAIMS", "clients_on_a_line"]

m, N, m_off, apart_box, apart_p, apart_a = NOTATION.symbols("m N m_off apart_box apart_p apart_a")
bias_fresh, bias_epoch, bias_sum = NOTATION.symbols("bias_fresh bias_epoch bias_sum")


def clients_on_a_line(
    name: str, drawn: Callable[[int], tuple[Coordinate, ...]], observe: Any, plain: Any, most: int, **chosen: Any
) -> World:
    """Clients on a line, 1 to `most`; what has a value for each client has it on the first axis, weights on the second."""

    def at(N: float) -> Case:
        space = Space(drawn(int(N)))
        axes = {"share": 0, "curvature": 0, "optimum": 0, "sample": 0, "weights": 1}
        same = (permuted_clients({c.name: axes[c.name] for c in space.coordinates if c.name in axes}),)
        return case(f"{name}, N = {int(N)}", space, observe, plain, symmetries=same, **chosen)

    return world(Family(name, (Size("N", 1, most, 2),), at))


def counted(x: Instance, *, rounded: str) -> Mapping[str, Any]:
    """m = max(CN, 1) clients a round, rounded down, up or not; «bare»: rounded down without the maximum."""
    m = x["ratio"] * x["clients"]
    m = m if rounded == "bare" else np.maximum(m, 1.0)
    m = np.floor(m) if rounded in ("down", "bare") else np.ceil(m) if rounded == "up" else m
    return {"m": m, "N": x["clients"], "m_off": (m != np.round(m)).astype(float)}


def counted_exact(x: Mapping[str, Any], *, rounded: str) -> Pair:
    """The number of clients of a round."""
    C, N = x["ratio"], x["clients"]
    m = C * N if rounded == "bare" else max(C * N, Fraction(1))
    if rounded in ("down", "bare"):
        m = Fraction(m.numerator // m.denominator)
    elif rounded == "up":
        m = Fraction(-(-m.numerator // m.denominator))
    return {"0 < C <= 1, N >= 1": 0 < C <= 1 and N >= 1}, {"m": m, "N": N, "m_off": Fraction(int(m.denominator != 1))}


def _counts(rounded: str) -> World:
    space = Space((Uniform("ratio", 0.001, 1.0, at=(0.1, 0.25, 0.5, 1.0)), Integer("clients", 1, 1000, at=(10, 100))))
    return world(case("C and N", space, counted, counted_exact, rounded=rounded))


ALG1 = definition(
    "RA-ALG1",
    "Algorithm 1, line 3",
    "Number of clients drawn",
    printed=r"m\leftarrow\max(C\cdot N,1),\qquad I_t\leftarrow(\text{random set of }m\text{ clients})",
    plainly="m, rounded, is a number of clients: at least 1 and at most N.",
    assumes=["0 < C <= 1, N >= 1"],
    says=all_of(le(1, m), le(m, N), le(m_off, 0)),
    world=_counts("not"),
    open={"rounding": nowhere("how max(C·N, 1) becomes a number of clients is not said")},
    readings=[
        reading(
            "as printed",
            "Not rounded, m = max(CN, 1), and asked to be whole: a demand of ours.",
            ours="that m clients be drawn with m no whole number: nobody would read the line so",
        ),
        reading("rounded down", "m = max(⌊CN⌋, 1).", world=_counts("down"), options={"rounding": "down"}),
        reading("rounded up", "m = max(⌈CN⌉, 1).", world=_counts("up"), options={"rounding": "up"}),
    ],
    mutants=[
        mutant(
            "the maximum with 1 dropped",
            None,
            "CN < 1 rounds down to no client at all",
            at(ratio="1/2", clients=1),
            world=_counts("bare"),
        )
    ],
    verdict="""Rounded down or up, m is a number of clients, at least 1 and at most N. C·N need not be whole, and no
        rounding is given: a choice for the implementation to record, not an error. The line is that of McMahan et al.
        [2017]; that m be whole without rounding is asked by us, not by the print. The same box aggregates «w¹, …, wᴺ»
        although only the clients of I_t computed a model (RA-ALG2), and none of it matters under the full participation
        of Section 2.1.""",
)


def recursed(x: Instance, *, E: int, when: str) -> Mapping[str, Any]:
    """Two rounds on the line: the recursion against Algorithm 1 at the end, and wₜ against averages of the local models."""
    h, m, p, w = x["curvature"], x["optimum"], x["share"], x["start"]
    eta, reach = (x["step"] / h.max(axis=1))[:, None], (m**2).max(axis=1) + w**2
    box, local, virtual, off_p, off_a = w, np.broadcast_to(w[:, None], m.shape), w, np.zeros(len(m)), np.zeros(len(m))
    for r in range(2):
        a = x["weights"][:, r]
        box = (a * (m + (1 - eta * h) ** E * (box[:, None] - m))).sum(axis=1)
        for t in range(r * E, (r + 1) * E):
            ends = local - eta * h * (local - m)
            last = when == "every step" or (t if when == "as (1)" else t + 1) % E == 0
            virtual = (a * ends).sum(axis=1) if last else virtual - (p * eta * h * (local - m)).sum(axis=1)
            local = np.broadcast_to(virtual[:, None], m.shape) if last else ends
            off_p = np.maximum(off_p, (virtual - (local * p).sum(axis=1)) ** 2)
            off_a = np.maximum(off_a, (virtual - (local * a).sum(axis=1)) ** 2)
    found = {"apart_box": (virtual - box) ** 2, "apart_p": off_p, "apart_a": off_a}
    return {**found, "sizes": dict.fromkeys(found, reach)}


def recursed_exact(x: Mapping[str, Any], *, E: int, when: str) -> Pair:
    """Step by step; `when` the recursion aggregates."""
    h, m, p, clients, eta = (
        x["curvature"],
        x["optimum"],
        x["share"],
        range(len(x["share"])),
        x["step"] / max(x["curvature"]),
    )
    box, w, local, off_p, off_a = x["start"], x["start"], [x["start"] for i in clients], [Fraction(0)], [Fraction(0)]
    for r, a in enumerate(x["weights"]):
        models = [box for i in clients]
        for _ in range(E):
            models = [v - eta * h[i] * (v - m[i]) for i, v in enumerate(models)]
        box = sum(u * v for u, v in zip(a, models, strict=True))
        for t in range(r * E, (r + 1) * E):
            g = [h[i] * (local[i] - m[i]) for i in clients]
            ends = [local[i] - eta * g[i] for i in clients]
            if when == "every step" or (t if when == "as (1)" else t + 1) % E == 0:
                w = sum(a[i] * ends[i] for i in clients)
                local = [w for i in clients]
            else:
                w, local = w - eta * sum(p[i] * g[i] for i in clients), ends
            off_p.append((w - sum(p[i] * local[i] for i in clients)) ** 2)
            off_a.append((w - sum(a[i] * local[i] for i in clients)) ** 2)
    met = {"shares and weights on the simplex": all(sum(v) == 1 and min(v) >= 0 for v in [p, *x["weights"]])}
    return met, {"apart_box": (w - box) ** 2, "apart_p": max(off_p), "apart_a": max(off_a)}


def _recursions(when: str, *local_steps: int) -> World:
    def drawn(n: int) -> tuple[Coordinate, ...]:
        start, step = Signed("start", 1e-3, 1e2), LogScale("step", 1e-3, 1.0, at=(0.25, 1.0))
        clients = (LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)), Signed("optimum", 1e-3, 1e2, (n,)))
        return (Simplex("share", n), Simplex("weights", n, (2,)), *clients, start, step)

    def of(E: int) -> World:
        return clients_on_a_line(
            f"two rounds of {E} full-batch steps", drawn, recursed, recursed_exact, 20, E=E, when=when
        )

    return world(*(item for E in local_steps for item in of(E).cases))


D1 = definition(
    "RA-D1",
    "Eq. (1), Sec. 2.1, against Algorithm 1",
    "The recursion is the algorithm",
    printed=r"""w_{t+1}^{i}:=\begin{cases}w_t^i-\eta_tg_i(w_t^i)&t\ne0\bmod E\\ \sum_{j\in I}\alpha_t^j
        \left(w_t^j-\eta_tg_j(w_t^j)\right):=w_{t+1}&t=0\bmod E\end{cases}""",
    plainly="The recursion (1), with (2) between aggregations, returns the w_TE of Algorithm 1.",
    assumes=["full participation, full-batch gradients, one step size, αₜ fixed in a round"],
    says=le(apart_box, 0),
    world=_recursions("as (1)", 2, 5, 30),
    readings=[
        reading(
            "as printed, E >= 2",
            "Aggregation in the update t → t + 1 with t = 0 mod E.",
            because="(1) aggregates the first of the E steps, Algorithm 1 the last",
        ),
        reading(
            "one local step a round",
            "The same with E = 1.",
            world=_recursions("as (1)", 1),
            conditions=["E = 1"],
            because="no setting of the paper states its E",
        ),
        reading(
            "aggregation when t + 1 = 0 mod E",
            "After E local steps, as Algorithm 1 writes w_{t+E}.",
            world=_recursions("end", 1, 2, 5, 30),
            edits=["t + 1 = 0 mod E in place of t = 0 mod E, with its negation in the first case of (1)"],
            token=True,
            forced_by="""Algorithm 1, line 8, «w_{t+E} ← AGGREGATION(w_{t+E}¹, …)» for t ∈ {0, E, …}, and A.1, where t₀
                = ⌊t/E⌋E is the last common model""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "aggregation at every step",
            None,
            "the clients then never drift apart, and drift shows in w_TE",
            world=_recursions("every step", 2),
        )
    ],
    rests_on=["RA-ALG1"],
    verdict="""An index slip: «t = 0 mod E» in (1) has to be «t + 1 = 0 mod E», with its negation in the first case, and
        then (1) returns the w_TE of Algorithm 1 for every E. Line 8 of Algorithm 1 forces it: the model at t + E is
        aggregated from the local models at t + E, for t = 0, E, …. So do the proofs, which use t₀ = ⌊t/E⌋E as the last
        common model. As printed the first of the E steps is the aggregated one: the very first update is averaged, the
        last E − 1 steps of the run never are, and w_TE is another model. With E = 1 there is no difference.""",
)

D2 = definition(
    "RA-D2",
    "Eq. (2), Sec. 2.3",
    "Virtual model between aggregations",
    printed=r"""w_{t+1}:=w_t-\eta_t\sum_{i\in I}\alpha_t^ig_i(w_t^i),\ \alpha_t^i=p_i\ (t\ne0\bmod E)
        \quad\Rightarrow\quad w_t=\sum_ip_iw_t^i""",
    plainly="Inside a round the virtual model is the average of the local models, weighted by p.",
    assumes=["the round starts from one model", "full-batch gradients; aggregation after E steps"],
    says=le(apart_p, 0),
    world=_recursions("end", 1, 2, 5, 30),
    readings=[reading("averaged with p", "wₜ = Σpᵢwₜⁱ at every t.")],
    mutants=[
        mutant(
            "averaged with the round's weights αₜ",
            le(apart_a, 0),
            "inside the round the p-average differs from the α-average as soon as two local models differ",
            world=_recursions("end", 2),
        )
    ],
    rests_on=["RA-D1"],
    written="what follows «⇒»",
    verdict="""Consistent as a definition: both sides start the round equal and take the same steps. But the proof of
        Lemma 2 begins with wₜ = Σαₜʲwₜʲ, where «we have used the definition of w_t», and Theorem 1 with wₜ₊₁ = wₜ −
        ηₜΣαₜgₜ at every t. With αₜ other than p inside a round or at its end these are not this definition (RA-P-L2.1,
        RA-P-T1.0): of two local models that differ the α-average is not the p-average.""",
)


def batches(x: Instance, *, size: int) -> Mapping[str, Any]:
    """|E g − ∇F| of batches of four samples: drawn afresh, the sum in place of the mean, the second batch of an epoch."""
    h, c, w, firsts = x["curvature"], x["sample"], x["model"], list(combinations(range(4), size))

    def slopes(at: Any) -> Any:
        return h * (at[:, None] - c)

    whole, off = slopes(w).mean(axis=1), np.zeros(len(w))
    mean = np.mean([slopes(w)[:, list(b)].mean(axis=1) for b in firsts], axis=0)
    for first in firsts:
        rest = [i for i in range(4) if i not in first]
        then = slopes(w - x["step"] * slopes(w)[:, list(first)].mean(axis=1))
        off = np.maximum(off, np.abs(then[:, rest].mean(axis=1) - then.mean(axis=1)))
    found = {"bias_fresh": np.abs(mean - whole), "bias_epoch": off, "bias_sum": np.abs(size * mean - whole)}
    return {**found, "sizes": dict.fromkeys(found, (h * (np.abs(c) + np.abs(w[:, None]))).max(axis=1))}


def batches_exact(x: Mapping[str, Any], *, size: int) -> Pair:
    """Largest |E[g(w) | the past] - grad F(w)| over what has been drawn; losses h (w - c)^2/2."""
    h, c, w, every = x["curvature"], x["sample"], x["model"], range(len(x["sample"]))

    def mean(chosen: Any, at: Any) -> Any:
        return sum(h[i] * (at - c[i]) for i in chosen) / len(chosen)

    sets = [[i for i in every if b >> i & 1] for b in range(2 ** len(h)) if b.bit_count() == size]
    average, off = sum(mean(b, w) for b in sets) / len(sets), []
    for first in sets:
        then = w - x["step"] * mean(first, w)
        off.append(abs(mean([i for i in every if i not in first], then) - mean(every, then)))
    found = {"bias_fresh": abs(average - mean(every, w)), "bias_epoch": max(off)}
    return {"eta > 0": x["step"] > 0}, {**found, "bias_sum": abs(size * average - mean(every, w))}


def _batches(*sizes: int) -> World:
    given = (LogScale("curvature", 1e-2, 1e2, (4,), at=(1.0,)), Signed("sample", 1e-2, 1e2, (4,)))
    space = Space((*given, Signed("model", 1e-2, 1e2), LogScale("step", 1e-4, 1.0)))
    return world(*(case(f"batches of {b} of 4 samples", space, batches, batches_exact, size=b) for b in sizes))


A0 = definition(
    "RA-A0",
    "Sec. 2.1; A.2, bound for A₂",
    "Framework: unbiased mini-batch gradients",
    printed=r"g_i(w_t^i)=\tfrac1b\sum_{\zeta\in\zeta_t^i}\nabla F_i(w_t^i,\zeta),\qquad\mathbb E[g_i(w)]=\nabla F_i(w)",
    plainly="Given the past, the mean of a mini-batch gradient is the gradient of the client's loss.",
    assumes=["Fᵢ is the mean loss of the client's samples", "E local steps, or epochs, with batches of b samples"],
    says=le(bias_fresh, 0),
    world=_batches(1, 2, 3),
    open={
        "sampling": nowhere("""how the mini-batch ζₜⁱ is drawn is not said; E is «a number of local epochs» (Sec. 1,
            passes over the data) and counts single mini-batch steps in (1); A.2 names «the unbiasedness of the gradient
            estimator» without saying of what""")
    },
    readings=[
        reading(
            "batches drawn afresh at every step",
            "All b-subsets equally likely, whatever was drawn before.",
            options={"sampling": "afresh at every step"},
        ),
        reading(
            "local epochs: batches of the samples not yet used",
            "The second batch of an epoch, given the first.",
            le(bias_epoch, 0),
            options={"sampling": "passes without replacement"},
        ),
    ],
    mutants=[
        mutant(
            "the factor 1/b dropped",
            le(bias_sum, 0),
            "the sum over a batch has b times the gradient as its mean",
            world=_batches(2),
        )
    ],
    verdict="""Unbiasedness is used once, for E A₂ = 0, and stands in no numbered assumption. It is true of batches
        drawn afresh. E is called «number of local epochs», and within an epoch the usual passes without replacement are
        biased given the past, so for them the proof's step fails; the paper does not say how batches are drawn. Of αₜ
        it prints Σαₜ = 1 alone; here and in all claims on it αₜ >= 0, as in every strategy of Sec. 3.""",
)

CLAIMS: tuple[Claim, ...] = (ALG1, D1, D2, A0)
