"""One Hypothesis profile (reproducible, no deadline), what is slow first, and one thread.

Torch's threads spin against each other on small work.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything loads torch; subprocesses inherit it

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("fedverdict", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fedverdict")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of several workers one begins with what is slow, which mostly waits: others compute, and none of it is last."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)
