"""SSA-LP7: what leaves the loss of the weights alone."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import (
    float_views,
    missed,
    slack,
    ssa_parts,
    view_case,
    view_family,
)
from theory.ssa import loss_ssa
from validation import (
    Choice,
    Claim,
    Instance,
    Property,
    Signed,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
_SHIFT, _CLIENTS, _CLASSES, _VIEWS, _ONE_CLASS, _NAMES_ONLY = (float(i) for i in range(6))


def _changed(x: Instance) -> Mapping[str, Any]:
    """|L_SSA after the change − before|; λs of Sec. 5.1."""
    w, one, two = float_views(x)
    before, kind, by = loss_ssa(w, one, two), x["change"][0], x["by"][:, None, None, None]
    if kind == _SHIFT:
        one = one + by
    if kind == _ONE_CLASS:
        one = one + by * (np.arange(one.shape[-1]) == 0)
    if kind in (_CLIENTS, _NAMES_ONLY):
        one, two = np.roll(one, 1, axis=2), np.roll(two, 1, axis=2)
        w = np.roll(w, 1, axis=1) if kind == _CLIENTS else w
    if kind == _CLASSES:
        one, two = np.roll(one, 1, axis=3), np.roll(two, 1, axis=3)
    if kind == _VIEWS:
        one, two = two, one
    return missed(np.abs(loss_ssa(w, one, two) - before), 1e2)


def changed_exact(x: Mapping[str, Any]) -> Checked:
    """|change of L_SSA| with lambda_var = 1, lambda_we = 1/1000; the changes are numbered 0 to 5."""
    w, one, two, kind, by = x["weights"], x["view_1"], x["view_2"], int(x["change"]), x["by"]
    before = ssa_parts(w, one, two)
    if kind == 0:
        one = [[[v + by for v in z] for z in sample] for sample in one]
    if kind == 4:
        one = [[[v + (by if j == 0 else 0) for j, v in enumerate(z)] for z in sample] for sample in one]
    if kind in (1, 5):
        one, two = ([[*sample[-1:], *sample[:-1]] for sample in view] for view in (one, two))
        w = [*w[-1:], *w[:-1]] if kind == 1 else w
    if kind == 2:
        one, two = ([[[*z[-1:], *z[:-1]] for z in sample] for sample in view] for view in (one, two))
    if kind == 3:
        one, two = two, one
    moved = [b - a for a, b in zip(before, ssa_parts(w, one, two), strict=True)]
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0}
    return met, {"lhs": abs(moved[0] + moved[1] + moved[2] / 1000) - slack()}


def _alike(name: str, kind: float) -> Property:
    more = (Choice("change", (kind,)), Signed("by", 1e-2, 1e1))
    return Property((view_family(name, _changed, changed_exact, *more, symmetries=()),))


def _differs(name: str, kind: float) -> Property:
    more = (Choice("change", (kind,)), Signed("by", 1e-2, 1e1))
    return Property((view_case(name, (2, 2, 1), _changed, changed_exact, *more, symmetries=()),))


LP7 = stated(
    r"""SSA-LP7 (remark; Sec. 4.2, eqs. (4) to (8); derived): Invariances of L_SSA
    Print: \mathcal L_{SSA}\text{ is unchanged under }z_k^{(1)}\to z_k^{(1)}+b
      \mathbf1,\ \text{clients},\ \text{classes},\ \text{views renumbered}
    Plainly: L_SSA does not see a common shift of one view's logits, nor the names of clients, classes and views.
    Assumes: weights on the simplex | λ_var = 1, λ_we = 10⁻³
    Reading: shifted logits | A constant added to every client's logits of one view changes nothing. | part: shifted
      logits
    Reading: clients renumbered | Clients renumbered together with their weights change nothing. | part: clients
      renumbered
    Reading: classes renumbered | Classes renumbered in both views change nothing. | part: classes renumbered
    Reading: views swapped | The two views swapped change nothing. | part: views swapped
    Mutant: one class's logit shifted | raising one class's logit changes the prediction of that view
    Mutant: clients renumbered without their weights | the weights then fall on other models
    Rests on: SSA-E04, SSA-E05, SSA-E06, SSA-E07, SSA-E08
    Verdict: All four follow from the softmax and the symmetry of the formulas. The invariance to class names is the
      telling one: the loss cannot know which class is right, only whether the views agree and how sure they are.""",
    _alike("shifted logits", _SHIFT),
    readings={
        "clients renumbered": _alike("clients renumbered", _CLIENTS),
        "classes renumbered": _alike("classes renumbered", _CLASSES),
        "views swapped": _alike("views swapped", _VIEWS),
    },
    mutants={
        "one class's logit shifted": _differs("one class shifted", _ONE_CLASS),
        "clients renumbered without their weights": _differs("clients without weights", _NAMES_ONLY),
    },
)

CLAIMS: tuple[Claim, ...] = (LP7,)
