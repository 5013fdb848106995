"""What pages hold that is made at build time: `{{ toml }}`, `{{ python ROOM }}` and `{{ gallery }}`."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from inspect import getdoc
from pathlib import Path

GALLERY = Path(__file__).with_name("gallery")


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page with its markers replaced; called by mkdocs."""
    markdown = markdown.replace("{{ toml }}", toml_table())
    if "{{ gallery }}" in markdown:
        markdown = markdown.replace("{{ gallery }}", gallery())
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


def gallery() -> str:
    """Every file of the gallery, in the order of the papers: a table of what is committed, then each with its code."""
    from validation import look_up

    found = []
    for file in sorted(GALLERY.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        claim = re.search(r'look_up\("([^"]+)"\)', text)
        assert claim is not None, file.name
        found.append((look_up(claim[1]), file.name, text))
    rows = ["| theorem | verdict | holds with | file |", "|---|---|---|---|"]
    for known, name, _ in found:
        entry = known.entry
        weight = f", {entry.weight}" if entry.weight else ""
        restored = "; ".join(text for text in (entry.condition, entry.edit) if text).replace("|", "\\|")
        where = f"[{known.claim.id}](#{_anchor(known.claim.id)}): {known.claim.title}"
        rows.append(f"| {where} | `{entry.verdict}`{weight} | {restored.replace('*', chr(92) + '*')} | `{name}` |")
    parts = [
        f'<h2 id="{_anchor(known.claim.id)}">{known.claim.id}: {known.claim.title}</h2>\n\n```python\n{text}```'
        for known, _, text in found
    ]
    return "\n\n".join(["\n".join(rows), *parts])


def _anchor(claim_id: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", claim_id.lower())
