"""EA-E12, E22: the cross term A₂ of one step, where it is expanded and where (22) leaves it out."""

from __future__ import annotations

from typing import Any

from sympy import Abs

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.seen_steps import ANY, BEFORE_SAMPLES, PAST, apart_step
from validation import Claim, Instant
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import identity, le
from validation.statement.vectors import inner, square, vectors
from validation.world.stated import but, stated
from validation.world.world import World

__all__ = ["CLAIMS"]

eta, mu, L, before, drift, Omega, Gamma, A2 = NOTATION.symbols("eta mu L before drift Omega Gamma A2")
x, g, g_bar = vectors("x g g_bar")
_STEP = Domain((Parameter("eta"),))
_A1 = square(x - eta * g_bar)
_A2 = 2 * eta * inner(x - eta * g_bar, g_bar - g)
_NOISE = eta**2 * square(g_bar - g)
_SEEN = (float(Instant.AFTER_STEP),)
_ALL = World(NOTATION, tuple(apart_step(n, ANY) for n in (1, 2, 3)), switches=(BEFORE_SAMPLES,))
_NO_MEAN = le(Abs(A2), 0)

E12 = stated(
    r"""EA-E12 (step; A.10, proof of Lemma 1, (12)): The step expanded
    Print: \|\bar{\mathbf W}^{t+1}-\mathbf W^*\|^2
        =\underbrace{\|\bar{\mathbf W}^t-\mathbf W^*-\eta_t\bar{\mathbf g}_t\|^2}_{A_1}
        +\underbrace{2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*-\eta_t\bar{\mathbf g}_t,\bar{\mathbf g}_t
        -\mathbf g_t\rangle}_{A_2}+\eta_t^2\|\bar{\mathbf g}_t-\mathbf g_t\|^2,\quad\mathbb E[A_2]=0
    Plainly: The squared distance after a step splits into a part without noise, a cross term of mean 0 and the
        noise.
    Assumes: W̄ᵗ⁺¹ = W̄ᵗ − ηₜgₜ, ḡₜ = Σρᵢᵗ⁺¹∇Fᵢ(Wᵢᵗ) | samples independent with mean ∇Fᵢ | x stands for W̄ᵗ − W*
    Reading: the expansion | For all vectors of all dimensions. | part: the expansion
    Reading: E[A₂] = 0, weights that may see the samples | Exp-α's weights are functions of the round's own local
        models. | part: E[A₂] = 0 | cut weights = see the round's samples | sees: after the step | used by: Exp-α's
        own weights (Algorithm 1) are computed from the round's local models | because: A.8 prints «ḡ_t = E[g_t] =
        Σρ_i^{t+1}∇F_i(W_i^t)» as a consequence, not as a hypothesis on the weights
    Reading: E[A₂] = 0, weights fixed before the samples | Given the past; W̄ᵗ under other weights than ρᵗ⁺¹
        included. | part: E[A₂] = 0 | condition: weights chosen before the round's samples | met by: FedAvg with
        proportional weights (Table 1)
    Mutant: factor 2 of A₂ dropped | the cross term of a square counts twice, and it may be positive
    Mutant: E[A₂] = 0 with weights that see the samples | the client whose noise is positive gets the weight: the
        noise then has a mean
    Rests on: EA-VS
    Repeats: EA-VS
    Verdict: The expansion is exact. The cross term has mean 0 if the weights do not see the samples of the step, as
        proportional weights do not: given the past, everything in it but gₜ is then fixed. With weights that depend
        on the samples, as Exp-α's do, both ḡₜ and the mean of the noise move with them and E[A₂] may have either
        sign. «Time-varying» weights are not restricted in this. Lemma 1 is published without expectation, where A₂
        does not vanish at all (EA-E22).""",
    says=identity(square(x - eta * g), _A1 + _A2 + _NOISE),
    readings={
        "E[A₂] = 0, weights that may see the samples": but(_NO_MEAN, world=_ALL),
        "E[A₂] = 0, weights fixed before the samples": but(
            _NO_MEAN, world=World(NOTATION, tuple(apart_step(n, PAST) for n in (1, 2, 3)))
        ),
    },
    mutants={
        "factor 2 of A₂ dropped": VectorInequality(square(x - eta * g), _A1 + _A2 / 2 + _NOISE, _STEP),
        "E[A₂] = 0 with weights that see the samples": but(_NO_MEAN, world=World(NOTATION, (apart_step(2, _SEEN),))),
    },
)


def collected_again(eta: Any, mu: Any, L: Any, before: Any, drift: Any, Omega: Any, Gamma: Any) -> Any:
    """The right side of (22) without the noise, once more."""
    return before + 2 * (drift + eta * (Gamma - Omega)) + eta * (6 * L * eta * Omega - mu * before)


_FROM_A1 = (1 - eta * mu) * before + drift
_FROM_C = 6 * eta**2 * L * Omega + 2 * eta * (Gamma - Omega) + drift
_TWENTYTWO = (1 - eta * mu) * before + 2 * drift + 6 * L * eta**2 * Omega + 2 * eta * (Gamma - Omega)
_COLLECTED = le(_FROM_A1 + _FROM_C + A2, _TWENTYTWO, again=collected_again)

E22 = stated(
    r"""EA-E22 (step; A.10, proof of Lemma 1, (22)): The pieces collected
    Print: \|\bar{\mathbf W}^{t+1}-\mathbf W^*\|^2
        \le(1-\eta_t\mu)\|\bar{\mathbf W}^t-\mathbf W^*\|^2+2\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2
        +6L\eta_t^2\Omega+2\eta_t(\Gamma-\Omega)+\eta_t^2\|\bar{\mathbf g}_t-\mathbf g_t\|^2
    Plainly: The bounds on A₁ and C are added, and the cross term A₂ is left out.
    Assumes: A₁ <= (1 − ημ)‖x‖² + Σρ‖W̄ − Wᵢ‖² + C | C <= 6η²LΩ + 2η(Γ − Ω) + Σρ‖W̄ − Wᵢ‖², the end of (21) | x
        stands for W̄ᵗ − W*
    Open (twice) expectation: (22) and Lemma 1 print no expectation; the proof leaves A₂ out because «E[A₂] = 0»,
        and (7) uses the lemma for Δ_t = E‖W̄^t − W*‖²
    Reading: A₂ left out path by path | (22) prints no expectation: ‖x − ηg‖² <= A₁ + η²‖ḡ − g‖² for whatever
        samples. | option expectation = none, as (22)
    Reading: A₂ left out on average, weights that may see the samples | E A₂ <= 0 over the samples; Exp-α's weights
        are functions of the round's own local models. | option expectation = E on both sides, as «E[A₂] = 0» | cut
        weights = see the round's samples | sees: after the step | used by: Exp-α's own weights (Algorithm 1) are
        computed from the round's local models
    Reading: on average, weights fixed before the samples | The bounds on A₁ and C, each as large as it may be, and
        E A₂ against the right side of (22). | option expectation = E on both sides, as «E[A₂] = 0» | condition:
        weights chosen before the round's samples | met by: FedAvg with proportional weights (Table 1)
    Mutant: divergence counted once | it comes from (17) and again from (20)
    Mutant: 6Lηₜ²Ω dropped | it comes from the end of (21), and Ω may be positive
    Mutant: the condition removed | the client whose noise points away from W* may be the one that gets the weight
    Rests on: EA-E12, EA-E18b, EA-E21e
    Repeats: EA-E12
    Verdict: The coefficients are right: the divergence comes once from (17) and once from (20). What (22) leaves
        out is A₂, which is zero only on average and only for weights that do not see the samples. Path by path, as
        (22) and Lemma 1 are printed, it can fail where the noise points away from W*. In expectation, as the
        proof's «E[A₂] = 0» suggests, it fails for weights that see the samples and is sound for weights fixed
        before them, as Lemma 1 is. Whether the bound on C holds is judged at EA-E19 to EA-E21e, the whole at EA-L1.""",
    says=VectorInequality(square(x - eta * g), _A1 + _NOISE, _STEP),
    readings={
        "A₂ left out on average, weights that may see the samples": but(le(A2, 0), world=_ALL),
        "on average, weights fixed before the samples": but(
            _COLLECTED, world=World(NOTATION, tuple(apart_step(n, PAST, given=True) for n in (1, 2, 3)))
        ),
    },
    mutants={
        "divergence counted once": identity(_FROM_A1 + _FROM_C, _TWENTYTWO - drift, sample=(2, 3)),
        "6Lηₜ²Ω dropped": but(
            le(_FROM_A1 + _FROM_C + A2, _TWENTYTWO - 6 * L * eta**2 * Omega),
            world=World(NOTATION, (apart_step(2, PAST, given=True),)),
        ),
        "the condition removed": but(_COLLECTED, world=World(NOTATION, (apart_step(2, _SEEN, given=True),))),
    },
)

CLAIMS: tuple[Claim, ...] = (E12, E22)
