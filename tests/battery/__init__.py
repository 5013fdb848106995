"""Statements that are false where floating point does not look, each with a twin that is true."""

from __future__ import annotations

from tests.battery.statements import STATEMENTS, Statement

__all__ = ["STATEMENTS", "Statement"]
