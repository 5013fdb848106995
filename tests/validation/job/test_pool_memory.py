"""Workers keep the memory they had: a temporary array of a megabyte is not mapped anew, page by page."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys

import numpy as np
import pytest

from validation.commands.claims.check import selected
from validation.cost.child import FORKS
from validation.cost.limits import Limits
from validation.cost.memory import uncollected
from validation.job.pool import spread


def faults(_: int) -> int:
    """Page faults of ten rounds of forty arrays of a megabyte, all freed after each, once there had been one round."""
    before = 0
    for position in range(11):
        arrays = [np.ones(1 << 17) for _ in range(40)]
        del arrays
        if position == 0:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@pytest.mark.skipif(not FORKS or sys.platform != "linux", reason="the C library is asked on Linux alone")
def test_workers_do_not_map_their_arrays_anew() -> None:
    ((_, found),) = spread([0], faults, jobs=1, limits=Limits())
    assert isinstance(found, int)
    assert found < 10_000  # of 102,400 pages


def test_no_garbage_is_looked_for_while_papers_are_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr("validation.papers.papers.select", lambda names: seen.append(gc.isenabled()))
    selected(("K1",))
    assert seen == [False]
    assert gc.isenabled()
    with pytest.raises(RuntimeError, match="on purpose"), uncollected():
        raise RuntimeError("on purpose")
    assert gc.isenabled()


def test_what_imports_made_is_spared_when_a_command_ends_and_nothing_after_that() -> None:
    program = (
        "import gc\nfrom validation.cost.memory import uncollected\n"
        "with uncollected():\n    import decimal\nfirst = gc.get_freeze_count()\n"
        "with uncollected():\n    more = [[] for _ in range(10_000)]\n"
        "print(first > 1000, gc.get_freeze_count() <= first)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
