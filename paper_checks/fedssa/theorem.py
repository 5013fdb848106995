"""App. A, Theorem A.5 and its constants: runs of FedSSA with weights that differ from the objective's."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.drawn_runs import line_runs, still_runs, whole_runs
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.settings import COROLLARY
from theory.quantities import weight_discrepancy
from theory.quantities.fedssa_terms import drift_constant
from validation import (
    Case,
    Choice,
    Claim,
    Family,
    Instance,
    Integer,
    LogScale,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
)
from validation.world import Le, at, definition, identity, le, lt, mutant, reading, remark, theorem
from validation.world.world import World, case, numbers

__all__ = ["CLAIMS", "DENOMINATOR", "PRINTED", "REPAIRED", "TERMS", "bound_again", "repaired_again"]

K, W_D, tau, C, A, length = NOTATION.symbols("K W_D tau C A length")
W_split, gap2_largest = NOTATION.symbols("W_split gap2_largest")
DENOMINATOR = 1 - C - 2 * A * C - W_D * (1 - C)


def weightings(x: Instance, *, matched: bool = False) -> Mapping[str, Any]:
    """W_D of p and weights, also with client 1 split in two halves, and their largest squared gap.

    Weights are `weights`, or p moved the part `part` of the way to `other`, or p where `matched`. With `ratio` five
    clients, p in geometric proportion of it, w equal. C at ηL = length/(2τ).
    """
    if "ratio" in x:
        p = x["ratio"][:, None] ** np.arange(5)
        p = p / p.sum(axis=1, keepdims=True)
        w = np.full_like(p, 0.2)
    else:
        p = x["share"]
        w = x["weights"] if "weights" in x else p + (0 if matched else x["part"][:, None]) * (x["other"] - p)
    gap, halves = (
        weight_discrepancy(w, p),
        [np.concatenate([v[:, :1] / 2, v[:, :1] / 2, v[:, 1:]], axis=1) for v in (w, p)],
    )
    found = {"W_D": gap, "W_split": weight_discrepancy(*halves), "gap2_largest": ((p - w) ** 2).max(axis=1)}
    found |= {"K": np.full(len(p), float(p.shape[1])), "magnitude": np.ones(len(p))}
    if "length" in x:
        steps: Any = x["tau"]
        found["C"] = drift_constant(n_local_steps=steps, local_lr=x["length"] / (2 * steps), L=1.0)
        found |= {"A": x["A"], "tau": steps, "length": x["length"], "magnitude": 1 + gap + x["A"]}
    return found


def weightings_exact(x: Mapping[str, Any], *, matched: bool = False) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same, entry by entry."""
    if "ratio" in x:
        raw = [Fraction(1), *(x["ratio"] ** k for k in (1, 2, 3, 4))]
        p, w = [v / sum(raw) for v in raw], [Fraction(1, 5)] * 5
    else:
        p, part = x["share"], 0 if matched else x.get("part", 1)
        w = [(1 - part) * a + part * b for a, b in zip(p, x["weights"] if "weights" in x else x["other"], strict=True)]
    squares = [(a - b) ** 2 for a, b in zip(p, w, strict=True)]
    n, whole = len(p), sum(squares)
    met = {"p and w on the simplex": sum(p) == sum(w) == 1 and min([*p, *w]) >= 0}
    found = {"W_D": 2 * n * whole, "W_split": 2 * (n + 1) * (whole - squares[0] / 2), "gap2_largest": max(squares)}
    if "length" in x:
        met["eta L <= 1/(2 tau), A > 0"] = 0 < x["length"] <= 1 and x["A"] > 0
        C = 2 * x["tau"] * (x["tau"] - 1) * (x["length"] / (2 * x["tau"])) ** 2
        found |= {"C": C, "A": x["A"], "tau": Fraction(x["tau"]), "length": x["length"]}
    return met, {**found, "K": Fraction(n)}


def _pairs(*at: int, steps: tuple[Any, ...] = (), matched: bool = False) -> World:
    """Up to 300 clients, or as many as given; `steps`: A, τ and the length of the step, w then on the way from p."""

    def one(K: float) -> Case:
        n, other = int(K), "other" if steps else "weights"
        drawn = Simplex("share", n), Simplex(other, n), *((LogScale("part", 1e-4, 1.0),) if steps else ()), *steps
        same, cost = (permuted_clients({"share": 0, other: 0}),), max(1.0, n / 40)
        how: dict[str, Any] = {"cost": cost, "symmetries": same, "matched": matched}
        return case(f"{n} clients", Space(drawn), weightings, weightings_exact, **how)

    cases = tuple(one(K) for K in at) or (Family("p and w", (Size("K", 1, 300, 3),), one),)
    return World(NOTATION, cases)


def parts_again(K: Any, W_D: Any) -> Any:
    """W_D/(2K) once more."""
    return W_D / K / 2


def most_again(K: Any) -> Any:
    """4K once more."""
    return 2 * K + K * 2


D2 = definition(
    "SSA-D2",
    "Theorem A.5, definition of W_D",
    "Weight discrepancy",
    printed=r"W_D=2K\Big[\sum_{k=1}^K(p_k-w_k)^2\Big]",
    plainly="W_D is a distance between the two weight vectors: 0 only where they agree, and at most 4K on the simplex.",
    assumes=["p and w on the simplex"],
    says=le(gap2_largest, W_D / (2 * K), again=parts_again),
    world=_pairs(),
    readings=[
        reading("0 only at w = p", "(pₖ − wₖ)² <= W_D/(2K) for every client.", part="0 only at w = p"),
        reading("at most 4K", "W_D <= 4K.", le(W_D, 4 * K, again=most_again), part="at most 4K"),
    ],
    mutants=[
        mutant(
            "at most 2K",
            le(W_D, 2 * K),
            "p and w on two different clients are as far apart as weights can be",
            at(share=[0, 1], weights=[1, 0]),
            world=_pairs(2),
        ),
        mutant(
            "the same however clients are split",
            le(abs(W_D - W_split), 0),
            "splitting client 1 replaces K·d₁² by (K + 1)·d₁²/2",
            at(share=[0, 1], weights=[1, 0]),
            world=_pairs(2),
        ),
    ],
    tight="one client with all the gap; p and w on two different clients",
    verdict="""Well defined, non-negative, 0 exactly at w = p. It grows with the number of clients: for a target that is
        one client's distribution (p one-hot) equal weights have W_D = 2(K − 1), above the 1 at which the bound of
        Theorem A.5 ends, for every K >= 2. It also changes when a client is split in two identical halves, which
        changes nothing else.""",
)


def drift_again(tau: Any) -> Any:
    """(τ − 1)/(2τ) once more."""
    return 1 / 2 - 1 / (2 * tau)


def _step(most: float = 1.0) -> World:
    drawn = Integer("tau", 1, 10**4, at=(2, 3)), LogScale("length", 1e-4, most, at=(most,))
    return numbers(NOTATION, f"ηL up to {most:g}/(2τ)", *drawn)


_C = 2 * tau * (tau - 1) * (length / (2 * tau)) ** 2
D3 = definition(
    "SSA-D3",
    "Theorem A.5, definition of C",
    "Drift constant",
    printed=r"C=2\tau(\tau-1)\eta^2L^2\le\tfrac{\tau-1}{2\tau}<1",
    written="the member (τ − 1)/(2τ)",
    plainly="Under the step size ηL <= 1/(2τ) the drift constant C is at most (τ − 1)/(2τ), and so below 1, as printed.",
    assumes=["ηL <= 1/(2τ), τ >= 1"],
    says=le(_C, (tau - 1) / (2 * tau), again=drift_again),
    world=_step(),
    readings=[
        reading("under the theorem's step", "C <= (τ − 1)/(2τ), which is below 1/2.", part="under the theorem's step"),
        reading(
            "at the largest step",
            "Equal there.",
            identity(_C.subs(length, 1), (tau - 1) / (2 * tau)),
            part="at the largest step",
        ),
    ],
    mutants=[
        mutant(
            "twice the step",
            le(_C, 1),
            "at ηL = 1/τ C is 2(τ − 1)/τ, above 1 for τ >= 3",
            at(tau=3, length=2),
            world=_step(2.0),
        )
    ],
    tight="ηL = 1/(2τ)",
    rests_on=["SSA-S20"],
    verdict="""«C < 1» is no further hypothesis: the step size gives C <= (τ − 1)/(2τ) < 1/2. It is 0 for a single local
        step.""",
)


def _steps(A: tuple[float, float] = (1e-3, 1e4), most: int = 1000) -> tuple[Any, ...]:
    """A, τ up to `most` and the length of the step."""
    steps = Choice("tau", (1.0,)) if most == 1 else Integer("tau", 1, most, at=(2, 10))
    return LogScale("A", *A), steps, LogScale("length", 1e-3, 1.0, at=(1.0,))


def _settings(name: str, ratio: Choice | Uniform, most: int = 1000) -> World:
    """Equal weights of five clients for the targets of NIID-1, τ up to `most`."""
    return World(NOTATION, (case(name, Space((ratio, *_steps(most=most))), weightings, weightings_exact),))


# NIID-1, classes dealt in order: the part of the target that a client has against that of the one before it.
_STEEP = (0.0, *(rho ** (-c / 5 / (c - 1)) for rho in (100, 50) for c in (10, 100)))  # Skew, Imb-A and Imb-B
_MILD = Uniform("ratio", 0.5995, 1.0)  # from Imb-10 on ten classes, 10^(−2/9), to Uniform
_POSITIVE = le(-DENOMINATOR, 0)
D4 = remark(
    "SSA-D4",
    "Theorem A.5, denominator",
    "Sign of the denominator",
    printed=r"\text{presupposed where the error «will be bounded»:}\quad1-C-2AC-W_D(1-C)>0",
    plainly="The denominator of Theorem A.5 is positive, as its use as an upper bound presupposes.",
    assumes=["ηL <= 1/(2τ), A > 0", "p and w on the simplex"],
    says=_POSITIVE,
    world=_pairs(steps=_steps()),
    readings=[
        reading("any weights", "Under the hypotheses of the theorem, whatever w."),
        reading(
            "w = p",
            "The weights that Remark A.6 calls optimal.",
            world=_pairs(steps=_steps(), matched=True),
            cuts={"weights": "w = p, Remark A.6"},
        ),
        reading(
            "the paper's own settings, equal weights",
            """NIID-1, five clients, targets Skew, Imb-A and Imb-B, ten or a hundred classes: W_D is 8, 2.8 (2.4) and
                2.2 (1.9).""",
            world=_settings("Skew, Imb-A, Imb-B", Choice("ratio", _STEEP)),
            cuts={"weights": "equal, targets Skew, Imb-A and Imb-B of NIID-1"},
        ),
        reading(
            "milder targets, equal weights, τ = 1",
            "NIID-1, five clients, from Imb-10 on ten classes, where W_D is 0.92, to Uniform, where it is 0.",
            world=_settings("Imb-10 to Uniform", _MILD, most=1),
            conditions=["W_D < 1", "τ = 1"],
            because="no experiment has τ = 1 (E_local = 2, 5, 10, 20)",
        ),
        reading(
            "small steps, weights near p",
            "ηL <= 1/(2τ√(1 + 2A)) and W_D <= 1/2.",
            where=[le(length**2 * (1 + 2 * A), 1), le(2 * W_D, 1)],
            conditions=["ηL <= 1/(2τ√(1 + 2A))", "W_D <= 1/2"],
            met_by=COROLLARY,
        ),
    ],
    mutants=[
        mutant(
            "w = p and A <= 2",
            None,
            "at ηL = 1/(2τ) and large τ C is near its largest value, and 1 − C − 2AC < 0 for moderate A",
            world=_pairs(2, steps=_steps((1e-3, 2.0)), matched=True),
        ),
        mutant(
            "milder targets with more local steps",
            None,
            "milder targets leave less than 2AC takes",
            at(ratio=1, A=1, tau=7, length=1),
            world=_settings("Imb-10 to Uniform", _MILD),
        ),
    ],
    rests_on=["SSA-D2", "SSA-D3", "SSA-S20"],
    repeats="SSA-TA5",
    written="the sign of the denominator, which is printed nowhere",
    verdict="""It needs conditions that are not printed: ηL <= 1/(2τ√(1 + 2A)) and W_D <= 1/2 will do, and Corollary A.8
        (W_D = 0, η = 1/√(τT)) meets them for T >= 4(1 + 2A)τL². Then C(1 + 2A) < 1/2, and the denominator is at least
        1/(4(1 + 2A)). «> 0» stands nowhere; «will be bounded» (A.5) and «the denominator in the upper bound becomes the
        largest» (A.6) presuppose it. The theorem's own step does not give it, even at w = p: C may be near 1/2, which
        leaves 1/2 − A, and A >= 1 is usual. Equal weights for a one-client target have W_D = 2(K − 1) >= 2; for Imb-A
        and Imb-B in NIID-1, p the nearest mixture (SSA-D9), with ten classes and neighbouring ones on a client W_D is
        about 2.8 and 2.2; only from about Imb-10 on (0.92) is it below 1. The sign is counted once, at SSA-TA5.""",
)

eta, T, L, B, drop, noise, square_weights, D = NOTATION.symbols("eta T L B drop noise square_weights D")
low, average = NOTATION.symbols("low average")
TERMS = (
    2 * (1 - C) * drop / (tau * eta * T),
    (1 - C) * B * W_D,
    2 * (1 - C) * L * eta * noise * square_weights,
    2 * (tau - 1) * noise * L**2 * eta**2,
    2 * B * C,
)
PRINTED = sum(TERMS) / DENOMINATOR
_KEPT = 1 - C - 2 * A * C - A * W_D * (1 - C)
REPAIRED = sum(TERMS) / _KEPT


def bound_again(
    tau: Any, eta: Any, T: Any, L: Any, C: Any, A: Any, B: Any, W_D: Any, drop: Any, noise: Any, square_weights: Any
) -> Any:
    """The right side of Theorem A.5 once more, everything over (1 − C)."""
    inner = 2 * drop / (tau * eta * T) + B * W_D + 2 * L * eta * noise * square_weights
    inner = inner + (2 * (tau - 1) * noise * (L * eta) ** 2 + 2 * B * C) / (1 - C)
    return inner / (1 - 2 * A * C / (1 - C) - W_D)


def repaired_again(
    tau: Any, eta: Any, T: Any, L: Any, C: Any, A: Any, B: Any, W_D: Any, drop: Any, noise: Any, square_weights: Any
) -> Any:
    """The repaired right side once more."""
    inner = drop / T / (tau * eta / 2) + 2 * L * eta * noise * square_weights + B * W_D
    inner = inner + 2 * ((tau - 1) * noise * (L * eta) ** 2 + B * C) / (1 - C)
    return inner / (1 - A * W_D - 2 * A * C / (1 - C))


# The smallest squared gradient is at most the first, and that at most 2L times the first gap.
_LEAST = le(low, PRINTED, again=bound_again, trivial=2 * L * drop)
_MEAN = "the mean squared gradient of a run that diverges is as large as one likes, whatever its first gap"
_WHOLE = le(average, REPAIRED, again=repaired_again, trivial=_MEAN)


def _without(term: int) -> Le:
    """The repaired bound less one of its terms."""
    return le(average, (sum(TERMS) - TERMS[term - 1]) / _KEPT)


_RUNS, _POSITIVE_D = whole_runs(lt(0, D)), lt(0, D)
SSA_TA5 = theorem(
    "SSA-TA5",
    "Theorem A.5, Appendix A; proof E.2",
    "Optimisation error under weight discrepancy",
    printed=r"""\min_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2\le\frac1T\sum_{t=0}^{T-1}\mathbb E\|\nabla F(\theta^{(t,
        0)})\|^2\le\frac{T_1+T_2+T_3+T_4+T_5}{1-C-2AC-W_D(1-C)}""",
    plainly="The smallest and the mean squared gradient over T rounds are below (T₁+…+T₅)/(1 − C − 2AC − W_D(1 − C)).",
    assumes=[
        "every F_k is L-smooth, F bounded below, gradients unbiased with variance at most σ² at each client",
        "‖∇F_k‖² <= A‖∇F‖² + B for every k everywhere, A, B > 0",
        "ηL <= 1/(2τ); Σp_k = 1",
        "in every reading p and w on the simplex; in all but two w fixed and the clients' noises independent",
    ],
    says=_LEAST,
    world=line_runs(),
    readings=[
        reading(
            "denominator of any sign",
            "Nothing is said of the denominator; where it is negative the right side is too.",
            cuts={"denominator": "negative"},
            because="ηL <= 1/(2τ) and C < 1, all that is printed, leave the denominator's sign open",
        ),
        reading(
            "denominator positive",
            "Only instances with a positive denominator; the smallest of the squared gradients.",
            world=still_runs(20),
            where=[_POSITIVE_D],
            because="the A of (29) to (31) is lost in (52); A.4 forces A >= 1 wherever ∇F is unbounded",
            shown=True,
        ),
        reading(
            "weights learned from the local models",
            """Ours: Algorithm 1 learns weights from the local models, so that they may see the samples; that it gives these
                is not shown. W_D and Σw² at their largest over the noise; A <= 1 and a positive denominator, so that
                nothing else is in the way.""",
            world=whole_runs(_POSITIVE_D, small=True, learned=True, average=False),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            used_by="FedSSA (Algorithm 1): {w_k^t} := arg min L_SSA({θ_k^t}, …)",
            ours="""the theorem prints w_k without t, and Σw_k² and W_D outside every expectation: constants of the run;
                the largest over the noise is ours""",
        ),
        reading(
            "noise shared between the clients",
            """Ours: A.3 is about each client by itself, though the proof says «independent» below (24). One coin a step
                moves them all; A <= 1, a positive denominator, w fixed.""",
            world=whole_runs(_POSITIVE_D, small=True, shared=True, average=False),
            ours="the proof states independence below (24): «clients are independent to each other»",
        ),
        reading(
            "A <= 1, denominator positive, w fixed, noises independent",
            "Clients with different gradients and A = 1; the mean squared gradient.",
            le(average, PRINTED, again=bound_again, trivial=_MEAN),
            world=whole_runs(_POSITIVE_D, small=True),
            conditions=["A <= 1", "1 − C − 2AC − W_D(1 − C) > 0"],
            because="""no named setting: A.4 forces A >= 1 where ∇F is unbounded, and A > 1 where ⟨∇F, ∇Fₖ − ∇F⟩ is, too""",
        ),
        reading(
            "denominator positive, A·W_D in place of W_D",
            """The factor A of (29), lost between (31) and (52), restored; w fixed, noises independent; the mean squared
                gradient.""",
            _WHOLE,
            world=_RUNS,
            conditions=[
                "1 − C − 2AC − A·W_D(1 − C) > 0",
                "weights fixed before the run",
                "noises of the clients independent",
            ],
            edits=["A·W_D in place of W_D in the denominator"],
            token=True,
            forced_by="(30), (31) and the first line of (52) print 1 − A·W_D",
        ),
    ],
    mutants=[
        mutant(
            "initial gap T₁ dropped from the repaired bound",
            _without(1),
            "with T = 1, no noise, w = p and τ = 1 the rest is 0 while the start has a gradient",
            world=_RUNS,
        ),
        mutant(
            "weight discrepancy T₂ dropped from the repaired bound",
            _without(2),
            "without noise, τ = 1, started where w settles T₁ falls with T and the gradient of F stays",
            world=_RUNS,
        ),
        mutant(
            "noise term T₃ dropped from the repaired bound",
            _without(3),
            "one client started at its optimum with τ = 1 leaves only noise, and T₁ = T₂ = T₄ = T₅ = 0",
            world=_RUNS,
        ),
        mutant(
            "drift term T₅ dropped from the repaired bound",
            _without(5),
            "w = p and no noise, started where two local steps settle: T₁ falls with T and the gradient of F stays",
            world=_RUNS,
        ),
    ],
    rests_on=["SSA-E28", "SSA-E31", "SSA-E52"],
    verdict="""Refuted as printed: even with a positive denominator the gradients can exceed the bound; with A·W_D in
        place of W_D in the denominator no violation was found, for any A, where that is positive. (30), (31) and the first line of
        (52) print 1 − A·W_D; the second line of (52) has 1 − W_D, an upper bound only if A <= 1, while A.4 forces A >=
        1 wherever ∇F is unbounded. Two convex clients are enough: with all weight on one whose loss is constant the
        model stays, but for noise, where it starts, and the gradient of F there is large, while the bound pays B·W_D as
        if A were 1. At W_D = 0
        (Corollary A.8) the lost A plays no part. The denominator's sign is never asked for; negative, it bounds
        nothing. It is no misprint: the second line of (52), (53), (55), (56) and the theorem all carry the wrong form, and
        Remark A.7 uses it. Fixed weights and independent clients are taken as the paper has them; FedSSA's learned
        weights are counted at SSA-E17.""",
)

CLAIMS: tuple[Claim, ...] = (SSA_TA5, D2, D3, D4)
