# ruff: noqa: E501  passages of sources are quoted as they are
"""Slips planted in one text show as disagreement; slips of meaning planted in both show at paths and by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.theory.worlds.federated import planted
from tests.theory.worlds.federated.test_paths import NAMES, problem, walked
from theory.worlds.federated import exact_run, fast_run, of_model, of_problem, of_steps, of_weights
from theory.worlds.federated.catalogue import CATALOGUE
from theory.worlds.federated.fast_run import Runs
from validation.statement.instances.draw import stack

SLIPS = 20
# Changed to what it is: what lies beyond the last step or round is cut to it, and only differences of control
# variates move a model.
EQUIVALENT = {"o.E - 1", "maps.o.R - 1", "control - common"}


def _spread(n: int) -> list[int]:
    return [round(i * (n - 1) / (SLIPS - 1)) for i in range(SLIPS)]


def test_the_texts_agree_as_they_are() -> None:
    assert planted.agree()


@pytest.mark.parametrize("at", _spread(planted.operators(fast_run)))
def test_a_slip_in_the_fast_text_shows(at: int) -> None:
    words, names = planted.changed(fast_run, at)
    if words.partition(": ")[2] not in EQUIVALENT:
        assert not planted.agree(fast=names["fast_run"]), words


@pytest.mark.parametrize("at", _spread(planted.operators(exact_run)))
def test_a_slip_in_the_exact_text_shows(at: int) -> None:
    words, names = planted.changed(exact_run, at)
    assert not planted.agree(exact=names["exact_run"]), words


# (name, what is wrong in the fast text, the same in the exact one), as passages of their sources.
OF_RUNS = (
    ("steps counted from 1", ("np.arange(float(o.E * o.R))", "1 + np.arange(float(o.E * o.R))"), ('"t": Fraction(t)}', '"t": Fraction(t + 1)}')),
    (
        "K drawn with replacement have the variance of K drawn without",
        ("return (apart + (a * V).sum(axis=0) - fresh) / K", "return (apart + (a * V).sum(axis=0) - fresh) / K * (N - K) / max(N - 1, 1)"),
        ("pair, single = (K - 1) / K, [w / K for w in row]", "pair = (K - 1) / K + (K - 1) / (K * (N - 1)) if N > 1 else Fraction(1)\n        single = [w * (1 - pair) for w in row]"),
    ),
    (
        "K drawn without replacement have the variance of K drawn with",
        ("(N - K) / (K * max(N - 1, 1))", "1 / K"),
        ("pair = N * (K - 1) / (K * (N - 1)) if N > 1 else Fraction(1)\n        single = [w**2 * (N / K - pair) for w in row]", "pair = 1 - 1 / K\n        single = [w**2 * N / K for w in row]"),
    ),
    ("present clients count fully", ("[:, None] - 1\n", "[:, None]\n"), ("w**2 * (1 / q - 1)", "w**2 * (1 / q)")),
    (
        "common noise averages out",
        ("np.asarray(sum((a * g).sum(axis=0) ** 2 for g in gains))", "np.asarray(sum((a**2 * g**2).sum(axis=0) for g in gains))"),
        ("own = sum(row[i] * row[k] * cov[i][k][j] for i in clients for k in clients)", "own = sum(row[i] ** 2 * cov[i][i][j] for i in clients)"),
    ),
    ("noise times the step, not its square", ("step**2 * noise", "step * noise"), ("fresh[i] ** 2 / d", "fresh[i] ** 2 / step[i] / d")),
    ("weights begin anew after the last row", ("np.minimum(np.arange(o.R), table.shape[1] - 1)", "np.arange(o.R) % table.shape[1]"), ("table[min(t if weights == \"a row a step\" else t // E, len(table) - 1)]", "table[(t if weights == \"a row a step\" else t // E) % len(table)]")),
)  # fmt: skip


@pytest.mark.parametrize("slip", OF_RUNS, ids=lambda slip: slip[0])
def test_a_slip_of_meaning_in_both_texts_shows_at_all_paths(slip: Any) -> None:
    fast, exact = planted.with_text(fast_run, *slip[1])["fast_run"], planted.with_text(exact_run, *slip[2])["exact_run"]
    noises = ("independent",) if slip[0] == "noise times the step, not its square" else ("independent", "common")
    red = []
    for part in ("all", "by weight", "uniform updates", "bernoulli"):
        for noise in noises:
            options, x, etas = problem("a row a round", part, noise)
            _, found = exact(x, letters=[CATALOGUE[name].exact for name in NAMES], **options.chosen)
            runs = fast(stack([x]), options)
            values = {name: float(CATALOGUE[name].fast(runs)[0]) for name in NAMES}
            assert values == pytest.approx({k: float(v) for k, v in found.items()}, rel=1e-9, abs=1e-12)  # both alike
            red.append(found != walked(options, x, etas))
    assert any(red)


OF_LETTERS = (
    ("Γ by the shares", "Gamma", CATALOGUE["Gamma_p"].fast, of_problem.Gamma_p_of),
    ("Γ of the weighted objective", "Gamma", CATALOGUE["Gamma_a"].fast, of_weights.Gamma_a_of),
    ("Γ without the half", "Gamma_p", lambda r: (r.p[:, None] * r.h * r.u**2).sum(axis=(0, 1)), lambda run: 2 * of_problem.Gamma_p_of(run)),
    ("ζ² as the largest of a client", "zeta2", CATALOGUE["zeta2_max"].fast, of_problem.zeta2_max_of),
    ("excess at the last round's start", "excess", lambda r: 0.5 * (r.H * (r.center[:, -2] ** 2 + r.full[:, -2])).sum(axis=0), lambda run: of_model.excess_at(run, (run["R"] - 1) * run["E"])),
    ("G² without the noise", "G2", lambda r: CATALOGUE["G2"].fast(replace(r, s2=0 * r.s2)), lambda run: of_steps.G2_of({**run, "sigma": [0] * len(run["sigma"])})),
    ("W_D without 2N", "W_D", lambda r: CATALOGUE["W_D"].fast(r) / (2 * r.numbers["N"]), lambda run: of_weights.W_D_of(run) / (2 * run["numbers"]["N"])),
    ("χ² with the weights below", "chi2", lambda r: CATALOGUE["W_D"].fast(r) / 2, lambda run: of_weights.W_D_of(run) / 2),
)  # fmt: skip


@pytest.mark.parametrize("slip", OF_LETTERS, ids=lambda slip: slip[0])
def test_a_slip_of_meaning_in_both_forms_of_a_letter_shows_by_hand(slip: Any) -> None:
    _, name, fast, exact = slip

    def wrong(run: Any) -> Any:
        return exact(run)

    wrong.__name__ = f"{name}_of"
    letters = tuple(replace(one, fast=fast, exact=wrong) if one.name == name else one for one in CATALOGUE.values())
    assert planted.agree(letters=letters, hand=False)
    assert not planted.agree(letters=letters)


def test_runs_are_values() -> None:
    options, x, _ = problem("shares", "all", "independent")
    one, other = (fast_run.fast_run(stack([x]), options) for _ in range(2))
    assert isinstance(one, Runs)
    assert np.array_equal(one.center, other.center)
