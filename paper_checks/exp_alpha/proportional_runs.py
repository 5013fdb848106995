"""Runs of Theorem 1 with proportional weights at every step: the instances of `theorem1_cases`, their weights replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.theorem1_cases import plane_exact, scalar_exact
from validation import Case, ExactCheck, Instance

__all__ = ["at_share", "shared_plane_exact", "shared_scalar_exact"]


def shared_scalar_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on one-dimensional clients, every round weighted by the data shares."""
    return scalar_exact({**x, "weights": [x["share"] for _ in x["weights"]]})


def shared_plane_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on two-dimensional clients, no noise, every round weighted by the data shares."""
    return plane_exact({**x, "weights": [x["share"] for _ in x["weights"]]})


def at_share(case: Case) -> Case:
    """A case of Theorem 1 with the data shares as weights of every round."""

    def measure(x: Instance) -> Mapping[str, Any]:
        return case.measure({**x, "weights": np.broadcast_to(x["share"][:, None, :], x["weights"].shape)})

    assert case.exact is not None
    line = case.name.startswith("1-D")
    function = shared_scalar_exact if line else shared_plane_exact
    exact = ExactCheck(function, (*case.exact.uses, scalar_exact if line else plane_exact))
    name = case.name.replace("weights fixed in advance", "proportional weights")
    return replace(case, name=name, measure=measure, exact=exact, cost=2.5 * case.cost)
