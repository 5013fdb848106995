"""EA-E27a … g: the proof of Lemma 5, from the squared norm of a sum of draws to E times G².

Draws are enumerated: symbolically for small N and K, with free vectors, and on drawn instances for larger ones.
"""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.draws import sums_of_draws
from paper_checks.exp_alpha.lemma4 import expected
from paper_checks.exp_alpha.local_rounds import one_clients_round, step_by_step
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, symbols
from validation.statement.domain import Domain
from validation.statement.gram import VectorInequality
from validation.statement.says import eq, identity, le
from validation.statement.vectors import square, vectors
from validation.world.stated import but, stated

__all__ = ["CLAIMS"]

p1, p2, p3, d1, d2 = symbols("p1 p2 p3 d1 d2")
x, y, w, z = vectors("x y w z")
K, sum_square, squares, one_draw, raw_draw = NOTATION.symbols("K sum_square squares one_draw raw_draw")
_THREE, _TWO = Domain((), (("p1", "p2", "p3"),)), Domain((), (("p1", "p2"),))


def _sum_of_draws(models: tuple[Any, ...], weights: tuple[Any, ...], K: int, center: Any, on: Domain) -> Any:
    """E_s‖Σ(V − center)‖² <= E_s Σ‖V − center‖², over K draws."""
    off = tuple(u - center for u in models)
    left = expected(weights, K, lambda row: square(sum(off[i] for i in row)))
    return VectorInequality(left, expected(weights, K, lambda row: sum(square(off[i]) for i in row)), on)


E27A = stated(
    r"""EA-E27a (step; A.12, proof of Lemma 5): Squared norm of the sum of draws
    Print: \mathbb E_s\Big\|\sum_{i=1}^K(\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1})\Big\|^2\le\mathbb E_s\sum_{i
        =1}^K\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2
    Plainly: On average over the draw the squared norm of the sum is at most the sum of squared norms.
    Assumes: A5: K independent draws by the weights ρᵗ⁺¹ | weights on the simplex
    Reading: three clients, two draws | Any models and weights. | part: three clients, two draws
    Reading: two clients, three draws | Any models and weights. | part: two clients, three draws
    Reading: many clients and draws | Up to 300 clients and twelve draws, axis by axis, every tuple. | part: many
        clients and draws
    Mutant: sample by sample, «from triangle inequality of norms» | for two equal vectors the left side is 4‖x‖²,
        the right side 2‖x‖²
    Mutant: from the round's start in place of W̄ᵗ⁺¹ | without the mean taken off the cross terms do not vanish: two
        equal updates
    Tight: always equal
    Rests on: EA-A5, EA-E26
    Verdict: The reason given, the triangle inequality, does not give it: for squared norms it is false draw by
        draw. In expectation it is an equality, since the draws are independent and each has mean W̄ᵗ⁺¹, so that the
        cross terms vanish; the paper's display stands inside E_s. Proved for three clients with two draws and two
        with three; for more, no violation was found. It does not hold for draws without independence, nor for sums
        that are not centred, as EA-E27e has them.""",
    says=_sum_of_draws((x, y, w), (p1, p2, p3), 2, p1 * x + p2 * y + p3 * w, _THREE),
    readings={
        "two clients, three draws": _sum_of_draws((x, y), (p1, p2), 3, p1 * x + p2 * y, _TWO),
        "many clients and draws": but(
            le(sum_square, squares, again=lambda squares: 1 * squares), world=sums_of_draws()
        ),
    },
    mutants={
        "sample by sample, «from triangle inequality of norms»": VectorInequality(square(x + y), square(x) + square(y)),
        "from the round's start in place of W̄ᵗ⁺¹": _sum_of_draws((x, y), (p1, p2), 2, 0 * x, _TWO),
    },
)

_EACH = expected((p1, 1 - p1), 3, lambda row: sum((d1, d2)[i] for i in row))

E27B = stated(
    r"""EA-E27b (step; A.12, proof of Lemma 5): K equal expectations
    Print: \frac1{K^2}\sum_{i=1}^K\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2
        =\frac1K\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2
    Plainly: The K draws have one law, so that their mean squares add up to K times one of them.
    Assumes: A5: K independent draws by the weights ρᵗ⁺¹ | weights on the simplex
    Reading: two clients, three draws | d₁, d₂ the squared distances of the clients; all eight tuples. | part: two
        clients, three draws
    Reading: many clients and draws | Up to 300 clients and twelve draws, axis by axis, every tuple. | part: many
        clients and draws
    Mutant: 1/K² on the right | K terms of 1/K² each leave 1/K
    Mutant: uniform mean on the right | the draws follow the weights
    Rests on: EA-A5
    Verdict: Each draw has the same law; the index i left on the right is that of any one draw. Proved for two
        clients and three draws; for more, no violation was found.""",
    says=identity(_EACH / 9, (p1 * d1 + (1 - p1) * d2) / 3),
    readings={"many clients and draws": but(eq(squares / K**2, one_draw / K), world=sums_of_draws())},
    mutants={
        "1/K² on the right": identity(_EACH / 9, (p1 * d1 + (1 - p1) * d2) / 9),
        "uniform mean on the right": identity(_EACH / 9, (d1 + d2) / 6),
    },
)


def _second(center: Any) -> Any:
    return sum(r * square(u - z - center) for r, u in zip((p1, p2, p3), (x, y, w), strict=True))


_UPDATE = p1 * x + p2 * y + p3 * w - z * (p1 + p2 + p3)

E27C = stated(
    r"""EA-E27c (step; A.12, proof of Lemma 5): Variance below the second moment
    Print: \mathbb E_s\|(\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s})-\mathbb E_s[\mathbf V_i^{t+1}
        -\bar{\mathbf W}^{t_s}]\|^2\le\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}\|^2
    Plainly: Taking off the mean update can only lower the mean square.
    Assumes: A5: K independent draws by the weights ρᵗ⁺¹ | weights on the simplex | W̄ᵗ⁺¹ = Σρᵢᵗ⁺¹Vᵢᵗ⁺¹
    Reading: three clients | The mean under the weights of the draw; any models, any common start. | part: three
        clients
    Reading: many clients | Up to 300, axis by axis. | part: many clients
    Mutant: half of the second moment | two opposed updates of equal weight have mean 0
    Mutant: the first client's update in place of the mean | two opposed updates: the left side is 4·½, the right
        side 1
    Tight: updates of mean 0
    Rests on: EA-E26
    Verdict: E‖X − EX‖² = E‖X‖² − ‖EX‖², as the paper says. Unlike EA-E24b mean and expectation are under the same
        weights here, those of the draw, so nothing is left open. Proved for three clients; for up to 300 no
        violation was found.""",
    says=VectorInequality(_second(_UPDATE), _second(0 * x), _THREE),
    readings={"many clients": but(le(one_draw, raw_draw, again=lambda raw_draw: 1 * raw_draw), world=sums_of_draws(1))},
    mutants={
        "half of the second moment": VectorInequality(_second(_UPDATE), _second(0 * x) / 2, _THREE),
        "the first client's update in place of the mean": VectorInequality(_second(x - z), _second(0 * x), _THREE),
    },
)

eta, moved2, scaled2, seconds, G2, E, left_over = NOTATION.symbols("eta moved2 scaled2 seconds G2 E left_over")

E27D = stated(
    r"""EA-E27d (step; A.12, proof of Lemma 5): The whole round's update as a sum of gradients
    Print: \mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}=-\sum_{j=t_s}^t\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j),\qquad t_s
        =t+1-E
    Plainly: A client's update of a round is minus the sum of its E scaled stochastic gradients.
    Assumes: all clients stand at W̄ᵗˢ at t_s | local steps (4)
    Reading: from the round's start | Sample by sample; E from 1 to 100.
    Mutant: W̄ᵗ in place of W̄ᵗˢ | the last display prints it on the left; the model before the last step is not
        where the round began
    Mutant: one gradient and one step size throughout | a client that moves meets other gradients
    Rests on: EA-D4
    Verdict: Telescoping over the E steps of the round. The last display of the proof prints W̄ᵗ where the lines
        before it have W̄ᵗˢ; taken to the letter that is false for E > 1, as the first planted error shows, and a
        slip of the pen.""",
    says=le(left_over, 0),
    world=step_by_step(whole=True),
    mutants={
        "W̄ᵗ in place of W̄ᵗˢ": step_by_step(whole=True, from_start=False),
        "one gradient and one step size throughout": step_by_step(whole=True, gradients="the last for all"),
    },
)


def times_again(E: Any, scaled2: Any) -> Any:
    """E·ΣE‖η∇f‖², once more."""
    return scaled2 * E


def twice_again(eta: Any, seconds: Any) -> Any:
    """4ηₜ²ΣE‖∇f‖², once more."""
    return seconds * (2 * eta) ** 2


def every_again(E: Any, G2: Any) -> Any:
    """EG², once more."""
    return G2 * E


_WHOLE = one_clients_round(whole=True)

E27E = stated(
    r"""EA-E27e (step; A.12, proof of Lemma 5): Squared norm of the sum of a round's gradients
    Print: \mathbb E\Big\|\sum_{j=t_s}^t\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\Big\|^2\le\sum_{j
        =t_s}^t\mathbb E\|\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2
    Plainly: The mean square of a round's update is at most the sum of the mean squares of its steps.
    Assumes: A4: E‖∇fᵢ‖² <= G² at every model visited | ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t
    Reading: as printed | One client on the line, exact second moments.
    Reading: a factor E | Cauchy–Schwarz over the steps. | edit: a factor E on the right | token | wrong form in:
        EA-L5, EA-T2 | carries: no | because: Lemma 5 and Theorem 2's C have E where this gives E²
    Mutant: E − 1 in place of E | with the factor E nearly constant gradients give equality
    Mutant: a factor 2 | three nearly equal gradients give three times the sum
    Tight: with the factor E: gradients that hardly change over the round
    Rests on: EA-E27d
    Verdict: The same slip as in (24): the squared norm of a sum of E vectors is bounded by the sum of squared
        norms, which is false as soon as two gradients of a round point the same way, as a client's own do. E = 2
        and nearly constant gradients give twice the right side, larger E the factor E. In EA-E27a the cross terms
        vanish because the draws are centred and independent; the gradients of one client's round are neither. With
        the factor E no violation was found.""",
    says=le(moved2, scaled2, again=lambda scaled2: 1 * scaled2),
    world=_WHOLE,
    readings={"a factor E": le(moved2, E * scaled2, again=times_again)},
    mutants={"E − 1 in place of E": le(moved2, (E - 1) * scaled2), "a factor 2": le(moved2, 2 * scaled2)},
)

E27F = stated(
    r"""EA-E27f (step; A.12, proof of Lemma 5): All step sizes below twice the last
    Print: \sum_{j=t_s}^t\mathbb E\|\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2\le4\eta_t^2\sum_{j
        =t_s}^t\mathbb E\|\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2
    Plainly: Each step size of the round is at most twice its last.
    Assumes: A4: E‖∇fᵢ‖² <= G² at every model visited | ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t
    Reading: ηₜ non-increasing | As the lemma has it; η_j <= η_ts <= 2η_ts₊ₑ <= 2ηₜ.
    Mutant: factor 4 dropped | step sizes that fall inside the round
    Mutant: factor 2 in place of 4 | step sizes that halve at the last step: nearly four times the right side's
        square for large E
    Tight: E large, the last step size half of all others
    Rests on: EA-S2
    Verdict: From ηₜ <= 2ηₜ₊ₑ and step sizes that do not grow; each summand is a square, so it can be replaced by
        itself. Whether the theorem's own schedule meets the hypothesis is EA-S2's matter.""",
    says=le(scaled2, 4 * eta**2 * seconds, again=twice_again),
    world=_WHOLE,
    mutants={
        "factor 4 dropped": le(scaled2, eta**2 * seconds),
        "factor 2 in place of 4": le(scaled2, 2 * eta**2 * seconds),
    },
)

E27G = stated(
    r"""EA-E27g (step; A.12, proof of Lemma 5): E gradients of at most G²
    Print: \frac1K\sum_i\rho_i^{t+1}4\eta_t^2\sum_{j=t_s}^t\mathbb E\|\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2
        \le\frac4K\eta_t^2EG^2
    Plainly: A round has E gradients, each of mean square at most G².
    Assumes: A4: E‖∇fᵢ‖² <= G² at every model visited | ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t
    Reading: one client | The factors 4ηₜ²/K, on both sides, left out; for weights that sum to one the mean over
        clients follows.
    Mutant: E − 1 in place of E | the sum from t_s to t has E terms
    Mutant: E dropped | E nearly constant gradients give E times the right side
    Tight: gradients of one size
    Rests on: EA-A4
    Verdict: A sum of E numbers of at most G² each, and weights that sum to one.""",
    says=le(seconds, E * G2, again=every_again),
    world=_WHOLE,
    mutants={"E − 1 in place of E": le(seconds, (E - 1) * G2), "E dropped": le(seconds, G2)},
)

CLAIMS: tuple[Claim, ...] = (E27A, E27B, E27C, E27D, E27E, E27F, E27G)
