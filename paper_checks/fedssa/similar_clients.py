"""SSA-D11: how the loss shares weight between clients that are alike."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import EXACT, missed, slack, ssa_parts, view_case
from theory.ssa import loss_ssa
from validation import (
    Case,
    Choice,
    Claim,
    ExactCheck,
    Instance,
    Property,
    Signed,
    Space,
    Uniform,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


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


def _similar(x: Instance) -> Mapping[str, Any]:
    """Two clients, the second's logits `factor` times the first's: L_SSA of equal weights less that of either alone."""
    one, two = (np.concatenate([v, v * x["factor"][:, None, None, None]], axis=2) for v in (x["view_1"], x["view_2"]))
    at = [np.broadcast_to(np.asarray(v), (len(one), 2)) for v in ((0.5, 0.5), (1.0, 0.0), (0.0, 1.0))]
    by = x["lambda_we"][0]
    even, first, second = (loss_ssa(w, one, two, lambda_we=by) for w in at)
    return missed(even - np.minimum(first, second))


def similar_exact(x: Mapping[str, Any]) -> Checked:
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
        return Case(name, drawn, _similar, ExactCheck(similar_exact, EXACT))

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

CLAIMS: tuple[Claim, ...] = (D11,)
