"""What a walk writes again without reading it is what it would write if it read it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from validation.fingerprint.fingerprints import fingerprint
from validation.fingerprint.meaning import Walk, meaning
from validation.fingerprint.passages import Passages
from validation.papers.papers import select


@dataclass(frozen=True)
class Leaf:
    """Holds anything."""

    held: Any
    more: tuple[Any, ...] = ()


@dataclass(eq=False)
class Open:
    """May hold itself, by a container."""

    held: list[Any] = field(default_factory=list)


def shared() -> tuple[Any, ...]:
    leaf = Leaf(3.5, ("a", b"b"))
    return leaf, [leaf, leaf], {"x": leaf}, leaf


def around_itself() -> tuple[Any, ...]:
    """The same values from outside of a circle, and from each of its places."""
    ring = Open()
    inner = Leaf(ring)
    ring.held += [inner, ring.held]
    return ring, inner, ring.held, inner, ring, Leaf(inner), [inner, [inner]]


def around_a_set() -> tuple[Any, ...]:
    """A list that a member of a set inside of it holds."""
    ring: list[Any] = []
    inner = Leaf(frozenset({Open(ring)}))
    ring.append(inner)
    return inner, inner, ring, inner


def functions() -> tuple[Any, ...]:
    def one(x: float) -> float:
        return x + 1

    holder = Leaf(one, (Leaf(abs), Leaf(Leaf)))
    return holder, holder, Leaf(holder), holder


def collections() -> tuple[Any, ...]:
    leaf = Leaf("in a set")
    both = Leaf(frozenset({leaf, Leaf(1)}), (leaf,))
    return both, both, {leaf}, both


def read(self: Passages, item: Any, tested: bool, booked: Any, read: Callable[[], None]) -> None:
    """Nothing is kept."""
    read()


@pytest.mark.parametrize(
    "values", [shared, around_itself, around_a_set, functions, collections], ids=lambda f: f.__name__
)
def test_values_have_the_digest_of_a_walk_that_reads_each_again(
    values: Callable[[], tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = values()
    kept = meaning(*made)
    monkeypatch.setattr(Passages, "of", read)
    assert kept == meaning(*made)


def test_a_file_counts_outside_of_tested_code_also_where_it_was_met_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data.csv").write_text("1")
    held = Leaf(tmp_path / "data.csv")

    def digest() -> str:
        walk = Walk()
        walk.value(Leaf)
        with walk.within("theory.base", "f"):
            walk.value(held)
            walk.value(held)
        return walk.digest(held, held)

    kept = digest()
    (tmp_path / "data.csv").write_text("2")
    assert digest() != kept
    changed = digest()
    monkeypatch.setattr(Passages, "of", read)
    assert digest() == changed


@pytest.mark.parametrize("claim_id", ["EFL-T1", "K1", "SSA-P08", "FA-T4.2"])
def test_a_claim_has_the_fingerprint_of_a_walk_that_reads_each_value_again(
    claim_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((paper, claim),) = select((claim_id,))
    kept = fingerprint(paper, claim)
    monkeypatch.setattr(Passages, "of", read)
    assert kept == fingerprint(paper, replace(claim))  # another object: the digest of the first is kept
