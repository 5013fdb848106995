"""The public names of packages that import them when they are first used."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

PACKAGES = ("fedverdict", "deep", "deep.data", "deep.metrics", "deep.models", "theory", "theory.minnorm", "validation")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there(package: str) -> None:
    module = import_module(package)
    for name in module.__all__:
        value = getattr(module, name)
        assert not isinstance(value, ModuleType) or value.__name__.rpartition(".")[2] == name
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("package", "name"),
    [("theory", "simulate"), ("deep.metrics", "reached")]
    + [("theory.minnorm", name) for name in ("convex", "frank_wolfe", "lockstep")],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_name_is_not_its_module_even_where_that_came_first(package: str, name: str, first: bool) -> None:
    module = f"import importlib; importlib.import_module('{package}.{name}')"
    used = f"from {package} import {name} as before; assert callable(before)"
    lines = [module, used] if first else [used, module]
    end = f"from {package} import {name} as after; print(after.__module__, after.__name__)"
    place, called = run("; ".join([*lines, end])).split()
    assert called == name
    assert f"{place}.".startswith(f"{package}.{name}.")  # in a package it may stand in one of its files


def test_a_module_among_the_names_is_there_in_a_new_process() -> None:
    assert run("from validation import draw; print(draw.__name__)") == "validation.statement.instances.draw"
    assert run("import validation; print(validation.draw.federations())") == "draw_federation()"


def test_a_rule_needs_no_scipy_until_it_solves() -> None:
    code = "import sys; import theory; theory.MinNorm(); print(any(name.startswith('scipy') for name in sys.modules))"
    assert run(code) == "False"
    assert run("import sys; import theory; print('numpy' in sys.modules)") == "False"
