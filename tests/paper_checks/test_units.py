"""What a world observes scales as its paper's notation declares it, in other units of loss and length.

A quantity of wrong units that is compared with 0 would show nowhere else: 0 has any units.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest

from tests.paper_checks.test_claims import EVERYTHING, some_cases
from validation import Case, Inequality
from validation.statement.notation import Notation
from validation.world.world import _Measure

_DRAWN = 60
_SAME = 1e-6  # of the value, or of the scale that its rounding is measured against


def notations() -> Mapping[str, Notation]:
    """The letters of every paper that has some, by the start of its claims' identifiers."""
    return {claim.id.split("-")[0]: paper.notation for paper, claim in EVERYTHING if paper.notation.quantities}


NOTATIONS = notations()
LETTERS = sorted({claim.id.split("-")[0] for paper, claim in EVERYTHING if not paper.calibration})


@cache
def scaled_cases() -> dict[str, dict[str, Case]]:
    """By paper, cases of readings and mutants over worlds whose instances may change units: a mutant shows what a truth
    hides."""
    found: dict[str, dict[str, Case]] = {}
    for _, claim in EVERYTHING:
        letters = claim.id.split("-")[0]
        for item in (*claim.readings, *claim.mutants):
            if letters not in NOTATIONS or not isinstance(item.test, Inequality):
                continue
            for case in some_cases(item.test):
                if isinstance(case.measure, _Measure) and any(s.name == "units" for s in case.symmetries):
                    found.setdefault(letters, {})[f"{claim.id}/{item.name}/{case.name}"] = case
    return found


def wrongly_scaled(case: Case, notation: Notation, seed: int) -> list[str]:
    """Names of the observed quantities that another choice of units changes otherwise than declared."""
    assert isinstance(case.measure, _Measure)
    rng = np.random.default_rng(seed)
    units = next(s for s in case.symmetries if s.name == "units")
    drawn = case.space.decode(case.space.random(rng, _DRAWN))
    changed, (loss, length) = units.apply(drawn, rng)
    with np.errstate(all="ignore"):
        before, after = (dict(case.measure.observe(x)) for x in (drawn, changed))
    sizes = before.get("sizes", {})
    met = np.broadcast_to(np.asarray(before.get("admissible", True)), (_DRAWN,))
    wrong = []
    for name, value in before.items():
        degrees = notation.by_name[name].units if name in notation.by_name else None
        if degrees is None:
            continue
        one, other = (np.broadcast_to(np.asarray(v, dtype=np.float64), (_DRAWN,)) for v in (value, after[name]))
        back = other / (loss ** degrees[0] * length ** degrees[1])
        apart = np.abs(np.where(np.isfinite(one), one, 0.0) - np.where(np.isfinite(back), back, 0.0))
        scale = np.maximum(np.abs(one), np.broadcast_to(np.abs(sizes.get(name, 0.0)), (_DRAWN,)))
        scale = np.maximum(scale, np.abs(np.asarray(before.get("magnitude", 0.0))) * (name not in sizes))
        known = met & np.isfinite(one) & np.isfinite(back)
        # rounding of a quantity that is 0 up to it is of no units
        far = known & (apart > _SAME * scale) & (np.maximum(np.abs(back), np.abs(one)) > 1e-9 * scale)
        if np.mean(far) > 0.1:
            wrong.append(name)
    return wrong


def test_worlds_of_every_paper_may_change_units() -> None:
    assert sorted(scaled_cases()) == LETTERS


@pytest.mark.parametrize("letters", LETTERS)
def test_observed_quantities_scale_as_declared(letters: str) -> None:
    """Every quantity of the notation, whether the statement uses it or not."""
    cases = scaled_cases()[letters]
    assert len(cases) > 100
    wrong = {name: wrongly_scaled(case, NOTATIONS[letters], 1) for name, case in cases.items()}
    assert {name: names for name, names in wrong.items() if names} == {}
