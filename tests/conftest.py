"""One Hypothesis profile (reproducible, no deadline), what is slow first, and one thread.

Torch's threads spin against each other on small work. While tests are collected nothing becomes garbage, and what is
there afterwards stays: the collector need not look at it.
"""

from __future__ import annotations

import gc
import os
import signal

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything loads torch; subprocesses inherit it

import pytest
from hypothesis import HealthCheck, settings

gc.disable()  # until the tests are collected

# A shell without job control starts what is in the background with Ctrl-C ignored, and children inherit that: tests
# that interrupt a process of their own would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("fedverdict", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fedverdict")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of several workers one begins with what is slow, which mostly waits: others compute, and none of it is last."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """What was collected stays for the whole run."""
    gc.enable()
    gc.freeze()
