"""A small recipe with two arms and two open choices, its shelf, and results as runs of it would leave them."""

from __future__ import annotations

from pathlib import Path

from validation.recipe.measure import Curves
from validation.recipe.result import Result, write_result
from validation.recipe.shelf import Shelf
from validation.recipe.unit import Unit, identity

TEXT = """
shows = "a table"
statements = [
  { claim = "X-1", measure = "final(test_accuracy)", arm = "FedAvg", above = ["Worse"] },
  { claim = "X-2", measure = "trend(update_diversity)", arm = "FedAvg", above = 0 },
]
series = ["test_accuracy", "update_diversity"]

[run]
dataset = "digits"
n_clients = 4
n_sampled = 2
n_rounds = 4
n_local_steps = 2
losses = "present"
floor = "zero"

[arms]
FedAvg = { rule = "proportional" }
Worse = { rule = "fed-worse" }

[open.rate]
why = "not printed"
grid = true
options = { "0.1" = { local_lr = 0.1 }, "0.01" = { local_lr = 0.01 } }

[open."of Worse"]
why = "k is not printed"
arms = ["Worse"]
options = { one = {}, two = { rule = "fed-worse(k=2)" } }

[[cells]]
table = "t"
measure = "final(test_accuracy)"
times = 100
"""
RATE = TEXT.replace('options = { one = {}, two = { rule = "fed-worse(k=2)" } }', "options = { one = {} }")
"""The same with nothing left open but the rate."""
CLOSED = RATE.replace(', "0.01" = { local_lr = 0.01 }', "")
"""The same with nothing left open."""
_GAP = 'times = 100\nclaimed = [["FedAvg", "Worse"]]\nsentence = "FedAvg is better"'
CLAIMED, CLAIMED_RATE = (text.replace("times = 100", _GAP) for text in (CLOSED, RATE))
"""The same two where the paper claims the difference that its table prints."""
TABLE = (
    "table,method,metric,value,ci95,unit\nt,FedAvg,accuracy,{0},{1},percent\n"
    "t,Worse,accuracy,{2},,percent\nt,Other,accuracy,1,,percent\n"
)


def shelf(tmp_path: Path, text: str = TEXT, table: str = TABLE.format("50.0", "", "50.0")) -> Shelf:
    (tmp_path / "recipes").mkdir(exist_ok=True)
    (tmp_path / "published").mkdir(exist_ok=True)
    (tmp_path / "recipes" / "t.toml").write_text(text, encoding="utf-8")
    (tmp_path / "published" / "t.csv").write_text(table, encoding="utf-8")
    return Shelf("x", tmp_path)


def made(unit: Unit, results: Path, values: dict[str, float | None], *, status: str = "completed") -> Result:
    """A result as a run would leave it, with these measures."""
    full = Curves({"test_accuracy": {1: 0.1, 2: 0.2}}, 2)
    result = Result(
        unit.recipe.id,
        unit.arm,
        dict(unit.choice),
        unit.seed,
        unit.scale,
        identity(unit),
        status,
        2,
        values,
        {},
        {},
        8.0,
        "",
    )
    write_result(results, unit, result, full)
    return result
