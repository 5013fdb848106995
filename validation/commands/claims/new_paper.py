"""`fedverdict new-paper NAME`: a package for the claims of one's own paper, ready to install and check."""

from __future__ import annotations

import keyword
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from theory.base.files import replace_file
from validation.commands.terminal import fail
from validation.papers.index import points

__all__ = ["new_paper", "skeleton"]

_PROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "NAME"
version = "0.1.0"
dependencies = ["fedverdict"]

# This line is how fedverdict finds the paper.
[project.entry-points."fedverdict.papers"]
NAME = "NAME:PAPER"

[tool.setuptools]
packages = ["NAME"]

[tool.setuptools.package-data]
NAME = ["*.json", "*.json.xz", "*.toml", "recipes/*", "published/*", "results/*", "results/*/*"]
"""

_PAPER = '''"""Claims of this paper; `fedverdict check NAME` attacks them."""

from pathlib import Path

from NAME.notation import NOTATION
from NAME.section_2 import CLAIMS
from validation import Paper

PAPER = Paper(key="NAME", title="TITLE", folder=Path(__file__).parent, claims=CLAIMS, notation=NOTATION)
'''

_NOTATION = '''"""The letters of the paper, once: symbol, LaTeX, meaning, units as degrees in loss and length."""

from validation import Notation, Quantity

NOTATION = Notation(
    (
        Quantity("L", "L", "smoothness", (1, -2), positive=True),
        Quantity("eta", r"\\eta", "step size", (-1, 2), positive=True),
    )
)
L, eta = NOTATION.symbols("L eta")
'''

_SECTION = '''"""Section 2: a gradient step on L/2·w². Put your claims in place of these, one file a section."""

from NAME.notation import NOTATION, L, eta
from validation import LogScale, at, le, lemma, mutant, numbers, reading, setting

# What is drawn. A world of runs, clients or noise is a function instead: docs, «How to add a claim».
STEPS = numbers(NOTATION, "L and η", LogScale("L", 1e-2, 1e2), LogScale("eta", 1e-3, 1e2))

# A setting of the paper, with its line: a condition that a statement lacks is met where one meets it.
SHORT_STEPS = setting(
    "η = 1/L of Sec. 5", quote="We use the step size 1/L.", fixes={"eta": lambda drawn, numbers: 1 / numbers["L"]}
)

CLAIMS = (
    lemma(
        "PREFIX-L1",
        "Sec. 2, Lemma 1",
        "A gradient step never leads away",
        printed=r"(1-\\eta L)^2\\le1",
        plainly="A gradient step never leads away from the optimum.",
        says=le((1 - eta * L) ** 2, 1),
        world=STEPS,
        readings=[
            reading("as printed", "Any step size."),
            reading("η <= 2/L", "Step sizes up to 2/L.", where=[le(eta, 2 / L)], met_by=SHORT_STEPS),
        ],
        mutants=[mutant("half", le((1 - eta * L) ** 2, 0.5), "small steps hardly move", at(L=1, eta="1/10"))],
        verdict="False for steps longer than 2/L, which lead away; up to 2/L it holds.",
    ),
    lemma(
        "PREFIX-L2",
        "Sec. 2, Lemma 2",
        "A step costs at most its square more than its linear part",
        printed=r"1-2\\eta L\\le(1-\\eta L)^2",
        plainly="Leaving the square out only makes the factor smaller.",
        says=le(1 - 2 * eta * L, (1 - eta * L) ** 2),
        world=STEPS,
        mutants=[mutant("1 for 2", le(1 - eta * L, (1 - eta * L) ** 2), "short steps are nearly linear")],
        verdict="The square is never negative.",
    ),
)
'''


def skeleton(name: str, title: str) -> dict[str, str]:
    """The files of a new paper by their path within its folder."""
    prefix = "".join(part[0] for part in name.split("_") if part).upper()
    prefix = prefix if len(prefix) > 1 else name[:3].upper()
    files = {
        "pyproject.toml": _PROJECT,
        f"{name}/__init__.py": _PAPER,
        f"{name}/notation.py": _NOTATION,
        f"{name}/section_2.py": _SECTION,
    }
    words = {"NAME": name, "TITLE": title, "PREFIX": prefix}
    return {path: re.sub("NAME|TITLE|PREFIX", lambda m: words[m[0]], text) for path, text in files.items()}


@click.command("new-paper")
@click.argument("name")
@click.option("--title", help="The paper's title.  [default: its name]")
@click.option(
    "--in",
    "parent",
    default=".",
    type=click.Path(path_type=Path, file_okay=False),
    show_default=True,
    help="Folder to create it in.",
)
def new_paper(name: str, title: str | None, parent: Path) -> None:
    """Create a package for the claims of a paper of your own.

    It contains two example claims to replace, and can be installed and checked at once.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        fail(f"new-paper {name}: expected a name for a Python package: small letters, digits and _, such as my_paper")
    if name in sys.stdlib_module_names or name in {p.name for p in points()} or find_spec(name) is not None:
        fail(f"new-paper {name}: there is a package or paper of that name; choose another, such as {name}_claims")
    if title is not None and re.search(r'["\\\n]', title):
        fail(f'new-paper --title {title!r}: expected one line without " and \\')
    place = parent / name
    if place.exists():
        fail(f"new-paper {name}: {place} exists already; nothing was written")
    for path, text in skeleton(name, title or name.replace("_", " ")).items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        replace_file(place / path, text.encode("utf-8"))
    click.echo(f"{place}: contains two example claims; put yours in their place in {place / name / 'section_2.py'}\n")
    shown = place if place.is_absolute() else f"./{place}"  # a bare name would be looked for in an index
    click.echo(f"    pip install --editable {shown}\n    fedverdict check {name}")
