"""What EFL leaves open is a setting: every choice that docs/efl.md names can be made, the first by default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deep.partition import make_participation
from theory.algorithms import make_client
from theory.rules import make_rule

ROWS = [
    re.findall(r"`([^`]+)`", line.rpartition(" | ")[2])
    for line in (Path(__file__).parents[3] / "docs" / "efl.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| open")
]
MAKERS = {
    "compressed": make_client,
    "elastic": make_client,
    "departure": make_participation,
    "inactive": make_participation,
}


def made(text: str) -> object:
    return MAKERS.get(text.partition("(")[0], make_rule)(text)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_choice_can_be_made_and_differs_from_the_others(row: list[str]) -> None:
    assert len(row) >= 2
    found = [made(text) for text in row]
    assert all(one != other for i, one in enumerate(found) for other in found[:i])


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row[0].startswith(("compressed", "elastic", "efl"))], ids=lambda r: r[0]
)
def test_the_first_is_the_default(row: list[str]) -> None:
    base = {"compressed": "compressed", "elastic": "elastic(strength=0.1)", "efl": "efl"}[row[0].partition("(")[0]]
    if "down_fraction" in row[0]:
        base = "compressed(down_fraction=0.3)"
    assert made(row[0]) == made(base)
