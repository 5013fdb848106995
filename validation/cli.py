"""The command `fedverdict`: check claims, run rules, compare convex and deep, write the report.

A command is imported when it is called: its place and its line of help stand here.
"""

from __future__ import annotations

import sys

import click

from validation.commands.terminal import Commands

__all__ = ["main"]

# Where each stands in validation.commands, and the first sentence of its help.
_COMMANDS = {
    "algorithms": (
        "algorithms:algorithms",
        "List client algorithms and servers, and which rule, client and server are refused together, and why.",
    ),
    "check": (
        "check:check",
        "Check claims by id (EA-T1) or paper (exp_alpha); all of them when none is named.",
    ),
    "compare": (
        "compare:compare",
        "Kept runs in one picture with bands over seeds; with --published, printed numbers beside ours.",
    ),
    "new-paper": (
        "new_paper:new_paper",
        "Write a package with two claims of a paper of your own, which installs and checks at once.",
    ),
    "plot": (
        "plot:plot",
        "Curves of a run over its rounds, with bands over its seeds, to a file: SVG, PDF, PNG, or HTML for a browser.",
    ),
    "queue": (
        "published:queue",
        "Run what is missing, most open statements decided per hour first, as long as it fits a budget of time.",
    ),
    "reference": (
        "reference:COMMAND",
        "Solve w*, F* and Fₖ* of a task to 1e-10, or keep what descent reaches; rule, client and server do not matter.",
    ),
    "report": (
        "report:report",
        "Check the claims, run the rules convex and deep, and write the report into FOLDER: pages that open from disk.",
    ),
    "reproduce": (
        "published:reproduce",
        "Run published tables and figures again: recipes by id (fedaware.table2) or paper; without a name, list them.",
    ),
    "rules": (
        "rules:rules",
        "List the aggregation rules: formula, what each needs, memory, what the weights sum to, source.",
    ),
    "run": (
        "run:COMMAND",
        "One deep run; called again with the same options it resumes where it stopped.",
    ),
    "side-by-side": (
        "side_by_side:side_by_side",
        "Theory's order of the rules, written down from a solved task, and what a network on the same data says of it.",
    ),
    "simulate": (
        "simulate:COMMAND",
        "The same words as `fedverdict run`, played by theory's simulator in float64; writes the same tables.",
    ),
    "tune": (
        "published:tune",
        "Settle a recipe's open choices on seeds that are used for nothing else.",
    ),
}


@click.group(
    cls=Commands,
    lazy={name: (f"validation.commands.{place}", words) for name, (place, words) in _COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="fedverdict")
def main() -> None:
    """Does each statement of a federated-learning paper hold? Verdicts with exact counterexamples."""


if __name__ == "__main__":
    sys.exit(main())
