"""EA-E13, E16, E17: the expansion of A₁ in the proof of Lemma 1, and the bound on its first inner product."""

from __future__ import annotations

from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, symbols
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import identity
from validation.statement.vectors import inner, square, vectors
from validation.world.stated import stated

__all__ = ["CLAIMS"]

eta = NOTATION.symbols("eta")
eta_n, p, q = symbols("eta_n p q")
x, bar, best, g, g_bar, a, w1, w2, g1, g2 = vectors("x bar best g g_bar a w1 w2 g1 g2")
_STEP = Domain((Parameter("eta"),))
_A1 = square(x - eta * g_bar)
_B1 = 2 * eta * inner(x, g_bar)
_B2 = eta**2 * square(g_bar)

E13 = stated(
    r"""EA-E13 (step; A.10, proof of Lemma 1, (13)): A₁ expanded
    Print: A_1
        =\|\bar{\mathbf W}^t-\mathbf W^*\|^2-\underbrace{2\eta_t\langle\bar{\mathbf W}^t
        -\mathbf W^*,\bar{\mathbf g}_t\rangle}_{B_1}+\underbrace{\eta_t^2\|\bar{\mathbf g}_t\|^2}_{B_2}
        \qquad\text{and in (16) }B_1=-2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,\bar{\mathbf g}_t\rangle
    Plainly: The square is expanded into three terms.
    Assumes: x stands for W̄ᵗ − W*
    Reading: as displayed | The brace holds 2η⟨·⟩, the minus stands before it. | part: (13) with the B₁ of its brace
    Reading: with the B₁ of (16) behind the minus | B₁ = −2η⟨·⟩ put into ‖·‖² − B₁ + B₂; even as an upper bound. |
        part: (13) with the B₁ of (16) | because: (13) braces B₁ = 2η_t⟨W̄^t − W*, ḡ_t⟩ behind a minus, (16) prints
        B₁ = −2η_t⟨W̄^t − W*, ḡ_t⟩: one letter, two signs
    Reading: plus B₁, with the B₁ of (16) | The minus belongs into the brace. | part: (13) with the B₁ of (16) |
        edit: +B₁ in place of −B₁: the minus belongs into the brace of (13) | token | forced by: (16) prints B₁ =
        −2η_t⟨W̄^t − W*, ḡ_t⟩, and the display after (18) adds it | carries: yes
    Mutant: η in place of 2η | the cross term of a square counts twice, and ⟨x, ḡ⟩ may be negative
    Rests on: EA-E12
    Verdict: The display is exact. Its brace gives B₁ = 2η⟨W̄ᵗ − W*, ḡₜ⟩, subtracted; (16) takes B₁ = −2η⟨W̄ᵗ − W*,
        ḡₜ⟩ and the proof then adds it. Together the two definitions would have the wrong sign; with the minus
        inside the brace they agree. Where the proof puts the pieces together it uses the right sign, so nothing
        follows.""",
    says=identity(_A1, square(x) - _B1 + _B2),
    readings={
        "with the B₁ of (16) behind the minus": VectorInequality(_A1, square(x) - (-_B1) + _B2, _STEP),
        "plus B₁, with the B₁ of (16)": identity(_A1, square(x) + (-_B1) + _B2),
    },
    mutants={"η in place of 2η": VectorInequality(_A1, square(x) - _B1 / 2 + _B2, _STEP)},
)

_SPLIT = -2 * eta * inner(bar - best, p * g1 + q * g2)
_DRIFT = p * inner(w1 - bar, g1) + q * inner(w2 - bar, g2)
_DOWN = p * inner(best - w1, g1) + q * inner(best - w2, g2)
_PAIR = Domain((Parameter("eta"),), (("p", "q"),))

E16 = stated(
    r"""EA-E16 (step; A.10, proof of Lemma 1, (16)): B₁ split
    Print: -2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,\bar{\mathbf g}_t\rangle=2\eta_t\sum_i\rho_i^{t
        +1}\underbrace{\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\mathbf W_i^t)\rangle}_{B_{1,1}}+2\eta_t
        \sum_i\rho_i^{t+1}\underbrace{\langle\mathbf W^*-\mathbf W_i^t,\nabla F_i(\mathbf W_i^t)\rangle}_{B_{1,2}}
    Plainly: Each client's own model is subtracted and added in the inner product.
    Assumes: two clients stand for N, by linearity; weights p, q need not sum to 1
    Reading: as printed | For all vectors.
    Mutant: W̄ᵗ − Wᵢᵗ in B₁,₁ | the sides differ by 4ηΣρ⟨Wᵢᵗ − W̄ᵗ, ∇Fᵢ⟩, which may be positive
    Mutant: factor 2 of B₁,₂ dropped | the sides differ by ηΣρ⟨W* − Wᵢᵗ, ∇Fᵢ⟩, which may be positive
    Rests on: EA-E13
    Verdict: Linearity of the inner product. The middle form prints Wᵢᵗ − Wᵢᵗ outside the sum over i, where i has no
        value; as it is zero, that changes nothing.""",
    says=identity(_SPLIT, 2 * eta * _DRIFT + 2 * eta * _DOWN),
    mutants={
        "W̄ᵗ − Wᵢᵗ in B₁,₁": VectorInequality(_SPLIT, 2 * eta * _DOWN - 2 * eta * _DRIFT, _PAIR),
        "factor 2 of B₁,₂ dropped": VectorInequality(_SPLIT, 2 * eta * _DRIFT + eta * _DOWN, _PAIR),
    },
)

_YOUNG = Domain((Parameter("eta"), Parameter("eta_n")))

E17 = stated(
    r"""EA-E17 (step; A.10, proof of Lemma 1, (17)): The bound on B₁,₁
    Print: B_{1,1}
        =\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\mathbf W_i^t)\rangle\le\frac12\Big(
        \frac1{\eta_t}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2+\eta_n\|\nabla F_i(\mathbf W_i^t)\|^2\Big)
    Plainly: Cauchy–Schwarz and the inequality of the means.
    Assumes: ηₙ read as ηₜ, as the line after next has it; a stands for Wᵢᵗ − W̄ᵗ, g for the gradient | ηₜ > 0
    Reading: ηₙ = ηₜ | For all vectors of all dimensions and every step.
    Mutant: ηₙ another step than ηₜ | for a = ηₜg the sides are ηₜ‖g‖² and (ηₜ + ηₙ)‖g‖²/2
    Mutant: 1/4 in place of 1/2 | for a = ηg the print has equality
    Tight: Wᵢᵗ − W̄ᵗ = ηₜ∇Fᵢ(Wᵢᵗ)
    Rests on: EA-E16
    Verdict: True for all vectors and steps, proved. The subscript n is never defined; the collected display that
        follows has ηₜ² in that place, so it is a slip for t. With another, smaller step in its place the line would
        be false.""",
    says=VectorInequality(inner(a, g), (square(a) / eta + eta * square(g)) / 2, _STEP),
    mutants={
        "ηₙ another step than ηₜ": VectorInequality(inner(a, g), (square(a) / eta + eta_n * square(g)) / 2, _YOUNG),
        "1/4 in place of 1/2": VectorInequality(inner(a, g), (square(a) / eta + eta * square(g)) / 4, _STEP),
    },
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (E13, E16, E17)
