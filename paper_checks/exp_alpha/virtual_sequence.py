"""EA-VS: the virtual sequence as one SGD step, and the mean of its stochastic gradient."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.one_step import SAME_WEIGHTS, step_of, steps
from paper_checks.exp_alpha.seen_steps import ANY, BEFORE_SAMPLES, PAST, mean_gradient
from validation import Claim, Instant
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World

__all__ = ["CLAIMS"]

residual, residual_past, bias2 = NOTATION.symbols("residual residual_past bias2")


def _steps(name: str, **chosen: Any) -> World:
    return World(NOTATION, (steps(name, fewest=2, most=30, least=2.5, noisy=True, **chosen),))


_ONE_STEP, _UNBIASED = le(residual, 0), le(bias2, 0)
_INSIDE = World(NOTATION, _steps("weights of any step").cases, switches=(SAME_WEIGHTS,))
_SEEING = World(NOTATION, tuple(mean_gradient(n, ANY) for n in (1, 2, 3)), switches=(BEFORE_SAMPLES,))

VS = stated(
    r"""EA-VS (step; A.8, after (6)): The virtual sequence makes SGD steps
    Print: \bar{\mathbf W}^{t+1}=\bar{\mathbf W}^t-\eta_tg_t,\quad g_t
        =\sum_i\rho_i^{t+1}\nabla f_i(\mathbf W_i^t;\xi_i^t),\qquad\bar g_t=\mathbb E[g_t]
        =\sum_i\rho_i^{t+1}\nabla F_i(\mathbf W_i^t)
    Plainly: The weighted mean of the local models moves by one SGD step, whose mean is the weighted mean of full
        gradients.
    Assumes: W̄ᵗ = Σρᵢᵗ Wᵢᵗ, Wᵢᵗ the local models of (2), (4)–(6) | weights ρᵗ on the simplex at every t
    Reading: weights free at every step | «Generic, time-varying» at its word: ρᵗ⁺¹ and ρᵗ differ inside a round. |
        part: the step | cut weights = change inside a round | met by: one vector a round: proportional FedAvg
        (Table 1), and Exp-α itself (Algorithm 1 weighs at synchronisation)
    Reading: first step of a round, weights free | All local models are equal then, so ρᵗ does not matter. | part:
        the step | cut step = the first of a round
    Reading: one weight vector a round | The weights of the round's end stand for all its steps. | part: the step
    Reading: mean of gₜ, weights that may see the samples | Exp-α's weights are functions of the round's own local
        models. | part: the mean | cut weights = see the round's samples | sees: after the step | used by: Exp-α's
        own weights (Algorithm 1) are computed from the round's local models
    Reading: mean of gₜ, weights fixed before the samples | Weights that depend on the past at most. | part: the
        mean | condition: weights chosen before the round's samples | met by: FedAvg with proportional weights
        (Table 1)
    Mutant: gradients weighted by ρᵗ at the first step of a round | W̄ᵗ⁺¹ = start − ηΣρᵗ⁺¹∇fᵢ, and Σ(ρᵗ⁺¹ − ρᵗ)∇fᵢ
        is not 0 for gradients that differ
    Mutant: weights that see the samples | the client whose noise is positive gets the weight: the mean of its
        gradient is too large by σ/2
    Verdict: True with one weight vector a round that does not see the round's samples, as for proportional FedAvg;
        «time-varying» weights are not restricted to that. W̄ᵗ⁺¹ = Σρᵢᵗ⁺¹(Wᵢᵗ − ηₜ∇fᵢ), so the step starts from the
        mean with the new weights: the identity needs Σ(ρᵢᵗ⁺¹ − ρᵢᵗ)Wᵢᵗ = 0. That is so at the first step of a round
        and whenever one weight vector serves the whole round, and fails inside a round whose weights change. The
        mean of gₜ is Σρᵢᵗ⁺¹∇Fᵢ only if the weights do not see the samples of the step, which Exp-α's own weights
        do.""",
    says=_ONE_STEP,
    world=_INSIDE,
    readings={
        "first step of a round, weights free": _steps("first step of a round", first=True),
        "one weight vector a round": _steps("one weight vector a round", kept=True, first=None),
        "mean of gₜ, weights that may see the samples": but(_UNBIASED, world=_SEEING),
        "mean of gₜ, weights fixed before the samples": but(
            _UNBIASED, world=World(NOTATION, tuple(mean_gradient(n, PAST) for n in (1, 2, 3)))
        ),
    },
    mutants={
        "gradients weighted by ρᵗ at the first step of a round": but(
            le(residual_past, 0),
            world=World(NOTATION, tuple(step_of(n, 2, noisy=True, first=True, each=4.0, least=2.5) for n in (2, 3))),
        ),
        "weights that see the samples": but(
            _UNBIASED, world=World(NOTATION, (mean_gradient(2, (float(Instant.AFTER_STEP),)),))
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (VS,)
