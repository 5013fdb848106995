"""Algorithm 2: the ternary sparse compressor ST, and what error feedback makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.notation import NOTATION
from paper_checks.efl.settings import NO_TIES
from theory.messages.compression import TernarySparse, error_feedback
from validation import Case, Choice, Claim, Family, Instance, Signed, Size, Space, Uniform, units
from validation.world import World, all_of, at, case, definition, eq, le, mutant, reading

__all__ = ["CLAIMS", "UNTIED", "sparse_exact"]

off_ternary, n_kept, k_kept, mu_sent, mean_kept, sent_off = NOTATION.symbols(
    "off_ternary n_kept k_kept mu_sent mean_kept sent_off"
)
error2, norm2, top2, residual, residual_cap, entries = NOTATION.symbols(
    "error2 norm2 top2 residual residual_cap entries"
)
Pair = tuple[Mapping[str, bool], Mapping[str, Any]]


def tensor(x: Instance, *, k: int, apart: bool) -> Mapping[str, Any]:
    """ST of a tensor: entries whose `like` is above 1/2 repeat the size of the first; `apart`: below 1/3, are 0."""
    t = x["entry"]
    t = np.where(x["like"] < 1 / 3, 0.0, t) if apart else np.where(x["like"] > 0.5, np.sign(t) * np.abs(t[:, :1]), t)
    n, size = t.shape[1], np.abs(t)
    sent = TernarySparse(k / n, rounding="round")(t)
    ranked = np.sort(size, axis=1)[:, ::-1]
    kept, top = size >= ranked[:, k - 1 : k], np.abs(sent).max(axis=1)
    norm2 = (t**2).sum(axis=1)
    untied = (ranked[:, k - 1] == 0) | (ranked[:, k - 1] > ranked[:, min(k, n - 1)]) | (k == n)
    return {
        "off_ternary": np.minimum(np.abs(sent), np.abs(np.abs(sent) - top[:, None])).max(axis=1),
        "n_kept": (sent != 0).sum(axis=1) + 0.0,
        "k_kept": np.full(len(t), float(k)),
        "mu_sent": top,
        "mean_kept": np.where(kept, size, 0.0).sum(axis=1) / np.where(ranked[:, k - 1] > 0, kept.sum(axis=1), k),
        "sent_off": np.abs(sent - t).max(axis=1),
        "error2": ((t - sent) ** 2).sum(axis=1),
        "norm2": norm2,
        "top2": ranked[:, :k].sum(axis=1) ** 2 / k,
        "admissible": untied if apart else np.ones(len(t), dtype=bool),
        "sizes": {
            **dict.fromkeys(("off_ternary", "sent_off"), size.max(axis=1)),
            **dict.fromkeys(("mu_sent", "mean_kept"), 10 * size.sum(axis=1)),
            "error2": 10 * norm2,
        },
    }


def sparse_exact(t: list[Any], k: int) -> list[Any]:
    """ST of Algorithm 2: all entries of at least the k-th largest size, each its sign times (sum of the kept sizes)/k."""
    edge = sorted((abs(v) for v in t), reverse=True)[k - 1]
    mean = sum(abs(v) for v in t if abs(v) >= edge) / Fraction(k)
    return [mean * ((v > 0) - (v < 0)) if abs(v) >= edge else Fraction(0) for v in t]


def tensor_exact(x: Mapping[str, Any], *, k: int, apart: bool) -> Pair:
    """ST of a tensor; `like` > 1/2: the size of the first entry; `apart`, `like` < 1/3: 0."""
    t = list(x["entry"])
    if apart:
        t = [Fraction(0) if u < Fraction(1, 3) else v for u, v in zip(x["like"], t, strict=True)]
    else:
        sizes = [abs(t[0]) if u > Fraction(1, 2) else abs(v) for u, v in zip(x["like"], t, strict=True)]
        t = [s * ((v > 0) - (v < 0)) for s, v in zip(sizes, t, strict=True)]
    sent, ranked, met = sparse_exact(t, k), sorted((abs(v) for v in t), reverse=True), {"1 <= k <= n": 1 <= k <= len(t)}
    if apart:
        untied = ranked[k - 1] == 0 or k == len(t) or ranked[k - 1] > ranked[k]
        met["the k-th largest size is 0 or above the next"] = untied
    top, mask = max(abs(v) for v in sent), [abs(v) for v in t if abs(v) >= ranked[k - 1]]
    return met, {
        "off_ternary": max(min(abs(v), abs(abs(v) - top)) for v in sent),
        "n_kept": Fraction(sum(1 for v in sent if v != 0)),
        "k_kept": Fraction(k),
        "mu_sent": top,
        "mean_kept": sum(mask) / (len(mask) if ranked[k - 1] > 0 else Fraction(k)),
        "sent_off": max(abs(a - b) for a, b in zip(sent, t, strict=True)),
        "error2": sum((a - b) ** 2 for a, b in zip(sent, t, strict=True)),
        "norm2": sum(v * v for v in t),
        "top2": sum(ranked[:k]) ** 2 / k,
    }


def _tensors(*, apart: bool = False) -> World:
    """Tensors of 2 to 300 entries, k up to 30; `apart`: no two of equal positive size meet at the k-th place."""

    def at(n: float, k: float) -> Case:
        size, kept = max(int(n), int(k)), int(k)
        space = Space((Signed("entry", 1e-2, 1e2, (size,)), Uniform("like", 0.0, 1.0, (size,), at=(0.0, 1.0))))
        name, cost = f"tensors, n = {int(n)}, k = {kept}" + (", apart" * apart), min(4.0, max(1.0, n * k / 300))
        same, uses = (units({"entry": (0, 1)}),), (sparse_exact,)
        return case(name, space, tensor, tensor_exact, uses=uses, cost=cost, symmetries=same, k=kept, apart=apart)

    return World(NOTATION, (Family("tensors", (Size("n", 2, 300, 4), Size("k", 1, 30, 2)), at),))


UNTIED = _tensors(apart=True)


def fed(x: Instance, *, ties: bool) -> Mapping[str, Any]:
    """‖R_T‖/max‖x‖ of a compressor that keeps the largest entry, k = 1; `ties`: all of equal size, as printed."""
    update = x["update"]
    if ties:
        update = np.where(x["alike"][:, None, None] > 0, update[:, :1, :1], update)
    n, left = update.shape[2], np.zeros_like(update[:, 0])
    for r in range(update.shape[1]):
        packed = TernarySparse(1 / n, rounding="round", ties="all" if ties else "exact")
        left, _ = error_feedback(left, update[:, r], packed)
    largest, rho, one = np.sqrt((update**2).sum(axis=2)).max(axis=1), np.sqrt(1 - 1 / n), np.ones(len(update))
    found = {"residual": np.sqrt((left**2).sum(axis=1)) / largest, "residual_cap": rho / (1 - rho) * one}
    return {**found, "entries": n * one, "admissible": largest > 0, "sizes": {"residual": n * one}}


def root_exact(value: Any) -> Fraction:
    """A square root, to about 60 bits."""
    scale = 2**120
    whole, low, high = int(value * scale), 0, int(value * scale) + 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle * middle <= whole else (low, middle - 1)
    return Fraction(low, 2**60)


def fed_exact(x: Mapping[str, Any], *, ties: bool) -> Pair:
    """R <- (R + x) - ST(R + x) with k = 1, the size of R after the last round over max|x|, and rho/(1 - rho)."""
    update = x["update"]
    if ties and x["alike"] > 0:
        update = [[update[0][0] for _ in row] for row in update]
    n = len(update[0])
    residual = [Fraction(0)] * n
    for row in update:
        whole = [r + u for r, u in zip(residual, row, strict=True)]
        top = max(abs(v) for v in whole)
        kept = [i for i in range(n) if abs(whole[i]) == top]
        kept = kept if ties else kept[:1]
        mean = top * len(kept)  # (sum of the kept sizes)/k, k = 1
        residual = [v - (mean * ((v > 0) - (v < 0)) if i in kept else 0) for i, v in enumerate(whole)]
    largest = root_exact(max(sum(u * u for u in row) for row in update))
    rho = root_exact(1 - Fraction(1, n))
    left = root_exact(sum(r * r for r in residual)) / largest if largest > 0 else Fraction(0)
    found = {"residual": left, "residual_cap": rho / (1 - rho)}
    return {"some update is not 0": largest > 0}, {**found, "entries": Fraction(n)}


def _fed(*, ties: bool = False) -> World:
    def at(T: float, n: float) -> Case:
        rounds, size = int(T), int(n)
        alike = (Choice("alike", (0.0, 1.0)),) if ties else ()
        space = Space((Signed("update", 1e-1, 1e1, (rounds, size)), *alike))
        name, cost = f"error feedback, k = 1, T = {rounds}, n = {size}", min(4.0, max(1.0, rounds * size / 60))
        same, uses = (units({"update": (0, 1)}),), (root_exact,)
        return case(name, space, fed, fed_exact, uses=uses, cost=cost, symmetries=same, ties=ties)

    return World(NOTATION, (Family("error feedback, k = 1", (Size("T", 1, 50, 8), Size("n", 2, 10, 4)), at),))


_BOUNDED = le(residual, residual_cap)
ALG2 = definition(
    "EFL-ALG2",
    "Algorithm 2, Sec. 3.1",
    "The ternary sparse compressor",
    printed=r"""k=\max(nq,1),\ e=\mathrm{top}_k(|T|),\ T^{mask}=[|T|\ge e]\,T,\ \mu=\tfrac1k\sum_i|T_i^{mask}|,\ ST(T)=
        \mu\,\mathrm{sign}(T^{mask})\in\{-\mu,0,\mu\}^n""",
    plainly="""ST «quantizes the top-k components … to the mean population magnitude»; the result is a ternary tensor
        with entries in {−μ, 0, μ}.""",
    assumes=["k = nq a whole number >= 1", "tensors of 2 to 300 entries, with entries of equal size among them"],
    says=le(off_ternary, 0),
    world=_tensors(),
    readings=[
        reading("ternary", "Values in {−μ, 0, μ}.", part="ternary"),
        reading(
            "k entries kept",
            "At most k nonzero entries.",
            le(n_kept, k_kept),
            part="the top k, quantised to their mean size",
            cuts={"ties": "entries of equal positive size at the k-th place"},
            met_by=NO_TIES,
        ),
        reading(
            "μ the mean size of what is kept",
            """«the mean population magnitude»: of the entries that the mask keeps; where the k-th size is 0, of the k
                largest, zeros among them.""",
            eq(mu_sent, mean_kept),
            part="the top k, quantised to their mean size",
            cuts={"ties": "entries of equal positive size at the k-th place"},
            met_by=NO_TIES,
        ),
        reading(
            "no larger error than sending nothing",
            "Stronger than the print: ‖T − ST(T)‖² <= ‖T‖².",
            le(error2, norm2),
            part="error",
            ours="the paper says nothing of the size of the error",
        ),
        reading(
            "residuals stay bounded under error feedback",
            "Stronger than the print: ‖R‖ <= ρ/(1 − ρ)·max‖x‖ with ρ² = 1 − 1/n, k = 1, ties kept as printed.",
            _BOUNDED,
            world=_fed(ties=True),
            part="residuals",
            ours="the paper says nothing of the size of the residuals",
        ),
        reading(
            "no ties but of zeros",
            """The k-th largest size is above the next, or 0: then fewer than k entries are not 0, and μ is the mean size
                of the k largest, zeros among them.""",
            all_of(le(mu_sent * n_kept, mu_sent * k_kept), le(abs(mu_sent - mean_kept), 0)),
            world=UNTIED,
            part="the top k, quantised to their mean size",
            because="the plain value of the cut: no two entries of the same positive size at the k-th place",
        ),
        reading(
            "no ties but of zeros: error",
            "‖T − ST(T)‖² = ‖T‖² − (Σ of the k largest sizes)²/k at most.",
            le(error2, norm2 - top2),
            world=UNTIED,
            part="error",
            conditions=["no ties but of zeros"],
            ours="the paper says nothing of the size of the error",
        ),
        reading(
            "of tied entries the first: residuals",
            "Exactly k entries kept, k = 1: the residual's bound.",
            _BOUNDED,
            world=_fed(),
            part="residuals",
            edits=["exactly k entries kept, of tied ones the first"],
        ),
    ],
    mutants=[
        mutant(
            "unbiased, ST(T) = T",
            le(sent_off, 0),
            "entries that are cut off are lost, and none is random",
            at(entry=[0, 0, -1, 0], like=[0, 0, 1, 0]),
            world=UNTIED,
        ),
        mutant(
            "half of ‖T‖² always kept",
            le(error2, norm2 / 2),
            "k = 1 of four nearly equal entries keeps a quarter",
            world=UNTIED,
        ),
        mutant(
            "residual at most max‖x‖/n",
            le(residual, 1 / entries),
            "one round on four equal entries leaves √3/2 of ‖x‖, which exceeds a quarter",
            world=_fed(),
        ),
    ],
    tight="k entries of one size, the others 0: no error",
    verdict="""ST is always ternary, and it quantises the top k entries to their mean size if no two entries of equal
        positive size meet at the k-th place, which is not said. Real-valued updates, as those of VGG11 on CIFAR100
        (Table 4), meet this. With such ties the mask keeps more than k entries while μ divides by k, so each is sent
        too large; exactly k kept entries, by any rule, cure it. For example T = (1, 1) with k = 1: both entries are
        kept, and each is sent as 2. Ties of zeros add no entry: with fewer than k nonzero entries only these are sent,
        and the zeros count in their mean. Stronger than the print, which says nothing of the error: without ties it is
        ‖T‖² − (Σ kept)²/k, a contraction, and residuals stay bounded. On a constant tensor with n > 2k sending is worse
        than not sending, and under error feedback the residual grows like (n/k − 1)ᵗ.""",
)

CLAIMS: tuple[Claim, ...] = (ALG2,)
