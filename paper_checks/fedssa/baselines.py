"""App. D, (9) and (10): the designed weights Similarity and Confidence."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import (
    EXACT,
    cosine,
    flag,
    mass,
    missed,
    slack,
    ssa_parts,
    variance,
    view_case,
    view_family,
)
from theory.ssa import loss_ssa
from validation import (
    Case,
    Choice,
    Claim,
    ExactCheck,
    Instance,
    LogScale,
    Property,
    Signed,
    Space,
    Uniform,
)
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
        one, two = sum(scores), sum(other)
        apart = [s / one - o / two for s, o in zip(scores, other, strict=True)]
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


Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
_SIMILARITY, _CONFIDENCE = 0.0, 1.0


def _designed(x: Instance) -> Mapping[str, Any]:
    """How far the weights of (9) or (10) are off the simplex, or differ between clients 1 and 2, which are copies."""
    views = [np.concatenate([v[:, :, :1], v], axis=2) for v in (x["view_1"], x["view_2"])]
    if not x["logits"][0]:
        views = [np.exp(v - v.max(axis=-1, keepdims=True)) for v in views]
        views = [v / v.sum(axis=-1, keepdims=True) for v in views]
    one, two = views
    size = np.sqrt((one**2).sum(axis=-1) * (two**2).sum(axis=-1))
    score = (one * two).sum(axis=-1) / np.where(size > 0, size, 1.0) if x["score"][0] == 0 else one.var(axis=-1)
    score = score.mean(axis=1)
    if x["by_size"][0]:
        score = score / x["n_samples"]
    total = score.sum(axis=1, keepdims=True)
    weights = score / np.where(total > 1e-6, total, 1.0)
    off = np.maximum(-weights.min(axis=1), np.abs(weights[:, 0] - weights[:, 1]))
    fits = (total[:, 0] > 1e-6) & (size.min(axis=(1, 2)) > 0)
    return {**missed(np.maximum(off, np.abs(weights.sum(axis=1) - 1)), 1e6), "admissible": fits}


def designed_exact(x: Mapping[str, Any]) -> Checked:
    """Largest of: negative part, |weight 1 - weight 2| of two copies, |sum - 1|."""
    views = [[[s[0], *s] for s in view] for view in (x["view_1"], x["view_2"])]
    scores, whole = [], Fraction(1, 2**200)
    for k in range(len(views[0][0])):
        total = Fraction(0)
        for one, two in zip(*views, strict=True):
            u, v = mass([Fraction(1)], [one[k]]), mass([Fraction(1)], [two[k]])
            if x["logits"]:
                u, v = [int(a / whole) for a in one[k]], [int(a / whole) for a in two[k]]
            if x["score"] == 0:
                total += cosine(u, v)
            elif x["logits"]:
                mean = sum(one[k]) / len(one[k])
                total += sum((a - mean) ** 2 for a in one[k]) / len(one[k])
            else:
                total += variance(u)
        scores.append(total / (x["n_samples"][k] if x["by_size"] else 1))
    all_scores = sum(scores)
    weights = [s / all_scores for s in scores]
    met = {"scores with a positive sum": sum(scores) > 0}
    lhs = max(-min(weights), abs(weights[0] - weights[1]), abs(sum(weights) - 1))
    return met, {"lhs": lhs - slack()}


def _scored(score: float, *, logits: bool = False, by_size: bool = False) -> tuple[Case, ...]:
    def case(n: int, classes: int, samples: int) -> Case:
        drawn = Space(
            (
                Signed("view_1", 1e-2, 5.0, (samples, n, classes)),
                Signed("view_2", 1e-2, 5.0, (samples, n, classes)),
                LogScale("n_samples", 1.0, 1e3, (n + 1,), at=(1.0, 100.0)),
                Choice("score", (score,)),
                Choice("logits", (float(logits),)),
                Choice("by_size", (float(by_size),)),
            )
        )
        words = f"{'similarity' if score == 0 else 'confidence'}: {n + 1} clients, {classes} classes, {samples} samples"
        return Case(words, drawn, _designed, ExactCheck(designed_exact, EXACT))

    return tuple(case(*size) for size in ((1, 2, 1), (2, 3, 1), (4, 10, 2), (20, 3, 1)))


O7 = stated(
    r"""SSA-O7 (definition; Appendix D, eqs. (9), (10) (left open: predictions or logits, range of the index m)): Scores of the designed baselines
    Print: s_k=\frac1{N_k}\sum_{m=1}^{N_k}\cos(\hat{\mathbf y}_{k,m}^{(1)},\hat{\mathbf y}_{k,m}^{(2)}),\quadc_k=
      \frac1{N_k}\sum_{m=1}^{N_k}var(\hat{\mathbf y}_{k,m}),\quad w_k\propto s_k\text{ or }c_k
    Plainly: The scores give weights on the simplex, the same for two clients whose models give the same outputs.
    Assumes: the samples x_m are those of the target data | the scores have a positive sum
    Open (twice) output: below (4) ŷ_k is «the logits output of local model θ_k»; Appendix D calls ŷ_{k,m} the
      «predictions», the word used in Sec. 4.2 for the softmax output
    Reading: softmax outputs, mean over the target samples | ŷ is the softmax output; N_k in both places is the number
      of target samples. | option output = softmax
    Reading: logits, mean over the target samples | ŷ_k as defined under (4), the logits. | option output = logits
    Reading: softmax outputs, divided by N_k | N_k as defined in Sec. 3, the size of the client's own data set; the
      sum is over the target samples. | option output = softmax | ours: a sum over the target samples divided by the
      client's own N_k: (9) and (10) print one N_k in both places, so they are means
    Mutant: confidence of logits divided by N_k | two copies with data sets of different sizes get different weights
    Rests on: SSA-E09, SSA-E10
    Verdict: Under (4) ŷ_k with a client index means logits, whose cosine may be negative: a weight then is too, or
      the sum of the scores vanishes. With softmax outputs both baselines are well defined. N_k is the client's data
      size elsewhere; taken so, client models with the same outputs get different weights. The sensible reading is the
      first, softmax outputs and the number of target samples in both places.""",
    Property((*_scored(_SIMILARITY), *_scored(_CONFIDENCE))),
    readings={
        "logits, mean over the target samples": Property(_scored(_SIMILARITY, logits=True)),
        "softmax outputs, divided by N_k": Property(
            (*_scored(_SIMILARITY, by_size=True), *_scored(_CONFIDENCE, by_size=True))
        ),
    },
    mutants={
        "confidence of logits divided by N_k": Property(_scored(_CONFIDENCE, logits=True, by_size=True)[:2]),
    },
)


def _duplicates(x: Instance) -> Mapping[str, Any]:
    """L_SSA with the weight of clients 1 and 2 (copies) shared equally, less L_SSA; `reversed`: −λ_we."""
    w = x["weights"]
    one, two = (np.concatenate([v[:, :, :1], v[:, :, :1], v[:, :, 2:]], axis=2) for v in (x["view_1"], x["view_2"]))
    even = np.concatenate([np.repeat(w[:, :2].mean(axis=1, keepdims=True), 2, axis=1), w[:, 2:]], axis=1)
    by = -1e-3 if "reversed" in x else 1e-3
    return missed(loss_ssa(even, one, two, lambda_we=by) - loss_ssa(w, one, two, lambda_we=by))


def duplicates_exact(x: Mapping[str, Any]) -> Checked:
    """L_SSA(weights of the two copies made equal) - L_SSA(w), lambda_var = 1, lambda_we = +-1/1000."""
    w = x["weights"]
    one, two = ([[s[0], s[0], *s[2:]] for s in view] for view in (x["view_1"], x["view_2"]))
    even = [(w[0] + w[1]) / 2] * 2 + w[2:]
    a, b = (ssa_parts(v, one, two) for v in (even, w))
    gap = a[0] + a[1] - b[0] - b[1] + (a[2] - b[2]) * Fraction(-1 if "reversed" in x else 1, 1000)
    return {"weights on the simplex": sum(w) == 1 and min(w) >= 0}, {"lhs": gap - slack()}


def _alike_clients(x: Instance) -> Mapping[str, Any]:
    """Two clients, the second's logits `factor` times the first's: L_SSA of equal weights less that of either alone."""
    one, two = (np.concatenate([v, v * x["factor"][:, None, None, None]], axis=2) for v in (x["view_1"], x["view_2"]))
    at = [np.broadcast_to(np.asarray(v), (len(one), 2)) for v in ((0.5, 0.5), (1.0, 0.0), (0.0, 1.0))]
    by = x["lambda_we"][0]
    even, first, second = (loss_ssa(w, one, two, lambda_we=by) for w in at)
    return missed(even - np.minimum(first, second))


def alike_clients_exact(x: Mapping[str, Any]) -> Checked:
    """L_SSA at (1/2, 1/2) less the smaller of L_SSA at (1, 0) and (0, 1)."""
    one, two = ([[s[0], [x["factor"] * v for v in s[0]]] for s in view] for view in (x["view_1"], x["view_2"]))
    half = Fraction(1, 2)
    parts = [ssa_parts(w, one, two) for w in ([half, half], [half * 2, half * 0], [half * 0, half * 2])]
    even, first, second = (p[0] + p[1] + x["lambda_we"] * p[2] for p in parts)
    met = {"logits alike within 10%": abs(x["factor"] - 1) <= Fraction(1, 10)}
    return met, {"lhs": even - min(first, second) - slack()}


def _copies(*more: Choice) -> Property:
    sizes = ((2, 3, 1), (3, 3, 2), (5, 10, 1), (20, 3, 1)) if not more else ((2, 3, 1),)
    return Property(
        tuple(view_case("two copies", s, _duplicates, duplicates_exact, *more, symmetries=()) for s in sizes)
    )


def _alike(lambda_we: float) -> Property:
    def case(samples: int, classes: int) -> Case:
        drawn = Space(
            (
                Signed("view_1", 1e-2, 8.0, (samples, 1, classes)),
                Signed("view_2", 1e-2, 8.0, (samples, 1, classes)),
                Uniform("factor", 0.9, 1.1, at=(0.9, 1.0, 1.1)),
                Choice("lambda_we", (lambda_we,)),
            )
        )
        name = f"two similar clients, {samples} samples, {classes} classes"
        return Case(name, drawn, _alike_clients, ExactCheck(alike_clients_exact, EXACT))

    return Property(tuple(case(*size) for size in ((1, 2), (2, 3), (4, 10))))


D11 = stated(
    r"""SSA-D11 (remark; Sec. 4.2, «Promoting multi-client collaboration»): Similar clients, equal weights
    Print: \text{«if two clients both have similar training distributions with target distribution, a reasonable strategy is to assign them relatively equal aggregation weights»};\ \mathcal L_{we}\text{ promotes it}
    Plainly: L_we in the loss promotes relatively equal weights for clients that are alike.
    Assumes: λ_var = 1, λ_we = 10⁻³ | weights on the simplex
    Reading: two copies of one model | Sharing the weight of two copies equally never raises L_SSA, whatever the other
      clients and weights.
    Reading: two models alike within 10% | Ours: the second's logits are 0.9 to 1.1 times the first's, and equal
      weights have no more L_SSA than one model alone. | ours: that L_we outweighs the other two losses at 10⁻³; the
      print says «relatively equal», «promote», «can contribute», of similar training distributions; the 10% of the
      logits are ours
    Reading: alike within 10%, λ_we = 1 | The same with a thousand times the weight of L_we. | edit: λ_we = 1 in place
      of 10⁻³
    Mutant: sign of L_we reversed | the other losses see only the sum of the two weights, and −L_we is largest at
      equal ones
    Mutant: alike within 10%, λ_we = 0 | the surer of the two has more variance, and nothing holds against it
    Rests on: SSA-E07, SSA-LP3
    Verdict: It holds for two copies of one model: sharing their weight equally never raises L_SSA, as L_cos and L_var
      see only the sum of the two weights and L_we is least at equal ones. Without L_we the copies are
      interchangeable, so it is L_we that promotes equal weights, as printed. That it outweighs the other losses for
      models that are merely similar is stronger than the print («can contribute»), and at λ_we = 10⁻³ it does not:
      the whole gain of equal weights is 10⁻³·log 2 = 0.0007, while a model whose logits are 10% larger has more
      variance by several times that, so all weight goes to it. With λ_we = 1 no violation was found.""",
    _copies(),
    readings={
        "two models alike within 10%": _alike(1e-3),
        "alike within 10%, λ_we = 1": _alike(1.0),
    },
    mutants={
        "sign of L_we reversed": _copies(Choice("reversed", (1.0,))),
        "alike within 10%, λ_we = 0": _alike(0.0),
    },
)

CLAIMS: tuple[Claim, ...] = (
    E09,
    E10,
    O7,
    D11,
)
