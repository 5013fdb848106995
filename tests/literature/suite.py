"""All statements, subject by subject."""

from __future__ import annotations

from tests.literature import algebra, descent, weights

STATEMENTS = (*algebra.STATEMENTS, *weights.STATEMENTS, *descent.STATEMENTS)
