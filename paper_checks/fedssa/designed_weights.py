"""SSA-E09, SSA-E10: the two simple rules of Appendix D, weights from similarity and from confidence."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import cosine, flag, mass, missed, slack, variance, view_case, view_family
from validation import Claim, Instance, Property
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]
_SMALLEST = 1e-6  # sums of scores below are taken as 0, where the weights are undefined


def _outputs(x: Instance, view: str) -> Any:
    """Softmax outputs of each client's logits, or, with `logits`, these themselves."""
    z = x[view]
    if "logits" in x:
        return z
    grown = np.exp(z - z.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def _normalised(x: Instance, scores: Any) -> Mapping[str, Any]:
    """By how much the normalised scores miss the simplex; `counted`: divided by K in place of their sum."""
    total = scores.sum(axis=1)
    known = np.abs(total) > _SMALLEST
    below = np.full_like(total, float(scores.shape[1])) if "counted" in x else np.where(known, total, 1.0)
    weights = scores / below[:, None]
    lhs = np.maximum(-weights.min(axis=1), np.abs(weights.sum(axis=1) - 1))
    return {**missed(lhs, 1.0), "admissible": known}


def _similar(x: Instance) -> Mapping[str, Any]:
    y, z = _outputs(x, "view_1"), _outputs(x, "view_2")
    size = np.sqrt((y**2).sum(axis=-1) * (z**2).sum(axis=-1))
    scores = np.where(size > 0, (y * z).sum(axis=-1) / np.where(size > 0, size, 1.0), 0.0).mean(axis=1)
    found = _normalised(x, scores)
    return {**found, "admissible": found["admissible"] & (size > 0).all(axis=(1, 2))}


def normalised(scores: list[Fraction], counted: bool) -> Exact:
    """Scores over their sum, and how far that is from the simplex."""
    total = sum(scores, Fraction(0))
    weights: list[Any] = [s / (len(scores) if counted else total) for s in scores]
    met = {"the scores do not sum to 0": abs(total) > Fraction(1, 10**6)}
    return met, {"lhs": max(-min(weights), abs(sum(weights) - 1)) - slack()}


def similar_exact(x: Mapping[str, Any]) -> Exact:
    """Cosines of whole numbers proportional to the outputs."""
    samples, clients = range(len(x["view_1"])), range(len(x["view_1"][0]))
    scores, known = [], True
    for k in clients:
        total = Fraction(0)
        for m in samples:
            pair = [x[view][m][k] for view in ("view_1", "view_2")]
            known = known and all(any(z) for z in pair)
            whole = [[int(v * 2**200) for v in z] if "logits" in x else mass([Fraction(1)], [z]) for z in pair]
            total += cosine(whole[0], whole[1]) if all(any(z) for z in whole) else 0
        scores.append(total / len(samples))
    met, found = normalised(scores, "counted" in x)
    return {**met, "no prediction is 0": known}, found


def _confident(x: Instance) -> Mapping[str, Any]:
    y = _outputs(x, "view_1")
    scores = (y.mean(axis=-1) if "level" in x else y.var(axis=-1)).mean(axis=1)
    if "divisor" in x:  # the same weights with divisor c − 1
        other = y.var(axis=-1, ddof=1).mean(axis=1)
        sums = scores.sum(axis=1), other.sum(axis=1)
        known = sums[0] > _SMALLEST
        apart = scores / np.where(known, sums[0], 1.0)[:, None] - other / np.where(known, sums[1], 1.0)[:, None]
        return {**missed(np.abs(apart).max(axis=1), 1.0), "admissible": known}
    return _normalised(x, scores)


def confident_exact(x: Mapping[str, Any]) -> Exact:
    """Variances of the outputs, exact for logits."""
    samples, clients = range(len(x["view_1"])), range(len(x["view_1"][0]))
    scores = []
    for k in clients:
        total = Fraction(0)
        for m in samples:
            z = x["view_1"][m][k]
            mean = sum(z) / len(z)
            if "logits" not in x:
                total += variance(mass([Fraction(1)], [z]))
            else:
                total += mean if "level" in x else sum((v - mean) ** 2 for v in z) / len(z)
        scores.append(total / len(samples))
    if "divisor" in x:
        c = len(x["view_1"][0][0])
        other = [s * c / (c - 1) for s in scores]
        met, _ = normalised(scores, False)
        apart = [s / sum(scores) - o / sum(other) for s, o in zip(scores, other, strict=True)]
        return met, {"lhs": max(abs(v) for v in apart) - slack()}
    return normalised(scores, "counted" in x)


E09 = stated(
    r"""SSA-E09 (definition; Eq. (9), Appendix D): Weights from similarity
    Print: s_k=\frac1{N_k}\sum_{m=1}^{N_k}\cos(\hat{\mathbf y}_{k,m}^{(1)},\hat{\mathbf y}_{k,m}^{(2)}),\quad w_k=
      \frac{s_k}{\sum_is_i}
    Plainly: Normalised mean cosines of a client's two predictions are aggregation weights: on the simplex.
    Assumes: scores that do not sum to 0
    Open (twice) output: below (4) ŷ_k is «the logits output of local model θ_k»; Appendix D calls ŷ_{k,m} the
      «predictions», the word used in Sec. 4.2 for the softmax output
    Reading: predictions are logits | ŷ_k as defined below (4), «the logits output of local model θ_k». | option
      output = logits
    Reading: predictions are softmax outputs | Predictions as probabilities. | option output = softmax
    Mutant: divided by the number of clients | the mean of the s_k is below one unless all views agree
    Rests on: SSA-E04, SSA-O7
    Verdict: Softmax outputs have positive cosines, and the weights lie inside the simplex. With logits, which is what
      ŷ_k denotes in (4), cosines may be negative: so may be weights, and their sum may vanish. Appendix D does not
      say which are meant; nor over which samples m runs, as N_k is the size of the client's own data.""",
    Property(
        (
            view_family("similarity", _similar, similar_exact, flag("logits"), uses=(normalised,)),
            view_case("similarity", (2, 2, 1), _similar, similar_exact, flag("logits"), uses=(normalised,)),
        )
    ),
    readings={
        "predictions are softmax outputs": Property(
            (view_family("similarity", _similar, similar_exact, uses=(normalised,)),)
        ),
    },
    mutants={
        "divided by the number of clients": Property(
            (view_case("similarity", (2, 2, 1), _similar, similar_exact, flag("counted"), uses=(normalised,)),)
        ),
    },
)

E10 = stated(
    r"""SSA-E10 (definition; Eq. (10), Appendix D): Weights from confidence
    Print: c_k=\frac1{N_k}\sum_{m=1}^{N_k}var(\hat{\mathbf y}_{k,m}),\quad w_k=\frac{c_k}{\sum_ic_i}
    Plainly: Normalised mean variances of a client's predictions are aggregation weights: on the simplex.
    Assumes: some prediction is not flat
    Open (twice) output: below (4) ŷ_k is «the logits output of local model θ_k»; Appendix D calls ŷ_{k,m} the
      «predictions», the word used in Sec. 4.2 for the softmax output
    Reading: predictions are logits | ŷ_k as defined below (4). | part: on the simplex | option output = logits
    Reading: predictions are softmax outputs | Predictions as probabilities. | part: on the simplex | option output =
      softmax
    Reading: either divisor of var | c and c − 1 give the same weights. | part: either divisor of var
    Mutant: the mean in place of the variance | mean logits may be negative
    Mutant: divided by the number of clients | variances of probabilities are at most 1/4, so their mean is not one
    Rests on: SSA-E04, SSA-O7
    Verdict: Variances are non-negative, so the weights lie on the simplex whenever some prediction is not flat; if
      all are, 0/0. The open divisor of var cancels.""",
    Property((view_family("confidence", _confident, confident_exact, flag("logits"), uses=(normalised,)),)),
    readings={
        "predictions are softmax outputs": Property(
            (view_family("confidence", _confident, confident_exact, uses=(normalised,)),)
        ),
        "either divisor of var": Property(
            (view_family("divisors", _confident, confident_exact, flag("logits"), flag("divisor"), uses=(normalised,)),)
        ),
    },
    mutants={
        "the mean in place of the variance": Property(
            (
                view_case(
                    "confidence",
                    (2, 2, 1),
                    _confident,
                    confident_exact,
                    flag("logits"),
                    flag("level"),
                    uses=(normalised,),
                ),
            )
        ),
        "divided by the number of clients": Property(
            (view_case("confidence", (2, 2, 1), _confident, confident_exact, flag("counted"), uses=(normalised,)),)
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (E09, E10)
