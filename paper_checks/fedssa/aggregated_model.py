"""SSA-E03, SSA-E04: the aggregated model, and the prediction from mixed logits."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import flag, float_views, mass, missed, slack, view_case, view_family
from theory.ssa import ensemble_probabilities
from validation import (
    Case,
    Claim,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _model(x: Instance) -> Mapping[str, Any]:
    """Distance of the aggregated model's output from the mixed outputs; `hidden`: one rectified unit before it."""
    w, layer, unit, sample = x["weights"], x["layer"], x["unit"], x["sample"]
    inside = (unit * sample[:, None]).sum(axis=2)
    together = ((w[:, :, None] * unit).sum(axis=1) * sample).sum(axis=1)
    if "hidden" in x:
        inside, together = np.maximum(inside, 0), np.maximum(together, 0)
        one, two = (w * layer).sum(axis=1) * together, (w * layer * inside).sum(axis=1)
    else:
        one, two = together, (w * inside).sum(axis=1)
    size = (w * np.abs(layer)).sum(axis=1) + 1
    return {
        "lhs": np.abs(one - two),
        "magnitude": size * (np.abs(unit).sum(axis=(1, 2)) + 1) * np.abs(sample).max(axis=1),
    }


def model_exact(x: Mapping[str, Any]) -> Exact:
    """The same, client by client."""
    w, layer, unit, sample = x["weights"], x["layer"], x["unit"], x["sample"]
    axes = range(len(sample))
    mean = [sum(a * u[j] for a, u in zip(w, unit, strict=True)) for j in axes]
    inside = [sum(u[j] * sample[j] for j in axes) for u in unit]
    together = sum(mean[j] * sample[j] for j in axes)
    if "hidden" in x:
        one = sum(a * v for a, v in zip(w, layer, strict=True)) * max(together, Fraction(0))
        two = sum(a * v * max(y, Fraction(0)) for a, v, y in zip(w, layer, inside, strict=True))
    else:
        one, two = together, sum(a * y for a, y in zip(w, inside, strict=True))
    return {"any weights": True}, {"lhs": abs(one - two)}


def _hull(x: Instance) -> Mapping[str, Any]:
    """By how much the aggregated parameters leave the range of the local ones, coordinate by coordinate."""
    w, unit = x["weights"], x["unit"]
    mean = (w[:, :, None] * unit).sum(axis=1)
    out = np.maximum(mean - unit.max(axis=1), unit.min(axis=1) - mean).max(axis=1)
    return {"lhs": out, "magnitude": np.abs(unit).max(axis=(1, 2))}


def hull_exact(x: Mapping[str, Any]) -> Exact:
    """The same."""
    w, unit = x["weights"], x["unit"]
    axes = range(len(unit[0]))
    mean = [sum(a * u[j] for a, u in zip(w, unit, strict=True)) for j in axes]
    out = [max(mean[j] - max(u[j] for u in unit), min(u[j] for u in unit) - mean[j]) for j in axes]
    return {"weights >= 0": min(w) >= 0}, {"lhs": max(out)}


def _aggregated(hull: bool, *more: str, free: bool = False) -> Any:
    def at(K: float, d: float) -> Case:
        n, dim = int(K), int(d)
        space = Space(
            (
                LogScale("weights", 1e-2, 1e1, (n,)) if free else Simplex("weights", n),
                Signed("layer", 1e-2, 1e1, (n,)),
                Signed("unit", 1e-2, 1e1, (n, dim)),
                Signed("sample", 1e-2, 1e1, (dim,)),
                *(flag(name) for name in more),
            )
        )
        exact = ExactCheck(hull_exact if hull else model_exact)
        return Case(
            f"{n} clients, {dim} parameters", space, _hull if hull else _model, exact, cost=max(1.0, n * dim / 100)
        )

    return at


_SIZES = (Size("K", 1, 300, 3), Size("d", 1, 8, 2))
E03 = stated(
    r"""SSA-E03 (definition; Eq. (3), Section 4.1): The aggregated model
    Print: \theta^{t+1}:=\sum_kw_k^t\theta_k^t
    Plainly: The next global model is the weighted mean of the local models, and for linear models its output is the
      mixed output.
    Assumes: weights on the simplex unless said
    Reading: between the local models | Every parameter lies in the range of the clients' ones, weights on the
      simplex. | part: between the local models
    Reading: linear models | Σw_kh_k(θ_k; x), the argument of the softmax in (4), is the output of Σw_kθ_k, for any
      weights. | part: linear models
    Mutant: weights of any sum stay between | one client with weight 2 is taken to twice its parameters
    Mutant: one hidden unit | max(0, ·) of a mean is not the mean of max(0, ·), and the product of two means is not
      the mean of the products
    Rests on: SSA-ALG
    Verdict: A definition; a weighted mean on the simplex, the same as line «aggregate» of Algorithm 1. The weights
      are learned on the mixed logits (4). They are the logits of the aggregated model if the model is linear in its
      parameters; already one hidden unit makes them differ, so for the networks of the paper (4) is a substitute
      whose quality only runs can show.""",
    Property((Family("parameters", _SIZES, _aggregated(True)),)),
    readings={
        "linear models": Property((Family("linear, any weights", _SIZES, _aggregated(False, free=True)),)),
    },
    mutants={
        "weights of any sum stay between": Property((_aggregated(True, free=True)(1, 1),)),
        "one hidden unit": Property((_aggregated(False, "hidden")(2, 1),)),
    },
)


def _softmax(x: Instance) -> Mapping[str, Any]:
    """By how much an output misses the simplex, or its top class changes when the weights are doubled."""
    w, one, _ = float_views(x)
    y, sharper = ensemble_probabilities(w, one), ensemble_probabilities(2 * w, one)
    if "same" in x:
        return missed(np.abs(sharper - y).max(axis=(1, 2)))
    top = np.take_along_axis(sharper, y.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    moved = (sharper.max(axis=-1) - top).max(axis=1)
    return missed(np.maximum(np.maximum(np.abs(y.sum(axis=-1) - 1).max(axis=1), -y.min(axis=(1, 2))), moved))


def softmax_exact(x: Mapping[str, Any]) -> Exact:
    """The same; masses are enclosed, so the sum of the shares is 1 by construction and is recomputed."""
    w, worst = x["weights"], Fraction(-1)
    for logits in x["view_1"]:
        y, sharper = mass(w, logits), mass([2 * a for a in w], logits)
        share: list[Any] = [Fraction(v, sum(y)) for v in y]
        sharp = [Fraction(v, sum(sharper)) for v in sharper]
        top = max(range(len(y)), key=lambda j: share[j])
        worst = max(worst, abs(sum(share) - 1), -min(share), max(sharp) - sharp[top])
        if "same" in x:
            worst = max(abs(a - b) for a, b in zip(share, sharp, strict=True))
    return {"weights on the simplex": sum(w) == 1 and min(w) >= 0}, {"lhs": worst - slack()}


E04 = stated(
    r"""SSA-E04 (definition; Eq. (4), Section 4.2): Prediction of a view
    Print: \hat{\mathbf y}^{(i)}=\sigma\big(\sum_{k=1}^Kw_k\hat{\mathbf y}_k^{(i)}\big),\quad i=1,2
    Plainly: The prediction is a point of the simplex of classes; scaling all weights keeps its top class.
    Assumes: finite logits
    Reading: as printed | Entries non-negative, sum one, the top class the same at twice the weights.
    Mutant: twice the weights give the same prediction | softmax of doubled logits is sharper unless all logits are
      equal
    Rests on: SSA-ALG
    Verdict: Well defined for all real weights: finite logits give outputs in the open simplex. The scale of the
      weights acts as an inverse temperature, so without a fixed sum the losses also reward mere sharpness.""",
    Property((view_family("outputs", _softmax, softmax_exact),)),
    mutants={
        "twice the weights give the same prediction": Property(
            (view_case("outputs", (1, 2, 1), _softmax, softmax_exact, flag("same")),)
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (E03, E04)
