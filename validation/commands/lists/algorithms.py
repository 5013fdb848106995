"""`fedverdict algorithms`: client algorithms and servers, and what cannot be combined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from validation.commands.output import echo, echo_json
from validation.commands.terminal import Terminal

if TYPE_CHECKING:
    from validation.report.both_worlds.composition import Composition

__all__ = ["algorithms", "composition", "refusals"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, with settings and defaults.")
def algorithms(as_json: bool) -> None:
    """List client algorithms and servers, and what cannot be combined."""
    from deep.features import feature_entries
    from theory.algorithms import client_entries, own_entries, server_entries
    from theory.algorithms.aggregator_registry import aggregator_entries
    from theory.algorithms.attack import ATTACKS
    from theory.rules import own_rules, rules

    own, faults = own_entries()
    mine, wrong = own_rules()
    faults = [*faults, *(fault for fault in wrong if fault not in faults)]
    for fault in faults:
        echo(f"fedverdict: {fault}", err=True)
    refused = refusals()
    if as_json:
        shown = ("name", "source", "formula", "settings")
        both = {"clients": client_entries(), "servers": server_entries()}
        found: dict[str, Any] = {k: [{n: getattr(e, n) for n in shown} for e in v] for k, v in both.items()}
        found["deep_only"] = [{n: getattr(e, n) for n in (*shown, "kind")} for e in feature_entries()]
        inside = {"aggregators": aggregator_entries(), "attacks": ATTACKS}
        found |= {kind: [{n: getattr(part, n) for n in shown} for part in parts] for kind, parts in inside.items()}
        found["own"] = [{n: getattr(e, n) for n in (*shown, "kind")} for e in own]
        found |= {"rules": [entry.name for entry in (*rules(), *mine)], "refused": refused}
        echo_json(found, default=repr)
        return
    console = Terminal()
    listed = {"client": client_entries(), "server": server_entries(), "deep runs only": feature_entries()}
    listed |= {f"own {kind}": tuple(e for e in own if e.kind == kind) for kind in ("client", "server")}
    for title, entries in listed.items():
        if not entries:
            continue
        rows = []
        for e in entries:
            settings = ", ".join(f"{name}={value}" for name, value in e.settings.items() if name not in e.parts)
            rows.append((e.name, e.formula, settings, e.source))
        console.parts((title, "what it does", "settings", "source"), rows)
        console.print()
    for title, parts in {"by, in aggregate": aggregator_entries(), "attack, in byzantine": ATTACKS}.items():
        rows = [
            (part.name, part.formula, ", ".join(f"{n}={v}" for n, v in part.settings.items()), part.source)
            for part in parts
        ]
        console.parts((title, "what it does", "settings", "source"), rows)
        console.print()
    if mine:
        console.parts(("own rule", "what it does", "source"), [(rule.name, rule.formula, rule.source) for rule in mine])
        console.print()
    rows = []
    for row in refused:
        named = _words(row["rules"], [entry.name for entry in rules()])
        rows.append((row["reason"], named, *(_words(row[name]) for name in ("clients", "servers"))))
    console.parts(("refused because", "rule", "client", "server"), rows)
    console.print("All other combinations work. `fedverdict rules` lists the rules.")
    console.print("State averaged over clients has a setting variates=uniform, share or rule, which decides the limit.")


def refusals() -> list[dict[str, Any]]:
    """Triples of rule, client and server, with the settings of their examples, that are refused, in blocks.

    Each block: {"rules", "clients", "servers", "reason"}, the first three a list of names or "all"; every triple of
    names from a block is refused with that reason.
    """
    from theory.algorithms import client_entries, make_client, make_server, own_entries, refusal, server_entries
    from theory.rules import make_rule, own_rules, rules

    own = {kind: [e.name for e in own_entries()[0] if e.kind == kind] for kind in ("client", "server")}
    made = (
        {entry.name: make_rule(entry.name) for entry in (*rules(), *own_rules()[0])},
        {name: make_client(name) for name in (*(e.name for e in client_entries()), *own["client"])},
        {name: make_server(name) for name in (*(e.name for e in server_entries()), *own["server"])},
    )
    by_pair: dict[tuple[str, str, str], list[str]] = {}
    for client in made[1]:
        for server in made[2]:
            for rule in made[0]:
                reason = refusal(made[0][rule], made[1][client], made[2][server])
                if reason:
                    by_pair.setdefault((reason, client, server), []).append(rule)
    by_client: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (reason, client, server), found in by_pair.items():
        by_client.setdefault((reason, client, tuple(found)), []).append(server)
    blocks: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (reason, client, found_rules), servers in by_client.items():
        blocks.setdefault((reason, found_rules, tuple(servers)), []).append(client)
    return [
        {
            "rules": _all(list(found_rules), made[0]),
            "clients": _all(clients, made[1]),
            "servers": _all(list(servers), made[2]),
            "reason": reason,
        }
        for (reason, found_rules, servers), clients in blocks.items()
    ]


def composition() -> Composition:
    """Clients, rules and servers, those of entry points among them, with what does not compose, for the report."""
    from theory.algorithms import client_entries, own_entries, server_entries
    from theory.rules import own_rules, rules
    from validation.report.both_worlds.composition import Part, read_composition

    own = own_entries()[0]
    clients = [*client_entries(), *(e for e in own if e.kind == "client")]
    servers = [*server_entries(), *(e for e in own if e.kind == "server")]
    every = [*rules(), *own_rules()[0]]
    rows = [Part(e.name, e.formula, e.source) for e in every]
    left, right = ([Part(e.name, e.formula, e.source) for e in row] for row in (clients, servers))
    return read_composition(left, right, rows, refusals())


def _all(names: list[str], known: dict[str, Any]) -> list[str] | str:
    return "all" if len(names) == len(known) else names


def _words(names: list[str] | str, known: list[str] | None = None) -> str:
    """Names in a row, "all but …" where that is shorter."""
    if isinstance(names, str):
        return names
    others = [name for name in known or [] if name not in names]
    return f"all but {', '.join(others)}" if 0 < len(others) < len(names) else ", ".join(names)
