"""`fedverdict run`, as a person would type it."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import asdict, field, make_dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import deep.config.settings
from deep import RunConfig
from deep.runs.pack import CARDS
from validation.cli import main
from validation.commands.runs.fleet import folder_name
from validation.commands.runs.run import COMMAND, RunCommand, option_name

SHORT = ("--rounds", "2", "--partition", "iid", "--local-steps", "2")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def printed(*arguments: str) -> dict[str, dict[str, object]]:
    result = run(*arguments, "--print-config")
    assert result.exit_code == 0, result.output
    return tomllib.loads(result.stdout)


def test_a_run_writes_its_configuration_and_resumes(tmp_path: Path) -> None:
    out = tmp_path / "r"
    arguments = ("--rule", "exp-alpha", "--set", "alpha=0.5", *SHORT, "--out", str(out))
    first = run(*arguments)
    assert first.exit_code == 0, first.output
    assert first.stdout.startswith("ExpAlpha: completed after 2 rounds, test accuracy 0.")
    assert first.stderr == ""
    assert not list(out.glob("*.draft"))
    assert run(*arguments).output == first.output
    # What lies in the folder starts the same run elsewhere.
    again = run("--config", str(out / "config.toml"), "--out", str(tmp_path / "s"))
    assert again.exit_code == 0
    assert (tmp_path / "s" / "config.toml").read_text() == (out / "config.toml").read_text()
    histories = [json.loads((tmp_path / name / "result.json").read_text())["history"] for name in "rs"]
    assert [r["loss_before"] for r in histories[0]] == [r["loss_before"] for r in histories[1]]
    config = (out / "config.toml").read_text()
    other = run("--rule", "proportional", *SHORT, "--out", str(out))
    assert other.exit_code == 2
    assert "belongs to another run" in other.output
    assert (out / "config.toml").read_text() == config


def test_every_field_has_its_option() -> None:
    values = {
        "dataset": "mnist",
        "model": "small-cnn",
        "partition": "iid",
        "participation": "stragglers(probability=0.5, of=bernoulli(probability=0.5))",
        "cohort": "population(n_clients=3, n_sampled=2)",
        "split": "official",
        "target": "uniform",
        "losses": "present",
        "trains": "weighted",
        "validation": "read",
        "floor": "best-seen",
        "buffers": "local",
        "trainer": "in-turn",
        "n_local_steps": 0,
        "lr_decay": 0.5,
        "local_lr": 0.25,
        "client": "fed-prox(mu=0.5)",
        "server": "fed-adam(lr=0.5)",
        "server_lr": 2.0,
        "momentum": 0.5,
        "nesterov": True,
        "optimizer": "adamw(weight_decay=0.5)",
        "l2": 0.25,
        "dtype": "float64",
        "compiled": True,
        "products": "full",  # others are of float32 runs
        "scaling": "channel",
        "augment": "crop",
        "client_test": 0.25,
        "target_source": "separate",
        "views": "views(crop=0.5)",
        "local_work": "drawn(most=3)",
    }
    wanted = {name: values.get(name, 3) for name in asdict(RunConfig())}
    options = [
        text
        for name, value in wanted.items()
        for text in ((option_name(name),) if value is True else (option_name(name), str(value)))
    ]
    assert printed("--rule", "uniform", *options) == {"run": wanted, "rule": {"name": "uniform"}}
    assert printed("--rule", "uniform")["run"] == asdict(RunConfig())
    assert printed("--rule", "uniform", "--products", "bf16")["run"] == {**asdict(RunConfig()), "products": "bf16"}
    text = run("--help").stdout
    for words in ("--local-epochs INTEGER", "--losses [auto|all|present|none]", "[default: digits]", "--dry-run"):
        assert words in text


def test_a_new_field_has_an_option_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    new = [("momentum", float, field(default=0.5)), ("nesterov", bool, field(default=False))]
    extended = make_dataclass("RunConfig", [*new, ("seed", int, field(default=0))])  # which every rule follows
    monkeypatch.setattr(deep.config.settings, "RunConfig", extended)
    monkeypatch.setattr("deep.config.config.RunConfig", extended)
    result = run("--rule", "uniform", "--momentum", "0.9", "--nesterov", "--print-config")
    assert tomllib.loads(result.stdout)["run"] == {"momentum": 0.9, "nesterov": True, "seed": 0}
    assert "[default: False]" in " ".join(run("--help").stdout.split())


def test_options_override_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        f'out = "{tmp_path / "r"}"\ndevice = "cpu"\n[run]\nn_rounds = 2\nseed = 3\npartition = "iid"\n'
        '[rule]\nname = "exp-alpha"\nalpha = 0.5\n'
    )
    found = printed("--config", str(path), "--seed", "4", "--set", "data_size=true", "--local-epochs", "2")
    assert found["rule"] == {"name": "exp-alpha", "alpha": 0.5, "data_size": True}
    keys = ("n_rounds", "seed", "n_local_steps", "n_local_epochs")
    assert [found["run"][key] for key in keys] == [2, 4, 0, 2]
    assert printed("--config", str(path), "--rule", "uniform")["rule"] == {"name": "uniform"}
    assert run("--config", str(path)).exit_code == 0  # with the file's folder
    assert (tmp_path / "r" / "result.json").is_file()


def test_a_run_says_which_models_its_scores_are_of(tmp_path: Path) -> None:
    out = tmp_path / "r"
    told = run("--rule", "proportional", "--client", "apfl", "--client-test", "0.2", *SHORT, "--out", str(out))
    assert told.exit_code == 0, told.output
    last = json.loads((out / "result.json").read_text())["history"][-1]
    held = [value for value in last["client_test_accuracy"] if value is not None]
    assert told.stdout.strip().endswith(
        " (for v̄ₖ = αvₖ + (1 − α)w: mean over the clients' models on the server's test samples,"
        f" {sum(held) / len(held):.3f} on their held-out samples;"
        f" the server's model {last['server_test_accuracy']:.3f}); metrics in {out}"
    )
    summary = json.loads((out / "summary.json").read_text())["summary"]
    assert summary["judged"] == "v̄ₖ = αvₖ + (1 − α)w"


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "r"
    for place in ((), ("--out", str(out))):
        result = run("--rule", "exp-alpha", *SHORT, *place, "--dry-run")
        assert result.exit_code == 0, result.output
        for words in ("1,258 training", "5 of 10 a round", "FLOPs", "memory", "≈", "on cpu"):
            assert words in result.stdout
    assert not out.exists()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rule", "exp-alfa"), "nearest: exp-alpha"),
        (("--rule", "exp-alpha", "--set", "alpha"), "expected NAME=VALUE"),
        (("--rule", "exp-alpha", "--set", "alpha=-1"), "must be finite and > 0"),
        ((), "no rule: name one"),
        (("--rule", "uniform", "--rounds", "0"), "must be an integer >= 1"),
        (("--rule", "uniform", "--sampled", "11"), "must be <= n_clients=10"),
        (("--rule", "uniform", "--local-epochs", "2", "--local-steps", "3"), "one of them must be >= 1"),
        (("--rule", "uniform", "--partition", "dirichlet(beta=1, min_size=900)"), "min_size=900"),
        (("--rule", "uniform", "--split", "official"), "official"),
        (("--rule", "exp-alpha", "--losses", "none"), "the rule reads loss_before"),
        (("--rule", "uniform", "--device", "tpu"), "expected 'cpu' or 'cuda'"),
        (("--rule", "uniform", "--model", "resnet-181"), "unknown model"),
        (("--rule", "uniform", "--losses", "some"), "'some' is not one of 'auto', 'all', 'present', 'none'"),
        (("--rule", "uniform", "--clients", "1.5"), "not a valid integer"),
    ],
)
def test_a_dry_run_refuses_what_the_run_refuses(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    out = ("--out", str(tmp_path / "r"))
    real, dry = run(*arguments, *out), run(*arguments, *out, "--dry-run")
    assert real.exit_code == dry.exit_code == 2
    assert real.output == dry.output
    assert message in " ".join(dry.output.split())


def test_a_run_needs_a_folder() -> None:
    result = run("--rule", "uniform", *SHORT)
    assert result.exit_code == 2
    assert "no --out: name a folder for the run, or add --dry-run" in result.output


def test_a_file_that_says_something_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("[run]\nrounds = 3\n")
    result = run("--config", str(path), "--rule", "uniform", "--print-config")
    assert result.exit_code == 2
    assert f"{path}: unknown key in [run] 'rounds'; nearest: n_rounds" in result.output


def test_a_run_that_diverges(tmp_path: Path) -> None:
    result = run("--rule", "uniform", *SHORT, "--local-lr", "1e38", "--out", str(tmp_path / "r"))
    assert result.exit_code == 2
    assert "diverged in its first round (local_lr=1e+38); try a smaller --local-lr" in result.output


def test_a_run_that_diverges_late_reports_its_last_evaluation(tmp_path: Path) -> None:
    arguments = ("--rule", "uniform", *SHORT, "--rounds", "45", "--local-lr", "0.01", "--lr-decay", "2")
    result = run(*arguments, "--model", "linear-regression", "--evaluate-every", "2", "--out", str(tmp_path / "r"))
    assert result.exit_code == 1
    assert result.stdout.startswith("Uniform: diverged after ")


def test_its_options_are_found_by_whoever_asks_click() -> None:
    command = main.get_command(click.Context(main), "run")
    assert command is not None
    assert isinstance(command, RunCommand)
    names = {option for p in command.get_params(click.Context(command)) for option in p.opts}
    assert {"--config", "--rule", "--set", "--out", "--local-steps", "--help"} <= names


def test_a_run_may_be_watched_in_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    result = run("--rule", "proportional", *SHORT, "--out", str(tmp_path / "r"), "--tensorboard", str(tmp_path / "t"))
    assert result.exit_code == 0, result.output
    events = EventAccumulator(str(tmp_path / "t")).Reload()
    history = json.loads((tmp_path / "r" / "result.json").read_text())["history"]
    assert [e.value for e in events.Scalars("loss/test")] == pytest.approx([r["test_loss"] for r in history], rel=1e-6)


def test_rules_of_a_fleet_that_differ_in_a_sign_have_folders_of_their_own(tmp_path: Path) -> None:
    out = tmp_path / "fleet"
    result = run("--rules", "fed-disco(b=-0.01); fed-disco(b=0.01)", *SHORT, "--out", str(out))
    assert result.exit_code == 0, result.output
    assert sorted(folder.name for folder in out.iterdir()) == ["fed-disco-b--0.01", "fed-disco-b-0.01"]
    same = run("--rules", "uniform; fed-disco(b=0.01); fed-disco( b=0.01 )", *SHORT, "--out", str(tmp_path / "same"))
    assert same.exit_code == 2
    assert "'fed-disco(b=0.01)' and 'fed-disco( b=0.01 )' would both be in the folder" in same.stderr


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("fed-disco(a=0.5,b=-.1)", "fed-disco-a-0.5-b--.1"),
        ("mix(first=fed-disco(b= -1), second=uniform)", "mix-first-fed-disco-b--1-second-uniform"),
        ("exp-alpha(alpha=-inf)", "exp-alpha-alpha--inf"),
        ("fed-soft-worse(temperature=1e-5)", "fed-soft-worse-temperature-1e-5"),
        ("my.rules:Mine(inner=fed-worse)", "my.rules-Mine-inner-fed-worse"),
    ],
)
def test_a_minus_is_kept_in_the_name_of_a_folder(rule: str, name: str) -> None:
    assert folder_name(rule) == name


def test_a_fleet_is_every_rule_with_every_seed(tmp_path: Path) -> None:
    """Its folders hold what runs by themselves leave; options of one run are refused."""
    out = tmp_path / "fleet"
    fleet = ("--rules", "uniform; exp-alpha(alpha=0.5)", "--seeds", "2", *SHORT)
    result = run(*fleet, "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "exp-alpha(alpha=0.5): 2 of 2 seeds completed" in result.stdout
    assert run("--rule", "uniform", *SHORT, "--seed", "1", "--out", str(tmp_path / "one")).exit_code == 0
    lines = [(folder / "metrics.jsonl").read_bytes() for folder in (out / "uniform" / "seed-1", tmp_path / "one")]
    assert lines[0] == lines[1]
    assert (out / "exp-alpha-alpha-0.5" / "seed-0" / "result.json").is_file()
    for arguments, message in (
        (("--rule", "uniform"), "--rule: is for a single run"),
        (("--card", "h100"), "--card: is for --rules with --dry-run"),
        (("--dry-run", "--rules", ";"), "no rule; expected some"),
        (("--rules", " ; "), "no rule; expected some"),
    ):
        refused = run(*fleet, *arguments, "--out", str(out))
        assert (refused.exit_code, message in refused.stderr) == (2, True), refused.output
    assert "no --out: name a folder" in run(*fleet).stderr


def test_the_dry_run_of_several_rules_is_one_pack_on_named_cards(tmp_path: Path) -> None:
    """FLOPs are those of the single runs, steps are those of one of them; nothing is written."""
    fleet = ("--rules", "uniform; exp-alpha", "--seeds", "3", *SHORT, "--dry-run", "--card", "h100", "--card", "t4")
    result = run(*fleet, "--out", str(tmp_path / "fleet"))
    assert result.exit_code == 0, result.output
    words = " ".join(result.stdout.split())
    assert "runs 6 on one axis" in words
    assert "holds 6 of 6 runs" in words
    assert set(re.findall(r"(h100|t4) ≥", words)) == {"h100", "t4"}
    assert not (tmp_path / "fleet").exists()


def test_the_command_offers_the_cards_that_are_known() -> None:
    (card,) = [option for option in COMMAND.get_params(click.Context(COMMAND)) if option.name == "cards"]
    assert tuple(card.type.choices) == tuple(CARDS)  # type: ignore[attr-defined]
