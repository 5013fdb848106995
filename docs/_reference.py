"""The search of the site, and what stands for `{{ commands }}`, `{{ toml }}`, `{{ python ROOM }}` … in its pages."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

import click

GALLERY = Path(__file__).with_name("gallery")
NOTEBOOKS = Path(__file__).with_name("notebooks")
SEARCH = Path(__file__).with_name("_search.js")


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page with its markers replaced; called by mkdocs."""
    makers = {"commands": commands, "toml": toml_table, "gallery": gallery, "notebooks": notebooks}
    for name, made in makers.items():
        marker = f"{{{{ {name} }}}}"
        if marker in markdown:
            markdown = markdown.replace(marker, made())
    return re.sub(r"\{\{ python (\w+) \}\}", lambda found: python_table(found[1]), markdown)


def on_post_build(config: dict[str, str], **_: object) -> None:
    """Put lunr, the index and `_search.js` into one script: from disk, a browser loads neither JSON nor a worker."""
    folder = Path(config["site_dir"], "search")
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    parts = [(folder / "lunr.js").read_text(encoding="utf-8"), f"const INDEX = {index};", SEARCH.read_text("utf-8")]
    (folder / "main.js").write_text("\n".join(parts), encoding="utf-8")
    for unused in ("lunr.js", "worker.js", "search_index.json"):
        (folder / unused).unlink()


def notebooks() -> str:
    """Every notebook: its words, its code, and the outputs it is kept with."""
    files = sorted(NOTEBOOKS.glob("*.ipynb"))
    return "\n\n".join(_cell(cell) for file in files for cell in json.loads(file.read_text("utf-8"))["cells"])


def _cell(cell: dict[str, Any]) -> str:
    """A cell as Markdown; headings one level down."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return re.sub(r"^#", "##", source)
    parts = [f"```python\n{source}\n```"]
    for output in cell["outputs"]:
        if "text" in output:
            parts.append("```text\n" + "".join(output["text"]).rstrip() + "\n```")
        else:
            drawn = b64encode("".join(output["data"]["image/svg+xml"]).encode()).decode()
            parts.append(f"![the drawing](data:image/svg+xml;base64,{drawn})")
    return "\n\n".join(parts)


class _Sections(click.HelpFormatter):
    """Collects the headings and rows that a command writes as its help."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str]]]] = []

    def write_heading(self, heading: str) -> None:
        self.found.append((heading, []))

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        self.found[-1][1].extend(rows)


def commands() -> str:
    """Every command: what it does, how it is called, and its options under the headings of its help."""
    from validation.cli import main

    parts = []
    with click.Context(main, info_name="fedverdict") as top:
        for name in main.list_commands(top):
            command = main.get_command(top, name)
            assert command is not None, name
            with click.Context(command, info_name=name, parent=top) as context:
                sections = _Sections()
                command.format_options(context, sections)
                usage = " ".join(command.collect_usage_pieces(context))
            text = re.sub(r"\s*\x08\s*", "\n\n", command.help or "")
            parts += [f"## {name}", escaped(" ".join(text.split())), f"`fedverdict {name} {usage}`"]
            for title, rows in sections.found:
                table = [f"| {title.lower()} | |", "|---|---|"]
                parts.append("\n".join([*table, *(f"| `{option}` | {escaped(said)} |" for option, said in rows)]))
    return "\n\n".join(parts)


def escaped(text: str) -> str:
    """`text` as Markdown shows it in a table: signs of Markdown are escaped, except in code."""
    pieces = re.split(r"(`+[^`]+`+)", text.replace("|", "\\|"))
    plain = [re.sub(r"([*_\[\]])", r"\\\1", piece).replace("<", "&lt;") for piece in pieces]
    return "".join(piece if i % 2 else plain[i] for i, piece in enumerate(pieces))


def toml_table() -> str:
    """Every key of `[run]` with its type, default, choices and meaning."""
    from deep.config.config import CHOICES, RunConfig
    from deep.config.settings import run_fields
    from validation.commands.runs.run import HELP, option_name

    defaults = {f.name: f.default for f in fields(RunConfig)}
    rows = ["| key of `[run]` | option | type | default | meaning |", "|---|---|---|---|---|"]
    for name, kind in run_fields().items():
        shown = f"`{defaults[name]!r}`" if defaults[name] != "" else ""
        one_of = f" One of {', '.join(f'`{c}`' for c in CHOICES[name])}." if name in CHOICES else ""
        said = escaped(HELP.get(name, "") + one_of)
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
        rows.append(f"| `{name}` | {escaped(said)} |")
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
        restored = "; ".join(text for text in (entry.condition, entry.edit) if text)
        where = f"[{known.claim.id}](#{_anchor(known.claim.id)}): {known.claim.title}"
        rows.append(f"| {where} | `{entry.verdict}`{weight} | {escaped(restored)} | `{name}` |")
    parts = [
        f'<h2 id="{_anchor(known.claim.id)}">{known.claim.id}: {known.claim.title}</h2>\n\n```python\n{text}```'
        for known, _, text in found
    ]
    return "\n\n".join(["\n".join(rows), *parts])


def _anchor(claim_id: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", claim_id.lower())
