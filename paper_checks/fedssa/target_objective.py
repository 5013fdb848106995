"""SSA-D7, SSA-D8: which weights go with an objective, and which objective with weights."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

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
    permuted_clients,
    units,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

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


def _fixed_point(x: Instance) -> Mapping[str, Any]:
    """(fixed point of FedAvg's round − minimiser of Σ nₖFₖ)²; `one_step`: τ = 1, `equal`: one curvature."""
    n = x["share"]
    h = x["curvature"] if "equal" not in x else np.repeat(x["curvature"][:, :1], n.shape[1], axis=1)
    m = x["optimum"]
    tau = np.ones(len(n)) if "one_step" in x else x["tau"]
    eta = x["length"] / (2 * tau * h.max(axis=1))
    lost = -np.expm1(tau[:, None] * np.log1p(-eta[:, None] * h))
    best = (n * h * m).sum(axis=1) / (n * h).sum(axis=1)
    stays = (n * lost * m).sum(axis=1) / (n * lost).sum(axis=1)
    return {"lhs": (stays - best) ** 2, "magnitude": (m**2).max(axis=1) * 1e-4}


def fixed_point_exact(x: Mapping[str, Any]) -> Checked:
    """(fixed point of the round map with w = n - argmin of sum n_k F_k)^2."""
    n, m = x["share"], x["optimum"]
    h = [x["curvature"][0]] * len(n) if "equal" in x else x["curvature"]
    tau = 1 if "one_step" in x else int(x["tau"])
    eta = x["length"] / (2 * tau * max(h))
    stays, _ = settled_exact(h, m, n, tau, eta, Fraction(0))
    best = sum(a * b * c for a, b, c in zip(n, h, m, strict=True)) / sum(a * b for a, b in zip(n, h, strict=True))
    met = {"convex quadratics": min(h) > 0, "eta L <= 1/(2 tau)": 0 < x["length"] <= 1, "shares": sum(n) == 1}
    return met, {"lhs": (stays - best) ** 2}


def _fedavg(*flags: str, low_tau: int = 1) -> Family:
    def at(K: float, tau: float) -> Case:
        n = int(K)
        drawn = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Simplex("share", n),
                Choice("tau", (float(tau),)),
                LogScale("length", 1e-2, 1.0, at=(1.0,)),
                *(Choice(f, (1.0,)) for f in flags),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "share": 0}),
        )
        name = f"{n} clients, τ = {int(tau)}" + "".join(f", {f}" for f in flags)
        cost = max(1.0, n / 40)
        return Case(
            name, drawn, _fixed_point, ExactCheck(fixed_point_exact, (settled_exact,)), cost=cost, symmetries=same
        )

    return Family("FedAvg", (Size("K", 1, 300, 3), Size("tau", low_tau, 300, max(low_tau, 4))), at)


def _none(family: Family | Case) -> Property:
    return Property((family,), degrees=(0, 2))


D8 = stated(
    r"""SSA-D8 (remark; Appendix A, first paragraph): What FedAvg optimises
    Print: w_k:=n_k,\ \text{«which optimizes the global objective function where }p_k:=n_k\text{»}
    Plainly: FedAvg with weights nₖ optimises Σ nₖFₖ; tested: at a constant step it settles at the minimiser.
    Assumes: 1-D convex quadratic clients, no noise, everyone takes part | ηL <= 1/(2τ), constant
    Reading: any number of local steps | The fixed point of the round is the minimiser.
    Reading: one local step | τ = 1. | condition: τ = 1 | met by: Theorem A.5 with τ = 1, where C = T₄ = T₅ = 0 (with
      Corollary A.8's η = 1/√(τT) the gap goes to 0 for any τ)
    Reading: equal curvatures | All clients have one curvature. | condition: all clients have one curvature
    Mutant: two local steps suffice | a client's pull is 1 − (1 − ηh)², not proportional to h
    Rests on: SSA-E03, SSA-E13
    Verdict: At a constant step a condition is needed that is not printed: one local step, τ = 1 (or one curvature for
      all clients); Theorem A.5 with τ = 1 meets it, where C = T₄ = T₅ = 0. That «optimizes» means settling at the
      minimiser is ours; with Corollary A.8's step η = 1/√(τT), which shrinks as T grows, the gap goes to 0 for any τ.
      With more local steps, a constant step and unequal curvatures FedAvg settles elsewhere: each client pulls by 1 −
      (1 − ηh)^τ instead of in proportion to h (the well-known objective inconsistency of local SGD; Wang et al.
      2021c, whom the paper cites, show it for unequal numbers of steps). Theorem A.5 allows for this: its T₅ does not
      vanish with T at a constant step.""",
    _none(_fedavg()),
    readings={
        "one local step": _none(_fedavg("one_step")),
        "equal curvatures": _none(_fedavg("equal")),
    },
    mutants={
        "two local steps suffice": _none(_fedavg(low_tau=2).at(K=2, tau=2.0)),
    },
)


CLAIMS: tuple[Claim, ...] = (D7, D8)
