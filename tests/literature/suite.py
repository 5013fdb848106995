"""All statements, subject by subject."""

from __future__ import annotations

from tests.literature import (
    algebra,
    classes,
    descent,
    heterogeneity,
    linear,
    noise,
    robust,
    rounds,
    thin_margins,
    weights,
)

STATEMENTS = tuple(
    statement
    for subject in (algebra, linear, weights, heterogeneity, noise, robust, descent, rounds, thin_margins, classes)
    for statement in subject.STATEMENTS
)
