"""EFL-ALG2: the ternary sparse compressor ST, and what error feedback makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from theory.compression import TernarySparse, error_feedback
from validation import Canary, Choice, Claim, Instance, Kind, Property, Reading, Signed, Size, Uniform, units
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS", "UNBIASED", "sparse_exact"]


def _tensor(n: int, k: int) -> Sequence[Coordinate]:
    """A tensor of n entries; those whose `like` is above 1/2 repeat the size of the first (`apart`: below 1/3, are 0)."""
    size = max(n, k)
    return (
        Signed("entry", 1e-2, 1e2, (size,)),
        Uniform("like", 0.0, 1.0, (size,), at=(0.0, 1.0)),
        Choice("kept", (float(k),)),
    )


def _entries(x: Instance) -> Any:
    t = x["entry"]
    if "apart" in x:
        return np.where(x["like"] < 1 / 3, 0.0, t)
    return np.where(x["like"] > 0.5, np.sign(t) * np.abs(t[:, :1]), t)


def _measure(x: Instance) -> Mapping[str, Any]:
    """By how much ST(T) misses: three values (`ternary`), k nonzeros (`count`), the kept mean (`mean`), ‖T − ST‖² <= ‖T‖²."""
    t, k = _entries(x), int(x["kept"][0])
    n, size = t.shape[1], np.abs(t)
    sent = TernarySparse(k / n, rounding="round")(t)
    norm, top = (t**2).sum(axis=1), np.abs(sent).max(axis=1)
    ranked = np.sort(size, axis=1)[:, ::-1]
    admissible = np.ones(len(t), dtype=bool)
    if "apart" in x:
        admissible = (ranked[:, k - 1] == 0) | (ranked[:, k - 1] > ranked[:, min(k, n - 1)]) | (k == n)
    if "ternary" in x:
        lhs = np.minimum(np.abs(sent), np.abs(np.abs(sent) - top[:, None])).max(axis=1)
        return {"lhs": lhs, "magnitude": size.max(axis=1), "admissible": admissible}
    if "count" in x:
        lhs = (sent != 0).sum(axis=1) - float(k)
        return {"lhs": lhs, "magnitude": np.zeros_like(lhs), "admissible": admissible}
    if "mean" in x:
        kept = size >= ranked[:, k - 1 : k]
        lhs = np.abs(top - np.where(kept, size, 0.0).sum(axis=1) / kept.sum(axis=1))
        return {"lhs": lhs, "magnitude": 10 * size.sum(axis=1), "admissible": admissible}
    if "unbiased" in x:
        return {"lhs": np.abs(sent - t).max(axis=1), "magnitude": size.max(axis=1), "admissible": admissible}
    better = ranked[:, :k].sum(axis=1) ** 2 / k if "exact" in x else 0.0
    if "half" in x:
        better = norm / 2
    return {"lhs": ((t - sent) ** 2).sum(axis=1) - norm + better, "magnitude": 10 * norm, "admissible": admissible}


def sparse_exact(t: list[Any], k: int) -> list[Any]:
    """ST of Algorithm 2: all entries of at least the k-th largest size, each its sign times (sum of the kept sizes)/k."""
    edge = sorted((abs(v) for v in t), reverse=True)[k - 1]
    mean = sum(abs(v) for v in t if abs(v) >= edge) / Fraction(k)
    return [mean * ((v > 0) - (v < 0)) if abs(v) >= edge else Fraction(0) for v in t]


def tensor_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """ST of a tensor against what is claimed of it; `like` > 1/2: the size of the first entry; `apart`, `like` < 1/3: 0."""
    t, k = list(x["entry"]), int(x["kept"])
    if "apart" not in x:
        sizes = [abs(t[0]) if u > Fraction(1, 2) else abs(v) for u, v in zip(x["like"], t, strict=True)]
        t = [s * ((v > 0) - (v < 0)) for s, v in zip(sizes, t, strict=True)]
    else:
        t = [Fraction(0) if u < Fraction(1, 3) else v for u, v in zip(x["like"], t, strict=True)]
    sent = sparse_exact(t, k)
    met = {"1 <= k <= n": 1 <= k <= len(t)}
    ranked = sorted((abs(v) for v in t), reverse=True)
    if "apart" in x:
        met["the k-th largest size is 0 or above the next"] = (
            ranked[k - 1] == 0 or k == len(t) or ranked[k - 1] > ranked[k]
        )
    top, kept = max(abs(v) for v in sent), [i for i, v in enumerate(sent) if v != 0]
    if "ternary" in x:
        return met, {"lhs": max(min(abs(v), abs(abs(v) - top)) for v in sent)}
    if "count" in x:
        return met, {"lhs": Fraction(len(kept) - k)}
    if "mean" in x:
        mask = [abs(v) for v in t if abs(v) >= ranked[k - 1]]
        return met, {"lhs": abs(top - sum(mask) / len(mask))}
    if "unbiased" in x:
        return met, {"lhs": max(abs(a - b) for a, b in zip(sent, t, strict=True))}
    norm = sum(v * v for v in t)
    better = sum(ranked[:k]) ** 2 / k if "exact" in x else Fraction(0)
    better = norm / 2 if "half" in x else better
    return met, {"lhs": sum((a - b) ** 2 for a, b in zip(sent, t, strict=True)) - norm + better}


def _st(*flags: str, degrees: tuple[int, int] = (0, 1)) -> Property:
    return drawn(
        "tensors" + "".join(f", {f}" for f in flags),
        _tensor,
        _measure,
        tensor_exact,
        sizes=(Size("n", 2, 300, 4), Size("k", 1, 30, 2)),
        uses=(sparse_exact,),
        flags=dict.fromkeys(flags, 1.0),
        same=(units({"entry": (0, 1)}),),
        degrees=degrees,
        per=300.0,
    )


UNBIASED = _st("unbiased", "apart")  # ST(T) = T, which a deterministic compressor would need to be unbiased


def _fed(T: int, n: int) -> Sequence[Coordinate]:
    return (Signed("update", 1e-1, 1e1, (T, n)), Choice("alike", (0.0, 1.0)))


def _residual(x: Instance) -> Mapping[str, Any]:
    """‖R_T‖ less the bound ρ max‖x‖/(1 − ρ), ρ² = 1 − 1/n, of a compressor that keeps the largest entry; k = 1."""
    update = x["update"]
    if "ties" in x:
        update = np.where(x["alike"][:, None, None] > 0, update[:, :1, :1], update)
    n = update.shape[2]
    residual, rho = np.zeros_like(update[:, 0]), np.sqrt(1 - 1 / n)
    for r in range(update.shape[1]):
        residual, _ = error_feedback(
            residual, update[:, r], TernarySparse(1 / n, rounding="round", ties="all" if "ties" in x else "exact")
        )
    largest = np.sqrt((update**2).sum(axis=2)).max(axis=1)
    size = np.sqrt((residual**2).sum(axis=1))
    cap = largest * (rho / (1 - rho) if "short" not in x else 1 / n)
    return {"lhs": (size - cap) / largest, "magnitude": np.ones_like(size) * n, "admissible": largest > 0}


def root_exact(value: Any) -> Fraction:
    """A square root, to about 60 bits."""
    scale = 2**120
    whole, low, high = int(value * scale), 0, int(value * scale) + 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle * middle <= whole else (low, middle - 1)
    return Fraction(low, 2**60)


def residual_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """R <- (R + x) - ST(R + x) with k = 1, the size of R after the last round less rho max|x|/(1 - rho), over max|x|."""
    update = x["update"]
    if "ties" in x and x["alike"] > 0:
        update = [[update[0][0] for _ in row] for row in update]
    n = len(update[0])
    residual = [Fraction(0)] * n
    for row in update:
        whole = [r + u for r, u in zip(residual, row, strict=True)]
        top = max(abs(v) for v in whole)
        kept = [i for i in range(n) if abs(whole[i]) == top]
        kept = kept if "ties" in x else kept[:1]
        mean = top * len(kept)  # (sum of the kept sizes)/k, k = 1
        residual = [v - (mean * ((v > 0) - (v < 0)) if i in kept else 0) for i, v in enumerate(whole)]
    largest = root_exact(max(sum(u * u for u in row) for row in update))
    rho = root_exact(1 - Fraction(1, n))
    cap = rho / (1 - rho) if "short" not in x else Fraction(1, n)
    met = {"some update is not 0": largest > 0}
    return met, {"lhs": root_exact(sum(r * r for r in residual)) / largest - cap if largest > 0 else Fraction(-1)}


def _feedback(*flags: str) -> Property:
    return drawn(
        "error feedback, k = 1" + "".join(f", {f}" for f in flags),
        _fed,
        _residual,
        residual_exact,
        sizes=(Size("T", 1, 50, 8), Size("n", 2, 10, 4)),
        uses=(root_exact,),
        flags=dict.fromkeys(flags, 1.0),
        same=(units({"update": (0, 1)}),),
        per=60.0,
    )


ALG2 = Claim(
    id="EFL-ALG2",
    kind=Kind.PROPERTY,
    source="Algorithm 2, Sec. 3.1",
    title="The ternary sparse compressor",
    statement=(
        r"k=\max(nq,1),\ e=\mathrm{top}_k(|T|),\ T^{mask}=[|T|\ge e]\,T,\ \mu=\tfrac1k\sum_i|T_i^{mask}|,\ "
        r"ST(T)=\mu\,\mathrm{sign}(T^{mask})\in\{-\mu,0,\mu\}^n"
    ),
    says=(
        "ST «quantizes the top-k components … to the mean population magnitude»; the result is a ternary tensor with "
        "entries in {−μ, 0, μ}."
    ),
    assumes=("k = nq a whole number >= 1", "tensors of 2 to 300 entries, with entries of equal size among them"),
    readings=(
        Reading("ternary", "Values in {−μ, 0, μ}.", _st("ternary")),
        Reading("k entries kept", "At most k nonzero entries.", _st("count", degrees=(0, 0))),
        Reading("μ the mean size of what is kept", "«the mean population magnitude».", _st("mean")),
        Reading(
            "no larger error than sending nothing",
            "Stronger than the print: ‖T − ST(T)‖² <= ‖T‖².",
            _st(degrees=(0, 2)),
        ),
        Reading(
            "residuals stay bounded under error feedback",
            "Stronger than the print: ‖R‖ <= ρ/(1 − ρ)·max‖x‖ with ρ² = 1 − 1/n, k = 1, ties kept as printed.",
            _feedback("ties"),
        ),
        Reading(
            "no ties but of zeros: k entries",
            "The k-th largest size is above the next, or 0: then fewer than k entries are not 0.",
            _st("count", "apart", degrees=(0, 0)),
            repair="condition",
        ),
        Reading(
            "no ties but of zeros: error",
            "‖T − ST(T)‖² = ‖T‖² − (Σ of the k largest sizes)²/k at most.",
            _st("apart", "exact", degrees=(0, 2)),
            repair="condition",
        ),
        Reading(
            "of tied entries the first: residuals",
            "Exactly k entries kept, k = 1: the residual's bound.",
            _feedback(),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "unbiased, ST(T) = T", _st("unbiased", "apart"), "entries that are cut off are lost, and none is random"
        ),
        Canary(
            "half of ‖T‖² always kept",
            _st("apart", "half", degrees=(0, 2)),
            "k = 1 of four nearly equal entries keeps a quarter",
        ),
        Canary(
            "residual at most max‖x‖/n",
            _feedback("short"),
            "one round on four equal entries leaves √3/2 of ‖x‖, which exceeds a quarter",
        ),
    ),
    tight="k entries of one size, the others 0: no error",
    verdict_words=(
        "ST is always ternary, and it quantises the top k entries to their mean size if no two entries of equal "
        "positive size meet at the k-th place, which is not said. Real-valued updates, as those of VGG11 on CIFAR100 "
        "(Table 4), meet this. With such ties the mask keeps more than k entries while μ divides by k, so each is "
        "sent too large; exactly k kept entries, by any rule, cure it. Zeros do no harm: with fewer than k nonzero "
        "entries only these are sent, with a μ that is rather too small. Stronger than the print, which says nothing "
        "of the error: without ties it is ‖T‖² − (Σ kept)²/k, a contraction, and residuals stay bounded. On a "
        "constant tensor with n > 2k sending is worse than not sending, and under error feedback the residual grows "
        "like (n/k − 1)ᵗ."
    ),
)

CLAIMS: tuple[Claim, ...] = (ALG2,)
