from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from deep import RunConfig


def test_defaults_are_valid_and_frozen():
    config = RunConfig()
    with pytest.raises(FrozenInstanceError):
        config.seed = 1


NATURAL = ("seed", "n_local_steps", "n_local_epochs", "n_target_samples", "lr_restart")


@pytest.mark.parametrize(
    "name",
    [f.name for f in fields(RunConfig) if f.type == "int" and f.name not in NATURAL and not f.name.endswith("_seed")],
)
@pytest.mark.parametrize("value", [0, -1, 2.0, True, "3"])
def test_counts_are_integers_of_at_least_one(name, value):
    with pytest.raises(ValueError, match=rf"RunConfig\({name}={value!r}\): must be an integer >= 1"):
        RunConfig(**{name: value})


@pytest.mark.parametrize("name", ["local_lr", "lr_decay", "server_lr"])
@pytest.mark.parametrize("value", [0.0, -0.1, float("nan"), float("inf"), True, "0.1", None])
def test_rates_are_finite_and_positive(name, value):
    with pytest.raises(ValueError, match=rf"RunConfig\({name}={value!r}\): must be a finite number > 0"):
        RunConfig(**{name: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, r"seed=-1\): must be an integer >= 0"),
        ({"n_local_steps": 1.0}, r"n_local_steps=1.0\): must be an integer >= 0"),
        ({"n_local_epochs": -1}, r"n_local_epochs=-1\): must be an integer >= 0"),
        ({"n_local_epochs": 1}, r"n_local_steps=10, n_local_epochs=1\): one of them must be >= 1 and the other 0"),
        ({"n_local_steps": 0}, r"n_local_steps=0, n_local_epochs=0\): one of them must be >= 1 and the other 0"),
        ({"lr_decay": 1e9}, r"lr_decay=1000000000.0, n_rounds=30\): the rate reaches 1e260; expected one that float32"),
        ({"local_lr": 1e39}, r"local_lr=1e\+39, .*the rate reaches 1e39"),
        ({"lr_decay": 1e-2}, r"n_rounds=30\): the rate reaches 1e-59; expected one that float32"),
        ({"cohort": None}, r"cohort=None\): must be text"),
        ({"target": 3}, r"target=3\): must be text"),
        ({"cohort": "imbalance"}, "unknown cohort source 'imbalance'; nearest: imbalanced"),
        ({"target": "expo"}, "unknown target 'expo'; nearest: exponential"),
        ({"losses": "some"}, r"losses='some'\): must be one of auto, all, present, none"),
        ({"buffers": "own"}, r"buffers='own'\): must be one of averaged, local"),
        ({"trainer": "fast"}, r"trainer='fast'\): must be one of auto, in-turn, together"),
        ({"n_sampled": 11}, "must be <= n_clients=10"),
        ({"partition": "dirichlet(beta=1e7)"}, "1e"),
        ({"partition": "dirichlett"}, "nearest: dirichlet"),
        ({"split": "offical"}, "unknown split 'offical'; nearest: official"),
        ({"dataset": "digit"}, "unknown dataset 'digit'; nearest: digits"),
        ({"model": "cnn"}, "unknown model 'cnn'; nearest:"),
    ],
)
def test_other_errors_name_the_field(change, message):
    with pytest.raises(ValueError, match=message):
        RunConfig(**change)
