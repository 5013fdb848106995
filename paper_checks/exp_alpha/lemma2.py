"""EA-L2, EA-E23: the variance of the averaged stochastic gradient, and the display (23) that bounds it."""

from __future__ import annotations

from paper_checks.exp_alpha.averaged_noise import any_law, fair_signs, majority, picked, rare_signs
from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.seen_steps import ANY, BEFORE_SAMPLES, PAST
from validation import Claim, Instant, Switch, symbols
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import le
from validation.statement.vectors import square, vectors
from validation.world.stated import but, stated
from validation.world.world import World

__all__ = ["CLAIMS"]

deviation, noise, cubes, weighed = NOTATION.symbols("deviation noise cubes weighed")
_INDEPENDENT = Switch(
    "independent samples",
    "the noise is independent over clients",
    lambda x: {**x, "correlation": 0 * x["correlation"]} if "correlation" in x else x,
)
_JOINT, _ALONE = World(NOTATION, (any_law(),)), World(NOTATION, (any_law(independent=True),))
_SEEING = World(NOTATION, (*(rare_signs(n, ANY) for n in (1, 2, 3)), picked()), switches=(BEFORE_SAMPLES,))
_BOUND = le(deviation, noise)

L2 = stated(
    r"""EA-L2 (lemma; Lemma 2 (A.8), proof A.10, eq. (23)): Variance of the averaged gradient
    Print: \mathbb E\|\mathbf g_t-\bar{\mathbf g}_t\|^2\le\sum_i(\rho_i^{t+1})^2\sigma_i^2
        \le\max_t\sum_i(p_i^{t+1})^2\sigma_i^2
    Plainly: Averaging reduces the variance of the stochastic gradients to the sum of squared weights times
        variances.
    Assumes: A3: each client's stochastic gradient has variance at most σᵢ² | weights on the simplex
    Reading: any joint law of the samples | A3 speaks of each client by itself; weights in advance. | cut samples =
        correlated over clients | because: A3 bounds each client by itself, and the reason given (convexity of
        norms) uses no independence; «independently» in Sec. 2 is said of the clients' optimisation
    Reading: independent samples, weights as Exp-α's | The weights may see the samples; ḡₜ = Σρᵢᵗ⁺¹∇Fᵢ, and the
        maximum runs over all outcomes. | cut weights = see the round's samples | sees: after the step | used by:
        Exp-α's own weights (Algorithm 1) are computed from the round's local models | ours: the lemma prints
        (ρ_i^{t+1})² outside the expectation; moving it inside, or taking its largest outcome, is ours
    Reading: independent samples, weights fixed before them | Both extras together. | condition: samples independent
        over clients | condition: weights chosen before the round's samples | met by: FedAvg with proportional
        weights (Table 1), every client sampling its own data
    Mutant: ρ³ in place of ρ² | with independent noise the left side is Σρ²σ², twice Σρ³σ² for two equal weights
    Mutant: one common coin for all clients | with shared noise the average keeps the whole variance, and Σρ²σ² is
        half of it for two equal weights
    Mutant: weights see the samples | weight on the clients whose noise is not 0 keeps it whenever any is
    Tight: independent noise of variance exactly σᵢ², and the largest step
    Rests on: EA-VS
    Verdict: The proof calls on Jensen's inequality, which gives Σρᵢσᵢ², not Σρᵢ²σᵢ². The printed bound is the
        expansion of the square without its cross terms, and those vanish when the clients' samples are independent
        of each other and of the weights. Independence is customary and not stated; samples shared by two clients
        double the left side. Independence of the weights is what Exp-α gives up: weights that favour clients with a
        large deviation exceed the bound, even with its maximum over all outcomes, and with N clients and rare noise
        up to N times. With both extras it is an equality.""",
    says=_BOUND,
    world=_ALONE,
    readings={
        "any joint law of the samples": World(NOTATION, _JOINT.cases, switches=(_INDEPENDENT,)),
        "independent samples, weights as Exp-α's": _SEEING,
        "independent samples, weights fixed before them": World(
            NOTATION, (*_ALONE.cases, *(rare_signs(n, PAST) for n in (1, 2, 3)))
        ),
    },
    mutants={
        "ρ³ in place of ρ²": le(deviation, cubes),
        "one common coin for all clients": _JOINT,
        "weights see the samples": World(NOTATION, (rare_signs(3, (float(Instant.AFTER_STEP),)),)),
    },
)

# Three clients' deviations ∇fᵢ − ∇Fᵢ are ±u, ±v, ±w with fair signs, one common sign with chance r, else independent ones.
u, v, w = vectors("u v w")
p, q, s, r = symbols("p q s r")
_WEIGHTS = (("p", "q", "s"),)
_ANY = Domain((), _WEIGHTS)
_SQUARES = p**2 * square(u) + q**2 * square(v) + s**2 * square(w)
_TOGETHER = square(p * u + q * v + s * w)
_APART = sum(square(p * u + j * q * v + k * s * w) for j in (-1, 1) for k in (-1, 1)) / 4
_MEAN = p * square(u) + q * square(v) + s * square(w)

E23 = stated(
    r"""EA-E23 (step; A.10, display (23), first inequality): Squared weights out of the squared norm
    Print: \mathbb E\Big\|\sum_i\rho_i^{t+1}(\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t))\Big\|^2
        \le\sum_i(\rho_i^{t+1})^2\,\mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t)\|^2
    Plainly: The mean square of the averaged deviation is at most the sum of squared weights times mean squares.
    Assumes: A3: each client's deviation has mean 0 and variance at most σᵢ² | weights on the simplex
    Reading: from the convexity of norms | As the text argues: for whatever deviations, sample by sample; ∇Fᵢ where
        Fᵢ is printed. | ours: sample by sample, where (23) prints expectations on both sides; it shows that the
        reason given, Jensen's inequality, does not give the line
    Reading: in expectation, any joint law | A3 speaks of each client by itself: with chance r all share one sign;
        weights fixed in advance. | cut samples = correlated over clients | because: A3 bounds each client by
        itself, and the reason given (convexity of norms) uses no independence; «independently» in Sec. 2 is said of
        the clients' optimisation
    Reading: in expectation, independent samples, weights as Exp-α's | The weights may see the samples; on the right
        they stand inside the expectation. | cut weights = see the round's samples | sees: after the step | used by:
        Exp-α's own weights (Algorithm 1) are computed from the round's local models | ours: (23) prints
        (ρ_i^{t+1})² outside the expectation; moving it inside is ours
    Reading: independent samples, weights fixed before them | The cross terms then vanish on average; three clients,
        and with more of them each cross term is one of two clients. | condition: samples independent over clients |
        condition: weights chosen before the round's samples | met by: FedAvg with proportional weights (Table 1),
        every client sampling its own data
    Reading: ρᵢ in place of ρᵢ² | What Jensen's inequality gives, for whatever deviations of three clients. | edit:
        ρ_i in place of ρ_i² | token | forced by: the text below (23): «the first inequality comes from the
        convexity of norms and Jensen's inequality», which gives ρ_i | wrong form in: EA-L2, EA-T1, EA-T2 | carries:
        no
    Mutant: a cube in place of a square, independent samples | with independent samples both printed sides are
        equal, and ρ³ < ρ² for weights in (0, 1)
    Mutant: one term of Jensen's bound dropped | with the weight on the third client the left side is its squared
        deviation and the right side 0
    Tight: independent samples and weights fixed before them: always equal
    Rests on: EA-A3
    Repeats: EA-L2
    Verdict: Convexity of the squared norm gives Σρᵢ‖·‖², not Σρᵢ²‖·‖²: for equal deviations and weights the printed
        right side is 1/N of the left one. In expectation the step is the expansion of the square without its cross
        terms, which vanish for samples that are independent over clients and weights fixed before them; then both
        sides are equal (proved for three clients). Neither is assumed: A3 bounds each client's variance by itself
        («independently» in Sec. 2 may mean the first), and Exp-α's weights are functions of the samples. The
        display also prints Fᵢ where ∇Fᵢ is meant, and W^t where the lemma is used at Wᵢᵗ.""",
    says=VectorInequality(_TOGETHER, _SQUARES, _ANY),
    readings={
        "in expectation, any joint law": VectorInequality(
            r * _TOGETHER + (1 - r) * _APART, _SQUARES, Domain((Parameter("r", 0, 1),), _WEIGHTS)
        ),
        "in expectation, independent samples, weights as Exp-α's": but(
            le(deviation, weighed),
            world=World(NOTATION, (*(fair_signs(n) for n in (1, 2, 3)), majority()), switches=(BEFORE_SAMPLES,)),
        ),
        "independent samples, weights fixed before them": VectorInequality(_APART, _SQUARES, _ANY),
        "ρᵢ in place of ρᵢ²": VectorInequality(_TOGETHER, _MEAN, _ANY),
    },
    mutants={
        "a cube in place of a square, independent samples": VectorInequality(
            _APART, p**3 * square(u) + q**3 * square(v) + s**3 * square(w), _ANY
        ),
        "one term of Jensen's bound dropped": VectorInequality(_TOGETHER, _MEAN - s * square(w), _ANY),
    },
)

CLAIMS: tuple[Claim, ...] = (L2, E23)
