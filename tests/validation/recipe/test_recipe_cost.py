"""What units take: from rounds of their kin, never by reading data; queues that learn from the first two rounds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

import deep.config.settings
from tests.validation.small_recipe import CLOSED, TEXT, made, shelf
from validation.cli import main
from validation.recipe.result import PROCESSOR, read_results
from validation.recipe.runs.cost import COSTS, Cost, Costs, Played, _kin, read_costs, rounds_of, write_costs
from validation.recipe.runs.queue import plan, work_off
from validation.recipe.runs.rehearsal import rehearse
from validation.recipe.runs.run_unit import result_of
from validation.recipe.runs.work import _model_flops, round_flops
from validation.recipe.shelf import chosen, shelves
from validation.recipe.unit import Unit, identity, settings_of, units

LONGER = """
[open.steps]
why = "not printed"
options = { "1" = {}, "7" = { n_local_steps = 14 } }
"""


def never(*_: Any, **__: Any) -> Any:
    raise AssertionError("a plan reads no data and times nothing")


def test_what_everything_takes_is_said_without_reading_data_or_timing_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Costs, "_timed", never)
    monkeypatch.setattr("deep.data.catalogue.read_parts", never)
    for folder in ("mnist", "fashion-mnist", "cifar-10-batches-py"):
        (tmp_path / folder).mkdir()
    said = CliRunner().invoke(
        main,
        [
            *["queue", "--dry-run", "--default-choices", "--seeds", "1", "--data-root"],
            str(tmp_path),
            "--work",
            str(tmp_path / "w"),
        ],
    )
    assert said.exit_code == 0, said.stderr
    for shelf_, recipe in chosen(()):
        done = shelf_.read()
        missing = any(u for u in units(recipe, [0], vary=()) if not any(r.recipe == recipe.id for r in done.values()))
        assert not missing or recipe.id in said.stderr
    unknown = set(re.findall(r"^(\S+): \d+ runs are missing, hours unknown", said.stderr, flags=re.MULTILINE))
    assert unknown == {"efl.shakespeare"}  # of plays no round was seen
    assert not (tmp_path / "w").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
def test_what_a_gpu_would_take_is_not_known_without_one_and_nothing_is_begun(tmp_path: Path) -> None:
    for folder in ("mnist", "fashion-mnist", "cifar-10-batches-py"):
        (tmp_path / folder).mkdir()
    words = ["queue", "exp_alpha", "--device", "cuda", "--data-root", str(tmp_path), "--work", str(tmp_path / "w")]
    said = CliRunner().invoke(main, [*words, "--dry-run"])
    assert said.exit_code == 0, said.stderr
    assert said.stderr.count("not available here") == 1
    assert "one step is timed" not in said.stderr
    assert "unknown" in said.stderr
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    assert "not available here" in refused.stderr
    assert not (tmp_path / "w").exists()


def test_kept_rounds_are_of_arms_that_recipes_have() -> None:
    known = {recipe.id: recipe for _, recipe in chosen(())}
    rows = [row for one in shelves() for row in read_costs(one.folder / "recipes" / COSTS)]
    assert rows
    for row in rows:
        assert round_flops(Unit(known[row.recipe], row.arm, 0, row.choice, row.scale))


def test_a_unit_costs_what_its_nearest_kin_took_scaled_to_its_own_work(tmp_path: Path) -> None:
    one = shelf(tmp_path, TEXT + LONGER)
    recipe = one.recipes()[0]
    default, longer = Unit(recipe, "FedAvg", 0), Unit(recipe, "FedAvg", 0, {"steps": "7"})
    other = Unit(recipe, "Worse", 0)
    costs = Costs([recipe], {}, None)
    costs.heard(Played("x.t", "Worse", 3.0, 2))
    ratio = {u.name: (round_flops(u) or 0) / (round_flops(other) or 1) for u in (default, longer)}
    assert costs.of(other) == Cost(12.0, "measured")
    assert costs.of(default) == Cost(pytest.approx(12.0 * ratio[default.name]), "scaled")
    costs.learn(made(default, one.results, {}))  # four seconds a round, of two
    assert costs.of(default) == Cost(16.0, "measured")
    assert costs.of(Unit(recipe, "FedAvg", 0, {"rate": "0.01"})) == Cost(16.0, "measured")
    assert costs.of(longer) == Cost(pytest.approx(16.0 * ratio[longer.name] / ratio[default.name]), "scaled")
    trained = 3 * (14 - 2) * 2 * 32  # forward passes of twelve more steps of two clients, three a step
    model = (round_flops(longer) or 0) - (round_flops(default) or 0)
    assert model == pytest.approx(trained * 2 * 64 * 10, rel=0.01)  # softmax regression on 64 numbers, ten classes


def test_a_plan_works_out_a_configuration_and_its_cost_once_for_all_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TEXT.replace("n_clients = 4", "n_clients = 5")  # words that no other test asks about
    assert text != TEXT
    one = shelf(tmp_path, text)
    pair = [(one, one.recipes()[0])]
    asked: list[object] = []
    resolved, weighed = deep.config.settings.resolve, Costs._of

    def resolve(*layers: Any) -> Any:
        asked.append("settings")
        return resolved(*layers)

    def weigh(costs: Costs, unit: Unit, n: int) -> Cost | None:
        asked.append("cost")
        return weighed(costs, unit, n)

    monkeypatch.setattr("deep.config.settings.resolve", resolve)
    monkeypatch.setattr(Costs, "_of", weigh)
    costs = Costs(one.recipes(), {}, None, played=[Played("x.t", "FedAvg", 3.0, 2)])
    planned = plan(pair, costs, range(5), vary=())
    assert len(planned) == 5 * len(pair[0][1].arms)
    assert asked.count("settings") == asked.count("cost") == len(pair[0][1].arms)
    assert len({identity(one.unit) for one in planned}) == len(planned)
    for p in planned:
        assert settings_of(p.unit).config.seed == p.unit.seed
    before = [p.cost for p in planned]
    costs.heard(Played("x.t", "FedAvg", 1.0, 2))
    assert all(p.cost != cost for p, cost in zip(plan(pair, costs, range(5), vary=()), before, strict=True))


def test_rounds_on_another_device_or_of_an_unknown_arm_say_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = shelf(tmp_path)
    told: list[str] = []
    costs = Costs(one.recipes(), {}, None, keep=tmp_path / COSTS, tell=told.append)
    costs.heard(Played("x.t", "FedAvg", 3.0, 2, device="cuda"))
    costs.heard(Played("x.t", "Nobody", 3.0, 2))
    costs.heard(Played("x.gone", "FedAvg", 3.0, 2))
    monkeypatch.setattr(Costs, "_timed", lambda *_: 5.0)
    unit = Unit(one.recipes()[0], "FedAvg", 0)
    assert costs.of(unit) == Cost(20.0, "timed")
    assert costs.of(unit) is not None
    assert len(told) == 1
    assert read_costs(tmp_path / COSTS) == (Played("x.t", "FedAvg", 5.0, 0),)
    again = Costs(one.recipes(), {}, None, played=read_costs(tmp_path / COSTS))
    monkeypatch.setattr(Costs, "_timed", never)
    found = again.of(unit)
    assert found is not None
    assert found.seconds == 20.0
    assert found.known != "measured"


def test_data_that_are_not_at_hand_have_no_cost(tmp_path: Path) -> None:
    one = shelf(tmp_path, TEXT.replace('"digits"', '"mnist"'))
    unit = Unit(one.recipes()[0], "FedAvg", 0)
    assert Costs(one.recipes(), {}, tmp_path, played=[Played("x.t", "FedAvg", 1.0, 2)]).of(unit) is None
    (tmp_path / "mnist").mkdir()
    assert Costs(one.recipes(), {}, tmp_path, played=[Played("x.t", "FedAvg", 1.0, 2)]).of(unit) is not None


def test_what_was_seen_before_is_taken_at_the_pace_of_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = shelf(tmp_path, TEXT + LONGER)
    recipe = one.recipes()[0]
    default, worse = Unit(recipe, "FedAvg", 0), Unit(recipe, "Worse", 0)
    longer = Unit(recipe, "FedAvg", 0, {"steps": "7"})
    told: list[str] = []
    costs = Costs(
        [recipe], {}, None, played=[Played("x.t", "FedAvg", 3.0, 9), Played("x.t", "Worse", 6.0, 9)], tell=told.append
    )
    monkeypatch.setattr(Costs, "_timed", lambda *_: 9.0)
    before = costs.of(longer)
    assert before is not None
    assert costs.look(default)
    assert not costs.look(worse)  # one recipe, one model
    assert any("3 times as long" in line for line in told)
    assert costs.of(default) == Cost(36.0, "measured")  # nine seconds a round, four rounds
    assert costs.of(worse) == Cost(72.0, "measured")
    assert costs.of(longer) == Cost(pytest.approx(3 * before.seconds), "scaled")
    costs.played(Played("x.t", "FedAvg", 1.5, 4))  # what the rounds took tells more than one step
    assert costs.of(default) == Cost(6.0, "measured")
    assert costs.of(worse) == Cost(12.0, "measured")


def test_a_step_says_nothing_of_what_servers_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = shelf(tmp_path)
    unit = Unit(one.recipes()[0], "FedAvg", 0)
    costs = Costs(one.recipes(), {}, None, played=[Played("x.t", "FedAvg", 100.0, 9)])
    monkeypatch.setattr(Costs, "_timed", lambda *_: 1.0)
    assert costs.look(unit)
    assert costs.of(unit) == Cost(100.0, "measured")  # a quarter of 400, not a hundredth


def test_what_was_timed_for_want_of_rounds_is_not_timed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = shelf(tmp_path)
    unit, other = (Unit(one.recipes()[0], arm, 0) for arm in ("FedAvg", "Worse"))
    costs = Costs(one.recipes(), {}, None)
    monkeypatch.setattr(Costs, "_timed", lambda *_: 5.0)
    assert costs.of(unit) == Cost(20.0, "timed")
    monkeypatch.setattr(Costs, "_timed", never)
    assert not costs.look(unit)
    assert not costs.look(other)


def test_a_long_unit_is_looked_at_before_it_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = shelf(tmp_path)
    pair = [(one, one.recipes()[0])]
    told: list[str] = []
    costs = Costs(one.recipes(), {}, None, played=[Played("x.t", arm, 25.0, 9) for arm in ("FedAvg", "Worse")])
    monkeypatch.setattr(Costs, "_timed", lambda *_: 50.0)
    assert list(work_off(pair, costs, [0], tmp_path / "work", budget=150.0, tell=told.append)) == []
    assert "the shortest takes 3.3 min" in told[-1]  # 100 s by what was seen, 200 today


def test_neither_short_units_nor_those_of_a_cluster_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = shelf(tmp_path)
    pair = [(one, one.recipes()[0])]
    monkeypatch.setattr(Costs, "_timed", never)
    arms = ("FedAvg", "Worse")
    short = Costs(one.recipes(), {}, None, played=[Played("x.t", arm, 14.0, 9) for arm in arms])
    assert next(iter(work_off(pair, short, [0], tmp_path / "short", budget=600.0)))
    long = Costs(one.recipes(), {}, None, played=[Played("x.t", arm, 25.0, 9) for arm in arms])
    begun = work_off(pair, long, [1], tmp_path / "long", budget=600.0, workers=Elsewhere())
    assert next(iter(begun))


class Elsewhere:
    """One worker of somewhere else, who does at once what is asked."""

    here = False

    def room(self) -> int:
        return 1

    def submit(self, call: Callable[..., Any], /, *words: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(call(*words))
        return done


def test_a_unit_whose_first_rounds_are_too_long_is_stopped_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "validation.recipe.runs.queue.monotonic", lambda: 0.0
    )  # a busy machine spends the budget itself
    one = shelf(tmp_path)
    pair = [(one, one.recipes()[0])]
    told: list[str] = []
    quick = [Played("x.t", arm, 1e-9, 2) for arm in ("FedAvg", "Worse")]
    costs = Costs(one.recipes(), {}, None, played=quick)
    few = {"arms": ["FedAvg"], "vary": (), "tell": told.append}
    assert list(work_off(pair, costs, [0], tmp_path / "work", budget=0.001, **few)) == []
    assert any("is stopped: a round takes" in line for line in told)
    (kept,) = read_costs(tmp_path / "work" / COSTS)
    assert (kept.arm, kept.rounds) == ("FedAvg", 2)
    assert kept.seconds > 1e-9
    kept_rounds = next((tmp_path / "work").glob("*/metrics.jsonl"))
    before = [json.loads(line) for line in kept_rounds.read_text().splitlines()]
    assert len(before) == 2
    (path,) = work_off(pair, costs, [0], tmp_path / "work", budget=600.0, **few)
    (result,) = read_results(one.results)
    assert path.name == "FedAvg--default--seed-0.json"
    assert result.n_rounds == settings_of(Unit(pair[0][1], "FedAvg", 0)).config.n_rounds == 4


def test_two_rounds_are_played_of_what_no_round_was_seen_of_and_kept_beside_the_recipe(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    pair = [(one, one.recipes()[0])]
    write_costs(tmp_path / COSTS, [Played("x.t", "FedAvg", 1e-3, 0)])
    costs = Costs(one.recipes(), {}, None, played=read_costs(tmp_path / COSTS))
    assert not list(rehearse(pair, costs, tmp_path / "work", budget=0.0))
    (row,) = rehearse(pair, costs, tmp_path / "work", budget=60.0)
    assert (row.arm, row.rounds, row.scale) == ("Worse", 2, 0.5)
    assert [r.arm for r in read_costs(tmp_path / "recipes" / COSTS)] == ["Worse"]
    assert not list(rehearse(pair, costs, tmp_path / "work", budget=60.0))
    cost = costs.of(Unit(pair[0][1], "Worse", 0))
    assert cost is not None
    assert cost.known == "measured"
    assert {p.unit.arm for p in plan(pair, costs, [0])} == {"FedAvg", "Worse"}
    assert not list(one.results.glob("*/*.json"))


@pytest.mark.parametrize(
    "content", ["[", "{}", '[{"arm": "A"}]', '[{"recipe": "r", "arm": "A", "seconds": -1, "rounds": 2}]']
)
def test_damaged_costs_are_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / COSTS).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=COSTS):
        read_costs(tmp_path / COSTS)


def test_clients_made_anew_count_their_own_samples_not_the_data_sets(tmp_path: Path) -> None:
    def flops(losses: str, size: int) -> float:
        text = TEXT.replace('dataset = "digits"', 'dataset = "cifar-10"\nsplit = "official"')
        text = text.replace("n_clients = 4\nn_sampled = 2", f'cohort = "imbalanced(n_clients=10, size={size})"')
        (recipe,) = shelf(tmp_path, text.replace('losses = "present"', f'losses = "{losses}"')).recipes()
        found = round_flops(Unit(recipe, "FedAvg", 0))
        assert found is not None
        return found

    per_sample = _model_flops("softmax-regression", "cifar-10")
    for size in (500, 1000):
        assert flops("present", size) - flops("none", size) == 10 * size * per_sample


def test_no_model_is_scaled_from_another(tmp_path: Path) -> None:
    (recipe,) = shelf(
        tmp_path, TEXT.replace('{ rule = "fed-worse" }', '{ rule = "fed-worse", model = "mlp" }')
    ).recipes()
    same = {*_kin(Unit(recipe, "FedAvg", 0))} & {*_kin(Unit(recipe, "FedAvg", 0, {"rate": "0.01"}))}
    assert len(same) == 6
    assert not {*_kin(Unit(recipe, "FedAvg", 0))} & {*_kin(Unit(recipe, "Worse", 0))}


_HYBRIDS = """Soft = { rule = "fed-soft-better(temperature=0.2)" }
SoftAvg = { rule = "fed-soft-better-avg(at_round=3)" }
SoftAvgSoft = { rule = "fed-soft-better-avg-soft-worse(at_round=3, then_at_round=5)" }
Uniform = { rule = "uniform" }
"""


def test_shared_rounds_cost_once_and_who_is_at_them_is_left_alone(tmp_path: Path) -> None:
    text = CLOSED.replace("n_rounds = 4", "n_rounds = 6").replace("Worse = {", _HYBRIDS + "Worse = {", 1)
    one = shelf(tmp_path, text)
    (recipe,) = one.recipes()
    costs = Costs([recipe], {}, None)
    for arm in recipe.arms:
        costs.heard(Played("x.t", arm.name, 10.0, 6))
    planned = {(p.unit.arm, p.unit.seed): p.cost for p in plan([(one, recipe)], costs, [0, 1], vary=())}
    costs_of: dict[str, list[float]] = {}
    for (arm, _), cost in planned.items():
        assert cost is not None
        costs_of.setdefault(arm, []).append(cost.seconds)
    whole, half = [60.0] * 2, [30.0] * 2
    alone = dict.fromkeys(("FedAvg", "Worse", "Soft", "Uniform"), whole)
    assert costs_of == alone | {"SoftAvg": half, "SoftAvgSoft": half}
    begun: list[str] = []
    few = {"arms": ["Soft", "SoftAvg", "Uniform"], "vary": ()}
    for path in work_off([(one, recipe)], costs, [0], tmp_path / "work", budget=600.0, workers=Two(begun), **few):
        assert path.exists()
    assert begun == ["Soft", "Uniform", "SoftAvg"]  # not the two that share rounds side by side


class Two:
    """Two workers, of whom each does what is asked at once, but is done when both are."""

    here = False

    def __init__(self, begun: list[str]) -> None:
        self.begun = begun

    def room(self) -> int:
        return 2

    def submit(self, call: Callable[..., Any], /, *words: Any) -> Future[Any]:
        self.begun.append(words[0].arm)
        done: Future[Any] = Future()
        done.set_result(call(*words))
        return done


def test_a_run_that_an_accuracy_ends_costs_the_rounds_that_it_took_before(tmp_path: Path) -> None:
    text = CLOSED[: CLOSED.index("statements")] + CLOSED[CLOSED.index("series") :]
    text = text.replace("final(test_accuracy)", "reached(test_accuracy, 0.6)")
    one = shelf(tmp_path, text)
    (recipe,) = one.recipes()
    costs = Costs([recipe], {}, None)
    costs.heard(Played("x.t", "FedAvg", 10.0, 2))
    unit, other = (Unit(recipe, arm, 0) for arm in ("FedAvg", "Worse"))
    assert (costs.rounds(unit), costs.of(unit)) == (4, Cost(40.0, "measured"))
    costs.learn(made(Unit(recipe, "FedAvg", 7), one.results, {"reached(test_accuracy, 0.6)": 2.0}))
    assert (costs.rounds(unit), costs.rounds(other)) == (2, 2)
    assert costs.of(unit) == Cost(8.0, "measured")  # four seconds a round, the least that was seen
    costs.learn(made(Unit(recipe, "Worse", 7), one.results, {"reached(test_accuracy, 0.6)": 3.0}))
    assert (costs.rounds(unit), costs.rounds(other)) == (2, 3)


def test_a_busy_machine_only_adds_so_the_least_counts(tmp_path: Path) -> None:
    (recipe,) = shelf(tmp_path).recipes()
    costs = Costs([recipe], {}, None)
    for seconds in (100.0, 2.0, 3.0):
        costs.heard(Played("x.t", "FedAvg", seconds, 4))
    assert costs.of(Unit(recipe, "FedAvg", 0)) == Cost(8.0, "measured")


def test_inner_steps_and_models_of_their_own_are_counted(tmp_path: Path) -> None:
    def flops(client: str) -> float:
        words = TEXT.replace("n_local_steps = 2", f'n_local_steps = 2\nclient = "{client}"')
        found = round_flops(Unit(shelf(tmp_path, words).recipes()[0], "FedAvg", 0))
        assert found is not None
        return found

    one, three = (flops(f"p-fed-me(lam=1, n_inner={n})") for n in (1, 3))
    assert three > one > flops("sgd")


def test_who_waits_for_others_work_is_known_by_the_processor(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    result, _ = result_of(Unit(recipe, "FedAvg", 0), tmp_path / "work")
    worked = result.provenance[PROCESSOR]
    assert worked > 0
    busy, quiet = (rounds_of(replace(result, seconds=seconds)) for seconds in (1e3, 1e-9))
    assert busy is not None
    assert quiet is not None
    assert busy.seconds == worked
    assert quiet.seconds == 1e-9 / 4
    again, _ = result_of(Unit(recipe, "FedAvg", 0), tmp_path / "work")
    assert PROCESSOR not in again.provenance  # nothing was played
    elsewhere = rounds_of(replace(result, seconds=8.0, provenance={**result.provenance, "device": "cuda"}))
    assert elsewhere is not None
    assert elsewhere.seconds == 2.0


def test_what_took_thrice_as_long_as_its_kin_was_seen_on_a_busy_machine(tmp_path: Path) -> None:
    (recipe,) = shelf(tmp_path, TEXT + LONGER).recipes()
    unit, longer = Unit(recipe, "FedAvg", 0), Unit(recipe, "FedAvg", 0, {"steps": "7"})
    ratio = (round_flops(unit) or 0) / (round_flops(longer) or 1)
    for times, known in ((2.9, "measured"), (3.1, "scaled")):
        costs = Costs([recipe], {}, None)
        costs.heard(Played("x.t", "FedAvg", 10.0, 4, {"steps": "7"}))
        costs.heard(Played("x.t", "FedAvg", times * 10.0 * ratio, 4))
        found = costs.of(unit)
        assert found is not None
        assert found.known == known
        assert found.seconds == pytest.approx(4 * 10.0 * ratio * (times if known == "measured" else 1))
