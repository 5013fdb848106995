"""False statements of federated learning, drawn afresh from a seed: what the search must find, class by class."""

from __future__ import annotations

from collections.abc import Callable

from tests.traps.clients import many_clients, non_commuting
from tests.traps.horizon import late_horizon
from tests.traps.information import seen_noise, two_mechanisms
from tests.traps.model import Trap
from tests.traps.narrow import narrow
from tests.traps.seen_earlier import seen_earlier
from tests.traps.sides import cancellation, units_matter

__all__ = ["TRAPS", "Trap"]

TRAPS: dict[str, Callable[[int], Trap]] = {
    "late horizon": late_horizon,
    "narrow": narrow,
    "cancellation": cancellation,
    "units": units_matter,
    "many clients": many_clients,
    "non-commuting": non_commuting,
    "seen noise": seen_noise,
    "seen earlier": seen_earlier,
    "two mechanisms": two_mechanisms,
}
