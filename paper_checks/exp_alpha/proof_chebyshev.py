"""EA-E25a–E25d: A.11, from the order of the excess losses to the weights of Corollary 1.1 and the minima over steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.tilted_weights import (
    EQUAL_SIZES,
    ORDERED,
    chosen_u,
    far_from_level,
    steps_world,
    tilted,
    weights_world,
)
from validation import Case, Choice, Claim, Instance, LogScale, Signed, Space, permuted_clients, units
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

jump, tilted_mean, plain_mean, total = NOTATION.symbols("jump tilted_mean plain_mean total")
rewritten, normalised, proportional = NOTATION.symbols("rewritten normalised proportional")
last, Omega, Omega_pr = NOTATION.symbols("last Omega Omega_pr")
_ANY, _FALLING = weights_world(), weights_world(falling=True)

E25A = stated(
    r"""EA-E25a (step; A.11): Order reversed by the negation, kept by U
    Print: a_i\ge a_{i+1}\ \Rightarrow\ -a_i\le-a_{i+1}\ \Rightarrow\ \mathcal U(-a_i)\le\mathcal U(-a_{i+1})
    Plainly: The larger the scaled excess loss, the smaller the value of U.
    Assumes: U >= 0 non-decreasing | Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0
    Reading: as printed | Four kinds of U, any sizes.
    Mutant: U decreasing | a decreasing function reverses the order once more
    Rests on: EA-D5
    Verdict: The definition of a non-decreasing function, applied to negated numbers.""",
    says=le(jump, 0),
    world=ORDERED[False],
    mutants={"U decreasing": ORDERED[True]},
)

E25B = stated(
    r"""EA-E25b (step; A.11): Chebyshev's sum inequality
    Print: \sum_i\tilde\rho_i^{t+1}a_i\le\frac1N\sum_ia_i,\qquad a_i=\frac{N|\Xi_i|}{\sum_j|\Xi_j|}\Omega_i^t
    Plainly: Weights that fall as the numbers grow give a mean of at most the plain one.
    Assumes: U >= 0 non-decreasing | Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0 | ρ̃ᵢ = U(−aᵢ)/ΣU(−aⱼ), not all U(−aᵢ) zero
    Reading: as printed | Four kinds of U, any sizes, wherever the weights exist.
    Mutant: U decreasing | weights that grow with the numbers give a mean above the plain one
    Mutant: half of the plain mean | for a constant U both printed sides are equal
    Tight: U constant on the values taken, or all aᵢ equal
    Rests on: EA-E25a
    Verdict: Chebyshev's inequality for oppositely ordered sequences, whose hypothesis is EA-E25a. It needs weights
        that exist: for U(x) = max(x, 0) all U(−aᵢ) are 0 at any model that is nobody's optimum, and ρ̃ is 0/0.""",
    says=le(tilted_mean, plain_mean),
    world=_ANY,
    mutants={"U decreasing": _FALLING, "half of the plain mean": le(tilted_mean, plain_mean / 2)},
)

E25C = stated(
    r"""EA-E25c (step; A.11): From ρ̃ to ρ
    Print: \sum_i\rho_i^{t+1}\Omega_i^t\le\sum_i\rho_i\Omega_i^t,\qquad\rho_i^{t+1}
        =\frac{N|\Xi_i|}{\sum_j|\Xi_j|}\tilde\rho_i^{t+1},\ \rho_i=\frac{|\Xi_i|}{\sum_j|\Xi_j|}
    Plainly: The weighted excess under the weights of the corollary is at most the proportional one.
    Assumes: U >= 0 non-decreasing | Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0 | ρ̃ on the simplex | aggregation weights sum to
        one (Eq. 2)
    Open (twice) normalisation: Corollary 1.1 prints «∝», and (2) a sum of one; A.11 sets ρ = (N|Ξᵢ|/Σ|Ξⱼ|)ρ̃
    Reading: ρᵗ⁺¹ as A.11 defines it, whatever its sum | N|Ξᵢ|/Σ|Ξⱼ| times ρ̃ᵢ. | option normalisation = as A.11
        writes it
    Reading: its weights sum to one | As (2) requires of aggregation weights; the squared distance of the sum from 1
        must be 0. | ours: another statement: what (2) asks of weights; it shows why the choice matters
    Reading: «∝» with normalisation | The same weights divided by their sum. | option normalisation = «∝», of sum
        one
    Reading: equal sizes | |Ξᵢ| = |Ξⱼ|, as in the experiments; ρᵗ⁺¹ = ρ̃ then. | option normalisation = «∝», of sum
        one | condition: equal sizes | met by: the experiments' clients of equal sizes (Sec. 4)
    Mutant: half of the proportional excess | for a constant U and the weights of A.11 both sides are equal
    Mutant: U decreasing, weights of A.11 | EA-E25b turned round
    Tight: U constant
    Rests on: EA-E25b, EA-D3
    Verdict: With ρᵗ⁺¹ = Npᵢρ̃ᵢ it is EA-E25b rewritten. But these numbers are no aggregation weights: their sum is
        ΣNpᵢρ̃ᵢ, which is not 1 for unequal sizes, and a sum below 1 makes the left side small for no good reason.
        Normalised, as «∝» in the corollary suggests, the inequality fails: of two clients with shares 9:1 and
        excess losses 1:5 the second has the smaller product and gets more than its share, though its excess is
        larger. For equal sizes all readings agree, and it holds.""",
    says=le(rewritten, proportional),
    world=_ANY,
    readings={
        "its weights sum to one": but(le((total - 1) ** 2, 0), world=replace(_ANY, switches=(EQUAL_SIZES,))),
        "«∝» with normalisation": but(le(normalised, proportional), world=replace(_ANY, switches=(EQUAL_SIZES,))),
        "equal sizes": weights_world(equal=True),
    },
    mutants={
        "half of the proportional excess": le(rewritten, proportional / 2),
        "U decreasing, weights of A.11": _FALLING,
    },
)


def own_runs(x: Instance, *, steps: int) -> Mapping[str, Any]:
    """Ω and Ω_pr over the first steps, E = 1, full gradients, equal sizes; each on its own run from one start."""
    h, m, n = x["curvature"], x["optimum"], x["optimum"].shape[1]
    eta = (x["step"] / h.max(axis=1))[:, None]
    fine, found = np.ones(len(h), dtype=bool), []
    for tilt in (True, False):
        w, sums = x["start"][:, None], []
        for _ in range(steps):
            excess = 0.5 * h * (w - m) ** 2
            # Ωᵢ = aᵢ for equal sizes, and the shares drop out.
            a, u = tilted({**x, "share": np.full_like(m, 1 / n), "Omega": excess})
            u = u if tilt else np.ones_like(u)
            total_ = u.sum(axis=1, keepdims=True)
            fine = fine & (total_[:, 0] > 0) & (far_from_level(x, a) | (not tilt))
            rho = u / np.where(total_ > 0, total_, 1.0)
            sums.append((rho * excess).sum(axis=1))
            w = w - eta * (rho * h * (w - m)).sum(axis=1, keepdims=True)
        found.append(np.min(sums, axis=0))
    reach = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(x["start"])) ** 2
    return {"Omega": found[0], "Omega_pr": found[1], "magnitude": reach, "admissible": fine}


def own_runs_exact(x: Mapping[str, Any], *, steps: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same: the first run with weights proportional to U(-excess), the second with equal ones."""
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    eta, found, exist = x["step"] / max(h), [], True
    for tilt in (True, False):
        w, sums = x["start"], []
        for _ in range(steps):
            excess = [h[i] * (w - m[i]) ** 2 / 2 for i in range(n)]
            u = [chosen_u(x, y) for y in excess] if tilt else [Fraction(1)] * n
            exist = exist and sum(u) > 0
            rho = [v / sum(u) for v in u]
            sums.append(sum(r * y for r, y in zip(rho, excess, strict=True)))
            w = w - eta * sum(rho[i] * h[i] * (w - m[i]) for i in range(n))
        found.append(min(sums))
    met = {
        "A1, A2": min(h) > 0,
        "0 < eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "U >= 0, non-decreasing": x["level"] > 0 and 0 <= x["floor"] <= 1,
        "the weights exist": exist,
    }
    return met, {"Omega": found[0], "Omega_pr": found[1]}


def _own(n: int, steps: int) -> Case:
    drawn = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n,)),
            Signed("start", 1e-2, 1e2),
            LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
            LogScale("level", 1e-3, 1e3, at=(1.0,)),
            Choice("floor", (0.0, 0.25, 1.0)),
            Choice("kind", (0.0, 1.0, 2.0, 3.0)),
        )
    )
    scale = {"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "level": (1, 0)}
    same = (units(scale), permuted_clients({"curvature": 0, "optimum": 0}))
    name = f"{n} clients of equal sizes, {steps} steps"
    return case(name, drawn, own_runs, own_runs_exact, uses=(chosen_u,), cost=2.0, symmetries=same, steps=steps)


_OWN = World(NOTATION, tuple(_own(n, t) for n, t in ((2, 2), (2, 3), (3, 3))))

E25D = stated(
    r"""EA-E25d (step; A.11): Minima over the steps
    Print: \min_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))
        \le\min_t\sum_i\rho_i(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))
    Plainly: What holds at every step holds for the smallest values over the steps.
    Assumes: U >= 0 non-decreasing | Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0 | ρᵗ⁺¹ as A.11 defines it
    Open (nowhere) models: A.11 writes W̄ᵗ on both sides; Ω and Ω_pr belong to two trainings
    Reading: one common sequence of models | The same W̄ᵗ on both sides, as A.11 writes it; excess losses free at
        every step. | option models = one sequence
    Reading: each strategy on its own run | As Ω and Ω_pr are defined for two trainings from one start; minima over
        the first two or three steps, equal sizes, E = 1, full gradients. | option models = each its own
    Mutant: the last step in place of the minimum | the last step may have the largest excess losses of all
    Mutant: U decreasing | then the inequality is turned round at every step
    Tight: U constant
    Rests on: EA-E25c
    Verdict: From an inequality at each step of one sequence the one of the minima follows. But Ω belongs to a
        training with the new weights and Ω_pr to one with proportional weights, and these visit different models.
        On their own runs the inequality fails even for equal sizes and two clients: weights that leaned away from
        one client on the first step slow the descent of the mean loss, and once U treats both alike the
        proportional run is ahead. The proof writes W̄ᵗ on both sides; the definitions do not say whose it is.""",
    says=le(Omega, Omega_pr),
    world=steps_world((1, 2), (2, 2), (3, 5), (20, 3)),
    readings={"each strategy on its own run": _OWN},
    mutants={
        "the last step in place of the minimum": but(le(last, Omega_pr), world=steps_world((2, 2), (3, 3))),
        "U decreasing": steps_world((2, 2), (3, 2), falling=True),
    },
)

CLAIMS: tuple[Claim, ...] = (E25A, E25B, E25C, E25D)
