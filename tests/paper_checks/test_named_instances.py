"""What authors name of single instances is true: mutants fall at theirs, sides are equal where a claim is tight."""

from __future__ import annotations

from validation.papers.named import named_instances
from validation.papers.papers import select


def test_every_instance_that_a_claim_names_shows_what_is_said_of_it() -> None:
    found = [named for _, claim in select([]) for named in named_instances(claim)]
    assert not [str(named) for named in found if not named.shown]
    assert sum(named.mutant is not None for named in found) >= 130
    assert sum(named.mutant is None for named in found) >= 10
