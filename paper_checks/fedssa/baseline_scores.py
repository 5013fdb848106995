"""SSA-O7: what the scores of the two designed baselines leave open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import EXACT, cosine, mass, missed, slack, variance
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
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

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
    weights = [s / sum(scores) for s in scores]
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


CLAIMS: tuple[Claim, ...] = (O7,)
