"""SSA-LP1, SSA-LP2: between which values L_cos and L_var lie, and where they are smallest."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import (
    SPLIT,
    cosine,
    flag,
    float_views,
    mass,
    missed,
    slack,
    ssa_parts,
    view_case,
    view_family,
)
from theory.ssa import ensemble_probabilities, loss_cos, loss_var
from validation import (
    Bound,
    Claim,
    Inequality,
    Instance,
    Property,
    symbols,
)
from validation.statement.says import identity
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
c, gap = symbols("c gap")
_PURE = dict.fromkeys(("c", "gap"), (0, 0))


def _cos_range(x: Instance) -> Mapping[str, Any]:
    """By how much L_cos leaves [−1, 0]; `raw`: of the mixed logits themselves."""
    w, one, two = float_views(x)
    loss = loss_cos(w, one, two)
    if "raw" in x:
        u, v = ((w[:, None, None, :] @ z)[:, :, 0] for z in (one, two))
        size = np.sqrt((u**2).sum(axis=-1) * (v**2).sum(axis=-1))
        loss = -((u * v).sum(axis=-1) / np.where(size > 0, size, 1.0)).mean(axis=-1)
    return missed(np.maximum(-1 - loss, loss))


def cos_range_exact(x: Mapping[str, Any]) -> Checked:
    """max(-1 - L_cos, L_cos)."""
    w = x["weights"]
    loss = ssa_parts(w, x["view_1"], x["view_2"])[0]
    if "raw" in x:
        pairs = []
        for views in zip(x["view_1"], x["view_2"], strict=True):
            mixed = [[sum(a * z[j] for a, z in zip(w, v, strict=True)) for j in range(len(v[0]))] for v in views]
            pairs.append([[int(m * 2**200) for m in side] for side in mixed])
        loss = -sum((cosine(*p) if any(p[0]) and any(p[1]) else Fraction(0) for p in pairs), Fraction(0)) / len(pairs)
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0}
    return met, {"lhs": max(-1 - loss, loss) - slack()}


def _apart(x: Instance) -> Mapping[str, Any]:
    """‖y⁽¹⁾ − y⁽²⁾‖² (mean over samples) against 1 + L_cos."""
    w, one, two = float_views(x)
    y, z = ensemble_probabilities(w, one), ensemble_probabilities(w, two)
    return {
        "lhs": ((y - z) ** 2).sum(axis=-1).mean(axis=-1),
        "gap": np.maximum(1 + loss_cos(w, one, two), 0.0),
        "c": np.full(len(w), float(one.shape[-1])),
        "magnitude": np.full(len(w), 1e3),
    }


def apart_exact(x: Mapping[str, Any]) -> Checked:
    """Mean of |y1 - y2|^2, and 1 + L_cos."""
    w = x["weights"]
    total = Fraction(0)
    for one, two in zip(x["view_1"], x["view_2"], strict=True):
        u, v = mass(w, one), mass(w, two)
        total += sum((Fraction(a, sum(u)) - Fraction(b, sum(v))) ** 2 for a, b in zip(u, v, strict=True))
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0}
    found = {
        "lhs": total / len(x["view_1"]) - slack(),
        "gap": 1 + ssa_parts(w, x["view_1"], x["view_2"])[0] + slack(),
        "c": Fraction(len(x["view_1"][0][0])),
    }
    return met, found


def apart_again(c: Any, gap: Any) -> Any:
    """4(1 + c)(1 + L_cos) once more."""
    return gap * 4 + 4 * c * gap


_APART = (view_family("two predictions", _apart, apart_exact, symmetries=SPLIT),)

LP1 = stated(
    r"""SSA-LP1 (remark; Sec. 4.2, eqs. (4), (5)): Range and minimisers of L_cos
    Print: -1\le\mathcal L_{cos}\le0,\quad\mathcal L_{cos}=-1\iff\hat{\mathbf y}^{(1)}=\hat{\mathbf y}^{(2)}
    Plainly: On softmax outputs L_cos lies between −1 and 0, and is −1 exactly where the two predictions agree.
    Assumes: finite logits | weights on the simplex | mean over the samples
    Reading: range | Between −1 and 0. | part: range
    Reading: minimisers | The predictions are as near as 1 + L_cos is small: ‖y⁽¹⁾ − y⁽²⁾‖² <= 4(1 + c)(1 + L_cos). |
      part: minimisers
    Mutant: cosine of the logits | logits may be negative, so their cosine may be, and L_cos > 0
    Mutant: squared gap | for nearby predictions 1 + L_cos is of the order of ‖y⁽¹⁾ − y⁽²⁾‖², and its square is
      smaller
    Tight: −1 where both views give the same prediction, whatever it is; 0 only in the limit of opposite one-hot
      vectors
    Rests on: SSA-E04, SSA-E05
    Verdict: Softmax outputs are positive, so L_cos is below 0, and 0 is only approached, by two views sure of
      different classes. It is −1 exactly where the two predictions are the same; two parallel vectors that sum to 1
      are equal. So every weight vector under which the views agree is a minimiser, however wrong or undecided the
      prediction is.""",
    Property((view_family("range of L_cos", _cos_range, cos_range_exact, symmetries=SPLIT),)),
    readings={
        "minimisers": Inequality(Bound(4 * (1 + c) * gap, again=apart_again, degrees=_PURE), _APART, degrees=(0, 0)),
    },
    mutants={
        "cosine of the logits": Property((view_case("logits", (2, 2, 1), _cos_range, cos_range_exact, flag("raw")),)),
        "squared gap": Inequality(
            Bound(4 * (1 + c) * gap**2), (view_case("two predictions", (2, 3, 1), _apart, apart_exact),)
        ),
    },
)


def _var_size(x: Instance) -> Mapping[str, Any]:
    """−L_var with either divisor; `other`: the sample variance."""
    w, one, two = float_views(x)
    classes = np.full(len(w), float(one.shape[-1]))
    return {
        "lhs": -loss_var(w, one, two, divisor="classes-1" if "other" in x else "classes"),
        "c": classes,
        "magnitude": np.ones(len(w)),
    }


def var_size_exact(x: Mapping[str, Any]) -> Checked:
    """-L_var, divisor c or c - 1."""
    w, n = x["weights"], len(x["view_1"][0][0])
    size = -ssa_parts(w, x["view_1"], x["view_2"])[1]
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0}
    return met, {"lhs": (size * Fraction(n, n - 1) if "other" in x else size) - slack(), "c": Fraction(n)}


def _var_sign(x: Instance) -> Mapping[str, Any]:
    """L_var above 0."""
    return missed(loss_var(*float_views(x)))


def var_sign_exact(x: Mapping[str, Any]) -> Checked:
    """L_var."""
    return {"weights given": len(x["weights"]) > 0}, {"lhs": ssa_parts(x["weights"], x["view_1"], x["view_2"])[1]}


def one_hot_again(c: Any) -> Any:
    """(c − 1)/c² once more."""
    return 1 / c - c**-2.0


def sample_again(c: Any) -> Any:
    """1/c once more."""
    return c**-1.0


_WIDE = view_family("divisor c", _var_size, var_size_exact, symmetries=SPLIT, span=50.0)
_WIDER = view_family("divisor c − 1", _var_size, var_size_exact, flag("other"), symmetries=SPLIT, span=50.0)

LP2 = stated(
    r"""SSA-LP2 (remark; Sec. 4.2, eq. (6)): Range of L_var
    Print: -\frac{c-1}{c^2}\le\mathcal L_{var}\le0\ \text{(divisor }c\text{)},\quad-\frac1c\le\mathcal L_{var}\le0
    Plainly: L_var lies between −(c − 1)/c² and 0, or between −1/c and 0 for the sample variance; one-hot outputs
      attain it.
    Assumes: softmax outputs over c >= 2 classes | mean over the samples
    Open (nowhere) divisor: «var(ŷ) measures the variance among the elements of ŷ»: divisor c or c − 1
    Reading: divisor c | At least −(c − 1)/c². | part: at least | option divisor = c
    Reading: divisor c − 1 | At least −1/c. | part: at least | option divisor = c − 1
    Reading: never positive | At most 0. | part: never positive
    Reading: value at one-hot outputs | The variance of (1, 0, …, 0) with mean 1/c is (c − 1)/c². | part: value at
      one-hot outputs
    Mutant: sample variance against the bound of divisor c | a nearly one-hot output has sample variance near 1/c > (c
      − 1)/c²
    Mutant: one more class in the denominator | a nearly one-hot output has variance near (c − 1)/c²
    Tight: one-hot outputs, which finite logits only approach
    Rests on: SSA-E04, SSA-E06, SSA-O3
    Verdict: ‖y‖² lies between 1/c and 1, which gives both ranges. For ten classes L_var spans 0.09 (0.1 for the
      sample variance), for a hundred 0.0099: with λ_var = 1 it can never outweigh a cosine loss that differs by more.
      The lower end is approached by any sure prediction, right or wrong, and not attained with finite logits.""",
    Inequality(Bound((c - 1) / c**2, again=one_hot_again, degrees=_PURE), (_WIDE,), degrees=(0, 0)),
    readings={
        "divisor c − 1": Inequality(Bound(1 / c, again=sample_again, degrees=_PURE), (_WIDER,), degrees=(0, 0)),
        "never positive": Property((view_family("sign", _var_sign, var_sign_exact),)),
        "value at one-hot outputs": identity(((1 - 1 / c) ** 2 + (c - 1) / c**2) / c, (c - 1) / c**2),
    },
    mutants={
        "sample variance against the bound of divisor c": Inequality(
            Bound((c - 1) / c**2),
            (view_case("divisor c − 1", (2, 2, 1), _var_size, var_size_exact, flag("other"), span=50.0),),
        ),
        "one more class in the denominator": Inequality(
            Bound((c - 1) / c**3), (view_case("divisor c", (2, 2, 1), _var_size, var_size_exact, span=50.0),)
        ),
    },
)


CLAIMS: tuple[Claim, ...] = (LP1, LP2)
