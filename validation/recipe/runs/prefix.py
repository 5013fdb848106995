"""First rounds that several methods of a recipe share: FedSoftBetterAvg is FedSoftBetter until it changes its rule."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from validation.recipe.unit import Unit, digest_of, settings_of

if TYPE_CHECKING:
    from deep.config.settings import Settings
    from theory.rules.protocol import AnyRule

__all__ = ["prefix_of"]


def prefix_of(unit: Unit) -> tuple[Settings, str] | None:
    """What the unit's run shares with others, as a run of its own, and its digest; None where it shares nothing.

    Of a rule that changes at a round the rounds before it; of a rule that another method begins with these as well,
    also where that one measures losses that this run has no use for. Models and all that is measured are the same bits.
    """
    own = settings_of(unit)
    found = _first(own)
    if found is None:
        names = (arm.name for arm in unit.recipe.arms if arm.name != unit.arm)
        others = (_first(settings_of(replace(unit, arm=name))) for name in names)
        found = next((one for one in others if one is not None and _begins(one, own)), None)
    return None if found is None else (found, digest_of(found))


def _first(settings: Settings) -> Settings | None:
    """The rounds before a rule changes, with the rule that is in charge then."""
    from theory.rules import Switch

    rule = settings.rule
    if not isinstance(rule, Switch) or not rule.at_round or not _forgets(rule.first) or not _forgets(rule.then):
        return None
    n_rounds = min(rule.at_round, settings.config.n_rounds)
    if n_rounds % settings.config.evaluate_every:  # the last round of a run is always judged, its twin may not be
        return None
    return replace(settings, rule=rule.first, config=replace(settings.config, n_rounds=n_rounds))


def _begins(first: Settings, own: Settings) -> bool:
    """Whether a run begins with these rounds, but for losses that it does not measure, and is another one."""
    n_rounds, losses = first.config.n_rounds, first.config.losses
    if first.rule != own.rule or own.config.losses not in {losses, "none"} or n_rounds > own.config.n_rounds:
        return False
    return first.config != own.config and first.config == replace(own.config, n_rounds=n_rounds, losses=losses)


def _forgets(rule: AnyRule) -> bool:
    """Whether a rule needs nothing of the rounds before."""
    from theory.rules import Switch
    from theory.rules.protocol import remembers

    if isinstance(rule, Switch):
        return rule.at_round is not None and _forgets(rule.first) and _forgets(rule.then)
    return not remembers(rule)
