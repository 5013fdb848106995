"""What the reference pages hold, made from the code at build time: `{{ toml }}` and `{{ python ROOM }}`."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from inspect import getdoc


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page with its markers replaced; called by mkdocs."""
    markdown = markdown.replace("{{ toml }}", toml_table())
    return re.sub(r"\{\{ python (\w+) \}\}", lambda found: python_table(found[1]), markdown)


def toml_table() -> str:
    """Every key of `[run]` with its type, default, choices and meaning."""
    from deep.config import CHOICES, RunConfig
    from deep.settings import run_fields
    from validation.commands.run import HELP, option_name

    defaults = {f.name: f.default for f in fields(RunConfig)}
    rows = ["| key of `[run]` | option | type | default | meaning |", "|---|---|---|---|---|"]
    for name, kind in run_fields().items():
        shown = f"`{defaults[name]!r}`" if defaults[name] != "" else ""
        one_of = f" One of {', '.join(f'`{c}`' for c in CHOICES[name])}." if name in CHOICES else ""
        said = (HELP.get(name, "") + one_of).replace("|", "\\|").replace("*", "\\*")
        rows.append(f"| `{name}` | `{option_name(name)}` | {kind.__name__} | {shown} | {said} |")
    return "\n".join(rows)


def python_table(room: str) -> str:
    """Every public name of a room with the first line of its docstring."""
    module = import_module(room)
    rows = ["| name | what it is |", "|---|---|"]
    for name in sorted(module.__all__, key=str.casefold):
        value = getattr(module, name)
        own = callable(value) and not str(getattr(value, "__module__", "")).startswith("typing")
        said = (getdoc(value) or "").partition("\n")[0] if own else f"a {type(value).__name__}"
        for sign in "|*_<":
            said = said.replace(sign, f"\\{sign}")
        rows.append(f"| `{name}` | {said} |")
    return "\n".join(rows)
