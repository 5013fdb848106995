"""`Federated` observes what is said, alike in floats and exactly, and refuses what is not exact by name."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import Symbol, exp, sqrt

from theory.worlds.federated.catalogue import CATALOGUE
from theory.worlds.federated.options import CHOICES, FIXED, KNOWN, REPEATS, WHOLE, WITHIN, Options, refusal
from validation.statement.claim import Case, Family, Inequality
from validation.statement.instances.draw import LogScale, stack, take
from validation.verdict.testing import find_counterexample
from validation.world import le
from validation.world.federated import RUNS, Federated, run_letters
from validation.world.world import World

mu, L, E, T, t, gamma, eta, length = run_letters("mu L E T t gamma eta length")
noise, Gamma, first, after, excess, G2, rho, settled, drift = run_letters(
    "noise Gamma first after excess G2 rho settled drift"
)

PAGE = (Path(__file__).parents[4] / "docs" / "a_theorem_on_fedavg.md").read_text(encoding="utf-8")
RUN = Federated(2 / (mu * (gamma + t)), {gamma: 8 * L / mu}, N=(1, 5), E=(1, 5), R=(1, 8), d=(1, 2), far=20)


def _cases(test: Any) -> list[Case]:
    assert isinstance(test, Inequality)
    return [item.at(**sizes) for item in test.cases if isinstance(item, Family) for sizes in item.choices()]


def test_it_observes_the_letters_that_are_said_and_no_others() -> None:
    test = RUN.where(le(G2, 1000 * noise + 1000 * L**2 * first)).test(le(excess, gamma * L * first))
    for case in _cases(test):
        seen = case.measure(case.space.decode(case.space.random(np.random.default_rng(0), 4)))
        letters = set(seen) & set(RUNS.by_name)
        assert letters == {"G2", "noise", "L", "first", "excess", "gamma"}


def test_a_mutant_of_other_letters_observes_those() -> None:
    for says, wanted in ((le(after, first), {"after", "first"}), (le(Gamma, drift), {"Gamma", "drift"})):
        case = _cases(RUN.test(says))[0]
        seen = case.measure(case.space.decode(case.space.random(np.random.default_rng(0), 4)))
        assert set(seen) & set(RUNS.by_name) == wanted


DESCRIPTIONS = (
    RUN.but(weights="a row a step"),
    RUN.but(weights="a row a round", part="by weight", loose=True),
    RUN.but(part="bernoulli", same=("curvature",)),
    RUN.but(weights="a row a round", part="by weight", T=(1, 30)),
    RUN.but(weights="seen", part="by weight", E=(1, 1)),
    RUN.but(part="uniform", equal=True, noise="common"),
    RUN.but(eta=length / L, let={}, steps="own, normalised", draws=(LogScale("length", 0.1, 1.0),), convex=False),
)


@pytest.mark.parametrize("described", DESCRIPTIONS, ids=lambda d: f"{d.weights}, {d.part}, {d.steps}")
def test_floats_and_fractions_give_the_same_at_every_corner(described: Federated) -> None:
    rng, compared = np.random.default_rng(1), 0
    for case in _cases(described.test(le(after, first + Gamma / L + noise * eta**2))):
        x = case.space.decode(case.space.random(rng, 2))
        exact = [case.space.rationalise(take(x, i), 30) for i in range(2)]
        with np.errstate(all="ignore"):  # as the search evaluates
            seen = case.measure(stack(exact))
        assert case.exact is not None
        for i, one in enumerate(exact):
            try:
                met, values = case.exact.function(one)
            except ZeroDivisionError:  # a step size 1/L of a flat client
                assert not described.convex
                assert not seen["admissible"][i]
                continue
            assert bool(np.broadcast_to(seen["admissible"], (2,))[i]) == all(met.values()), (case.name, met)
            if not all(met.values()):
                continue
            compared += 1
            for name in ("after", "first", "Gamma", "noise", "eta"):
                size = float(seen["magnitude"][i]) + abs(float(values[name]))  # of the terms of both sides
                assert np.broadcast_to(seen[name], (2,))[i] == pytest.approx(float(values[name]), abs=1e-9 * size)
    assert compared > 20


@pytest.mark.parametrize(
    ("described", "says", "words"),
    [
        (RUN, le(rho, 1), "rho .* a model that is no random number; with noise='independent'"),
        (RUN.but(noise="none", part="by weight"), le(rho, 1), "rho .* with part='by weight'"),
        (
            RUN.but(noise="none", control="from 0"),
            le(drift, 1),
            "drift .* models inside a round; with control='from 0'",
        ),
        (RUN.but(T=(1, 9)), le(drift, 1), "drift .* needs whole rounds; with short=1 the last round is cut"),
        (
            RUN.but(weights="seen", E=(1, 1)),
            le(drift, 1),
            "needs weights that are fixed in advance; with weights='seen' every outcome of the noise has its own",
        ),
        (RUN.but(momentum=mu / (2 * L)), le(settled, first), "settled .* with momentum="),
        (
            RUN,
            le(run_letters("stretch"), 1),
            r"'stretch' is no letter that a run gives; .* draw it, draws=\(LogScale\('stretch'.* let={stretch: …}",
        ),
        (RUN, le(Symbol("D") * first, 1), "'D' is no letter that a run gives"),
        (RUN, le(Symbol("sigma"), 1), r"did you mean sigma2\?"),
    ],
)
def test_a_letter_that_is_not_exact_is_refused_by_name(described: Federated, says: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        described.test(says)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"control": "from 0"}, "control='from 0', noise='independent'"),
        ({"control": "from 0", "noise": "none", "part": "bernoulli"}, "part='bernoulli'"),
        ({"part": "uniform", "server": mu / L}, "take part='uniform updates'"),
        ({"weights": "rows"}, "expected one of 'shares'"),
        ({"eta": 1 / mu**2}, "units"),
        ({"eta": 1 / sqrt(L * mu)}, "is a root, which is no fraction; for a constant draw a letter"),
        ({"eta": 1 / (L * T**gamma)}, r"T\*\*\(-gamma\) is a power that is no whole number"),
        ({"eta": exp(-t) / L}, r"exp\(-t\) has no value in fractions"),
        ({"momentum": 0.9}, r"momentum=0.9\): 0.9 is a float; write sympy.Rational\(9, 10\)"),
        ({"server": 0.5 * mu / L}, r"0.5 is a float; write sympy.Rational\(1, 2\)"),
        ({"let": {"other": L}}, "no letter of the notation; take t, gamma, length, server"),
        ({"corners": ("nowhere",)}, "expected some of alone"),
        ({"N": (3, 2)}, "1 <= least <= largest"),
        ({"T": (0, 2)}, r"T=\(0, 2\)\): expected 1 <= least <= largest"),
        ({"T": (1, 9), "weights": "a row a step"}, "take a row a round"),
        ({"T": (1, 9), "control": "from 0", "noise": "none"}, "inside a round with control variates"),
        ({"weights": "seen"}, "known for E = 1 alone"),
        ({"weights": "seen", "E": (1, 1), "noise": "none"}, "no noise to see"),
        ({"weights": "seen", "E": (1, 1), "noise": "common"}, "favours none of them"),
        ({"weights": "seen", "E": (1, 1), "part": "bernoulli"}, "no such option"),
        ({"weights": "seen", "E": (1, 1), "momentum": mu / L}, "no such option"),
        ({"eta": 1 / (L * mu**0.5)}, r"write sympy.Rational\(-1, 2\)"),
    ],
)
def test_a_description_that_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RUN.but(**options)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (5, r"Federated\(N=5\): expected the least and the largest, such as N=\(5, 5\) for 5 alone"),
        ((1, 2, 3), r"such as N=\(1, 20\)"),
        ("few", r"such as N=\(1, 20\)"),
    ],
)
def test_a_size_that_is_no_pair_is_named(size: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        RUN.but(N=size)
    with pytest.raises(TypeError, match=words):
        Federated(1 / L, N=size)


def test_letters_of_ones_own_are_drawn_and_may_be_in_the_statement() -> None:
    """What the errors advise works: a letter of no notation is drawn, one of the description is defined."""
    D, stretch = Symbol("D", positive=True), run_letters("stretch")
    drawn = RUN.but(eta=D / L, let={}, draws=(LogScale("D", 0.1, 1.0),))
    defined = RUN.but(eta=stretch / L, let={stretch: mu / L})
    for described, letter in ((drawn, "D"), (defined, "stretch")):
        case = _cases(described.test(le(after, Symbol(letter, positive=True) * first)))[0]
        seen = case.measure(case.space.decode(case.space.random(np.random.default_rng(0), 4)))
        assert letter in seen


def test_a_name_that_is_nearly_a_letter_gets_a_question() -> None:
    with pytest.raises(ValueError, match=r"no quantity sigma, zz in the notation; for sigma did you mean sigma2 or"):
        run_letters("sigma zz")


def test_help_begins_with_what_a_description_is() -> None:
    """The signature, which help prints twice, names a few letters of the notation and no more of them."""
    assert repr(RUNS) == f"Notation(mu, L, kappa, T, E, … ({len(RUNS.quantities)} quantities))"
    assert len(str(inspect.signature(Federated))) < 1_500


def test_what_is_exact_how_is_a_table_of_options_and_letters() -> None:
    """Of all letters only those of these needs are refused, each under the options that do not give what it needs."""
    refused: dict[str, set[str]] = {}
    for name, values in {**CHOICES, "short": (0, 1)}.items():
        for value in values:
            quiet = {"noise": "none"} if name in ("control", "part") else {}
            options = Options(1 if value == "seen" else 2, 2, "1/L", **{**quiet, name: value})
            for one in CATALOGUE.values():
                if refusal(one.needs, options):
                    refused.setdefault(one.name, set()).add(f"{name}={value}")
    # With the defaults noise is independent, so what needs none is refused wherever it was not switched off.
    needs = (WITHIN, KNOWN, REPEATS, WHOLE, FIXED)
    of_need = {need: {n for n, one in CATALOGUE.items() if need in one.needs} for need in needs}
    assert set(refused) == set().union(*of_need.values())
    for name in of_need[KNOWN]:
        assert {"part=bernoulli", "part=by weight", "noise=common", "noise=independent"} <= refused[name]
    kinds = {WITHIN: {"control=from 0", "control=from the gradients"}, WHOLE: {"short=1"}, FIXED: {"weights=seen"}}
    kinds[REPEATS] = kinds[WITHIN]
    for name in set(refused) - of_need[KNOWN]:
        assert refused[name] == set().union(*(kinds[need] for need in CATALOGUE[name].needs))


def test_a_counterexample_is_a_script_that_runs_alone() -> None:
    quiet = RUN.but(
        eta=length / (10 * L * E), let={}, draws=(LogScale("length", 0.1, 1.0),), noise="none", control="from 0"
    )
    found = find_counterexample(quiet.test(le(after, first / (1 + eta * mu * T))), budget=2_000)
    assert found is not None
    assert found.script is not None
    run = subprocess.run([sys.executable, "-I", "-"], input=found.script, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_page_has_every_letter_as_it_is() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \| ", PAGE.split("## Letters")[1], flags=re.MULTILINE))
    assert rows == {name: one.says for name, one in CATALOGUE.items()}


def test_a_relation_of_sympy_is_no_statement() -> None:
    with pytest.raises(TypeError, match=r"a LessThan is no statement; write le\(left, right\)"):
        RUN.test(after <= first)
    with pytest.raises(TypeError, match="no statement"):
        World(RUN.notation, RUN.test(le(after, first)).cases).test(after <= first)  # type: ignore[union-attr]
