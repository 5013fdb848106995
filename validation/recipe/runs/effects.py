"""`python -m validation.recipe.runs.effects PLAN --data-root DATA`: runs what a plan of effects lacks; prints it."""

from __future__ import annotations

import argparse
from pathlib import Path

from validation.recipe.effects import Effect, Plan, effects_of, hours_taken, read_plan, units_of
from validation.recipe.result import answered
from validation.recipe.runs.run_unit import play
from validation.recipe.shelf import Shelf, chosen

__all__ = ["main", "told"]


def told(plan: Plan, effects: list[Effect], hours: float) -> str:
    """The table as text."""
    lines = [f"{plan.shows}: {plan.hours_said:.2f} h said, {hours:.2f} h taken; {plan.says}"]
    for one in effects:
        mean = one.effect
        low, high = (float("nan") if end is None else end for end in (mean.low, mean.high))
        lines.append(
            f"  {one.of}, {one.measure}, {one.option}: {one.default:.4f} to {one.under:.4f}, {mean.value:+.4f}"
            f" [{low:+.4f}, {high:+.4f}] over {mean.n} seeds, p = {one.p:.2g}"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Run what is missing, then print the effects; without `--data-root` only what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", type=Path, help="a file of a paper's folder `effects`")
    parser.add_argument("--data-root", type=Path, help="folder with the files of data sets")
    parser.add_argument("--work", type=Path, default=Path("fedverdict-work"), help="folder of unfinished runs")
    asked = parser.parse_args(arguments)
    plan = read_plan(asked.plan)
    ((shelf, recipe),) = chosen([plan.recipe])
    if asked.data_root is not None:
        for unit in units_of(plan, recipe):
            if not answered(unit, shelf.read()):
                play(unit, shelf.results, asked.work, data_root=asked.data_root)
                print(unit.name, flush=True)
    _print(plan, shelf)


def _print(plan: Plan, shelf: Shelf) -> None:
    (recipe,) = (one for one in shelf.recipes() if one.id == plan.recipe)
    results = shelf.read()
    print(told(plan, effects_of(plan, recipe, results), hours_taken(plan, recipe, results)))


if __name__ == "__main__":
    main()
