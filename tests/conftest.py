"""One Hypothesis profile: reproducible, no deadline (the first example of a rule pays for imports)."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("fedverdict", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fedverdict")
