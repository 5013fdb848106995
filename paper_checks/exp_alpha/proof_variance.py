"""EA-E23: the first inequality of display (23), the variance of an average bounded by squared weights.

Three clients' deviations ∇fᵢ − ∇Fᵢ are ±u, ±v, ±w with fair signs, one common sign with chance r, else independent ones.
The mean square of their average is then a quadratic form in u, v, w, checked for all of them at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.exp_alpha.seen_steps import BEFORE_SAMPLES
from theory.exact import dot
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Inequality,
    Information,
    Instance,
    Kind,
    LogScale,
    Reading,
    Simplex,
    Space,
    symbols,
    units,
)
from validation.domain import Domain, Parameter
from validation.gram import VectorInequality
from validation.vectors import square, vectors

__all__ = ["CLAIMS"]

u, v, w = vectors("u v w")
p, q, s, r = symbols("p q s r")
_WEIGHTS = (("p", "q", "s"),)
_SQUARES = p**2 * square(u) + q**2 * square(v) + s**2 * square(w)
_TOGETHER = square(p * u + q * v + s * w)
_ALONE = sum(square(p * u + j * q * v + k * s * w) for j in (-1, 1) for k in (-1, 1)) / 4
_MEAN = p * square(u) + q * square(v) + s * square(w)
_ANY = Domain((), _WEIGHTS)
_CORRELATED = Domain((Parameter("r", 0, 1),), _WEIGHTS)


def seen_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E (sum rho_i z_i)^2 and E sum rho_i^2 z_i^2 over all signs z_i = +-sigma_i; weights for every outcome."""
    n, left, right = len(x["sigma"]), Fraction(0), Fraction(0)
    for row in range(2**n):
        z = [x["sigma"][i] * (1 if (row >> (n - 1 - i)) & 1 else -1) for i in range(n)]
        a = x["table"][row if x["sees"] > 2 else 0]
        left += dot(a, z) ** 2 / 2**n
        right += sum(a[i] ** 2 * z[i] ** 2 for i in range(n)) / 2**n
    met = {
        "A3: mean 0, variance sigma_i^2; independent": min(x["sigma"]) >= 0,
        "weights on the simplex for every outcome": all(sum(a) == 1 and min(a) >= 0 for a in x["table"]),
    }
    return met, {"lhs": left, "squares": right}


def _seen(x: Instance) -> Mapping[str, Any]:
    signs = np.asarray(list(product((-1.0, 1.0), repeat=x["sigma"].shape[1])))
    a = np.where((x["sees"] > 2)[:, None, None], x["table"], x["table"][:, :1])
    z = a * signs * x["sigma"][:, None, :]
    left, right = (z.sum(axis=2) ** 2).mean(axis=1), (z**2).sum(axis=2).mean(axis=1)
    return {"lhs": left, "squares": right, "magnitude": x["sigma"].max(axis=1) ** 2}


def squares_again(squares: Any) -> Any:
    """E Σρᵢ²‖∇fᵢ − ∇Fᵢ‖², as measured."""
    return 1 * squares


def _case(n: int) -> Case:
    drawn = Space(
        (
            Simplex("table", n, (2**n,)),
            LogScale("sigma", 1e-2, 1e2, (n,), at=(1.0,)),
            Information("sees"),
        )
    )
    exact = ExactCheck(seen_exact, (dot,))
    return Case(
        f"{n} clients, signs ±σᵢ, weights may see them", drawn, _seen, exact, symmetries=(units({"sigma": (1, -1)}),)
    )


def _majority(x: Instance) -> Mapping[str, Any]:
    """N clients of one σ: equal weights on those with the more frequent sign, or on all of them if they do not see it."""
    n, square = x["n_clients"].astype(int), x["sigma"] ** 2
    inverse = {int(k): float(np.mean(1 / _larger_side(int(k)))) for k in np.unique(n)}
    seen = np.asarray([inverse[int(k)] for k in n])
    left = np.where(x["sees"] > 2, square, square / n)
    return {"lhs": left, "squares": square * np.where(x["sees"] > 2, seen, 1 / n), "magnitude": square}


def _larger_side(n: int) -> Any:
    """How many of n signs are the more frequent one, for each of the 2ⁿ outcomes."""
    up = np.asarray([row.bit_count() for row in range(2**n)])
    return np.maximum(up, n - up)


def majority_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """N clients, noise +-sigma: equal weights on those with the more frequent sign; E (sum rho z)^2, E sum rho^2 z^2."""
    n, left, right = int(x["n_clients"]), Fraction(0), Fraction(0)
    chance = Fraction(1, 2**n)
    for up in range(n + 1):
        among = max(up, n - up) if x["sees"] > 2 else n
        total = among if x["sees"] > 2 else 2 * up - n
        left += chance * (x["sigma"] * total / among) ** 2
        right += chance * x["sigma"] ** 2 / among
        chance = chance * (n - up) / (up + 1)
    return {"A3: mean 0, variance sigma^2; independent": x["sigma"] >= 0}, {"lhs": left, "squares": right}


_MOST = 14
_MAJORITY = Case(
    "many clients, equal weights on the more frequent sign",
    Space(
        (
            LogScale("sigma", 1e-2, 1e2, at=(1.0,)),
            Choice("n_clients", (2.0, 4.0, 8.0, float(_MOST))),
            Information("sees"),
        )
    ),
    _majority,
    ExactCheck(majority_exact),
    symmetries=(units({"sigma": (1, -1)}),),
)
_SEEING = Inequality(
    Bound(symbols("squares"), again=squares_again, degrees={"squares": (2, -2)}),
    (*(_case(n) for n in (1, 2, 3)), _MAJORITY),
    switches=(BEFORE_SAMPLES,),
    degrees=(2, -2),
)

E23 = Claim(
    id="EA-E23",
    kind=Kind.INEQUALITY,
    source="A.10, display (23), first inequality",
    title="Squared weights out of the squared norm",
    statement=(
        r"\mathbb E\Big\|\sum_i\rho_i^{t+1}(\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t))\Big\|^2\le"
        r"\sum_i(\rho_i^{t+1})^2\,\mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t)\|^2"
    ),
    says="The mean square of the averaged deviation is at most the sum of squared weights times mean squares.",
    assumes=("A3: each client's deviation has mean 0 and variance at most σᵢ²", "weights on the simplex"),
    readings=(
        Reading(
            "from the convexity of norms",
            "As the text argues: for whatever deviations, sample by sample; ∇Fᵢ where Fᵢ is printed.",
            VectorInequality(_TOGETHER, _SQUARES, _ANY),
        ),
        Reading(
            "in expectation, any joint law",
            "A3 speaks of each client by itself: with chance r all share one sign; weights fixed in advance.",
            VectorInequality(r * _TOGETHER + (1 - r) * _ALONE, _SQUARES, _CORRELATED),
        ),
        Reading(
            "in expectation, independent samples, weights as Exp-α's",
            "The weights may see the samples; on the right they stand inside the expectation.",
            _SEEING,
        ),
        Reading(
            "independent samples, weights fixed before them",
            "The cross terms then vanish on average; three clients, and with more of them each cross term is one of two clients.",
            VectorInequality(_ALONE, _SQUARES, _ANY),
            repair="condition",
        ),
        Reading(
            "ρᵢ in place of ρᵢ²",
            "What Jensen's inequality gives, for whatever deviations of three clients.",
            VectorInequality(_TOGETHER, _MEAN, _ANY),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "a cube in place of a square, independent samples",
            VectorInequality(_ALONE, p**3 * square(u) + q**3 * square(v) + s**3 * square(w), _ANY),
            "with independent samples both printed sides are equal, and ρ³ < ρ² for weights in (0, 1)",
        ),
        Canary(
            "one term of Jensen's bound dropped",
            VectorInequality(_TOGETHER, _MEAN - s * square(w), _ANY),
            "with the weight on the third client the left side is its squared deviation and the right side 0",
        ),
    ),
    tight="independent samples and weights fixed before them: always equal",
    depends_on=("EA-A3",),
    verdict_words=(
        "Convexity of the squared norm gives Σρᵢ‖·‖², not Σρᵢ²‖·‖²: for equal deviations and weights the printed right side "
        "is 1/N of the left one. In expectation the step is the expansion of the square without its cross terms, which vanish for "
        "samples that are independent over clients and weights fixed before them; then both sides are equal (proved for three clients). Neither is "
        "assumed: A3 bounds each client's variance by itself («independently» in Sec. 2 may mean the first), and Exp-α's weights are "
        "functions of the samples. The display "
        "also prints Fᵢ where ∇Fᵢ is meant, and W^t where the lemma is used at Wᵢᵗ."
    ),
)

CLAIMS: tuple[Claim, ...] = (E23,)
