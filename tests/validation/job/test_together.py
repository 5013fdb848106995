"""Several works at once give what they give one after the other."""

from __future__ import annotations

import os

import pytest

from validation.job.together import together


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_work_has_its_result_in_the_order_given(jobs: int) -> None:
    works = {"b": os.getpid, "a": lambda: 2, "c": lambda: [3]}
    found = together(works, jobs)
    assert list(found) == ["b", "a", "c"]
    assert (found["a"], found["c"]) == (2, [3])
    assert (found["b"] == os.getpid()) == (jobs == 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_work_raises_is_raised(jobs: int) -> None:
    def broken() -> int:
        raise ValueError("no table")

    with pytest.raises(ValueError, match="no table"):
        together({"a": lambda: 1, "b": broken}, jobs)


def test_a_work_whose_fork_is_lost_is_done_here() -> None:
    here = os.getpid()

    def lost() -> int:
        if os.getpid() != here:
            os._exit(3)
        return 5

    assert together({"a": lost, "b": lambda: 1}, 2) == {"a": 5, "b": 1}
