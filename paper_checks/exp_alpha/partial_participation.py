"""A.12: Lemmas 4 and 5, K of N clients drawn by their weights, and how they enter Theorem 2."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
from sympy import Integer, Rational

from paper_checks.exp_alpha.described_runs import SHORTER, runs_in_advance
from paper_checks.exp_alpha.drawing import drawn, over, signed
from paper_checks.exp_alpha.drawn_clients import given_the_samples, mean_of_draws, small_draws, sums_of_draws
from paper_checks.exp_alpha.lemmas_2_and_3 import clients_round, one_clients_round, step_by_step
from paper_checks.exp_alpha.notation import NOTATION, Plain, Seen
from paper_checks.exp_alpha.proof_of_theorem1 import RECURSION, SHORT_STEPS
from validation import Case, Instance, Simplex, Switch, symbols
from validation.world import (
    Domain,
    VectorInequality,
    at,
    eq,
    identity,
    le,
    lemma,
    mutant,
    reading,
    square,
    step,
    twice,
    vectors,
)

__all__ = ["CLAIMS"]

eta, E, G2, K, apart, sum_square, squares = NOTATION.symbols("eta E G2 K apart sum_square squares")
one_draw, raw_draw, moved2, scaled2, seconds = NOTATION.symbols("one_draw raw_draw moved2 scaled2 seconds")
left_over, after, center = NOTATION.symbols("left_over after center")
p1, p2, v1, v2, v3, p3, d1, d2 = symbols("p1 p2 v1 v2 v3 p3 d1 d2", positive=True)
x, y, w, z = vectors("x y w z")

_UNBIASED = le(NOTATION.symbols("off"), 0)

L4 = lemma(
    "EA-L4",
    "Lemma 4 (A.12)",
    "Sampling by weight is unbiased",
    printed=r"t+1\in\mathcal I_E:\qquad\mathbb E_s[\tilde{\mathbf W}^{t+1}]=\bar{\mathbf W}^{t+1}",
    plainly="The mean of K clients drawn by their weights is, on average over the draw, the weighted mean of all.",
    assumes=[
        "A5: K independent draws with probabilities ρᵢᵗ⁺¹, plain mean of the drawn Vᵢᵗ⁺¹",
        "one set of local models",
    ],
    says=_UNBIASED,
    world=mean_of_draws(),
    readings=[
        reading(
            "given the local models",
            """Any V and any weights, those that see the samples too; every tuple of indices enumerated; the squared
                distance of the two sides must be 0.""",
        )
    ],
    mutants=[
        mutant(
            "uniform draws",
            None,
            "the mean is then the plain mean of all V, which is the weighted one only for equal weights",
            at("2 clients, 2 drawn uniform, d = 1", weights=[1, 0], local=[[0], [-1]]),
            world=small_draws("uniform", 2, 3, 4),
        ),
        mutant(
            "uniform subsets with their weights renormalised",
            None,
            "as in Algorithm 1: with one-hot weights absent half the time the mean is shifted",
            at("3 clients, 2 drawn subsets, d = 1", weights=[0, 1, 0], local=[[0], [0], [-1]]),
            world=small_draws("subsets", 3, 4),
        ),
    ],
    tight="always: an identity",
    verdict="""An identity: each draw has mean ΣρᵢVᵢ, and so has the average of K of them; it does not even need the
        draws to be independent. It speaks of one synchronisation, given the local models, and of the sampling of
        Assumption 5. Algorithm 1 of the same paper takes K clients that «are selected», and renormalises the weights over these
        clients; for that scheme the mean is another, as the second planted error shows.""",
)

_TWO, _THREE = (p1, 1 - p1), (p1, p2, 1 - p1 - p2)


def expected(weights: tuple[Any, ...], K: int, of: Any) -> Any:
    """E_s of `of(indices)` over all tuples of K indices."""
    tuples = product(range(len(weights)), repeat=K)
    return sum((prod((weights[i] for i in row), start=Integer(1)) * of(row) for row in tuples), Integer(0))


def _mean_of(values: tuple[Any, ...], K: int) -> Any:
    return lambda row: sum(values[i] for i in row) / K


E26 = step(
    "EA-E26",
    "A.12, proof of Lemma 4",
    "The mean of K draws",
    printed=r"""\mathbb E_s\Big[\frac1K\sum_{i=1}^K\mathbf V_i^{t+1}\Big]=\frac1K\sum_{i=1}^K\mathbb E_s[\mathbf V_i^{t
        +1}]=\sum_{i=1}^N\rho_i^{t+1}\mathbf V_i^{t+1}=\bar{\mathbf W}^{t+1}""",
    plainly="The expectation of the mean of K draws is the weighted mean of all clients.",
    assumes=["A5: K independent draws by the weights ρᵗ⁺¹", "weights on the simplex"],
    says=identity(expected(_THREE, 2, _mean_of((v1, v2, v3), 2)), p1 * v1 + p2 * v2 + (1 - p1 - p2) * v3),
    readings=[
        reading("three clients, two draws", "Axis by axis, all nine pairs.", part="three clients, two draws"),
        reading(
            "two clients, four draws",
            "Axis by axis, all sixteen tuples.",
            identity(expected(_TWO, 4, _mean_of((v1, v2), 4)), p1 * v1 + (1 - p1) * v2),
            part="two clients, four draws",
        ),
        reading(
            "many clients and draws",
            "Up to 300 clients and six draws, every tuple.",
            _UNBIASED,
            world=mean_of_draws(),
            part="many clients and draws",
        ),
    ],
    mutants=[
        mutant(
            "uniform draws",
            identity(expected((Rational(1, 2),) * 2, 2, _mean_of((v1, v2), 2)), p1 * v1 + (1 - p1) * v2),
            "the mean of uniform draws is the plain mean of all clients",
        ),
        mutant(
            "1/K dropped",
            identity(expected(_TWO, 2, _mean_of((v1, v2), 1)), p1 * v1 + (1 - p1) * v2),
            "a sum of two draws has twice the mean of one",
        ),
    ],
    rests_on=["EA-A5", "EA-D3"],
    verdict="""Linearity of the expectation, with i read as the number of the draw in the sums up to K and as the client
        in the sum up to N. Proved for three clients with two draws and two with four; for more, no violation was
        found.""",
)

_MILD = Switch(
    "bounded gradients on every path",
    "no sample is larger than the root of its mean square: noise of one size",
    lambda x: {**x, "chance": np.full_like(x["chance"], 0.5)} if "chance" in x else x,
)

L5 = lemma(
    "EA-L5",
    "Lemma 5 (A.12)",
    "Variance of sampling K clients",
    printed=r"""t+1\in\mathcal I_E,\ \eta_t\le2\eta_{t+E}:\qquad\mathbb E_s[\|\tilde{\mathbf W}^{t+1}-\bar{\mathbf
        W}^{t+1}\|^2]\le\frac4K\eta_t^2EG^2""",
    plainly="Drawing K clients instead of averaging all moves the aggregate by at most 4η²EG²/K in the mean square.",
    assumes=[
        "A4: second moments of the stochastic gradients at most G² at every point visited",
        "A5: K independent draws by weight, plain mean",
        "ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t",
    ],
    says=le(apart, 4 / K * eta**2 * E * G2),
    world=clients_round(counts=(1.0, 2.0, 5.0, 10.0, 100.0)),
    open={
        "expectation": twice("""Lemma 5 prints E_s, the expectation over the draw alone; the last display of its proof
            prints E[E_s[·]]""")
    },
    readings=[
        reading(
            "over the draw alone",
            "For samples of positive chance; E = 1, and noiseless rounds of two opposed clients.",
            world=replace(given_the_samples(), switches=(_MILD,)),
            options={"expectation": "E_s, over the draw"},
            because="A4 bounds gradients only on average over the samples",
        ),
        reading(
            "over the draw and the samples",
            "As the proof's last display; weights fixed in advance.",
            options={"expectation": "E[E_s], over draw and samples"},
        ),
        reading(
            "E² in place of E",
            "Over the draw and the samples, weights fixed in advance.",
            le(apart, 4 / K * eta**2 * E**2 * G2),
            options={"expectation": "E[E_s], over draw and samples"},
            edits=["E² in place of E"],
            token=True,
            wrong_form_in=["EA-T2"],
            because="E stands in Theorem 2's C = 4EG²/K, too: no slip of one line",
        ),
    ],
    mutants=[
        mutant(
            "factor 4 of the squared form dropped",
            le(apart, eta**2 * E**2 * G2 / K),
            "ηₜ may be half of the earlier steps: nearly 4ηₜ²E²G²/K for large E",
        ),
        mutant(
            "1/K² in place of 1/K",
            le(apart, 4 * eta**2 * E**2 * G2 / K**2),
            "K independent draws have 1/K of the variance of one, as two opposed clients and many draws show",
        ),
        mutant(
            "E − 1 in place of E",
            le(apart, 4 / K * eta**2 * (E - 1) ** 2 * G2),
            "for E = 1 the right side is 0 and one step already separates the clients",
        ),
    ],
    tight="with E², as E grows: opposed gradients constant over the round, the last step half of the others",
    rests_on=["EA-L4", "EA-S2"],
    verdict="""For one draw the left side is the spread of the local models under the weights. Two clients with opposed,
        nearly constant gradients of size G, for example (w − 1)²/2 and (w + 1)²/2 from 0 with small η, drift ηG a step
        each, so over the draw and the samples it is nearly η²E²G²/K: above the printed bound for E >= 5 with constant
        steps and earlier with falling ones. Other clients need a larger E. The proof bounds the squared norm of a sum
        of E gradients by the sum of E squared norms. Without the outer expectation, which the statement does not print
        and the last line of its proof has, it fails even for E = 1, since A4 bounds gradients only on average. With E²,
        over draw and samples, no violation was found.""",
)

_THREE_E27, _TWO_E27 = Domain((), (("p1", "p2", "p3"),)), Domain((), (("p1", "p2"),))


def _sum_of_draws(models: tuple[Any, ...], weights: tuple[Any, ...], K: int, center: Any, on: Domain) -> Any:
    """E_s‖Σ(V − center)‖² <= E_s Σ‖V − center‖², over K draws."""
    off = tuple(u - center for u in models)
    left = expected(weights, K, lambda row: square(sum(off[i] for i in row)))
    return VectorInequality(left, expected(weights, K, lambda row: sum(square(off[i]) for i in row)), on)


E27A = step(
    "EA-E27a",
    "A.12, proof of Lemma 5",
    "Squared norm of the sum of draws",
    printed=r"""\mathbb E_s\Big\|\sum_{i=1}^K(\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1})\Big\|^2\le\mathbb E_s\sum_{i=
        1}^K\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2""",
    plainly="On average over the draw the squared norm of the sum is at most the sum of squared norms.",
    assumes=["A5: K independent draws by the weights ρᵗ⁺¹", "weights on the simplex"],
    says=_sum_of_draws((x, y, w), (p1, p2, p3), 2, p1 * x + p2 * y + p3 * w, _THREE_E27),
    readings=[
        reading("three clients, two draws", "Any models and weights.", part="three clients, two draws"),
        reading(
            "two clients, three draws",
            "Any models and weights.",
            _sum_of_draws((x, y), (p1, p2), 3, p1 * x + p2 * y, _TWO_E27),
            part="two clients, three draws",
        ),
        reading(
            "many clients and draws",
            "Up to 300 clients and twelve draws, every tuple.",
            le(sum_square, squares),
            world=sums_of_draws(),
            part="many clients and draws",
        ),
    ],
    mutants=[
        mutant(
            "sample by sample, «from triangle inequality of norms»",
            VectorInequality(square(x + y), square(x) + square(y)),
            "for two equal vectors 4‖x‖² against 2‖x‖²",
        ),
        mutant(
            "from the round's start in place of W̄ᵗ⁺¹",
            _sum_of_draws((x, y), (p1, p2), 2, 0 * x, _TWO_E27),
            "the cross terms then stay: two equal updates",
        ),
    ],
    tight="always equal",
    rests_on=["EA-A5", "EA-E26"],
    verdict="""The reason given, the triangle inequality, does not give it: for squared norms it is false draw by draw.
        In expectation it is an equality, since the draws are independent and each has mean W̄ᵗ⁺¹, so that the cross
        terms vanish; the paper's display stands inside E_s. Proved for three clients with two draws and two with three;
        for more, no violation was found. It needs independence and centred sums, unlike EA-E27e's.""",
)

_EACH = expected((p1, 1 - p1), 3, lambda row: sum((d1, d2)[i] for i in row))

E27B = step(
    "EA-E27b",
    "A.12, proof of Lemma 5",
    "K equal expectations",
    printed=r"""\frac1{K^2}\sum_{i=1}^K\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2=\frac1K
        \mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2""",
    plainly="The K draws have one law, so that their mean squares add up to K times one of them.",
    assumes=["A5: K independent draws by the weights ρᵗ⁺¹", "weights on the simplex"],
    says=identity(_EACH / 9, (p1 * d1 + (1 - p1) * d2) / 3),
    readings=[
        reading(
            "two clients, three draws", "d₁, d₂ squared distances; all eight tuples.", part="two clients, three draws"
        ),
        reading(
            "many clients and draws",
            "Up to 300 clients and twelve draws, every tuple.",
            eq(squares / K**2, one_draw / K),
            world=sums_of_draws(),
            part="many clients and draws",
        ),
    ],
    mutants=[
        mutant(
            "1/K² on the right", identity(_EACH / 9, (p1 * d1 + (1 - p1) * d2) / 9), "K terms of 1/K² each leave 1/K"
        ),
        mutant("uniform mean on the right", identity(_EACH / 9, (d1 + d2) / 6), "the draws follow the weights"),
    ],
    rests_on=["EA-A5"],
    verdict="""Each draw has the same law; the index i left on the right is that of any one draw. Proved for two clients
        and three draws; for more, no violation was found.""",
)


def _second(center: Any) -> Any:
    return sum(r * square(u - z - center) for r, u in zip((p1, p2, p3), (x, y, w), strict=True))


_UPDATE = p1 * x + p2 * y + p3 * w - z * (p1 + p2 + p3)

E27C = step(
    "EA-E27c",
    "A.12, proof of Lemma 5",
    "Variance below the second moment",
    printed=r"""\mathbb E_s\|(\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s})-\mathbb E_s[\mathbf V_i^{t+1}-\bar{\mathbf
        W}^{t_s}]\|^2\le\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}\|^2""",
    plainly="Taking off the mean update can only lower the mean square.",
    assumes=["A5: K independent draws by the weights ρᵗ⁺¹", "weights on the simplex", "W̄ᵗ⁺¹ = Σρᵢᵗ⁺¹Vᵢᵗ⁺¹"],
    says=VectorInequality(_second(_UPDATE), _second(0 * x), _THREE_E27),
    readings=[
        reading(
            "three clients",
            "The mean under the weights of the draw; any models, any common start.",
            part="three clients",
        ),
        reading(
            "many clients",
            "Up to 300, axis by axis.",
            le(one_draw, raw_draw),
            world=sums_of_draws(1),
            part="many clients",
        ),
    ],
    mutants=[
        mutant(
            "half of the second moment",
            VectorInequality(_second(_UPDATE), _second(0 * x) / 2, _THREE_E27),
            "two opposed updates of equal weight have mean 0",
        ),
        mutant(
            "the first client's update in place of the mean",
            VectorInequality(_second(x - z), _second(0 * x), _THREE_E27),
            "two opposed updates: the left side is 4·½, the right 1",
        ),
    ],
    tight="updates of mean 0",
    rests_on=["EA-E26"],
    verdict="""E‖X − EX‖² = E‖X‖² − ‖EX‖², as the paper says. Unlike EA-E24b mean and expectation are under the same
        weights here, those of the draw, so nothing is left open. Proved for three clients, searched up to 300.""",
)

E27D = step(
    "EA-E27d",
    "A.12, proof of Lemma 5",
    "The whole round's update as a sum of gradients",
    printed=r"""\mathbf V_i^{t+1}-\bar{\mathbf W}^t=-\sum_{j=t_s}^t\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j),\qquad
        t_s=t+1-E""",
    plainly="A client's update of a round is minus the sum of its E scaled stochastic gradients.",
    assumes=["all clients stand at W̄ᵗˢ at t_s", "local steps (4)", "quadratic clients on the line, noise of any size"],
    says=le(left_over, 0),
    world=step_by_step(whole=True, from_start=False),
    readings=[
        reading(
            "as printed, from W̄ᵗ", "The last display has W̄ᵗ on the left, the mean one step before the end of the round."
        ),
        reading(
            "from the round's start",
            "W̄ᵗˢ on the left; sample by sample; E from 1 to 100.",
            world=step_by_step(whole=True),
            edits=["W̄^{t_s} in place of W̄^t"],
            token=True,
            forced_by="the line before prints ‖V_i^{t+1} − W̄^{t_s}‖², and the sum on the right starts at t_s",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "one gradient and one step size throughout",
            None,
            "a client that moves meets other gradients",
            world=step_by_step(whole=True, gradients="the last for all"),
        )
    ],
    rests_on=["EA-D4"],
    verdict="""A letter is lost: the last display of the proof prints W̄ᵗ where the lines before it have W̄ᵗˢ. To the
        letter that is false as soon as E > 1, since the round did not begin at W̄ᵗ. With W̄ᵗˢ it is telescoping over
        the E steps of the round, and nothing follows from the slip: the next line has the sum alone.""",
)

_WHOLE = one_clients_round(whole=True)

E27E = step(
    "EA-E27e",
    "A.12, proof of Lemma 5",
    "Squared norm of the sum of a round's gradients",
    printed=r"""\mathbb E\Big\|\sum_{j=t_s}^t\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\Big\|^2\le\sum_{j=t_s}^t
        \mathbb E\|\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2""",
    plainly="The mean square of a round's update is at most the sum of the mean squares of its steps.",
    assumes=["A4: E‖∇fᵢ‖² <= G² at every model visited", "ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t"],
    says=le(moved2, scaled2),
    world=_WHOLE,
    readings=[
        reading("as printed", "One client on the line, exact second moments."),
        reading(
            "a factor E",
            "Cauchy–Schwarz over the steps.",
            le(moved2, E * scaled2),
            edits=["a factor E on the right"],
            token=True,
            wrong_form_in=["EA-L5", "EA-T2"],
            carries=False,
            because="Lemma 5 and Theorem 2's C have E where this gives E²",
        ),
    ],
    mutants=[
        mutant(
            "E − 1 in place of E",
            le(moved2, (E - 1) * scaled2),
            "with the factor E nearly constant gradients give equality",
        ),
        mutant("a factor 2", le(moved2, 2 * scaled2), "three nearly equal gradients give three times the sum"),
    ],
    tight="with the factor E: gradients that hardly change over the round",
    rests_on=["EA-E27d"],
    verdict="""The same slip as in (24): the squared norm of a sum of E vectors is bounded by the sum of squared norms,
        which is false as soon as two gradients of a round point the same way, as a client's own do. E = 2 and nearly
        constant gradients give twice the right side, larger E the factor E. In EA-E27a the draws are centred and
        independent; the gradients of one client's round are neither. With the factor E no violation was found.""",
)

E27F = step(
    "EA-E27f",
    "A.12, proof of Lemma 5",
    "All step sizes below twice the last",
    printed=r"""\sum_{j=t_s}^t\mathbb E\|\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2\le4\eta_t^2\sum_{j=t_s}^t
        \mathbb E\|\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2""",
    plainly="Each step size of the round is at most twice its last.",
    assumes=["A4: E‖∇fᵢ‖² <= G² at every model visited", "ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t"],
    says=le(scaled2, 4 * eta**2 * seconds),
    world=_WHOLE,
    readings=[
        reading("ηₜ non-increasing", "As the lemma has it; η_j <= η_ts <= 2η_ts₊ₑ <= 2ηₜ; one client on the line.")
    ],
    mutants=[
        mutant("factor 4 dropped", le(scaled2, eta**2 * seconds), "step sizes that fall inside the round"),
        mutant(
            "factor 2 in place of 4",
            le(scaled2, 2 * eta**2 * seconds),
            "step sizes that halve at the last step: nearly four times as much for large E",
        ),
    ],
    tight="E large, the last step size half of all others",
    verdict="""From ηₜ <= 2ηₜ₊ₑ and step sizes that do not grow; each summand is a square, so it can be replaced by
        itself. Whether the theorem's own schedule meets the hypothesis is EA-S2's matter.""",
)

E27G = step(
    "EA-E27g",
    "A.12, proof of Lemma 5",
    "E gradients of at most G²",
    printed=r"""\frac1K\sum_i\rho_i^{t+1}4\eta_t^2\sum_{j=t_s}^t\mathbb E\|\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2
        \le\frac4K\eta_t^2EG^2""",
    plainly="A round has E gradients, each of mean square at most G².",
    assumes=["A4: E‖∇fᵢ‖² <= G² at every model visited", "ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t"],
    says=le(seconds, E * G2),
    world=_WHOLE,
    readings=[
        reading("one client", "The factors 4ηₜ²/K left out; for weights that sum to one the mean over clients follows.")
    ],
    mutants=[
        mutant("E − 1 in place of E", le(seconds, (E - 1) * G2), "the sum from t_s to t has E terms"),
        mutant("E dropped", le(seconds, G2), "E nearly constant gradients give E times the right side"),
    ],
    tight="gradients of one size",
    rests_on=["EA-A4"],
    verdict="A sum of E numbers of at most G² each, and weights that sum to one.",
)


def combined_again(
    eta: Any, mu: Any, L: Any, E: Any, K: Any, noise: Any, G2: Any, Omega: Any, Gamma: Any, before: Any
) -> Any:
    """(1 − ημ)Δ + η²(B + C) once more, C = 4EG²/K."""
    drift = eta**2 * G2 * (8 * E - 8 + 4 * E / K)
    return before + eta * (2 * Gamma - 2 * Omega - mu * before) + drift + eta**2 * (noise + 6 * L * Omega)


def squared_again(
    eta: Any, mu: Any, L: Any, E: Any, K: Any, noise: Any, G2: Any, Omega: Any, Gamma: Any, before: Any
) -> Any:
    """The same with C = 4E²G²/K."""
    late = combined_again(eta, mu, L, E, K, noise, G2, Omega, Gamma, before)
    return late + (2 * eta) ** 2 * G2 * E * (E - 1) / K


COMBINED = RECURSION + eta**2 * (4 / K * E * G2)
SQUARED = RECURSION + eta**2 * (4 / K * E**2 * G2)


_LONG = runs_in_advance.but(
    **SHORTER, part="by weight", N=(1, 100), E=(1, 100), R=(1, 10), far=10, corners=("drifting",)
)
_RUNS, _ONE_ROUND = _LONG.where(*SHORT_STEPS), _LONG.but(E=(1, 20), R=(1, 1), far=1).where(*SHORT_STEPS)
_ONES = {"curvature": 1, "bent": 1, "stretch": 1}


def split(x: Instance, *, K: int, uniform: bool) -> Seen:
    """E(W̃ − W*)², E(W̃ − W̄)² and (W̄ − W*)² over all K-tuples; `uniform`: drawn uniformly in place of by weight."""
    n = x["model"].shape[1]
    tuples = np.asarray(list(product(range(n), repeat=K)))
    a = np.full_like(x["weights"], 1.0 / n) if uniform else x["weights"]
    chance = a[:, tuples].prod(axis=2)
    drawn, bar = x["model"][:, tuples].mean(axis=2), (x["weights"] * x["model"]).sum(axis=1)
    return {
        "after": (chance * (drawn - x["best"][:, None]) ** 2).sum(axis=1),
        "apart": (chance * (drawn - bar[:, None]) ** 2).sum(axis=1),
        "center": (bar - x["best"]) ** 2,
        "magnitude": (np.abs(x["model"]).max(axis=1) + np.abs(x["best"])) ** 2,
    }


def split_exact(x: Seen, *, K: int, uniform: bool) -> Plain:
    """The same by listing all K draws."""
    n, a, V, best = len(x["model"]), x["weights"], x["model"], x["best"]
    bar, after, apart = sum(a[i] * V[i] for i in range(n)), Fraction(0), Fraction(0)
    for code in range(n**K):
        chosen = [code // n**j % n for j in range(K)]
        chance = Fraction(1)
        for i in chosen:
            chance = chance * (Fraction(1, n) if uniform else a[i])
        mean = sum(V[i] for i in chosen) / K
        after, apart = after + chance * (mean - best) ** 2, apart + chance * (mean - bar) ** 2
    met = {"weights on the simplex": sum(a) == 1 and min(a) >= 0, "K >= 1": K >= 1}
    return met, {"after": after, "apart": apart, "center": (bar - best) ** 2}


def _draws(n: int, K: int, *, uniform: bool = False) -> Case:
    of = (signed("model", n), signed("best"), Simplex("weights", n))
    return drawn(f"{K} of {n} local models drawn", of, split, split_exact, K=K, uniform=uniform)


_DRAWS = over(*(_draws(n, k) for n, k in ((1, 1), (2, 1), (2, 3), (3, 2), (4, 4))))
_UNIFORM = over(_draws(2, 1, uniform=True), _draws(3, 2, uniform=True))
_SPLIT = eq(after, apart + center)

E28 = step(
    "EA-E28",
    "A.12, from Lemmas 4 and 5 to Theorem 2 (not written out)",
    "The recursion with K clients drawn",
    printed=r"""\mathbb E\|\tilde{\mathbf W}^{t+1}-\mathbf W^*\|^2=\mathbb E\|\tilde{\mathbf W}^{t+1}-\bar{\mathbf
        W}^{t+1}\|^2+\mathbb E\|\bar{\mathbf W}^{t+1}-\mathbf W^*\|^2\le(1-\eta_t\mu)\tilde\Delta_t+\eta_t^2(B+C),\quad
        C=\tfrac4KEG^2""",
    plainly="Drawing clients adds C = 4EG²/K to the constant of the recursion.",
    assumes=[
        "A5: K independent draws by weight at each synchronisation, plain mean",
        """ηₜ <= 1/(4L), non-increasing, ηₜ <= 2ηₜ₊ₑ; weights fixed in advance, one vector a round; samples independent
            over clients""",
        "Γ and Ω over the steps done, Ω in expectation over samples and draws",
    ],
    says=le(after, COMBINED),
    world=_RUNS,
    readings=[
        reading(
            "the decomposition",
            "Given the local models, on an axis, no cross term: W̃ has mean W̄.",
            _SPLIT,
            world=_DRAWS,
            part="the decomposition",
        ),
        reading(
            "the lemmas put together",
            "Lemma 5's bound added to (7) is (7) with B + C, and the induction carries B̄ + C to Theorem 2.",
            identity(RECURSION + 4 / K * eta**2 * E * G2, COMBINED),
            part="the inequality",
        ),
        reading(
            "itself",
            "The recursion from the step before a synchronisation to the drawn mean, on runs.",
            world=_ONE_ROUND,
            ours="the line without Lemma 5, its premise, which is judged at EA-L5",
        ),
        reading(
            "C = 4E²G²/K",
            "On the same runs.",
            le(after, SQUARED, again=squared_again),
            part="the inequality",
            edits=["C = 4E²G²/K"],
        ),
    ],
    mutants=[
        mutant(
            "drawn uniformly in place of by weight",
            _SPLIT,
            "the mean of W̃ is then not W̄ and the cross term stays",
            at("1 of 2 local models drawn", model=[0, -1], best=0, weights=[0, 1]),
            world=_UNIFORM,
        ),
        mutant(
            "C dropped",
            le(after, RECURSION),
            "two opposed clients drift apart for a round of many steps, and nothing pays for it",
            at(
                "drifting, 2 clients, E = 20, 1 round",
                first=1,
                second=-1,
                beside=0,
                tiny="1/2",
                begin=1,
                drawn=1,
                **_ONES,
            ),
        ),
        mutant(
            "4EG²/K² in place of 4EG²/K",
            identity(RECURSION + 4 / K * eta**2 * E * G2, RECURSION + 4 / K**2 * eta**2 * E * G2, sample=(2, 3)),
            "Lemma 5 divides by K once",
        ),
    ],
    tight="not known",
    rests_on=["EA-L4", "EA-L5", "EA-E7"],
    written="the whole display; the paper goes from Lemmas 4 and 5 to Theorem 2 without writing it",
    verdict="""Given Lemma 5 the step is right: the decomposition is exact, and the constant is B + C as in Theorem 2.
        The paper does not write it out. But Lemma 5 has E where its argument gives E², and on runs that shows, beside
        its premise: with K = 1 two opposed clients that drift apart for 20 steps put the drawn model (20ηG)² = 400η²G²
        off, against at most (8·19 + 3 + 80)η²G² on the right. With C = 4E²G²/K no violation was found. Theorem 2 itself
        is judged at EA-T2: over a whole run its other terms pay for the missing factor.""",
)

CLAIMS = (L4, E26, L5, E27A, E27B, E27C, E27D, E27E, E27F, E27G, E28)
