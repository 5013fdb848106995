from __future__ import annotations

import doctest
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deep.partition as package
from deep.partition import (
    COHORTS,
    PARTITIONS,
    TARGETS,
    Classes,
    Composition,
    Dirichlet,
    DirichletClients,
    Exponential,
    Flipped,
    HalfBalanced,
    Imbalance,
    Population,
    Shards,
    Skew,
    Stratified,
    cohort_text,
    make_cohort,
    make_partition,
    make_target,
    partition_text,
    target_text,
)
from deep.partition.text import built

PARTS = st.one_of(
    st.builds(Stratified, st.floats(0, 10), st.integers(1, 99)),
    st.builds(Dirichlet, st.floats(5e-324, 1e6), st.integers(1, 99), st.sampled_from(["cumulative", "nearest"])),
    st.builds(DirichletClients, st.floats(1e-9, 1e6)),
    st.builds(Classes, st.integers(1, 99), st.booleans()),
    st.builds(Shards, st.integers(2, 99), st.booleans()),
    st.builds(
        Imbalance,
        st.one_of(st.floats(1e-9, 1), st.lists(st.floats(1e-9, 1), min_size=1, max_size=4).map(tuple)),
        st.sampled_from(["given", "rotated", "random"]),
        st.none() | st.integers(1, 999),
    ),
    st.builds(HalfBalanced, st.floats(1e-3, 10)),
)


@pytest.mark.parametrize("module", [m.name for m in iter_modules(package.__path__)])
def test_the_examples_in_the_docstrings_run(module):
    assert doctest.testmod(import_module(f"deep.partition.{module}")).failed == 0


def test_there_are_examples_to_run():
    assert ">>>" in Path(package.__path__[0], "registry.py").read_text(encoding="utf-8")


@given(PARTS | st.builds(Flipped, PARTS, st.floats(0, 1), st.floats(0, 1), st.booleans()))
def test_every_partition_survives_its_text(partition):
    assert make_partition(partition_text(partition)) == partition


@given(st.builds(Population, PARTS, st.integers(50, 99), st.integers(1, 50)))
def test_a_population_survives_its_text(source):
    assert make_cohort(cohort_text(source)) == source


@pytest.mark.parametrize("name", PARTITIONS)
def test_every_partition_can_be_named_alone(name):
    assert make_partition(name) == PARTITIONS[name]() == make_partition(f" {name} ( ) ")


@pytest.mark.parametrize("name", COHORTS)
def test_every_cohort_source_survives_its_text(name):
    assert make_cohort(cohort_text(make_cohort(name))) == COHORTS[name]()


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_survives_its_text(name):
    text = {"mixture": "mixture(weights=[0.25, 0.75])"}.get(name, name)
    assert make_target(target_text(make_target(text))) == make_target(text)
    assert type(make_target(text)) is TARGETS[name]


def test_settings_are_read():
    assert make_partition("shards(per_client=6, unequal=true)") == Shards(6, True)
    assert make_partition("imbalance(ratio=[1, 0.1], size=none)") == Imbalance((1, 0.1))
    assert make_partition("flipped(base=half-balanced(beta=1))") == Flipped(HalfBalanced(1))
    assert make_partition("flipped(base=iid)").base == make_partition("iid")
    assert make_cohort("composition(ratios=[1, 0.01], counts=[4, 6])") == Composition((1, 0.01), (4, 6))
    assert make_target("exponential(rho=50)") == Exponential(50)
    assert make_target("skew(client=2)") == Skew(2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dirichlett", "unknown partition 'dirichlett'; nearest: dirichlet"),
        ("", "partition '': cannot be read; expected name or name"),
        ("dirichlet(beta=0.3", "cannot be read"),
        ("dirichlet(beta=)", "cannot be read"),
        ("dirichlet(beta=0.3).parts(1)", "cannot be read"),
        ("dirichlet(beta=0.3)(beta=1)", "cannot be read"),
        ("dirichlet(0.3)", r"settings go by name, as in dirichlet\(setting=value\)"),
        ("dirichlet(**{'beta': 1})", "settings go by name"),
        ("dirichlet(beta=1, beta=2)", "a setting is given more than once"),
        (
            "dirichlet(alpha=1)",
            r"partition 'dirichlet' has no setting \['alpha'\]; its settings are \['beta', 'min_size', 'rounding'\]",
        ),
        ("dirichlet(beta=many)", r"Dirichlet\(beta='many'\): must be a number"),
        ("dirichlet(beta=__import__('os'))", r"Dirichlet\(beta=\"__import__\('os'\)\"\)"),
        ("classes(m=0)", r"Classes\(m=0\): must be an integer >= 1"),
        ("flipped(base=irid)", "unknown partition 'irid'; nearest: iid"),
        ("flipped(base=3)", r"Flipped\(base=3\): must be a partition"),
        ("iid(seed=1)", r"has no setting \['seed'\]; its settings are \[\]"),
        ("x" * 2001, "partition of 2001 characters: expected text of at most 2000"),
        (7, "partition 7: expected text"),
    ],
)
def test_text_that_is_wrong_says_where(text, message):
    with pytest.raises(ValueError, match=message):
        make_partition(text)


def test_each_kind_names_itself():
    with pytest.raises(ValueError, match="unknown cohort source 'flips'; nearest: flipped"):
        make_cohort("flips")
    with pytest.raises(ValueError, match="unknown target 'uniforms'; nearest: uniform"):
        make_target("uniforms")
    with pytest.raises(ValueError, match="unknown partition 'imbalanced'; nearest: imbalance"):
        make_cohort("population(partition=imbalanced)")


@dataclass(frozen=True)
class Needy:
    m: int


def test_a_setting_without_default_must_be_given():
    assert built({"needy": Needy}, "thing", "needy(m=3)") == Needy(3)
    with pytest.raises(ValueError, match=r"thing 'needy': lacks \['m'\]"):
        built({"needy": Needy}, "thing", "needy")


def test_only_what_is_registered_has_a_text():
    with pytest.raises(ValueError, match=r"as_text\(Needy\(m=1\)\): not one of classes, "):
        partition_text(Needy(1))


def test_a_registry_holds_dataclasses():
    with pytest.raises(TypeError, match="is in a registry of named things and no dataclass"):
        built({"f": lambda: 3}, "thing", "f")
