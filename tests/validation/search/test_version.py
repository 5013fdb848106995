"""The number of the search is raised whenever it tries other instances: counts of entries compare within one number."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np

from validation import Bound, Case, Inequality, Signed, Simplex, Space, Uniform
from validation.search.search import VERSION, search

TRIED = {2: "a452049bba64126f"}


def tried(budget: int) -> str:
    """A digest of all instances of a small search before its adversary, whose steps hang on a processor's rounding."""
    seen: list[Any] = []

    def sides(x: Any) -> Any:
        seen.append([np.round(v.reshape(len(v), -1), 6) for v in x.values()])
        return {"lhs": x["a"].sum(axis=(1, 2)) * x["p"][:, 0], "right": x["u"] + 9}

    space = Space((Uniform("a", 0, 1, (2, 3)), Signed("s", 0.5, 1, (2,)), Simplex("p", 2), Uniform("u", 1, 2)))
    found = search(Inequality(Bound("right"), (Case("sums", space, sides),)), budget=budget, seed=0, label="version")
    first = sum(found.stages[name] for name in ("corners", "random"))
    rows = np.concatenate([np.concatenate(batch, axis=1) for batch in seen])[:first]
    return sha256((rows + 0.0).tobytes()).hexdigest()[:16]


def test_a_search_that_tries_other_instances_has_another_number() -> None:
    assert tried(500) == TRIED[VERSION], "raise VERSION of validation.search.search, and note the digest under it"
