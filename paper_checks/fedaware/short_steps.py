"""Runs and rounds whose server step is short: ηKL at most `longest`, as the step sizes of Theorem 4.1 have it (1/24)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.one_round import SEEING_USES, seeing, seeing_case, seeing_exact
from paper_checks.fedaware.runs_old import run, run_case, run_exact
from validation import Case, Choice, ExactCheck, Family, Instance, Size, Space

__all__ = ["asked", "short_runs", "short_seeing", "shortened"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def asked(case: Case, name: str, value: float) -> Case:
    """The same case whose instances know one number more."""
    return replace(case, space=Space((*case.space.coordinates, Choice(name, (value,)))))


def shortened(x: Instance) -> Instance:
    """The same instances, longer server steps cut to ηKL = `longest`; `first` is η_lLK."""
    return {**x, "server": np.minimum(x["server"], x["longest"] / x["first"])}


def _run(x: Instance) -> Mapping[str, Any]:
    return run(shortened(x))


def short_run_exact(x: Mapping[str, Any]) -> Exact:
    """A run with eta K L at most `longest`."""
    short = {**x, "server": min(x["server"], x["longest"] / x["first"])}
    met, found = run_exact(short)
    return {**met, "eta K L at most as asked": found["eta"] * found["K"] * found["L"] <= x["longest"]}, found


def short_runs(longest: float, *, convex: bool = False, noisy: bool = True, rows: int = 0) -> Family:
    """FedAvg, or one row of other weights, with ηKL <= `longest`."""

    def at(N: float, d: float, K: float, T: float) -> Case:
        case = run_case(
            N, d, K, T, convex=convex, noisy=noisy, rows=rows, measure=_run, exact=short_run_exact, uses=(run_exact,)
        )
        return asked(case, "longest", longest)

    sizes = (Size("N", 1, 300, 3), Size("d", 1, 8, 1), Size("K", 1, 300, 2), Size("T", 1, 200, 2, ladder=True))
    words = f"{'convex' if convex else 'smooth'} clients, {'additive noise' if noisy else 'no noise'}"
    return Family(f"{words}, ηKL <= {longest:g}", sizes, at)


def _seeing(x: Instance) -> Mapping[str, Any]:
    return seeing(shortened(x))


def short_seeing_exact(x: Mapping[str, Any]) -> Exact:
    """One round from a fixed model with eta K L at most `longest`."""
    met, found = seeing_exact({**x, "server": min(x["server"], x["longest"] / x["first"])})
    return {**met, "eta K L at most as asked": found["eta"] * found["K"] * found["L"] <= x["longest"]}, found


def short_seeing(n_clients: int, rule: int, longest: float, unit: tuple[float, float] = (1.0, 1e3)) -> Case:
    """One round whose weights see the updates, with ηKL <= `longest`."""
    exact = ExactCheck(short_seeing_exact, (*SEEING_USES, seeing_exact))
    case = replace(seeing_case(n_clients, rule, unit=unit), measure=_seeing, exact=exact)
    return asked(case, "longest", longest)
