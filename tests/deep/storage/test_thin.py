"""Thin records come back to the bit, and a run of many clients is resumed from them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep import RunConfig, run
from deep.storage.thin import all_thinned, all_whole, whole
from theory import Proportional

VALUES = st.sampled_from([None, 0, 0.0, -0.0, False, True, 1, 1.0, 0.1, 1e-300, "a", ""])


@given(st.lists(VALUES, min_size=99, max_size=104), st.lists(st.tuples(st.integers(0, 103), VALUES), max_size=40))
def test_every_list_comes_back_as_it_was(first: list[Any], changes: list[tuple[int, Any]]) -> None:
    second = list(first)
    for place, value in changes:
        second[place % len(second)] = value
    sparse = [None] * len(first)
    sparse[len(sparse) // 2 :: 7] = first[len(sparse) // 2 :: 7]
    lines = [{"round": r, "some": some, "none": []} for r, some in enumerate((first, second, second, sparse))]
    written = json.loads(json.dumps(list(all_thinned(lines))))
    assert repr(list(all_whole(written))) == repr(lines)


def test_zeros_keep_their_sign_and_their_type() -> None:
    first = [0.0] * 120 + [-0.0, 0, False, 0.5]
    second = [0.0] * 121 + [0, False, 0.5]
    written = list(all_thinned([{"a": first}, {"a": second}, {"a": second}]))
    assert written[0] == {"a": {"n": 124, "else": 0.0, "at": [120, 121, 122, 123], "is": [-0.0, 0, False, 0.5]}}
    assert written[1] != {"a": {"before": True}} == written[2]
    assert repr([line["a"] for line in all_whole(written)]) == repr([first, second, second])


@pytest.mark.parametrize("kind", ["upper", "full"])
def test_a_matrix_comes_back_to_the_bit(kind: str) -> None:
    rows = np.random.default_rng(0).normal(size=(101, 3))
    gram = rows @ rows.T
    gram = (gram + gram.T) / 2
    if kind == "full":
        gram[0, 1] = np.nextafter(gram[0, 1], 1)
    (line,) = all_thinned([{"gram": gram.tolist()}])
    assert list(line["gram"]) == [kind, "m"]
    assert whole(line, None) == {"gram": gram.tolist()}


def test_what_rests_on_a_round_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="as in the round before, and there is none"):
        whole({"share": {"before": True}}, None)
    with pytest.raises(ValueError, match=r"numbers for the upper half of 3 rows"):
        whole({"gram": {"upper": "AAAAAAAAAAA=", "m": 3}}, None)


def test_a_run_of_many_clients_resumes_from_thin_records(tmp_path: Path) -> None:
    config = RunConfig(n_clients=150, n_sampled=5, n_rounds=4, n_local_steps=1, partition="iid", checkpoint_every=1)
    config = replace(config, losses="present")
    first = run(replace(config, n_rounds=2), Proportional(), out=tmp_path / "parts")
    parts = run(config, Proportional(), out=tmp_path / "parts")
    whole_run = run(config, Proportional(), out=tmp_path / "whole")
    assert [r.weights for r in parts.history] == [r.weights for r in whole_run.history]
    assert [r.share for r in parts.history[:2]] == [r.share for r in first.history]
    lines = [(tmp_path / name / "metrics.jsonl").read_bytes() for name in ("parts", "whole")]
    assert lines[0] == lines[1]
    assert json.loads(lines[0].splitlines()[1])["share"] == {"before": True}
    plain = sum(len(json.dumps(r.to_dict())) for r in parts.history)
    assert len(lines[0]) < plain / 2
    history = json.loads((tmp_path / "whole" / "result.json").read_text())["history"]
    assert [r["weights"] for r in all_whole(history)] == [r.weights for r in whole_run.history]
