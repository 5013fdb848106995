"""A.1: two lemmas quoted from other papers, on local updates and on the tuning of a step size."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.one_curvature import one_curvature
from paper_checks.fedaware.rounds import both_noises, one_round
from paper_checks.fedaware.settings import TUNED_RATE
from validation import Claim, Instance, LogScale, Space, Uniform
from validation.world import World, case, le, lemma, mutant, reading

__all__ = ["CLAIMS"]

K, eta_l, sigma2, sg2, grad = NOTATION.symbols("K eta_l sigma2 sg2 grad")
farthest, mean_farthest, widest = NOTATION.symbols("farthest mean_farthest widest")
tuned, root_b, root_e, linear = NOTATION.symbols("tuned root_b root_e linear")

_LA1 = 5 * K * eta_l**2 * (sigma2 + 6 * K * sg2 + 6 * K * grad)
_EACH = le(farthest, _LA1.subs(sg2, widest))
_WIDE = tuple(one_round(N, k, convex=False) for N, k in ((1, 1), (2, 3), (3, 20), (20, 3)))
_LONG = World(NOTATION, (*_WIDE, one_round(2, 100, convex=False)))

LA1 = lemma(
    "FA-LA1",
    "Lemma A.1, A.1 (quoted from Reddi et al. 2020)",
    "Bounded local updates",
    printed=r"\mathbb E\|x_i^{t,k}-x^t\|^2\le5K\eta_l^2\big(\sigma_l^2+6K\sigma_g^2+6K\|\nabla f(x^t)\|^2\big)",
    plainly="Every client's local model stays near the broadcast model.",
    assumes=[
        "Σλᵢ‖∇fᵢ(x) − ∇f(x)‖² <= σ_g² for all x (A4.1)",
        "every fᵢ is L-smooth (A4.2)",
        "unbiased gradients of variance at most σ_l² (A4.3)",
        "η_l <= 1/(8LK); for (7) also 1/(√cKL) <= η_l",
    ],
    says=le(farthest, _LA1),
    world=one_curvature(),
    readings=[
        reading(
            "for every client",
            "As printed, for all i, with A4.1 at every x: a bound on the mean over clients of the dissimilarity.",
            because="«For all client i ∈ [N]», under Assumption 4.1, which bounds «the averaged global variance»",
        ),
        # beyond 30 steps, where K² outweighs 30K; its exact numbers stay short enough
        reading(
            "for every client, each within σ_g²",
            "‖∇fᵢ − ∇f‖² <= σ_g² for every client.",
            _EACH,
            world=World(NOTATION, (*_WIDE, one_round(2, 40, convex=False))),
            conditions=["‖∇fᵢ(x) − ∇f(x)‖² <= σ_g² for every client"],
        ),
        reading(
            "averaged over the clients with λ",
            """As in the paper it is quoted from: the mean over clients on the left. Of A4.1 the broadcast model alone is
                used.""",
            le(mean_farthest, _LA1),
            world=both_noises(),
            edits=["the mean over the clients on the left, in place of «for all client i»"],
            because="so in the paper it is quoted from; nothing in this paper prints it",
        ),
    ],
    mutants=[
        mutant(
            "dissimilarity dropped",
            le(farthest, 5 * K * eta_l**2 * (sigma2 + 6 * K * grad)),
            "at a stationary point of f without noise the right side is 0, but the clients move",
            world=_LONG,
        ),
        mutant(
            "K in place of K²",
            le(farthest, 5 * K * eta_l**2 * (sigma2 + 6 * widest + 6 * grad)),
            "K steps along a slope move K times as far, and K² exceeds 30K for K > 30",
            world=_LONG,
        ),
    ],
    rests_on=["FA-A4.1", "FA-A4.2", "FA-A4.3"],
    verdict="""For all clients at once the lemma holds when each client is within σ_g² of the mean gradient; under A4.1,
        which bounds only the mean over the clients, it does not. Table 1 lists the bound for each client, but no
        assumption and no experiment of the paper uses it. Under A4.1 a client of weight λᵢ may have a slope as large as
        σ_g/√λᵢ, and it leaves the ball when λᵢ < 1/30. Averaged over the clients, as in the paper that the lemma is
        quoted from, it holds under A4.1. L is that of A4.2.""",
)


def tuned_step(x: Instance, *, nothing: bool = False) -> Mapping[str, Any]:
    """Ψ at the step min{(r₀/bT)^½, (r₀/eT)^⅓, 1/d}; b and e are given by these roots, so that all is rational.

    `absent`: 1 if b, e or d is 0, whose step then does not count; `nothing`: all three are 0, and any step will do.
    """
    R, s, u, d = x["R"], x["by_b"], x["by_e"], x["d"]
    kept = np.zeros((len(R), 3), dtype=bool) if nothing else x["absent"] < 0.5
    sized = np.where(kept, np.stack([s, u, 1 / d], axis=1), np.inf).min(axis=1)
    step = np.where(kept.any(axis=1), sized, s)
    b, e, d = R / s**2 * kept[:, 0], R / u**3 * kept[:, 1], d * kept[:, 2]
    terms = {"root_b": R / s * kept[:, 0], "root_e": R / u * kept[:, 1], "linear": d * R}
    return {"tuned": R / step + b * step + e * step**2, **terms, "admissible": kept.any(axis=1) | nothing}


def tuned_step_exact(x: Mapping[str, Any], *, nothing: bool = False) -> Checked:
    """R = r0/T, b = R/s^2, e = R/u^3, or 0 where absent; where b = e = d = 0 every step s gives R/s > 0."""
    R, s, u, d, zero = x["R"], x["by_b"], x["by_e"], x["d"], Fraction(0)
    kept = [not nothing and 2 * y < 1 for y in x["absent"]]
    step = min((v for v, k in zip((s, u, 1 / d), kept, strict=True) if k), default=s)
    b, e, d = R / s**2 if kept[0] else zero, R / u**3 if kept[1] else zero, d if kept[2] else zero
    met = {
        "r0 > 0, steps positive": R > 0 and min(s, u) > 0,
        "one of b, e and d > 0 where asked": nothing or max(b, e, d) > 0,
    }
    terms = {"root_b": b * s, "root_e": e * u**2, "linear": d * R}
    return met, {"tuned": R / step + b * step + e * step**2, **terms}


def _tuned(name: str, *, nothing: bool = False) -> World:
    steps = (LogScale(name, 1e-6, 1e6, at=(1e-6, 1.0, 1e6)) for name in ("by_b", "by_e", "d"))
    space = Space((LogScale("R", 1e-6, 1e6), *steps, Uniform("absent", 0.0, 1.0, (3,), at=(0.0, 1.0))))
    return World(NOTATION, (case(name, space, tuned_step, tuned_step_exact, nothing=nothing),))


_SOME = _tuned("one of b, e and d positive")

LA2 = lemma(
    "FA-LA2",
    "Lemma A.2, A.1 (quoted from Koloskova et al. 2020)",
    "Tuning the step size",
    printed=r"""\Psi_T:=\frac{r_0}{\eta T}+b\eta+e\eta^2\le2\Big(\frac{br_0}T\Big)^{1/2}+2e^{1/3}\Big(\frac{r_0}T
        \Big)^{2/3}+\frac{dr_0}T""",
    plainly="Some constant step at most 1/d makes the sum as small as a square root, a cube root and dr₀/T.",
    assumes=["r₀, b, e, d >= 0", "η = min{(r₀/bT)^½, (r₀/eT)^⅓, 1/d}"],
    says=le(tuned, 2 * root_b + 2 * root_e + linear),
    world=_tuned("b = e = d = 0", nothing=True),
    readings=[
        reading(
            "any parameters >= 0",
            "As printed, zeros allowed: b = e = d = 0 with r₀ > 0, any step.",
            cuts={"parameters": "zeros, which «>= 0» allows"},
        ),
        reading(
            "r₀ > 0 and one of b, e and d positive",
            "The step of the usual proof; the entries of a minimum over absent parameters do not count.",
            world=_SOME,
            conditions=["r₀ > 0", "one of b, e and d positive"],
            met_by=TUNED_RATE,
        ),
    ],
    mutants=[
        mutant(
            "1 in place of the first 2",
            le(tuned, root_b + 2 * root_e + linear),
            "for e and d near 0 the least value of r₀/(ηT) + bη is 2(br₀/T)^½",
            world=_SOME,
        )
    ],
    tight="e and d near 0",
    verdict="""With r₀ > 0 and one of b, e and d positive the usual step proves it. At the boundary that the print
        includes it fails for a trivial reason: with b = e = d = 0 and r₀ > 0 the right side is 0, and r₀/(ηT) is not,
        whatever the step (with r₀ = 0 < b the least value 0 is not attained by a positive step either). Nothing in the
        paper depends on that boundary.""",
)

CLAIMS: tuple[Claim, ...] = (LA1, LA2)
