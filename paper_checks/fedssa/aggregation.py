"""Sec. 4.1, (3), (4) and Algorithm 1; how the weights stay on the simplex."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import (
    EXACT,
    flag,
    float_views,
    log_near,
    mass,
    missed,
    root_fixed,
    slack,
    ssa_parts,
    view_case,
    view_family,
)
from theory import RoundStats
from theory.rules import SSA
from theory.rules.simplex import project_on_simplex
from theory.ssa import ensemble_probabilities, gradient_ssa, loss_ssa
from validation import (
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Integer,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    units,
)
from validation.world.stated import stated

__all__ = ["CLAIMS", "projected", "pull_exact"]

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


Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
_STEPS = 3


def pull_exact(w: list[Fraction], one: list[list[list[Fraction]]], two: list[list[list[Fraction]]]) -> list[Fraction]:
    """Gradient of L_cos + L_var + L_we/1000 by the quotient rule on the unnormalised outputs, cut to 60 digits."""
    out = []
    for k in range(len(w)):
        total = Fraction(0)
        for first, second in zip(one, two, strict=True):
            z, t, e, f = first[k], second[k], mass(w, first), mass(w, second)
            classes, c = range(len(z)), len(z)
            ee, ff = sum(a * a for a in e), sum(a * a for a in f)
            size = Fraction(root_fixed(ee * ff))
            dot = sum(a * b for a, b in zip(e, f, strict=True))
            along = sum((e[j] * f[j] * (z[j] + t[j]) for j in classes), Fraction(0))
            bends = [2 * sum((g[j] * g[j] * y[j] for j in classes), Fraction(0)) for g, y in ((e, z), (f, t))]
            total -= along / size - Fraction(dot) / size * (bends[0] / ee + bends[1] / ff) / 2
            for g, y, gg, bend in ((e, z, ee, bends[0]), (f, t, ff, bends[1])):
                S, slope = sum(g), sum(g[j] * y[j] for j in classes)
                total -= (Fraction(bend) / (c * S * S) - 2 * Fraction(gg) * slope / Fraction(c * S * S * S)) / 2
        entropy = (log_near(w[k]) + 1) / 1000
        out.append(Fraction(round((total / len(one) + entropy) * 10**60), 10**60))
    return out


def projected(v: list[Fraction], floor: Fraction) -> list[Fraction]:
    """The nearest weights of sum 1, each at least `floor`."""
    room = 1 - floor * len(v)
    ordered = sorted(v, reverse=True)
    level = max((sum(ordered[: j + 1]) - room) / (j + 1) for j in range(len(v)))
    return [max(a - level, Fraction(0)) + floor for a in v]


def _learned(x: Instance) -> Mapping[str, Any]:
    """SSA's weights after a few steps: distance from the simplex, weight of an absent client, rise of the loss.

    `plain`: one projected step of that rate that nothing checks.
    """
    one, two = x["view_1"], x["view_2"]
    n = one.shape[2]
    start = np.full((len(one), n), 1 / n)
    if "plain" in x:
        end = project_on_simplex(start - x["plain"][:, None] * gradient_ssa(start, one, two), floor=1e-12)
        absent = np.zeros(len(end))
    else:
        gone = [np.concatenate([v, v[:, :, :1] + 1], axis=2) for v in (one, two)]  # one more client, absent
        present = np.broadcast_to(np.arange(n + 1) < n, (len(one), n + 1))
        stats = RoundStats(
            share=np.full((len(one), n + 1), 1 / (n + 1)),
            present=present,
            signals={"view_1": gone[0], "view_2": gone[1]},
        )
        weights = np.asarray(SSA(n_steps=_STEPS)(stats))
        end, absent = weights[:, :n], np.abs(weights[:, n])
    rise = loss_ssa(end, one, two) - loss_ssa(start, one, two)
    off = np.maximum(np.abs(end.sum(axis=1) - 1), -end.min(axis=1))
    return missed(np.maximum(np.maximum(off, absent), rise), 1e3)


def learned_exact(x: Mapping[str, Any]) -> Checked:
    """Largest of: distance from the simplex, rise of L_SSA; projected gradient with a check of every step."""
    one, two = x["view_1"], x["view_2"]
    n = len(one[0])
    floor = Fraction(1, 10**12)
    rate: Fraction = x.get("plain", Fraction(1))
    w = [Fraction(1, n)] * n
    values = []
    for _ in range(1 if "plain" in x else 3):
        parts = ssa_parts(w, one, two)
        values.append(parts[0] + parts[1] + parts[2] / 1000)
        slope = pull_exact(w, one, two)
        trial = projected([a - rate * g for a, g in zip(w, slope, strict=True)], floor)
        after = ssa_parts(trial, one, two)
        value = after[0] + after[1] + after[2] / 1000
        promised = sum(g * (a - b) for g, a, b in zip(slope, w, trial, strict=True))
        moving = promised > Fraction(1, 10**12)
        accepted = "plain" in x or (moving and values[-1] - value >= promised / 10**4)
        rate = rate * 2 if accepted else rate / 2 if moving else rate
        if accepted:
            w = [Fraction(round(a * 10**60), 10**60) for a in trial]
            w[0] += 1 - sum(w)
    parts = ssa_parts(w, one, two)
    rise = parts[0] + parts[1] + parts[2] / 1000 - values[0]
    return {"clients": n >= 1}, {"lhs": max(abs(sum(w, Fraction(-1))), -min(w), rise) - slack()}


def _local(x: Instance) -> Mapping[str, Any]:
    """(θ after τ SGD steps − argmin)² on a quadratic client, in units of the start's distance squared."""
    gap = (1 - x["step"]) ** (2 * x["tau"]) * x["start"] ** 2
    return {"lhs": gap, "magnitude": x["start"] ** 2 * 1e-6}


def local_exact(x: Mapping[str, Any]) -> Checked:
    """The local model after tau full gradient steps of length step/curvature, squared distance from the minimiser."""
    model = x["start"]
    for _ in range(int(x["tau"])):
        model -= x["step"] * model
    return {"0 < eta h <= 1": 0 < x["step"] <= 1, "tau >= 1": x["tau"] >= 1}, {"lhs": model * model}


def _rule_case(name: str, size: tuple[int, int, int], *more: Any) -> Case:
    drawn = Space(
        (
            Signed("view_1", 1e-2, 6.0, (size[2], size[0], size[1])),
            Signed("view_2", 1e-2, 6.0, (size[2], size[0], size[1])),
            *more,
        )
    )
    words = f"{name}: {size[0]} clients, {size[1]} classes, {size[2]} samples"
    exact = ExactCheck(learned_exact, (*EXACT, pull_exact, projected))
    return Case(words, drawn, _learned, exact, cost=max(1.0, size[0] * size[1] * size[2] / 30))


def _rule() -> Family:
    def at(K: float, S: float) -> Case:
        return _rule_case("the rule", (int(K), 3, int(S)))

    return Family("the rule", (Size("K", 1, 100, 3), Size("S", 1, 20, 2)), at)


_LOCAL = Case(
    "one quadratic client",
    Space((Signed("start", 1e-2, 1e2), LogScale("step", 1e-3, 0.999), Integer("tau", 1, 50))),
    _local,
    ExactCheck(local_exact),
    symmetries=(units({"start": (0, 1)}),),
)

ALG = stated(
    r"""SSA-ALG (definition; Algorithm 1, B.1; Sec. 4.1): FedSSA's algorithm
    Print: \theta_k^t:=\arg\min\mathcal L_c(\theta_k;\mathcal D_k),\quad\{w_k^t\}:=\arg\min_{\{w_k\}}\mathcal
      L_{SSA},\quad\theta^{t+1}:=\sum_kw_k^t\theta_k^t
    Plainly: The pseudocode is the method of Section 4: local SGD, weights that lower L_SSA on the simplex, their
      average.
    Assumes: weight learning by checked projected gradient from equal weights | clients of the round only are weighted
    Open (twice) local_training: Sec. 4.1: «multiple standard SGD steps … θ_k^t := θ_k^t − η_c∇L_c(θ_k^t; D_k)»;
      Algorithm 1: θ_k^t := arg min L_c(θ_k; D_k)
    Reading: steps 3 and 4, the server | Learned weights lie on the simplex, are 0 for absent clients, and L_SSA is
      not above that of equal weights. | option local_training = several SGD steps, Sec. 4.1 | because: local training
      is then a definition; what is left to test of the pseudocode is the server's part
    Reading: step 2, the clients | «θ_k := arg min L_c» equals «several SGD steps», on a quadratic client without
      noise. | option local_training = arg min, Algorithm 1 | because: taken literally the broadcast model would not
      matter, and τ, E_local would have no meaning
    Mutant: one unchecked step of rate 100 | the step overshoots to a vertex, which may be worse than equal weights
    Rests on: SSA-E02, SSA-E03, SSA-O1, SSA-O2
    Verdict: The server's part can be carried out as printed: the package's rule keeps the weights on the simplex,
      gives absent clients 0 and never raises L_SSA. The two printed forms of local training differ: several SGD steps
      from θᵗ do not reach the minimiser, and the experiments (ten epochs) and Theorem A.5 (τ steps) mean the steps;
      taken literally, arg min would make the broadcast model irrelevant. «arg min» over the weights is not reached
      either: L_SSA is not convex (SSA-LP10), so a descent finds a local minimum, and the simplex is not mentioned
      (SSA-O1).""",
    Property((_rule(),)),
    readings={
        "step 2, the clients": Property((_LOCAL,), degrees=(0, 2)),
    },
    mutants={
        "one unchecked step of rate 100": Property((_rule_case("one step", (2, 3, 1), Choice("plain", (100.0,))),)),
    },
)

_PROJECT, _SOFTMAX, _NORMALISE, _NONE, _CLIP, _SHIFT = (float(i) for i in range(6))


def _stepped(x: Instance) -> Mapping[str, Any]:
    """Distance from the simplex (sum 1, no sign below 0) after one gradient step of rate r from simplex weights."""
    w = x["weights"]
    g, r = gradient_ssa(w, x["view_1"], x["view_2"]), x["rate"][:, None]
    kind = x["option"][0]
    moved = w - r * g
    if kind == _PROJECT:
        moved = project_on_simplex(moved)
    if kind == _SOFTMAX:
        scores = np.log(w) - r * w * (g - (w * g).sum(axis=1, keepdims=True))
        grown = np.exp(scores - scores.max(axis=1, keepdims=True))
        moved = grown / grown.sum(axis=1, keepdims=True)
    if kind in (_CLIP, _NORMALISE):
        moved = np.maximum(moved, 0.0)
    total = moved.sum(axis=1, keepdims=True)
    if kind == _NORMALISE:
        moved = moved / np.where(total > 0, total, 1.0)
    if kind == _SHIFT:
        moved = moved + (1 - total) / w.shape[1]
    off = np.maximum(np.abs(moved.sum(axis=1) - 1), -moved.min(axis=1))
    left = np.ones(len(w), dtype=bool) if kind != _NORMALISE else total[:, 0] > 0
    return {**missed(off), "magnitude": 1e2 + np.abs(r * g).max(axis=1) * 10, "admissible": left}


def stepped_exact(x: Mapping[str, Any]) -> Checked:
    """max(|sum - 1|, -smallest weight) after one step; option 0 project, 1 softmax, 2 normalise, 3 none, 4 clip, 5 shift."""
    w, kind, r = x["weights"], int(x["option"]), x["rate"]
    g = pull_exact(w, x["view_1"], x["view_2"])
    moved = [a - r * b for a, b in zip(w, g, strict=True)]
    if kind == 0:
        moved = projected(moved, Fraction(0))
    if kind == 1:
        mean = sum(a * b for a, b in zip(w, g, strict=True))
        raw = mass([Fraction(1)], [[log_near(a) - r * a * (b - mean) for a, b in zip(w, g, strict=True)]])
        whole = sum(raw)
        moved = [Fraction(a, whole) for a in raw]
    if kind in (2, 4):
        moved = [max(a, Fraction(0)) for a in moved]
    if kind == 2:
        total = sum(moved)
        moved = [a / total for a in moved]
    if kind == 5:
        missing = (1 - sum(moved)) / len(w)
        moved = [a + missing for a in moved]
    met = {"the start is on the simplex, positive": sum(w) == 1 and min(w) > 0}
    return met, {"lhs": max(abs(sum(moved) - 1), -min(moved)) - slack()}


def _option(name: str, kind: float, sizes: Any = ((2, 3, 1), (3, 3, 2), (10, 5, 1))) -> Property:
    def case(size: tuple[int, int, int]) -> Case:
        more = (LogScale("rate", 1e-3, 1e2), Choice("option", (kind,)))
        base = view_case(name, size, _stepped, stepped_exact, *more, uses=(pull_exact, projected), symmetries=())
        coordinates = tuple(
            Simplex("weights", size[0], interior=True) if c.name == "weights" else c for c in base.space.coordinates
        )
        return Case(base.name, Space(coordinates), base.measure, base.exact, cost=base.cost)

    return Property(tuple(case(s) for s in sizes))


O1 = stated(
    r"""SSA-O1 (definition; Eq. (2); Algorithm 1 (left open: how the weights stay on the simplex)): Weights on the simplex
    Print: w_k^t\ge0,\ \sum_kw_k^t=1\ \text{after a gradient step on }\mathcal L_{SSA}
    Plainly: A gradient step on L_SSA leaves the weights non-negative with sum 1, so that equal local models are kept.
    Assumes: the step starts from positive weights of sum 1 | λ_var = 1, λ_we = 10⁻³; rate from 10⁻³ to 100
    Open (nowhere) constraint: how the aggregation weights stay weights: (2) has only the constraint θ = Σθ_kw_k,
      Algorithm 1 only «arg min»; (7) takes log w_k
    Reading: projection | The nearest point of the simplex after the step. | option constraint = projection
    Reading: softmax parameters | w = softmax(u), the step on u. | option constraint = softmax parameters
    Reading: clipped, divided by the sum | Where any weight is left. | option constraint = clipped, divided by the sum
    Reading: none, as (2) is printed | The plain step: (2) constrains θ only. | option constraint = none
    Reading: clipped at 0 only | Negative weights set to 0. | ours: an implementation that keeps the sign and lets the
      sum go is neither printed nor natural
    Mutant: shifted to sum 1, signs left alone | a long step makes a weight negative, and the shift keeps the
      differences
    Rests on: SSA-E02, SSA-E07, SSA-LP8
    Verdict: It depends on what an implementation adds. As printed, (2) asks only that θ = Σ w_kθ_k: a plain gradient
      step then leaves the simplex, weights no longer sum to 1, so that K equal local models come out scaled; L_we is
      undefined below 0, and scaling all weights up can lower L_cos and L_var without end (SSA-LP8). Projection, a
      softmax parametrisation and clip-and-normalise all keep the simplex, but they are different methods with
      different steps.""",
    _option("projection", _PROJECT),
    readings={
        "softmax parameters": _option("softmax parameters", _SOFTMAX),
        "clipped, divided by the sum": _option("normalised", _NORMALISE),
        "none, as (2) is printed": _option("no constraint", _NONE),
        "clipped at 0 only": _option("clipped", _CLIP),
    },
    mutants={
        "shifted to sum 1, signs left alone": _option("shifted", _SHIFT, ((2, 3, 1),)),
    },
)

CLAIMS: tuple[Claim, ...] = (
    E03,
    E04,
    ALG,
    O1,
)
