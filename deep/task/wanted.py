"""The signals that rules read beside losses and updates: which there are, and which of them a rule wants."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from theory.rules.combinators.switch import Switch
from theory.rules.protocol import AnyRule, needs_of
from theory.rules.stats import RoundStats

__all__ = ["OUTPUTS", "SIGNALS", "wanted"]

OUTPUTS = frozenset({"logits", "view_1", "view_2"})
"""Signals that are clients' outputs on unlabelled samples of the target."""
HANDED = "step_size"  # what every run knows, and nobody measures
OF_FAMILIES = ("optimum_gradients",)  # what only a family knows, whose w* has a closed form
SIGNALS = ("accuracy", "gradient_variance", "label_counts", "logits", "view_1", "view_2")


def wanted(rule: AnyRule) -> frozenset[str]:
    """The signals `rule` reads, those of the rules inside it included.

    Signals are what a rule declares in `needs`; one without `needs`, such as a plain function, gets none, because each
    costs a pass over data, and is told by `RoundStats.need` what it lacks. A combinator with such a rule inside still
    gets what its other parts declare. Raises `ValueError` for a signal that no run can measure.
    """
    found = _declared(rule)
    unknown = sorted(found - set(SIGNALS) - {HANDED, *OF_FAMILIES})
    if unknown:
        raise ValueError(
            f"wanted({rule!r}): no run measures {', '.join(unknown)}; expected some of {', '.join(SIGNALS)}"
        )
    return found


def _declared(rule: object) -> frozenset[str]:
    needs = needs_of(rule)  # type: ignore[arg-type]
    if needs is not None:
        return frozenset(needs) - RoundStats.__dataclass_fields__.keys()
    inside = [getattr(rule, f.name) for f in fields(rule)] if is_dataclass(rule) else []
    own = {"accuracy"} if isinstance(rule, Switch) and rule.at_accuracy is not None else set()
    return frozenset(own).union(*(_declared(part) for part in inside if callable(part) or hasattr(part, "step")))
