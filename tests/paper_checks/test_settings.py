"""What meets a missing condition is a setting of the paper, shown by an exact instance in the reading's own world."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from validation.papers.met import Met, met_by
from validation.papers.papers import load_papers
from validation.statement.claim import Claim, Paper
from validation.statement.roles import roles_of
from validation.statement.setting import alike, each, equal, falling, same_as, setting
from validation.world import reading

PAPERS = [paper for paper in load_papers() if not paper.calibration]


def shown(paper: Paper, *claims: Claim) -> list[Met]:
    return [
        met
        for claim in claims or paper.claims
        for met in met_by(claim, tuple(c for c in paper.claims if c.id != claim.id))
    ]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.key)
def test_every_setting_that_is_named_meets_the_condition(paper: Paper) -> None:
    found = shown(paper)
    assert [str(met) for met in found if met.instance is None] == []
    assert len(found) >= {"exp_alpha": 17, "fedssa": 12, "robust_aggregation": 15, "fedaware": 12, "efl": 10}.get(
        paper.key, 0
    )


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.key)
def test_what_meets_a_condition_is_no_phrase(paper: Paper) -> None:
    roles = [role for claim in paper.claims for role in roles_of(claim).readings]
    assert [role.name for role in roles if bool(role.met_by) != (role.setting is not None)] == []
    used = {id(role.setting): role.setting for role in roles if role.setting is not None}.values()
    assert len({one.name for one in used}) == len(used)
    assert all(one.quote for one in used)


def test_a_setting_that_breaks_the_condition_is_noticed() -> None:
    """300 local steps and curvatures alike: γ of A.9 is below E."""
    paper = next(p for p in PAPERS if p.key == "exp_alpha")
    claim = next(c for c in paper.claims if c.id == "EA-S2")
    roles = roles_of(claim)
    long = setting("300 local steps, all curvatures alike", quote="…", fixes={"E": each(300), "kappa": each(1)})
    rows = tuple(replace(r, setting=long) if r.setting is not None else r for r in roles.readings)
    (met,) = shown(paper, replace(claim, roles=replace(roles, readings=rows)))
    assert met.instance is None


def test_fixes_are_exact_and_leave_the_rest_as_drawn() -> None:
    drawn = {"share": [Fraction(1, 3), Fraction(2, 3)], "weights": [[Fraction(1), Fraction(0)]] * 2, "x": Fraction(5)}
    fedavg = setting("FedAvg", quote="…", fixes={"weights": same_as("share"), "sees": each(0)})
    assert fedavg.imposed(drawn) == drawn | {"weights": [drawn["share"]] * 2}
    assert setting("steps", quote="…", fixes={"E": each(3)}).imposed(drawn) is None
    assert same_as("p", needed=True)([1], drawn) is None
    assert equal([[1, 2], [3, 4]], {}) == [[Fraction(1, 2)] * 2] * 2
    assert alike([[1], [2]], {}) == [[1], [1]]
    assert falling([0, 0, 0], {}) == [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)]


def test_a_text_is_no_setting() -> None:
    with pytest.raises(TypeError, match=r"met_by is 'Table 1'; expected a setting\(…\)"):
        reading("small", "…", conditions=["x <= 1"], met_by="Table 1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a name, and the paper's own line"):
        setting("FedAvg", quote="")
