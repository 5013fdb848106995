"""RA-Q6, Q11: whether FedAvg has the smallest error term, and ends at the smallest loss."""

from __future__ import annotations

from paper_checks.robust_aggregation.clients import stated
from paper_checks.robust_aggregation.corollary1 import LATE_TEST as LATE
from paper_checks.robust_aggregation.diagonal import federations
from paper_checks.robust_aggregation.stating import FIXED, QUADRATIC, bounded, breaks, claimed
from paper_checks.robust_aggregation.strategy_rounds import rounds_of
from validation import (
    Canary,
    Claim,
    Reading,
    symbols,
)

__all__ = ["CLAIMS"]

mu, L, Gamma, rho_best, rho_limit, alike = symbols("mu L Gamma rho_best rho_limit alike")
_ENDS = federations("limit", interior=True, sizes=((2, 2, 100), (1, 1, 8)))
_ERROR_END = federations("error", interior=True, sizes=((2, 2, 100), (1, 1, 8)))
_ZERO = stated(
    "E = 0 for αᵢ = pᵢ",
    "Weights equal to the shares have ρ = 1 at every model, so ρ̃/ρ̄ = 1.",
    rounds_of(0, 2),
    rounds_of(0, 2, lean=-1),
)
_Q6 = claimed(
    "Q6",
    "Sec. 2.5.2, Error minimization",
    "FedAvg minimises the error term",
    r"\min_\alpha E(\overline\rho,\tilde\rho)=\min_\alpha\tfrac{8L\Gamma}{3\mu}\left(\tfrac{\tilde\rho}{\overline\rho}-1\right)=0,"
    r"\quad\text{achieved when }\alpha_t^i=p_i",
    "No weights have a smaller error term than those of FedAvg, for which it is 0.",
    (
        _ZERO,
        stated(
            "runs without end, fixed weights",
            "ρ̄ over all t, so at most ρ at the limit: ρ̃ >= ρ̄. Fixed weights are known before the round, "
            "which the print does not ask for.",
            _ERROR_END,
        ),
        Reading(
            "runs without end, any weights",
            "Weights known before the round, a hypothesis that the print lacks: ρ̄ − ρ̃ over the first T "
            "rounds is at most (‖w₀ − w*‖² + G²Σηₜ²)/(2ΓΣηₜ), which tends to 0 (RA-D7).",
            LATE,
        ),
        stated(
            "the rounds of a finite run",
            "ρ̄ and ρ̃ over t = 0, E, …, (T − 1)E with T = 1 to 3: ρ̃ >= ρ̄.",
            federations("window", rounds=1, interior=True, sizes=((2, 2, 20), (1, 1, 4))),
            federations("window", rounds=3, interior=True, sizes=((2, 2, 5), (1, 1, 2))),
        ),
    ),
    (
        Canary(
            "sign of E changed",
            bounded(
                Gamma * (1 - rho_best / rho_limit),
                lambda Gamma, rho_best, rho_limit: Gamma - Gamma * rho_best / rho_limit,
                _ENDS,
                (1, 0),
            ),
            "as a bound on the error it would be negative for all weights that end away from w*",
        ),
    ),
    "For αᵢ = pᵢ E is 0, always; whether other weights can have less depends on the rounds over which "
    "(7) takes its extremes, which are not named. Over all t of a run without end none have less, if "
    "weights are known before the round, a hypothesis that the print lacks: were ρ̃ < ρ̄, every step "
    "would bring the model nearer to w* by a first-order amount, without end. For fixed weights one sees "
    "it at their limit. Over the rounds of a finite run, {0, E, …, (T − 1)E} in Algorithm 1, some have "
    "less: far from the minimisers, weight on the client of largest curvature makes ρ(t, wₜ) > 1 while "
    "this client has a small loss at w*, so ρ̃ < ρ̄ and E < 0.",
    ("RA-C1", "RA-D6", "RA-D7"),
    (
        QUADRATIC,
        "weights known before the round, which the print does not ask for",
        "step sizes of Corollary 1 where the weights are not fixed",
    ),
)
_Q11 = claimed(
    "Q11",
    "Sec. 3.1, FedAvg-generalized",
    "FedAvg is optimal in accuracy",
    r"\alpha_t^i=p_i:\quad E=0,\qquad\lim_{T\to\infty}F(w_T)\le\lim_{T\to\infty}F(w_T^\alpha)\ \text{for all fixed }\alpha",
    "FedAvg has E = 0 and ends at the least loss.",
    (
        _ZERO,
        stated(
            "measured at the end",
            "No fixed weights end at a smaller F.",
            federations("loss", sizes=((1, 2, 100), (1, 1, 8))),
        ),
    ),
    (
        breaks(
            "after any number of rounds",
            "in the first rounds weight on the steepest client brings F down faster",
            federations("average", rounds=1, common=True, sizes=((2, 2, 20), (1, 1, 4))),
        ),
    ),
    "E = 0, and with step sizes that fall to 0 FedAvg ends at w*, where F is least, whatever the number of local steps; other fixed "
    "weights end at the minimiser of another function. After finitely many rounds other weights may be ahead, and with constant step "
    "sizes and E > 1 FedAvg itself stays off w*. That E = 0 is also the least error term is RA-Q6: over the rounds of a finite run it "
    "is not.",
    ("RA-S-AVG", "RA-Q6"),
    (QUADRATIC, FIXED),
)


CLAIMS: tuple[Claim, ...] = (
    _Q6,
    _Q11,
)
