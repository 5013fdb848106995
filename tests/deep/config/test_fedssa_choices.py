"""What FedSSA leaves open is a setting: every choice that docs/fedssa.md names can be made, the first by default."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from deep import RunConfig
from deep.models import check_model
from theory import make_rule
from theory.rules.text import parse_value

ROWS = [
    line.split("|")[1:-1]
    for line in (Path(__file__).parents[3] / "docs" / "fedssa.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| SSA-O")
]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_all_ten_are_there() -> None:
    assert [row[0].strip() for row in ROWS] == [f"SSA-O{i}" for i in range(1, 11)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_every_choice_can_be_made_and_the_first_is_the_default(row: list[str]) -> None:
    made = [make_rule(text) for text in quoted(row[2])]
    first: dict[type, object] = {}
    for rule in made:
        first.setdefault(type(rule), rule)
    for rule in first.values():
        if type(rule).__name__ != "SSAWarm":  # has no rule inside by default
            assert rule == type(rule)()
    usual, met = RunConfig(), set()
    for text in quoted(row[3]):
        name, _, value = text.partition("=")
        if name not in {f.name for f in fields(RunConfig)}:
            continue  # a file or an option of the command
        given = parse_value(value)
        RunConfig(**{name: given})  # type: ignore[arg-type]
        if name == "model":
            check_model(str(given))
        elif name not in met:
            assert getattr(usual, name) == given
        met.add(name)
    assert made or met
