"""Runs whose letters were computed by worlds written by hand for Exp-α: the library gives every one of them.

The data are 800 runs on the line, 320 of them stopped inside a round, 100 in the plane without noise, and 100 with
weights that see the noise, in rational numbers, and what the hand-written exact texts found: weights by shares, by
round or by step; all present or K drawn by weight; three γ.
"""

from __future__ import annotations

import json
import lzma
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theory.worlds.federated.catalogue import CATALOGUE, within
from theory.worlds.federated.exact_run import exact_run
from theory.worlds.federated.fast_run import fast_run
from theory.worlds.federated.options import Options
from validation.statement.instances.draw import stack

DATA = Path(__file__).parent / "data" / "hand_written_runs.json.xz"
GAMMA = {"L/μ": "L/mu", "A.9": "max(8*L/mu, E) - 1", "longer": "stretch*max(8*L/mu, E)"}
WEIGHTS = {"shares": "shares", "round": "a row a round", "step": "a row a step", "seen": "seen"}
NAMED = {"excess_first": "drop"}  # a letter that has another name in the catalogue
CLOSE = 1e-9


@cache
def recorded() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(lzma.decompress(DATA.read_bytes())))


def numbers(value: Any) -> Any:
    return [numbers(v) for v in value] if isinstance(value, list) else Fraction(value)


def translated(row: dict[str, Any]) -> tuple[dict[str, Any], Options, dict[str, Fraction]]:
    """A recorded run as the library takes it, and the letters that it has to give."""
    x, found = {k: numbers(v) for k, v in row["x"].items()}, {k: Fraction(v) for k, v in row["found"].items()}
    if row["world"] == "line":
        x |= {"curvature": [[h] for h in x["curvature"]], "optimum": [[m] for m in x["optimum"]], "start": [x["start"]]}
    elif row["world"] == "seen":
        n, none = int(x.pop("n_clients")), Fraction(0)
        x |= {"curvature": [[x["curvature"]]] * n, "optimum": [[none]] * n, "share": [Fraction(1, n)] * n}
        x |= {"start": [none], "sigma": [x["sigma"]] * n, "noisy": Fraction(1)}
    else:
        none = [Fraction(0)] * len(x["share"])
        x |= {"curvature": x.pop("spectrum"), "sigma": none, "noisy": Fraction(0)}
    found.pop("apart", None)  # what drawing adds to a distance is in `after`; no statement has it alone
    if "drawn" not in x:
        found.pop("K", None)  # 0 stood for everybody
    options = Options(
        row["E"],
        row["R"],
        "2/(mu*(gamma + t))",
        (("gamma", GAMMA.get(row["gamma"], str(row["gamma"]))),),
        weights=WEIGHTS[row["rows"]],
        part="by weight" if "drawn" in x else "all",
        short=row["E"] * row["R"] - row.get("T", row["E"] * row["R"]),
    )
    return x, options, {NAMED.get(name, name): value for name, value in found.items()}


@pytest.mark.parametrize("part", range(5))
def test_every_letter_is_that_of_the_hand_written_worlds(part: int) -> None:
    compared = Counter[str]()
    for row in recorded()[part::5]:
        x, options, wanted = translated(row)
        gamma = wanted.pop("gamma")
        letters = [CATALOGUE[name] for name in wanted]
        chosen = {**options.chosen, "given": ("gamma",)}
        met, found = exact_run(x, letters=[one.exact for one in letters], **chosen)
        assert all(met.values())
        assert found == {**wanted, "gamma": gamma}, row
        runs = fast_run(stack([x]), options, within=within(letters, options))
        assert runs.numbers["gamma"][0] == pytest.approx(float(gamma), rel=CLOSE)
        for one in letters:
            fast = float(np.broadcast_to(one.fast(runs), (1,))[0])
            assert fast == pytest.approx(float(wanted[one.name]), rel=CLOSE, abs=CLOSE), (one.name, row)
            compared[one.name] += 1
    assert {"excess", "Omega", "Omega_all", "Gamma", "G2", "noise", "before", "after", "drop"} <= set(compared)
    assert {"Omega_less", "Gamma_less", "eta", "T"} <= set(compared)


def test_the_recorded_runs_are_of_every_kind() -> None:
    kinds = Counter((r["world"], r["rows"], r["gamma"], "drawn" in r["x"], "T" in r) for r in recorded())
    assert len(recorded()) == 1000
    assert len(kinds) == 3 * 3 * 2 + 2 * 2 + 2 * 3 * 2 + 3 * 2  # whole rounds, in the plane, cut, seeing the noise
    assert min(kinds.values()) >= 8
