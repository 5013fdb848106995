from __future__ import annotations

import os
from importlib import import_module

import pytest
import torch

from tests.benchmarks.contestants import (
    CONTESTANTS,
    RIVALS,
    Round,
    absent,
    flat,
    load,
    module_of,
    names,
    plain_loop,
    prepare,
    skipped,
)
from tests.benchmarks.deep import LEAST, MODELS, STRONGEST, measure, race, table_of, tasks

SMALL = {"n_clients": 2, "n_samples": 11, "n_held": 3}


@pytest.mark.parametrize("model", MODELS)
def test_all_contestants_reach_the_same_models(model):
    task = Round(model, 4, **SMALL)
    expected = prepare("plain loop", task)()
    assert not torch.equal(expected[0], expected[1])
    for name in CONTESTANTS:
        if not skipped(name, task):
            run = prepare(name, task)
            for _ in range(2):  # a second round starts where the first one did
                # Three steps in float32, in other orders of summation.
                torch.testing.assert_close(run(), expected, rtol=1e-4, atol=1e-5, msg=name)


def test_a_module_holds_the_vector():
    task = Round("mlp", 4, **SMALL)
    module = module_of(task.model)
    load(module, task.start)
    assert torch.equal(flat(module), task.start)
    inputs = task.parts()[0][0]
    # The same products, perhaps in another order.
    torch.testing.assert_close(module(inputs), task.model.logits(task.start, inputs))


def test_a_table_compares_medians_with_the_plain_loop():
    seconds = {"plain loop": [(2.0, 4.0), (4.0, 4.0), (3.0, 9.0)], "ours, auto": [(1.5, 1.0)]}
    plain, ours = table_of(Round("mlp", 4, **SMALL), seconds)
    assert (plain["seconds"], plain["ratio_to_plain_loop"], plain["cpu_ratio_to_plain_loop"]) == (3.0, 1.0, 1.0)
    assert (ours["ratio_to_plain_loop"], ours["cpu_ratio_to_plain_loop"]) == (2.0, 4.0)
    assert ours["ratio_to_strongest"] is None  # it did not run
    plain, _ = table_of(Round("mlp", 4, **SMALL), {"plain loop": [(3.0, 4.0)], STRONGEST: [(1.5, 1.0)]})
    assert (plain["ratio_to_strongest"], plain["cpu_ratio_to_strongest"]) == (0.5, 0.25)
    assert ours["samples_per_s"] == 22 / 1.5


def test_who_sits_out_says_why():
    assert skipped("plain loop, channels-last", Round("mlp", 4)) == "no convolutions"
    assert skipped("ours, dense", Round("robust-cnn-flattened", 4)) == "not a stack of linear layers"
    assert skipped("pfl", Round("mlp", 4, device="cuda")) == "run on the CPU only"
    assert skipped("ours, dense", Round("mlp", 4)) == ""


def test_who_is_not_installed_is_absent(monkeypatch):
    monkeypatch.setattr("tests.benchmarks.contestants.find_spec", lambda _: None)
    assert absent() == list(RIVALS)
    assert not {*names()} & {*RIVALS}


def test_quick_tasks_are_fewer_and_smaller():
    quick, full = tasks(True, "cpu"), tasks(False, "cpu")
    assert len(full) == 2 * len(quick) == 6
    assert max(t.n_samples for t in quick) < min(t.n_samples for t in full)


def test_when_the_time_is_over_no_turn_begins_and_who_had_none_is_named():
    class Link:
        def __init__(self):
            self.asked = []

        def send(self, task):
            self.asked.append(task)

        def recv(self):
            return 1.0, 1.0

    links = {"plain loop": Link(), "ours, auto": Link()}
    found, faults = measure(links, Round("mlp", 4, **SMALL), 0.0, deadline=0.0)
    assert (found, faults) == ({}, dict.fromkeys(links, "no time was left"))
    assert not any(link.asked for link in links.values())
    found, faults = measure(links, Round("mlp", 4, **SMALL), 0.0)
    assert (list(found), faults) == (list(links), {})


def test_a_contestant_that_cannot_be_imported_or_dies_costs_its_own_rows_only(monkeypatch):
    def broken(task):
        return import_module("nowhere_at_all")

    more = {"plain loop": plain_loop, "broken": broken, "dying": lambda task: os._exit(3)}
    monkeypatch.setattr("tests.benchmarks.contestants.CONTESTANTS", more)
    rounds = [Round("mlp", 4, **SMALL), Round("softmax-regression", 4, **SMALL)]
    (first, rows, faults), (second, later, none) = race(rounds, 0.0, 1, tuple(more))
    assert (first, second) == tuple(rounds)
    assert [row["what"] for row in rows + later] == ["plain loop"] * 2
    assert len(rows[0]["all_seconds"]) == LEAST
    assert faults == {
        "broken": "ModuleNotFoundError: No module named 'nowhere_at_all'",
        "dying": "its process ended",
    }
    assert none == {}
