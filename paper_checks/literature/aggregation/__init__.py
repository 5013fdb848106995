"""Statements on what a server aggregates: weights, directions, divergences, cohorts, robustness, compression, privacy."""

from __future__ import annotations

from validation.papers.papers import gathered

__all__ = ["CLAIMS"]

CLAIMS = gathered(__name__)
