"""Statements on how clients and the server train: local steps, their corrections, server steps, personal models."""

from __future__ import annotations

from validation.papers.papers import gathered

__all__ = ["CLAIMS"]

CLAIMS = gathered(__name__)
