"""One Hypothesis profile (reproducible, no deadline), and one thread: torch's spin against each other on small work."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything loads torch; subprocesses inherit it

from hypothesis import HealthCheck, settings

settings.register_profile("fedverdict", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fedverdict")
