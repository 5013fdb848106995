"""A run as a TOML file: what is written is read back, later layers win, every mistake is named with file and key."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, make_dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deep.config.settings
from deep import RunConfig
from deep.config.settings import Layer, Settings, read_layer, resolve, rule_text, run_fields, to_toml, toml_value
from deep.data import DATASETS, SPLITS
from deep.models import MODELS
from theory import ExpAlpha, Proportional, Scheduled, Switch, make_rule
from theory.rules import RULES, Anneal, FedWorse, InverseVariance, MinNorm, Mix, Project, Uniform, WithMemory

counts = st.integers(1, 2**62)
positive = st.floats(min_value=0, exclude_min=True, allow_infinity=False, allow_nan=False)


@st.composite
def configs(draw: st.DrawFn) -> RunConfig:
    n_clients = draw(counts)
    steps = draw(st.integers(0, 10**9))
    decay = draw(st.just(1.0) | st.floats(0.5, 1.0))
    return RunConfig(
        dataset=draw(st.sampled_from(sorted(DATASETS))),
        model=draw(st.sampled_from(sorted(MODELS))),
        n_clients=n_clients,
        n_sampled=draw(st.integers(1, n_clients)),
        partition=draw(st.sampled_from(["iid", "classes(m=2)", " flipped( base=classes(m=2),\n exact=true)"])),
        cohort=draw(st.sampled_from(["", "imbalanced(n_clients=3)"])),
        split=draw(st.sampled_from(sorted(SPLITS))),
        n_rounds=draw(counts) if decay == 1 else draw(st.integers(1, 50)),
        n_local_steps=steps,
        n_local_epochs=draw(counts) if steps == 0 else 0,
        batch_size=draw(counts),
        local_lr=draw(st.floats(1e-20, 1e20)),
        lr_decay=decay,
        server_lr=draw(positive),
        target=draw(st.sampled_from(["", "exponential(rho=100)"])),
        losses=draw(st.sampled_from(["all", "present", "none"])),
        seed=draw(st.integers(0, 2**70)),
        checkpoint_every=draw(counts),
    )


simple = st.one_of(
    st.sampled_from([make_rule(entry.name) for entry in RULES]),
    st.builds(ExpAlpha, alpha=positive, data_size=st.booleans()),
    st.builds(InverseVariance, signal=st.text(st.characters(exclude_characters="·", exclude_categories=["Cs"]))),
    st.builds(MinNorm, tolerance=st.none() | st.floats(1e-15, 0.1)),
    st.builds(FedWorse, k=st.just(0.1), of=st.just("all")),
)
rules = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.builds(Switch, inner, inner, at_round=st.integers(0, 99)),
        st.builds(Switch, inner, inner, at_accuracy=st.floats(0.01, 1.0)),
        st.builds(Mix, inner, inner, share_of_first=st.floats(0, 1)),
    ),
    max_leaves=3,
)


def written(folder: Path, text: str) -> Path:
    path = folder / "a.toml"
    path.write_text(text, encoding="utf-8")
    return path


@given(config=configs(), rule=rules)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, config: RunConfig, rule: object
) -> None:
    text = to_toml(config, rule)
    path = written(tmp_path_factory.mktemp("toml"), text)
    again = resolve(read_layer(path))
    assert again == Settings(config, rule)
    assert to_toml(again.config, again.rule) == text
    assert make_rule(rule_text(rule)) == rule


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.floats(allow_nan=False) | st.integers() | st.booleans())
def test_every_value_survives(value: object) -> None:
    for outer in (value, [value, [value]]):
        again = tomllib.loads(f"x = {toml_value(outer)}")["x"]
        assert again == outer
        assert type(again) is type(outer)


def test_values_that_toml_does_not_know() -> None:
    assert tomllib.loads(f"x = {toml_value(chr(0x7F) + chr(0) + '🜁')}")["x"] == "\x7f\0🜁"
    assert str(tomllib.loads(f"x = {toml_value(float('nan'))}")["x"]) == "nan"
    for value in (None, {}, object):
        with pytest.raises(ValueError, match="cannot be written as TOML; expected a boolean, number"):
            toml_value(value)


def test_every_field_is_written_and_none_is_forgotten() -> None:
    document = tomllib.loads(to_toml(RunConfig(), Proportional()))
    assert document == {"run": asdict(RunConfig()), "rule": {"name": "proportional"}}
    assert list(run_fields()) == [f.name for f in fields(RunConfig)]


def foreign() -> object:
    """A rule whose class no module has under its name."""

    @dataclass(frozen=True)
    class Foreign:
        def __call__(self, stats: object) -> object:
            return stats

    return Foreign()


@pytest.mark.parametrize("write", [rule_text, lambda rule: to_toml(RunConfig(), rule)])
def test_rules_that_no_text_describes(write: Callable[[object], str]) -> None:
    for rule in (foreign(), Scheduled(np.array([0.5, 0.5])), Mix(foreign(), Proportional())):
        with pytest.raises(ValueError, match=r"not in the registry|no text describes it|cannot be written"):
            write(rule)
    with pytest.raises(ValueError, match=r"no text describes it|cannot be written as TOML"):
        write(Anneal(Proportional(), Uniform(), schedule=lambda t: 0.5))


def test_a_rule_too_long_to_be_read_again_is_not_written() -> None:
    rule: object = Proportional()
    for _ in range(50):
        rule = Mix(rule, Uniform())
    with pytest.raises(ValueError, match=r"rule of .* characters"):
        to_toml(RunConfig(), rule)


def test_a_rule_that_would_come_back_as_another_is_not_written() -> None:
    with pytest.raises(ValueError, match="cannot be written as TOML"):
        to_toml(RunConfig(), Mix(InverseVariance(signal="a·b"), Uniform()))  # the text of rules knows no such dot


def test_a_field_no_file_can_hold_is_a_mistake_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep.config.settings, "RunConfig", make_dataclass("RunConfig", [("weird", dict)]))
    with pytest.raises(TypeError, match=r"\['weird'\] can be written neither as TOML nor as an option"):
        run_fields()


def test_the_rule_as_text_and_as_table(tmp_path: Path) -> None:
    text = read_layer(written(tmp_path, 'rule = "switch(first=exp-alpha(alpha=1), then=uniform, at_round=3)"'))
    table = read_layer(
        written(tmp_path, '[rule]\nname = "switch"\nfirst = "exp-alpha(alpha=1)"\nthen = "uniform"\nat_round = 3')
    )
    assert resolve(text).rule == resolve(table).rule == Switch(ExpAlpha(alpha=1), Uniform(), at_round=3)
    preset = read_layer(written(tmp_path, '[rule]\nname = "fed-avg-aware"\nalpha = 0.25'))
    rule = resolve(preset).rule
    assert isinstance(rule, Project)
    assert isinstance(rule.onto, WithMemory)
    assert rule.onto.alpha == 0.25
    assert make_rule(rule_text(rule)) == rule


def test_later_layers_win() -> None:
    file = Layer({"n_rounds": 7, "seed": 3}, "exp-alpha", {"alpha": 0.5}, Path("a"), "cpu", Path("d"))
    assert resolve(file) == Settings(RunConfig(n_rounds=7, seed=3), ExpAlpha(alpha=0.5), Path("a"), "cpu", Path("d"))
    above = resolve(file, Layer({"seed": 4}, None, {"alpha": 0.25}, Path("b"), "cuda"))
    assert above == Settings(RunConfig(n_rounds=7, seed=4), ExpAlpha(alpha=0.25), Path("b"), "cuda", Path("d"))
    # Another rule takes none of the settings that were meant for the one it replaces.
    assert resolve(file, Layer(rule="exp-alpha(data_size=true)")).rule == ExpAlpha(alpha=0.2, data_size=True)
    assert resolve(file, Layer(rule="proportional")).rule == Proportional()
    assert file.rule_settings == {"alpha": 0.5}
    with pytest.raises(ValueError, match="no rule: name one"):
        resolve(Layer({"seed": 1}, rule_settings={"alpha": 1}))
    with pytest.raises(ValueError, match="no setting"):
        resolve(file, Layer(rule_settings={"beta": 1}))


@pytest.mark.parametrize(
    ("layers", "steps", "epochs"),
    [
        ([{}], 10, 0),
        ([{"n_local_epochs": 2}], 0, 2),
        ([{"n_local_epochs": 0}], 10, 0),
        ([{"n_local_steps": 4}], 4, 0),
        ([{"n_local_steps": 4}, {"n_local_epochs": 2}], 0, 2),
        ([{"n_local_epochs": 2}, {"n_local_steps": 4}], 4, 0),
        ([{"n_local_epochs": 2}, {"n_local_steps": 0}], 0, 2),
        ([{"n_local_epochs": 2, "n_local_steps": 0}, {"n_rounds": 3}], 0, 2),
    ],
)
def test_steps_or_epochs(layers: list[dict[str, object]], steps: int, epochs: int) -> None:
    config = resolve(Layer(rule="uniform"), *map(Layer, layers)).config
    assert (config.n_local_steps, config.n_local_epochs) == (steps, epochs)


def test_both_at_once_are_refused() -> None:
    with pytest.raises(ValueError, match="one of them must be >= 1 and the other 0"):
        resolve(Layer({"n_local_epochs": 2, "n_local_steps": 4}, "uniform"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[run]\nn_round = 3", r"a\.toml: unknown key in \[run\] 'n_round'; nearest: n_rounds"),
        ("[runs]\nn_rounds = 3", r"a\.toml: unknown key 'runs'; nearest: run"),
        ("seed = 3", r"a\.toml: unknown key 'seed'"),
        ("[run]\nn_rounds = 3.0", r"a\.toml: \[run\] n_rounds = 3\.0: expected an integer"),
        ('[run]\nn_rounds = "5"', r"a\.toml: \[run\] n_rounds = '5': expected an integer"),
        ("[run]\nn_rounds = true", r"a\.toml: \[run\] n_rounds = True: expected an integer"),
        ('[run]\nlocal_lr = "0.1"', r"a\.toml: \[run\] local_lr = '0\.1': expected a number"),
        ("[run]\nlocal_lr = false", r"a\.toml: \[run\] local_lr = False: expected a number"),
        ("[run]\ndataset = 1", r"a\.toml: \[run\] dataset = 1: expected a string"),
        ("[run]\nseed = [1]", r"a\.toml: \[run\] seed = \[1\]: expected an integer"),
        ("run = 3", r"a\.toml: run = 3: expected a table"),
        ("out = 3", r"a\.toml: out = 3: expected a string"),
        ("rule = 3", r"a\.toml: rule = 3: expected a rule as text, or a table with name"),
        ("[rule]\nalpha = 3", r"a\.toml: rule = \{'alpha': 3\}: expected a rule as text, or a table with name"),
        (
            '[rule]\nname = "mix"\n[rule.first]\nname = "uniform"',
            r"\[rule\] first = .* inside a rule is written as text",
        ),
        ('[rule]\nname = "mix"\nfirst = 2024-01-01', r"\[rule\] first = datetime.* expected a boolean, number, string"),
        ("[run", r"a\.toml: cannot be read as TOML"),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_layer(written(tmp_path, text))


def test_files_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.toml: cannot be read as TOML: .*No such file"):
        read_layer(tmp_path / "none.toml")
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"a\.toml: cannot be read as TOML: 'utf-8'"):
        read_layer(path)


def test_where_a_run_takes_place(tmp_path: Path) -> None:
    path = written(
        tmp_path, 'rule = "uniform"\nout = "runs/a"\ndevice = "cuda"\ndata_root = "data"\n[run]\nlocal_lr = 1'
    )
    found = resolve(read_layer(path))
    assert found == Settings(RunConfig(local_lr=1.0), Uniform(), Path("runs/a"), "cuda", Path("data"))
    assert type(found.config.local_lr) is float


@pytest.mark.parametrize("part", ["a", '"a"', "'a.b'", "a "])
def test_a_key_of_thousands_of_parts_is_refused_at_once(tmp_path: Path, part: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text("[run]\n" + ".".join([part] * 9_000) + " = 1\n", encoding="utf-8")
    began = time.process_time()
    with pytest.raises(ValueError, match=r"run.toml: cannot be read as TOML: a key of more than 32 parts"):
        read_layer(path)
    assert time.process_time() - began < 0.5


def test_long_texts_without_such_a_key_are_looked_through_in_little_time(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    for text in ("a" * 60_000, '"' * 60_000, "a." * 31 + " " + '"a' * 20_000):
        path.write_text(f"# {text}\n", encoding="utf-8")
        began = time.process_time()
        assert read_layer(path) == Layer()
        assert time.process_time() - began < 0.5
