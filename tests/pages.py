"""What the pages of docs/ hold, and a shell to run it in."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from tests.loaded import fedverdict, python

DOCS = Path(__file__).parent.parent / "docs"

Block = tuple[str, str, str]


def blocks(text: str) -> list[Block]:
    """(language, content, the text block that follows it at once, or nothing) of every fenced block."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    after = re.findall(r"^```\w*\n.*?^```$(?=(?:\n\n```text\n(.*?)^```$)?)", text, flags=re.DOTALL | re.MULTILINE)
    assert len(found) == len(after)
    return [(language, content, said) for (language, content), said in zip(found, after, strict=True)]


def surroundings(folder: Path) -> dict[str, str]:
    """A shell in which `python`, `pip` and `fedverdict` are those of the tests, and others may be put into `tools`."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for name, program in {"python": python(), "fedverdict": fedverdict()}.items():
        (tools / name).unlink(missing_ok=True)
        (tools / name).symlink_to(program)
    (tools / "pip").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pip "$@"\n')
    (tools / "pip").chmod(0o755)
    path = os.pathsep.join(filter(None, (str(Path.cwd()), str(folder), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}
