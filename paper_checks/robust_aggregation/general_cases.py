"""The runs of Corollary 1 with positive shares and weights, and the extremes of κ = α/p among their constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.corollary1 import ends, run_end_exact
from paper_checks.robust_aggregation.corollary1_long import long_exact, long_runs, long_view
from paper_checks.robust_aggregation.rounds_cases import BY_P, EQ1, ROUND
from validation import (
    Case,
    ExactCheck,
    Family,
    Instance,
)

__all__ = ["long_kappa", "short_kappa"]


def _positive(x: Instance, equal: bool) -> dict[str, Any]:
    """Shares and weights mixed with a hundredth of equal ones, so that none is 0."""
    n = x["share"].shape[-1]
    p = (100 * x["share"] + 1 / n) / 101
    out = {**x, "share": np.full_like(p, 1 / n) if equal else p}
    return {**out, "weights": (100 * x["weights"] + 1 / n) / 101} if "weights" in x else out


def positive(x: Mapping[str, Any], equal: bool) -> dict[str, Any]:
    """Shares and weights mixed with a hundredth of equal ones; `equal`: the shares are equal."""
    n = len(x["share"])
    p = [Fraction(1, n)] * n if equal else [(100 * v + Fraction(1, n)) / 101 for v in x["share"]]
    out = {**x, "share": p}
    if "weights" in x:
        out["weights"] = [[(100 * v + Fraction(1, n)) / 101 for v in row] for row in x["weights"]]
    return out


def extremes(x: Mapping[str, Any], rows: Any) -> dict[str, Any]:
    """N, the smallest share, and the extremes of kappa over the given rounds' weights."""
    p = x["share"]
    kappas = [w / q for row in rows for w, q in zip(row, p, strict=True)]
    return {"pi": min(kappas), "Pi": max(kappas), "N": Fraction(len(p)), "least": min(p)}


def run_kappa_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A run with positive weights; every round's weights count but those after its end."""
    x = positive(x, False)
    met, found = run_end_exact(x)
    return met, {**found, **extremes(x, x["weights"][:-1])}


def run_kappa_equal_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with equal shares."""
    x = positive(x, True)
    met, found = run_end_exact(x)
    return met, {**found, **extremes(x, x["weights"][:-1])}


def long_kappa_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A long run of one step a round with positive weights; the weights of the rounds before T count."""
    x = positive(x, False)
    met, found = long_exact(x)
    until, T = int(x["turn"] * x["horizon"]), x["horizon"]
    rows = [x["weights"][i] for i in (0, 1) if (until > 0, until < T)[i]] if "weights" in x else [x["share"]]
    return met, {**found, **extremes(x, rows)}


def long_kappa_equal_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with equal shares."""
    x = positive(x, True)
    met, found = long_exact(x)
    until, T = int(x["turn"] * x["horizon"]), x["horizon"]
    rows = [x["weights"][i] for i in (0, 1) if (until > 0, until < T)[i]] if "weights" in x else [x["share"]]
    return met, {**found, **extremes(x, rows)}


def _extremes(x: Instance, rows: Any, used: Any) -> Mapping[str, Any]:
    kappa = rows / x["share"][:, None]
    low = np.where(used[..., None], kappa, np.inf).min(axis=(1, 2))
    high = np.where(used[..., None], kappa, -np.inf).max(axis=(1, 2))
    return {"pi": low, "Pi": high, "N": np.full_like(low, kappa.shape[-1]), "least": x["share"].min(axis=1)}


def _of_case(case: Case, equal: bool) -> Case:
    """A run of Corollary 1 with positive shares and weights, and κ's extremes among its constants."""
    assert case.exact is not None  # all runs have their exact check

    def measure(x: Instance) -> Mapping[str, Any]:
        y = _positive(x, equal)
        rows = y["weights"][:, :-1]
        return {**case.measure(y), **_extremes(y, rows, np.ones(rows.shape[:2], dtype=bool))}

    function = run_kappa_equal_exact if equal else run_kappa_exact
    check = ExactCheck(function, (*case.exact.uses, run_end_exact, positive, extremes))
    # A split client changes what the mixing adds, so only the other symmetries remain.
    same = tuple(s for s in case.symmetries if "split" not in s.name)
    return replace(case, measure=measure, exact=check, symmetries=same)


def short_kappa(equal: bool) -> tuple[Case | Family, ...]:
    """Runs of a few rounds with E >= 1 and weights fixed in advance, under three conventions; `equal`: pᵢ = 1/N."""
    out: list[Case | Family] = []
    for of in (EQ1, BY_P, ROUND):
        for item in ends(of, endless=False, most=100):
            if isinstance(item, Family):
                out.append(replace(item, at=lambda item=item, **sizes: _of_case(item.at(**sizes), equal)))
            elif "weights fixed" in item.name:
                out.append(_of_case(item, equal))
    return tuple(out)


def long_kappa(equal: bool, *, noisy: bool = False, most: int = 10_000) -> Family:
    """Runs of T rounds of one step, T to `most`; `noisy`: with noise and αᵢ = pᵢ; `equal`: pᵢ = 1/N."""

    def measure(x: Instance) -> Mapping[str, Any]:
        y = _positive(x, equal)
        found, T = long_view(y), y["horizon"]
        until = np.floor(y["turn"] * T)
        used = np.stack([until > 0, until < T], axis=1)
        rows = y["weights"] if "weights" in y else np.stack([y["share"]] * 2, axis=1)
        return {**found, **_extremes(y, rows, used)}

    function = long_kappa_equal_exact if equal else long_kappa_exact
    base = long_runs(0.0, False, noisy, most)

    def at(N: float, T: float) -> Case:
        case = base.at(N=N, T=T)
        assert case.exact is not None  # all runs have their exact check
        check = ExactCheck(function, (*case.exact.uses, long_exact, positive, extremes))
        same = tuple(s for s in case.symmetries if "split" not in s.name)
        return replace(case, measure=measure, exact=check, symmetries=same)

    return replace(base, at=at)
