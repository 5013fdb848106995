"""Sec. 3 and App. A: the weight problem (1) and (2), objectives and targets."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.views import flag, float_views, missed, slack, ssa_parts, view_case
from theory.ssa import loss_ssa, loss_we
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
    Uniform,
    permuted_clients,
    symbols,
    units,
)
from validation.statement.kinds import Mechanism
from validation.statement.says import eq, identity, le
from validation.world.mechanisms import always
from validation.world.stated import stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

settled2, width, tau, eta, L = NOTATION.symbols("settled2 width tau eta L")

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


Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _shrunk(x: Instance) -> tuple[Any, Any]:
    """(η, 1 − (1 − ηh_k)^τ) of 1-D quadratic clients at ηL = length/(2τ)."""
    eta = x["length"] / (2 * x["tau"] * x["curvature"].max(axis=1))
    return eta, -np.expm1(x["tau"][:, None] * np.log1p(-eta[:, None] * x["curvature"]))


def settled_exact(
    h: list[Fraction], m: list[Fraction], w: list[Fraction], tau: int, eta: Fraction, noise: Fraction
) -> tuple[Fraction, Fraction]:
    """Mean and variance of the model where rounds of tau local SGD steps with fixed weights settle, 1-D quadratics."""
    keep = [(1 - eta * a) ** tau for a in h]
    held = sum(a * k for a, k in zip(w, keep, strict=True))
    mean = sum(a * (1 - k) * c for a, k, c in zip(w, keep, m, strict=True)) / (1 - held)
    own = [eta**2 * noise * sum((1 - eta * a) ** (2 * e) for e in range(tau)) for a in h]
    return Fraction(mean), Fraction(sum(a * a * v for a, v in zip(w, own, strict=True)) / (1 - held * held))


def _settled(x: Instance, w: Any) -> tuple[Any, Any]:
    """The same in floats, instances on the first axis."""
    h, m = x["curvature"], x["optimum"]
    eta, lost = _shrunk(x)
    own, step = np.zeros_like(h), eta[:, None] ** 2 * x["noise"][:, None]
    for e in range(int(x["tau"].max())):
        own = own + np.where(e < x["tau"][:, None], (1 - eta[:, None] * h) ** (2 * e), 0.0)
    gone = (w * lost).sum(axis=1)
    return (w * lost * m).sum(axis=1) / gone, (w**2 * step * own).sum(axis=1) / (gone * (2 - gone))


def _alone(x: Instance) -> Any:
    """All weight on client 1."""
    return np.eye(x["curvature"].shape[1])[np.zeros(len(x["curvature"]), dtype=int)]


def _target(x: Instance) -> Mapping[str, Any]:
    """E F₁ where training settles with w₁ = 1, less that with other weights; target = client 1 (`even`: swapped)."""
    h, m = x["curvature"], x["optimum"]
    losses = []
    for w in (_alone(x), x["weights"]):
        mean, spread = _settled(x, w)
        losses.append(0.5 * h[:, 0] * ((mean - m[:, 0]) ** 2 + spread))
    gap = losses[1] - losses[0] if "even" in x else losses[0] - losses[1]
    return {"lhs": gap, "magnitude": h[:, 0] * np.abs(m).max(axis=1) ** 2 + sum(losses), "admissible": _distinct(x)}


def _distinct(x: Instance) -> Any:
    return np.abs(x["optimum"][:, 1:] - x["optimum"][:, :1]).min(axis=1) > 1e-3


def target_exact(x: Mapping[str, Any]) -> Checked:
    """E F_1 where training settles with all weight on client 1, less that with the other weights."""
    h, m, w, tau = x["curvature"], x["optimum"], x["weights"], int(x["tau"])
    eta = x["length"] / (2 * tau * max(h))
    losses = []
    for v in ([Fraction(k == 0) for k in range(len(h))], w):
        mean, spread = settled_exact(h, m, v, tau, eta, x["noise"])
        losses.append(h[0] * ((mean - m[0]) ** 2 + spread) / 2)
    met = {
        "A.1, A.2: convex quadratics": min(h) > 0,
        "target = client 1, distinct from the others": all(abs(c - m[0]) > Fraction(1, 1000) for c in m[1:]),
        "eta L <= 1/(2 tau)": 0 < x["length"] <= 1,
        "weights on the simplex": sum(w) == 1 and min(w) >= 0,
        "A.3: independent noise of variance sigma^2": x["noise"] >= 0,
    }
    return met, {"lhs": losses[1] - losses[0] if "even" in x else losses[0] - losses[1]}


def _objective(x: Instance) -> Mapping[str, Any]:
    """F₁ at the minimiser of F₁, less F₁ at the minimiser of Σ pₖFₖ for other p."""
    h, m, p = x["curvature"], x["optimum"], x["weights"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    lhs = -0.5 * h[:, 0] * (best - m[:, 0]) ** 2
    return {"lhs": lhs, "magnitude": h[:, 0] * np.abs(m).max(axis=1) ** 2, "admissible": _distinct(x)}


def objective_exact(x: Mapping[str, Any]) -> Checked:
    """F_1(argmin F_1) - F_1(argmin sum p_k F_k)."""
    h, m, p = x["curvature"], x["optimum"], x["weights"]
    best = sum(a * b * c for a, b, c in zip(p, h, m, strict=True)) / sum(a * b for a, b in zip(p, h, strict=True))
    met = {
        "convex quadratics": min(h) > 0,
        "target = client 1, distinct from the others": all(abs(c - m[0]) > Fraction(1, 1000) for c in m[1:]),
    }
    return met, {"lhs": -h[0] * (best - m[0]) ** 2 / 2}


_UNITS = units({"curvature": (1, -2), "optimum": (0, 1), "noise": (2, -2)})


def _skew(measure: Any, exact: Any, *more: Any, noisy: bool = False) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        drawn = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Simplex("weights", n),
                Integer("tau", 1, 20, at=(2, 5)),
                LogScale("length", 1e-2, 1.0, at=(1.0,)),
                LogScale("noise", 1e-4, 1e6) if noisy else Choice("noise", (0.0,)),
                *more,
            )
        )
        cost = max(1.0, n / 20)
        checked = ExactCheck(exact, (settled_exact,))
        name = f"{n} clients, {'noise' if noisy else 'no noise'}" + (", swapped" if more else "")
        return Case(name, drawn, measure, checked, cost=cost, symmetries=(_UNITS,))

    return Family("1-D quadratic clients", (Size("K", 2, 300, 3),), at)


D7 = stated(
    r"""SSA-D7 (remark; Appendix A, before Assumption A.1): A target that is one client's distribution
    Print: \text{target}=\mathcal D_1:\quad F(\theta)=p_1F_1(\theta),\ p_1=1,\ p_k=0\ (k\ne1);\quad\text{optimal }w_k
      \text{ aligned with }p_k
    Plainly: If the target is client 1's distribution, F = F₁ is the objective, and the weights are to be aligned with
      it.
    Assumes: 1-D convex quadratic clients, client 1's optimum apart from all others | ηL <= 1/(2τ); w fixed
    Reading: the objective | The minimiser of F₁ has no more target loss than that of any other Σ pₖFₖ. | part: the
      objective
    Reading: the weights, without gradient noise | Where training settles, w₁ = 1 has no more target loss than any
      other weights. | part: the weights
    Reading: the weights, with gradient noise | Ours: w₁ = 1 exactly best in expectation, too, with any noise as A.3
      allows and the others as near as one likes. | part: the weights | ours: w_1 = 1 exactly best for the expected
      target loss, however strong the noise and however near the others; the print says «align», of an objective,
      before any assumption on noise, and «distinct from others»
    Mutant: any weights as good as w₁ = 1, without noise | other clients pull the model away from the optimum of
      client 1
    Rests on: SSA-A4, SSA-D8
    Verdict: It holds: F₁ is the objective, and without gradient noise weights aligned with it, w₁ = 1, are best, as
      training on client 1 alone settles at its optimum. That w₁ = 1 is exactly best however strong the noise and
      however near the other clients is stronger than the print, which says «align» and «distinct from others». It
      fails: a client whose optimum is close halves the variance of the average at little cost in bias. With few
      samples the same holds of estimation error, and the paper's own L_we and «multi-client collaboration» speak for
      it. That noise moves the minimiser of the bound away from p is counted at SSA-RA6.""",
    Property((_skew(_objective, objective_exact),), degrees=(1, 0)),
    readings={
        "the weights, without gradient noise": Property((_skew(_target, target_exact),), degrees=(1, 0)),
        "the weights, with gradient noise": Property((_skew(_target, target_exact, noisy=True),), degrees=(1, 0)),
    },
    mutants={
        "any weights as good as w₁ = 1, without noise": Property(
            (_skew(_target, target_exact, Choice("even", (1.0,))).at(K=2),)
        ),
    },
)


def fixed_point(x: Instance, *, tau: int, equal: bool) -> Mapping[str, Any]:
    """(fixed point of FedAvg's round − minimiser of Σ nₖFₖ)², η, L and the range of the optima; `equal`: one curvature."""
    n, m, h = x["share"], x["optimum"], x["curvature"]
    h = np.repeat(h[:, :1], n.shape[1], axis=1) if equal else h
    L = h.max(axis=1)
    eta = x["length"] / (2 * tau * L)
    lost = -np.expm1(tau * np.log1p(-eta[:, None] * h))
    best = (n * h * m).sum(axis=1) / (n * h).sum(axis=1)
    stays = (n * lost * m).sum(axis=1) / (n * lost).sum(axis=1)
    seen = {"settled2": (stays - best) ** 2, "eta": eta, "L": L, "tau": np.full(len(n), float(tau))}
    return {**seen, "width": np.ptp(m, axis=1), "sizes": {"settled2": (m**2).max(axis=1) * 1e-4}}


def fixed_point_exact(x: Mapping[str, Any], *, tau: int, equal: bool) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """(fixed point of the round map with w = n - argmin of sum n_k F_k)^2."""
    n, m = x["share"], x["optimum"]
    h = [x["curvature"][0]] * len(n) if equal else x["curvature"]
    eta = x["length"] / (2 * tau * max(h))
    stays, _ = settled_exact(h, m, n, tau, eta, Fraction(0))
    best = sum(a * b * c for a, b, c in zip(n, h, m, strict=True)) / sum(a * b for a, b in zip(n, h, strict=True))
    met = {"convex quadratics": min(h) > 0, "eta L <= 1/(2 tau)": 0 < x["length"] <= 1, "shares": sum(n) == 1}
    found = {"settled2": (stays - best) ** 2, "eta": eta, "L": max(h), "tau": Fraction(tau), "width": max(m) - min(m)}
    return met, found


def _fedavg(*, low: int = 1, high: int = 300, equal: bool = False, most: int = 300) -> World:
    """Up to `most` clients, `low` to `high` local steps."""

    def at(K: float, tau: float) -> Case:
        n = int(K)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Simplex("share", n),
                LogScale("length", 1e-2, 1.0, at=(1.0,)),
            )
        )
        return case(
            f"{n} clients, τ = {int(tau)}",
            space,
            fixed_point,
            fixed_point_exact,
            uses=(settled_exact,),
            cost=max(1.0, n / 40),
            symmetries=(
                units({"curvature": (1, -2), "optimum": (0, 1)}),
                permuted_clients({"curvature": 0, "optimum": 0, "share": 0}),
            ),
            mechanisms=(Mechanism("several local steps", (), always),) if tau > 1 else (),
            tau=int(tau),
            equal=equal,
        )

    sizes = (Size("K", 1, most, min(most, 3)), Size("tau", low, high, min(high, max(low, 4))))
    return World(NOTATION, (Family("FedAvg", sizes, at),))


_SETTLES = eq(settled2, 0)


D8 = stated(
    r"""SSA-D8 (remark; Appendix A, first paragraph): What FedAvg optimises
    Print: w_k:=n_k,\ \text{«which optimizes the global objective function where }p_k:=n_k\text{»}
    Plainly: FedAvg with weights nₖ optimises Σ nₖFₖ.
    Assumes: 1-D convex quadratic clients, no noise, everyone takes part | ηL <= 1/(2τ)
    Open (nowhere) optimizes: «which optimizes the global objective function where p_k := n_k»: whether the model settles
      at the minimiser at a constant step, or comes to it as the step goes to 0 (η = 1/√(τT) of Corollary A.8), is not said
    Reading: settles there at a constant step | The fixed point of the round is the minimiser, for any number of local
      steps. | option optimizes = settles there at a constant step
    Reading: comes to it as η goes to 0 | The fixed point is within (τ − 1)ηL/2 times the range of the optima. | option
      optimizes = comes to it as the step goes to 0
    Reading: one local step | At a constant step, τ = 1. | option optimizes = settles there at a constant step |
      condition: τ = 1 | met by: Theorem A.5 with τ = 1, where C = T₄ = T₅ = 0
    Reading: equal curvatures | All clients have one curvature. | option optimizes = settles there at a constant step |
      condition: all clients have one curvature
    Mutant: two local steps suffice | a client's pull is 1 − (1 − ηh)², not proportional to h
    Rests on: SSA-E03, SSA-E13
    Verdict: As the step goes to 0, as Corollary A.8's η = 1/√(τT) does with T, the model comes to the minimiser, for any
      τ. At a constant step it settles there with one local step, or one curvature for all clients; with more local steps
      and unequal curvatures it settles elsewhere: each client pulls by 1 − (1 − ηh)^τ instead of in proportion to h (the
      well-known objective inconsistency of local SGD; Wang et al. 2021c, whom the paper cites, show it for unequal
      numbers of steps). Theorem A.5 allows for this: its T₅ does not vanish with T at a constant step. Which of the two
      «optimizes» means the paragraph does not say.""",
    _SETTLES,
    _fedavg(),
    readings={
        "comes to it as η goes to 0": le(settled2, ((tau - 1) * eta * L * width / 2) ** 2),
        "one local step": _fedavg(high=1),
        "equal curvatures": _fedavg(equal=True),
    },
    mutants={"two local steps suffice": _fedavg(low=2, high=2, most=2)},
)


def _distributions(x: Instance) -> Mapping[str, Any]:
    """Squared distance of the target's class shares to the mixtures of the clients'; client k holds `block` classes."""
    classes, block = int(x["classes"][0]), int(x["block"][0])
    r, kind = x["ratio"][:, None], x["target"][0]
    place = np.arange(classes)
    raw = (
        r**place if kind == 0 else np.broadcast_to(np.ones(classes) if kind == 1 else place < block, (len(r), classes))
    )
    q = raw / raw.sum(axis=1, keepdims=True)
    grouped = q.reshape(len(r), -1, block)
    lhs = ((grouped - grouped.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(1, 2))
    return {"lhs": lhs, "magnitude": np.ones(len(lhs)) * 1e-3}


def distributions_exact(x: Mapping[str, Any]) -> Checked:
    """Squared distance of the target to the mixtures of uniform distributions on blocks of classes."""
    classes, block, kind = int(x["classes"]), int(x["block"]), int(x["target"])
    raw = [[x["ratio"] ** j, Fraction(1), Fraction(j < block)][kind] for j in range(classes)]
    whole = sum(raw)
    q = [v / whole for v in raw]
    total = Fraction(0)
    for start in range(0, classes, block):
        part = q[start : start + block]
        total += sum((v - sum(part) / block) ** 2 for v in part)
    return {"ratio of neighbouring classes in (0, 1)": 0 < x["ratio"] < 1}, {"lhs": total}


def _niid1(target: float, *, block: int | None = None) -> Property:
    def case(classes: int) -> Case:
        size = block or classes // 5
        drawn = Space(
            (
                Choice("classes", (float(classes),)),
                Choice("block", (float(size),)),
                Uniform("ratio", 0.59, 0.98),
                Choice("target", (target,)),
            )
        )
        name = f"{classes} classes, {classes // size} clients of {size} classes"
        return Case(name, drawn, _distributions, ExactCheck(distributions_exact), cost=max(1.0, classes / 10))

    return Property((case(10), case(100)), degrees=(0, 0))


D9 = stated(
    r"""SSA-D9 (remark; Appendix A, second paragraph; Sec. 5.1): A target distribution as coefficients
    Print: \text{target distribution}\ \mathcal D_T\ \longleftrightarrow\ F=\sum_kp_kF_k,\ p\ \text{on the simplex}
    Plainly: An arbitrary target distribution has coefficients pₖ with which Σ pₖFₖ is its expected loss.
    Assumes: distributions differ in their class shares only | NIID-1: each of five clients holds C/5 classes in equal
      parts, C = 10 or 100 | Imb: n_c in geometric proportion, the ratio of neighbouring classes ρ^(−1/(C − 1))
      between 0.59 and 0.98
    Reading: Skew | The target is client 1's distribution. | because: the paper's own example: p_1 = 1.0 and p_k = 0.0
      (Appendix A)
    Reading: Uniform | All classes in equal parts. | cut target = Uniform
    Reading: Imb | Class shares in geometric proportion, as Imb-A and Imb-B. | cut target = Imb-A, Imb-B | met by:
      Skew, the distribution of Client 1 (Sec. 5.1; the example of Appendix A), and Uniform, p = n | because: Appendix
      A speaks of «an arbitrary target distribution» with coefficients p_k that are only «not known in advance»
    Reading: Imb, a client for every class | As many clients as classes, one each. | condition: as many clients as
      classes, one class each
    Mutant: Imb with two classes a client | the two classes of a client have different shares in the target and equal
      ones at the client
    Rests on: SSA-D7
    Verdict: It needs a condition that is not printed: the target is a mixture of the clients' distributions; Skew and
      Uniform meet it, Imb-A and Imb-B of NIID-1 do not. For Skew p = (1, 0, …), the paper's own example, for Uniform
      p = n. Appendix A speaks of «an arbitrary target distribution» whose pₖ are only «not known in advance». In
      NIID-1 a client holds C/5 classes in equal parts, an imbalanced target gives each of them another share, and no
      weights on clients can change proportions inside a client. The target loss is then no Σ pₖFₖ, and Theorem A.5
      speaks of a stand-in: the nearest mixture has the right total on each client's classes. With one class a client
      every target is a mixture.""",
    _niid1(2.0),
    readings={
        "Uniform": _niid1(1.0),
        "Imb": _niid1(0.0),
        "Imb, a client for every class": _niid1(0.0, block=1),
    },
    mutants={
        "Imb with two classes a client": Property((_niid1(0.0, block=2).cases[0],)),
    },
)

CLAIMS: tuple[Claim, ...] = (
    E01,
    E02,
    D7,
    D8,
    D9,
)
