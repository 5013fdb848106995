"""EA-E19 and EA-E21b: the identities by which the proof of Lemma 1 regroups what it calls C.

γₜ = 2ηₜ(1 − 2Lηₜ); both are written for two clients, of any weights.
"""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, symbols
from validation.statement.says import identity
from validation.world.stated import stated

__all__ = ["CLAIMS"]

eta, L = NOTATION.symbols("eta L")
r1, r2, P1, P2, M1, M2, S1, S2, V1, V2, D1, D2 = symbols("r1 r2 P1 P2 M1 M2 S1 S2 V1 V2 D1 D2")
_GAMMA_T = 2 * eta * (1 - 2 * L * eta)


def _sum(first: Any, second: Any) -> Any:
    """Σρᵢ(·) over two clients of weights r1, r2."""
    return r1 * first + r2 * second


# Fᵢ(Wᵢ) is P, Fᵢ(Wᵢ*) M, Fᵢ(W*) S, Fᵢ(W̄) V and ‖Wᵢ − W̄‖² D.
_C = 4 * L * eta**2 * _sum(P1 - M1, P2 - M2) + 2 * eta * _sum(S1 - P1, S2 - P2)
_GAMMA_SUM = _sum(S1 - M1, S2 - M2)
_REARRANGED = -_GAMMA_T * _sum(P1 - S1, P2 - S2) + 4 * L * eta**2 * _GAMMA_SUM

E19 = stated(
    r"""EA-E19 (step; A.10, display (19)): C in terms of γₜ and Γₜ
    Print: C=4L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))+2\eta_t\sum_i\rho_i^{t
        +1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^t))
        =-\gamma_t\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W^*))+4L\eta_t^2\Gamma_t
    Plainly: The terms called C regroup into a multiple of the excess at the local models and one of Γₜ.
    Assumes: γₜ = 2ηₜ(1 − 2Lηₜ) | Γₜ = Σρᵢᵗ⁺¹(Fᵢ(W*) − Fᵢ(Wᵢ*))
    Reading: first line to last | For all losses, weights and steps. | part: first line to last
    Reading: line before the last | −2ηₜ(1 − 2Lηₜ)Σρᵢ(Fᵢ(Wᵢ) − Fᵢ(Wᵢ*)) + 2ηₜΣρᵢ(Fᵢ(W*) − Fᵢ(Wᵢ*)). | part: line
        before the last
    Mutant: 2Lηₜ²Γₜ in place of 4Lηₜ²Γₜ | 2ηₜ − γₜ = 4Lηₜ², which is what Γₜ has to carry
    Mutant: Fᵢ(Wᵢ*) in place of Fᵢ(Wᵢ) in the second sum of C | the source text of the display before has it so
        under the brace; it changes C by 2ηₜΣρᵢ(Fᵢ(Wᵢ) − Fᵢ(Wᵢ*))
    Rests on: EA-E18b
    Verdict: An identity for all values. It is one for C as (19) itself prints it, with Fᵢ(Wᵢᵗ) in the second sum;
        the text of the display before (19) shows Fᵢ(Wᵢ*) there, which would make it false and does not follow from
        the line above either.""",
    says=identity(_C, _REARRANGED),
    readings={"line before the last": identity(_C, -_GAMMA_T * _sum(P1 - M1, P2 - M2) + 2 * eta * _GAMMA_SUM)},
    mutants={
        "2Lηₜ²Γₜ in place of 4Lηₜ²Γₜ": identity(_C, _REARRANGED - 2 * L * eta**2 * _GAMMA_SUM),
        "Fᵢ(Wᵢ*) in place of Fᵢ(Wᵢ) in the second sum of C": identity(
            _C + 2 * eta * _sum(P1 - M1, P2 - M2), _REARRANGED
        ),
    },
)

_LINE1 = (
    _GAMMA_T * _sum(L * eta * (V1 - M1) + D1 / (2 * eta), L * eta * (V2 - M2) + D2 / (2 * eta))
    - _GAMMA_T * _sum(V1 - S1, V2 - S2)
    + 4 * L * eta**2 * _GAMMA_SUM
)
_LINE3 = (
    _GAMMA_T * (eta * L - 1) * _sum(V1 - M1, V2 - M2)
    + (4 * L * eta**2 + _GAMMA_T) * _GAMMA_SUM
    + _GAMMA_T / (2 * eta) * _sum(D1, D2)
)

E21B = stated(
    r"""EA-E21b (step; A.10, display (21), second and third line): Regrouping (21)
    Print: \gamma_t\sum_i\rho_i^{t+1}[\cdots]-\gamma_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))
        +4L\eta_t^2\Gamma_t
        =\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))+(4L\eta_t^2
        +\gamma_t)\Gamma_t+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2
    Plainly: The bound on C regroups into a multiple of the excess at the mean model, one of Γₜ and one of the
        drift.
    Assumes: γₜ = 2ηₜ(1 − 2Lηₜ) | Γₜ = Σρᵢᵗ⁺¹(Fᵢ(W*) − Fᵢ(Wᵢ*))
    Reading: first line to third | Adding and taking off Fᵢ(Wᵢ*) inside the sum; the printed brackets of the second
        line do not close.
    Mutant: 4Lηₜ² − γₜ before Γₜ | −γₜ(Fᵢ(W̄) − Fᵢ(W*)) = −γₜ(Fᵢ(W̄) − Fᵢ*) + γₜ(Fᵢ(W*) − Fᵢ*), so γₜΓₜ comes in
        with a plus sign
    Mutant: ηₜL + 1 before the excess | the excess at W̄ is taken off once and added Lηₜ times
    Rests on: EA-E21a
    Verdict: An identity for all values. The brackets of the second line do not match in print, which changes
        nothing: what is added and taken off there is zero.""",
    says=identity(_LINE1, _LINE3),
    mutants={
        "4Lηₜ² − γₜ before Γₜ": identity(_LINE1, _LINE3 - 2 * _GAMMA_T * _GAMMA_SUM),
        "ηₜL + 1 before the excess": identity(_LINE1, _LINE3 + 2 * _GAMMA_T * _sum(V1 - M1, V2 - M2)),
    },
)

CLAIMS: tuple[Claim, ...] = (E19, E21B)
