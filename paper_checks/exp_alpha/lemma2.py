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
from validation.world.front import claim, mutant, reading
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
_CORRELATED = {"samples": "correlated over clients"}
_BY_ITSELF = (
    "A3 bounds each client by itself, and the reason given (convexity of norms) uses no independence; «independently» in "
    "Sec. 2 is said of the clients' optimisation"
)
_OWN_WEIGHTS = "Exp-α's own weights (Algorithm 1) are computed from the round's local models"
_CONDITIONS = ("samples independent over clients", "weights chosen before the round's samples")
_MET_BY = "FedAvg with proportional weights (Table 1), every client sampling its own data"

L2 = claim(
    "EA-L2",
    level="lemma",
    at="Lemma 2 (A.8), proof A.10, eq. (23)",
    title="Variance of the averaged gradient",
    printed=(
        r"\mathbb E\|\mathbf g_t-\bar{\mathbf g}_t\|^2\le\sum_i(\rho_i^{t+1})^2\sigma_i^2\le\max_t\sum_i(p_i^{t+1})^2\sigma_i^2"
    ),
    plainly="Averaging reduces the variance of the stochastic gradients to the sum of squared weights times variances.",
    assumes=("A3: each client's stochastic gradient has variance at most σᵢ²", "weights on the simplex"),
    says=_BOUND,
    world=_ALONE,
    readings=(
        reading(
            "any joint law of the samples",
            "A3 speaks of each client by itself; weights in advance.",
            world=World(NOTATION, _JOINT.cases, switches=(_INDEPENDENT,)),
            cuts=_CORRELATED,
            because=_BY_ITSELF,
        ),
        reading(
            "independent samples, weights as Exp-α's",
            "The weights may see the samples; ḡₜ = Σρᵢᵗ⁺¹∇Fᵢ, and the maximum runs over all outcomes.",
            world=_SEEING,
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            used_by=_OWN_WEIGHTS,
            ours=(
                "the lemma prints (ρ_i^{t+1})² outside the expectation; moving it inside, or taking its largest outcome, is ours"
            ),
        ),
        reading(
            "independent samples, weights fixed before them",
            "Both extras together.",
            world=World(NOTATION, (*_ALONE.cases, *(rare_signs(n, PAST) for n in (1, 2, 3)))),
            conditions=_CONDITIONS,
            met_by=_MET_BY,
        ),
    ),
    mutants=(
        mutant(
            "ρ³ in place of ρ²",
            le(deviation, cubes),
            "with independent noise the left side is Σρ²σ², twice Σρ³σ² for two equal weights",
        ),
        mutant(
            "one common coin for all clients",
            _BOUND,
            "with shared noise the average keeps the whole variance, and Σρ²σ² is half of it for two equal weights",
            world=_JOINT,
        ),
        mutant(
            "weights see the samples",
            _BOUND,
            "weight on the clients whose noise is not 0 keeps it whenever any is",
            world=World(NOTATION, (rare_signs(3, (float(Instant.AFTER_STEP),)),)),
        ),
    ),
    tight="independent noise of variance exactly σᵢ², and the largest step",
    rests_on=("EA-VS",),
    verdict="""
        The proof calls on Jensen's inequality, which gives Σρᵢσᵢ², not Σρᵢ²σᵢ². The printed bound is the
        expansion of the square without its cross terms, and those vanish when the clients' samples are
        independent of each other and of the weights. Independence is customary and not stated; samples shared
        by two clients double the left side. Independence of the weights is what Exp-α gives up: weights that
        favour clients with a large deviation exceed the bound, even with its maximum over all outcomes, and
        with N clients and rare noise up to N times. With both extras it is an equality.""",
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

E23 = claim(
    "EA-E23",
    level="step",
    at="A.10, display (23), first inequality",
    title="Squared weights out of the squared norm",
    printed=(
        r"\mathbb E\Big\|\sum_i\rho_i^{t+1}(\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t))\Big\|^2\le"
        r"\sum_i(\rho_i^{t+1})^2\,\mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t)\|^2"
    ),
    plainly="The mean square of the averaged deviation is at most the sum of squared weights times mean squares.",
    assumes=("A3: each client's deviation has mean 0 and variance at most σᵢ²", "weights on the simplex"),
    says=VectorInequality(_TOGETHER, _SQUARES, _ANY),
    readings=(
        reading(
            "from the convexity of norms",
            "As the text argues: for whatever deviations, sample by sample; ∇Fᵢ where Fᵢ is printed.",
            ours=(
                "sample by sample, where (23) prints expectations on both sides; it shows that the reason given, Jensen's "
                "inequality, does not give the line"
            ),
        ),
        reading(
            "in expectation, any joint law",
            "A3 speaks of each client by itself: with chance r all share one sign; weights fixed in advance.",
            says=VectorInequality(
                r * _TOGETHER + (1 - r) * _APART, _SQUARES, Domain((Parameter("r", 0, 1),), _WEIGHTS)
            ),
            cuts=_CORRELATED,
            because=_BY_ITSELF,
        ),
        reading(
            "in expectation, independent samples, weights as Exp-α's",
            "The weights may see the samples; on the right they stand inside the expectation.",
            says=le(deviation, weighed),
            world=World(NOTATION, (*(fair_signs(n) for n in (1, 2, 3)), majority()), switches=(BEFORE_SAMPLES,)),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            used_by=_OWN_WEIGHTS,
            ours="(23) prints (ρ_i^{t+1})² outside the expectation; moving it inside is ours",
        ),
        reading(
            "independent samples, weights fixed before them",
            "The cross terms then vanish on average; three clients, and with more of them each cross term is one of two clients.",
            says=VectorInequality(_APART, _SQUARES, _ANY),
            conditions=_CONDITIONS,
            met_by=_MET_BY,
        ),
        reading(
            "ρᵢ in place of ρᵢ²",
            "What Jensen's inequality gives, for whatever deviations of three clients.",
            says=VectorInequality(_TOGETHER, _MEAN, _ANY),
            edits=("ρ_i in place of ρ_i²",),
            token=True,
            forced_by=(
                "the text below (23): «the first inequality comes from the convexity of norms and Jensen's inequality», which "
                "gives ρ_i"
            ),
            wrong_form_in=("EA-L2", "EA-T1", "EA-T2"),
            carries=False,
        ),
    ),
    repeats="EA-L2",
    mutants=(
        mutant(
            "a cube in place of a square, independent samples",
            VectorInequality(_APART, p**3 * square(u) + q**3 * square(v) + s**3 * square(w), _ANY),
            "with independent samples both printed sides are equal, and ρ³ < ρ² for weights in (0, 1)",
        ),
        mutant(
            "one term of Jensen's bound dropped",
            VectorInequality(_TOGETHER, _MEAN - s * square(w), _ANY),
            "with the weight on the third client the left side is its squared deviation and the right side 0",
        ),
    ),
    tight="independent samples and weights fixed before them: always equal",
    rests_on=("EA-A3",),
    verdict="""
        Convexity of the squared norm gives Σρᵢ‖·‖², not Σρᵢ²‖·‖²: for equal deviations and weights the printed
        right side is 1/N of the left one. In expectation the step is the expansion of the square without its
        cross terms, which vanish for samples that are independent over clients and weights fixed before them;
        then both sides are equal (proved for three clients). Neither is assumed: A3 bounds each client's
        variance by itself («independently» in Sec. 2 may mean the first), and Exp-α's weights are functions of
        the samples. The display also prints Fᵢ where ∇Fᵢ is meant, and W^t where the lemma is used at Wᵢᵗ.""",
)

CLAIMS: tuple[Claim, ...] = (L2, E23)
