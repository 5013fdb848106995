"""Local SGD over federations: `simulate` plays the rounds, and a `Trajectory` is what they leave.

`run` is the loop; what it asks for stands in one file each. Names with an underscore belong to this package alone.
"""

from __future__ import annotations

from theory.simulate.job import RoundSeen
from theory.simulate.run import simulate
from theory.simulate.trajectory import RECORDS, Trajectory

__all__ = ["RECORDS", "RoundSeen", "Trajectory", "simulate"]
