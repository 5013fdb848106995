"""SSA-O3, SSA-O4, SSA-O5, SSA-O6: whether what the loss leaves open changes which weights it prefers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import float_views, missed, slack, ssa_parts, view_case
from theory.ssa import loss_cos, loss_ssa, loss_var
from validation import Case, Choice, Claim, Instance, Property, Simplex
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
_DIVISOR, _REDUCTION, _VIEWS, _HALVES, _RESCALED, _SIGN, _NOTHING = (float(i) for i in range(7))


def _two(x: Instance, at: Any) -> tuple[Any, Any]:
    """L_SSA at the weights `at` under the two versions compared; λ_var = 1."""
    _, one, two = float_views(x)
    kind, by = x["versions"][0], float(x["lambda_we"][0])
    if kind in (_DIVISOR, _RESCALED):
        classes = one.shape[-1]
        scale = (classes - 1) / classes if kind == _RESCALED else 1.0
        return (
            loss_ssa(at, one, two, lambda_we=by),
            loss_ssa(at, one, two, lambda_we=by, lambda_var=scale, divisor="classes-1"),
        )
    if kind == _REDUCTION:
        return (
            loss_ssa(at, one, two, lambda_we=by),
            loss_ssa(at, one, two, lambda_we=by, reduction="sum"),
        )
    if kind == _SIGN:
        plain = loss_cos(at, one, two)
        return plain + loss_var(at, one, two), plain - loss_var(at, one, two)
    half = one.shape[1] // 2
    first = loss_ssa(at, one[:, :half], two[:, :half], lambda_we=by)
    if kind == _VIEWS:  # the same samples, two other augmentations
        return first, loss_ssa(at, one[:, half:], two[:, half:], lambda_we=by)
    return first, first if kind == _NOTHING else loss_ssa(at, one[:, half:], two[:, half:], lambda_we=by)


def _ranked(x: Instance) -> Mapping[str, Any]:
    """By how much one version prefers `weights` and the other `other`."""
    a, b = _two(x, x["weights"]), _two(x, x["other"])
    return missed(np.minimum(b[0] - a[0], a[1] - b[1]), 10.0 * x["view_1"].shape[1])


def two_exact(x: Mapping[str, Any], at: list[Fraction]) -> list[Fraction]:
    """The loss under the two versions compared, lambda_var = 1."""
    one, two, kind, by = x["view_1"], x["view_2"], int(x["versions"]), x["lambda_we"]
    classes, samples = len(one[0][0]), len(one)
    cos, var, we = ssa_parts(at, one, two)
    if kind == 0:
        return [cos + var + by * we, cos + var * Fraction(classes, classes - 1) + by * we]
    if kind == 1:
        return [cos + var + by * we, samples * (cos + var) + by * we]
    if kind == 4:
        scale = Fraction(classes - 1, classes)
        return [cos + var + by * we, cos + scale * (var * Fraction(classes, classes - 1)) + by * we]
    if kind == 5:
        return [cos + var, cos - var]
    half = samples // 2
    parts = [ssa_parts(at, one[:half], two[:half])] * 2
    if kind != 6:
        parts[1] = ssa_parts(at, one[half:], two[half:])
    return [p[0] + p[1] + by * p[2] for p in parts]


def ranked_exact(x: Mapping[str, Any]) -> Checked:
    """min(L(other) - L(weights) in version 1, L(weights) - L(other) in version 2)."""
    u, v = x["weights"], x["other"]
    a, b = two_exact(x, u), two_exact(x, v)
    met = {"weights on the simplex": sum(u) == sum(v) == 1 and min([*u, *v]) >= 0}
    return met, {"lhs": min(b[0] - a[0], a[1] - b[1]) - slack()}


def _information(x: Instance) -> Mapping[str, Any]:
    """|L_cos(other) − L_cos(weights)| where both views are the same transformation."""
    one = x["view_1"]
    return missed(np.abs(loss_cos(x["other"], one, one) - loss_cos(x["weights"], one, one)))


def information_exact(x: Mapping[str, Any]) -> Checked:
    """|L_cos(other) - L_cos(weights)|, both views the same."""
    gap = ssa_parts(x["other"], x["view_1"], x["view_1"])[0] - ssa_parts(x["weights"], x["view_1"], x["view_1"])[0]
    u, v = x["weights"], x["other"]
    met = {"weights on the simplex": sum(u) == sum(v) == 1 and min([*u, *v]) >= 0}
    return met, {"lhs": abs(gap) - slack()}


def _case(name: str, size: tuple[int, int, int], versions: float, lambda_we: float = 1e-3, span: float = 5.0) -> Case:
    more = (Simplex("other", size[0]), Choice("versions", (versions,)), Choice("lambda_we", (lambda_we,)))
    return view_case(name, size, _ranked, ranked_exact, *more, uses=(two_exact,), symmetries=(), span=span)


_SIZES = ((2, 3, 2), (3, 3, 4), (2, 10, 2), (5, 5, 10))


def _same_ranks(name: str, versions: float, lambda_we: float = 1e-3) -> Property:
    return Property(tuple(_case(name, size, versions, lambda_we) for size in _SIZES))


def _one_case(name: str, versions: float, lambda_we: float = 1e-3) -> Property:
    return Property((_case(name, (2, 3, 2), versions, lambda_we),))


O3 = stated(
    r"""SSA-O3 (definition; Sec. 4.2, eq. (6) (left open: divisor of var)): Divisor of the variance
    Print: var(y)=\tfrac1c\sum_j(y_j-\bar y)^2\ \text{or}\ \tfrac1{c-1}\sum_j(y_j-\bar y)^2
    Plainly: It does not matter whether var divides by the number of classes c or by c − 1.
    Assumes: λ_var = 1, λ_we = 10⁻³ | two weight vectors on the simplex are compared by their loss
    Open (twice) lambda_var: Sec. 5.1: «we set λ_var = 1 and λ_we = 1e − 3», and in the next sentence «For all
      methods, hyper-parameters are tuned for each dataset»; var itself is defined without a divisor
    Reading: up to the value of λ_var | With λ_var·(c − 1)/c in place of λ_var the sample variance ranks any two
      weight vectors as before. | option lambda_var = tuned
    Reading: with the same λ_var | Both divisors rank any two weight vectors alike. | option lambda_var = set |
      because: the divisor, which is printed nowhere, is a factor c/(c − 1) in λ_var
    Mutant: sign of L_var reversed | where L_cos is the same, surer predictions are then worse instead of better
    Rests on: SSA-E06, SSA-LP2
    Verdict: The divisor is a factor c/(c − 1) in λ_var: 1.11 for ten classes, 1.01 for a hundred. Tuned λ_var absorbs
      it, and the paper's grid 0, 0.1, 1, 10 is far coarser. At a given λ_var nearly tied weights can change places.""",
    _same_ranks("divisor and λ_var changed", _RESCALED),
    readings={
        "with the same λ_var": _same_ranks("divisor", _DIVISOR),
    },
    mutants={
        "sign of L_var reversed": _one_case("sign of L_var", _SIGN),
    },
)

O4 = stated(
    r"""SSA-O4 (definition; Sec. 4.2, eqs. (5), (6), (8) (left open: reduction over the samples)): Mean or sum over the samples
    Print: \mathcal L_{cos}=\tfrac1S\sum_s\ldots\ \text{or}\ \sum_s\ldots,\ \text{beside a single}\ \mathcal L_{we}
    Plainly: It does not matter whether the losses of the samples of a batch are averaged or added.
    Assumes: λ_var = 1 | two weight vectors on the simplex are compared by their loss
    Open (twice) lambda_we: Sec. 5.1: «we set λ_var = 1 and λ_we = 1e − 3», and in the next sentence «hyper-parameters
      are tuned for each dataset» (C.4: λ_we in {0, 1e−4, 1e−3, 1e−2}); the reduction over the samples is printed
      nowhere
    Reading: λ_we = 0 | The setting of the ablations: without L_we mean and sum rank any two weight vectors alike. |
      option lambda_we = tuned, 0 of its grid
    Reading: λ_we = 10⁻³ | The default: mean and sum rank any two weight vectors alike. | option lambda_we = set
    Mutant: λ_we = 1 | with the sum L_we counts for 1/S as much, and it can tip the balance
    Rests on: SSA-E08, SSA-LP3
    Verdict: Without L_we the two differ by a common factor, which only rescales η_ssa. With it the sum over S samples
      is the mean with λ_we/S: for a batch of 64 the default 10⁻³ becomes 1.6·10⁻⁵, and closely tied weights change
      places.""",
    _same_ranks("mean or sum, λ_we = 0", _REDUCTION, 0.0),
    readings={
        "λ_we = 10⁻³": Property(
            tuple(
                _case(f"mean or sum, logits up to {span:g}", size, _REDUCTION, span=span)
                for span in (5.0, 0.5)
                for size in _SIZES
            )
        ),
    },
    mutants={
        "λ_we = 1": _one_case("mean or sum, λ_we = 1", _REDUCTION, 1.0),
    },
)

O5 = stated(
    r"""SSA-O5 (definition; Sec. 4.2 («several data transformations»), B.1 (left open: which, how strong)): Choice of augmentations
    Print: \mathbf x^{(1)}=T^1(\mathbf x),\ \mathbf x^{(2)}=T^2(
      \mathbf x),\ T^1,T^2\ \text{«flipping, Gaussian Blurring, color jitters»}
    Plainly: The loss prefers the same weights whichever transformations make the two views.
    Assumes: λ_var = 1, λ_we = 10⁻³ | logits may differ in any way between transformations
    Open (nowhere) augmentations: «several data transformations (e.g., flipping, Gaussian Blurring, applying color
      jitters)», «such as slight blurring»: neither which are used nor how strong they are
    Reading: the same transformation twice | Too weak ones: with T¹ = T² L_cos is the same for all weights, so all
      choices agree on nothing. | option augmentations = so slight that the views agree
    Reading: two other transformations | Any two pairs of transformations rank any two weight vectors alike. | option
      augmentations = strong enough that the views differ
    Mutant: other transformations without L_we | nothing ties the logits on one pair of views to those on another
    Rests on: SSA-E04, SSA-E05, SSA-LP1
    Verdict: The augmentations are part of the loss. If they do nothing, L_cos is −1 for all weights and only L_var
      and L_we are left; if they are strong, they decide which clients look stable, and two choices can rank weights
      in opposite ways. How much of the accuracy hangs on it only training with several sets of named strengths can
      tell.""",
    Property(
        tuple(
            view_case("same view", s, _information, information_exact, Simplex("other", s[0]), symmetries=())
            for s in _SIZES
        )
    ),
    readings={
        "two other transformations": _same_ranks("other transformations", _VIEWS),
    },
    mutants={
        "other transformations without L_we": _one_case("other transformations, λ_we = 0", _VIEWS, 0.0),
    },
)

O6 = stated(
    r"""SSA-O6 (definition; Sec. 3 and 5.1 (left open: whether the unlabelled set is the test set, and its size)): The unlabelled set is the one that is scored
    Print: \text{«the target dataset is often unlabeled (denoted as }\mathcal U\text{)»},\quad P(\mathcal D_T,
      \theta)\ \text{measured on the same set}
    Plainly: U is the target data set without its labels, the one on which P is measured: L_SSA on U is L_SSA there.
    Assumes: λ_var = 1, λ_we = 10⁻³ | both sets of the same size, one to five samples
    Reading: the test set itself | Both sets are the same. | because: Sec. 3: «the target dataset is often unlabeled
      (denoted as U)», and P(D_T, θ) is measured on that same set
    Reading: another draw | Ours: two draws of the same size rank any two weights alike. | ours: Sec. 3 names one
      target data set, D_T in (1) and U in (2); a second draw for the test is printed nowhere
    Mutant: another draw without L_we | clients may be stable on one sample and not on the next
    Rests on: SSA-E02
    Verdict: It holds as printed, where one set serves both, and says no more than which set is meant; whether a lower
      L_SSA means a higher P there is SSA-E02. Sec. 3 calls the target data set of (1), on which P is measured, U when it
      is unlabelled, and B.2 evaluates «on the target dataset». So the weights are fitted to the
      very inputs that are scored (transductive, though without labels). A second draw for the test is printed nowhere
      and is ours: small sets can then rank weights in the opposite way; the gap closes with the number of samples.
      Only the size of the set is open. A run with the target set split in two halves would tell how much of the gain
      is due to seeing the test inputs.""",
    _same_ranks("one set", _NOTHING),
    readings={
        "another draw": _same_ranks("draws", _HALVES),
    },
    mutants={
        "another draw without L_we": _one_case("two draws, λ_we = 0", _HALVES, 0.0),
    },
)

CLAIMS: tuple[Claim, ...] = (O3, O4, O5, O6)
