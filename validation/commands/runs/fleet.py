"""`fedverdict run --rules`: every rule with every seed, round by round in one process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from validation.commands.own_faults import OwnFaults
from validation.commands.runs.settings import over_seeds, report_run, seeded, settings_of
from validation.commands.runs.tracking import Tracking
from validation.commands.terminal import Terminal, fail, progress

if TYPE_CHECKING:
    from deep.config.settings import Settings
    from deep.storage.record import RoundRecord

__all__ = ["Said", "dry_fleet", "folder_name", "play_fleet"]

_APART = re.compile(r"[^A-Za-z0-9.]*[^A-Za-z0-9.-](?P<sign>-)(?=[0-9.]|inf)|[^A-Za-z0-9.]+")  # a minus is kept
# File, settings of rules, folder, device, data root and fields of `RunConfig`, as `settings_of` takes them.
Said = tuple[Path | None, tuple[str, ...], Path | None, str | None, Path | None, Mapping[str, object]]


def folder_name(rule: str) -> str:
    """What the folder of a rule is called.

    >>> folder_name("fed-soft-worse(temperature=0.2)")
    'fed-soft-worse-temperature-0.2'
    >>> folder_name("fed-disco(a=0.5, b=-0.01)")
    'fed-disco-a-0.5-b--0.01'
    """
    return _APART.sub(lambda apart: "-" if apart["sign"] is None else "--", rule).strip("-.")


def play_fleet(
    rules: str, seeds: int, references: Path, said: Said, tracking: Tracking | None = None
) -> tuple[list[Path], bool]:
    """Run all rules with all seeds, shown where `tracking` says; print how each ended, and each rule's mean.

    Returns the folders of the rules, and whether every run was completed; a bad setting ends the command with code 2.
    """
    from deep.runs.fleet import Member, run_fleet

    try:
        runs = _runs(rules, seeds, said)
        names = [name for name, _ in runs]
        first = runs[0][1]
        n_rounds = len(runs) * first.config.n_rounds
        with ExitStack() as stack:
            advance = stack.enter_context(progress(f"{len(runs)} runs on {first.config.dataset}", n_rounds))
            shows = [(tracking or Tracking()).shown(one, stack) for _, one in runs]

            def on_round(place: int, record: RoundRecord) -> None:
                advance(1)
                shows[place](record)

            with OwnFaults([one for _, one in runs]):
                results = run_fleet(
                    [Member(one.config, one.rule, one.out) for _, one in runs],
                    device=first.device,
                    data_root=first.data_root,
                    references=references,
                    on_round=on_round,
                )
    except ValueError as error:
        fail(str(error))
    for (_, one), result in zip(runs, results, strict=True):
        if result.history:
            report_run(one, result)
        else:
            click.echo(f"{result.rule}: diverged in its first round (local_lr={one.config.local_lr}); {one.out}")
    for name in dict.fromkeys(names) if seeds > 1 else ():
        own = [result for other, result in zip(names, results, strict=True) if other == name]
        click.echo(f"{name}: {over_seeds(own)}")
    folders = dict.fromkeys(one.out.parent for _, one in runs if one.out is not None)
    return list(folders), all(result.status == "completed" for result in results)


def dry_fleet(rules: str, seeds: int, said: Said, cards: tuple[str, ...]) -> None:
    """Print what all rules with all seeds would take as one pack, on each card; a bad setting ends with code 2."""
    from deep.runs.estimate import estimate
    from deep.runs.pack import pack_of, pack_table

    file, rule_settings, _, device, data_root, given = said
    try:
        each = [settings_of(file, text, rule_settings, None, device, data_root, given) for text in _texts(rules)]
        found = [(s.config, estimate(s.config, s.rule, device=s.device, data_root=s.data_root), seeds) for s in each]
    except ValueError as error:
        fail(str(error))
    Terminal(120).print(pack_table(pack_of(found), cards))


def _texts(rules: str) -> list[str]:
    found = list(filter(None, (part.strip() for part in rules.split(";"))))
    if not found:
        raise ValueError(f"--rules {rules!r}: no rule; expected some with semicolons between them")
    return found


def _runs(rules: str, seeds: int, said: Said) -> list[tuple[str, Settings]]:
    """Each rule as text with each seed, in a folder of its own; `ValueError` as `settings_of`, and for two of one."""
    file, rule_settings, out, device, data_root, given = said
    found: list[tuple[str, Settings]] = []
    called: dict[str, str] = {}
    for text in _texts(rules):
        name = folder_name(text)
        if name in called:
            raise ValueError(
                f"--rules: {called[name]!r} and {text!r} would both be in the folder {name!r}; expected each once, or"
                " settings that differ in more than signs between letters and digits"
            )
        called[name] = text
        settings = settings_of(file, text, rule_settings, out, device, data_root, given)
        own = None if settings.out is None else settings.out / name
        found += [(text, one) for one in seeded(replace(settings, out=own), seeds)]
    return found
