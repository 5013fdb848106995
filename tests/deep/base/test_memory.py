"""What no machine holds is refused in words, by the run and by its estimate alike, before it is tried."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from click.testing import CliRunner

from deep import RunConfig, run
from deep.base.memory import check_fits, memory_of
from deep.local import draw_batches
from deep.runs.estimate import estimate
from deep.task.setup import Setup
from theory import Proportional
from validation.cli import main

SHORT = RunConfig(n_rounds=1, n_local_steps=1)


def test_the_memory_of_this_machine_is_known() -> None:
    there = memory_of(torch.device("cpu"))
    assert there is None or there > 2**28
    check_fits("nothing", 0, torch.device("cpu"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "mlp(hidden=[1000000, 1000000])"}, r"drawing model 'mlp.*' of 1,000,076,000,010 parameters takes"),
        ({"model": "mlp(hidden=[9000000000000000000])"}, "drawing model .* takes .* GiB; cpu has"),
        ({"model": "mlp(hidden=3)"}, r"MLP\(hidden=3\): must be a list of integers"),
        ({"model": "mlp(hidden=[1.5])"}, r"MLP\(hidden\[0\]=1.5\): must be >= 1, an integer"),
        ({"n_local_steps": 10**30}, "draws 32,.* samples a round; expected at most 268,435,456"),
        ({"n_local_steps": 0, "n_local_epochs": 10**12}, "samples a round; expected at most"),
        ({"n_clients": 10**30}, "needs 8000000000000000000000000000000 samples, has 1258"),
        (
            {"cohort": "imbalanced(n_clients=100000000)"},
            "n_clients=100000000.: must be <= 1,000,000",
        ),
        ({"cohort": "composition(ratios=[1], counts=[100000000])"}, "100000000 clients, over 1,000,000"),
    ],
)
def test_absurd_settings_end_in_a_message(changes: dict[str, object], words: str) -> None:
    for attempt in (run, estimate):
        with pytest.raises(ValueError, match=words):
            attempt(replace(SHORT, **changes), Proportional())


def test_a_round_has_to_fit_and_not_the_model_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deep.base.memory.memory_of", lambda device: 100_000)  # the model of 650 parameters fits
    for attempt in (run, estimate):
        with pytest.raises(ValueError, match=r"'softmax-regression' of 650 parameters: a round takes 0.0 GiB; cpu has"):
            attempt(SHORT, Proportional())


def test_as_many_samples_as_memory_has_positions_for() -> None:
    with pytest.raises(ValueError, match="draws 268,435,488 samples a round"):
        draw_batches(Setup.of(replace(SHORT, n_local_steps=2**23 + 1)), 0, 3, 100)
    assert draw_batches(Setup.of(replace(SHORT, batch_size=10**18)), 0, 3, 100).index.shape == (1, 100)


@pytest.mark.parametrize("steps", ["1e30", "9" * 5000])
def test_the_command_line_ends_with_a_message_about_its_option(steps: str) -> None:
    result = CliRunner().invoke(main, ["run", "--rule", "proportional", "--local-steps", steps, "--dry-run"])
    assert result.exit_code == 2
    assert "--local-steps" in result.output


def test_a_dry_run_of_an_absurd_number_of_steps_ends_with_a_message() -> None:
    result = CliRunner().invoke(main, ["run", "--rule", "proportional", "--local-steps", str(10**30), "--dry-run"])
    assert result.exit_code == 2
    assert "samples a round; expected at most" in result.output
