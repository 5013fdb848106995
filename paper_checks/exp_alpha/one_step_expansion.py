"""EA-E13, E16, E17: the expansion of A₁ in the proof of Lemma 1, and the bound on its first inner product."""

from __future__ import annotations

from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, symbols
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import identity
from validation.statement.vectors import inner, square, vectors
from validation.world.front import claim, mutant, reading

__all__ = ["CLAIMS"]

eta = NOTATION.symbols("eta")
eta_n, p, q = symbols("eta_n p q")
x, bar, best, g, g_bar, a, w1, w2, g1, g2 = vectors("x bar best g g_bar a w1 w2 g1 g2")
_STEP = Domain((Parameter("eta"),))
_A1 = square(x - eta * g_bar)
_B1 = 2 * eta * inner(x, g_bar)
_B2 = eta**2 * square(g_bar)

E13 = claim(
    "EA-E13",
    level="step",
    at="A.10, proof of Lemma 1, (13)",
    title="A₁ expanded",
    printed=(
        r"A_1=\|\bar{\mathbf W}^t-\mathbf W^*\|^2-\underbrace{2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,\bar{\mathbf g}_t\rangle}_{B_1}"
        r"+\underbrace{\eta_t^2\|\bar{\mathbf g}_t\|^2}_{B_2}\qquad\text{and in (16) }B_1=-2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,"
        r"\bar{\mathbf g}_t\rangle"
    ),
    plainly="The square is expanded into three terms.",
    assumes=("x stands for W̄ᵗ − W*",),
    says=identity(_A1, square(x) - _B1 + _B2),
    readings=(
        reading(
            "as displayed",
            "The brace holds 2η⟨·⟩, the minus stands before it.",
            part="(13) with the B₁ of its brace",
        ),
        reading(
            "with the B₁ of (16) behind the minus",
            "B₁ = −2η⟨·⟩ put into ‖·‖² − B₁ + B₂; even as an upper bound.",
            says=VectorInequality(_A1, square(x) - (-_B1) + _B2, _STEP),
            part="(13) with the B₁ of (16)",
            because=(
                "(13) braces B₁ = 2η_t⟨W̄^t − W*, ḡ_t⟩ behind a minus, (16) prints B₁ = −2η_t⟨W̄^t − W*, ḡ_t⟩: one letter, "
                "two signs"
            ),
        ),
        reading(
            "plus B₁, with the B₁ of (16)",
            "The minus belongs into the brace.",
            says=identity(_A1, square(x) + (-_B1) + _B2),
            part="(13) with the B₁ of (16)",
            edits=("+B₁ in place of −B₁: the minus belongs into the brace of (13)",),
            token=True,
            forced_by="(16) prints B₁ = −2η_t⟨W̄^t − W*, ḡ_t⟩, and the display after (18) adds it",
            carries=True,
        ),
    ),
    mutants=(
        mutant(
            "η in place of 2η",
            VectorInequality(_A1, square(x) - _B1 / 2 + _B2, _STEP),
            "the cross term of a square counts twice, and ⟨x, ḡ⟩ may be negative",
        ),
    ),
    rests_on=("EA-E12",),
    verdict="""
        The display is exact. Its brace gives B₁ = 2η⟨W̄ᵗ − W*, ḡₜ⟩, subtracted; (16) takes B₁ = −2η⟨W̄ᵗ − W*,
        ḡₜ⟩ and the proof then adds it. Together the two definitions would have the wrong sign; with the minus
        inside the brace they agree. Where the proof puts the pieces together it uses the right sign, so nothing
        follows.""",
)

_SPLIT = -2 * eta * inner(bar - best, p * g1 + q * g2)
_DRIFT = p * inner(w1 - bar, g1) + q * inner(w2 - bar, g2)
_DOWN = p * inner(best - w1, g1) + q * inner(best - w2, g2)
_PAIR = Domain((Parameter("eta"),), (("p", "q"),))

E16 = claim(
    "EA-E16",
    level="step",
    at="A.10, proof of Lemma 1, (16)",
    title="B₁ split",
    printed=(
        r"-2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,\bar{\mathbf g}_t\rangle=2\eta_t\sum_i\rho_i^{t+1}\underbrace{\langle\mathbf W_i^t-"
        r"\bar{\mathbf W}^t,\nabla F_i(\mathbf W_i^t)\rangle}_{B_{1,1}}+2\eta_t\sum_i\rho_i^{t+1}\underbrace{\langle\mathbf W^*-\mathbf "
        r"W_i^t,\nabla F_i(\mathbf W_i^t)\rangle}_{B_{1,2}}"
    ),
    plainly="Each client's own model is subtracted and added in the inner product.",
    assumes=("two clients stand for N, by linearity; weights p, q need not sum to 1",),
    says=identity(_SPLIT, 2 * eta * _DRIFT + 2 * eta * _DOWN),
    readings=(reading("as printed", "For all vectors."),),
    mutants=(
        mutant(
            "W̄ᵗ − Wᵢᵗ in B₁,₁",
            VectorInequality(_SPLIT, 2 * eta * _DOWN - 2 * eta * _DRIFT, _PAIR),
            "the sides differ by 4ηΣρ⟨Wᵢᵗ − W̄ᵗ, ∇Fᵢ⟩, which may be positive",
        ),
        mutant(
            "factor 2 of B₁,₂ dropped",
            VectorInequality(_SPLIT, 2 * eta * _DRIFT + eta * _DOWN, _PAIR),
            "the sides differ by ηΣρ⟨W* − Wᵢᵗ, ∇Fᵢ⟩, which may be positive",
        ),
    ),
    rests_on=("EA-E13",),
    verdict="""
        Linearity of the inner product. The middle form prints Wᵢᵗ − Wᵢᵗ outside the sum over i, where i has no
        value; as it is zero, that changes nothing.""",
)

_YOUNG = Domain((Parameter("eta"), Parameter("eta_n")))

E17 = claim(
    "EA-E17",
    level="step",
    at="A.10, proof of Lemma 1, (17)",
    title="The bound on B₁,₁",
    printed=(
        r"B_{1,1}=\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\mathbf W_i^t)\rangle\le\frac12\Big(\frac1{\eta_t}\|\bar{\mathbf W}^t-"
        r"\mathbf W_i^t\|^2+\eta_n\|\nabla F_i(\mathbf W_i^t)\|^2\Big)"
    ),
    plainly="Cauchy–Schwarz and the inequality of the means.",
    assumes=("ηₙ read as ηₜ, as the line after next has it; a stands for Wᵢᵗ − W̄ᵗ, g for the gradient", "ηₜ > 0"),
    says=VectorInequality(inner(a, g), (square(a) / eta + eta * square(g)) / 2, _STEP),
    readings=(reading("ηₙ = ηₜ", "For all vectors of all dimensions and every step."),),
    mutants=(
        mutant(
            "ηₙ another step than ηₜ",
            VectorInequality(inner(a, g), (square(a) / eta + eta_n * square(g)) / 2, _YOUNG),
            "for a = ηₜg the sides are ηₜ‖g‖² and (ηₜ + ηₙ)‖g‖²/2",
        ),
        mutant(
            "1/4 in place of 1/2",
            VectorInequality(inner(a, g), (square(a) / eta + eta * square(g)) / 4, _STEP),
            "for a = ηg the print has equality",
        ),
    ),
    tight="Wᵢᵗ − W̄ᵗ = ηₜ∇Fᵢ(Wᵢᵗ)",
    rests_on=("EA-E16",),
    verdict="""
        True for all vectors and steps, proved. The subscript n is never defined; the collected display that
        follows has ηₜ² in that place, so it is a slip for t. With another, smaller step in its place the line
        would be false.""",
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (E13, E16, E17)
