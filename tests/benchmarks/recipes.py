"""What recipes take: rounds that methods share, costs beside what was taken, hours whole and shared, the first line.

    python -m tests.benchmarks.recipes [--data-root DATA] [--only shared costs taken hours line] [--json FILE]

«shared»: the seven methods of R60 on the digits, all rounds of each by itself, and as recipes run them: CPU time,
rounds, and models and accuracies that must be the same bits. «costs»: of each kind of work with a committed result on a
CPU, the cost where every result of that work is left out, and where its quickest alone is, over the least seconds a
round that were taken. «taken»: `--units` of the recipes drawn from those whose rounds cost less than `--longest`
seconds, a few rounds of each in processor time on one thread beside their cost, in units of the recipe's median: the
queue takes a recipe at the pace that a timed step shows. «hours»: by recipe, each run whole, as costs were before; then
with shared rounds once and ends when all is known; then of methods that sentences speak of alone. «line»: seconds from
the call to the first line of `queue --dry-run`, the best of three.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import torch

from deep import run
from tests.benchmarks.targets import Table
from validation.recipe.recipe import Recipe
from validation.recipe.result import PROCESSOR, Result, answered
from validation.recipe.runs.cost import COSTS, Costs, Played, _work_of, read_costs, rounds_of, shared_once
from validation.recipe.runs.queue import _in_a_sentence, own_seeds
from validation.recipe.runs.run_unit import enough, result_of
from validation.recipe.shelf import shelves
from validation.recipe.unit import Unit, identity, seedless, settings_of, units

WITHIN = 1.5
SOON = 5.0  # seconds
_SMALL = {"dataset": "digits", "split": "fractions", "scaling": "none", "model": "mlp(hidden=[512])"}
_SMALL |= {"partition": "iid", "n_local_epochs": 40, "local_lr": 0.0015, "lr_decay": 1.0, "batch_size": 1}


def recipes() -> dict[str, Recipe]:
    return {recipe.id: recipe for shelf in shelves() for recipe in shelf.recipes()}


def results() -> dict[str, Result]:
    return {config: result for shelf in shelves() for config, result in shelf.read().items()}


def kept_rows() -> list[Played]:
    return [row for shelf in shelves() for row in read_costs(shelf.folder / "recipes" / COSTS)]


def small_r60() -> Recipe:
    """R60 with its methods, rounds and measure, on small data."""
    recipe = recipes()["robust_aggregation.r60"]
    return replace(recipe, run={**recipe.run, **_SMALL}, open=())


def shared(table: Table) -> None:
    """R60 whole, and with shared rounds and an early end."""
    recipe, begun = small_r60(), time.process_time()
    alone, n_alone = {}, 0
    for arm in recipe.arms:
        settings = settings_of(Unit(recipe, arm.name, 0))
        alone[arm.name] = run(settings.config, settings.rule)
        n_alone += len(alone[arm.name].history)
    whole, begun = time.process_time() - begun, time.process_time()
    played: list[object] = []
    with TemporaryDirectory() as folder:
        found = {
            arm.name: result_of(Unit(recipe, arm.name, 0), Path(folder), on_round=played.append)[0]
            for arm in recipe.arms
        }
        taken = time.process_time() - begun
        same = True
        for name, result in found.items():
            settings = settings_of(Unit(recipe, name, 0))
            out = Path(folder) / identity(Unit(recipe, name, 0))
            part = run(settings.config, settings.rule, out=out, until=lambda _: True)
            here = [record.test_accuracy for record in alone[name].history[: result.n_rounds]]
            same &= [record.test_accuracy for record in part.history] == here
            short = replace(settings.config, n_rounds=result.n_rounds)
            same &= torch.equal(part.model, run(short, settings.rule).model)
    rounds = n_alone / len(played)
    shown = f"{n_alone} rounds whole, {len(played)} shared: × {rounds:.1f} fewer; {whole:.1f} and {taken:.1f} CPU s"
    shown += f" (folders included); {'the same bits' if same else 'OTHER NUMBERS'}; {_where()}"
    table.add("R60's methods, a seed, on the digits", shown, "the same bits", same, rounds=rounds, cpu=[whole, taken])
    committed = [result for result in results().values() if result.recipe == recipe.id and not result.choice]
    took = [result.value("reached(test_accuracy, 0.6)") or result.n_rounds for result in committed]
    expected = 7 * 20 / (3 * median(took))
    shown = f"{median(took):g} rounds of {len(took)} committed runs at the default choices: × {expected:.1f} fewer"
    table.add("R60 as printed", shown, rounds=expected)


def costs(table: Table, data_root: Path) -> None:
    """Costs of what was taken, with that left out."""
    every, found, played = recipes(), results(), kept_rows()
    groups: dict[Any, list[tuple[str, Unit, float]]] = {}
    for config, result in found.items():
        row = rounds_of(result)
        if row is None or row.device != "cpu" or result.recipe not in every:
            continue
        try:
            unit = Unit(every[result.recipe], result.arm, 0, result.choice, result.scale)
        except ValueError:  # an arm or option that the recipe no longer has
            continue
        groups.setdefault(_work_of(unit), []).append((config, unit, row.seconds))

    def ratio(unit: Unit, least: float, without: set[str]) -> float | None:
        rest = {config: result for config, result in found.items() if config not in without}
        known = Costs(every.values(), rest, data_root, played=played)
        cost = known.without_timing(unit)
        return None if cost is None else cost.seconds / known.rounds(unit) / least

    unseen, seen = [], []
    for rows in groups.values():
        least = min(seconds for *_, seconds in rows)
        unseen.append(ratio(rows[0][1], least, {config for config, *_ in rows}))
        if len(rows) > 1:
            seen.append(ratio(rows[0][1], least, {min(rows, key=lambda one: one[2])[0]}))
    for what, ratios in (("all results of that work left out", unseen), ("its quickest left out", seen)):
        known = [value for value in ratios if value is not None]
        within = sum(1 / WITHIN <= value <= WITHIN for value in known)
        shown = f"{within} of {len(known)} within × {WITHIN}, median × {median(known):.2f}"
        table.add(f"cost of a round, {what}", shown, "all, of at least 30", within == len(known), ratios=ratios)


def taken(table: Table, data_root: Path, n: int, longest: float, draw: int) -> None:
    """Costs beside rounds that are played now."""
    every, found = recipes(), results()
    known = Costs(every.values(), found, data_root, played=kept_rows())
    works: dict[Any, Unit] = {}
    for recipe in every.values():
        for unit in () if recipe.owned else units(recipe, [0]):
            cost = known.without_timing(unit)
            if cost is not None and cost.seconds / known.rounds(unit) <= longest:
                works.setdefault(_work_of(unit), unit)
    drawn = random.Random(draw).sample([*works.values()], min(n, len(works)))
    ratios = {}
    for unit in drawn:
        config, cost = seedless(unit).config, known.without_timing(unit)
        rounds = config.evaluate_every + 2
        short = replace(unit, scale=min(1.0, rounds / config.n_rounds))
        with TemporaryDirectory() as folder:
            result, _ = result_of(short, Path(folder), data_root=data_root)
        worked = result.provenance.get(PROCESSOR)
        if worked is None or cost is None:
            continue
        ratios[f"{unit.recipe.id} {unit.name}"] = ratio = cost.seconds / known.rounds(unit) / worked
        print(f"  {unit.recipe.id} {unit.name}: {worked:.3g} s a round, cost × {ratio:.2f} ({cost.known})", flush=True)
    paces = {name: median(several.values()) for name, several in _by_recipe(ratios).items()}
    off = [ratio / paces[name] for name, several in _by_recipe(ratios).items() for ratio in several.values()]
    within = sum(1 / WITHIN <= ratio <= WITHIN for ratio in off)
    shown = f"{within} of {len(off)} within × {WITHIN} at their recipe's pace, "
    shown += ", ".join(f"{name} × {pace:.2f}" for name, pace in paces.items())
    table.add(
        "cost of rounds played now", f"{shown}; {_where()}", f"all of {n}", within == len(off) >= n, ratios=ratios
    )


def _by_recipe(ratios: Mapping[str, float]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name, ratio in ratios.items():
        found.setdefault(name.partition(" ")[0], {})[name] = ratio
    return found


def hours(table: Table, data_root: Path) -> None:
    """By recipe: (whole, shared and ended) of all that is missing, and of what sentences speak of."""
    every, found = recipes(), results()
    known = Costs(every.values(), found, data_root, played=kept_rows())
    sums = [0.0] * 4
    for recipe in every.values():
        missing = [] if recipe.owned else [u for u in units(recipe, own_seeds(recipe)) if not answered(u, found)]
        missing.sort(key=lambda unit: (not _in_a_sentence(unit), bool(unit.choice)))
        of_all = _two(known, missing)
        if of_all is None or not missing:
            table.add(recipe.id, f"{len(missing):5} runs, hours unknown" if missing else "nothing is missing")
            continue
        of_said = _two(known, [unit for unit in missing if _in_a_sentence(unit)]) or (0.0, 0.0)
        sums = [before + more for before, more in zip(sums, (*of_all, *of_said), strict=True)]
        _hours(table, recipe.id, len(missing), (*of_all, *of_said))
    _hours(table, "in sum", 0, sums)


def _two(known: Costs, missing: Sequence[Unit]) -> tuple[float, float] | None:
    """Hours of units each whole, and as they are run."""
    each = [(unit, known.of(unit)) for unit in missing]
    if any(cost is None for _, cost in each):
        return None
    whole = sum(c.seconds * _longer(known, unit) for unit, c in each if c is not None)
    return whole / 3600, sum(c.seconds for c in shared_once(known, each) if c is not None) / 3600


def _longer(known: Costs, unit: Unit) -> float:
    """All rounds of a unit over those that it is expected to take."""
    return 1.0 if enough(unit) is None else seedless(unit).config.n_rounds / known.rounds(unit)


def _hours(table: Table, name: str, runs: int, four: Sequence[float]) -> None:
    shown = f"{runs or '':>5} runs: {four[0]:9,.1f} h whole, {four[1]:9,.1f} h shared and ended;"
    shown += f" of sentences {four[2]:9,.1f} and {four[3]:9,.1f}"
    table.add(name, shown, runs=runs, hours=list(four))


def line(table: Table, data_root: Path) -> None:
    """Seconds to the first line of a dry run."""
    words = [sys.executable, "-m", "validation.cli", "queue", "--dry-run", "--data-root", str(data_root)]
    firsts = []
    for _ in range(3):
        begun = time.perf_counter()
        with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            assert process.stderr is not None
            process.stderr.readline()
            firsts.append(time.perf_counter() - begun)
            process.kill()
    shown = f"{min(firsts):.2f} s, at most {max(firsts):.2f}; {_where()}"
    table.add("first line of queue --dry-run", shown, f"≤ {SOON:g} s", max(firsts) <= SOON, seconds=firsts)


def _where() -> str:
    return f"{torch.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-root", type=Path, default=os.environ.get("FEDVERDICT_DATA"))
    parser.add_argument("--only", nargs="+", choices=["shared", "costs", "taken", "hours", "line"])
    parser.add_argument("--units", type=int, default=30)
    parser.add_argument("--draw", type=int, default=0, help="which units")
    parser.add_argument("--longest", type=float, default=8.0)
    parser.add_argument("--json")
    given = parser.parse_args()
    asked = given.only or ["shared", "costs", "taken", "hours", "line"]
    if given.data_root is None and {*asked} - {"shared"}:
        parser.error("--data-root: costs are known of data that are at hand")
    table = Table()
    torch.set_num_threads(1)
    parts: dict[str, Any] = {"costs": costs, "hours": hours, "line": line}
    parts |= {"taken": partial(taken, n=given.units, longest=given.longest, draw=given.draw)}
    for name in asked:
        shared(table) if name == "shared" else parts[name](table, given.data_root)
    table.write(given.json, load=os.getloadavg()[0])


if __name__ == "__main__":
    main()
