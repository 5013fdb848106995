"""SSA-D9: whether a target distribution is a mixture of those of the clients."""

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
    Instance,
    Property,
    Space,
    Uniform,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


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
    q = [v / sum(raw) for v in raw]
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

CLAIMS: tuple[Claim, ...] = (D9,)
