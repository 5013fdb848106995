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
from validation.world.front import claim, mutant, reading

__all__ = ["CLAIMS"]

p1, p2, p3, d1, d2 = symbols("p1 p2 p3 d1 d2")
x, y, w, z = vectors("x y w z")
K, sum_square, squares, one_draw, raw_draw = NOTATION.symbols("K sum_square squares one_draw raw_draw")
_THREE, _TWO = Domain((), (("p1", "p2", "p3"),)), Domain((), (("p1", "p2"),))
_A5 = ("A5: K independent draws by the weights ρᵗ⁺¹", "weights on the simplex")


def _sum_of_draws(models: tuple[Any, ...], weights: tuple[Any, ...], K: int, center: Any, on: Domain) -> Any:
    """E_s‖Σ(V − center)‖² <= E_s Σ‖V − center‖², over K draws."""
    off = tuple(u - center for u in models)
    left = expected(weights, K, lambda row: square(sum(off[i] for i in row)))
    return VectorInequality(left, expected(weights, K, lambda row: sum(square(off[i]) for i in row)), on)


E27A = claim(
    "EA-E27a",
    level="step",
    at="A.12, proof of Lemma 5",
    title="Squared norm of the sum of draws",
    printed=(
        r"\mathbb E_s\Big\|\sum_{i=1}^K(\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1})\Big\|^2\le"
        r"\mathbb E_s\sum_{i=1}^K\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2"
    ),
    plainly="On average over the draw the squared norm of the sum is at most the sum of squared norms.",
    assumes=_A5,
    says=_sum_of_draws((x, y, w), (p1, p2, p3), 2, p1 * x + p2 * y + p3 * w, _THREE),
    readings=(
        reading("three clients, two draws", "Any models and weights.", part="three clients, two draws"),
        reading(
            "two clients, three draws",
            "Any models and weights.",
            says=_sum_of_draws((x, y), (p1, p2), 3, p1 * x + p2 * y, _TWO),
            part="two clients, three draws",
        ),
        reading(
            "many clients and draws",
            "Up to 300 clients and twelve draws, axis by axis, every tuple.",
            says=le(sum_square, squares, again=lambda squares: 1 * squares),
            world=sums_of_draws(),
            part="many clients and draws",
        ),
    ),
    mutants=(
        mutant(
            "sample by sample, «from triangle inequality of norms»",
            VectorInequality(square(x + y), square(x) + square(y)),
            "for two equal vectors the left side is 4‖x‖², the right side 2‖x‖²",
        ),
        mutant(
            "from the round's start in place of W̄ᵗ⁺¹",
            _sum_of_draws((x, y), (p1, p2), 2, 0 * x, _TWO),
            "without the mean taken off the cross terms do not vanish: two equal updates",
        ),
    ),
    tight="always equal",
    rests_on=("EA-A5", "EA-E26"),
    verdict="""
        The reason given, the triangle inequality, does not give it: for squared norms it is false draw by draw.
        In expectation it is an equality, since the draws are independent and each has mean W̄ᵗ⁺¹, so that the
        cross terms vanish; the paper's display stands inside E_s. Proved for three clients with two draws and
        two with three; for more, no violation was found. It does not hold for draws without independence, nor
        for sums that are not centred, as EA-E27e has them.""",
)

_EACH = expected((p1, 1 - p1), 3, lambda row: sum((d1, d2)[i] for i in row))

E27B = claim(
    "EA-E27b",
    level="step",
    at="A.12, proof of Lemma 5",
    title="K equal expectations",
    printed=(
        r"\frac1{K^2}\sum_{i=1}^K\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2="
        r"\frac1K\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2"
    ),
    plainly="The K draws have one law, so that their mean squares add up to K times one of them.",
    assumes=_A5,
    says=identity(_EACH / 9, (p1 * d1 + (1 - p1) * d2) / 3),
    readings=(
        reading(
            "two clients, three draws",
            "d₁, d₂ the squared distances of the clients; all eight tuples.",
            part="two clients, three draws",
        ),
        reading(
            "many clients and draws",
            "Up to 300 clients and twelve draws, axis by axis, every tuple.",
            says=eq(squares / K**2, one_draw / K),
            world=sums_of_draws(),
            part="many clients and draws",
        ),
    ),
    mutants=(
        mutant(
            "1/K² on the right",
            identity(_EACH / 9, (p1 * d1 + (1 - p1) * d2) / 9),
            "K terms of 1/K² each leave 1/K",
        ),
        mutant("uniform mean on the right", identity(_EACH / 9, (d1 + d2) / 6), "the draws follow the weights"),
    ),
    rests_on=("EA-A5",),
    verdict="""
        Each draw has the same law; the index i left on the right is that of any one draw. Proved for two
        clients and three draws; for more, no violation was found.""",
)


def _second(center: Any) -> Any:
    return sum(r * square(u - z - center) for r, u in zip((p1, p2, p3), (x, y, w), strict=True))


_UPDATE = p1 * x + p2 * y + p3 * w - z * (p1 + p2 + p3)

E27C = claim(
    "EA-E27c",
    level="step",
    at="A.12, proof of Lemma 5",
    title="Variance below the second moment",
    printed=(
        r"\mathbb E_s\|(\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s})-\mathbb E_s[\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}]\|^2"
        r"\le\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}\|^2"
    ),
    plainly="Taking off the mean update can only lower the mean square.",
    assumes=(*_A5, "W̄ᵗ⁺¹ = Σρᵢᵗ⁺¹Vᵢᵗ⁺¹"),
    says=VectorInequality(_second(_UPDATE), _second(0 * x), _THREE),
    readings=(
        reading(
            "three clients",
            "The mean under the weights of the draw; any models, any common start.",
            part="three clients",
        ),
        reading(
            "many clients",
            "Up to 300, axis by axis.",
            says=le(one_draw, raw_draw, again=lambda raw_draw: 1 * raw_draw),
            world=sums_of_draws(1),
            part="many clients",
        ),
    ),
    mutants=(
        mutant(
            "half of the second moment",
            VectorInequality(_second(_UPDATE), _second(0 * x) / 2, _THREE),
            "two opposed updates of equal weight have mean 0",
        ),
        mutant(
            "the first client's update in place of the mean",
            VectorInequality(_second(x - z), _second(0 * x), _THREE),
            "two opposed updates: the left side is 4·½, the right side 1",
        ),
    ),
    tight="updates of mean 0",
    rests_on=("EA-E26",),
    verdict="""
        E‖X − EX‖² = E‖X‖² − ‖EX‖², as the paper says. Unlike EA-E24b mean and expectation are under the same
        weights here, those of the draw, so nothing is left open. Proved for three clients; for up to 300 no
        violation was found.""",
)

eta, moved2, scaled2, seconds, G2, E, left_over = NOTATION.symbols("eta moved2 scaled2 seconds G2 E left_over")

E27D = claim(
    "EA-E27d",
    level="step",
    at="A.12, proof of Lemma 5",
    title="The whole round's update as a sum of gradients",
    printed=r"\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}=-\sum_{j=t_s}^t\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j),\qquad t_s=t+1-E",
    plainly="A client's update of a round is minus the sum of its E scaled stochastic gradients.",
    assumes=("all clients stand at W̄ᵗˢ at t_s", "local steps (4)"),
    says=le(left_over, 0),
    world=step_by_step(whole=True),
    readings=(reading("from the round's start", "Sample by sample; E from 1 to 100."),),
    mutants=(
        mutant(
            "W̄ᵗ in place of W̄ᵗˢ",
            le(left_over, 0),
            "the last display prints it on the left; the model before the last step is not where the round began",
            world=step_by_step(whole=True, from_start=False),
        ),
        mutant(
            "one gradient and one step size throughout",
            le(left_over, 0),
            "a client that moves meets other gradients",
            world=step_by_step(whole=True, gradients="the last for all"),
        ),
    ),
    rests_on=("EA-D4",),
    verdict="""
        Telescoping over the E steps of the round. The last display of the proof prints W̄ᵗ where the lines
        before it have W̄ᵗˢ; taken to the letter that is false for E > 1, as the first planted error shows, and
        a slip of the pen.""",
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
_POLICY = ("A4: E‖∇fᵢ‖² <= G² at every model visited", "ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t")

E27E = claim(
    "EA-E27e",
    level="step",
    at="A.12, proof of Lemma 5",
    title="Squared norm of the sum of a round's gradients",
    printed=(
        r"\mathbb E\Big\|\sum_{j=t_s}^t\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\Big\|^2\le"
        r"\sum_{j=t_s}^t\mathbb E\|\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2"
    ),
    plainly="The mean square of a round's update is at most the sum of the mean squares of its steps.",
    assumes=_POLICY,
    says=le(moved2, scaled2, again=lambda scaled2: 1 * scaled2),
    world=_WHOLE,
    readings=(
        reading("as printed", "One client on the line, exact second moments."),
        reading(
            "a factor E",
            "Cauchy–Schwarz over the steps.",
            says=le(moved2, E * scaled2, again=times_again),
            edits=("a factor E on the right",),
            token=True,
            wrong_form_in=("EA-L5", "EA-T2"),
            carries=False,
            because="Lemma 5 and Theorem 2's C have E where this gives E²",
        ),
    ),
    mutants=(
        mutant(
            "E − 1 in place of E",
            le(moved2, (E - 1) * scaled2),
            "with the factor E nearly constant gradients give equality",
        ),
        mutant("a factor 2", le(moved2, 2 * scaled2), "three nearly equal gradients give three times the sum"),
    ),
    tight="with the factor E: gradients that hardly change over the round",
    rests_on=("EA-E27d",),
    verdict="""
        The same slip as in (24): the squared norm of a sum of E vectors is bounded by the sum of squared norms,
        which is false as soon as two gradients of a round point the same way, as a client's own do. E = 2 and
        nearly constant gradients give twice the right side, larger E the factor E. In EA-E27a the cross terms
        vanish because the draws are centred and independent; the gradients of one client's round are neither.
        With the factor E no violation was found.""",
)

E27F = claim(
    "EA-E27f",
    level="step",
    at="A.12, proof of Lemma 5",
    title="All step sizes below twice the last",
    printed=(
        r"\sum_{j=t_s}^t\mathbb E\|\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2\le"
        r"4\eta_t^2\sum_{j=t_s}^t\mathbb E\|\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2"
    ),
    plainly="Each step size of the round is at most twice its last.",
    assumes=_POLICY,
    says=le(scaled2, 4 * eta**2 * seconds, again=twice_again),
    world=_WHOLE,
    readings=(reading("ηₜ non-increasing", "As the lemma has it; η_j <= η_ts <= 2η_ts₊ₑ <= 2ηₜ."),),
    mutants=(
        mutant("factor 4 dropped", le(scaled2, eta**2 * seconds), "step sizes that fall inside the round"),
        mutant(
            "factor 2 in place of 4",
            le(scaled2, 2 * eta**2 * seconds),
            "step sizes that halve at the last step: nearly four times the right side's square for large E",
        ),
    ),
    tight="E large, the last step size half of all others",
    rests_on=("EA-S2",),
    verdict="""
        From ηₜ <= 2ηₜ₊ₑ and step sizes that do not grow; each summand is a square, so it can be replaced by
        itself. Whether the theorem's own schedule meets the hypothesis is EA-S2's matter.""",
)

E27G = claim(
    "EA-E27g",
    level="step",
    at="A.12, proof of Lemma 5",
    title="E gradients of at most G²",
    printed=(
        r"\frac1K\sum_i\rho_i^{t+1}4\eta_t^2\sum_{j=t_s}^t\mathbb E\|\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2"
        r"\le\frac4K\eta_t^2EG^2"
    ),
    plainly="A round has E gradients, each of mean square at most G².",
    assumes=_POLICY,
    says=le(seconds, E * G2, again=every_again),
    world=_WHOLE,
    readings=(
        reading(
            "one client",
            "The factors 4ηₜ²/K, on both sides, left out; for weights that sum to one the mean over clients follows.",
        ),
    ),
    mutants=(
        mutant("E − 1 in place of E", le(seconds, (E - 1) * G2), "the sum from t_s to t has E terms"),
        mutant("E dropped", le(seconds, G2), "E nearly constant gradients give E times the right side"),
    ),
    tight="gradients of one size",
    rests_on=("EA-A4",),
    verdict="""
        A sum of E numbers of at most G² each, and weights that sum to one.""",
)

CLAIMS: tuple[Claim, ...] = (E27A, E27B, E27C, E27D, E27E, E27F, E27G)
