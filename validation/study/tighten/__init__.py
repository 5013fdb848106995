"""Smallest constants of a bound: a linear program over instances, a search as its oracle, exact lower sides."""

from __future__ import annotations

from validation.study.tighten.template import Template
from validation.study.tighten.tighten import TermFound, Tightened, tighten

__all__ = ["Template", "TermFound", "Tightened", "tighten"]
