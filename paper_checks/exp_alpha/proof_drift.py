"""EA-E24a … e: display (24), the drift as a sum of gradients, and what is taken out of that sum."""

from __future__ import annotations

from typing import Any

from sympy import Rational

from paper_checks.exp_alpha.local_rounds import one_clients_round, step_by_step
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, symbols
from validation.statement.domain import Domain
from validation.statement.gram import VectorInequality
from validation.statement.says import all_of, identity, le
from validation.statement.vectors import square, vectors
from validation.world.stated import but, stated

__all__ = ["CLAIMS"]

p, q, a, b, z = symbols("p q a b z")
p1, p2, p3, q1, q2, q3 = symbols("p1 p2 p3 q1 q2 q3")
x, y, w = vectors("x y w")

# Two clients at a and b on an axis, the round's start at z; weights p and 1 − p of ρᵗ, q and 1 − q of ρᵗ⁺¹.
_BAR = p * a + (1 - p) * b
_SPREAD = q * (_BAR - a) ** 2 + (1 - q) * (_BAR - b) ** 2

E24A = stated(
    r"""EA-E24a (step; A.10, display (24)): The round's start inserted
    Print: \sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2
        =\sum_i\rho_i^{t+1}\|(\bar{\mathbf W}^t-\bar{\mathbf W}^{t_0})-(\mathbf W_i^t-\bar{\mathbf W}^{t_0})\|^2,
        \quad\bar{\mathbf W}^t-\bar{\mathbf W}^{t_0}=\mathbb E_{\rho^t}[\mathbf W_i^t-\bar{\mathbf W}^{t_0}]
    Plainly: The drift is that of the updates since the round's start, whose mean is the update of the mean model.
    Assumes: W̄ᵗ = Σρᵢᵗ Wᵢᵗ | weights that sum to one
    Reading: first equality | Axis by axis, two clients, weights free at every step. | part: first equality
    Reading: the mean of the updates | Under ρᵗ. | part: the mean of the updates
    Mutant: mean of the updates under ρᵗ⁺¹ | p(a − z) + (1 − p)(b − z) is another number for p ≠ q and a ≠ b
    Mutant: plus in place of minus | with both clients away from the start by the same the left side is 0
    Rests on: EA-D3
    Verdict: Adding and taking off the round's start; its second half uses that ρᵗ sums to one.""",
    says=identity(_SPREAD, q * ((_BAR - z) - (a - z)) ** 2 + (1 - q) * ((_BAR - z) - (b - z)) ** 2),
    readings={"the mean of the updates": identity(_BAR - z, p * (a - z) + (1 - p) * (b - z))},
    mutants={
        "mean of the updates under ρᵗ⁺¹": identity(_BAR - z, q * (a - z) + (1 - q) * (b - z)),
        "plus in place of minus": identity(
            _SPREAD, q * ((_BAR - z) + (a - z)) ** 2 + (1 - q) * ((_BAR - z) + (b - z)) ** 2
        ),
    },
)

_P, _Q = ("p1", "p2", "p3"), ("q1", "q2", "q3")
_MEAN = p1 * x + p2 * y + p3 * w


def _about(weights: tuple[Any, Any, Any], center: Any, *simplices: tuple[str, ...], share: Any = 1) -> VectorInequality:
    """Σ weights·‖update − center‖² <= share·Σ weights·‖update‖²; weights on these simplices."""
    about = sum(r * square(u - center) for r, u in zip(weights, (x, y, w), strict=True))
    plain = sum(r * square(u) for r, u in zip(weights, (x, y, w), strict=True))
    return VectorInequality(about, plain * share, Domain((), simplices))


E24B = stated(
    r"""EA-E24b (step; A.10, display (24)): Variance below the second moment
    Print: \sum_i\rho_i^{t+1}\|\mathbb E_{\rho^t}[\mathbf W_i^t-\bar{\mathbf W}^{t_0}]-(\mathbf W_i^t
        -\bar{\mathbf W}^{t_0})\|^2\le\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^{t_0}\|^2
    Plainly: Taking off the mean can only lower the mean square of the updates.
    Assumes: weights on the simplex
    Open (twice) outer_weights: (24) starts with Σρ_i^{t+1}‖·‖² and goes on, from its second line, with
        E_{ρ^t}‖E_{ρ^t}[·] − ·‖²
    Reading: weights free at every step | The sum is taken under ρᵗ⁺¹, as at the head of (24), the mean under ρᵗ, as
        in W̄ᵗ. | option outer_weights = ρ^{t+1}, the head of (24)
    Reading: one weight vector a round | Both under ρᵗ, as the lines after the first write it; three clients. |
        option outer_weights = ρ^t, from the second line of (24) on | because: no hypothesis on the weights is
        added: both means of the printed line stand under ρ^t
    Mutant: half of the second moment | two opposed updates of equal weight have mean 0, so that both printed sides
        are equal
    Mutant: the first client in place of the mean | two opposed updates of equal weight: the left side is 4·½, the
        right side 1
    Tight: updates of mean 0
    Rests on: EA-E24a
    Verdict: E‖X − EX‖² <= E‖X‖² needs the mean under the same weights as the outer sum. (24) starts with ρᵗ⁺¹
        outside and goes on with ρᵗ inside: with one weight vector a round it is proved for three clients, all
        updates and weights; with weights that change inside a round all weight may pass from one of two opposed
        clients to the other, and the left side is four times the right one. The paper defines weights at
        synchronisations only, so which case is meant is open.""",
    says=_about((q1, q2, q3), _MEAN, _P, _Q),
    readings={"one weight vector a round": _about((p1, p2, p3), _MEAN, _P)},
    mutants={
        "half of the second moment": _about((p1, p2, p3), _MEAN, _P, share=Rational(1, 2)),
        "the first client in place of the mean": _about((p1, p2, p3), 1 * x, _P),
    },
)

left_over, moved2, summed2, seconds, G2, terms, eta, eta_first, eta_top = NOTATION.symbols(
    "left_over moved2 summed2 seconds G2 terms eta eta_first eta_top"
)

E24C = stated(
    r"""EA-E24c (step; A.10, display (24)): The update as a sum of gradients
    Print: \mathbf W_i^t-\bar{\mathbf W}^{t_0}=-\sum_{j=t_0}^{t-1}\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)
    Plainly: A client's update since the round's start is minus the sum of its scaled stochastic gradients.
    Assumes: all clients stand at W̄ᵗ⁰ at t₀ | local steps (4)
    Reading: gradients and step sizes of their own steps | Sample by sample, t − t₀ = E − 1; the squared distance of
        the two sides must be 0.
    Mutant: one gradient and one step size throughout | the source text prints ηₜ∇f(Wᵗ) inside the sum; a client
        that moves meets other gradients
    Mutant: the sum up to t | one gradient more than the client has taken
    Rests on: EA-D4
    Verdict: Telescoping. The source text is damaged here: it sums ηₜ∇fᵢ(Wᵗ; ξᵢ) over i from 0; read with the index
        of the sum on step size, model and sample it is an identity, read to the letter it is not one, as the first
        planted error shows.""",
    says=le(left_over, 0),
    world=step_by_step(whole=False),
    mutants={
        "one gradient and one step size throughout": step_by_step(whole=False, gradients="the last for all"),
        "the sum up to t": step_by_step(whole=False, gradients="one more"),
    },
)


def first_again(eta_first: Any, summed2: Any) -> Any:
    """E‖η_t₀Σ∇f‖², once more."""
    return summed2 * eta_first * eta_first


def all_first_again(terms: Any, eta_first: Any, seconds: Any) -> Any:
    """(t − t₀)η_t₀²ΣE‖∇f‖², once more."""
    return seconds * eta_first * (terms * eta_first)


def terms_again(terms: Any, G2: Any) -> Any:
    """(t − t₀)G², once more."""
    return G2 * terms


def squared_again(terms: Any, G2: Any) -> Any:
    """(t − t₀)²G², once more."""
    return terms * G2 * terms


def kept_again(terms: Any, seconds: Any) -> Any:
    """(t − t₀)ΣE‖∇f‖², once more."""
    return seconds * terms


_ROUND, _RISES = one_clients_round(whole=False), one_clients_round(whole=False, rising=True, longest=1.0)
_INSIDE = le(moved2, eta_first**2 * summed2, again=first_again)
_IN_ORDER = all_of(le(eta_top, eta_first), le(eta_first, 2 * eta))

E24D = stated(
    r"""EA-E24d (step; A.10, display (24)): The first step size for all
    Print: \eta_j\le\eta_{t_0}\le2\eta_t,\qquad\mathbb E\Big\|\sum_{j=t_0}^{t-1}\eta_j\nabla f_i\Big\|^2
        \le\mathbb E\Big\|\eta_{t_0}\sum_{j=t_0}^{t-1}\nabla f_i\Big\|^2
    Plainly: The step sizes of a round may be replaced by its first, which is at most twice any later one.
    Assumes: ηₜ <= 2ηₜ₊ₑ for all t | A4 | local steps (4), independent samples
    Reading: inside the norm, as printed | ηₜ non-increasing as in the proof; one client on the line, exact second
        moments. | part: inside the norm
    Reading: the step sizes alone, ηₜ non-decreasing | As the lemma prints it. | part: the step sizes | edit:
        «non-decreasing», as Lemma 3 prints, in place of the proof's «non-increasing» | because: the slip is Lemma
        3's: the proof, where (24) stands, prints «non-increasing», and η_t ≤ 2η_{t+E} is a condition on falling
        steps
    Reading: the step sizes alone, ηₜ non-increasing | As the proof has it. | part: the step sizes
    Reading: inside the norm, ηₜ <= 1/(4L) | The step size of Lemma 1; a quadratic client on the line, noise of one
        variance. | part: inside the norm | condition: η_t <= 1/(4L) | condition: one quadratic client on the line |
        condition: noise of one variance at every step | because: A3 only bounds the variance: with noise in a
        round's first gradient alone, W = W_i* at its start and falling steps, (η_0 − η_1x)² > η_0²(1 − x)² for x =
        ηh < 1, so η_t <= 1/(4L) alone is not enough; no named setting has noise of one variance
    Reading: after the sum has been bounded | (t − t₀)ΣE‖η_t₀∇f‖² on the right, squares that grow with each step
        size. | part: inside the norm | edit: η_{t₀} pulled out after the squared norm has been bounded by (t −
        t₀)Σ‖η_j∇f_i‖² | carries: no | because: true, but it leads to (t − t₀)²G², not to the last line of (24)
    Mutant: the last step size for all, after the sum has been bounded | nearly constant gradients and step sizes
        that halve at the end: the left side is four times the right
    Mutant: η_t₀ <= ηₜ | step sizes that fall inside the round
    Tight: η_t₀ = 2ηₜ for the second inequality
    Rests on: EA-E24c, EA-S2
    Verdict: For step sizes that do not grow, η_t₀ <= 2η_t₀₊ₑ <= 2ηₜ; the lemma itself says «non-decreasing», for
        which η_j <= η_t₀ fails. What (24) prints is stronger: it pulls η_t₀ out of the norm of a sum, term by term,
        and that fails whenever gradients of a round point against each other: a client that oversteps its minimum
        with ηₜh = 2 takes gradients g and −g, whose sum is 0, while ηg − ½ηg is not. The lemma puts no limit on
        ηₜL; below 1/(4L), on the line and with noise of one variance, no violation was found. After the squared
        norm of the sum has been bounded by squared norms the replacement is sound.""",
    says=_INSIDE,
    world=_ROUND,
    readings={
        "the step sizes alone, ηₜ non-decreasing": but(_IN_ORDER, world=_RISES),
        "the step sizes alone, ηₜ non-increasing": but(_IN_ORDER, world=one_clients_round(whole=False, longest=1.0)),
        "inside the norm, ηₜ <= 1/(4L)": one_clients_round(whole=False, longest=0.25),
        "after the sum has been bounded": le(moved2, terms * eta_first**2 * seconds, again=all_first_again),
    },
    mutants={
        "the last step size for all, after the sum has been bounded": le(moved2, terms * eta**2 * seconds),
        "η_t₀ <= ηₜ": le(eta_first, eta),
    },
)

E24E = stated(
    r"""EA-E24e (step; A.10, display (24)): Squared norm of a sum of gradients
    Print: \mathbb E\Big\|\eta_{t_0}\sum_{j=t_0}^{t-1}\nabla f_i(\cdot)\Big\|^2
        \le\eta_{t_0}^2(t-t_0)\,\mathbb E\|\nabla f_i(\cdot)\|^2\le\eta_{t_0}^2(E-1)G^2
    Plainly: The mean square of a sum of t − t₀ gradients is at most t − t₀ times the bound on one of them.
    Assumes: A4: E‖∇fᵢ‖² <= G² at every model visited | t − t₀ <= E − 1
    Reading: t − t₀ terms of G² | η_t₀² left out on both sides; t − t₀ = E − 1; one client on the line, exact second
        moments.
    Reading: (t − t₀)² in place of t − t₀ | Cauchy–Schwarz over the steps. | edit: (t − t₀)² in place of t − t₀ |
        token | wrong form in: EA-L3, EA-T1, EA-T2 | carries: no | because: Cauchy–Schwarz gives (E − 1)²G²; Lemma 3
        and the B̄ of Theorems 1 and 2 print (E − 1)G²
    Reading: the sum kept on the right | (t − t₀)ΣE‖∇f‖², which is then at most (t − t₀)²G². | edit: (t −
        t₀)ΣE‖∇f_i‖² in place of (t − t₀)E‖∇f_i‖² | carries: no | because: leads to (E − 1)²G², not to the last line
    Mutant: the sum on the right without its factor | two equal gradients g: the left side is 4‖g‖², the right side
        2‖g‖²
    Mutant: (t − t₀)² with one step less | for E = 2 the right side is 0, and the one gradient is not
    Tight: with (t − t₀)²: gradients that hardly change over the round
    Rests on: EA-E24d, EA-A4
    Repeats: EA-L3
    Verdict: The squared norm of a sum of m equal gradients is m²‖g‖², and the bound allows m. Nearly constant
        gradients, as at a small step size, reach it, so the step fails from three local steps on; if the sum was
        only lost in print, (t − t₀)ΣE‖∇f‖² holds, but it leads to (t − t₀)²G² and not to the last line. Gradients
        whose samples cancel on average would satisfy it; a client away from its minimum has none such. Lemma 3
        inherits the factor.""",
    says=le(summed2, terms * G2, again=terms_again),
    world=_ROUND,
    readings={
        "(t − t₀)² in place of t − t₀": le(summed2, terms**2 * G2, again=squared_again),
        "the sum kept on the right": le(summed2, terms * seconds, again=kept_again),
    },
    mutants={
        "the sum on the right without its factor": le(summed2, seconds),
        "(t − t₀)² with one step less": le(summed2, terms * (terms - 1) * G2),
    },
)

CLAIMS: tuple[Claim, ...] = (E24A, E24B, E24C, E24D, E24E)
