"""`fedverdict rules`: the aggregation rules and what each needs."""

from __future__ import annotations

import json

import click

from validation.commands.terminal import Terminal

__all__ = ["rules"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the rules as a JSON array, with settings and defaults.")
def rules(as_json: bool) -> None:
    """List the aggregation rules: formula, what each needs, memory, what the weights sum to, source."""
    from theory.rules import own_rules
    from theory.rules import rules as entries

    own, faults = own_rules()
    for fault in faults:
        click.echo(f"fedverdict: {fault}", err=True)
    if as_json:
        shown = ("name", "kind", "paper", "source", "formula", "needs", "signals", "memory", "total", "settings")
        found = [{name: getattr(e, name) for name in shown} for e in (*entries(), *own)]
        click.echo(json.dumps(found, indent=1, ensure_ascii=False, default=repr))
        return
    rows = []
    for e in (*entries(), *own):
        needs = ", ".join(f"{name} (signal)" if name in e.signals else name for name in e.needs)
        rows.append((e.name, e.formula, needs, "yes" if e.memory else "", e.total, f"{e.paper}, {e.source}"))
    Terminal().parts(("rule", "weights", "needs", "memory", "total", "source"), rows)
