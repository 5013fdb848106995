"""`fedverdict rules`: the aggregation rules and what each needs."""

from __future__ import annotations

import click

from validation.commands.output import echo, echo_json
from validation.commands.terminal import Terminal

__all__ = ["rules"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print as a JSON array, with settings and defaults.")
def rules(as_json: bool) -> None:
    """List the aggregation rules with their formulas and sources."""
    from theory.rules import example_of, own_rules
    from theory.rules import rules as entries

    own, faults = own_rules()
    for fault in faults:
        echo(f"fedverdict: {fault}", err=True)
    if as_json:
        listed = [(e, example_of(e.name)) for e in (*entries(), *own)]
        found = [
            {
                **{name: getattr(e, name) for name in ("name", "kind", "paper", "source", "formula")},
                **{name: getattr(example, name) for name in ("needs", "signals", "memory")},
                **{name: getattr(e, name) for name in ("total", "settings")},
            }
            for e, example in listed
        ]
        echo_json(found, default=repr)
        return
    rows = []
    for e in (*entries(), *own):
        example = example_of(e.name)
        needs = ", ".join(f"{name} (signal)" if name in example.signals else name for name in example.needs)
        rows.append((e.name, e.formula, needs, "yes" if example.memory else "", e.total, f"{e.paper}, {e.source}"))
    Terminal().parts(("rule", "weights", "needs", "memory", "total", "source"), rows)
