"""Runs for Corollary 1 that a client leads whom F hardly counts: ρ̄ as large as one likes, or ρ̃ < ρ̄."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.corollary1_long import LONG, long_exact, long_view
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    Integer,
    LogScale,
    Signed,
    Size,
    Space,
)

__all__ = ["QUIET_FOR_LONG", "hardly_counted", "quiet_at_best", "quiet_exact"]


def _hardly_counted(x: Instance) -> dict[str, Any]:
    """The coordinates of the run of `hardly_counted_exact`."""
    one, zero, near, tiny = np.ones_like(x["near"]), np.zeros_like(x["near"]), x["near"], x["tiny"]
    rows = {"spectrum": (one, one, x["curved"]), "optimum": (-near, near, x["far"])}
    rows["share"] = ((1 - tiny) / 2, (1 - tiny) / 2, tiny)
    fixed = {name: np.stack(row, axis=1) for name, row in rows.items()}
    last = np.stack([zero, zero, one], axis=1)
    given = {name: x[name] for name in ("aim", "loose", "horizon", "ahead")}
    return {**fixed, **given, "weights": np.stack([last, last], axis=1), "turn": zero, "ball": one}


def hardly_counted_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients nearly alike hold almost all data, a third one gets all weight."""
    zero, one, tiny = Fraction(0), Fraction(1), x["tiny"]
    given: dict[str, Any] = {name: x[name] for name in ("aim", "loose", "horizon", "ahead")}
    given |= {"spectrum": [one, one, x["curved"]], "optimum": [-x["near"], x["near"], x["far"]]}
    given |= {"share": [(1 - tiny) / 2, (1 - tiny) / 2, tiny], "weights": [[zero, zero, one], [zero, zero, one]]}
    return long_exact({**given, "turn": zero, "ball": one})


def hardly_counted(ahead: float, least: float = 2.0) -> Family:
    """Runs led by a client that F hardly counts; `ahead` and `least` as in `long_runs`."""

    def at(T: float) -> Case:
        space = Space(
            (
                Signed("near", 1e-4, 1e2),
                Signed("far", 1e-3, 1e2),
                Signed("aim", 1e-3, 1e2),
                LogScale("curved", 1.0, 1e2, at=(1.0, 10.0)),
                LogScale("loose", 1.0, 1e3, at=(1.0, 1e3)),
                LogScale("tiny", 1e-9, 1e-1, at=(1e-9, 1e-6, 1e-3)),
                Choice("horizon", (float(T),)),
                Choice("ahead", (ahead,)),
            )
        )
        return Case(
            f"all weight on a client that F hardly counts, T = {int(T)}",
            space,
            lambda x: long_view(_hardly_counted(x)),
            ExactCheck(hardly_counted_exact, (*LONG, long_exact)),
            cost=max(least, T / 50),
        )

    return Family("all weight on a client that F hardly counts", (Size("T", 1, 100, 1),), at)


def _quiet(x: Instance) -> dict[str, Any]:
    """The coordinates of `hardly_counted` for `quiet_exact`."""
    given = {name: x[name] for name in ("aim", "loose", "horizon", "ahead", "curved", "tiny")}
    return {**given, "near": x["wide"] * x["aim"], "far": -x["beside"] * x["aim"]}


def quiet_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The client with all weight has its optimum just beyond w*, the start lies on the other side."""
    given = {name: x[name] for name in ("aim", "loose", "horizon", "ahead", "curved", "tiny")}
    return hardly_counted_exact({**given, "near": x["wide"] * x["aim"], "far": -x["beside"] * x["aim"]})


def quiet_at_best(ahead: float, T: int) -> Case:
    """A client that F hardly counts leads, with a large loss along the run and a small one at w*: ρ̃ < ρ̄."""
    space = Space(
        (
            LogScale("aim", 1e-2, 1e2, at=(1.0,)),
            LogScale("wide", 0.5, 5.0, at=(1.0, 2.0)),
            LogScale("beside", 1e-3, 1.0, at=(1e-3, 0.1)),
            LogScale("loose", 30.0, 1e6, at=(100.0, 1e6)),
            Choice("curved", (1.0,)),
            Choice("tiny", (1e-6,)),
            Choice("horizon", (float(T),)),
            Choice("ahead", (ahead,)),
        )
    )
    check = ExactCheck(quiet_exact, (*LONG, long_exact, hardly_counted_exact))
    return Case(
        f"ρ̃ < ρ̄, T = {T}", space, lambda x: long_view(_hardly_counted(_quiet(x))), check, cost=max(2.0, T / 200)
    )


def _for_long(x: Instance) -> Mapping[str, Any]:
    """`quiet_at_best` with closed forms: all curvatures 1, so 1 − 1/(t + 4L) telescopes and any T is in reach."""
    aim, near, L, T, tiny = x["aim"], x["wide"] * x["aim"], x["loose"], x["T"], 1e-6
    lead = -x["beside"] * aim
    best = tiny * lead
    start = best + aim
    end = lead + (start - lead) * (4 * L - 1) / (T + 4 * L - 1)

    def below(w: Any) -> Any:
        return (1 - tiny) * (w**2 + near**2) + tiny * (w - lead) ** 2

    # ρ(t, wₜ) rises and then falls with w on this side of the leader's optimum: its least value is at an end.
    skew = np.minimum((start - lead) ** 2 / below(start), (end - lead) ** 2 / below(end))
    far = np.maximum(np.maximum(aim, np.abs(end - best)), np.maximum(near + np.abs(best), best - lead))
    spread = np.maximum(near + np.abs(best), best - lead)
    one = np.ones_like(L)
    return {
        "lhs": (gap := (end - best) ** 2 / 2),
        "gap": gap,
        "D0": aim**2,
        "L": L,
        "mu": one,
        "tau": one,
        "T": T,
        "G2": (far + spread) ** 2,
        "sigma2": 0 * one,
        "Gamma": below(best) / 2,
        "rho": skew,
        "rho_best": (best - lead) ** 2 / below(best),
        "magnitude": L * far**2,
    }


def for_long_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """T steps 1/(t + 4L) towards the optimum of client 3, which has all weight and 1e-6 of the data; all curvatures 1."""
    L, T, tiny = x["loose"], x["T"], Fraction(1, 10**6)
    m, p = (
        [-x["wide"] * x["aim"], x["wide"] * x["aim"], -x["beside"] * x["aim"]],
        [(1 - tiny) / 2, (1 - tiny) / 2, tiny],
    )
    best = sum(q * c for q, c in zip(p, m, strict=True))
    start = best + x["aim"]
    end = m[2] + (start - m[2]) * (4 * L - 1) / (T + 4 * L - 1)
    # By the derivative of rho in w there is no minimum between the start and the end, both beyond m[2].
    skews = [(w - m[2]) ** 2 / sum(q * (w - c) ** 2 for q, c in zip(p, m, strict=True)) for w in (start, end, best)]
    far = max(abs(v - best) for v in [start, end, *m])
    met = {"T >= 1, whole, L >= 1": T >= 1 and int(T) == T and L >= 1, "w_0 and w_T beyond m_3": min(start, end) > m[2]}
    Gamma = sum(q * (best - c) ** 2 for q, c in zip(p, m, strict=True)) / 2
    G2 = max((far + abs(c - best)) ** 2 for c in m)
    found = {
        "D0": x["aim"] ** 2,
        "L": L,
        "mu": Fraction(1),
        "tau": Fraction(1),
        "T": T,
        "G2": G2,
        "sigma2": Fraction(0),
    }
    found |= {"Gamma": Gamma, "rho": min(skews[:2]), "rho_best": skews[2]}
    gap = (end - best) ** 2 / 2
    return met, {**found, "lhs": gap, "gap": gap}


QUIET_FOR_LONG = Case(
    "ρ̃ < ρ̄, any T",
    Space(
        (
            LogScale("aim", 1e-2, 1e2, at=(1.0,)),
            LogScale("wide", 0.5, 5.0, at=(1.0, 2.0)),
            LogScale("beside", 1e-6, 1.0, at=(1e-6, 1e-3, 0.1)),
            LogScale("loose", 1.0, 1e6, at=(1e3, 1e4, 1e6)),
            Integer("T", 1, 100_000_000, at=(1000, 10_000, 1_000_000, 100_000_000)),
        )
    ),
    _for_long,
    ExactCheck(for_long_exact),
    cost=2.0,
)
