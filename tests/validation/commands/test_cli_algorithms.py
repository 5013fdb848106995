"""The command `fedverdict algorithms`, as a person would type it."""

from __future__ import annotations

import json
from itertools import product

from click.testing import CliRunner

from theory.algorithms import client_entries, make_client, make_server, refusal, server_entries
from theory.rules import make_rule, rules
from validation.cli import main


def test_json_lists_everything_and_refusals_are_those_of_the_library() -> None:
    result = CliRunner().invoke(main, ["algorithms", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    names = {
        "clients": [e.name for e in client_entries()],
        "servers": [e.name for e in server_entries()],
        "rules": [e.name for e in rules()],
    }
    assert [row["name"] for row in found["clients"]] == names["clients"]
    assert [row["name"] for row in found["servers"]] == names["servers"]
    assert found["rules"] == names["rules"]
    assert next(row for row in found["clients"] if row["name"] == "scaffold")["settings"]["variates"] == "share"
    listed = {}
    for block in found["refused"]:
        parts = [names[kind] if block[kind] == "all" else block[kind] for kind in ("rules", "clients", "servers")]
        listed |= dict.fromkeys(product(*parts), block["reason"])
    made = {e.name: make_rule(e.name) for e in rules()}
    for rule, client, server in product(names["rules"], names["clients"], names["servers"]):
        assert listed.get((rule, client, server), "") == refusal(made[rule], make_client(client), make_server(server))


def test_table_names_each_and_says_why() -> None:
    result = CliRunner().invoke(main, ["algorithms"])
    assert result.exit_code == 0, result.output
    for word in ("scaffold", "fed-adam", "compressed", "refused because", "own server step", "multi-krum", "sign-flip"):
        assert word in result.stdout
