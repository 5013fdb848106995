"""SSA-E01, SSA-E02: the problem of the target data, and the problem that FedSSA solves for its weights."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import flag, float_views, missed, slack, ssa_parts, view_case
from theory.ssa import loss_ssa, loss_we
from validation import (
    Case,
    Choice,
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
    Uniform,
    symbols,
)
from validation.statement.says import identity
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _accuracy(x: Instance) -> Mapping[str, Any]:
    """By how much the aggregated threshold beats the best of the thresholds at the samples and below all of them."""
    at, label = x["samples"], x["label"] >= 0.5
    theta = (x["weights"] * x["local"]).sum(axis=1)[:, None]
    candidates = np.concatenate([at.min(axis=1, keepdims=True) - 1, at], axis=1)
    right = ((at[:, None] > candidates[:, :, None]) == label[:, None]).mean(axis=2)
    best = right.max(axis=1)
    if "unique" in x:  # another model between the best threshold and the next sample
        chosen = np.take_along_axis(candidates, right.argmax(axis=1)[:, None], axis=1)
        above = np.where(at > chosen, at, np.inf).min(axis=1, keepdims=True)
        theta = np.where(np.isfinite(above), (chosen + above) / 2, chosen + 1)
        return {"lhs": ((at > theta) == label).mean(axis=1) - best + 0.5 / at.shape[1], "magnitude": np.ones(len(at))}
    return {"lhs": ((at > theta) == label).mean(axis=1) - best, "magnitude": np.ones(len(at))}


def accuracy_exact(x: Mapping[str, Any]) -> Exact:
    """The same with counts."""
    at, label = x["samples"], [v >= Fraction(1, 2) for v in x["label"]]

    def accuracy(theta: Any) -> Any:
        return Fraction(sum((a > theta) == b for a, b in zip(at, label, strict=True)), len(at))

    candidates = [min(at) - 1, *at]
    best = max(candidates, key=accuracy)
    if "unique" in x:
        above = [a for a in at if a > best]
        other = (best + min(above)) / 2 if above else best + 1
        return {"another model": other != best}, {"lhs": accuracy(other) - accuracy(best) + Fraction(1, 2 * len(at))}
    theta = sum(w * v for w, v in zip(x["weights"], x["local"], strict=True))
    return {"weights on the simplex": sum(x["weights"]) == 1}, {"lhs": accuracy(theta) - accuracy(best)}


def _thresholds(K: float, samples: float, *, unique: bool = False) -> Case:
    space = Space(
        (
            Signed("samples", 1e-2, 1e1, (int(samples),)),
            Uniform("label", 0.0, 1.0, (int(samples),)),
            Simplex("weights", int(K)),
            Signed("local", 1e-2, 1e1, (int(K),)),
            *((Choice("unique", (1.0,)),) if unique else ()),
        )
    )
    cost = max(1.0, samples**2 / 1000)
    return Case(f"{int(K)} clients, {int(samples)} samples", space, _accuracy, ExactCheck(accuracy_exact), cost=cost)


w, theta = symbols("w theta")
E01 = stated(
    r"""SSA-E01 (definition; Eq. (1), Section 3): The target problem
    Print: \theta^*=\arg\max_\theta P(\mathcal D_T,\theta)\quad\text{s.t.}\quad\theta=\sum_k^K\theta_kw_k
    Plainly: θ* is the model of the best performance on the target data among the weighted means of local models.
    Assumes: P is the accuracy on finitely many samples
    Reading: a best model exists | Accuracy of threshold classifiers on finitely many samples: no aggregated model
      beats the best of finitely many. | part: a best model exists
    Reading: the constraint | With the θ_k variable, θ_k = θ and weights of sum one reach every model. | part: the
      constraint
    Mutant: only one model attains it | accuracy is constant between two samples, so a whole interval of thresholds
      attains it
    Verdict: Accuracy takes finitely many values, so a maximiser exists; it is never unique, and θ* is one of many. As
      the θ_k are variables, too, the constraint excludes no model: (1) asks for the best model of all.""",
    Property((Family("thresholds", (Size("K", 1, 30, 2), Size("samples", 1, 30, 4)), _thresholds),)),
    readings={
        "the constraint": identity(w * theta + (1 - w) * theta, theta),
    },
    mutants={
        "only one model attains it": Property((_thresholds(1, 2, unique=True),)),
    },
)


def _twins(x: Instance) -> Mapping[str, Any]:
    """L_SSA with the weight of clients 1 and 2, which have the same logits, shared equally, minus L_SSA before."""
    w, one, two = float_views(x)
    one, two = (np.concatenate([z[:, :, :1], z[:, :, :1], z[:, :, 2:]], axis=2) for z in (one, two))
    even = np.concatenate([np.repeat(w[:, :2].mean(axis=1, keepdims=True), 2, axis=1), w[:, 2:]], axis=1)
    sign = -1.0 if "flipped" in x else 1.0
    before, after = (loss_ssa(v, one, two, lambda_we=0.0) + sign * x["lambda_we"] * loss_we(v) for v in (w, even))
    return missed(after - before, 1e2)


def twins_exact(x: Mapping[str, Any]) -> Exact:
    """The same with enclosed exponentials and logarithms."""
    w = x["weights"]
    one, two = ([[z[0], z[0], *z[2:]] for z in x[view]] for view in ("view_1", "view_2"))
    even = [(w[0] + w[1]) / 2] * 2 + list(w[2:])
    sign = -1 if "flipped" in x else 1
    parts = [ssa_parts(v, one, two) for v in (w, even)]
    before, after = (p[0] + p[1] + sign * x["lambda_we"] * p[2] for p in parts)
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0}
    return met, {"lhs": after - before - (1 + x["lambda_we"]) * slack()}


def _doubled(x: Instance) -> Mapping[str, Any]:
    """L_cos + L_var at the weights minus the same at twice the weights; both views the same."""
    w, one, _ = float_views(x)
    return missed(loss_ssa(w, one, one, lambda_we=0.0) - loss_ssa(2 * w, one, one, lambda_we=0.0))


def doubled_exact(x: Mapping[str, Any]) -> Exact:
    """The same with enclosed exponentials."""
    one, w = x["view_1"], x["weights"]
    parts = [ssa_parts(v, one, one) for v in (w, [2 * a for a in w])]
    return {"weights >= 0": min(w) >= 0}, {"lhs": sum(parts[0][:2]) - sum(parts[1][:2]) - slack()}


def _heavy(x: Instance) -> Mapping[str, Any]:
    """L_SSA before minus after all weights are doubled; client 1 is drawn with a weight above 1000 (`light`: at most 1)."""
    w, one, two = float_views(x)
    first = np.minimum(w[:, :1], 1.0) if "light" in x else 1000 * (1 + w[:, :1])
    w = np.concatenate([first, w[:, 1:]], axis=1)
    before, after = (loss_ssa(v, one, two, lambda_we=0.0) + x["lambda_we"] * loss_we(v) for v in (w, 2 * w))
    return {"lhs": before - after, "magnitude": 1e2 + np.abs(x["lambda_we"] * loss_we(2 * w))}


def heavy_exact(x: Mapping[str, Any]) -> Exact:
    """The same with enclosed exponentials and logarithms."""
    w = list(x["weights"])
    w[0] = min(w[0], Fraction(1)) if "light" in x else 1000 * (1 + w[0])
    parts = [ssa_parts(v, x["view_1"], x["view_2"]) for v in (w, [2 * a for a in w])]
    before, after = (p[0] + p[1] + x["lambda_we"] * p[2] for p in parts)
    met = {"weights > 0": min(w) > 0, "lambda_we >= 1/1000": x["lambda_we"] >= Fraction(1, 1000)}
    return met, {"lhs": before - after - (1 + x["lambda_we"]) * slack()}


_WEIGHED = LogScale("lambda_we", 1e-3, 1e1, at=(1e-3,))
_LAMBDA = LogScale("lambda_we", 1e-4, 1e1)
_SHAPES = ((2, 2, 1), (3, 3, 2), (10, 10, 5), (300, 2, 1))
_TWINS = tuple(view_case("twins", shape, _twins, twins_exact, _LAMBDA, symmetries=()) for shape in _SHAPES)
E02 = stated(
    r"""SSA-E02 (definition; Eq. (2), Section 3): The weight problem
    Print: \{w_k\}=\arg\min_{\{w_k\}}\mathcal L_{SSA}(\{\theta_k\},\{w_k\};\mathcal U),\quad\text{s.t. }\theta=
      \sum_k\theta_kw_k
    Plainly: There are weights of the smallest L_SSA.
    Assumes: finite logits | λ_var = 1
    Reading: as printed, λ_we = 0 | Which the paper allows, any weights: none is made better by doubling all of them.
      Equal views. | part: a minimiser exists | cut lambda_we = 0 | met by: Sec. 5.1: λ_var = 1 and λ_we = 1e − 3 |
      because: λ_we = 0 with λ_var > 0 is in the grid of Tables 7 and 8, and (2) restricts no weights
    Reading: non-negative weights, λ_we >= 10⁻³ | No sum is stated: from a weight of 1000 on doubling all raises
      L_SSA, so the smallest is not at infinity. | part: a minimiser exists | because: log w_k in (7) asks for w_k >=
      0; λ_we = 10⁻³ is Sec. 5.1's
    Reading: on the simplex, λ_we > 0 | Beside it, not printed at (2): sharing the weight of two clients with the same
      logits equally never raises L_SSA. | part: clients that predict alike | condition: w on the simplex
    Mutant: entropy with the other sign | the first two losses do not change, and −Σw log w rises when the twins share
      equally
    Mutant: doubling raises L_SSA from light weights, too | below w = 1/(4e) w·log w falls when w doubles, and sharper
      outputs have more variance
    Rests on: SSA-E04, SSA-E08
    Verdict: A minimiser exists under a condition that is not printed: λ_we > 0 (or weights on the simplex); λ_we =
      10⁻³ of Sec. 5.1 meets it. The only constraint printed is θ = Σθ_kw_k, which restricts no weights. With λ_we =
      0, in the grid of Tables 7 and 8, there need not be a minimiser: where the views agree, doubling the weights
      lowers L_var at any weights. With λ_we > 0 the logarithm asks for w_k >= 0, L_we grows faster than the weights,
      and a minimiser exists, of whatever sum. On the simplex one exists for any λ, and with λ_we > 0 it treats
      clients that predict alike alike. What (2) minimises is the loss of the mixed logits (4), not that of the model
      θ, unless the model is linear in its parameters (SSA-E03).""",
    Property((view_case("doubled", (1, 2, 1), _doubled, doubled_exact, symmetries=()),)),
    readings={
        "non-negative weights, λ_we >= 10⁻³": Property(
            tuple(view_case("heavy", s, _heavy, heavy_exact, _WEIGHED, symmetries=()) for s in _SHAPES)
        ),
        "on the simplex, λ_we > 0": Property(_TWINS),
    },
    mutants={
        "entropy with the other sign": Property(
            (view_case("twins", (2, 2, 1), _twins, twins_exact, _LAMBDA, flag("flipped"), symmetries=()),)
        ),
        "doubling raises L_SSA from light weights, too": Property(
            (view_case("light", (1, 2, 1), _heavy, heavy_exact, _WEIGHED, flag("light"), symmetries=(), positive=True),)
        ),
    },
)


CLAIMS: tuple[Claim, ...] = (E01, E02)
